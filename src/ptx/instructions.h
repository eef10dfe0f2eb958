// The opcodes of PTX as an enum; instructions.def is the table behind it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warplens::ptx {

enum class Opcode : uint8_t {
#define WL_PTX(name, text, family, status, note) name,
#include "ptx/instructions.def"
#undef WL_PTX
};

enum class Family : uint8_t {
  Arithmetic,
  Integer,
  Float,
  Logic,
  Compare,
  Convert,
  Memory,
  Atomic,
  Control,
  Barrier,
  Warp,
  Matrix,
  Texture,
  Video,
};

enum class Status : uint8_t { Core, Partly, Refused };

struct OpcodeInfo {
  Opcode opcode;
  std::string_view text;  // "ld"
  Family family;
  Status status;
  std::string_view note;
};

// Every opcode, in the order of the enum.
std::span<const OpcodeInfo> opcodes();

// The entry of "ld"; nothing for a word that PTX ISA 9.0 does not know.
std::optional<Opcode> find_opcode(std::string_view text);

const OpcodeInfo& info(Opcode opcode);

}  // namespace warplens::ptx
