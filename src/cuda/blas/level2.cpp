// Matrices with vectors. Banded and packed ones are refused (api.def).
#include "cuda/blas/compute.h"
#include "cuda/blas/expand.h"

namespace warplens::cuda::blas {
namespace {

template <typename T>
struct Gemv {
  int op;
  int64_t m, n, lda, incx, incy;
  int64_t x_size() const { return op == kN ? n : m; }
  int64_t y_size() const { return op == kN ? m : n; }
  bool is_valid() const {
    return is_valid_operation(op) && m >= 0 && n >= 0 && is_valid_leading(lda, m) && incx != 0 && incy != 0;
  }
  Operand a_operand(const T* a) const { return matrix_operand("A", a, m, n, lda, sizeof(T)); }
  Operand x_operand(const T* x) const { return Vector<const T>("x", x, x_size(), incx).operand(); }
  Operand y_operand(T* y) const { return Vector<T>("y", y, y_size(), incy).operand(); }

  void run(const OpenBlas<T>& blas, T alpha, const T* a, const T* x, T beta, T* y) const {
    clear_if_unused(beta, Vector<T>("y", y, y_size(), incy));
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), leading = static_cast<Int>(lda),
              dx = static_cast<Int>(incx), dy = static_cast<Int>(incy);
    blas.gemv(letter_of_operation(op), &rows, &columns, &alpha, a, &leading, x, &dx, &beta, y, &dy);
  }
};

template <typename T>
Status gemv(Handle* handle, const char* name, const Gemv<T>& shape, const T* alpha, const T* a, const T* x,
            const T* beta, T* y) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!shape.is_valid() || !alpha || !beta) return kInvalidValue;
  if (shape.m == 0 || shape.n == 0) return kSuccess;
  const Scalar<T> by(*handle, "alpha", alpha), keep(*handle, "beta", beta);
  return compute<T>(*handle, name, {shape.m, shape.n, shape.lda, shape.incx, shape.incy},
                    {by.operand(), keep.operand(), shape.a_operand(a), shape.x_operand(x), shape.y_operand(y)},
                    [=](const OpenBlas<T>& blas) { shape.run(blas, by.get(), a, x, keep.get(), y); });
}

// `at(i, a, x, y)` says where the operands of product i are, once the device has come to it.
template <typename T, typename At>
Status gemv_batch(Handle* handle, const char* name, const Gemv<T>& shape, const T* alpha, const T* beta, int64_t count,
                  std::initializer_list<Operand> arrays, At at) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!shape.is_valid() || !alpha || !beta || count < 0) return kInvalidValue;
  if (shape.m == 0 || shape.n == 0 || count == 0) return kSuccess;
  const OpenBlas<T>* blas = openblas<T>();
  if (!blas) return refuse_without_openblas(name);
  if (!fit({shape.m, shape.n, shape.lda, shape.incx, shape.incy})) {
    return refuse(std::string(name) + " with sizes beyond 2^31");
  }
  const Scalar<T> by(*handle, "alpha", alpha), keep(*handle, "beta", beta);
  return submit(handle->stream, name, [=, all = std::vector<Operand>(arrays)](Device& device) {
    for (const Operand& operand : all)
      if (!device.reaches(operand)) return;
    if (!device.reaches(by.operand(), keep.operand())) return;
    for (int64_t i = 0; i < count; i++) {
      const T *a, *x;
      T* y;
      at(i, a, x, y);
      if (!device.reaches(shape.a_operand(a), shape.x_operand(x), shape.y_operand(y))) return;
      shape.run(*blas, by.get(), a, x, keep.get(), y);
    }
  });
}

template <typename T>
Operand pointers(const char* name, const T* const* array, int64_t count) {
  return {name, array, static_cast<uint64_t>(count > 0 ? count : 0) * sizeof(T*)};
}

// Symmetric, or Hermitian.
template <typename T>
Status symv(Handle* handle, const char* name, bool hermitian, int fill, int64_t n, const T* alpha, const T* a,
            int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  if (Status status = check(handle); status != kSuccess) return status;
  const bool valid = is_binary(fill) && n >= 0 && is_valid_leading(lda, n) && incx != 0 && incy != 0;
  if (!valid || !alpha || !beta) return kInvalidValue;
  if (n == 0) return kSuccess;
  const Scalar<T> by(*handle, "alpha", alpha), keep(*handle, "beta", beta);
  const Vector<const T> from("x", x, n, incx);
  const Vector<T> to("y", y, n, incy);
  return compute<T>(
      *handle, name, {n, lda, incx, incy},
      {by.operand(), keep.operand(), matrix_operand("A", a, n, n, lda, sizeof(T)), from.operand(), to.operand()},
      [=](const OpenBlas<T>& blas) {
        const T factor = by.get(), kept = keep.get();
        clear_if_unused(kept, to);
        const Int size = static_cast<Int>(n), leading = static_cast<Int>(lda), dx = static_cast<Int>(incx),
                  dy = static_cast<Int>(incy);
        (hermitian ? blas.hemv : blas.symv)(letter_of_fill(fill), &size, &factor, a, &leading, x, &dx, &kept, y, &dy);
      });
}

// x := op(A) x, or the solution of op(A) x' = x.
template <typename T>
Status triangular(Handle* handle, const char* name, bool solve, int fill, int op, int diagonal, int64_t n, const T* a,
                  int64_t lda, T* x, int64_t incx) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!is_binary(fill) || !is_valid_operation(op) || !is_binary(diagonal)) return kInvalidValue;
  if (n < 0 || !is_valid_leading(lda, n) || incx == 0) return kInvalidValue;
  if (n == 0) return kSuccess;
  return compute<T>(*handle, name, {n, lda, incx},
                    {matrix_operand("A", a, n, n, lda, sizeof(T)), Vector<T>("x", x, n, incx).operand()},
                    [=](const OpenBlas<T>& blas) {
                      const Int size = static_cast<Int>(n), leading = static_cast<Int>(lda),
                                dx = static_cast<Int>(incx);
                      (solve ? blas.trsv : blas.trmv)(letter_of_fill(fill), letter_of_operation(op),
                                                      letter_of_diagonal(diagonal), &size, a, &leading, x, &dx);
                    });
}

// A += alpha x y^T, or x y^H.
template <typename T>
Status ger(Handle* handle, const char* name, bool conjugated, int64_t m, int64_t n, const T* alpha, const T* x,
           int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (m < 0 || n < 0 || incx == 0 || incy == 0 || !is_valid_leading(lda, m) || !alpha) return kInvalidValue;
  if (m == 0 || n == 0) return kSuccess;
  const Scalar<T> factor(*handle, "alpha", alpha);
  const Vector<const T> rows("x", x, m, incx), columns("y", y, n, incy);
  const Matrix<T> matrix{"A", a, m, n, lda};
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(factor.operand(), rows.operand(), columns.operand(), matrix.operand())) return;
    for (int64_t j = 0; j < n; j++) {
      const T by = factor.get() * (conjugated ? conjugate(columns[j]) : columns[j]);
      for (int64_t i = 0; i < m; i++) matrix(i, j) = multiply_add(rows[i], by, matrix(i, j));
    }
  });
}

// One triangle of A += alpha x x^T, or x x^H, whose diagonal is real.
template <typename T, typename A>
Status syr(Handle* handle, const char* name, bool hermitian, int fill, int64_t n, const A* alpha, const T* x,
           int64_t incx, T* a, int64_t lda) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!is_binary(fill) || n < 0 || incx == 0 || !is_valid_leading(lda, n) || !alpha) return kInvalidValue;
  if (n == 0) return kSuccess;
  const Scalar<A> factor(*handle, "alpha", alpha);
  const Vector<const T> v("x", x, n, incx);
  const Matrix<T> matrix{"A", a, n, n, lda};
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(factor.operand(), v.operand(), matrix.operand())) return;
    for (int64_t j = 0; j < n; j++) {
      const T by = factor.get() * (hermitian ? conjugate(v[j]) : v[j]);
      for (int64_t i = fill == kUpper ? 0 : j; i < (fill == kUpper ? j + 1 : n); i++) {
        matrix(i, j) = multiply_add(v[i], by, matrix(i, j));
        if (hermitian && i == j) matrix(i, j) = T(std::real(matrix(i, j)));
      }
    }
  });
}

// One triangle of A += alpha x y^T + alpha y x^T, or alpha x y^H + conj(alpha) y x^H.
template <typename T>
Status syr2(Handle* handle, const char* name, bool hermitian, int fill, int64_t n, const T* alpha, const T* x,
            int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!is_binary(fill) || n < 0 || incx == 0 || incy == 0 || !is_valid_leading(lda, n) || !alpha) return kInvalidValue;
  if (n == 0) return kSuccess;
  const Scalar<T> factor(*handle, "alpha", alpha);
  const Vector<const T> v("x", x, n, incx), w("y", y, n, incy);
  const Matrix<T> matrix{"A", a, n, n, lda};
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(factor.operand(), v.operand(), w.operand(), matrix.operand())) return;
    const auto other = [&](T value) { return hermitian ? conjugate(value) : value; };
    for (int64_t j = 0; j < n; j++) {
      const T by_v = factor.get() * other(w[j]), by_w = other(factor.get()) * other(v[j]);
      for (int64_t i = fill == kUpper ? 0 : j; i < (fill == kUpper ? j + 1 : n); i++) {
        matrix(i, j) = multiply_add(v[i], by_v, multiply_add(w[i], by_w, matrix(i, j)));
        if (hermitian && i == j) matrix(i, j) = T(std::real(matrix(i, j)));
      }
    }
  });
}

}  // namespace

#define WL_GEMV(L, T, suffix, Int)                                                                                     \
  WL_BLAS_API wl_cublas##L##gemv##suffix(Handle* h, int op, Int m, Int n, const T* alpha, const T* a, Int lda,         \
                                         const T* x, Int incx, const T* beta, T* y, Int incy) {                        \
    return gemv(h, "cublas" #L "gemv" #suffix, Gemv<T>{op, m, n, lda, incx, incy}, alpha, a, x, beta, y);              \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##gemvBatched##suffix(Handle* h, int op, Int m, Int n, const T* alpha, const T* const* a,    \
                                                Int lda, const T* const* x, Int incx, const T* beta, T* const* y,      \
                                                Int incy, Int count) {                                                 \
    return gemv_batch(h, "cublas" #L "gemvBatched" #suffix, Gemv<T>{op, m, n, lda, incx, incy}, alpha, beta, count,    \
                      {pointers("Aarray", a, count), pointers("xarray", x, count), pointers<T>("yarray", y, count)},   \
                      [=](int64_t i, const T*& ai, const T*& xi, T*& yi) { ai = a[i], xi = x[i], yi = y[i]; });        \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##gemvStridedBatched##suffix(                                                                \
      Handle* h, int op, Int m, Int n, const T* alpha, const T* a, Int lda, long long stride_a, const T* x, Int incx,  \
      long long stride_x, const T* beta, T* y, Int incy, long long stride_y, Int count) {                              \
    return gemv_batch(h, "cublas" #L "gemvStridedBatched" #suffix, Gemv<T>{op, m, n, lda, incx, incy}, alpha, beta,    \
                      count, {}, [=](int64_t i, const T*& ai, const T*& xi, T*& yi) {                                  \
                        ai = a + i * stride_a, xi = x + i * stride_x, yi = y + i * stride_y;                           \
                      });                                                                                              \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##trmv##suffix(Handle* h, int fill, int op, int diagonal, Int n, const T* a, Int lda, T* x,  \
                                         Int incx) {                                                                   \
    return triangular(h, "cublas" #L "trmv" #suffix, false, fill, op, diagonal, n, a, lda, x, incx);                   \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##trsv##suffix(Handle* h, int fill, int op, int diagonal, Int n, const T* a, Int lda, T* x,  \
                                         Int incx) {                                                                   \
    return triangular(h, "cublas" #L "trsv" #suffix, true, fill, op, diagonal, n, a, lda, x, incx);                    \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##symv##suffix(Handle* h, int fill, Int n, const T* alpha, const T* a, Int lda, const T* x,  \
                                         Int incx, const T* beta, T* y, Int incy) {                                    \
    return symv(h, "cublas" #L "symv" #suffix, false, fill, n, alpha, a, lda, x, incx, beta, y, incy);                 \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##syr##suffix(Handle* h, int fill, Int n, const T* alpha, const T* x, Int incx, T* a,        \
                                        Int lda) {                                                                     \
    return syr(h, "cublas" #L "syr" #suffix, false, fill, n, alpha, x, incx, a, lda);                                  \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##syr2##suffix(Handle* h, int fill, Int n, const T* alpha, const T* x, Int incx, const T* y, \
                                         Int incy, T* a, Int lda) {                                                    \
    return syr2(h, "cublas" #L "syr2" #suffix, false, fill, n, alpha, x, incx, y, incy, a, lda);                       \
  }
WL_ALL_NUMBERS(WL_GEMV)

#define WL_GER(function, T, conjugated, suffix, Int)                                                                 \
  WL_BLAS_API wl_cublas##function##suffix(Handle* h, Int m, Int n, const T* alpha, const T* x, Int incx, const T* y, \
                                          Int incy, T* a, Int lda) {                                                 \
    return ger(h, "cublas" #function #suffix, conjugated, m, n, alpha, x, incx, y, incy, a, lda);                    \
  }
WL_IN_BOTH_SIZES(WL_GER, Sger, float, false)
WL_IN_BOTH_SIZES(WL_GER, Dger, double, false)
WL_IN_BOTH_SIZES(WL_GER, Cgeru, Complex, false)
WL_IN_BOTH_SIZES(WL_GER, Cgerc, Complex, true)
WL_IN_BOTH_SIZES(WL_GER, Zgeru, DoubleComplex, false)
WL_IN_BOTH_SIZES(WL_GER, Zgerc, DoubleComplex, true)

#define WL_HERMITIAN(L, T, suffix, Int)                                                                                \
  WL_BLAS_API wl_cublas##L##hemv##suffix(Handle* h, int fill, Int n, const T* alpha, const T* a, Int lda, const T* x,  \
                                         Int incx, const T* beta, T* y, Int incy) {                                    \
    return symv(h, "cublas" #L "hemv" #suffix, true, fill, n, alpha, a, lda, x, incx, beta, y, incy);                  \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##her##suffix(Handle* h, int fill, Int n, const Real<T>* alpha, const T* x, Int incx, T* a,  \
                                        Int lda) {                                                                     \
    return syr(h, "cublas" #L "her" #suffix, true, fill, n, alpha, x, incx, a, lda);                                   \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##her2##suffix(Handle* h, int fill, Int n, const T* alpha, const T* x, Int incx, const T* y, \
                                         Int incy, T* a, Int lda) {                                                    \
    return syr2(h, "cublas" #L "her2" #suffix, true, fill, n, alpha, x, incx, y, incy, a, lda);                        \
  }
WL_COMPLEX_NUMBERS(WL_HERMITIAN)

}  // namespace warplens::cuda::blas
