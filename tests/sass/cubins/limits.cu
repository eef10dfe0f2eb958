// What a launch must keep to, parameters beyond 4 KiB, and registers that are kept in local memory.
struct __align__(64) Big {
  char bytes[5000];
};

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) wide(const __grid_constant__ Big big, int* out) {
  out[threadIdx.x] = big.bytes[threadIdx.x];
}

__global__ void __block_size__((32, 4, 1)) shaped(int* out) {
  out[threadIdx.x] = threadIdx.y;
}

__global__ void __maxnreg__(24) spilling(float* out) {
  float x[40];
  for (int i = 0; i < 40; ++i) x[i] = out[i * 33];
  __syncthreads();
  for (int i = 0; i < 40; ++i) out[i * 37] = x[i] * x[39 - i];
}
