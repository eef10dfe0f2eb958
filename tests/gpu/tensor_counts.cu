// Loads and stores of fragments, for two distances between lines: what they count on an H200 is in
// tensor_counts.h200.csv, a row a launch. Each kernel copies its matrix to shared memory word by word, which counts too.
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

using namespace nvcuda;

constexpr int kElements = 64 * 40;

template <class Use, int M, int N, int K, class T, class Layout, bool Shared>
__global__ void load(const T* matrix, uint32_t* out, int stride) {
  __shared__ __align__(256) T tile[kElements];
  if (Shared) {
    for (int i = threadIdx.x; i < kElements; i += 32) tile[i] = matrix[i];
    __syncwarp();
  }
  wmma::fragment<Use, M, N, K, T, Layout> f;
  wmma::load_matrix_sync(f, Shared ? (const T*)tile : matrix, stride);
  uint32_t sum = 0;
  for (int i = 0; i < f.num_storage_elements; i++) {
    uint32_t bits = 0;
    memcpy(&bits, &f.x[i], sizeof(T));
    sum = sum * 31 + bits;
  }
  out[threadIdx.x] = sum;
}

template <int M, int N, int K, class T, bool Shared>
__global__ void load_and_store(T* matrix, uint32_t* out, int stride, wmma::layout_t layout) {
  __shared__ __align__(256) T tile[kElements];
  for (int i = threadIdx.x; i < kElements; i += 32) tile[i] = matrix[i];
  __syncwarp();
  wmma::fragment<wmma::accumulator, M, N, K, T> f;
  T* p = Shared ? tile : matrix;
  wmma::load_matrix_sync(f, p, stride, layout);
  for (int i = 0; i < f.num_storage_elements; i++) f.x[i] = f.x[i] + f.x[i];
  __syncwarp();
  wmma::store_matrix_sync(p, f, stride, layout);
  __syncwarp();
  for (int i = threadIdx.x; i < kElements; i += 32) out[i] = *(uint16_t*)&tile[i];
}

int main() {
  void* m;
  uint32_t* out;
  cudaMallocManaged(&m, 1 << 16);
  cudaMallocManaged(&out, 1 << 16);
  using wmma::col_major;
  using wmma::matrix_a;
  using wmma::matrix_b;
  using wmma::row_major;
  half* h = (half*)m;
  float* f = (float*)m;
  signed char* s = (signed char*)m;
  for (int stride : {32, 40}) {
    const int bytes = stride == 40 ? 48 : 32;
    load<matrix_a, 16, 16, 16, half, row_major, true><<<1, 32>>>(h, out, stride);
    load<matrix_a, 16, 16, 16, half, col_major, true><<<1, 32>>>(h, out, stride);
    load<matrix_a, 32, 8, 16, half, row_major, true><<<1, 32>>>(h, out, stride);
    load<matrix_b, 32, 8, 16, half, row_major, true><<<1, 32>>>(h, out, stride);
    load<matrix_a, 16, 16, 16, half, col_major, false><<<1, 32>>>(h, out, stride);
    load<matrix_a, 32, 8, 16, signed char, row_major, true><<<1, 32>>>(s, out, bytes);
    load<matrix_a, 32, 8, 16, signed char, col_major, true><<<1, 32>>>(s, out, bytes);
    load<matrix_b, 32, 8, 16, signed char, row_major, false><<<1, 32>>>(s, out, bytes);
    load_and_store<16, 16, 16, half, true><<<1, 32>>>(h, out, stride, wmma::mem_row_major);
    load_and_store<16, 16, 16, half, true><<<1, 32>>>(h, out, stride, wmma::mem_col_major);
    load_and_store<16, 16, 16, float, true><<<1, 32>>>(f, out, stride, wmma::mem_row_major);
    load_and_store<16, 16, 16, float, true><<<1, 32>>>(f, out, stride, wmma::mem_col_major);
    load_and_store<8, 32, 16, float, false><<<1, 32>>>(f, out, stride, wmma::mem_row_major);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
