// What an H200 answered of kernels with many registers (tests/models/h200/occupancy_probe.cu has more of them), and
// which launches it took.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kValues = 300;  // more than a thread has registers

template <int Registers>
__global__ void __maxnreg__(Registers) many(float* p, int n) {
  float v[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) v[i] = p[i * 32 + threadIdx.x];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < kValues; ++i) v[i] = v[i] * v[(i + 1) % kValues] + 1.0f;
#pragma unroll
  for (int i = 0; i < kValues; ++i) p[i * 32 + threadIdx.x] = v[i];
}

__global__ void plain(int* p) {
  extern __shared__ int s[];
  if (p) s[threadIdx.x] = p[0], p[threadIdx.x] = s[threadIdx.x ^ 1];
}

template <typename F>
void answers(const char* name, F function) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, function);
  std::printf("%s: %d registers, up to %d bytes dynamic; blocks", name, a.numRegs, a.maxDynamicSharedSizeBytes);
  for (int threads : {32, 96, 256, 512, 896, 1024}) {
    int blocks = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0);
    std::printf(" %d", blocks);
  }
  std::printf("\n");
}

template <typename F>
void available(F function) {
  std::printf("available");
  for (int blocks : {1, 3, 5}) {
    size_t bytes = 0;
    const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, function, blocks, 256);
    std::printf(" %d/%zu", error, bytes);
    cudaGetLastError();
  }
  std::printf("\n");
}

int main() {
  float* p;
  cudaMalloc(&p, 1 << 22);
  cudaMemset(p, 0, 1 << 22);
  answers("plain", plain);
  available(plain);
  answers("many<40>", many<40>);
  answers("many<65>", many<65>);
  many<65><<<1, 896>>>(p, 0);
  std::printf("896 threads of 65 registers: %s\n", cudaGetErrorName(cudaGetLastError()));
  many<65><<<1, 1024>>>(p, 0);
  std::printf("1024 threads of 65 registers: %s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 32, 49152>>>(reinterpret_cast<int*>(p));
  std::printf("49152 bytes dynamic: %s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 32, 49153>>>(reinterpret_cast<int*>(p));
  std::printf("49153 bytes dynamic: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
