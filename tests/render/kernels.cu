// What the golden reports beside this file quote; never compiled.
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
	out[x * n + y] = tile[threadIdx.x][threadIdx.y];
}
__device__ float square(float v) { return v * v; }
__global__ void saxpy(float a, const float4* x, float4* y, int n, const int* index, const float* table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i].x = square(a * x[i].x) + table[index[i]]; /* a long remark to be cut off where the terminal ends, whatever its width */ }
}
