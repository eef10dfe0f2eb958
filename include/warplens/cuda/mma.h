// Warp matrix functions (nvcuda::wmma). The declarations let a file that uses them compile; the functions themselves are
// calls of names that say so, which Warplens refuses when a kernel that uses them is launched.
#pragma once
#pragma GCC system_header
#include "cuda_fp16.h"

#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
__device__ void __warplens_wmma_fill_fragment(void* fragment);
__device__ void __warplens_wmma_load_matrix_sync(void* fragment, const void* source, unsigned int stride);
__device__ void __warplens_wmma_store_matrix_sync(void* target, const void* fragment, unsigned int stride);
__device__ void __warplens_wmma_mma_sync(void* d, const void* a, const void* b, const void* c);
}

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

// Each lane of the warp holds its share of the elements.
template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment {
  static constexpr int num_elements = (M * N > K * N ? M * N : K * N) / 32;
  typedef T element_type;
  T x[num_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__device__ inline WARPLENS_NO_LINES void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) {
  for (T& element : f.x) element = value;
  __warplens_wmma_fill_fragment(&f);
}
template <typename Use, int M, int N, int K, typename T, typename Layout>
__device__ inline WARPLENS_NO_LINES void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const T* source, unsigned int stride) {
  __warplens_wmma_load_matrix_sync(&f, source, stride);
}
template <int M, int N, int K, typename T>
__device__ inline WARPLENS_NO_LINES void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* source, unsigned int stride,
                                        layout_t) {
  __warplens_wmma_load_matrix_sync(&f, source, stride);
}
template <int M, int N, int K, typename T>
__device__ inline WARPLENS_NO_LINES void store_matrix_sync(T* target, const fragment<accumulator, M, N, K, T>& f, unsigned int stride,
                                         layout_t) {
  __warplens_wmma_store_matrix_sync(target, &f, stride);
}
template <int M, int N, int K, typename TA, typename LA, typename TB, typename LB, typename TC, typename TD>
__device__ inline WARPLENS_NO_LINES void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
                                const fragment<matrix_b, M, N, K, TB, LB>& b,
                                const fragment<accumulator, M, N, K, TC>& c) {
  __warplens_wmma_mma_sync(&d, &a, &b, &c);
}

}  // namespace wmma
}  // namespace nvcuda
#endif
