// How many blocks of kernels of many shapes a GPU says that an SM holds, how much dynamic shared memory it says is
// available, and which launches it refuses for their registers:
//     nvcc -arch=sm_90 -std=c++17 -o occupancy_probe occupancy_probe.cu && ./occupancy_probe > rows.csv
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

constexpr int kValues = 300;  // more than a thread has registers

// Holds kValues numbers at once, so that it takes as many registers as it may.
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

template <int Bytes>
__global__ void fixed(char* p) {
  __shared__ char s[Bytes];
  s[threadIdx.x % Bytes] = p[0];
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x + 1) % Bytes];
}

template <int N>
__device__ void wait(int* p) {
  if constexpr (N > 0) {
    wait<N - 1>(p);
    asm volatile("barrier.cta.sync %0;" ::"n"(N - 1) : "memory");
    p[threadIdx.x] += N;
  }
}
template <int N>
__global__ void barriers(int* p) {
  wait<N>(p);
}

__global__ void plain(int* p) {
  extern __shared__ int s[];
  if (p) s[threadIdx.x] = p[0], p[threadIdx.x] = s[threadIdx.x ^ 1];
}

struct Kernel {
  const char* name;
  const void* function;
  int barriers = 0;
  cudaFuncAttributes attributes = {};
};

template <int... N>
void add_many(std::vector<Kernel>& list, std::integer_sequence<int, N...>) {
  (list.push_back({"many", reinterpret_cast<const void*>(many<N>)}), ...);
}
template <int... N>
void add_fixed(std::vector<Kernel>& list, std::integer_sequence<int, N...>) {
  (list.push_back({"fixed", reinterpret_cast<const void*>(fixed<N>), 1}), ...);
}
template <int... N>
void add_barriers(std::vector<Kernel>& list, std::integer_sequence<int, N...>) {
  (list.push_back({"barriers", reinterpret_cast<const void*>(barriers<N>), N}), ...);
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> list = {{"plain", reinterpret_cast<const void*>(plain)}};
  add_many(list,
           std::integer_sequence<int, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 47, 48,
                                 49, 55, 56, 57, 63, 64, 65, 71, 72, 73, 79, 80, 81, 87, 88, 89, 95, 96, 97, 103, 104,
                                 105, 111, 112, 113, 119, 120, 121, 127, 128, 129, 135, 136, 137, 144, 145, 152, 153,
                                 159, 160, 161, 167, 168, 169, 176, 177, 184, 185, 192, 193, 200, 201, 208, 209, 216,
                                 217, 224, 225, 232, 233, 240, 241, 247, 248, 249, 254, 255>());
  add_fixed(list, std::integer_sequence<int, 1, 1000, 1024, 4224, 16384, 33000, 49152>());
  add_barriers(list, std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16>());
  for (Kernel& kernel : list) cudaFuncGetAttributes(&kernel.attributes, kernel.function);
  return list;
}

void row(const Kernel& k, bool opted_in, int carveout, int threads, int dynamic) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.function, threads, dynamic);
  cudaGetLastError();
  std::printf("%s,%d,%zu,%d,%d,%d,%d,%d,%d\n", k.name, k.attributes.numRegs, k.attributes.sharedSizeBytes, k.barriers,
              opted_in, carveout, threads, dynamic, blocks);
}

void occupancy(const Kernel& k) {
  constexpr int kOptIn = 232448;  // of an H200
  const bool is_plain = !std::strcmp(k.name, "plain");
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int threads = 32; threads <= 1024; threads += 32) row(k, false, -1, threads, 0);
  for (int threads : {1, 31, 33, 100, 250, 500, 1000, 1023, 1025}) row(k, false, -1, threads, 0);
  const int most = kOptIn - static_cast<int>(k.attributes.sharedSizeBytes);
  for (bool opted_in : {false, true}) {
    if (opted_in) cudaFuncSetAttribute(k.function, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (is_plain)
      for (int dynamic :
           {0,      1,      127,    128,    129,    1023,   1024,   1025,   2047,  2048,  2049,   3072,   4096,
            4224,   6144,   6145,   6272,   6273,   8192,   10240,  12000,  12288, 13312, 14336,  15360,  15488,
            16000,  16384,  17000,  18000,  20000,  24576,  25000,  30000,  32768, 37000, 40000,  45000,  48000,
            49151,  49152,  49153,  56000,  57344,  57345,  65536,  76800,  76801, 98304, 100000, 102400, 110000,
            115712, 115713, 131072, 163840, 166912, 200000, 232447, 232448, 232449})
        for (int threads : {32, 64, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024})
          row(k, opted_in, -1, threads, dynamic);
  }
  for (int i = 0; i < 40; ++i) {
    const int threads = 1 + next() % 1024;
    row(k, true, -1, threads, next() % (i % 2 ? most : 20000));
  }
  if (!is_plain && k.barriers < 2 && k.attributes.sharedSizeBytes != 16384) return;
  for (int percent : {0, 1, 3, 4, 7, 8, 10, 14, 15, 25, 28, 29, 43, 44, 45, 50, 58, 59, 72, 75, 86, 87, 99, 100}) {
    cudaFuncSetAttribute(k.function, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    for (int dynamic : {0, 1000, 1024, 2048, 4096, 7000, 8192, 16384, 31000, 40000, 65536, 100000, 200000, 231000})
      for (int threads : {32, 128, 512})
        if (dynamic <= most) row(k, true, percent, threads, dynamic);
  }
  cudaFuncSetAttribute(k.function, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
}

void available(const Kernel& k) {
  for (int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 16, 20, 24, 31, 32, 33})
    for (int threads : {32, 100, 128, 256, 512, 1024}) {
      size_t bytes = 0;
      const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, k.function, blocks, threads);
      std::printf("available,%s,%d,%zu,%d,%d,%zu,%s\n", k.name, k.attributes.numRegs, k.attributes.sharedSizeBytes,
                  blocks, threads, bytes, cudaGetErrorName(error));
      cudaGetLastError();
    }
}

void launches(const Kernel& k, float* p) {
  int n = 0;
  void* arguments[] = {&p, &n};
  for (int threads :
       {192, 224, 256, 288, 320, 384, 416, 480, 512, 544, 576, 640, 672, 704, 768, 800, 896, 960, 992, 1000, 1024}) {
    const cudaError_t error = cudaLaunchKernel(k.function, dim3(1), dim3(threads), arguments, 0, 0);
    std::printf("launch,%d,%d,%s\n", k.attributes.numRegs, threads, cudaGetErrorName(error));
    cudaDeviceSynchronize();
    cudaGetLastError();
  }
}

int main() {
  float* p;
  cudaMalloc(&p, 1 << 22);
  cudaMemset(p, 0, 1 << 22);
  const std::vector<Kernel> all = kernels();
  std::printf("kernel,registers,static,barriers,opted_in,carveout,threads,dynamic,blocks\n");
  for (const Kernel& k : all) occupancy(k);
  for (const Kernel& k : all) available(k);
  for (const Kernel& k : all)
    if (!std::strcmp(k.name, "many")) launches(k, p);
}
