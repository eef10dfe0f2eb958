// Thrust, CUB and libcu++, from NVIDIA's CCCL.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda/std/tuple>

__global__ void standard(int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(out[0]);
  count.fetch_add(2, cuda::std::memory_order_relaxed);
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> most;
  if (threadIdx.x == 0) most.store(0);
  __syncthreads();
  most.fetch_max(threadIdx.x);
  __syncthreads();
  cuda::std::tuple<int, float> pair{1, 2.f};
  if (threadIdx.x == 0) out[1] = most.load() + cuda::std::get<0>(pair) + cuda::std::numeric_limits<short>::max();
}

__global__ void block(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[2] = sum;
}

struct Shuffled {
  __host__ __device__ int operator()(int x) const { return x * 7919 % 1000; }
};

int main() {
  constexpr int kCount = 4000;
  int *in, *out;
  cudaMallocManaged(&in, kCount * sizeof *in);
  cudaMallocManaged(&out, 16 * sizeof *out);
  for (int i = 0; i < kCount; ++i) in[i] = i;
  standard<<<1, 64>>>(out);
  block<<<1, 128>>>(in, out);
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(storage, bytes, in, out + 3, kCount);
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Sum(storage, bytes, in, out + 3, kCount);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);

  thrust::device_vector<int> numbers(1000), shuffled(1000);
  thrust::sequence(numbers.begin(), numbers.end());
  thrust::transform(numbers.begin(), numbers.end(), shuffled.begin(), Shuffled());
  std::printf("%d %d\n", static_cast<int>(shuffled[1]), thrust::reduce(shuffled.begin(), shuffled.end()));
  thrust::sort(shuffled.begin(), shuffled.end());
  for (int i : {0, 1, 500, 999}) std::printf("%d ", static_cast<int>(shuffled[i]));
  std::printf("\n");
}
