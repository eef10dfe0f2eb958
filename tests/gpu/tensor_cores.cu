// What the matrix instructions compute, and which lane's register holds which element: a line a case, with a hash of all
// that was computed. `tensor_cores FILE` writes the values themselves, 32 bits each; `tensor_cores wmma` does no others.
// tensor_cores.h200.txt is what an H200 prints.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "matrix_cases.cuh"

using namespace nvcuda;

#define MMA(id, instruction, ta, tc, na, nb, nc)                                                              \
  struct id {                                                                                                 \
    static constexpr int kRegisters = nc;                                                                     \
    static __device__ void run(const uint64_t* a, const uint64_t* b, const uint64_t* c, uint64_t* d,           \
                               const uint64_t*) {                                                               \
      asm volatile("{.reg ." ta " a<8>, b<8>;.reg ." tc " c<8>, d<8>;" L##na(ta, "a", "%0") L##nb(ta, "b", "%1") \
                       L##nc(tc, "c", "%2") instruction " " V##nc("d") "," V##na("a") "," V##nb("b") "," V##nc("c") \
                           ";" S##nc(tc) "}" ::"l"(a), "l"(b), "l"(c), "l"(d)                                   \
                   : "memory");                                                                               \
    }                                                                                                         \
  };

#define F(shape, dt, at, bt, ct) "mma.sync.aligned." shape ".row.col." dt "." at "." bt "." ct
MMA(F16K8F16, F("m16n8k8", "f16", "f16", "f16", "f16"), "b32", "b32", 2, 1, 2)
MMA(F16K8F32, F("m16n8k8", "f32", "f16", "f16", "f32"), "b32", "b32", 2, 1, 4)
MMA(F16K16F16, F("m16n8k16", "f16", "f16", "f16", "f16"), "b32", "b32", 4, 2, 2)
MMA(F16K16F32, F("m16n8k16", "f32", "f16", "f16", "f32"), "b32", "b32", 4, 2, 4)
MMA(Bf16K8, F("m16n8k8", "f32", "bf16", "bf16", "f32"), "b32", "b32", 2, 1, 4)
MMA(Bf16K16, F("m16n8k16", "f32", "bf16", "bf16", "f32"), "b32", "b32", 4, 2, 4)
MMA(Tf32K4, F("m16n8k4", "f32", "tf32", "tf32", "f32"), "b32", "b32", 2, 1, 4)
MMA(Tf32K8, F("m16n8k8", "f32", "tf32", "tf32", "f32"), "b32", "b32", 4, 2, 4)
#define F8(id, k, x, y, na, nb)                                                      \
  MMA(id##F16, F("m16n8" k, "f16", x, y, "f16"), "b32", "b32", na, nb, 2)            \
  MMA(id##F32, F("m16n8" k, "f32", x, y, "f32"), "b32", "b32", na, nb, 4)
F8(F8K16, "k16", "e4m3", "e5m2", 2, 1)
F8(F8K32, "k32", "e4m3", "e4m3", 4, 2)
F8(F8K32Mixed, "k32", "e4m3", "e5m2", 4, 2)
F8(F8K32Wide, "k32", "e5m2", "e5m2", 4, 2)
MMA(F64M8, F("m8n8k4", "f64", "f64", "f64", "f64"), "b64", "b64", 1, 1, 2)
MMA(F64M8Rz, F("m8n8k4.rz", "f64", "f64", "f64", "f64"), "b64", "b64", 1, 1, 2)
MMA(F64M8Rm, F("m8n8k4.rm", "f64", "f64", "f64", "f64"), "b64", "b64", 1, 1, 2)
MMA(F64K16Rp, F("m16n8k16.rp", "f64", "f64", "f64", "f64"), "b64", "b64", 8, 4, 4)
MMA(F64K4, F("m16n8k4", "f64", "f64", "f64", "f64"), "b64", "b64", 2, 1, 4)
MMA(F64K8, F("m16n8k8", "f64", "f64", "f64", "f64"), "b64", "b64", 4, 2, 4)
MMA(F64K16, F("m16n8k16", "f64", "f64", "f64", "f64"), "b64", "b64", 8, 4, 4)
#define I(shape, x, y) "mma.sync.aligned." shape ".row.col.s32." x "." y ".s32"
#define IS(shape, x, y) "mma.sync.aligned." shape ".row.col.satfinite.s32." x "." y ".s32"
#define INTEGERS(id, x, y, k0, k1, k2)                    \
  MMA(id##M8, I("m8n8" k0, x, y), "b32", "b32", 1, 1, 2)    \
  MMA(id##M16, I("m16n8" k1, x, y), "b32", "b32", 2, 1, 4)  \
  MMA(id##Long, I("m16n8" k2, x, y), "b32", "b32", 4, 2, 4) \
  MMA(id##Sat, IS("m16n8" k2, x, y), "b32", "b32", 4, 2, 4) \
  MMA(id##SatM8, IS("m8n8" k0, x, y), "b32", "b32", 1, 1, 2)
INTEGERS(S8S8, "s8", "s8", "k16", "k16", "k32")
INTEGERS(S8U8, "s8", "u8", "k16", "k16", "k32")
INTEGERS(U8S8, "u8", "s8", "k16", "k16", "k32")
INTEGERS(U8U8, "u8", "u8", "k16", "k16", "k32")
INTEGERS(S4S4, "s4", "s4", "k32", "k32", "k64")
INTEGERS(S4U4, "s4", "u4", "k32", "k32", "k64")
INTEGERS(U4U4, "u4", "u4", "k32", "k32", "k64")
#define BITS(id, op)                                                                                    \
  MMA(id##M8, I("m8n8k128", "b1", "b1") "." op ".popc", "b32", "b32", 1, 1, 2)                          \
  MMA(id##M16, I("m16n8k128", "b1", "b1") "." op ".popc", "b32", "b32", 2, 1, 4)                        \
  MMA(id##Long, I("m16n8k256", "b1", "b1") "." op ".popc", "b32", "b32", 4, 2, 4)
BITS(Xor, "xor")
BITS(And, "and")

static void all_mma() {
  mma<F16K8F16>("mma.m16n8k8.f16.f16", kF16, kF16, kF16);
  mma<F16K8F32>("mma.m16n8k8.f32.f16", kF16, kF16, kF32);
  mma<F16K16F16>("mma.m16n8k16.f16.f16", kF16, kF16, kF16);
  mma<F16K16F32>("mma.m16n8k16.f32.f16", kF16, kF16, kF32);
  mma<Bf16K8>("mma.m16n8k8.f32.bf16", kBf16, kBf16, kF32);
  mma<Bf16K16>("mma.m16n8k16.f32.bf16", kBf16, kBf16, kF32);
  mma<Tf32K4>("mma.m16n8k4.f32.tf32", kF32, kF32, kF32);
  mma<Tf32K8>("mma.m16n8k8.f32.tf32", kF32, kF32, kF32);
  mma<F8K16F16>("mma.m16n8k16.f16.e4m3.e5m2", kE4m3, kE5m2, kF16);
  mma<F8K16F32>("mma.m16n8k16.f32.e4m3.e5m2", kE4m3, kE5m2, kF32);
  mma<F8K32F16>("mma.m16n8k32.f16.e4m3.e4m3", kE4m3, kE4m3, kF16);
  mma<F8K32F32>("mma.m16n8k32.f32.e4m3.e4m3", kE4m3, kE4m3, kF32);
  mma<F8K32MixedF16>("mma.m16n8k32.f16.e4m3.e5m2", kE4m3, kE5m2, kF16);
  mma<F8K32MixedF32>("mma.m16n8k32.f32.e4m3.e5m2", kE4m3, kE5m2, kF32);
  mma<F8K32WideF16>("mma.m16n8k32.f16.e5m2.e5m2", kE5m2, kE5m2, kF16);
  mma<F8K32WideF32>("mma.m16n8k32.f32.e5m2.e5m2", kE5m2, kE5m2, kF32);
  mma<F64M8>("mma.m8n8k4.f64", kF64, kF64, kF64);
  mma<F64M8Rz>("mma.m8n8k4.rz.f64", kF64, kF64, kF64);
  mma<F64M8Rm>("mma.m8n8k4.rm.f64", kF64, kF64, kF64);
  mma<F64K4>("mma.m16n8k4.f64", kF64, kF64, kF64);
  mma<F64K8>("mma.m16n8k8.f64", kF64, kF64, kF64);
  mma<F64K16>("mma.m16n8k16.f64", kF64, kF64, kF64);
  mma<F64K16Rp>("mma.m16n8k16.rp.f64", kF64, kF64, kF64);
#define RUN_INTEGERS(id, name)                                 \
  mma<id##M8>("mma.m8n8." name, kByte, kByte, kInt);            \
  mma<id##M16>("mma.m16n8." name, kByte, kByte, kInt);          \
  mma<id##Long>("mma.m16n8.long." name, kByte, kByte, kInt);    \
  mma<id##Sat>("mma.m16n8.long.satfinite." name, kByte, kByte, kInt); \
  mma<id##SatM8>("mma.m8n8.satfinite." name, kByte, kByte, kInt);
  RUN_INTEGERS(S8S8, "s8.s8")
  RUN_INTEGERS(S8U8, "s8.u8")
  RUN_INTEGERS(U8S8, "u8.s8")
  RUN_INTEGERS(U8U8, "u8.u8")
  RUN_INTEGERS(S4S4, "s4.s4")
  RUN_INTEGERS(S4U4, "s4.u4")
  RUN_INTEGERS(U4U4, "u4.u4")
#define RUN_BITS(id, name)                                  \
  mma<id##M8>("mma.m8n8k128.b1." name, kByte, kByte, kInt);   \
  mma<id##M16>("mma.m16n8k128.b1." name, kByte, kByte, kInt); \
  mma<id##Long>("mma.m16n8k256.b1." name, kByte, kByte, kInt);
  RUN_BITS(Xor, "xor")
  RUN_BITS(And, "and")
}

// ---- moving matrices between shared memory and registers

#define MOVE(id, lds, sts)                                                                                        \
  __global__ void id(uint32_t* out, int stride) {                                                                 \
    __shared__ __align__(128) uint32_t tile[32 * 36];                                                             \
    for (int i = threadIdx.x; i < 32 * 36; i += 32) tile[i] = 0x10000 * (2 * i + 1) + 2 * i;                      \
    __syncwarp();                                                                                                 \
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile) + threadIdx.x * stride;                          \
    uint32_t r[4] = {};                                                                                           \
    asm volatile(lds : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");                      \
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = r[k];                                                  \
    __syncwarp();                                                                                                 \
    for (int i = threadIdx.x; i < 32 * 36; i += 32) tile[i] = 0;                                                  \
    __syncwarp();                                                                                                 \
    for (int k = 0; k < 4; k++) r[k] = 0x10000 * (8 * threadIdx.x + 2 * k + 1) + 8 * threadIdx.x + 2 * k;         \
    asm volatile(sts ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(at) : "memory");                           \
    __syncwarp();                                                                                                 \
    for (int i = threadIdx.x; i < 32 * 36; i += 32) out[128 + i] = tile[i];                                       \
  }
#define Z1 "mov.b32 %1,0;mov.b32 %2,0;mov.b32 %3,0;"
#define Z2 "mov.b32 %2,0;mov.b32 %3,0;"
MOVE(move_x1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%4];" Z1,
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%4],{%0};")
MOVE(move_x2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%4];" Z2,
     "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%4],{%0,%1};")
MOVE(move_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];",
     "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4],{%0,%1,%2,%3};")
MOVE(move_x1_trans, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%4];" Z1,
     "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%4],{%0};")
MOVE(move_x2_trans, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%4];" Z2,
     "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%4],{%0,%1};")
MOVE(move_x4_trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];",
     "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4],{%0,%1,%2,%3};")

__global__ void transpose(uint32_t* out) {
  const uint32_t r = 0x10000 * (2 * threadIdx.x + 1) + 2 * threadIdx.x;
  uint32_t d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;" : "=r"(d) : "r"(r));
  out[threadIdx.x] = d;
}

static void all_moves() {
  uint32_t* out;
  cudaMallocManaged(&out, 4 * (128 + 32 * 36));
  const int n = 128 + 32 * 36;
#define RUN_MOVE(id)                    \
  for (int stride : {16, 32, 144}) {    \
    id<<<1, 32>>>(out, stride);         \
    cudaDeviceSynchronize();            \
    print(#id, stride == 16 ? "16" : stride == 32 ? "32" : "144", out, n); \
  }
  RUN_MOVE(move_x1)
  RUN_MOVE(move_x2)
  RUN_MOVE(move_x4)
  RUN_MOVE(move_x1_trans)
  RUN_MOVE(move_x2_trans)
  RUN_MOVE(move_x4_trans)
  transpose<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  print("movmatrix", "", out, 32);
  cudaFree(out);
}

// ---- wmma

template <class T>
struct Raw {
  static constexpr int kBits = sizeof(T) * 8;
  typedef T Stored;
};
template <>
struct Raw<wmma::precision::tf32> {
  static constexpr int kBits = 32;
  typedef float Stored;
};
template <>
struct Raw<wmma::experimental::precision::s4> {
  static constexpr int kBits = 4;
  typedef int Stored;
};
template <>
struct Raw<wmma::experimental::precision::u4> {
  static constexpr int kBits = 4;
  typedef unsigned Stored;
};
template <>
struct Raw<wmma::experimental::precision::b1> {
  static constexpr int kBits = 1;
  typedef unsigned Stored;
};

constexpr int kTile = 32 * 128;  // bytes of shared memory that hold any of the matrices, with any stride used here
template <class Fragment>
__device__ int put(const Fragment& f, uint32_t* out, int at) {
  for (int i = 0; i < f.num_storage_elements; i++) {
    uint64_t bits = 0;
    memcpy(&bits, &f.x[i], sizeof f.x[i]);
    out[at + (i * 32 + threadIdx.x) * 2] = (uint32_t)bits;
    out[at + (i * 32 + threadIdx.x) * 2 + 1] = (uint32_t)(bits >> 32);
  }
  return at + f.num_storage_elements * 64;
}

// The registers of a fragment: of a matrix whose elements are bits `pass`, ... of their own number.
template <class Use, int M, int N, int K, class T, class Layout, bool Shared>
__global__ void load_fragment(uint8_t* memory, uint32_t* out, int stride, int elements, int pass) {
  typedef typename Raw<T>::Stored Stored;
  __shared__ __align__(256) uint8_t tile[kTile];
  uint8_t* to = Shared ? tile : memory;
  constexpr int bits = Raw<T>::kBits;
  for (int i = threadIdx.x; i < kTile; i += 32) to[i] = 0;
  __syncwarp();
  if (threadIdx.x == 0)
    for (int e = 0; e < elements; e++) {
      const uint64_t v = bits >= 16 ? e : (e >> (pass * bits)) & ((1 << (bits & 31)) - 1);
      for (int k = 0; k < (bits + 7) / 8; k++) to[e * bits / 8 + k] |= (uint8_t)((v >> (8 * k)) << (e * bits % 8));
    }
  __syncwarp();
  wmma::fragment<Use, M, N, K, T, Layout> f;
  wmma::load_matrix_sync(f, (const Stored*)to, stride);
  put(f, out, 0);
}
template <int M, int N, int K, class T, bool Shared>
__global__ void load_accumulator(uint8_t* memory, uint32_t* out, uint8_t* back, int stride, wmma::layout_t layout) {
  __shared__ __align__(256) T tile[kTile / sizeof(T)];
  T* to = Shared ? tile : (T*)memory;
  for (int i = threadIdx.x; i < kTile / (int)sizeof(T); i += 32) {
    const uint64_t bits = i;
    memcpy(&to[i], &bits, sizeof(T));
  }
  __syncwarp();
  wmma::fragment<wmma::accumulator, M, N, K, T> f;
  wmma::load_matrix_sync(f, to, stride, layout);
  put(f, out, 0);
  __syncwarp();
  const uint64_t zero = 0;
  for (int i = threadIdx.x; i < kTile / (int)sizeof(T); i += 32) memcpy(&to[i], &zero, sizeof(T));
  __syncwarp();
  wmma::store_matrix_sync(to, f, stride, layout);
  __syncwarp();
  for (int i = threadIdx.x; i < kTile; i += 32) back[i] = ((uint8_t*)to)[i];
}

struct Buffers {
  uint8_t *memory, *back;
  uint32_t* out;
};
static Buffers buffers() {
  static Buffers b = {};
  if (b.out) return b;
  cudaMallocManaged(&b.memory, kTile);
  cudaMallocManaged(&b.back, kTile);
  cudaMallocManaged(&b.out, 65536);
  return b;
}
static void done(const char* name) {
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(e)), exit(1);
}

template <class Use, int M, int N, int K, class T, class Layout>
static void fragment(const char* name, int rows, int columns) {
  constexpr bool row_major = std::is_same<Layout, wmma::row_major>::value;
  constexpr bool is_a = std::is_same<Use, wmma::matrix_a>::value;
  Buffers b = buffers();
  const int bits = Raw<T>::kBits, stride = row_major ? columns : rows, elements = rows * columns;
  for (int shared = 0; shared < 2; shared++)
    for (int pass = 0; pass < (bits >= 16 ? 1 : bits == 8 ? 2 : bits == 4 ? 3 : 10); pass++) {
      memset(b.out, 0, 65536);
      if (shared)
        load_fragment<Use, M, N, K, T, Layout, true><<<1, 32>>>(b.memory, b.out, stride, elements, pass);
      else
        load_fragment<Use, M, N, K, T, Layout, false><<<1, 32>>>(b.memory, b.out, stride, elements, pass);
      done(name);
      char full[80];
      snprintf(full, sizeof full, "%s.%s.%s%s", name, is_a ? "a" : "b", row_major ? "row" : "col", shared ? ".shared" : "");
      const char* passes[] = {"", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
      wmma::fragment<Use, M, N, K, T, Layout> f;
      print(full, passes[pass], b.out, f.num_storage_elements * 64);
    }
}
template <int M, int N, int K, class T>
static void accumulator(const char* name) {
  Buffers b = buffers();
  for (int shared = 0; shared < 2; shared++)
    for (wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
      const int stride = layout == wmma::mem_row_major ? N : M;
      memset(b.out, 0, 65536);
      if (shared)
        load_accumulator<M, N, K, T, true><<<1, 32>>>(b.memory, b.out, b.back, stride, layout);
      else
        load_accumulator<M, N, K, T, false><<<1, 32>>>(b.memory, b.out, b.back, stride, layout);
      done(name);
      char full[80];
      snprintf(full, sizeof full, "%s.c.%s%s", name, layout == wmma::mem_row_major ? "row" : "col", shared ? ".shared" : "");
      wmma::fragment<wmma::accumulator, M, N, K, T> f;
      print(full, "", b.out, f.num_storage_elements * 64);
      print(full, "stored", (uint32_t*)b.back, kTile / 4);
    }
}

// A product by fragments, from memory to memory.
template <int M, int N, int K, class T, class C, class D, class LA, class LB, bool Sat>
__global__ void multiply(const uint64_t* a, const uint64_t* b, const uint64_t* c, D* d) {
  typedef typename Raw<T>::Stored Stored;
  const int w = blockIdx.x, bits = Raw<T>::kBits;
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  constexpr bool ra = std::is_same<LA, wmma::row_major>::value, rb = std::is_same<LB, wmma::row_major>::value;
  wmma::load_matrix_sync(fa, (const Stored*)((const char*)a + w * (M * K * bits / 8)), ra ? K : M);
  wmma::load_matrix_sync(fb, (const Stored*)((const char*)b + w * (K * N * bits / 8)), rb ? N : K);
  wmma::load_matrix_sync(fc, (const C*)c + w * M * N, N, wmma::mem_row_major);
  if constexpr (Sat)
    wmma::mma_sync(fd, fa, fb, fc, true);
  else
    wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d + w * M * N, fd, N, wmma::mem_row_major);
}
template <int M, int N, int K, class T>
__global__ void multiply_bits(const uint64_t* a, const uint64_t* b, const uint64_t* c, int* d, wmma::experimental::bmmaBitOp op) {
  const int w = blockIdx.x;
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, int> fc, fd;
  wmma::load_matrix_sync(fa, (const unsigned*)((const char*)a + w * M * K / 8), K);
  wmma::load_matrix_sync(fb, (const unsigned*)((const char*)b + w * K * N / 8), K);
  wmma::load_matrix_sync(fc, (const int*)c + w * M * N, N, wmma::mem_row_major);
  if (op == wmma::experimental::bmmaBitOpXOR)
    wmma::bmma_sync(fd, fa, fb, fc, wmma::experimental::bmmaBitOpXOR);
  else
    wmma::bmma_sync(fd, fa, fb, fc, wmma::experimental::bmmaBitOpAND);
  wmma::store_matrix_sync(d + w * M * N, fd, N, wmma::mem_row_major);
}

// fill() writes 8-byte slots; this packs their low halves, so that matrices lie densely.
__global__ void pack(uint64_t* slots, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) ((uint32_t*)slots)[i] = (uint32_t)slots[i];
}
static void fill_dense(uint64_t* slots, Format f, int kind, int seed, int scale) {
  fill<<<kWords / 256, 256>>>(slots, f, kind, seed, scale);
  if (f.bits != 64) pack<<<1, 1>>>(slots, kWords / 2);
}

template <int M, int N, int K, class T, class C, class D, class LA, class LB, bool Sat = false>
static void product(const char* name, Format fa, Format fc) {
  Operands o = operands();
  for (int kind = 0; kind < (fa.exponent ? kClasses : 2); kind++) {
    fill_dense(o.a, fa, kind, 4, 1);
    fill_dense(o.b, fa, kind, 5, 1);
    fill_dense(o.c, fc, kind, 6, 2);
    cudaMemset(o.d, 0, kWords * 8);
    multiply<M, N, K, T, C, D, LA, LB, Sat><<<kCases, 32>>>(o.a, o.b, o.c, (D*)o.d);
    done(name);
    print(name, class_name(kind), (uint32_t*)o.d, kCases * M * N * sizeof(D) / 4);
  }
}

using wmma::col_major;
using wmma::row_major;
template <int M, int N, int K, class T>
static void fragments(const char* name) {
  fragment<wmma::matrix_a, M, N, K, T, row_major>(name, M, K);
  fragment<wmma::matrix_b, M, N, K, T, col_major>(name, K, N);
  if constexpr (Raw<T>::kBits >= 8) {
    fragment<wmma::matrix_a, M, N, K, T, col_major>(name, M, K);
    fragment<wmma::matrix_b, M, N, K, T, row_major>(name, K, N);
  }
}
template <int M, int N, int K>
static void sixteen(const char* shape) {
  char name[64];
  const auto named = [&](const char* what) {
    snprintf(name, sizeof name, "wmma.%s.%s", shape, what);
    return name;
  };
  fragments<M, N, K, half>(named("f16"));
  fragments<M, N, K, __nv_bfloat16>(named("bf16"));
  fragments<M, N, K, signed char>(named("s8"));
  fragments<M, N, K, unsigned char>(named("u8"));
  accumulator<M, N, K, half>(named("f16"));
  accumulator<M, N, K, float>(named("f32"));
  accumulator<M, N, K, int>(named("s32"));
  product<M, N, K, half, half, half, row_major, col_major>(named("f16.f16"), kF16, kF16);
  product<M, N, K, half, float, float, row_major, col_major>(named("f32.f32"), kF16, kF32);
  product<M, N, K, half, half, float, row_major, row_major>(named("f32.f16"), kF16, kF16);
  product<M, N, K, half, float, half, col_major, col_major>(named("f16.f32"), kF16, kF32);
  product<M, N, K, __nv_bfloat16, float, float, col_major, row_major>(named("bf16"), kBf16, kF32);
  product<M, N, K, signed char, int, int, row_major, col_major>(named("s8"), kByte, kInt);
  product<M, N, K, unsigned char, int, int, col_major, row_major>(named("u8"), kByte, kInt);
  product<M, N, K, signed char, int, int, row_major, col_major, true>(named("s8.satfinite"), kByte, kInt);
}

static void all_wmma() {
  namespace p = wmma::experimental::precision;
  sixteen<16, 16, 16>("m16n16k16");
  sixteen<32, 8, 16>("m32n8k16");
  sixteen<8, 32, 16>("m8n32k16");
  fragments<16, 16, 8, wmma::precision::tf32>("wmma.m16n16k8.tf32");
  accumulator<16, 16, 8, float>("wmma.m16n16k8.f32");
  product<16, 16, 8, wmma::precision::tf32, float, float, row_major, col_major>("wmma.m16n16k8.tf32", kF32, kF32);
  fragments<8, 8, 4, double>("wmma.m8n8k4.f64");
  accumulator<8, 8, 4, double>("wmma.m8n8k4.f64");
  product<8, 8, 4, double, double, double, row_major, col_major>("wmma.m8n8k4.f64", kF64, kF64);
  fragments<8, 8, 32, p::s4>("wmma.m8n8k32.s4");
  fragments<8, 8, 32, p::u4>("wmma.m8n8k32.u4");
  accumulator<8, 8, 32, int>("wmma.m8n8k32.s32");
  product<8, 8, 32, p::s4, int, int, row_major, col_major>("wmma.m8n8k32.s4", kByte, kInt);
  product<8, 8, 32, p::u4, int, int, row_major, col_major>("wmma.m8n8k32.u4", kByte, kInt);
  product<8, 8, 32, p::s4, int, int, row_major, col_major, true>("wmma.m8n8k32.s4.satfinite", kByte, kInt);
  fragments<8, 8, 128, p::b1>("wmma.m8n8k128.b1");
  accumulator<8, 8, 128, int>("wmma.m8n8k128.s32");
  Operands o = operands();
  for (auto op : {wmma::experimental::bmmaBitOpXOR, wmma::experimental::bmmaBitOpAND}) {
    fill_dense(o.a, kByte, Narrow, 4, 1);
    fill_dense(o.b, kByte, Narrow, 5, 1);
    fill_dense(o.c, kInt, Narrow, 6, 1);
    multiply_bits<8, 8, 128, p::b1><<<kCases, 32>>>(o.a, o.b, o.c, (int*)o.d, op);
    done("b1");
    print("wmma.m8n8k128.b1", op == wmma::experimental::bmmaBitOpXOR ? "xor" : "and", (uint32_t*)o.d, kCases * 64);
  }
}

int main(int argc, char** argv) {
  const bool only_wmma = argc > 1 && !strcmp(argv[1], "wmma");
  if (argc > 1 && !only_wmma) dump = fopen(argv[1], "wb");
  if (!only_wmma) {
    all_mma();
    all_moves();
  }
  all_wmma();
  if (dump) fclose(dump);
  return 0;
}
