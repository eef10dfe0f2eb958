// Atomics of floats on edge values: scalar and packed ones in global and shared memory, and sm_90's vectors of them;
// what they leave and what they give: a hash of it, and with any argument the first words of all.
#include <cstdint>
#include <cstdio>

constexpr int kValues = 16, kPairs = kValues * kValues;
__constant__ uint32_t singles[kValues] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800001, 0x00000001, 0x80000003,
                                          0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                          0x7fc12345, 0x7f812345, 0xffffffff, 0x34000000};
__constant__ uint16_t halves[kValues] = {0x0000, 0x8000, 0x3c00, 0xbc01, 0x0001, 0x8003, 0x03ff, 0x0400,
                                         0x8400, 0x7bff, 0x7c00, 0xfc00, 0x7e12, 0x7d12, 0xffff, 0x1400};
__constant__ uint16_t brains[kValues] = {0x0000, 0x8000, 0x3f80, 0xbf81, 0x0001, 0x8003, 0x007f, 0x0080,
                                         0x8080, 0x7f7f, 0x7f80, 0xff80, 0x7fc1, 0x7f81, 0xffff, 0x3400};

struct Out {
  uint32_t left[8], given[8];
};
__device__ Out out[kPairs];
__device__ __align__(32) uint32_t places[kPairs][8];

// `n` words or halves at the thread's place are set to `a`, `b` is combined with them.
template <typename F>
__device__ void words(uint32_t* at, uint32_t a, int n, F operation) {
  for (int i = 0; i < n; i++) at[i] = a + (i == 3);
  __threadfence();
  uint32_t given[8] = {};
  operation(at, given);
  Out& o = out[threadIdx.x];
  for (int i = 0; i < 8; i++) o.given[i] = given[i], o.left[i] = i < n ? at[i] : 0;
}

#define KERNEL(name, table, n, body)                                                   \
  __global__ void name() {                                                             \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues]; \
    words(places[threadIdx.x], a, n, [&](uint32_t* at, uint32_t* d) {                  \
      (void)d;                                                                         \
      body                                                                             \
    });                                                                                \
  }
#define SHARED_KERNEL(name, table, n, body)                                            \
  __global__ void name() {                                                             \
    __shared__ uint32_t own[kPairs][n];                                                \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues]; \
    words(own[threadIdx.x], a, n, [&](uint32_t* at, uint32_t* d) {                     \
      const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(at));      \
      (void)d;                                                                         \
      body                                                                             \
    });                                                                                \
  }

KERNEL(atom_add_f32, singles, 1,
       asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=r"(d[0]) : "l"(at), "r"(b) : "memory");)
KERNEL(red_add_f32, singles, 1, asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "r"(b) : "memory");)
SHARED_KERNEL(atom_shared_add_f32, singles, 1,
              asm volatile("atom.shared.add.f32 %0, [%1], %2;" : "=r"(d[0]) : "r"(place), "r"(b) : "memory");)
SHARED_KERNEL(red_shared_add_f32, singles, 1,
              asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(place), "r"(b) : "memory");)
__device__ uint32_t pair(uint32_t low) { return low | low << 16; }
#define HALF(table, type)                                                                                              \
  __global__ void atom_add_##type##x2() {                                                                              \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues];                                 \
    words(places[threadIdx.x], pair(a), 1, [&](uint32_t* at, uint32_t* d) {                                            \
      asm volatile("atom.global.add.noftz." #type "x2 %0, [%1], %2;" : "=r"(d[0]) : "l"(at), "r"(pair(b)) : "memory"); \
    });                                                                                                                \
  }                                                                                                                    \
  __global__ void atom_shared_add_##type##x2() {                                                                       \
    __shared__ uint32_t own[kPairs];                                                                                   \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues];                                 \
    words(&own[threadIdx.x], pair(a), 1, [&](uint32_t* at, uint32_t* d) {                                              \
      asm volatile("atom.shared.add.noftz." #type "x2 %0, [%1], %2;"                                                   \
                   : "=r"(d[0])                                                                                        \
                   : "r"(static_cast<unsigned>(__cvta_generic_to_shared(at))), "r"(pair(b))                            \
                   : "memory");                                                                                        \
    });                                                                                                                \
  }                                                                                                                    \
  VECTORS(table, type, add) VECTORS(table, type, min) VECTORS(table, type, max)
#define VECTORS(table, type, op)                                                                              \
  __global__ void atom_##op##_v4_##type##x2() {                                                               \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues];                        \
    words(places[threadIdx.x], pair(a), 4, [&](uint32_t* at, uint32_t* d) {                                   \
      asm volatile("atom.global." #op ".noftz.v4." #type "x2 {%0, %1, %2, %3}, [%4], {%5, %6, %5, %5};"       \
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                           \
                   : "l"(at), "r"(pair(b)), "r"(pair(b) ^ 0x8000)                                             \
                   : "memory");                                                                               \
    });                                                                                                       \
  }                                                                                                           \
  __global__ void red_##op##_v8_##type() {                                                                    \
    const uint32_t a = table[threadIdx.x / kValues], b = table[threadIdx.x % kValues];                        \
    words(places[threadIdx.x], pair(a), 4, [&](uint32_t* at, uint32_t* d) {                                   \
      asm volatile("red.global." #op ".noftz.v8." #type " [%0], {%1, %2, %1, %1, %1, %1, %1, %2};" ::"l"(at), \
                   "h"(static_cast<uint16_t>(b)), "h"(static_cast<uint16_t>(b ^ 0x8000))                      \
                   : "memory");                                                                               \
    });                                                                                                       \
  }
HALF(halves, f16)
HALF(brains, bf16)
KERNEL(atom_add_v4_f32, singles, 4,
       asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %5, %5};" : "=r"(d[0]), "=r"(d[1]),
                    "=r"(d[2]), "=r"(d[3]) : "l"(at), "r"(b), "r"(b ^ 0x80000000) : "memory");)
KERNEL(atom_add_v2_f32, singles, 2,
       asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=r"(d[0]), "=r"(d[1]) : "l"(at), "r"(b),
                    "r"(b ^ 0x80000000) : "memory");)
KERNEL(red_add_v4_f32, singles, 4,
       asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %1, %1};" ::"l"(at), "r"(b), "r"(b ^ 0x80000000) : "memory");)
KERNEL(red_add_v2_f32, singles, 2,
       asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(at), "r"(b), "r"(b ^ 0x80000000) : "memory");)

__constant__ uint64_t doubles[kValues] = {0,
                                          1ull << 63,
                                          0x3ffull << 52,
                                          1,
                                          0x7ffull << 52,
                                          0xfffull << 52,
                                          1ull << 52,
                                          0x7ff8000000001234,
                                          0xfff4000000000001,
                                          0x7ff0000000000001,
                                          0xffffffffffffffff,
                                          0x7fefffffffffffff,
                                          0xbffull << 52,
                                          3,
                                          0x8000000000000005,
                                          0x3ca0000000000000};
template <bool kShared>
__global__ void atom_add_f64() {
  __shared__ uint64_t own[kPairs];
  uint64_t* at = kShared ? &own[threadIdx.x] : reinterpret_cast<uint64_t*>(places[threadIdx.x]);
  *at = doubles[threadIdx.x / kValues];
  __threadfence();
  const uint64_t b = doubles[threadIdx.x % kValues];
  uint64_t given;
  if (kShared)
    asm volatile("atom.shared.add.f64 %0, [%1], %2;"
                 : "=l"(given)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(at))), "l"(b)
                 : "memory");
  else
    asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=l"(given) : "l"(at), "l"(b) : "memory");
  Out& o = out[threadIdx.x];
  o = Out{{uint32_t(*at), uint32_t(*at >> 32)}, {}};
}

// All threads of a warp on one place, and 8 places: what a sum becomes, and what the profiler counts.
__device__ __align__(16) float sums[32 * 4];
__global__ void one_place(float4* at) {
  float4 one = make_float4(1, 2, 3, 4);
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(one.x), "f"(one.y), "f"(one.z), "f"(one.w)
               : "memory");
}
__global__ void unit_stride(float4* at) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at + threadIdx.x), "f"(1.0f) : "memory");
}
__global__ void unit_stride_v2(float2* at) {
  asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(at + threadIdx.x), "f"(1.0f) : "memory");
}
__global__ void unit_stride_atom(float4* at, float4* old) {
  float4 d;
  asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %5, %5, %5};"
               : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w)
               : "l"(at + threadIdx.x), "f"(1.0f)
               : "memory");
  old[threadIdx.x] = d;
}

bool in_full = false;

void print(const char* name, void (*kernel)()) {
  kernel<<<1, kPairs>>>();
  static Out host[kPairs];
  if (cudaError_t e = cudaMemcpyFromSymbol(host, out, sizeof host); e != cudaSuccess) {
    printf("%s: %s\n", name, cudaGetErrorString(e));
    exit(1);
  }
  uint64_t hash = 14695981039346656037u;
  const auto add = [&](uint32_t x) { hash = (hash ^ x) * 1099511628211u; };
  for (const Out& o : host)
    for (int i = 0; i < 8; i++) add(o.left[i]), add(o.given[i]);
  printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
  for (int i = 0; i < kPairs && in_full; i++) {
    if (i % kValues == 0) printf(" ");
    printf(" %x/%x", host[i].left[0], host[i].given[0]);
    if (i % kValues == kValues - 1) printf("\n");
  }
}

int main(int argc, char**) {
  in_full = argc > 1;
#define PRINT(name) print(#name, name)
  PRINT(atom_add_f32), PRINT(red_add_f32), PRINT(atom_shared_add_f32), PRINT(red_shared_add_f32);
  PRINT(atom_add_f64<false>), PRINT(atom_add_f64<true>);
  PRINT(atom_add_v4_f32), PRINT(atom_add_v2_f32), PRINT(red_add_v4_f32), PRINT(red_add_v2_f32);
#define PRINT_HALF(t)                                                                 \
  PRINT(atom_add_##t##x2), PRINT(atom_shared_add_##t##x2);                            \
  PRINT(atom_add_v4_##t##x2), PRINT(atom_min_v4_##t##x2), PRINT(atom_max_v4_##t##x2); \
  PRINT(red_add_v8_##t), PRINT(red_min_v8_##t), PRINT(red_max_v8_##t)
  PRINT_HALF(f16);
  PRINT_HALF(bf16);
  float* at;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&at), sums);
  void* old;
  cudaMalloc(&old, 512);
  one_place<<<1, 32>>>(reinterpret_cast<float4*>(at));
  unit_stride<<<1, 32>>>(reinterpret_cast<float4*>(at));
  unit_stride_v2<<<1, 32>>>(reinterpret_cast<float2*>(at));
  unit_stride_atom<<<1, 32>>>(reinterpret_cast<float4*>(at), static_cast<float4*>(old));
  float host[128];
  cudaMemcpyFromSymbol(host, sums, sizeof host);
  for (float x : host) printf("%g ", x);
  printf("\n");
}
