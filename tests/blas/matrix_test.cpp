// Matrices with vectors and with matrices, against plain loops.
#include <cstring>

#include "device.h"

#ifdef __SANITIZE_THREAD__
// OpenBLAS is not instrumented: how its threads wait for each other cannot be seen.
extern "C" __attribute__((visibility("default"), used)) const char* __tsan_default_suppressions() {
  return "race:libopenblas.so\n";
}
#endif

namespace warplens::test {
namespace {

WL_FUNCTION_V2(gemv)
WL_FUNCTION_V2(gemm)
WL_FUNCTION(gemmBatched)
WL_FUNCTION(gemmStridedBatched)
WL_FUNCTION(gemvStridedBatched)
WL_FUNCTION_V2(symv)
WL_FUNCTION_V2(trmv)
WL_FUNCTION_V2(trsv)
WL_FUNCTION_V2(syr)
WL_FUNCTION_V2(syr2)
WL_FUNCTION_V2(symm)
WL_FUNCTION_V2(syrk)
WL_FUNCTION_V2(syr2k)
WL_FUNCTION_V2(trmm)
WL_FUNCTION_V2(trsm)
WL_FUNCTION(trsmBatched)
WL_FUNCTION(geam)
WL_FUNCTION(dgmm)
WL_FUNCTION(getrfBatched)
WL_FUNCTION(getriBatched)
WL_FUNCTION(getrsBatched)
WL_FUNCTION(matinvBatched)
WL_COMPLEX_FUNCTION_V2(hemv)
WL_COMPLEX_FUNCTION_V2(her)
WL_COMPLEX_FUNCTION_V2(her2)
WL_COMPLEX_FUNCTION_V2(hemm)
WL_COMPLEX_FUNCTION_V2(herk)
WL_COMPLEX_FUNCTION_V2(her2k)

constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t kFills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
constexpr cublasDiagType_t kDiagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

template <typename T>
class Matrices : public Blas {
 protected:
  const T alpha_ = Numbers<T>::make(*std::make_unique<std::mt19937>(11));
  const T beta_ = Numbers<T>::make(*std::make_unique<std::mt19937>(12));
};
using AllNumbers = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Matrices, AllNumbers);
template <typename T>
class ComplexMatrices : public Matrices<T> {};
using ComplexNumbers = testing::Types<Complex, DoubleComplex>;
TYPED_TEST_SUITE(ComplexMatrices, ComplexNumbers);

bool in_triangle(cublasFillMode_t fill, int i, int j) { return fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j; }

// The whole of a matrix of which one triangle counts.
template <typename T>
std::vector<T> whole(const std::vector<T>& m, int leading, int n, cublasFillMode_t fill, bool hermitian) {
  std::vector<T> out(size_t(n * n));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      T v = in_triangle(fill, i, j) ? m[size_t(i + j * leading)] : m[size_t(j + i * leading)];
      if (hermitian && !in_triangle(fill, i, j)) v = conjugate(v);
      if (hermitian && i == j) v = T(std::real(v));
      out[size_t(i + j * n)] = v;
    }
  return out;
}

// A triangular matrix, zeros and all.
template <typename T>
std::vector<T> triangle(const std::vector<T>& m, int leading, int n, cublasFillMode_t fill, cublasDiagType_t diagonal) {
  std::vector<T> out(size_t(n * n));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      out[size_t(i + j * n)] = i == j && diagonal == CUBLAS_DIAG_UNIT ? T(1)
                               : in_triangle(fill, i, j)              ? m[size_t(i + j * leading)]
                                                                      : T(0);
  return out;
}

// Numbers far from singular: small but for the diagonal.
template <typename T>
std::vector<T> dominant(int leading, int n) {
  std::mt19937 random(5);
  std::vector<T> m(size_t(leading * n));
  for (T& v : m) v = Numbers<T>::make(random) * T(0.1);
  for (int i = 0; i < n; i++) m[size_t(i + i * leading)] += T(2);
  return m;
}

template <typename T>
T product(const std::vector<T>& a, int lda, cublasOperation_t op_a, const std::vector<T>& b, int ldb,
          cublasOperation_t op_b, int k, int i, int j) {
  T sum{};
  for (int l = 0; l < k; l++) sum += element(a, lda, op_a, i, l) * element(b, ldb, op_b, l, j);
  return sum;
}

TYPED_TEST(Matrices, Gemm) {
  using T = TypeParam;
  constexpr int m = 13, n = 7, k = 9, lda = 15, ldb = 16, ldc = 14;
  for (auto op_a : kOperations)
    for (auto op_b : kOperations) {
      Values<T> a(15 * 15, 1), b(16 * 16, 2), c(ldc * n, 3);
      ASSERT_OK(gemm<T>(this->handle_, op_a, op_b, m, n, k, raw(&this->alpha_), a.device(), lda, b.device(), ldb,
                        raw(&this->beta_), c.device(), ldc));
      std::vector<T> wanted = c.host;
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
          T& v = wanted[size_t(i + j * ldc)];
          v = this->alpha_ * product(a.host, lda, op_a, b.host, ldb, op_b, k, i, j) + this->beta_ * v;
        }
      expect_near(c.fetch(), wanted);
    }
}

TYPED_TEST(Matrices, GemmWithoutBetaForgetsWhatWasThere) {
  using T = TypeParam;
  Values<T> a(4, 1), c(std::vector<T>(4, T(NAN)));
  const T one = 1, zero = 0;
  ASSERT_OK(gemm<T>(this->handle_, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, raw(&one), a.device(), 2, a.device(), 2,
                    raw(&zero), c.device(), 2));
  std::vector<T> wanted(4);
  for (int i = 0; i < 4; i++)
    wanted[size_t(i)] = product(a.host, 2, CUBLAS_OP_N, a.host, 2, CUBLAS_OP_N, 2, i % 2, i / 2);
  expect_near(c.fetch(), wanted);
  Values<T> y(std::vector<T>(2, T(NAN)));
  ASSERT_OK(
      gemv<T>(this->handle_, CUBLAS_OP_N, 2, 2, raw(&one), a.device(), 2, a.device(), 1, raw(&zero), y.device(), 1));
  expect_near(y.fetch(),
              {a.host[0] * a.host[0] + a.host[2] * a.host[1], a.host[1] * a.host[0] + a.host[3] * a.host[1]});
}

TYPED_TEST(Matrices, GemmOfMany) {
  using T = TypeParam;
  constexpr int n = 5, size = n * n, count = 4;
  Values<T> a(size * count, 1), b(size, 2), c(size * count, 3);
  std::vector<T> wanted = c.host;
  for (int p = 0; p < count; p++) {
    const std::vector<T> left(a.host.begin() + p * size, a.host.begin() + (p + 1) * size);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        wanted[size_t(p * size + i + j * n)] =
            this->alpha_ * product(left, n, CUBLAS_OP_T, b.host, n, CUBLAS_OP_N, n, i, j) +
            this->beta_ * c.host[size_t(p * size + i + j * n)];
  }
  // One matrix is multiplied with all: its distance is 0.
  ASSERT_OK(gemmStridedBatched<T>(this->handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, raw(&this->alpha_), a.device(), n,
                                  size, b.device(), n, 0, raw(&this->beta_), c.device(), n, size, count));
  expect_near(c.fetch(), wanted);

  Values<T> again(size * count, 3);
  std::vector<Raw<T>*> pointers;
  for (int p = 0; p < count; p++) pointers.push_back(a.device() + p * size);
  for (int p = 0; p < count; p++) pointers.push_back(b.device());
  for (int p = 0; p < count; p++) pointers.push_back(again.device() + p * size);
  Raw<T>** arrays = nullptr;
  ASSERT_OK(cudaMalloc((void**)&arrays, pointers.size() * sizeof(void*)));
  ASSERT_OK(cudaMemcpy(arrays, pointers.data(), pointers.size() * sizeof(void*), cudaMemcpyHostToDevice));
  ASSERT_OK(gemmBatched<T>(this->handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, raw(&this->alpha_), arrays, n,
                           arrays + count, n, raw(&this->beta_), arrays + 2 * count, n, count));
  expect_near(again.fetch(), wanted);
  cudaFree(arrays);
}

TYPED_TEST(Matrices, Gemv) {
  using T = TypeParam;
  constexpr int m = 11, n = 6, lda = 12;
  for (auto op : kOperations)
    for (const auto& [incx, incy] : {std::pair{1, 1}, {2, -3}}) {
      const int x_size = op == CUBLAS_OP_N ? n : m, y_size = op == CUBLAS_OP_N ? m : n;
      Values<T> a(lda * n, 1), x(40, 2), y(40, 3);
      ASSERT_OK(gemv<T>(this->handle_, op, m, n, raw(&this->alpha_), a.device(), lda, x.device(), incx,
                        raw(&this->beta_), y.device(), incy));
      std::vector<T> wanted = y.host;
      for (int i = 0; i < y_size; i++) {
        T sum{};
        for (int j = 0; j < x_size; j++) sum += element(a.host, lda, op, i, j) * x.host[size_t(j * incx)];
        T& v = wanted[size_t(incy < 0 ? (i - y_size + 1) * incy : i * incy)];
        v = this->alpha_ * sum + this->beta_ * v;
      }
      expect_near(y.fetch(), wanted);
    }
}

TYPED_TEST(Matrices, GemvOfMany) {
  using T = TypeParam;
  constexpr int m = 4, n = 3, count = 3;
  Values<T> a(m * n * count, 1), x(n * count, 2), y(m * count, 3);
  ASSERT_OK(gemvStridedBatched<T>(this->handle_, CUBLAS_OP_N, m, n, raw(&this->alpha_), a.device(), m, m * n,
                                  x.device(), 1, n, raw(&this->beta_), y.device(), 1, m, count));
  std::vector<T> wanted = y.host;
  for (int p = 0; p < count; p++)
    for (int i = 0; i < m; i++) {
      T sum{};
      for (int j = 0; j < n; j++) sum += a.host[size_t(p * m * n + i + j * m)] * x.host[size_t(p * n + j)];
      T& v = wanted[size_t(p * m + i)];
      v = this->alpha_ * sum + this->beta_ * v;
    }
  expect_near(y.fetch(), wanted);
}

template <typename T, typename Function>
void check_symmetric_product(cublasHandle_t handle, Function function, bool hermitian, T alpha, T beta) {
  constexpr int n = 7, lda = 8;
  for (auto fill : kFills) {
    Values<T> a(lda * n, 1), x(n, 2), y(n, 3);
    ASSERT_OK(function(handle, fill, n, raw(&alpha), a.device(), lda, x.device(), 1, raw(&beta), y.device(), 1));
    const std::vector<T> all = whole(a.host, lda, n, fill, hermitian);
    std::vector<T> wanted = y.host;
    for (int i = 0; i < n; i++)
      wanted[size_t(i)] =
          alpha * product(all, n, CUBLAS_OP_N, x.host, n, CUBLAS_OP_N, n, i, 0) + beta * wanted[size_t(i)];
    expect_near(y.fetch(), wanted);
  }
}
TYPED_TEST(Matrices, Symv) {
  check_symmetric_product(this->handle_, symv<TypeParam>, false, this->alpha_, this->beta_);
}
TYPED_TEST(ComplexMatrices, Hemv) {
  check_symmetric_product(this->handle_, hemv<TypeParam>, true, this->alpha_, this->beta_);
}

TYPED_TEST(Matrices, TriangularWithVector) {
  using T = TypeParam;
  constexpr int n = 9, lda = 10;
  for (auto fill : kFills)
    for (auto op : kOperations)
      for (auto diagonal : kDiagonals) {
        Values<T> a(dominant<T>(lda, n)), x(n, 2);
        ASSERT_OK(trmv<T>(this->handle_, fill, op, diagonal, n, a.device(), lda, x.device(), 1));
        const std::vector<T> all = triangle(a.host, lda, n, fill, diagonal);
        std::vector<T> wanted(n);
        for (int i = 0; i < n; i++) wanted[size_t(i)] = product(all, n, op, x.host, n, CUBLAS_OP_N, n, i, 0);
        expect_near(x.fetch(), wanted);
        ASSERT_OK(trsv<T>(this->handle_, fill, op, diagonal, n, a.device(), lda, x.device(), 1));
        expect_near(x.fetch(), x.host);
      }
}

TEST_F(Blas, Ger) {
  constexpr int m = 5, n = 4, lda = 6;
  const Complex alpha = {0.5f, -2};
  for (bool conjugated : {false, true}) {
    Values<Complex> x(m, 1), y(n, 2), a(lda * n, 3);
    ASSERT_OK((conjugated ? cublasCgerc : cublasCgeru)(handle_, m, n, raw(&alpha), x.device(), 1, y.device(), 1,
                                                       a.device(), lda));
    std::vector<Complex> wanted = a.host;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        wanted[size_t(i + j * lda)] +=
            alpha * x.host[size_t(i)] * (conjugated ? std::conj(y.host[size_t(j)]) : y.host[size_t(j)]);
    expect_near(a.fetch(), wanted);
  }
}

// One triangle is updated, the other stays.
template <typename T, typename Call, typename Update>
void check_update(int n, int lda, bool hermitian, Call call, Update update) {
  for (auto fill : kFills) {
    Values<T> a(size_t(lda * n), 3);
    ASSERT_OK(call(fill, a.device()));
    std::vector<T> wanted = a.host;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        if (in_triangle(fill, i, j)) {
          T& v = wanted[size_t(i + j * lda)];
          v = update(v, i, j);
          if (hermitian && i == j) v = T(std::real(v));
        }
    expect_near(a.fetch(), wanted);
  }
}

TYPED_TEST(Matrices, SymmetricUpdatesByVectors) {
  using T = TypeParam;
  constexpr int n = 6, lda = 7;
  Values<T> x(n, 1), y(n, 2);
  const auto at = [](const Values<T>& v, int i) { return v.host[size_t(i)]; };
  check_update<T>(
      n, lda, false,
      [&](auto fill, auto* a) { return syr<T>(this->handle_, fill, n, raw(&this->alpha_), x.device(), 1, a, lda); },
      [&](T v, int i, int j) { return v + this->alpha_ * at(x, i) * at(x, j); });
  check_update<T>(
      n, lda, false,
      [&](auto fill, auto* a) {
        return syr2<T>(this->handle_, fill, n, raw(&this->alpha_), x.device(), 1, y.device(), 1, a, lda);
      },
      [&](T v, int i, int j) { return v + this->alpha_ * (at(x, i) * at(y, j) + at(y, i) * at(x, j)); });
}

TYPED_TEST(ComplexMatrices, HermitianUpdatesByVectors) {
  using T = TypeParam;
  constexpr int n = 6, lda = 7;
  Values<T> x(n, 1), y(n, 2);
  const Real<T> real_alpha = 1.5;
  const auto at = [](const Values<T>& v, int i) { return v.host[size_t(i)]; };
  check_update<T>(
      n, lda, true,
      [&](auto fill, auto* a) { return her<T>(this->handle_, fill, n, &real_alpha, x.device(), 1, a, lda); },
      [&](T v, int i, int j) { return v + real_alpha * at(x, i) * std::conj(at(x, j)); });
  check_update<T>(
      n, lda, true,
      [&](auto fill, auto* a) {
        return her2<T>(this->handle_, fill, n, raw(&this->alpha_), x.device(), 1, y.device(), 1, a, lda);
      },
      [&](T v, int i, int j) {
        return v + this->alpha_ * at(x, i) * std::conj(at(y, j)) +
               std::conj(this->alpha_) * at(y, i) * std::conj(at(x, j));
      });
}

TYPED_TEST(Matrices, SymmetricUpdatesByMatrices) {
  using T = TypeParam;
  constexpr int n = 6, k = 4, lda = 9, ldc = 7;
  for (auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    const auto other = op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
    Values<T> a(lda * 9, 1), b(lda * 9, 2);
    check_update<T>(
        n, ldc, false,
        [&](auto fill, auto* c) {
          return syrk<T>(this->handle_, fill, op, n, k, raw(&this->alpha_), a.device(), lda, raw(&this->beta_), c, ldc);
        },
        [&](T v, int i, int j) {
          return this->alpha_ * product(a.host, lda, op, a.host, lda, other, k, i, j) + this->beta_ * v;
        });
    check_update<T>(
        n, ldc, false,
        [&](auto fill, auto* c) {
          return syr2k<T>(this->handle_, fill, op, n, k, raw(&this->alpha_), a.device(), lda, b.device(), lda,
                          raw(&this->beta_), c, ldc);
        },
        [&](T v, int i, int j) {
          return this->alpha_ * (product(a.host, lda, op, b.host, lda, other, k, i, j) +
                                 product(b.host, lda, op, a.host, lda, other, k, i, j)) +
                 this->beta_ * v;
        });
  }
}

TYPED_TEST(ComplexMatrices, HermitianUpdatesByMatrices) {
  using T = TypeParam;
  constexpr int n = 6, k = 4, lda = 9, ldc = 7;
  const Real<T> real_alpha = 0.75, real_beta = -0.5;
  for (auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
    const auto other = op == CUBLAS_OP_N ? CUBLAS_OP_C : CUBLAS_OP_N;
    Values<T> a(lda * 9, 1), b(lda * 9, 2);
    check_update<T>(
        n, ldc, true,
        [&](auto fill, auto* c) {
          return herk<T>(this->handle_, fill, op, n, k, &real_alpha, a.device(), lda, &real_beta, c, ldc);
        },
        [&](T v, int i, int j) {
          return real_alpha * product(a.host, lda, op, a.host, lda, other, k, i, j) + real_beta * v;
        });
    check_update<T>(
        n, ldc, true,
        [&](auto fill, auto* c) {
          return her2k<T>(this->handle_, fill, op, n, k, raw(&this->alpha_), a.device(), lda, b.device(), lda,
                          &real_beta, c, ldc);
        },
        [&](T v, int i, int j) {
          return this->alpha_ * product(a.host, lda, op, b.host, lda, other, k, i, j) +
                 std::conj(this->alpha_) * product(b.host, lda, op, a.host, lda, other, k, i, j) + real_beta * v;
        });
  }
}

template <typename T, typename Function>
void check_symmetric_matrix_product(cublasHandle_t handle, Function function, bool hermitian, T alpha, T beta) {
  constexpr int m = 6, n = 5, lda = 7, ldb = 8, ldc = 9;
  for (auto side : kSides)
    for (auto fill : kFills) {
      const int order = side == CUBLAS_SIDE_LEFT ? m : n;
      Values<T> a(lda * 7, 1), b(ldb * n, 2), c(ldc * n, 3);
      ASSERT_OK(function(handle, side, fill, m, n, raw(&alpha), a.device(), lda, b.device(), ldb, raw(&beta),
                         c.device(), ldc));
      const std::vector<T> all = whole(a.host, lda, order, fill, hermitian);
      std::vector<T> wanted = c.host;
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
          const T sum = side == CUBLAS_SIDE_LEFT ? product(all, m, CUBLAS_OP_N, b.host, ldb, CUBLAS_OP_N, m, i, j)
                                                 : product(b.host, ldb, CUBLAS_OP_N, all, n, CUBLAS_OP_N, n, i, j);
          wanted[size_t(i + j * ldc)] = alpha * sum + beta * wanted[size_t(i + j * ldc)];
        }
      expect_near(c.fetch(), wanted);
    }
}
TYPED_TEST(Matrices, Symm) {
  check_symmetric_matrix_product(this->handle_, symm<TypeParam>, false, this->alpha_, this->beta_);
}
TYPED_TEST(ComplexMatrices, Hemm) {
  check_symmetric_matrix_product(this->handle_, hemm<TypeParam>, true, this->alpha_, this->beta_);
}

TYPED_TEST(Matrices, TriangularWithMatrix) {
  using T = TypeParam;
  constexpr int m = 6, n = 5, lda = 8, ldb = 7;
  const T one = 1;
  for (auto side : kSides)
    for (auto fill : kFills)
      for (auto op : kOperations)
        for (auto diagonal : kDiagonals) {
          const int order = side == CUBLAS_SIDE_LEFT ? m : n;
          Values<T> a(dominant<T>(lda, order)), b(ldb * n, 2), c(ldb * n, 3);
          ASSERT_OK(trmm<T>(this->handle_, side, fill, op, diagonal, m, n, raw(&this->alpha_), a.device(), lda,
                            b.device(), ldb, c.device(), ldb));
          const std::vector<T> all = triangle(a.host, lda, order, fill, diagonal);
          std::vector<T> wanted = c.host;
          for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
              wanted[size_t(i + j * ldb)] =
                  this->alpha_ * (side == CUBLAS_SIDE_LEFT ? product(all, m, op, b.host, ldb, CUBLAS_OP_N, m, i, j)
                                                           : product(b.host, ldb, CUBLAS_OP_N, all, n, op, n, i, j));
          expect_near(c.fetch(), wanted);
          const T back = one / this->alpha_;
          ASSERT_OK(
              trsm<T>(this->handle_, side, fill, op, diagonal, m, n, raw(&back), a.device(), lda, c.device(), ldb));
          std::vector<T> solution = c.fetch(), before = b.host;
          for (int j = 0; j < n; j++)
            solution[size_t(m + j * ldb)] = before[size_t(m + j * ldb)] = 0;  // between columns
          expect_near(solution, before);
        }
}

TYPED_TEST(Matrices, GeamAndDgmm) {
  using T = TypeParam;
  constexpr int m = 5, n = 4, ld = 6;
  for (auto op_a : kOperations)
    for (auto op_b : kOperations) {
      Values<T> a(36, 1), b(36, 2), c(36, 3);
      ASSERT_OK(geam<T>(this->handle_, op_a, op_b, m, n, raw(&this->alpha_), a.device(), ld, raw(&this->beta_),
                        b.device(), ld, c.device(), ld));
      std::vector<T> wanted = c.host;
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
          wanted[size_t(i + j * ld)] =
              this->alpha_ * element(a.host, ld, op_a, i, j) + this->beta_ * element(b.host, ld, op_b, i, j);
      expect_near(c.fetch(), wanted);
    }
  // A transposition alone: the other matrix is not read.
  Values<T> a(36, 1), c(36, 3), x(m, 4);
  const T one = 1, zero = 0;
  ASSERT_OK(geam<T>(this->handle_, CUBLAS_OP_T, CUBLAS_OP_N, m, n, raw(&one), a.device(), ld, raw(&zero), nullptr, ld,
                    c.device(), ld));
  EXPECT_EQ(c.fetch()[1], a.host[ld]);
  for (auto side : kSides) {
    ASSERT_OK(dgmm<T>(this->handle_, side, m, n, a.device(), ld, x.device(), 1, c.device(), ld));
    EXPECT_LT(std::abs(c.fetch()[2 + 3 * ld] - a.host[2 + 3 * ld] * x.host[side == CUBLAS_SIDE_LEFT ? 2 : 3]), 1e-5);
  }
}

TYPED_TEST(Matrices, FactorsAndInverses) {
  using T = TypeParam;
  constexpr int n = 6, size = n * n, count = 3;
  Values<T> a(size * count, 1), inverse(size * count, 2), b(n * count, 3);
  Values<T> factors(a.host);
  std::vector<Raw<T>*> pointers;
  for (const Values<T>* v : {&a, &factors, &inverse})
    for (int p = 0; p < count; p++) pointers.push_back(v->device() + p * size);
  for (int p = 0; p < count; p++) pointers.push_back(b.device() + p * n);
  Raw<T>** arrays = nullptr;
  int *pivots = nullptr, *info = nullptr;
  ASSERT_OK(cudaMalloc((void**)&arrays, pointers.size() * sizeof(void*)));
  ASSERT_OK(cudaMemcpy(arrays, pointers.data(), pointers.size() * sizeof(void*), cudaMemcpyHostToDevice));
  ASSERT_OK(cudaMalloc((void**)&pivots, n * count * sizeof(int)));
  ASSERT_OK(cudaMalloc((void**)&info, count * sizeof(int)));
  const auto is_inverse = [&] {
    const std::vector<T> x = inverse.fetch();
    for (int p = 0; p < count; p++) {
      const std::vector<T> left(a.host.begin() + p * size, a.host.begin() + (p + 1) * size);
      const std::vector<T> right(x.begin() + p * size, x.begin() + (p + 1) * size);
      for (int i = 0; i < size; i++)
        EXPECT_LT(std::abs(product(left, n, CUBLAS_OP_N, right, n, CUBLAS_OP_N, n, i % n, i / n) - T(i % n == i / n)),
                  1e-3);
    }
  };
  ASSERT_OK(getrfBatched<T>(this->handle_, n, arrays + count, n, pivots, info, count));
  ASSERT_OK(getriBatched<T>(this->handle_, n, arrays + count, n, pivots, arrays + 2 * count, n, info, count));
  is_inverse();
  ASSERT_OK(cudaMemset(inverse.device(), 0, size * count * sizeof(T)));
  ASSERT_OK(matinvBatched<T>(this->handle_, n, arrays, n, arrays + 2 * count, n, info, count));
  is_inverse();
  for (auto op : kOperations) {
    ASSERT_OK(cudaMemcpy(b.device(), b.host.data(), b.host.size() * sizeof(T), cudaMemcpyHostToDevice));
    int argument = 7;
    ASSERT_OK(
        getrsBatched<T>(this->handle_, op, n, 1, arrays + count, n, pivots, arrays + 3 * count, n, &argument, count));
    EXPECT_EQ(argument, 0);
    const std::vector<T> x = b.fetch();
    for (int p = 0; p < count; p++) {
      const std::vector<T> left(a.host.begin() + p * size, a.host.begin() + (p + 1) * size);
      const std::vector<T> right(x.begin() + p * n, x.begin() + (p + 1) * n);
      for (int i = 0; i < n; i++)
        EXPECT_LT(std::abs(product(left, n, op, right, n, CUBLAS_OP_N, n, i, 0) - b.host[size_t(p * n + i)]), 1e-3);
    }
  }
  // Singular: the first zero pivot is told.
  ASSERT_OK(cudaMemset(factors.device(), 0, size * count * sizeof(T)));
  ASSERT_OK(getrfBatched<T>(this->handle_, n, arrays + count, n, nullptr, info, count));
  int told = 0;
  ASSERT_OK(cudaMemcpy(&told, info, sizeof told, cudaMemcpyDeviceToHost));
  EXPECT_EQ(told, 1);
  cudaFree(arrays);
  cudaFree(pivots);
  cudaFree(info);
}

unsigned short bfloat(float v) {  // of numbers that are exact
  unsigned bits;
  memcpy(&bits, &v, sizeof bits);
  return static_cast<unsigned short>(bits >> 16);
}

TEST_F(Blas, GemmOfSmallTypes) {
  constexpr int n = 3;
  const float one = 1, half_beta = 0.5f;
  std::vector<float> plain = {1, -2, 3, 4, 0.5f, -6, 7, 8, -9};
  std::vector<unsigned short> halves = {0x3c00, 0xc000, 0x4200, 0x4400, 0x3800, 0xc600, 0x4700, 0x4800, 0xc880}, brains;
  for (float v : plain) brains.push_back(bfloat(v));
  std::vector<float> squares(9);
  for (int i = 0; i < 9; i++)
    squares[size_t(i)] = product(plain, n, CUBLAS_OP_N, plain, n, CUBLAS_OP_T, n, i % n, i / n);
  void *a = nullptr, *c = nullptr;
  ASSERT_OK(cudaMalloc((void**)&a, 36));
  ASSERT_OK(cudaMalloc((void**)&c, 36));
  const auto run = [&](const void* from, cudaDataType type, size_t bytes, cudaDataType result, const void* beta) {
    EXPECT_OK(cudaMemcpy(a, from, 9 * bytes, cudaMemcpyHostToDevice));
    return cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, type, n, a, type, n, beta, c, result, n,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  const float zero = 0;
  std::vector<float> got(9);
  for (const auto& [from, type] : {std::pair{&halves, CUDA_R_16F}, {&brains, CUDA_R_16BF}}) {
    ASSERT_OK(run(from->data(), type, 2, CUDA_R_32F, &zero));
    ASSERT_OK(cudaMemcpy(got.data(), c, 36, cudaMemcpyDeviceToHost));
    EXPECT_EQ(got, squares);
    ASSERT_OK(run(from->data(), type, 2, type, &zero));  // and rounded
    ASSERT_OK(run(from->data(), type, 2, type, &half_beta));
    unsigned short last[9];
    ASSERT_OK(cudaMemcpy(last, c, 18, cudaMemcpyDeviceToHost));
    EXPECT_EQ(last[0], type == CUDA_R_16F ? 0x5630 : bfloat(1.5f * squares[0])) << squares[0];
  }
  const std::vector<signed char> bytes = {1, -128, 127, 4, 5, -6, 7, 8, -9};
  ASSERT_OK(cudaMemcpy(a, bytes.data(), 9, cudaMemcpyHostToDevice));
  const int int_one = 1, int_zero = 0;
  ASSERT_OK(cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &int_one, a, CUDA_R_8I, n, a, CUDA_R_8I, n,
                         &int_zero, c, CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
  int sums[9];
  ASSERT_OK(cudaMemcpy(sums, c, 36, cudaMemcpyDeviceToHost));
  EXPECT_EQ(sums[4], 128 * 128 + 5 * 5 + 8 * 8);
  EXPECT_EQ(sums[5], -128 * 127 - 5 * 6 - 8 * 9);
  EXPECT_EQ(run(plain.data(), CUDA_R_32F, 4, CUDA_R_16F, &zero), CUBLAS_STATUS_NOT_SUPPORTED);
  cudaFree(a);
  cudaFree(c);
}

// All 65536 numbers of half precision go through a product with 1 unchanged, the NaNs as NaNs.
TEST_F(Blas, EveryHalfIsItself) {
  std::vector<unsigned short> all(65536);
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<unsigned short>(i);
  const unsigned short one = 0x3c00, zero = 0;
  unsigned short *x = nullptr, *y = nullptr, *factor = nullptr;
  ASSERT_OK(cudaMalloc((void**)&x, 2 * all.size()));
  ASSERT_OK(cudaMalloc((void**)&y, 2 * all.size()));
  ASSERT_OK(cudaMalloc((void**)&factor, 2));
  ASSERT_OK(cublasSetVector(65536, 2, all.data(), 1, x, 1));
  ASSERT_OK(cublasSetVector(1, 2, &one, 1, factor, 1));
  ASSERT_OK(cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 65536, 1, 1, &one, x, CUDA_R_16F, 65536, factor, CUDA_R_16F,
                         1, &zero, y, CUDA_R_16F, 65536, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT));
  std::vector<unsigned short> got(all.size());
  ASSERT_OK(cublasGetVector(65536, 2, y, 1, got.data(), 1));
  for (size_t i = 0; i < all.size(); i++) {
    const bool is_nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff);
    if (is_nan) {
      ASSERT_EQ(got[i] & 0x7fff, 0x7fff) << i;
    } else if (i != 0x8000) {  // -0 + 0 is 0
      ASSERT_EQ(got[i], i);
    }
  }
  cudaFree(x);
  cudaFree(y);
  cudaFree(factor);
}

}  // namespace
}  // namespace warplens::test
