// The few facts of an ELF file that say whether and how it uses CUDA. Reads headers only, never executes anything.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warplens::run {

struct ElfFacts {
  bool is_64bit_native = false;     // 64-bit and of this machine's architecture
  bool is_executable = false;       // ET_EXEC, or ET_DYN (a position-independent program, or a library)
  bool has_interpreter = false;     // dynamically linked program; a library has none
  std::vector<std::string> needed;  // DT_NEEDED
  bool has_rpath = false;           // DT_RPATH without DT_RUNPATH: searched before LD_LIBRARY_PATH
  bool has_fat_binary = false;      // .nv_fatbin or .nvFatBinSegment: device code inside
  bool has_static_cudart = false;   // defines __cudaRegisterFatBinary itself
};

// Nothing if the file is no ELF file or is cut short.
std::optional<ElfFacts> read_elf(const std::filesystem::path& path);

}  // namespace warplens::run
