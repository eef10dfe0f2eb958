// What the cubins beside this were made from:  README.md says how.
#include <cstdio>

__constant__ float factors[4];
__device__ int total = 3;
__device__ int zeros[10];
__managed__ int switched;

struct Pair {
  int first;
  double second;
};

__device__ float twice(float x) {
  return x * 2 + factors[1];
}

__device__ float nested(float x) {
  float y = twice(x);
  return y + 1;
}

__device__ __noinline__ float apart(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * factors[i & 3] + 1;
  return x;
}

__global__ void __launch_bounds__(128) simple(float* out, Pair pair, short n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = nested(out[threadIdx.x]);
  __syncthreads();
  out[n] = tile[pair.first] + zeros[n] + apart(switched, n);
  if (n == 7) printf("%d\n", total);
}

__global__ void jumps(int* out, int n) {
  int value = 0;
  asm volatile(
      "{\n\t"
      "places: .branchtargets A, B, C;\n\t"
      "brx.idx %1, places;\n\t"
      "A: ld.global.u32 %0, [%2]; bra D;\n\t"
      "B: ld.global.u32 %0, [%2+4]; bra D;\n\t"
      "C: mov.u32 %0, 5;\n\t"
      "D:\n\t"
      "}"
      : "=r"(value)
      : "r"(n), "l"(out));
  out[n] = value;
}
