// Calls functions that are not served: each must come back with an error, whatever its type.
#include <cuda_runtime.h>
#include <stdio.h>

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaIpcEventHandle_t handle;
  cudaError_t error = cudaIpcGetEventHandle(&handle, nullptr);
  printf("%d %s\n", format.x, cudaGetErrorName(error));
}
