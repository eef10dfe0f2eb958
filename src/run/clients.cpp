#include "run/clients.h"

namespace warplens::run {

void keep_ptx(Environment& environment, const std::filesystem::path& libraries) {
  const std::string assembler = (libraries / "ptxas").string();
  const std::pair<const char*, std::string> defaults[] = {
      {"CUPY_COMPILE_WITH_PTX", "1"},              // CuPy: else NVRTC is asked for a cubin
      {"TRITON_PTXAS_PATH", assembler},            // Triton: else the ptxas of its wheel
      {"TRITON_PTXAS_BLACKWELL_PATH", assembler},  // the same, for compute capability 10 and later
  };
  for (const auto& [name, value] : defaults) {
    if (environment.get(name).empty()) environment.set(name, value);
  }
}

}  // namespace warplens::run
