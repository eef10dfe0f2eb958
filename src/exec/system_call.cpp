// printf, malloc and free of kernels, and bulk copies: lane by lane, lowest first.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <functional>

#include "exec/worker.h"

namespace warplens::exec {

namespace {

// The packed arguments: each aligned to its own size, as a C struct would have them.
class Packed : public PrintfArguments {
 public:
  using TextAt = std::function<std::optional<std::string>(uint64_t address)>;
  Packed(const uint8_t* from, uint64_t bytes, TextAt text_at)
      : from_(from), bytes_(bytes), text_at_(std::move(text_at)) {}

  uint64_t next(unsigned size) override {
    at_ = (at_ + size - 1) / size * size;
    uint64_t value = 0;
    if (at_ + size <= bytes_) std::memcpy(&value, from_ + at_, size);
    at_ += size;
    return value;
  }
  std::string text(uint64_t address) override {
    auto text = text_at_(address);
    if (!text) bad = bad ? bad : address;
    return text.value_or("");
  }

  uint64_t bad = 0;  // the address of a string that cannot be read

 private:
  const uint8_t* from_;
  uint64_t bytes_, at_ = 0;
  TextAt text_at_;
};

}  // namespace

uint64_t Worker::readable(uint64_t address) const {
  const auto inside = [&](uint64_t base, uint64_t bytes) -> uint64_t {
    return address - base < bytes ? bytes - (address - base) : 0;
  };
  const uint64_t threads = uint64_t{warps()} * kWarpSize;
  if (uint64_t n = inside(reinterpret_cast<uint64_t>(env.shared), env.shared_bytes)) return n;
  if (uint64_t n = inside(reinterpret_cast<uint64_t>(env.local), threads * tables_.local_bytes)) return n;
  if (uint64_t n = inside(reinterpret_cast<uint64_t>(env.params), param_bytes_)) return n;
  const auto allocation = memory_->find(address);
  return allocation ? inside(allocation->base, allocation->bytes) : 0;
}

std::optional<std::string> Worker::text_at(uint64_t address) const {
  const uint64_t bytes = readable(address);
  const char* from = reinterpret_cast<const char*>(address);
  const void* end = bytes ? std::memchr(from, 0, bytes) : nullptr;
  if (!end) return std::nullopt;
  return std::string(from, static_cast<const char*>(end));
}

uint32_t Worker::fail_call(FaultKind kind, uint32_t location, uint32_t lane, std::string message) {
  Fault f;
  f.kind = kind;
  f.location = location;
  f.thread = thread_of(lane);
  f.message = std::move(message);
  return record(std::move(f));
}

// What printf gives back: the number of arguments, -1 for a null format (CUDA C++ Programming Guide, "Formatted
// Output").
uint32_t Worker::print(uint32_t location, uint32_t mask) {
  uint64_t formats[kWarpSize], arguments[kWarpSize];
  std::memcpy(formats, env.values, sizeof formats);
  std::memcpy(arguments, env.values + sizeof formats, sizeof arguments);
  int32_t results[kWarpSize] = {};
  const uint64_t block = (uint64_t{env.block[2]} * env.grid[1] + env.block[1]) * env.grid[0] + env.block[0];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(rest));
    results[l] = -1;
    if (!formats[l]) continue;
    const auto format = text_at(formats[l]);
    if (!format)
      return fail_call(FaultKind::OutOfBounds, location, l,
                       fmt::format("printf's format at {:#x} cannot be read", formats[l]));
    Packed packed(reinterpret_cast<const uint8_t*>(arguments[l]), readable(arguments[l]),
                  [this](uint64_t at) { return text_at(at); });
    unsigned taken = 0;
    const std::string text = format_printf(*format, packed, &taken);
    if (packed.bad)
      return fail_call(FaultKind::OutOfBounds, location, l,
                       fmt::format("printf's string at {:#x} cannot be read", packed.bad));
    printed.add(block, text);
    results[l] = static_cast<int32_t>(taken);
  }
  std::memcpy(env.values + 1024, results, sizeof results);
  return 0;
}

// cp.async.bulk: addresses and sizes are multiples of 16.
uint32_t Worker::copy(uint32_t location, uint32_t mask) {
  uint64_t to[kWarpSize], from[kWarpSize], bytes[kWarpSize];
  std::memcpy(to, env.values, sizeof to);
  std::memcpy(from, env.values + sizeof to, sizeof from);
  std::memcpy(bytes, env.values + 2 * sizeof to, sizeof bytes);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(rest));
    if ((to[l] | from[l] | bytes[l]) % 16 != 0)
      return fail_call(FaultKind::Misaligned, location, l,
                       fmt::format("{} bytes from {:#x} to {:#x}: not all multiples of 16", bytes[l], from[l], to[l]));
    for (const uint64_t at : {from[l], to[l]})
      if (bytes[l] > readable(at))
        return fail_call(FaultKind::OutOfBounds, location, l,
                         fmt::format("{} bytes at {:#x} are more than is there", bytes[l], at));
    if (bytes[l] != 0) std::memmove(reinterpret_cast<void*>(to[l]), reinterpret_cast<void*>(from[l]), bytes[l]);
  }
  return 0;
}

uint32_t Worker::count_copy(uint32_t site, uint32_t mask) {
  uint64_t reads[kWarpSize];
  event::Copy copy{site, mask, 0, {}, {}};
  std::memcpy(copy.shared, env.values, sizeof copy.shared);
  std::memcpy(copy.global, env.values + sizeof copy.shared, sizeof copy.global);
  std::memcpy(reads, env.values + 2 * sizeof copy.shared, sizeof reads);
  for (uint32_t l = 0; l < kWarpSize; ++l) copy.reads |= uint32_t{reads[l] != 0} << l;
  if (sink_ && mask != 0) sink_->copy(copy);
  return 0;
}

uint32_t Worker::system_call(uint32_t call, uint32_t location, uint32_t mask) {
  const auto which = static_cast<SystemCall>(call);
  if (which == SystemCall::Printf) return print(location, mask);
  if (which == SystemCall::Copy) return copy(location, mask);
  if (which == SystemCall::CountCopy) return count_copy(location, mask);
  uint64_t values[kWarpSize], results[kWarpSize] = {};
  std::memcpy(values, env.values, sizeof values);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(rest));
    if (which == SystemCall::Malloc) {
      if (auto given = memory_->allocate(values[l], Allocation::Kind::Heap)) results[l] = *given;
    } else if (values[l] && !memory_->free(values[l], true)) {
      return fail_call(
          FaultKind::Trap, location, l,
          fmt::format("free() of {:#x}, which malloc() did not give or which was freed before", values[l]));
    }
  }
  std::memcpy(env.values + 1024, results, sizeof results);
  return 0;
}

}  // namespace warplens::exec
