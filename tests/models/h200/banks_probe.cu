// Measures how many wavefronts shared-memory requests take, for the golden table beside it (banks.csv).
//   nvcc -arch=native -o banks_probe banks_probe.cu
//   ncu --section SourceCounters -f -o banks ./banks_probe entries.csv; ncu -i banks.ncu-rep --page source --csv >source.csv
//   python3 banks_probe.py entries.csv source.csv banks.csv
// Each kernel is one warp that runs kEntries instructions of one kind and width. Entry e reads its 32 offsets and its mask
// from a table and adds 128 * e as an immediate, which changes no bank and names the entry in the machine code.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kEntries = 64;
constexpr int kTable = 16384;  // bytes that offsets may span
enum Op { LD1, ST1, LD2, ST2, LD4, ST4, ADD4, CAS4, LD8, ST8, CAS8, LD16, ST16, RED4, INC4, EXCH4, MIN4, EXCH8 };
const char* const kNames[] = {"ld1", "st1", "ld2", "st2", "ld4", "st4", "add4", "cas4", "ld8", "st8", "cas8", "ld16", "st16",
                              "red4", "inc4", "exch4", "min4", "exch8"};
const int kWidth[] = {1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 16, 16, 4, 4, 4, 4, 8};

template <int OP, int E>
__device__ __forceinline__ void access(uint32_t a, uint32_t on, uint32_t& sum) {
  uint32_t x = 0, y = 0, z = 0, w = 0;
  uint64_t d = 0;
#define P "{ .reg .pred p; setp.ne.u32 p, %1, 0; @p "
  if constexpr (OP == LD1) asm volatile(P "ld.shared.u8 %0, [%2+%3]; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == LD2) asm volatile("{ .reg .pred p; .reg .u16 h; mov.u16 h, 0; setp.ne.u32 p, %1, 0; @p ld.shared.u16 h, [%2+%3]; cvt.u32.u16 %0, h; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == LD4) asm volatile(P "ld.shared.u32 %0, [%2+%3]; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == LD8) asm volatile(P "ld.shared.u64 %0, [%2+%3]; }" : "+l"(d) : "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == LD16)
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; @p ld.shared.v4.u32 {%0,%1,%2,%3}, [%5+%6]; }"
                 : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ST1) asm volatile(P "st.shared.u8 [%2+%3], %0; }" ::"r"(sum), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ST2) asm volatile("{ .reg .pred p; .reg .u16 h; cvt.u16.u32 h, %0; setp.ne.u32 p, %1, 0; @p st.shared.u16 [%2+%3], h; }" ::"r"(sum), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ST4) asm volatile(P "st.shared.u32 [%2+%3], %0; }" ::"r"(sum), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ST8) asm volatile(P "st.shared.u64 [%2+%3], %0; }" ::"l"((uint64_t)sum << 32 | on), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ST16)
    asm volatile(P "st.shared.v4.u32 [%2+%3], {%0,%1,%0,%1}; }" ::"r"(sum), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == ADD4) asm volatile(P "atom.shared.add.u32 %0, [%2+%3], %4; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E), "r"(a) : "memory");
  if constexpr (OP == CAS4) asm volatile(P "atom.shared.cas.b32 %0, [%2+%3], %4, %5; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E), "r"(a), "r"(on) : "memory");
  if constexpr (OP == CAS8) asm volatile(P "atom.shared.cas.b64 %0, [%2+%3], %4, %5; }" : "+l"(d) : "r"(on), "r"(a), "n"(128 * E), "l"((uint64_t)a), "l"((uint64_t)on) : "memory");
  if constexpr (OP == RED4) asm volatile(P "red.shared.add.u32 [%2+%3], %0; }" ::"r"(a), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == INC4) asm volatile(P "red.shared.add.u32 [%2+%3], %0; }" ::"n"(1), "r"(on), "r"(a), "n"(128 * E) : "memory");
  if constexpr (OP == EXCH4) asm volatile(P "atom.shared.exch.b32 %0, [%2+%3], %4; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E), "r"(a) : "memory");
  if constexpr (OP == MIN4) asm volatile(P "atom.shared.min.u32 %0, [%2+%3], %4; }" : "+r"(x) : "r"(on), "r"(a), "n"(128 * E), "r"(a) : "memory");
  if constexpr (OP == EXCH8) asm volatile(P "atom.shared.exch.b64 %0, [%2+%3], %4; }" : "+l"(d) : "r"(on), "r"(a), "n"(128 * E), "l"((uint64_t)a) : "memory");
  sum ^= x ^ y ^ z ^ w ^ (uint32_t)d ^ (uint32_t)(d >> 32);
}
template <int OP, int E>
__device__ __forceinline__ void all(const uint32_t* off, const uint32_t* mask, uint32_t base, uint32_t& sum) {
  if constexpr (E < kEntries) {
    access<OP, E>(base + off[E * 32 + threadIdx.x], mask[E] >> threadIdx.x & 1, sum);
    all<OP, E + 1>(off, mask, base, sum);
  }
}
template <int OP>
__global__ void probe(const uint32_t* off, const uint32_t* mask, uint32_t* out) {
  extern __shared__ __align__(128) uint32_t s[];
  uint32_t sum = 0;
  all<OP, 0>(off, mask, (uint32_t)__cvta_generic_to_shared(s), sum);
  out[threadIdx.x] = sum + s[threadIdx.x];
}

uint64_t state = 88172645463325252ull;
uint32_t rnd(uint32_t n) {  // xorshift: the same table on every machine
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)((state >> 16) % n);
}
bool partial = false;  // second table: masks with gaps, the cases in which 16-byte loads follow rules of their own
uint32_t make_mask(int e) {
  if (partial) switch (e % 8) {
      case 0: return rnd(~0u) << 1 >> 1 | 1;                       // lane 31 off
      case 1: { uint32_t m = rnd(~0u); return m | m << 1 | 1u << 31; }
      case 2: { uint32_t m = rnd(~0u) & 0x55555555; return m | m << 1 | 3u << (2 * rnd(16)); }       // whole pairs
      case 3: { uint32_t m = rnd(~0u) & 0x33333333; return m | m << 2 | 5u << (4 * rnd(8)); }        // whole l, l^2 pairs
      case 4: return ~(1u << rnd(32)) & ~(1u << rnd(32));
      case 5: return ~0u << rnd(32);
      case 6: return ~0u >> rnd(32);
      default: return rnd(~0u) | rnd(~0u) | 1u << 31;
    }
  switch (e % 8) {
    case 0: case 1: case 2: case 3: return ~0u;
    case 4: return rnd(~0u) | 1u << rnd(32);
    case 5: return rnd(~0u) & rnd(~0u) | 1u << rnd(32);
    case 6: { static const uint32_t m[] = {0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0xff, 0xff00ff, 0x0f0f0f0f, 0x33333333, 0x00ffff00, 1u << 31, 0x7fffffff, 0xfffffffe}; return m[rnd(12)]; }
    default: return ~(1u << rnd(32));
  }
}
// Lane units (offset / width) of one entry; `units` fit the table.
void make_units(int family, uint32_t units, uint32_t u[32]) {
  uint32_t pools[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 512};
  uint32_t pool = pools[rnd(12)], start = rnd(8), r[32], key[32];
  for (int l = 0; l < 32; ++l) r[l] = rnd(pool), key[l] = rnd(units);
  uint32_t perm[32];
  for (int l = 0; l < 32; ++l) perm[l] = l;
  for (int l = 31; l > 0; --l) { int j = rnd(l + 1); uint32_t t = perm[l]; perm[l] = perm[j]; perm[j] = t; }
  uint32_t stride = rnd(40), k = 1u << rnd(5);
  for (int l = 0; l < 32; ++l) switch (family) {
      case 0: u[l] = start + l * stride; break;
      case 1: u[l] = start + l / k; break;
      case 2: u[l] = start + l % k; break;
      case 3: u[l] = start + (l ^ k); break;
      case 4: u[l] = start + perm[l]; break;
      case 5: u[l] = r[l]; break;
      case 6: u[l] = key[l]; break;
      case 7: u[l] = r[l & ~1]; break;                    // pairs share
      case 8: u[l] = r[l & ~2]; break;                    // l and l^2 share
      case 9: u[l] = r[l & ~4]; break;
      case 10: u[l] = r[l & ~8]; break;
      case 11: u[l] = r[l & ~16]; break;
      case 12: u[l] = start + perm[l] / 2; break;
      case 13: u[l] = start + perm[l] / 4; break;
      case 14: u[l] = r[l & ~3]; break;
      case 15: u[l] = (l & 1) ? perm[l] : perm[l] + 32 * rnd(4); break;
      case 16: u[l] = start + perm[l / 2]; break;         // pairs share, all pairs distinct
      case 17: u[l] = start + perm[(l & 1) | (l >> 2 << 1)]; break;
      case 18: u[l] = rnd(8) + 8 * (l / 8 % 2) * rnd(2); break;
      case 19: u[l] = (l / 8) * rnd(3) + l % 8; break;
      case 20: u[l] = l / 2 * stride; break;
      case 21: u[l] = (l & 1 | l >> 2 << 1) * stride; break;
      case 22: u[l] = r[l / 8]; break;
      default: u[l] = r[l / 8 * 8 + rnd(2)]; break;
    }
  if (rnd(4) == 0) u[rnd(32)] = rnd(pool);                // one lane out of line
  for (int l = 0; l < 32; ++l) u[l] %= units;
}
template <int OP>
void measure(int launches, FILE* table, uint32_t* off, uint32_t* mask, uint32_t* out) {
  static int first = 0;
  for (int n = first; n < first + launches; ++n) {
    std::vector<uint32_t> o(kEntries * 32), m(kEntries);
    for (int e = 0; e < kEntries; ++e) {
      m[e] = make_mask(rnd(8));
      uint32_t u[32];
      make_units((e + n * kEntries) % 24, kTable / kWidth[OP] < 2048 ? kTable / kWidth[OP] : 2048, u);
      fprintf(table, "%s,%d,%d,%08x,", kNames[OP], n, e, m[e]);
      for (int l = 0; l < 32; ++l) o[e * 32 + l] = u[l] * kWidth[OP], fprintf(table, "%s%x", l ? " " : "", u[l]);
      fputc('\n', table);
    }
    cudaMemcpy(off, o.data(), o.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(mask, m.data(), m.size() * 4, cudaMemcpyHostToDevice);
    probe<OP><<<1, 32, kTable + kEntries * 128 + 4096>>>(off, mask, out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", kNames[OP], cudaGetErrorString(e)), exit(1);
  }
  first += launches;
}
int main(int argc, char** argv) {
  FILE* table = fopen(argc > 1 ? argv[1] : "entries.csv", "w");
  fprintf(table, "op,launch,entry,mask,units\n");
  uint32_t *off, *mask, *out;
  cudaMalloc(&off, kEntries * 32 * 4), cudaMalloc(&mask, kEntries * 4), cudaMalloc(&out, 128);
  measure<LD16>(10, table, off, mask, out);
  measure<ST16>(8, table, off, mask, out);
  measure<LD8>(10, table, off, mask, out);
  measure<ST8>(8, table, off, mask, out);
  measure<CAS8>(3, table, off, mask, out);
  measure<LD4>(2, table, off, mask, out);
  measure<ST4>(2, table, off, mask, out);
  measure<ADD4>(2, table, off, mask, out);
  measure<CAS4>(1, table, off, mask, out);
  measure<LD2>(1, table, off, mask, out);
  measure<ST2>(1, table, off, mask, out);
  measure<LD1>(1, table, off, mask, out);
  measure<ST1>(1, table, off, mask, out);
  partial = true;
  measure<LD16>(14, table, off, mask, out);
  measure<LD8>(6, table, off, mask, out);
  measure<ST16>(2, table, off, mask, out);
  measure<RED4>(1, table, off, mask, out);
  measure<INC4>(1, table, off, mask, out);
  measure<EXCH4>(1, table, off, mask, out);
  measure<MIN4>(1, table, off, mask, out);
  measure<EXCH8>(2, table, off, mask, out);
  fclose(table);
}
