// How many blocks of a launch an SM holds at once, and how it splits its memory for them. Rule, source: residency.cpp.
#pragma once
#include <cstdint>

#include "model/gpu_spec.h"
#include "model/occupancy.h"

namespace warplens::model {

struct Residency {
  uint32_t blocks = 1;           // of an SM, at least one
  uint32_t shared_carveout = 0;  // bytes
};
Residency residency(const GpuSpec& gpu, const BlockNeeds& needs);

}  // namespace warplens::model
