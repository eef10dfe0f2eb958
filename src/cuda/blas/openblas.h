// OpenBLAS, which does the arithmetic of matrices. It is looked for when first needed, so that neither a build nor a
// program that uses no cuBLAS depends on it. Its Fortran interface is used: the same arguments as cuBLAS's, column by
// column, everything by address.
#pragma once
#include <climits>
#include <initializer_list>

#include "cuda/blas/abi.h"

namespace warplens::cuda::blas {

using Int = int;  // LP64, as distributions have it
using Letter = const char*;

template <typename T>
struct OpenBlas {
  void (*gemm)(Letter opa, Letter opb, const Int* m, const Int* n, const Int* k, const T* alpha, const T* a,
               const Int* lda, const T* b, const Int* ldb, const T* beta, T* c, const Int* ldc);
  void (*gemv)(Letter op, const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, const T* x,
               const Int* incx, const T* beta, T* y, const Int* incy);
  void (*symv)(Letter fill, const Int* n, const T* alpha, const T* a, const Int* lda, const T* x, const Int* incx,
               const T* beta, T* y, const Int* incy);
  decltype(symv) hemv;  // as symv for real numbers
  void (*trmv)(Letter fill, Letter op, Letter diagonal, const Int* n, const T* a, const Int* lda, T* x,
               const Int* incx);
  decltype(trmv) trsv;
  void (*symm)(Letter side, Letter fill, const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda,
               const T* b, const Int* ldb, const T* beta, T* c, const Int* ldc);
  decltype(symm) hemm;
  void (*trmm)(Letter side, Letter fill, Letter op, Letter diagonal, const Int* m, const Int* n, const T* alpha,
               const T* a, const Int* lda, T* b, const Int* ldb);
  decltype(trmm) trsm;
};

// Null where OpenBLAS cannot be loaded.
template <typename T>
const OpenBlas<T>* openblas();

// The letters of BLAS for the numbers of cuBLAS.
inline Letter letter_of_operation(int op) { return op == kN ? "N" : op == kT ? "T" : "C"; }
inline Letter letter_of_fill(int fill) { return fill == kUpper ? "U" : "L"; }
inline Letter letter_of_side(int side) { return side == kRight ? "R" : "L"; }
inline Letter letter_of_diagonal(int diagonal) { return diagonal == kUnit ? "U" : "N"; }

inline bool fit(std::initializer_list<int64_t> values) {
  for (const int64_t value : values)
    if (value > INT_MAX || value < INT_MIN) return false;
  return true;
}

}  // namespace warplens::cuda::blas
