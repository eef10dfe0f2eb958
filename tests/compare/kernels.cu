// Kernels with every kind of name that a profiler may print, each with accesses worth counting. The tables beside this
// file are what Nsight Compute exported of it on an H200; see profile.sh.
#include <cstdio>

namespace shapes {

template <typename T, int kStride>
__global__ void strided(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * kStride < n) out[i] = in[i * kStride];
}

struct Scale {
  float by;
  __device__ float operator()(float v) const { return by * v; }
};

template <typename F>
__global__ void apply(float* data, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = f(data[i]);
}

namespace {
__global__ void hidden(unsigned long long* out) { out[threadIdx.x ^ 1] = clock64() > 0; }
}  // namespace
}  // namespace shapes

__global__ void scale(float* data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void scale(double* data, double by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

extern "C" __global__ void columns(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void local_array(const int* index, float* out) {
  float values[16];
  for (int i = 0; i < 16; ++i) values[i] = index[i] * 0.5f;
  out[threadIdx.x] = values[index[threadIdx.x] & 15];
}

__global__ void histogram(const int* values, int* bins, int* returned, int n) {
  __shared__ int local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&local[values[i] & 63], 1);
    returned[i] = atomicAdd(&bins[values[i] & 7], 2);
    atomicMax(&bins[8], values[i]);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[16 + threadIdx.x], local[threadIdx.x]);
}

__global__ void branches(const int* values, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < (values[i] & 15); ++k) {
    if (values[k] & 1)
      sum += out[k] / (1.0f + k);
    else
      sum += __sinf(sum + k) * out[(k * 33) % n];
  }
  out[n + i] = sum;
}

int main() {
  const int n = 4096;
  int* values;
  float* data;
  double* doubles;
  unsigned long long* flags;
  int* bins;
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&data, 3 * n * sizeof(float));
  cudaMalloc(&doubles, n * sizeof(double));
  cudaMalloc(&flags, n * sizeof(unsigned long long));
  cudaMalloc(&bins, 2 * n * sizeof(int));
  int* host = new int[n];
  for (int i = 0; i < n; ++i) host[i] = int((i * 2654435761u) >> 20);
  cudaMemcpy(values, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(data, 0, 3 * n * sizeof(float));
  cudaMemset(doubles, 0, n * sizeof(double));
  cudaMemset(bins, 0, 2 * n * sizeof(int));
  shapes::strided<float, 1><<<16, 256>>>(data, data + n, n);
  shapes::strided<float, 4><<<4, 256>>>(data, data + n, n);
  shapes::strided<double, 2><<<8, 256>>>(doubles, doubles + n / 2, n / 2);
  shapes::strided<float, 4><<<4, 250>>>(data, data + n, n);
  shapes::apply<<<16, 256>>>(data, n, shapes::Scale{2});
  shapes::apply<<<16, 250>>>(data, n - 100, shapes::Scale{3});
  const float by = 3;
  shapes::apply<<<8, 128>>>(data, 1000, [by] __device__(float v) { return v + by; });
  shapes::hidden<<<2, 96>>>(flags);
  scale<<<16, 256>>>(data, 2.0f);
  scale<<<16, 256>>>(doubles, 2.0);
  scale<<<8, 256>>>(data, 0.5f);
  columns<<<4, dim3(32, 32)>>>(data, data + n);
  local_array<<<4, 64>>>(values, data);
  histogram<<<16, 256>>>(values, bins, bins + n, n);
  branches<<<16, 256>>>(values, data, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  delete[] host;
}
