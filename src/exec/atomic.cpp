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
float from_f16(uint16_t x) { return static_cast<float>(std::bit_cast<_Float16>(x)); }
uint16_t to_f16(float x) { return x != x ? 0x7fff : std::bit_cast<uint16_t>(static_cast<_Float16>(x)); }

// Of two numbers the lesser, of which -0 is less than 0; a number if the other is none.
float lesser(float a, float b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
float greater(float a, float b) { return -lesser(-a, -b); }

// Sums of an H200's units for global memory: of single precision without subnormals; of double precision a NaN stays as
// it is, the operand's before that in memory (tests/nosdk/programs/vector_atomics.cu). In shared memory code adds.
float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
uint32_t add_in_global(uint32_t old, uint32_t x) {
  const float sum = flush(std::bit_cast<float>(old)) + flush(std::bit_cast<float>(x));
  return sum != sum ? 0x7fffffff : std::bit_cast<uint32_t>(flush(sum));
}
uint64_t add_in_global(uint64_t old, uint64_t x) {
  const auto a = std::bit_cast<double>(old), b = std::bit_cast<double>(x);
  return b != b ? x : a != a ? old : std::bit_cast<uint64_t>(a + b);
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

constexpr bool is_half(AtomicOp op) { return op >= AtomicOp::F16Add && op <= AtomicOp::BF16Max; }

// What one lane leaves in memory.
template <AtomicOp kOp, typename T>
T combine(T old, T x, T y) {
  using S = std::make_signed_t<T>;
  if constexpr (is_half(kOp)) {
    // One element, or two packed in a word: f16 sums are exact in f32 before the one rounding.
    constexpr bool kBrain = kOp == AtomicOp::BF16Add || kOp == AtomicOp::BF16Min || kOp == AtomicOp::BF16Max;
    T all = 0;
    for (size_t k = 0; k < sizeof(T) / 2; ++k) {
      const auto from = [&](T word) {
        const auto bits = static_cast<uint16_t>(word >> 16 * k);
        return kBrain ? from_bf16(bits) : from_f16(bits);
      };
      const float a = from(old), b = from(x);
      const float r = kOp == AtomicOp::F16Add || kOp == AtomicOp::BF16Add   ? a + b
                      : kOp == AtomicOp::F16Min || kOp == AtomicOp::BF16Min ? lesser(a, b)
                                                                            : greater(a, b);
      all = static_cast<T>(all | static_cast<T>(kBrain ? to_bf16(r) : to_f16(r)) << 16 * k);
    }
    return all;
  } else if constexpr (kOp == AtomicOp::FAdd || kOp == AtomicOp::FMin || kOp == AtomicOp::FMax) {
    static_assert(sizeof(T) >= 4);
    using F = std::conditional_t<sizeof(T) == 4, float, double>;
    const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(x);
    if constexpr (kOp == AtomicOp::FMin) return std::bit_cast<T>(std::fmin(a, b));
    if constexpr (kOp == AtomicOp::FMax) return std::bit_cast<T>(std::fmax(a, b));
    const F sum = a + b;
    if (sum == sum) return std::bit_cast<T>(sum);
    if constexpr (sizeof(T) == 4) {
      return 0x7fffffff;
    } else {
      constexpr T kQuiet = T{1} << 51, kNew = T{0x1fff} << 51;  // of two NaNs that in memory stays
      return a != a ? old | kQuiet : b != b ? x | kQuiet : kNew;
    }
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

// How a request's lanes reach memory.
struct Place {
  uint8_t* const* pointers;
  uint8_t* shared;  // the block's
  uint64_t shared_bytes;
  bool exclusive;  // nobody else works on this memory

  bool is_global(uint32_t lane) const { return static_cast<uint64_t>(pointers[lane] - shared) >= shared_bytes; }
};

// One component of a request: what comes in lies at `operands` (and what Cas compares after it), what was in memory
// goes to `out`. Gives the lanes that found what cannot be: more arrivals at an mbarrier than its phase waits for.
template <AtomicOp kOp, typename T>
uint32_t run_lanes(const Place& place, uint32_t component, uint32_t mask, const uint8_t* operands, uint8_t* out) {
  uint32_t wrong = 0;
  T values[kWarpSize], seconds[kWarpSize], old[kWarpSize] = {};
  std::memcpy(values, operands, sizeof values);
  if constexpr (kOp == AtomicOp::Cas) std::memcpy(seconds, operands + sizeof values, sizeof seconds);
  const auto left_by = [&](uint32_t l) {
    if constexpr (kOp == AtomicOp::FAdd)
      if (place.is_global(l)) return add_in_global(old[l], values[l]);
    return combine<kOp>(old[l], values[l], kOp == AtomicOp::Cas ? seconds[l] : T{0});
  };
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    T* at = reinterpret_cast<T*>(place.pointers[l]) + component;
    if (place.exclusive) {
      old[l] = *at;
      if (kOp == AtomicOp::Arrive && (old[l] & kArrivals) < (values[l] & kArrivals)) wrong |= 1u << l;
      *at = left_by(l);
      continue;
    }
    std::atomic_ref<T> word(*at);
    if constexpr (kOp == AtomicOp::Add) {
      old[l] = word.fetch_add(values[l]);
      continue;
    }
    old[l] = word.load();
    while (!word.compare_exchange_weak(old[l], left_by(l))) {
    }
  }
  std::memcpy(out, old, sizeof old);
  return wrong;
}

// The operations that there are for a type of T's size. Components are each an operation of their own.
template <typename T>
uint32_t run_lanes(const AccessInfo& info, uint32_t mask, const Place& place, uint8_t* values) {
  using Run = uint32_t (*)(const Place&, uint32_t, uint32_t, const uint8_t*, uint8_t*);
  Run run = nullptr;
#define WL_CASE(name)                   \
  case AtomicOp::name:                  \
    run = run_lanes<AtomicOp::name, T>; \
    break
  switch (info.atomic) {
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
    default:
      break;
  }
  if constexpr (sizeof(T) <= 4) switch (info.atomic) {
      WL_CASE(F16Add);
      WL_CASE(BF16Add);
      WL_CASE(F16Min);
      WL_CASE(F16Max);
      WL_CASE(BF16Min);
      WL_CASE(BF16Max);
      default:
        break;
    }
  if constexpr (sizeof(T) >= 4) switch (info.atomic) {
      WL_CASE(FAdd);
      WL_CASE(FMin);
      WL_CASE(FMax);
      default:
        break;
    }
  if constexpr (sizeof(T) == 8) switch (info.atomic) {
      WL_CASE(Arrive);
      default:
        break;
    }
#undef WL_CASE
  WL_CHECK(run, "an atomic operation of a size that lowering does not make");
  uint32_t wrong = 0;
  for (uint32_t k = 0; k < info.components; ++k) {
    const size_t at = k * kWarpSize * sizeof(T);
    wrong |= run(place, k, mask, values + at, values + 1024 + at);
  }
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
  const Place place{pointers, env.shared, env.shared_bytes, exclusive};
  switch (info.element_bytes) {
    case 2:
      return run_lanes<uint16_t>(info, mask, place, env.values);
    case 4:
      return run_lanes<uint32_t>(info, mask, place, env.values);
    default:
      return run_lanes<uint64_t>(info, mask, place, env.values);
  }
}

}  // namespace warplens::exec
