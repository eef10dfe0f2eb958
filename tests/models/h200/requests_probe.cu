// Measures what single requests to memory cost, for the table of readings beside it (requests.csv): see README.md.
//   nvcc -arch=sm_90 -std=c++17 -o requests_probe requests_probe.cu
// Each kernel is one warp that runs kEntries instructions of one kind; request_tables.h makes their addresses and masks.
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request_tables.h"

using requests::kEntries;
using requests::kSpan;
using requests::Table;

// CopyLess: lanes that are off copy no bytes, and zeros instead.
enum class Space { Global, Shared, Local, Generic, Const, Copy, CopyLess, Matrix };

// Operands of the instruction below: %0 to %3 32-bit registers to load to, store from and compare with, %4 and %5 64-bit,
// %6 and %7 16-bit; %8 the guard, %9 the address (32 bits in shared memory, otherwise 64), %10 a copy's global address.
// name, space, width, width of the second address, masks, PTX
#define OPS(X)                                                                                     \
  X(lds1, Shared, 1, 1, 1, "ld.volatile.shared.u8 %0, [%9];")                                      \
  X(lds2, Shared, 2, 1, 1, "ld.volatile.shared.u16 %6, [%9];")                                     \
  X(lds4, Shared, 4, 1, 1, "ld.volatile.shared.u32 %0, [%9];")                                     \
  X(lds8, Shared, 8, 1, 1, "ld.volatile.shared.v2.u32 {%0,%1}, [%9];")                             \
  X(lds16, Shared, 16, 1, 1, "ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%9];")                     \
  X(sts1, Shared, 1, 1, 1, "st.volatile.shared.u8 [%9], %0;")                                      \
  X(sts2, Shared, 2, 1, 1, "st.volatile.shared.u16 [%9], %6;")                                     \
  X(sts4, Shared, 4, 1, 1, "st.volatile.shared.u32 [%9], %0;")                                     \
  X(sts8, Shared, 8, 1, 1, "st.volatile.shared.v2.u32 [%9], {%0,%1};")                             \
  X(sts16, Shared, 16, 1, 1, "st.volatile.shared.v4.u32 [%9], {%0,%1,%2,%3};")                     \
  X(atoms_add4, Shared, 4, 1, 1, "atom.shared.add.u32 %0, [%9], %1;")                              \
  X(atoms_and4, Shared, 4, 1, 1, "atom.shared.and.b32 %0, [%9], %1;")                              \
  X(atoms_min4, Shared, 4, 1, 1, "atom.shared.min.s32 %0, [%9], %1;")                              \
  X(atoms_exch4, Shared, 4, 1, 1, "atom.shared.exch.b32 %0, [%9], %1;")                            \
  X(atoms_inc4, Shared, 4, 1, 1, "atom.shared.inc.u32 %0, [%9], %1;")                              \
  X(atoms_cas4, Shared, 4, 1, 1, "atom.shared.cas.b32 %0, [%9], %1, %2;")                          \
  X(atoms_red4, Shared, 4, 1, 1, "red.shared.add.u32 [%9], %1;")                                   \
  X(atoms_popc4, Shared, 4, 1, 1, "red.shared.add.u32 [%9], 1;")                                   \
  X(atoms_popc4_ret, Shared, 4, 1, 1, "atom.shared.add.u32 %0, [%9], 1;")                          \
  X(atoms_exch8, Shared, 8, 1, 1, "atom.shared.exch.b64 %4, [%9], %5;")                            \
  X(atoms_cas8, Shared, 8, 1, 1, "atom.shared.cas.b64 %4, [%9], %5, %5;")                          \
  X(ldgsts4, Copy, 4, 4, 1, "cp.async.ca.shared.global [%9], [%10], 4;")                           \
  X(ldgsts8, Copy, 8, 8, 1, "cp.async.ca.shared.global [%9], [%10], 8;")                           \
  X(ldgsts16, Copy, 16, 16, 1, "cp.async.ca.shared.global [%9], [%10], 16;")                       \
  X(ldgsts16_cg, Copy, 16, 16, 1, "cp.async.cg.shared.global [%9], [%10], 16;")                    \
  X(ldgsts16_cg_less, CopyLess, 16, 16, 1, "cp.async.cg.shared.global [%9], [%10], 16, %8;")           \
  X(ldgsts4_less, CopyLess, 4, 4, 1, "cp.async.ca.shared.global [%9], [%10], 4, %8;")                  \
  X(ldsm1, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%9];")               \
  X(ldsm2, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%9];")            \
  X(ldsm4, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%9];")      \
  X(ldsm1t, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%9];")        \
  X(ldsm2t, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%9];")     \
  X(ldsm4t, Matrix, 16, 1, 0, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%9];") \
  X(stsm1, Matrix, 16, 1, 0, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%9], {%0};")               \
  X(stsm2, Matrix, 16, 1, 0, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%9], {%0,%1};")            \
  X(stsm4, Matrix, 16, 1, 0, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%9], {%0,%1,%2,%3};")      \
  X(stsm4t, Matrix, 16, 1, 0, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%9], {%0,%1,%2,%3};") \
  X(ldg1, Global, 1, 1, 1, "ld.volatile.global.u8 %0, [%9];")                                      \
  X(ldg2, Global, 2, 1, 1, "ld.volatile.global.u16 %6, [%9];")                                     \
  X(ldg4, Global, 4, 1, 1, "ld.volatile.global.u32 %0, [%9];")                                     \
  X(ldg8, Global, 8, 1, 1, "ld.volatile.global.v2.u32 {%0,%1}, [%9];")                             \
  X(ldg16, Global, 16, 1, 1, "ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%9];")                     \
  X(ldg16_nc, Global, 16, 1, 1, "ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%9];")                        \
  X(stg1, Global, 1, 1, 1, "st.volatile.global.u8 [%9], %0;")                                      \
  X(stg2, Global, 2, 1, 1, "st.volatile.global.u16 [%9], %6;")                                     \
  X(stg4, Global, 4, 1, 1, "st.volatile.global.u32 [%9], %0;")                                     \
  X(stg8, Global, 8, 1, 1, "st.volatile.global.v2.u32 [%9], {%0,%1};")                             \
  X(stg16, Global, 16, 1, 1, "st.volatile.global.v4.u32 [%9], {%0,%1,%2,%3};")                     \
  X(atomg_add4, Global, 4, 1, 1, "atom.global.add.u32 %0, [%9], %1;")                              \
  X(atomg_add8, Global, 8, 1, 1, "atom.global.add.u64 %4, [%9], %5;")                              \
  X(atomg_cas4, Global, 4, 1, 1, "atom.global.cas.b32 %0, [%9], %1, %2;")                          \
  X(atomg_cas8, Global, 8, 1, 1, "atom.global.cas.b64 %4, [%9], %5, %5;")                          \
  X(atomg_cas16, Global, 16, 1, 1, "atom.global.cas.b128 b, [%9], a, a;") \
  X(atomg_exch4, Global, 4, 1, 1, "atom.global.exch.b32 %0, [%9], %1;")                            \
  X(redg4, Global, 4, 1, 1, "red.global.add.u32 [%9], %1;")                                        \
  X(redg8, Global, 8, 1, 1, "red.global.add.u64 [%9], %5;")                                        \
  X(redg_f64, Global, 8, 1, 1, "red.global.add.f64 [%9], f8;")      \
  X(redg_v2f32, Global, 8, 1, 1, "red.global.add.v2.f32 [%9], {f4,f4};") \
  X(redg_v4f32, Global, 16, 1, 1, "red.global.add.v4.f32 [%9], {f4,f4,f4,f4};") \
  X(redg_v4h2, Global, 16, 1, 1, "red.global.add.noftz.v4.f16x2 [%9], {%0,%1,%2,%3};")             \
  X(redg_h, Global, 2, 1, 1, "red.global.add.noftz.f16 [%9], %6;")                                 \
  X(ldl1, Local, 1, 1, 1, "ld.local.u8 %0, [%9];")                                        \
  X(ldl2, Local, 2, 1, 1, "ld.local.u16 %6, [%9];")                                       \
  X(ldl4, Local, 4, 1, 1, "ld.local.u32 %0, [%9];")                                       \
  X(ldl8, Local, 8, 1, 1, "ld.local.v2.u32 {%0,%1}, [%9];")                               \
  X(ldl16, Local, 16, 1, 1, "ld.local.v4.u32 {%0,%1,%2,%3}, [%9];")                       \
  X(stl1, Local, 1, 1, 1, "st.local.u8 [%9], %0;")                                        \
  X(stl4, Local, 4, 1, 1, "st.local.u32 [%9], %0;")                                       \
  X(stl8, Local, 8, 1, 1, "st.local.v2.u32 [%9], {%0,%1};")                               \
  X(stl16, Local, 16, 1, 1, "st.local.v4.u32 [%9], {%0,%1,%2,%3};")                       \
  X(ld4, Generic, 4, 1, 1, "ld.volatile.u32 %0, [%9];")                                            \
  X(ld8, Generic, 8, 1, 1, "ld.volatile.v2.u32 {%0,%1}, [%9];")                                    \
  X(ld16, Generic, 16, 1, 1, "ld.volatile.v4.u32 {%0,%1,%2,%3}, [%9];")                            \
  X(st4, Generic, 4, 1, 1, "st.volatile.u32 [%9], %0;")                                            \
  X(st16, Generic, 16, 1, 1, "st.volatile.v4.u32 [%9], {%0,%1,%2,%3};")                            \
  X(atom_add4, Generic, 4, 1, 1, "atom.add.u32 %0, [%9], %1;")                                     \
  X(atom_exch8, Generic, 8, 1, 1, "atom.exch.b64 %4, [%9], %5;")                                   \
  X(atom_cas4, Generic, 4, 1, 1, "atom.cas.b32 %0, [%9], %1, %2;")                                 \
  X(red_add4, Generic, 4, 1, 1, "red.add.u32 [%9], %1;")                                           \
  X(ldc1, Const, 1, 1, 1, "ld.const.u8 %0, [%9];")                                        \
  X(ldc4, Const, 4, 1, 1, "ld.const.u32 %0, [%9];")                                       \
  X(ldc8, Const, 8, 1, 1, "ld.const.v2.u32 {%0,%1}, [%9];")                               \
  X(ldc16, Const, 16, 1, 1, "ld.const.v4.u32 {%0,%1,%2,%3}, [%9];")

struct Op {
  const char* name;
  Space space;
  uint32_t width, other_width;
  bool masks;
};
#define ROW(name, space, width, other, masks, ptx) {#name, Space::space, width, other, masks},
constexpr Op kOps[] = {OPS(ROW)};
constexpr int kCount = sizeof kOps / sizeof *kOps;
#define NAME(name, space, width, other, masks, ptx) name,
enum Names { OPS(NAME) };

__constant__ uint32_t constants[kSpan / 4];

struct Registers {
  uint32_t r[4];
  uint64_t d[2];
  uint16_t h[2];
};

#define OPERANDS                                                                                                    \
  : "+r"(v.r[0]), "+r"(v.r[1]), "+r"(v.r[2]), "+r"(v.r[3]), "+l"(v.d[0]), "+l"(v.d[1]), "+h"(v.h[0]), "+h"(v.h[1])
template <int O>
__device__ void request(Registers& v, uint32_t on, uint64_t address, uint64_t other);
#define GUARD                                                                                                        \
  "{ .reg .pred p; .reg .f32 f4; .reg .f64 f8; .reg .b128 a, b; mov.b32 f4, %1; mov.b64 f8, %5; mov.b128 a, {%4,%5}; " \
  "setp.ne.u32 p, %8, 0; @p "
#define CASE(name, space, width, other_width, masks, ptx)                                                            \
  template <>                                                                                                        \
  __device__ __forceinline__ void request<name>(Registers & v, uint32_t on, uint64_t address, uint64_t other) {      \
    const uint32_t in_shared = uint32_t(address);                                                                    \
    if constexpr (Space::space == Space::CopyLess)                                                                   \
      asm volatile(ptx OPERANDS : "r"(on * width), "r"(in_shared), "l"(other) : "memory");                           \
    else if constexpr (Space::space == Space::Matrix) {                                                              \
      asm volatile(ptx OPERANDS : "r"(on), "r"(in_shared), "l"(other) : "memory");                                   \
      v.d[0] = v.d[0] * 3 + v.r[0] + v.r[1] + v.r[2] + v.r[3];                                                       \
    }                                                                                                                \
    else if constexpr (Space::space == Space::Shared || Space::space == Space::Copy)                                 \
      asm volatile(GUARD ptx " }" OPERANDS : "r"(on), "r"(in_shared), "l"(other) : "memory");                        \
    else                                                                                                             \
      asm volatile(GUARD ptx " }" OPERANDS : "r"(on), "l"(address), "l"(other) : "memory");                          \
  }
OPS(CASE)

template <int O, int E>
__device__ __forceinline__ void all(Registers& v, const Table& t, const uint64_t* base) {
  if constexpr (E < kEntries) {
    const int l = threadIdx.x;
    // A generic request's `other` says which space its lanes mean; 3: each its own.
    uint64_t from = base[0];
    if (kOps[O].space == Space::Generic) {
      const uint32_t which = t.other[E][31] % 4;
      from = base[which < 3 ? which : t.other[E][l] % 2];
    }
    request<O>(v, t.mask[E] >> l & 1, from + t.offset[E][l], base[1] + t.other[E][l]);
    all<O, E + 1>(v, t, base);
  }
}

template <int O>
__global__ void probe(const Table* t, uint64_t memory, uint32_t* out) {
  extern __shared__ __align__(1024) uint32_t s[];
  constexpr Space kSpace = kOps[O].space;
  const int l = threadIdx.x;
  if (!(t->running >> l & 1)) return;
  Registers v{{uint32_t(l), 1, 2, 3}, {4, 5}, {6, 7}};
  uint64_t base[3] = {};
  if constexpr (kSpace == Space::Local || kSpace == Space::Generic) {
    uint4 frame[kSpan / 16];
    frame[out[l] & 255].x = l;
    uint64_t local = uint64_t(frame);
    if (kSpace == Space::Local) asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(base[0]) : "l"(local) : "memory");
    else base[0] = memory, base[1] = uint64_t(s), base[2] = local;
    all<O, 0>(v, *t, base);
    out[l + 64] = frame[out[l + 32] & 255].x;
  } else {
    base[0] = kSpace == Space::Global ? memory : __cvta_generic_to_shared(s);
    if (kSpace == Space::Const) asm volatile("mov.u64 %0, constants;" : "=l"(base[0]));
    base[1] = memory;
    all<O, 0>(v, *t, base);
  }
  if constexpr (kSpace == Space::Copy || kSpace == Space::CopyLess) asm volatile("cp.async.wait_all;" ::: "memory");
  out[l] = v.r[0] ^ v.r[1] ^ v.r[2] ^ v.r[3] ^ uint32_t(v.d[0]) ^ uint32_t(v.d[1] >> 32) ^ v.h[0] ^ v.h[1] ^ s[l] ^
           (kSpace == Space::Const ? constants[l] : 0);
}

template <int O>
void launch(Table* t, uint64_t seed, void* memory, uint32_t* out) {
  requests::make(*t, seed, kOps[O].width, kOps[O].other_width, kOps[O].masks);
  probe<O><<<1, 32, kSpan>>>(t, uint64_t(memory), out);
  const cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", kOps[O].name, cudaGetErrorString(e)), exit(1);
  printf("%s,%d\n", kOps[O].name, int(seed));
}

using Launch = void (*)(Table*, uint64_t, void*, uint32_t*);
template <int... O>
struct List {
  static constexpr Launch kLaunch[] = {launch<O>...};
};
template <int N, int... O>
struct Make : Make<N - 1, N - 1, O...> {};
template <int... O>
struct Make<0, O...> : List<O...> {};

// requests_probe SEED NAME...: one launch of each
int main(int argc, char** argv) {
  Table* t;
  uint32_t* out;
  void* memory;
  cudaMallocManaged(&t, sizeof *t);
  cudaMalloc(&out, 4096);
  cudaMemset(out, 0, 4096);
  cudaMalloc(&memory, kSpan + 4096);
  cudaMemset(memory, 0, kSpan);
  for (int a = 2; a < argc; ++a)
    for (int o = 0; o < kCount; ++o)
      if (!strcmp(argv[a], kOps[o].name) || !strcmp(argv[a], "all")) Make<kCount>::kLaunch[o](t, atoi(argv[1]), memory, out);
  return 0;
}
