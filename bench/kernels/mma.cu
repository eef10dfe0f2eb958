#include <mma.h>
// c = a * b of halves, a warp for each 16 x 16 elements.
extern "C" __global__ void mma(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> part_a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> part_b;
  fragment<accumulator, 16, 16, 16, float> sum;
  int row = blockIdx.y * 16, column = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(part_a, a + row * n + k, n);
    load_matrix_sync(part_b, b + k * n + column, n);
    mma_sync(sum, part_a, part_b, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
