#include "elf/known_runtimes.h"

asm(R"(
  .pushsection .rodata
  .globl wl_known_runtimes, wl_known_runtimes_end
  .hidden wl_known_runtimes, wl_known_runtimes_end
wl_known_runtimes:
  .incbin ")" WARPLENS_RUNTIME_TABLE R"("
wl_known_runtimes_end:
  .popsection
)");

extern "C" const char wl_known_runtimes[], wl_known_runtimes_end[];

namespace warplens::elf {

RuntimeTable known_runtimes() {
  RuntimeTable table;
  read_runtime_table({wl_known_runtimes, static_cast<size_t>(wl_known_runtimes_end - wl_known_runtimes)}, table);
  return table;
}

}  // namespace warplens::elf
