// What programs ask of the runtime besides launches; each line says what came out.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

struct Mixed {
  char c;
  double d;
  short s[3];
};
__device__ int counter = 7;
__constant__ float scale[4];
__managed__ int total = 100;
__device__ float matrix[4][8];

__global__ void by_value(Mixed m, char a, float3 v, short b, double* out) {
  out[0] = m.c + m.d + m.s[0] + m.s[1] + m.s[2];
  out[1] = a + v.x + v.y + v.z + b;
}
__global__ void scaled(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= scale[i % 4];
}
__global__ void use_variables() {
  counter += 1;
  total += 11;
  matrix[threadIdx.y][threadIdx.x] = threadIdx.y * 10.0f + threadIdx.x;
}
__global__ void reverse(int* data, int n) {
  extern __shared__ int window[];
  window[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = window[n - 1 - threadIdx.x];
}

static void check(const char* what, cudaError_t e) {
  if (e != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorString(e));
}
#define CHECK(call) check(#call, call)

static void on_host(void* data) { *(int*)data += 1; }

int main() {
  double* out;
  double pair[2];
  CHECK(cudaMalloc(&out, sizeof pair));
  Mixed m = {3, 0.5, {10, 20, 30}};
  by_value<<<1, 1>>>(m, 4, make_float3(1, 2, 3), 5, out);
  CHECK(cudaMemcpy(pair, out, sizeof pair, cudaMemcpyDeviceToHost));
  printf("by value %g %g\n", pair[0], pair[1]);

  float factors[4] = {1, 2, 3, 4}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  float* data;
  CHECK(cudaMemcpyToSymbol(scale, factors, sizeof factors));
  CHECK(cudaMallocManaged(&data, sizeof ones));
  memcpy(data, ones, sizeof ones);
  scaled<<<1, 32>>>(data, 8);
  CHECK(cudaDeviceSynchronize());
  printf("scaled %g %g %g %g %g\n", data[0], data[1], data[2], data[3], data[7]);

  use_variables<<<1, dim3(8, 4)>>>();
  CHECK(cudaDeviceSynchronize());
  float row[8];
  CHECK(cudaMemcpyFromSymbol(row, matrix, sizeof row, 2 * 8 * sizeof(float)));
  printf("managed %d row %g %g\n", total > 100, row[0], row[7]);

  int *pinned, *mapped, host[64];
  CHECK(cudaMallocHost(&pinned, 64 * sizeof(int)));
  for (int i = 0; i < 64; i++) pinned[i] = i;
  CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  reverse<<<1, 64, 64 * sizeof(int)>>>(mapped, 64);
  CHECK(cudaDeviceSynchronize());
  printf("mapped %d %d\n", pinned[0], pinned[63]);

  cudaStream_t stream;
  cudaEvent_t start, stop;
  int *d, calls = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMallocAsync(&d, 64 * sizeof(int), stream));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(d, pinned, 64 * sizeof(int), cudaMemcpyHostToDevice, stream));
  reverse<<<1, 64, 64 * sizeof(int), stream>>>(d, 64);
  CHECK(cudaLaunchHostFunc(stream, on_host, &calls));
  CHECK(cudaMemcpyAsync(host, d, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  printf("stream %d %d calls %d elapsed %d\n", host[0], host[63], calls, ms > 0);
  CHECK(cudaFreeAsync(d, stream));

  size_t pitch;
  char *plane, from[3][5] = {"abcd", "efgh", "ijkl"}, to[3][5] = {};
  CHECK(cudaMallocPitch(&plane, &pitch, 5, 3));
  CHECK(cudaMemcpy2D(plane, pitch, from, 5, 5, 3, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(to, 5, plane, pitch, 5, 3, cudaMemcpyDeviceToHost));
  printf("pitched %s %s %s\n", to[0], to[1], to[2]);

  int n = 8;
  void* arguments[] = {&data, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)scaled, dim3(132), dim3(256), arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  cudaError_t too_many = cudaLaunchCooperativeKernel((void*)scaled, dim3(132 * 8 + 1), dim3(256), arguments, 0, 0);
  printf("cooperative %g %s\n", data[1], cudaGetErrorName(too_many));
  cudaGetLastError();

  cudaDeviceProp p;
  int blocks;
  CHECK(cudaGetDeviceProperties(&p, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled, 256, 0));
  printf("device %s %d.%d warp %d blocks %d\n", p.name, p.major, p.minor, p.warpSize, blocks);
}
