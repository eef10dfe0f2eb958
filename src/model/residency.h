// How many blocks of a launch an SM holds at once, and how it splits its memory for them. Rule, source: residency.cpp.
#pragma once
#include <cstdint>

#include "model/gpu_spec.h"

namespace warplens::model {

struct BlockNeeds {
  uint32_t threads = 1;
  uint32_t shared_bytes = 0;  // static and dynamic
  uint32_t registers = 0;     // of a thread; 0: not known, and taken for few enough
};
struct Residency {
  uint32_t blocks = 1;           // of an SM, at least one
  uint32_t shared_carveout = 0;  // bytes
};
Residency residency(const GpuSpec& gpu, const BlockNeeds& needs);

}  // namespace warplens::model
