#include <cuda_fp16.h>
// y = s * x + y, two halves a thread.
extern "C" __global__ void axpy_half(const __half2* x, const __half2* y, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hfma2(__float2half2_rn(0.5f), x[i], y[i]);
}
