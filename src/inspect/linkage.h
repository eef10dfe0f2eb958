// How a file gets at CUDA: by which runtime, or by the driver. Reads headers and symbols, and for a stripped program
// the code; never executes anything.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "elf/static_runtime.h"

namespace warplens::inspect {

struct Linkage {
  enum class Runtime : uint8_t {
    None,
    Shared,   // it asks the loader for libcudart.so.N, or leaves __cudaRegisterFatBinary to another object
    Static,   // it has one inside, and we know where its functions are
    Unknown,  // it has device code and no other way to a runtime than one inside that we do not recognise
  };
  bool damaged = false;             // parts that are needed to load it lie beyond the file's end
  bool native = false;              // for this machine's kind of processor
  bool executable = false;          // a program or a library, not an object file
  bool has_interpreter = false;     // a program that the loader starts; a library has none
  bool stripped = false;            // no symbols but those for the loader
  std::vector<std::string> needed;  // DT_NEEDED
  bool has_device_code = false;     // .nv_fatbin or .nvFatBinSegment
  bool uses_driver = false;         // needs libcuda.so.1
  Runtime runtime = Runtime::None;
  std::string library;        // Shared: "libcudart.so.13", or "" if it comes from another object
  int major = 0;              // Static: 11, 12, 13
  std::string release;        // Static: "12.9.79", or "" for a release that is not in the table
  bool by_signature = false;  // Static: found by its code, not by its symbols
  size_t functions = 0;       // Static: how many of it were found
};

Linkage linkage_of(const elf::View& file, std::span<const elf::RuntimeTable> tables);

}  // namespace warplens::inspect
