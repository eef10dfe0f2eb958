#include "cuda/driver/jit_options.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warplens::cuda::driver {
namespace {

enum Option : int {  // CUjit_option
  kInfoBuffer = 3,
  kInfoBufferBytes,
  kErrorBuffer,
  kErrorBufferBytes,
  kOptions = 36  // more than any release has
};

}  // namespace

CuResult JitOptions::read(unsigned count, const int* options, void** values) {
  if (count && (!options || !values)) return CuResult::CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] < 0 || options[i] >= kOptions) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (options[i] == kInfoBuffer) info_.buffer = static_cast<char*>(values[i]);
    if (options[i] == kErrorBuffer) error_.buffer = static_cast<char*>(values[i]);
    // An option's value is the array's element itself, a 32-bit number in the place of a pointer.
    const auto room = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
    if (options[i] == kInfoBufferBytes) info_.size = &values[i], info_.room = room;
    if (options[i] == kErrorBufferBytes) error_.size = &values[i], error_.room = room;
  }
  return CuResult::CUDA_SUCCESS;
}

void JitOptions::fill(const Log& log, std::string_view text) {
  if (!log.size) return;
  size_t bytes = std::min<size_t>(text.size(), log.room);
  if (log.buffer && log.room) {
    memcpy(log.buffer, text.data(), bytes);
    log.buffer[std::min<size_t>(bytes, log.room - 1)] = 0;
  }
  *log.size = reinterpret_cast<void*>(log.buffer ? bytes : 0);
}

void JitOptions::write(const Diagnostics& diagnostics, std::string_view failure) const {
  std::string info, error;
  for (const Diagnostic& diagnostic : diagnostics) {
    (diagnostic.severity == Severity::Error ? error : info) += to_string(diagnostic) + "\n";
  }
  if (!failure.empty()) error += std::string(failure) + "\n";
  fill(info_, info);
  fill(error_, error);
}

}  // namespace warplens::cuda::driver
