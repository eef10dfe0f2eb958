// Any bytes as a cubin: whatever is read of it lies within it, and every instruction has a finite stack of lines.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "sass/cubin.h"
#include "sass/line_table.h"

using namespace warplens;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void look_at_functions(const sass::Cubin& cubin) {
  for (const sass::Function& function : cubin.functions) {
    require(function.section < cubin.sections.size() && function.symbol < cubin.symbols.size());
    const auto bytes = cubin.sections[function.section].bytes;
    require(function.offset + function.code.size() <= bytes.size());
    const sass::Function* found = cubin.function_at(function.section, function.offset);
    require(found != nullptr && found->code.size() <= function.code.size());
    for (uint8_t bank = 0; bank < 5; ++bank) (void)cubin.bank(function, bank);
  }
}

void look_at_relocations(const sass::Cubin& cubin) {
  for (const sass::Section& section : cubin.sections) {
    std::vector<uint8_t> bytes(section.bytes.begin(), section.bytes.end());
    for (const sass::Relocation& relocation : section.relocations) {
      require(relocation.symbol < cubin.symbols.size());
      (void)sass::apply(relocation, 0x123456789abcdef0, bytes);
      (void)sass::field(relocation, bytes);
    }
  }
}

void look_at_lines(const sass::Cubin& cubin) {
  const auto lines = sass::read_line_table(cubin);
  if (!lines) return;
  constexpr uint64_t kOffsets = 4096;  // enough for the fuzzer
  for (uint32_t section = 0; section < cubin.sections.size() && section < 64; ++section) {
    const uint64_t end = std::min(cubin.sections[section].size, kOffsets);
    for (uint32_t offset = 0; offset < end; offset += 16) {
      require(lines->stack(cubin, section, offset).size() <= ptx::kMaxInlineDepth);
      if (const auto line = lines->ptx_line(section, offset)) require(line->line > 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto cubin = sass::read_cubin({data, size});
  if (!cubin) return 0;
  look_at_functions(*cubin);
  look_at_relocations(*cubin);
  look_at_lines(*cubin);
  return 0;
}
