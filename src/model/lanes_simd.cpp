// The questions of lanes.h for processors with wide vectors, chosen at run time.
//
// Two addresses lie in the same aligned block of 2^n bytes exactly if their xor is below 2^n. So the smallest xor of a
// lane with any lane before it answers at once whether its address, its word, its sector and its line were seen before;
// all lanes are compared with all earlier ones, 8 at a time, without a branch. Addresses in ascending or descending
// order, which most requests have, need to be compared with their neighbour only.
//
// Written with the compiler's vector types, so that another processor needs only another line in the dispatch at the
// end; count_close() alone, which data-dependent code calls for every request, has intrinsics. Offsets stay below 2^30,
// which leaves room for a sentinel that is far from all of them.
#include <algorithm>
#include <cstring>

#include "model/lanes.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Vectors are passed between functions that are always inlined: their ABI never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace warplens::model {
namespace {

#define WL_INLINE __attribute__((always_inline)) inline

typedef int32_t I32 __attribute__((vector_size(32)));
typedef uint64_t U64 __attribute__((vector_size(32)));
typedef int32_t I32x4 __attribute__((vector_size(16)));
typedef uint64_t U64x2 __attribute__((vector_size(16)));

constexpr int32_t kFar = 1 << 30;  // its xor with any offset is at least 2^30
constexpr int kBlock = 8;          // lanes of a vector
constexpr int kBlocks = 32 / kBlock;

template <typename V>
WL_INLINE V load(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

WL_INLINE bool any(const U64& v) {
  const U64x2 x = __builtin_shufflevector(v, v, 0, 1) | __builtin_shufflevector(v, v, 2, 3);
  return (x[0] | x[1]) != 0;
}
WL_INLINE bool any(const I32& v) { return any(U64(v)); }

// Sum of the elements; as each bit is set in one element at most, also their union.
WL_INLINE uint32_t sum(const I32& v) {
  const I32x4 x = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const I32x4 y = x + __builtin_shufflevector(x, x, 2, 3, 0, 1);
  return uint32_t(y[0] + y[1]);
}

// Four counters in the bytes of each element (none exceeds 32), and for words also which lanes they were.
struct Tally {
  I32 counts{}, first_word{};
  WL_INLINE void add(const I32& nearest, int block) {
    const I32 lane_bit = I32{1, 2, 4, 8, 16, 32, 64, 128} << (block * kBlock);
    counts +=
        ((nearest != 0) & 1) | ((nearest >= 4) & 1 << 8) | ((nearest >= 32) & 1 << 16) | ((nearest >= 128) & 1 << 24);
    first_word |= (nearest >= 4) & lane_bit;
  }
  WL_INLINE LaneCounts total() const {
    const uint32_t packed = sum(counts);
    LaneCounts out;
    out.addresses = packed & 0xff;
    out.words = packed >> 8 & 0xff;
    out.sectors = packed >> 16 & 0xff;
    out.lines = packed >> 24;
    out.first_word = sum(first_word);
    return out;
  }
};

// Block against every distance that reaches an earlier lane; `padded`: 32 sentinels, then the 32 offsets.
template <int kIndex>
WL_INLINE void compare_all(const int32_t* padded, Tally& tally) {
  if constexpr (kIndex < kBlocks) {
    const int32_t* self = padded + 32 + kIndex * kBlock;
    const I32 mine = load<I32>(self);
    I32 nearest = mine ^ load<I32>(self - 1), other = nearest;
#pragma GCC unroll 32
    for (int k = 2; k < (kIndex + 1) * kBlock; k += 2) {
      const I32 a = mine ^ load<I32>(self - k), b = mine ^ load<I32>(self - k - 1);
      nearest = a < nearest ? a : nearest;
      other = b < other ? b : other;
    }
    nearest = other < nearest ? other : nearest;
    tally.add(nearest, kIndex);
    compare_all<kIndex + 1>(padded, tally);
  }
}

WL_INLINE LaneCounts count_body(const Lanes& lanes) {
  I32 up{}, down{}, xors[kBlocks];
  I32 previous = load<I32>(lanes.offset);
  previous = __builtin_shufflevector(previous, previous, 0, 0, 0, 0, 0, 0, 0, 0);
#pragma GCC unroll 4
  for (int block = 0; block < kBlocks; ++block) {
    const I32 mine = load<I32>(lanes.offset + block * kBlock);
    const I32 before = __builtin_shufflevector(previous, mine, 7, 8, 9, 10, 11, 12, 13, 14);
    up |= mine > before;
    down |= mine < before;
    xors[block] = mine ^ before;
    previous = mine;
  }
  Tally tally;
  if (any(up) && any(down)) {
    alignas(64) int32_t padded[64];
    std::fill_n(padded, 32, kFar);
    std::memcpy(padded + 32, lanes.offset, sizeof lanes.offset);
    compare_all<0>(padded, tally);
    return tally.total();
  }
#pragma GCC unroll 4
  for (int block = 0; block < kBlocks; ++block) tally.add(xors[block], block);
  LaneCounts out = tally.total();  // lane 0 was its own neighbour
  ++out.addresses, ++out.words, ++out.sectors, ++out.lines;
  out.first_word |= 1;
  return out;
}

template <int kBy>
WL_INLINE I32 rotate(const I32& v) {
  return __builtin_shufflevector(v, v, kBy, kBy + 1, kBy + 2, kBy + 3, kBy + 4, kBy + 5, kBy + 6, kBy + 7);
}

// Rotation by rotation each vector against itself and those after it: 64 comparisons in registers, all pairs once or
// twice.
template <int kBy>
WL_INLINE void compare_rotated(const I32* v, I32& same) {
  if constexpr (kBy < kBlock) {
    const I32 r1 = rotate<kBy>(v[1]), r2 = rotate<kBy>(v[2]), r3 = rotate<kBy>(v[3]);
    if constexpr (kBy >= 1 && kBy <= kBlock / 2)
      same |= (v[0] == rotate<kBy>(v[0])) | (v[1] == r1) | (v[2] == r2) | (v[3] == r3);
    same |= (v[0] == r1) | (v[0] == r2) | (v[0] == r3) | (v[1] == r2) | (v[1] == r3) | (v[2] == r3);
    compare_rotated<kBy + 1>(v, same);
  }
}

WL_INLINE bool all_lines_differ_body(const Lanes& lanes) {
  I32 lines[kBlocks], same{};
#pragma GCC unroll 4
  for (int block = 0; block < kBlocks; ++block) lines[block] = load<I32>(lanes.offset + block * kBlock) >> 7;
  compare_rotated<0>(lines, same);
  return !any(same);
}

// All ones in the elements whose lane is active; lanes l to l + 3.
WL_INLINE U64 active(uint32_t mask, int l) {
  const U64 bits = {1, 2, 4, 8}, all = U64{} + mask;
  return U64((all >> l & bits) == bits);
}

WL_INLINE bool gather_body(const uint64_t* address, uint32_t mask, Lanes& lanes) {
  if (mask == 0) return false;
  const uint64_t first = address[std::countr_zero(mask)];
  const uint64_t base = (first & ~uint64_t{127}) - (uint64_t{1} << 29);
  const uint64_t* from = address;
  alignas(32) uint64_t filled[32];
  if (mask != ~0u) {
    const U64 stand_in = U64{} + first;
    for (int l = 0; l < 32; l += 4) {
      const U64 on = active(mask, l), mixed = (load<U64>(address + l) & on) | (stand_in & ~on);
      std::memcpy(filled + l, &mixed, sizeof mixed);
    }
    from = filled;
  }
  U64 high{};
#pragma GCC unroll 4
  for (int block = 0; block < kBlocks; ++block) {
    const U64 a = load<U64>(from + block * kBlock) - base, b = load<U64>(from + block * kBlock + 4) - base;
    high |= a | b;
    const I32 offset = __builtin_shufflevector(I32(a), I32(b), 0, 2, 4, 6, 8, 10, 12, 14);
    std::memcpy(lanes.offset + block * kBlock, &offset, sizeof offset);
  }
  lanes.mask = mask;
  return !any(high >> 30);
}

WL_INLINE bool has_pattern_body(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask) {
  U64 differs{};
#pragma GCC unroll 8
  for (int l = 0; l < 32; l += 4)
    differs |= ((load<U64>(address + l) - base) ^ load<U64>(pattern + l)) & active(mask, l);
  return !any(differs);
}

WL_INLINE bool has_no_runs_body(const uint64_t* address, uint32_t width) {
  if (address[2] - address[1] == address[1] - address[0]) return false;
  const U64 zero{}, unit = zero + width, step = zero + (address[1] - address[0]);
  U64 same{}, units{}, bends{};
#pragma GCC unroll 8
  for (int l = 0; l < 32; l += 4) {
    // The last block looks back one lane, so that nothing is read past the end: lanes 27 and 28 are then seen twice.
    const int from = l == 28 ? 27 : l;
    const U64 distance = load<U64>(address + from + 1) - load<U64>(address + from);
    same -= U64(distance == zero);
    units -= U64(distance == unit);
    bends |= distance ^ step;
  }
  return any(bends) && same[0] + same[1] + same[2] + same[3] < 16 && units[0] + units[1] + units[2] + units[3] < 16;
}

#if defined(__x86_64__)
#define WL_AVX2 __attribute__((target("avx2,popcnt,bmi")))
#define WL_AVX2_INLINE WL_AVX2 __attribute__((always_inline)) inline

// ---- 32 lanes of 16 bits are two registers of two groups of eight: x = groups 0 and 1, y = groups 2 and 3. Lanes are
// compared within their group by shifts, with another group by all eight rotations of it. Which lane is which does not
// matter, as long as of two lanes one is the earlier.
constexpr short kFar16 = short(0x8000);  // its xor with any index of 15 bits is at least 2^15

struct Nearest {
  __m256i x, y;  // of each lane: smallest xor with an earlier one
};

template <int kBy>
WL_AVX2_INLINE void compare_inside(const __m256i& x, const __m256i& y, Nearest& n) {
  if constexpr (kBy < 8) {
    const __m256i far = _mm256_set1_epi16(kFar16);
    n.x = _mm256_min_epu16(n.x, _mm256_xor_si256(x, _mm256_alignr_epi8(x, far, 16 - 2 * kBy)));
    n.y = _mm256_min_epu16(n.y, _mm256_xor_si256(y, _mm256_alignr_epi8(y, far, 16 - 2 * kBy)));
    compare_inside<kBy + 1>(x, y, n);
  }
}

// Each group of `later` with the group of `earlier` that lies in the same half.
template <int kBy>
WL_AVX2_INLINE void compare_groups(const __m256i& later, const __m256i& earlier, __m256i& nearest) {
  if constexpr (kBy < 8) {
    nearest = _mm256_min_epu16(nearest, _mm256_xor_si256(later, _mm256_alignr_epi8(earlier, earlier, 2 * kBy)));
    compare_groups<kBy + 1>(later, earlier, nearest);
  }
}

WL_AVX2_INLINE Nearest nearest_of(const __m256i& x, const __m256i& y) {
  const __m256i none = _mm256_set1_epi16(-1);
  Nearest n{none, none};
  compare_inside<1>(x, y, n);
  __m256i swapped = none, high = none;
  compare_groups<0>(y, x, n.y);                                       // 2 with 0, 3 with 1
  compare_groups<0>(y, _mm256_permute2x128_si256(x, x, 1), swapped);  // 2 with 1, 3 with 0
  n.y = _mm256_min_epu16(n.y, swapped);
  compare_groups<0>(_mm256_permute2x128_si256(x, y, 0x31), _mm256_permute2x128_si256(x, y, 0x20), high);  // 1, 0; 3, 2
  n.x = _mm256_min_epu16(n.x, _mm256_permute2x128_si256(none, high, 0x20));
  n.y = _mm256_min_epu16(n.y, _mm256_permute2x128_si256(none, high, 0x30));
  return n;
}

// Lanes whose nearest earlier lane is at least `apart` away.
WL_AVX2_INLINE uint32_t lanes_apart(const Nearest& n, int apart) {
  const __m256i limit = _mm256_set1_epi16(short(apart));
  const __m256i x = _mm256_cmpeq_epi16(_mm256_min_epu16(n.x, limit), limit);
  const __m256i y = _mm256_cmpeq_epi16(_mm256_min_epu16(n.y, limit), limit);
  return uint32_t(_mm_popcnt_u32(uint32_t(_mm256_movemask_epi8(_mm256_packs_epi16(x, y)))));
}

// Four vectors of 32-bit offsets, less `base`, shifted, as two of 16 bits; false if some do not fit 15 bits.
WL_AVX2_INLINE bool narrow(const __m256i* offsets, uint32_t base, int shift, __m256i& x, __m256i& y) {
  const __m256i less = _mm256_set1_epi32(int(base));
  const __m128i by = _mm_cvtsi32_si128(shift);
  __m256i v[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) v[k] = _mm256_srl_epi32(_mm256_sub_epi32(offsets[k], less), by);
  const __m256i high = _mm256_or_si256(_mm256_or_si256(v[0], v[1]), _mm256_or_si256(v[2], v[3]));
  if (!_mm256_testz_si256(high, _mm256_set1_epi32(~0x7fff))) return false;
  x = _mm256_packus_epi32(v[0], v[1]);
  y = _mm256_packus_epi32(v[2], v[3]);
  return true;
}

// By address if they fit around the first, else by sector: where no two lanes share one, that tells the addresses too.
WL_AVX2 PackedCounts count_close_avx2(const uint64_t* address, uint32_t mask, uint32_t width) {
  if (mask == 0) return {};
  const int unit = std::countr_zero(width);
  const uint64_t first = address[std::countr_zero(mask)];
  const uint64_t base = (first & ~uint64_t{127}) - (uint64_t{1} << 19);  // 2^14 sectors before
  const __m256i less = _mm256_set1_epi64x(int64_t(base)), stand_in = _mm256_set1_epi64x(int64_t(first));
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  __m256i offsets[4], high = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    __m256i half[2];
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const int lane = 8 * k + 4 * h;
      __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + lane));
      if (mask != ~0u) {
        const __m256i on = _mm256_and_si256(_mm256_set1_epi64x(mask >> lane), bits);
        a = _mm256_blendv_epi8(stand_in, a, _mm256_cmpeq_epi64(on, bits));
      }
      half[h] = _mm256_sub_epi64(a, less);
      high = _mm256_or_si256(high, half[h]);
    }
    offsets[k] =
        _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(half[0]), _mm256_castsi256_ps(half[1]), 0x88));
  }
  if (!_mm256_testz_si256(high, _mm256_set1_epi64x(~int64_t{(1 << 20) - 1}))) return {};
  __m256i x = high, y = high;
  const bool by_address = narrow(offsets, (1u << 19) - (1u << (14 + unit)), unit, x, y);
  if (!by_address) narrow(offsets, 0, 5, x, y);
  const Nearest n = nearest_of(x, y);
  const uint32_t sectors = lanes_apart(n, by_address ? 32 >> unit : 1);
  const uint32_t lines = lanes_apart(n, by_address ? 128 >> unit : 4);
  const auto lanes = uint32_t(_mm_popcnt_u32(mask));
  if (!by_address && sectors != lanes) return {};
  return PackedCounts::of(by_address ? lanes_apart(n, 1) : sectors, sectors, lines, lanes);
}

WL_AVX2_INLINE uint32_t touched(const LaneSets& sets, uint32_t mask, uint32_t active_lanes) {
  if (sets.blocks == 0) return active_lanes;
  const __m256i on = _mm256_set1_epi32(int(mask));
  uint32_t empty = 0;
  for (uint32_t b = 0; b < sets.blocks; ++b) {
    const __m256i hit = _mm256_and_si256(on, _mm256_load_si256(reinterpret_cast<const __m256i*>(sets.lanes) + b));
    const __m256i none = _mm256_cmpeq_epi32(hit, _mm256_setzero_si256());
    empty += uint32_t(_mm_popcnt_u32(uint32_t(_mm256_movemask_ps(_mm256_castsi256_ps(none)))));
  }
  return 8 * sets.blocks - empty;
}

WL_AVX2 PackedCounts count_sets_avx2(const PatternSets& sets, uint32_t mask) {
  const auto lanes = uint32_t(_mm_popcnt_u32(mask));
  return PackedCounts::of(touched(sets.addresses, mask, lanes), touched(sets.sectors, mask, lanes),
                          touched(sets.lines, mask, lanes), lanes);
}

WL_AVX2 LaneCounts count_avx2(const Lanes& lanes) { return count_body(lanes); }
WL_AVX2 bool all_lines_differ_avx2(const Lanes& lanes) { return all_lines_differ_body(lanes); }
WL_AVX2 bool gather_avx2(const uint64_t* address, uint32_t mask, Lanes& lanes) {
  return gather_body(address, mask, lanes);
}
WL_AVX2 bool has_pattern_avx2(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask) {
  return has_pattern_body(address, base, pattern, mask);
}
WL_AVX2 bool has_no_runs_avx2(const uint64_t* address, uint32_t width) { return has_no_runs_body(address, width); }
WL_INLINE bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
}
#define WL_DISPATCH(name, ...) return has_avx2() ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__);
#else
WL_INLINE PackedCounts count_sets_body(const PatternSets& sets, uint32_t mask) { return count_sets_plain(sets, mask); }
#define WL_DISPATCH(name, ...) return name##_body(__VA_ARGS__);
#endif

}  // namespace

LaneCounts count(const Lanes& lanes){WL_DISPATCH(count, lanes)} PackedCounts
    count_close(const uint64_t* address, uint32_t mask, uint32_t width) {
#if defined(__x86_64__)
  if (!has_avx2()) return count_close_plain(address, mask);
  return count_close_avx2(address, mask, width);
#else
  return count_close_plain(address, mask);
#endif
}
PackedCounts count_sets(const PatternSets& sets, uint32_t mask) { WL_DISPATCH(count_sets, sets, mask) }
bool all_lines_differ(const Lanes& lanes) { WL_DISPATCH(all_lines_differ, lanes) }
bool gather(const uint64_t* address, uint32_t mask, Lanes& lanes) { WL_DISPATCH(gather, address, mask, lanes) }
bool has_pattern(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask) {
  WL_DISPATCH(has_pattern, address, base, pattern, mask)
}

bool has_no_runs(const uint64_t* address, uint32_t width) { WL_DISPATCH(has_no_runs, address, width) }

}  // namespace warplens::model
