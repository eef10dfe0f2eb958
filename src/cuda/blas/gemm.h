// C = alpha op(A) op(B) + beta C for one product or many, of any types that cuBLAS multiplies.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "cuda/blas/compute.h"

namespace warplens::cuda::blas {

// The type that alpha and beta have, and that products are added up in, for the types of A and B, of C and of the
// arithmetic; none: cuBLAS has no such product. (cuBLAS's documentation, the table of cublasGemmEx.)
std::optional<DataType> scale_type(Compute compute, DataType ab, DataType c);

// Where a product's matrix is: at a distance of elements from the one before, or in an array of pointers.
struct Place {
  const void* data = nullptr;
  DataType type = DataType::R32F;
  int64_t leading = 1;
  int64_t stride = 0;
  bool is_array = false;
  const void* at(int64_t i) const;
};

struct Product {
  int op_a = kN, op_b = kN;
  int64_t m = 0, n = 0, k = 0;
  Place a, b, c;
  const void* alpha = nullptr;
  const void* beta = nullptr;
  DataType scale = DataType::R32F;
  int64_t count = 1;

  int64_t a_rows() const { return op_a == kN ? m : k; }
  int64_t a_columns() const { return op_a == kN ? k : m; }
  int64_t b_rows() const { return op_b == kN ? k : n; }
  int64_t b_columns() const { return op_b == kN ? n : k; }
};

Status gemm(Handle* handle, const char* name, const Product& product);

// The matrix in the arithmetic's type, its columns one after the other.
template <typename T>
std::vector<T> unpacked(const void* data, DataType type, int64_t rows, int64_t columns, int64_t leading) {
  std::vector<T> out(static_cast<size_t>(rows * columns));
  with_type(type, [&]<typename From>(From) {
    if constexpr (kIsComplex<T> || !kIsComplex<From>) {
      const From* from = static_cast<const From*>(data);
      for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) out[static_cast<size_t>(i + j * rows)] = convert<T>(from[i + j * leading]);
    }
  });
  return out;
}

// c (m x n, packed) = alpha op(a) op(b) + beta c.
template <typename T>
void multiply(const OpenBlas<T>& blas, int op_a, int op_b, int64_t m, int64_t n, int64_t k, T alpha, const T* a,
              int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
  const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), depth = static_cast<Int>(k);
  const Int la = static_cast<Int>(lda), lb = static_cast<Int>(ldb), lc = static_cast<Int>(ldc);
  blas.gemm(letter_of_operation(op_a), letter_of_operation(op_b), &rows, &columns, &depth, &alpha, a, &la, b, &lb,
            &beta, c, &lc);
}

}  // namespace warplens::cuda::blas
