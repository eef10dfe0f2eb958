// A float4 at an address that is no multiple of 16.
#include <cstdio>

__global__ void copy(const char* in, float4* out) {
  const float4* vector = reinterpret_cast<const float4*>(in + 4);
  out[threadIdx.x] = vector[threadIdx.x];
}

int main() {
  char* in;
  float4* out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  copy<<<1, 32>>>(in, out);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorMisalignedAddress ? 7 : 0;
}
