#include <array>

#include "sass/cubin.h"

namespace warplens::sass {
namespace {

constexpr std::array kTypes = {
#define X(number, name, kind, part, bits, position) \
  RelocationType{number, #name, RelocationKind::kind, RelocationPart::part, bits, position},
#include "sass/relocations.def"
#undef X
};

constexpr RelocationType kUnknown = {0, "R_CUDA_UNKNOWN", RelocationKind::Other, RelocationPart::All, 0, 0};

// A field of up to 64 bits that starts at bit `position` of the bytes.
uint64_t get_bits(std::span<const uint8_t> bytes, unsigned position, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) value |= uint64_t{bytes[(position + i) / 8] >> (position + i) % 8 & 1u} << i;
  return value;
}

void set_bits(std::span<uint8_t> bytes, unsigned position, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const auto bit = static_cast<uint8_t>(1u << (position + i) % 8);
    uint8_t& byte = bytes[(position + i) / 8];
    byte = static_cast<uint8_t>((value >> i & 1) != 0 ? byte | bit : byte & ~bit);
  }
}

// Where in the section's bytes the field is; empty where it is outside, or no field.
template <typename T>
std::span<T> place(const Relocation& relocation, std::span<T> bytes) {
  const RelocationType& type = *relocation.type;
  const size_t size = type.part == RelocationPart::Byte ? 1 : (type.bits + type.position + 7u) / 8;
  if (type.bits == 0 || relocation.offset > bytes.size() || size > bytes.size() - relocation.offset) return {};
  return bytes.subspan(relocation.offset, size);
}

constexpr unsigned kSplitPosition = 16, kSplitBits = 8;

}  // namespace

const RelocationType& relocation_type(uint32_t number) {
  for (const RelocationType& type : kTypes)
    if (type.number == number) return type;
  return kUnknown;
}

std::optional<uint64_t> field(const Relocation& relocation, std::span<const uint8_t> bytes) {
  const RelocationType& type = *relocation.type;
  const auto at = place(relocation, bytes);
  if (at.empty()) return std::nullopt;
  switch (type.part) {
    case RelocationPart::All:
    case RelocationPart::Low:
      return get_bits(at, type.position, type.bits);
    case RelocationPart::High:
      return get_bits(at, type.position, type.bits) << 32;
    case RelocationPart::Byte:
      return uint64_t{at[0]} << type.position;
    case RelocationPart::Words:
      return get_bits(at, type.position, type.bits) << 2;
    case RelocationPart::Split:
      return get_bits(at, kSplitPosition, kSplitBits) << 2 | get_bits(at, type.position, type.bits - kSplitBits)
                                                                 << (2 + kSplitBits);
  }
  return std::nullopt;
}

bool apply(const Relocation& relocation, uint64_t value, std::span<uint8_t> bytes) {
  const RelocationType& type = *relocation.type;
  const auto at = place(relocation, bytes);
  if (at.empty() || type.kind == RelocationKind::Other || type.kind == RelocationKind::Texture) return false;
  switch (type.part) {
    case RelocationPart::All:
    case RelocationPart::Low:
      set_bits(at, type.position, type.bits, value);
      break;
    case RelocationPart::High:
      set_bits(at, type.position, type.bits, value >> 32);
      break;
    case RelocationPart::Byte:
      at[0] = static_cast<uint8_t>(value >> type.position);
      break;
    case RelocationPart::Words:
      set_bits(at, type.position, type.bits, value >> 2);
      break;
    case RelocationPart::Split:
      set_bits(at, kSplitPosition, kSplitBits, value >> 2);
      set_bits(at, type.position, type.bits - kSplitBits, value >> (2 + kSplitBits));
      break;
  }
  return true;
}

}  // namespace warplens::sass
