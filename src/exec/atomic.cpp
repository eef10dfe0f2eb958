// Atomics and reductions: active lanes one after the other, lowest first. Device memory is shared by worker threads, so
// the host's own atomic instructions do each lane's operation; a block's shared memory belongs to one worker.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "exec/worker.h"

namespace warplens::exec {

namespace {

// bfloat16: the upper half of a float, rounded to nearest even.
float from_bf16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }
uint16_t to_bf16(float x) {
  if (x != x) return 0x7fff;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
uint16_t add_f16(uint16_t x, uint16_t y) {
  const float sum = static_cast<float>(std::bit_cast<_Float16>(x)) + static_cast<float>(std::bit_cast<_Float16>(y));
  return sum != sum ? 0x7fff : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
}

// At an mbarrier; lower/mbarrier.cpp says what the bits are.
constexpr uint64_t kArrivals = (1 << 20) - 1;
uint64_t arrive(uint64_t state, uint64_t change) {
  const auto bytes_of = [](uint64_t word) { return static_cast<int64_t>(word << 2) >> 42; };  // bits 40 to 61
  uint64_t phase = state >> 63;
  const uint64_t next = ((state >> 20) - (change >> 20)) & kArrivals;
  uint64_t left = (state - change) & kArrivals;
  const int64_t bytes = bytes_of(state) + (static_cast<int64_t>(change) >> 40);
  if (left == 0 && bytes == 0) phase ^= 1, left = next;
  return phase << 63 | (static_cast<uint64_t>(bytes) & ((1 << 22) - 1)) << 40 | next << 20 | left;
}

template <typename T>
T combine(AtomicOp op, bool is_float, T old, T x, T y) {
  using S = std::make_signed_t<T>;
  if constexpr (sizeof(T) >= 4) {
    using F = std::conditional_t<sizeof(T) == 4, float, double>;
    const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(x);
    if (op == AtomicOp::FAdd || (op == AtomicOp::Add && is_float)) return std::bit_cast<T>(static_cast<F>(a + b));
    if (op == AtomicOp::FMin) return std::bit_cast<T>(std::fmin(a, b));
    if (op == AtomicOp::FMax) return std::bit_cast<T>(std::fmax(a, b));
  }
  if (op == AtomicOp::F16Add || op == AtomicOp::BF16Add) {
    // One element, or two packed in a word: f16 sums are exact in f32 before the one rounding.
    T sum = 0;
    for (size_t k = 0; k < sizeof(T) / 2; ++k) {
      const auto a = static_cast<uint16_t>(old >> 16 * k), b = static_cast<uint16_t>(x >> 16 * k);
      const uint16_t r = op == AtomicOp::F16Add ? add_f16(a, b) : to_bf16(from_bf16(a) + from_bf16(b));
      sum = static_cast<T>(sum | static_cast<T>(r) << 16 * k);
    }
    return sum;
  }
  if constexpr (sizeof(T) == 8) {
    if (op == AtomicOp::Arrive) return arrive(old, x);
  }
  switch (op) {
    case AtomicOp::Add:
      return static_cast<T>(old + x);
    case AtomicOp::MinS:
      return static_cast<S>(old) < static_cast<S>(x) ? old : x;
    case AtomicOp::MaxS:
      return static_cast<S>(old) > static_cast<S>(x) ? old : x;
    case AtomicOp::MinU:
      return old < x ? old : x;
    case AtomicOp::MaxU:
      return old > x ? old : x;
    case AtomicOp::And:
      return old & x;
    case AtomicOp::Or:
      return old | x;
    case AtomicOp::Xor:
      return old ^ x;
    case AtomicOp::Exch:
      return x;
    case AtomicOp::Cas:
      return old == x ? y : old;
    case AtomicOp::Inc:
      return old >= x ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::Dec:
      return old == 0 || old > x ? x : static_cast<T>(old - 1);
    default:
      return old;
  }
}

// The lanes that found what cannot be: more arrivals at an mbarrier than its phase waits for.
template <typename T>
uint32_t run_lanes(const AccessInfo& info, uint32_t mask, uint8_t* const pointers[kWarpSize], uint8_t* values,
                   bool exclusive) {
  uint32_t wrong = 0;
  T operands[kWarpSize], seconds[kWarpSize], old[kWarpSize] = {};
  std::memcpy(operands, values, sizeof operands);
  std::memcpy(seconds, values + sizeof operands, sizeof seconds);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    T* at = reinterpret_cast<T*>(pointers[l]);
    if (exclusive) {
      old[l] = *at;
      if (info.atomic == AtomicOp::Arrive && (old[l] & kArrivals) < (operands[l] & kArrivals)) wrong |= 1u << l;
      *at = combine<T>(info.atomic, info.is_float, old[l], operands[l], seconds[l]);
      continue;
    }
    std::atomic_ref<T> place(*at);
    if (info.atomic == AtomicOp::Add && !info.is_float) {
      old[l] = place.fetch_add(operands[l]);
      continue;
    }
    old[l] = place.load();
    while (
        !place.compare_exchange_weak(old[l], combine<T>(info.atomic, info.is_float, old[l], operands[l], seconds[l]))) {
    }
  }
  std::memcpy(values + 1024, old, sizeof old);
  return wrong;
}

}  // namespace

uint32_t Worker::atomic(uint32_t inst, uint32_t mask, bool count) {
  const AccessInfo& info = tables_.access[inst];
  uint8_t* pointers[kWarpSize];
  if (!resolve(info, mask, count, pointers)) return 1;
  const uint32_t wrong = update(info, mask, pointers);
  if (wrong == 0) return 0;
  Fault f;  // an H200: unspecified launch failure
  f.kind = FaultKind::Trap;
  f.site = info.site;
  f.thread = thread_of(static_cast<uint32_t>(std::countr_zero(wrong)));
  f.message = "more arrivals at an mbarrier than its phase waits for, or one that nobody initialised";
  return record(std::move(f));
}

uint32_t Worker::update(const AccessInfo& info, uint32_t mask, uint8_t* const pointers[kWarpSize]) {
  // An mbarrier lies in shared memory, however its address is written.
  const bool exclusive =
      info.space == AccessSpace::Shared || info.space == AccessSpace::Local || info.atomic == AtomicOp::Arrive;
  switch (info.element_bytes) {
    case 2:
      return run_lanes<uint16_t>(info, mask, pointers, env.values, exclusive);
    case 4:
      return run_lanes<uint32_t>(info, mask, pointers, env.values, exclusive);
    default:
      return run_lanes<uint64_t>(info, mask, pointers, env.values, exclusive);
  }
}

}  // namespace warplens::exec
