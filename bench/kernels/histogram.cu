// How often each of 256 values occurs among `per_block` integers of the block: atomics on shared memory.
extern "C" __global__ void histogram(const int* values, int* counts, int per_block) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int* own = values + blockIdx.x * per_block;
  for (int i = threadIdx.x; i < per_block; i += 256) atomicAdd(&bins[own[i]], 1);
  __syncthreads();
  counts[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
