// The options of cuModuleLoadDataEx, cuLinkCreate and their like. What steers NVIDIA's compiler is accepted and changes
// nothing; the buffers for messages are filled.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"
#include "cuda/driver/abi.h"

namespace warplens::cuda::driver {

class JitOptions {
 public:
  // Error: an option that no CUDA has, or arrays that are missing.
  CuResult read(unsigned count, const int* options, void** values);
  // Fills the buffers, and the sizes and the time that are given back in the array of values.
  void write(const Diagnostics& diagnostics, std::string_view failure) const;

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  // in and out: bytes of the buffer, bytes written
    uint32_t room = 0;      // bytes of the buffer, as given
  };
  static void fill(const Log& log, std::string_view text);
  Log info_, error_;
};

}  // namespace warplens::cuda::driver
