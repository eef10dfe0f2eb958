// Two products and a sum.
#include <cstdio>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

int main() {
  cublasHandle_t handle;
  float *a, *c, one = 1, zero = 0, values[4] = {1, 0, 0, 1}, sum = 0;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (cudaMalloc((void **)&a, sizeof values) || cudaMalloc((void **)&c, sizeof values)) return 1;
  cublasSetMatrix(2, 2, sizeof(float), values, 2, a, 2);
  for (int i = 0; i < 2; i++) {
    cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) return std::printf("no OpenBLAS\n"), 0;
  }
  cublasSasum(handle, 4, c, 1, &sum);
  cublasGetMatrix(2, 2, sizeof(float), c, 2, values, 2);
  std::printf("%g %g %g\n", sum, values[0], values[1]);
  return cublasDestroy(handle);
}
