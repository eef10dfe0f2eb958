// The addresses and masks of requests that requests_probe.cu measures and requests_test.cpp counts: both make them from
// here, so that the table of readings need not hold them.
#pragma once
#include <cstdint>

namespace requests {

constexpr int kEntries = 128;  // requests a launch
constexpr int kSpan = 8192;    // bytes that the offsets of a request's lanes may span

class Random {  // xorshift: the same on every machine
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull | 1) {
    for (int k = 0; k < 8; ++k) below(2);
  }
  uint32_t below(uint32_t n) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 16) % n);
  }
  uint32_t bits() { return below(~0u); }

 private:
  uint64_t state_;
};

inline uint32_t make_mask(Random& r) {
  const uint32_t regular[] = {0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0xff,     0xff00ff,
                              0x0f0f0f0f, 0x33333333, 0x00ffff00, 1u << 31, 0x7fffffff, 0xfffffffe};
  uint32_t m = 0;
  switch (r.below(20)) {
    case 0: return r.bits() | 1u << r.below(32);
    case 1: m = r.bits(); return (m & r.bits()) | 1u << r.below(32);
    case 2: return regular[r.below(12)];
    case 3: return ~(1u << r.below(32));
    case 4: return (r.bits() << 1 >> 1) | 1;  // without lane 31
    case 5: m = r.bits(); return m | m << 1 | 1u << 31;
    case 6: m = r.bits() & 0x55555555; return m | m << 1 | 3u << (2 * r.below(16));  // lanes l and l^1
    case 7: m = r.bits() & 0x33333333; return m | m << 2 | 5u << (4 * r.below(8));   // lanes l and l^2
    case 8: m = ~(1u << r.below(32)); return m & ~(1u << r.below(32));
    case 9: return ~0u << r.below(32);
    case 10: return ~0u >> r.below(32);
    default: return ~0u;
  }
}

// Addresses of 32 lanes, in units of the width of an access.
inline void make_units(Random& r, uint32_t units, uint32_t* u) {
  const uint32_t pools[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 512};
  const uint32_t pool = pools[r.below(12)], start = r.below(40), stride = r.below(40), k = 1u << r.below(5);
  uint32_t some[32], perm[32];
  for (uint32_t l = 0; l < 32; ++l) some[l] = r.below(pool), perm[l] = l;
  for (uint32_t l = 31; l > 0; --l) {
    const uint32_t j = r.below(l + 1), t = perm[l];
    perm[l] = perm[j], perm[j] = t;
  }
  const uint32_t family = r.below(26);
  for (uint32_t l = 0; l < 32; ++l) switch (family) {
      case 0: u[l] = start + l * stride; break;
      case 1: u[l] = start + l / k; break;
      case 2: u[l] = start + l % k; break;
      case 3: u[l] = start + (l ^ k); break;
      case 4: u[l] = start + perm[l]; break;
      case 5: u[l] = some[l]; break;
      case 6: u[l] = r.below(units); break;
      case 7: u[l] = some[l & ~1u]; break;  // lanes l and l^1 share
      case 8: u[l] = some[l & ~2u]; break;
      case 9: u[l] = some[l & ~4u]; break;
      case 10: u[l] = some[l & ~8u]; break;
      case 11: u[l] = some[l & ~16u]; break;
      case 12: u[l] = start + perm[l] / 2; break;
      case 13: u[l] = start + perm[l] / 4; break;
      case 14: u[l] = some[l & ~3u]; break;
      case 15: u[l] = l & 1 ? perm[l] : perm[l] + 32 * r.below(4); break;
      case 16: u[l] = start + perm[l / 2]; break;
      case 17: u[l] = start + perm[(l & 1) | (l >> 2 << 1)]; break;
      case 18: u[l] = r.below(8) + 8 * (l / 8 % 2) * r.below(2); break;
      case 19: u[l] = l / 8 * r.below(3) + l % 8; break;
      case 20: u[l] = l / 2 * stride; break;
      case 21: u[l] = ((l & 1) | (l >> 2 << 1)) * stride; break;
      case 22: u[l] = some[l / 8]; break;
      case 23: u[l] = some[l / 8 * 8 + r.below(2)]; break;
      case 24: u[l] = start + l; break;
      default: u[l] = start; break;
    }
  if (r.below(4) == 0) u[r.below(32)] = r.below(pool);  // one lane out of line
  for (uint32_t l = 0; l < 32; ++l) u[l] %= units;
}

// One launch. Lanes outside `running` left the kernel before its requests; entry e's guard is true in `mask[e]`. Offsets
// are in bytes, `other` those of the second address of a copy.
struct Table {
  uint32_t running = ~0u;
  uint32_t mask[kEntries];
  uint32_t offset[kEntries][32];
  uint32_t other[kEntries][32];
};

// `masks`: requests of this kind may have lanes off.
inline void make(Table& t, uint64_t seed, uint32_t width, uint32_t other_width, bool masks) {
  Random r(seed);
  t.running = masks && seed % 3 == 2 ? make_mask(r) | r.bits() : ~0u;
  for (int e = 0; e < kEntries; ++e) {
    t.mask[e] = masks ? make_mask(r) : ~0u;
    make_units(r, kSpan / width, t.offset[e]);
    make_units(r, kSpan / other_width, t.other[e]);
    for (int l = 0; l < 32; ++l) t.offset[e][l] *= width, t.other[e][l] *= other_width;
  }
}

}  // namespace requests
