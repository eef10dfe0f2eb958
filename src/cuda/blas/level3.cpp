// Matrices with matrices, other than the general product (gemm.cpp).
#include "cuda/blas/expand.h"
#include "cuda/blas/gemm.h"

namespace warplens::cuda::blas {
namespace {

// C = alpha A B + beta C, or with the factors exchanged; A is symmetric, or Hermitian, and one triangle of it is read.
template <typename T>
Status symm(Handle* handle, const char* name, bool hermitian, int side, int fill, int64_t m, int64_t n, const T* alpha,
            const T* a, int64_t lda, const T* b, int64_t ldb, const T* beta, T* c, int64_t ldc) {
  if (Status status = check(handle); status != kSuccess) return status;
  const int64_t order = side == kLeft ? m : n;
  const bool valid = is_binary(side) && is_binary(fill) && m >= 0 && n >= 0 && is_valid_leading(lda, order) &&
                     is_valid_leading(ldb, m) && is_valid_leading(ldc, m);
  if (!valid || !alpha || !beta) return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  const Scalar<T> by(*handle, "alpha", alpha), keep(*handle, "beta", beta);
  const Matrix<T> result{"C", c, m, n, ldc};
  return compute<T>(*handle, name, {m, n, lda, ldb, ldc},
                    {by.operand(), keep.operand(), matrix_operand("A", a, order, order, lda, sizeof(T)),
                     matrix_operand("B", b, m, n, ldb, sizeof(T)), result.operand()},
                    [=](const OpenBlas<T>& blas) {
                      const T factor = by.get(), kept = keep.get();
                      const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), la = static_cast<Int>(lda),
                                lb = static_cast<Int>(ldb), lc = static_cast<Int>(ldc);
                      (hermitian ? blas.hemm : blas.symm)(letter_of_side(side), letter_of_fill(fill), &rows, &columns,
                                                          &factor, a, &la, b, &lb, &kept, c, &lc);
                    });
}

// The updates of one triangle of C by products that are symmetric, or Hermitian.
struct RankUpdate {
  bool hermitian;  // the second factor is conjugated, and the diagonal of C real
  bool both;       // alpha A B' + alpha' B A' (syr2k, her2k); else alpha A B' (syrk, herk: B is A; syrkx, herkx)
};

template <typename T, typename A, typename B>
Status rank_update(Handle* handle, const char* name, RankUpdate kind, int fill, int op, int64_t n, int64_t k,
                   const A* alpha, const T* a, int64_t lda, const T* b, int64_t ldb, const B* beta, T* c, int64_t ldc) {
  if (Status status = check(handle); status != kSuccess) return status;
  const int other = kind.hermitian ? kC : kT;
  if (!kIsComplex<T> && op == kC) op = kT;
  const int64_t rows = op == kN ? n : k, columns = op == kN ? k : n;
  const bool valid = is_binary(fill) && (op == kN || op == other) && n >= 0 && k >= 0 && is_valid_leading(lda, rows) &&
                     is_valid_leading(ldb, rows) && is_valid_leading(ldc, n);
  if (!valid || !alpha || !beta) return kInvalidValue;
  if (n == 0) return kSuccess;
  const Scalar<A> by(*handle, "alpha", alpha);
  const Scalar<B> keep(*handle, "beta", beta);
  const Matrix<T> result{"C", c, n, n, ldc};
  return compute<T>(*handle, name, {n, k, lda, ldb, ldc},
                    {by.operand(), keep.operand(), matrix_operand("A", a, rows, columns, lda, sizeof(T)),
                     matrix_operand("B", b, rows, columns, ldb, sizeof(T)), result.operand()},
                    [=](const OpenBlas<T>& blas) {
                      std::vector<T> product(static_cast<size_t>(n * n));
                      multiply(blas, op == kN ? kN : other, op == kN ? other : kN, n, n, k, T(by.get()), a, lda, b, ldb,
                               T{}, product.data(), n);
                      const auto at = [&](int64_t i, int64_t j) { return product[static_cast<size_t>(i + j * n)]; };
                      const T kept = T(keep.get());
                      for (int64_t j = 0; j < n; j++) {
                        for (int64_t i = fill == kUpper ? 0 : j; i < (fill == kUpper ? j + 1 : n); i++) {
                          T value = at(i, j);
                          if (kind.both) value += kind.hermitian ? conjugate(at(j, i)) : at(j, i);
                          if (kept != T{}) value = multiply_add(kept, result(i, j), value);
                          result(i, j) = kind.hermitian && i == j ? T(std::real(value)) : value;
                        }
                      }
                    });
}

struct Triangle {
  int side, fill, op, diagonal;
  bool is_valid() const { return is_binary(side) && is_binary(fill) && is_valid_operation(op) && is_binary(diagonal); }
  template <typename T, typename Function>  // OpenBlas::trmm or trsm
  void run(Function function, int64_t m, int64_t n, T alpha, const T* a, int64_t lda, T* b, int64_t ldb) const {
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), la = static_cast<Int>(lda),
              lb = static_cast<Int>(ldb);
    function(letter_of_side(side), letter_of_fill(fill), letter_of_operation(op), letter_of_diagonal(diagonal), &rows,
             &columns, &alpha, a, &la, b, &lb);
  }
};

// C = alpha op(A) B, or with the factors exchanged. C may be B.
template <typename T>
Status trmm(Handle* handle, const char* name, Triangle shape, int64_t m, int64_t n, const T* alpha, const T* a,
            int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc) {
  if (Status status = check(handle); status != kSuccess) return status;
  const int64_t order = shape.side == kLeft ? m : n;
  const bool valid = shape.is_valid() && m >= 0 && n >= 0 && is_valid_leading(lda, order) && is_valid_leading(ldb, m) &&
                     is_valid_leading(ldc, m);
  if (!valid || !alpha) return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  const Scalar<T> by(*handle, "alpha", alpha);
  const Matrix<const T> from{"B", b, m, n, ldb};
  const Matrix<T> to{"C", c, m, n, ldc};
  return compute<T>(*handle, name, {m, n, lda, ldb, ldc},
                    {by.operand(), matrix_operand("A", a, order, order, lda, sizeof(T)), from.operand(), to.operand()},
                    [=](const OpenBlas<T>& blas) {
                      for (int64_t j = 0; j < n && b != c; j++)
                        for (int64_t i = 0; i < m; i++) to(i, j) = from(i, j);
                      shape.run(blas.trmm, m, n, by.get(), a, lda, c, ldc);
                    });
}

// The solution of op(A) X = alpha B, or X op(A) = alpha B, in B's place; one or many.
template <typename T, typename At>
Status trsm(Handle* handle, const char* name, Triangle shape, int64_t m, int64_t n, const T* alpha, int64_t lda,
            int64_t ldb, int64_t count, std::vector<Operand> arrays, At at) {
  if (Status status = check(handle); status != kSuccess) return status;
  const int64_t order = shape.side == kLeft ? m : n;
  const bool valid =
      shape.is_valid() && m >= 0 && n >= 0 && count >= 0 && is_valid_leading(lda, order) && is_valid_leading(ldb, m);
  if (!valid || !alpha) return kInvalidValue;
  if (m == 0 || n == 0 || count == 0) return kSuccess;
  const OpenBlas<T>* blas = openblas<T>();
  if (!blas) return refuse_without_openblas(name);
  if (!fit({m, n, lda, ldb})) return refuse(std::string(name) + " with sizes beyond 2^31");
  const Scalar<T> by(*handle, "alpha", alpha);
  arrays.push_back(by.operand());
  return submit(handle->stream, name, [=](Device& device) {
    for (const Operand& operand : arrays)
      if (!device.reaches(operand)) return;
    for (int64_t i = 0; i < count; i++) {
      const T* a;
      T* b;
      at(i, a, b);
      if (!device.reaches(matrix_operand("A", a, order, order, lda, sizeof(T)),
                          matrix_operand("B", b, m, n, ldb, sizeof(T))))
        return;
      shape.run(blas->trsm, m, n, by.get(), a, lda, b, ldb);
    }
  });
}

// C = alpha op(A) + beta op(B). C may be A or B where that one is not transposed; a factor 0 leaves its matrix unread.
template <typename T>
Status geam(Handle* handle, const char* name, int op_a, int op_b, int64_t m, int64_t n, const T* alpha, const T* a,
            int64_t lda, const T* beta, const T* b, int64_t ldb, T* c, int64_t ldc) {
  if (Status status = check(handle); status != kSuccess) return status;
  const bool valid = is_valid_operation(op_a) && is_valid_operation(op_b) && m >= 0 && n >= 0 && alpha && beta &&
                     is_valid_leading(lda, op_a == kN ? m : n) && is_valid_leading(ldb, op_b == kN ? m : n) &&
                     is_valid_leading(ldc, m);
  if (!valid || (c == a && op_a != kN) || (c == b && op_b != kN)) return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  const Scalar<T> by_a(*handle, "alpha", alpha), by_b(*handle, "beta", beta);
  const Matrix<T> result{"C", c, m, n, ldc};
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(by_a.operand(), by_b.operand(), result.operand())) return;
    const T f = by_a.get(), g = by_b.get();
    const Matrix<const T> left{"A", a, op_a == kN ? m : n, op_a == kN ? n : m, lda};
    const Matrix<const T> right{"B", b, op_b == kN ? m : n, op_b == kN ? n : m, ldb};
    if ((f != T{} && !device.reaches(left.operand())) || (g != T{} && !device.reaches(right.operand()))) return;
    const auto term = [](const Matrix<const T>& from, int op, T factor, int64_t i, int64_t j) {
      if (factor == T{}) return T{};
      const T value = op == kN ? from(i, j) : from(j, i);
      return factor * (op == kC ? conjugate(value) : value);
    };
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < m; i++) result(i, j) = term(left, op_a, f, i, j) + term(right, op_b, g, i, j);
  });
}

// C = A diag(x), or diag(x) A.
template <typename T>
Status dgmm(Handle* handle, const char* name, int side, int64_t m, int64_t n, const T* a, int64_t lda, const T* x,
            int64_t incx, T* c, int64_t ldc) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!is_binary(side) || m < 0 || n < 0 || !is_valid_leading(lda, m) || !is_valid_leading(ldc, m))
    return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  const Matrix<const T> from{"A", a, m, n, lda};
  const Matrix<T> to{"C", c, m, n, ldc};
  const Vector<const T> diagonal("x", x, side == kLeft ? m : n, incx);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(from.operand(), diagonal.operand(), to.operand())) return;
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < m; i++) to(i, j) = from(i, j) * diagonal[side == kLeft ? i : j];
  });
}

template <typename T>
Operand pointers(const char* name, const T* const* array, int64_t count) {
  return {name, array, static_cast<uint64_t>(count > 0 ? count : 0) * sizeof(T*)};
}

}  // namespace

#define WL_MATRICES(L, T, suffix, Int)                                                                                 \
  WL_BLAS_API wl_cublas##L##symm##suffix(Handle* h, int side, int fill, Int m, Int n, const T* alpha, const T* a,      \
                                         Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                 \
    return symm(h, "cublas" #L "symm" #suffix, false, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);          \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##syrk##suffix(Handle* h, int fill, int op, Int n, Int k, const T* alpha, const T* a,        \
                                         Int lda, const T* beta, T* c, Int ldc) {                                      \
    return rank_update(h, "cublas" #L "syrk" #suffix, {false, false}, fill, op, n, k, alpha, a, lda, a, lda, beta, c,  \
                       ldc);                                                                                           \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##syrkx##suffix(Handle* h, int fill, int op, Int n, Int k, const T* alpha, const T* a,       \
                                          Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                \
    return rank_update(h, "cublas" #L "syrkx" #suffix, {false, false}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, \
                       ldc);                                                                                           \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##syr2k##suffix(Handle* h, int fill, int op, Int n, Int k, const T* alpha, const T* a,       \
                                          Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                \
    return rank_update(h, "cublas" #L "syr2k" #suffix, {false, true}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c,  \
                       ldc);                                                                                           \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##trmm##suffix(Handle* h, int side, int fill, int op, int diagonal, Int m, Int n,            \
                                         const T* alpha, const T* a, Int lda, const T* b, Int ldb, T* c, Int ldc) {    \
    return trmm(h, "cublas" #L "trmm" #suffix, {side, fill, op, diagonal}, m, n, alpha, a, lda, b, ldb, c, ldc);       \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##trsm##suffix(Handle* h, int side, int fill, int op, int diagonal, Int m, Int n,            \
                                         const T* alpha, const T* a, Int lda, T* b, Int ldb) {                         \
    return trsm(h, "cublas" #L "trsm" #suffix, {side, fill, op, diagonal}, m, n, alpha, lda, ldb, 1, {},               \
                [=](int64_t, const T*& ai, T*& bi) { ai = a, bi = b; });                                               \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##trsmBatched##suffix(Handle* h, int side, int fill, int op, int diagonal, Int m, Int n,     \
                                                const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb,      \
                                                Int count) {                                                           \
    return trsm(h, "cublas" #L "trsmBatched" #suffix, {side, fill, op, diagonal}, m, n, alpha, lda, ldb, count,        \
                {pointers("A", a, count), pointers<T>("B", b, count)},                                                 \
                [=](int64_t i, const T*& ai, T*& bi) { ai = a[i], bi = b[i]; });                                       \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##geam##suffix(Handle* h, int opa, int opb, Int m, Int n, const T* alpha, const T* a,        \
                                         Int lda, const T* beta, const T* b, Int ldb, T* c, Int ldc) {                 \
    return geam(h, "cublas" #L "geam" #suffix, opa, opb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                   \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##dgmm##suffix(Handle* h, int side, Int m, Int n, const T* a, Int lda, const T* x, Int incx, \
                                         T* c, Int ldc) {                                                              \
    return dgmm(h, "cublas" #L "dgmm" #suffix, side, m, n, a, lda, x, incx, c, ldc);                                   \
  }
WL_ALL_NUMBERS(WL_MATRICES)

#define WL_HERMITIAN_MATRICES(L, T, suffix, Int)                                                                      \
  WL_BLAS_API wl_cublas##L##hemm##suffix(Handle* h, int side, int fill, Int m, Int n, const T* alpha, const T* a,     \
                                         Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                \
    return symm(h, "cublas" #L "hemm" #suffix, true, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);          \
  }                                                                                                                   \
  WL_BLAS_API wl_cublas##L##herk##suffix(Handle* h, int fill, int op, Int n, Int k, const Real<T>* alpha, const T* a, \
                                         Int lda, const Real<T>* beta, T* c, Int ldc) {                               \
    return rank_update(h, "cublas" #L "herk" #suffix, {true, false}, fill, op, n, k, alpha, a, lda, a, lda, beta, c,  \
                       ldc);                                                                                          \
  }                                                                                                                   \
  WL_BLAS_API wl_cublas##L##herkx##suffix(Handle* h, int fill, int op, Int n, Int k, const T* alpha, const T* a,      \
                                          Int lda, const T* b, Int ldb, const Real<T>* beta, T* c, Int ldc) {         \
    return rank_update(h, "cublas" #L "herkx" #suffix, {true, false}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, \
                       ldc);                                                                                          \
  }                                                                                                                   \
  WL_BLAS_API wl_cublas##L##her2k##suffix(Handle* h, int fill, int op, Int n, Int k, const T* alpha, const T* a,      \
                                          Int lda, const T* b, Int ldb, const Real<T>* beta, T* c, Int ldc) {         \
    return rank_update(h, "cublas" #L "her2k" #suffix, {true, true}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c,  \
                       ldc);                                                                                          \
  }
WL_COMPLEX_NUMBERS(WL_HERMITIAN_MATRICES)

}  // namespace warplens::cuda::blas
