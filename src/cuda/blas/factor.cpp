// Many small matrices, factored and inverted: getrf, getri, getrs and matinv, each by the plain algorithm.
#include "cuda/blas/expand.h"
#include "cuda/blas/handle.h"

#include <string>
#include <vector>

namespace warplens::cuda::blas {
namespace {

// P A = L U in A's place. `pivots` (n, counted from 1) may be null: then rows stay where they are. Returns 0, or the
// number of the first pivot that is zero.
template <typename T>
int factor(const Matrix<T>& a, int* pivots) {
  const int64_t n = a.rows;
  int singular = 0;
  for (int64_t k = 0; k < n; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n && pivots; i++)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    if (pivots) pivots[k] = static_cast<int>(best + 1);
    for (int64_t j = 0; j < n && best != k; j++) std::swap(a(k, j), a(best, j));
    if (a(k, k) == T{}) {
      if (!singular) singular = static_cast<int>(k + 1);
      continue;
    }
    for (int64_t i = k + 1; i < n; i++) a(i, k) /= a(k, k);
    for (int64_t j = k + 1; j < n; j++)
      for (int64_t i = k + 1; i < n; i++) a(i, j) -= a(i, k) * a(k, j);
  }
  return singular;
}

// The solution of op(A) X = B in B's place, from A's factors.
template <typename T>
void solve(const Matrix<const T>& lu, const int* pivots, int op, const Matrix<T>& b) {
  const int64_t n = lu.rows;
  const auto at = [&](int64_t i, int64_t j) { return op == kC ? conjugate(lu(j, i)) : op == kT ? lu(j, i) : lu(i, j); };
  const auto exchange = [&](int64_t k) {
    const int64_t other = pivots ? pivots[k] - 1 : k;
    for (int64_t j = 0; j < b.columns && other != k; j++) std::swap(b(k, j), b(other, j));
  };
  const bool plain = op == kN;  // L, which has ones on its diagonal, comes first; transposed, it comes last
  for (int64_t k = 0; k < n && plain; k++) exchange(k);
  for (int64_t j = 0; j < b.columns; j++) {
    for (int64_t i = 0; i < n; i++) {
      for (int64_t k = 0; k < i; k++) b(i, j) -= at(i, k) * b(k, j);
      if (!plain) b(i, j) /= at(i, i);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
      for (int64_t k = i + 1; k < n; k++) b(i, j) -= at(i, k) * b(k, j);
      if (plain) b(i, j) /= at(i, i);
    }
  }
  for (int64_t k = n - 1; k >= 0 && !plain; k--) exchange(k);
}

template <typename T>
int zero_pivot(const Matrix<const T>& lu) {
  for (int64_t k = 0; k < lu.rows; k++)
    if (lu(k, k) == T{}) return static_cast<int>(k + 1);
  return 0;
}

template <typename T>
void set_identity(const Matrix<T>& m) {
  for (int64_t j = 0; j < m.columns; j++)
    for (int64_t i = 0; i < m.rows; i++) m(i, j) = i == j ? T(1) : T{};
}

template <typename T>
Operand pointers(const char* name, const T* const* array, int64_t count) {
  return {name, array, static_cast<uint64_t>(count) * sizeof(T*)};
}
Operand numbers(const char* name, const int* array, int64_t count) {
  return {name, array, array ? static_cast<uint64_t>(count) * sizeof(int) : 0};
}

// Once the arrays are known to be there: each(device, i) -> go on.
template <typename Each>
Status for_each(Handle* handle, const char* name, bool valid, int64_t n, int64_t count, std::vector<Operand> arrays,
                Each each) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!valid || n < 0 || count < 0) return kInvalidValue;
  if (n == 0 || count == 0) return kSuccess;
  return submit(handle->stream, name, [=](Device& device) {
    for (const Operand& operand : arrays)
      if (!device.reaches(operand)) return;
    for (int64_t i = 0; i < count; i++)
      if (!each(device, i)) return;
  });
}

template <typename T>
Status getrf(Handle* handle, const char* name, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  const bool valid = is_valid_leading(lda, n) && info;
  return for_each(handle, name, valid, n, count,
                  {pointers<T>("A", a, count), numbers("P", pivots, int64_t{n} * count), numbers("info", info, count)},
                  [=](Device& device, int64_t i) {
                    const Matrix<T> matrix{"A", a[i], n, n, lda};
                    if (!device.reaches(matrix.operand())) return false;
                    info[i] = factor(matrix, pivots ? pivots + i * n : nullptr);
                    return true;
                  });
}

template <typename T>
Status getri(Handle* handle, const char* name, int n, const T* const* a, int lda, const int* pivots, T* const* c,
             int ldc, int* info, int count) {
  const bool valid = is_valid_leading(lda, n) && is_valid_leading(ldc, n) && info;
  return for_each(handle, name, valid, n, count,
                  {pointers("A", a, count), pointers<T>("C", c, count), numbers("P", pivots, int64_t{n} * count),
                   numbers("info", info, count)},
                  [=](Device& device, int64_t i) {
                    const Matrix<const T> lu{"A", a[i], n, n, lda};
                    const Matrix<T> inverse{"C", c[i], n, n, ldc};
                    if (!device.reaches(lu.operand(), inverse.operand())) return false;
                    info[i] = zero_pivot(lu);
                    if (info[i] != 0) return true;
                    set_identity(inverse);
                    solve(lu, pivots ? pivots + i * n : nullptr, kN, inverse);
                    return true;
                  });
}

// `info` is the host's: the number of the argument that is wrong, negative.
template <typename T>
Status getrs(Handle* handle, const char* name, int op, int n, int columns, const T* const* a, int lda,
             const int* pivots, T* const* b, int ldb, int* info, int count) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!info) return kInvalidValue;
  *info = !is_valid_operation(op)     ? -1
          : n < 0                     ? -2
          : columns < 0               ? -3
          : !is_valid_leading(lda, n) ? -5
          : !is_valid_leading(ldb, n) ? -8
          : count < 0                 ? -10
                                      : 0;
  return for_each(handle, name, *info == 0, n, columns ? count : 0,
                  {pointers("A", a, count), pointers<T>("B", b, count), numbers("P", pivots, int64_t{n} * count)},
                  [=](Device& device, int64_t i) {
                    const Matrix<const T> lu{"A", a[i], n, n, lda};
                    const Matrix<T> right{"B", b[i], n, columns, ldb};
                    if (!device.reaches(lu.operand(), right.operand())) return false;
                    solve(lu, pivots ? pivots + i * n : nullptr, op, right);
                    return true;
                  });
}

template <typename T>
Status matinv(Handle* handle, const char* name, int n, const T* const* a, int lda, T* const* inverses, int ldi,
              int* info, int count) {
  constexpr int kLargest = 32;
  const bool valid = n <= kLargest && is_valid_leading(lda, n) && is_valid_leading(ldi, n) && info;
  return for_each(handle, name, valid, n, count,
                  {pointers("A", a, count), pointers<T>("Ainv", inverses, count), numbers("info", info, count)},
                  [=](Device& device, int64_t i) {
                    const Matrix<const T> from{"A", a[i], n, n, lda};
                    const Matrix<T> inverse{"Ainv", inverses[i], n, n, ldi};
                    if (!device.reaches(from.operand(), inverse.operand())) return false;
                    std::vector<T> work(static_cast<size_t>(n) * static_cast<size_t>(n));
                    const Matrix<T> copy{"A", work.data(), n, n, n};
                    for (int64_t k = 0; k < n; k++)
                      for (int64_t j = 0; j < n; j++) copy(j, k) = from(j, k);
                    int pivots[kLargest];
                    info[i] = factor(copy, pivots);
                    if (info[i] != 0) return true;
                    set_identity(inverse);
                    solve(Matrix<const T>{"A", work.data(), n, n, n}, pivots, kN, inverse);
                    return true;
                  });
}

}  // namespace

#define WL_FACTOR(L, T)                                                                                                \
  WL_BLAS_API wl_cublas##L##getrfBatched(Handle* h, int n, T* const* a, int lda, int* pivots, int* info, int count) {  \
    return getrf(h, "cublas" #L "getrfBatched", n, a, lda, pivots, info, count);                                       \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##getriBatched(Handle* h, int n, const T* const* a, int lda, const int* pivots, T* const* c, \
                                         int ldc, int* info, int count) {                                              \
    return getri(h, "cublas" #L "getriBatched", n, a, lda, pivots, c, ldc, info, count);                               \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##getrsBatched(Handle* h, int op, int n, int columns, const T* const* a, int lda,            \
                                         const int* pivots, T* const* b, int ldb, int* info, int count) {              \
    return getrs(h, "cublas" #L "getrsBatched", op, n, columns, a, lda, pivots, b, ldb, info, count);                  \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##matinvBatched(Handle* h, int n, const T* const* a, int lda, T* const* inverses, int ldi,   \
                                          int* info, int count) {                                                      \
    return matinv(h, "cublas" #L "matinvBatched", n, a, lda, inverses, ldi, info, count);                              \
  }
WL_FACTOR(S, float)
WL_FACTOR(D, double)
WL_FACTOR(C, Complex)
WL_FACTOR(Z, DoubleComplex)

}  // namespace warplens::cuda::blas
