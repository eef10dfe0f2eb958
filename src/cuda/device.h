#pragma once
#include <array>
#include <cstddef>
#include <optional>

#include "model/gpu_spec.h"

namespace warplens::cuda {

// cudaDeviceAttr `number` of the GPU; nullopt: there is no such attribute. All devices are alike but for their PCI bus.
std::optional<int> attribute(const model::GpuSpec& gpu, int number, int device = 0);

// Writes cudaDeviceProp as CUDA `release` (11, 12 or 13) lays it out; returns its size in bytes. A null `out` only
// asks.
size_t write_properties(const model::GpuSpec& gpu, int release, void* out, int device = 0);

// 16 bytes that are the same for every run on this model.
std::array<char, 16> uuid_of(const model::GpuSpec& gpu, int device = 0);

}  // namespace warplens::cuda
