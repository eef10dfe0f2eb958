// Device memory: allocations at GPU-like alignment in one reserved range, so that a device pointer is an ordinary
// pointer of this process, addresses repeat from run to run, and every access can be checked against exact bounds.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace warplens::exec {

class TextureObjects;

struct Allocation {
  uint64_t base = 0;
  uint64_t bytes = 0;  // as asked for: bounds are exact
  enum class Kind : uint8_t { Device, Managed, HostPinned, Symbol, Heap } kind = Kind::Device;
};

class DeviceMemory {
 public:
  static constexpr uint64_t kAlignment = 512;  // what an H200's cudaMalloc was seen to return

  explicit DeviceMemory(uint64_t capacity_bytes);  // capacity: what the chosen GPU has; reserved, not touched
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Zero bytes give a null address, as cudaMalloc does. Memory is exhausted at the capacity: Error.
  Result<uint64_t> allocate(uint64_t bytes, Allocation::Kind kind = Allocation::Kind::Device);
  // A kernel's malloc() is an allocation like any other, of kind Heap, up to heap_limit() in all.
  // false: not the base of an allocation, or of the wrong kind: what the heap gave only the heap takes back
  bool free(uint64_t base, bool to_heap = false);
  void adopt(uint64_t base, uint64_t bytes,
             Allocation::Kind kind);  // host memory that kernels may access (registered, module variables)
  void forget(uint64_t base);
  // The allocation that holds [address, address + bytes), if one does. Called on compiled code's slow path;
  // thread-safe.
  std::optional<Allocation> find(uint64_t address, uint64_t bytes = 1) const;
  // "16 bytes past the end of the 4096-byte allocation at 0x7f...": for fault messages.
  std::string describe_nearest(uint64_t address, uint64_t bytes) const;
  uint64_t used() const;
  void set_heap_limit(uint64_t bytes);  // cudaLimitMallocHeapSize
  uint64_t capacity() const { return capacity_; }
  TextureObjects& textures();  // over this memory

 private:
  struct Impl;
  uint64_t capacity_;
  Impl* impl_;
};

}  // namespace warplens::exec
