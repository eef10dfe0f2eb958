// Functions within functions: each access has a stack of calls.
#include <cuda_runtime.h>

#include <cstdio>

namespace data {
struct View {
  float* values;
  __device__ float get(int i) const { return values[i * 3]; }
  __device__ void put(int i, float x) {
    values[i] = x;
  }
};
}  // namespace data

template <typename T>
__device__ __forceinline__ T sum(const data::View& view, int i) {
  T first = view.get(i);
  T second = view.get(i + 1);
  return first + second;
}

__global__ void kernel(data::View view, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  float x = sum<float>(view, i);
  view.put(i, x);
}

int main() {
  float* values;
  cudaMalloc(&values, 1 << 12);
  cudaMemset(values, 0, 1 << 12);
  kernel<<<1, 64>>>(data::View{values}, 50);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
