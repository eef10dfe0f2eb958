// Device memory is one reserved range of this process's address space, so that kernels use device pointers as they are.
//
// Layout: allocations are placed first-fit in address order, which makes addresses a function of the sequence of calls.
// Each starts at a multiple of 512 bytes (2 MiB for those over 1 MiB, as cudaMalloc does on an H200) and is
// followed by at least kGap bytes that belong to nobody: an access just past one allocation never lands in the next.
// Pages up to the high-water mark are readable and writable; what is beyond faults. A freed allocation's whole pages go
// back to the system, so resident memory follows what the program holds.
#include "exec/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <shared_mutex>

#include "exec/texture.h"

namespace warplens::exec {
namespace {

constexpr uint64_t kGap = 512;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kLarge = 1 << 20;
constexpr uint64_t kLargeAlignment = 2 << 20;
constexpr uint64_t kNullWindow = 64 << 10;  // accesses to members and small indices of a null pointer
constexpr uint64_t kFar = uint64_t{1} << 30;
constexpr uint64_t kGrowth = 2 << 20;
// Far from where Linux puts programs, libraries, heaps and stacks, so that it is nearly always free.
#ifdef __SANITIZE_THREAD__
constexpr uint64_t kPreferredBase = 0x1000000000;  // ThreadSanitizer keeps its own memory at the other
#else
constexpr uint64_t kPreferredBase = 0x200000000000;
#endif

constexpr uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
constexpr uint64_t round_down(uint64_t value, uint64_t to) { return value / to * to; }

uint64_t alignment_of(uint64_t bytes, Allocation::Kind kind) {
  if (bytes > kLarge) return kLargeAlignment;
  return kind == Allocation::Kind::HostPinned ? kPage : DeviceMemory::kAlignment;
}

// Reserves up to `bytes` (fewer where the address space is limited, `bytes` is updated); 0 if nothing can be had.
uint64_t reserve(uint64_t& bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (; bytes >= kLargeAlignment; bytes = round_down(bytes / 2, kLargeAlignment)) {
    void* at = mmap(reinterpret_cast<void*>(kPreferredBase), bytes, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) at = mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
    if (at != MAP_FAILED) return reinterpret_cast<uint64_t>(at);
  }
  return 0;
}

}  // namespace

struct DeviceMemory::Impl {
  mutable std::shared_mutex mutex;
  uint64_t base = 0, bytes = 0;  // the reservation
  uint64_t writable = 0;         // bytes from base that are readable and writable
  uint64_t used = 0;             // of the GPU's capacity
  uint64_t heap_used = 0, heap_limit = 8 << 20;
  std::map<uint64_t, Allocation> allocations;  // by base: ours and adopted ones
  std::map<uint64_t, Allocation> freed;        // of late, where nothing else lies since
  std::map<uint64_t, uint64_t> holes;          // start -> end of free ranges below `top`
  TextureObjects textures;
  uint64_t top = 0;  // everything from here on was never given out

  bool ours(uint64_t address) const { return address >= base && address < base + bytes; }
  uint64_t place(uint64_t size, uint64_t alignment);
  bool make_writable(uint64_t end);
  void give_back(uint64_t start, uint64_t end);
  void remember(const Allocation& gone);
  void reuse(uint64_t start, uint64_t end);
};

// For fault messages alone.
void DeviceMemory::Impl::remember(const Allocation& gone) {
  constexpr size_t kMost = 4096;
  if (freed.size() == kMost) freed.erase(freed.begin());
  freed.emplace(gone.base, gone);
}

void DeviceMemory::Impl::reuse(uint64_t start, uint64_t end) {
  auto at = freed.lower_bound(start);
  if (at != freed.begin() && std::prev(at)->first + std::prev(at)->second.bytes > start) --at;
  while (at != freed.end() && at->first < end) at = freed.erase(at);
}

// First fit: the lowest hole that takes `size` bytes at this alignment, else fresh space; 0 when the range is full.
uint64_t DeviceMemory::Impl::place(uint64_t size, uint64_t alignment) {
  for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
    auto [start, end] = *hole;
    uint64_t at = round_up(start, alignment);
    if (at + size > end) continue;
    holes.erase(hole);
    if (at > start) holes.emplace(start, at);
    if (at + size < end) holes.emplace(at + size, end);
    return at;
  }
  uint64_t at = round_up(top, alignment);
  if (at + size > base + bytes) return 0;
  if (at > top) holes.emplace(top, at);
  top = at + size;
  return at;
}

bool DeviceMemory::Impl::make_writable(uint64_t end) {
  if (end <= base + writable) return true;
  uint64_t wanted = std::min(round_up(end - base, kGrowth), bytes);
  void* from = reinterpret_cast<void*>(base + writable);
  if (mprotect(from, wanted - writable, PROT_READ | PROT_WRITE) != 0) return false;
  writable = wanted;
  return true;
}

void DeviceMemory::Impl::give_back(uint64_t start, uint64_t end) {
  auto next = holes.lower_bound(start);
  if (next != holes.end() && next->first == end) {
    end = next->second;
    next = holes.erase(next);
  }
  if (next != holes.begin()) {
    auto before = std::prev(next);
    if (before->second == start) {
      start = before->first;
      holes.erase(before);
    }
  }
  if (end == top) {
    top = start;
  } else {
    holes.emplace(start, end);
  }
}

DeviceMemory::DeviceMemory(uint64_t capacity_bytes) : capacity_(capacity_bytes), impl_(new Impl) {
  // Twice the capacity, because alignment and holes cost addresses but no memory.
  impl_->bytes = round_up(2 * capacity_bytes, kLargeAlignment) + (uint64_t{1} << 30);
  impl_->base = reserve(impl_->bytes);
  impl_->top = round_up(impl_->base, kLargeAlignment);
}

DeviceMemory::~DeviceMemory() {
  if (impl_->base) munmap(reinterpret_cast<void*>(impl_->base), impl_->bytes);
  delete impl_;
}

Result<uint64_t> DeviceMemory::allocate(uint64_t bytes, Allocation::Kind kind) {
  if (bytes == 0) return uint64_t{0};
  std::unique_lock lock(impl_->mutex);
  bool counts = kind != Allocation::Kind::HostPinned;  // pinned host memory is the host's
  const bool heap = kind == Allocation::Kind::Heap;
  if (heap && bytes > impl_->heap_limit - std::min(impl_->heap_limit, impl_->heap_used))
    return Error{fmt::format("{} bytes do not fit the heap of {} bytes", bytes, impl_->heap_limit),
                 "raise cudaLimitMallocHeapSize"};
  uint64_t available = counts ? capacity_ - std::min(capacity_, impl_->used) : impl_->bytes;
  if (bytes > available) {
    return Error{
        fmt::format("{} bytes do not fit: the GPU has {} bytes and {} are in use", bytes, capacity_, impl_->used),
        "free memory, or choose a GPU with more"};
  }
  uint64_t size = round_up(bytes, kAlignment) + kGap;
  uint64_t at = impl_->base ? impl_->place(size, alignment_of(bytes, kind)) : 0;
  if (!at) return Error{fmt::format("no address range is left for {} bytes", bytes), "raise the limit of `ulimit -v`"};
  if (!impl_->make_writable(at + size)) {
    impl_->give_back(at, at + size);
    return Error{fmt::format("the system gave no memory for {} bytes", bytes), ""};
  }
  if (bytes >= kLarge) madvise(reinterpret_cast<void*>(at), round_up(bytes, kPage), MADV_HUGEPAGE);
  if (counts) impl_->used += bytes;
  if (heap) impl_->heap_used += bytes;
  impl_->allocations.emplace(at, Allocation{at, bytes, kind});
  impl_->reuse(at, at + size);
  return at;
}

bool DeviceMemory::free(uint64_t base, bool to_heap) {
  std::unique_lock lock(impl_->mutex);
  auto found = impl_->allocations.find(base);
  if (found == impl_->allocations.end() || !impl_->ours(base)) return false;
  Allocation allocation = found->second;
  if ((allocation.kind == Allocation::Kind::Heap) != to_heap) return false;
  if (to_heap) impl_->heap_used -= allocation.bytes;
  impl_->allocations.erase(found);
  impl_->remember(allocation);
  if (allocation.kind != Allocation::Kind::HostPinned) impl_->used -= allocation.bytes;
  impl_->give_back(base, base + round_up(allocation.bytes, kAlignment) + kGap);
  // Whole pages only: the first and the last may be shared with a neighbour.
  uint64_t from = round_up(base, kPage), to = round_down(base + allocation.bytes, kPage);
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  return true;
}

void DeviceMemory::adopt(uint64_t base, uint64_t bytes, Allocation::Kind kind) {
  std::unique_lock lock(impl_->mutex);
  impl_->allocations[base] = Allocation{base, bytes, kind};
}

void DeviceMemory::forget(uint64_t base) {
  std::unique_lock lock(impl_->mutex);
  if (!impl_->ours(base)) impl_->allocations.erase(base);
}

std::optional<Allocation> DeviceMemory::find(uint64_t address, uint64_t bytes) const {
  std::shared_lock lock(impl_->mutex);
  auto after = impl_->allocations.upper_bound(address);
  if (after == impl_->allocations.begin()) return std::nullopt;
  const Allocation& a = std::prev(after)->second;
  uint64_t offset = address - a.base;
  if (offset >= a.bytes || bytes > a.bytes - offset) return std::nullopt;
  return a;
}

namespace {

// Something is mapped there.
bool is_hosts(uint64_t address) {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(round_down(address, kPage)), 1, &resident) == 0;
}

}  // namespace

std::string DeviceMemory::describe_nearest(uint64_t address, uint64_t bytes) const {
  std::shared_lock lock(impl_->mutex);
  if (address < kNullWindow) return fmt::format("{} bytes from the null pointer", address);
  if (auto gone = impl_->freed.upper_bound(address); gone != impl_->freed.begin()) {
    const Allocation& a = std::prev(gone)->second;
    if (address - a.base < a.bytes)
      return fmt::format("{} bytes into the {}-byte allocation at {:#x}, which was freed", address - a.base, a.bytes,
                         a.base);
  }
  if (impl_->allocations.empty()) return "no memory is allocated";
  auto after = impl_->allocations.upper_bound(address);
  const Allocation* below = after == impl_->allocations.begin() ? nullptr : &std::prev(after)->second;
  const Allocation* above = after == impl_->allocations.end() ? nullptr : &after->second;
  auto named = [](const Allocation& a) { return fmt::format("the {}-byte allocation at {:#x}", a.bytes, a.base); };
  if (below && address - below->base < below->bytes) {
    uint64_t past = bytes - (below->bytes - (address - below->base));
    return fmt::format("the last {} of {} bytes are past the end of {}", past, bytes, named(*below));
  }
  uint64_t past = below ? address - below->base - below->bytes : ~uint64_t{0};
  uint64_t before = above ? above->base - address : ~uint64_t{0};
  if (std::min(past, before) > kFar)
    return is_hosts(address)
               ? "memory of the host that was not allocated for kernels (cudaMallocManaged, cudaMallocHost)"
               : "far from every allocation";
  if (past == 0) return "right after the end of " + named(*below);
  if (past <= before) return fmt::format("{} bytes past the end of {}", past, named(*below));
  return fmt::format("{} bytes before {}", before, named(*above));
}

TextureObjects& DeviceMemory::textures() { return impl_->textures; }

void DeviceMemory::set_heap_limit(uint64_t bytes) {
  std::unique_lock lock(impl_->mutex);
  impl_->heap_limit = bytes;
}

uint64_t DeviceMemory::used() const {
  std::shared_lock lock(impl_->mutex);
  return impl_->used;
}

}  // namespace warplens::exec
