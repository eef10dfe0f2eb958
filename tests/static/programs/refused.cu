// Calls functions that are not served: each must come back with an error, whatever its type.
#include <cuda_runtime.h>
#include <stdio.h>

int main() {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaError_t error = cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(&array), &format,
                                               make_cudaExtent(4, 4, 0), 1);
  printf("%d %s\n", format.x, cudaGetErrorName(error));
}
