// Atomics and reductions: active lanes one after the other, lowest first. Device memory is shared by worker threads, so
// the host's own atomic instructions do each lane's operation; a block's shared memory belongs to one worker.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/check.h"
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

// What one lane leaves in memory.
template <AtomicOp kOp, typename T>
T combine(T old, T x, T y) {
  using S = std::make_signed_t<T>;
  if constexpr (kOp == AtomicOp::F16Add || kOp == AtomicOp::BF16Add) {
    // One element, or two packed in a word: f16 sums are exact in f32 before the one rounding.
    T sum = 0;
    for (size_t k = 0; k < sizeof(T) / 2; ++k) {
      const auto a = static_cast<uint16_t>(old >> 16 * k), b = static_cast<uint16_t>(x >> 16 * k);
      const uint16_t r = kOp == AtomicOp::F16Add ? add_f16(a, b) : to_bf16(from_bf16(a) + from_bf16(b));
      sum = static_cast<T>(sum | static_cast<T>(r) << 16 * k);
    }
    return sum;
  } else if constexpr (kOp == AtomicOp::FAdd || kOp == AtomicOp::FMin || kOp == AtomicOp::FMax) {
    static_assert(sizeof(T) >= 4);
    using F = std::conditional_t<sizeof(T) == 4, float, double>;
    const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(x);
    if constexpr (kOp == AtomicOp::FMin) return std::bit_cast<T>(std::fmin(a, b));
    if constexpr (kOp == AtomicOp::FMax) return std::bit_cast<T>(std::fmax(a, b));
    return std::bit_cast<T>(static_cast<F>(a + b));
  } else if constexpr (kOp == AtomicOp::Arrive) {
    return arrive(old, x);
  } else if constexpr (kOp == AtomicOp::Add) {
    return static_cast<T>(old + x);
  } else if constexpr (kOp == AtomicOp::MinS) {
    return static_cast<S>(old) < static_cast<S>(x) ? old : x;
  } else if constexpr (kOp == AtomicOp::MaxS) {
    return static_cast<S>(old) > static_cast<S>(x) ? old : x;
  } else if constexpr (kOp == AtomicOp::MinU) {
    return old < x ? old : x;
  } else if constexpr (kOp == AtomicOp::MaxU) {
    return old > x ? old : x;
  } else if constexpr (kOp == AtomicOp::And) {
    return old & x;
  } else if constexpr (kOp == AtomicOp::Or) {
    return old | x;
  } else if constexpr (kOp == AtomicOp::Xor) {
    return old ^ x;
  } else if constexpr (kOp == AtomicOp::Exch) {
    return x;
  } else if constexpr (kOp == AtomicOp::Cas) {
    return old == x ? y : old;
  } else if constexpr (kOp == AtomicOp::Inc) {
    return old >= x ? T{0} : static_cast<T>(old + 1);
  } else {
    static_assert(kOp == AtomicOp::Dec);
    return old == 0 || old > x ? x : static_cast<T>(old - 1);
  }
}

// `exclusive`: nobody else works on this memory. Gives the lanes that found what cannot be: more arrivals at an
// mbarrier than its phase waits for.
template <AtomicOp kOp, typename T>
uint32_t run_lanes(uint32_t mask, uint8_t* const pointers[kWarpSize], uint8_t* values, bool exclusive) {
  uint32_t wrong = 0;
  T operands[kWarpSize], seconds[kWarpSize], old[kWarpSize] = {};
  std::memcpy(operands, values, sizeof operands);
  if constexpr (kOp == AtomicOp::Cas) std::memcpy(seconds, values + sizeof operands, sizeof seconds);
  const auto left_by = [&](uint32_t l) {
    return combine<kOp>(old[l], operands[l], kOp == AtomicOp::Cas ? seconds[l] : T{0});
  };
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    T* at = reinterpret_cast<T*>(pointers[l]);
    if (exclusive) {
      old[l] = *at;
      if (kOp == AtomicOp::Arrive && (old[l] & kArrivals) < (operands[l] & kArrivals)) wrong |= 1u << l;
      *at = left_by(l);
      continue;
    }
    std::atomic_ref<T> place(*at);
    if constexpr (kOp == AtomicOp::Add) {
      old[l] = place.fetch_add(operands[l]);
      continue;
    }
    old[l] = place.load();
    while (!place.compare_exchange_weak(old[l], left_by(l))) {
    }
  }
  std::memcpy(values + 1024, old, sizeof old);
  return wrong;
}

// The operations that there are for a type of T's size.
template <typename T>
uint32_t run_lanes(AtomicOp op, uint32_t mask, uint8_t* const pointers[kWarpSize], uint8_t* values, bool exclusive) {
#define WL_CASE(name)  \
  case AtomicOp::name: \
    return run_lanes<AtomicOp::name, T>(mask, pointers, values, exclusive)
  switch (op) {
    WL_CASE(Add);
    WL_CASE(MinS);
    WL_CASE(MinU);
    WL_CASE(MaxS);
    WL_CASE(MaxU);
    WL_CASE(And);
    WL_CASE(Or);
    WL_CASE(Xor);
    WL_CASE(Exch);
    WL_CASE(Cas);
    WL_CASE(Inc);
    WL_CASE(Dec);
    WL_CASE(F16Add);
    WL_CASE(BF16Add);
    default:
      break;
  }
  if constexpr (sizeof(T) >= 4) switch (op) {
      WL_CASE(FAdd);
      WL_CASE(FMin);
      WL_CASE(FMax);
      default:
        break;
    }
  if constexpr (sizeof(T) == 8) switch (op) {
      WL_CASE(Arrive);
      default:
        break;
    }
#undef WL_CASE
  WL_CHECK(false, "an atomic operation of a size that lowering does not make");
  return 0;
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
      return run_lanes<uint16_t>(info.atomic, mask, pointers, env.values, exclusive);
    case 4:
      return run_lanes<uint32_t>(info.atomic, mask, pointers, env.values, exclusive);
    default:
      return run_lanes<uint64_t>(info.atomic, mask, pointers, env.values, exclusive);
  }
}

}  // namespace warplens::exec
