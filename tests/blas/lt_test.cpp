// cublasLt: one product with its epilogue, against plain loops.
#include "device.h"

#include <cublasLt.h>

namespace warplens::test {
namespace {

double gelu(double z) { return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z))); }
double gelu_slope(double z) { return (gelu(z + 1e-5) - gelu(z - 1e-5)) / 2e-5; }

constexpr int kM = 16, kN = 5, kK = 7;

class Lt : public Blas {
 protected:
  void SetUp() override {
    Blas::SetUp();
    if (IsSkipped()) return;
    ASSERT_OK(cublasLtCreate(&lt_));
    ASSERT_OK(cublasLtMatmulPreferenceCreate(&preference_));
    size_t workspace = 1 << 20;
    ASSERT_OK(cublasLtMatmulPreferenceSetAttribute(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                   sizeof workspace));
  }
  void TearDown() override {
    if (preference_) {
      EXPECT_OK(cublasLtMatmulPreferenceDestroy(preference_));
    }
    if (lt_) {
      EXPECT_OK(cublasLtDestroy(lt_));
    }
    Blas::TearDown();
  }

  struct Shape {
    cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void* bias = nullptr;
    void* aux = nullptr;
    cudaDataType type = CUDA_R_32F;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cublasLtOrder_t order_a = CUBLASLT_ORDER_COL;
    int batches = 1;
  };

  // D = epilogue(alpha op(A) op(B) + beta C), all packed.
  cublasStatus_t matmul(const Shape& s, float alpha, const void* a, const void* b, float beta, const void* c, void* d) {
    cublasLtMatmulDescOpaque_t desc;  // in the program's own memory
    EXPECT_OK(cublasLtMatmulDescInit(&desc, s.compute, CUDA_R_32F));
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      EXPECT_OK(cublasLtMatmulDescSetAttribute(&desc, attribute, &value, sizeof value));
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.op_a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.op_b);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, s.epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, s.bias);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, s.aux);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{kM});
    const auto layout = [&](int rows, int columns, cublasLtOrder_t order = CUBLASLT_ORDER_COL) {
      cublasLtMatrixLayout_t out = nullptr;
      const int leading = order == CUBLASLT_ORDER_ROW ? columns : rows;
      EXPECT_OK(cublasLtMatrixLayoutCreate(&out, s.type, uint64_t(rows), uint64_t(columns), leading));
      EXPECT_OK(cublasLtMatrixLayoutSetAttribute(out, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
      const int64_t stride = int64_t{rows} * columns;
      EXPECT_OK(
          cublasLtMatrixLayoutSetAttribute(out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &s.batches, sizeof s.batches));
      EXPECT_OK(
          cublasLtMatrixLayoutSetAttribute(out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
      return out;
    };
    const bool plain_a = s.op_a == CUBLAS_OP_N, plain_b = s.op_b == CUBLAS_OP_N;
    cublasLtMatrixLayout_t la = layout(plain_a ? kM : kK, plain_a ? kK : kM, s.order_a),
                           lb = layout(plain_b ? kK : kN, plain_b ? kN : kK), lc = layout(kM, kN), ld = layout(kM, kN);
    cublasLtMatmulHeuristicResult_t chosen{};
    int count = 0;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(lt_, &desc, la, lb, lc, ld, preference_, 1, &chosen, &count);
    EXPECT_EQ(count, status == CUBLAS_STATUS_SUCCESS ? 1 : 0);
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublasLtMatmul(lt_, &desc, &alpha, a, la, b, lb, &beta, c, lc, d, ld, &chosen.algo, nullptr, 0, nullptr);
    for (auto l : {la, lb, lc, ld}) EXPECT_OK(cublasLtMatrixLayoutDestroy(l));
    return status;
  }

  // alpha op(A) op(B) + beta C in double precision.
  static std::vector<double> plain(const Shape& s, float alpha, const std::vector<float>& a,
                                   const std::vector<float>& b, float beta, const std::vector<float>& c) {
    std::vector<double> z(kM * kN);
    for (int j = 0; j < kN; j++)
      for (int i = 0; i < kM; i++) {
        double sum = 0;
        for (int k = 0; k < kK; k++)
          sum += double(element(a, s.op_a == CUBLAS_OP_N ? kM : kK, s.op_a, i, k)) *
                 element(b, s.op_b == CUBLAS_OP_N ? kK : kN, s.op_b, k, j);
        z[size_t(i + j * kM)] = alpha * sum + beta * c[size_t(i + j * kM)];
      }
    return z;
  }

  template <typename F>
  static std::vector<float> each(const std::vector<double>& z, F f) {
    std::vector<float> out;
    for (size_t i = 0; i < z.size(); i++) out.push_back(float(f(z[i], i)));
    return out;
  }

  cublasLtHandle_t lt_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  Values<float> a_{kM * kK, 1}, b_{kK * kN, 2}, c_{kM * kN, 3}, d_{kM * kN, 4}, bias_{kM, 5}, aux_{kM * kN, 6};
};

TEST_F(Lt, Products) {
  for (auto op_a : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (auto op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      Shape s;
      s.op_a = op_a;
      s.op_b = op_b;
      ASSERT_OK(matmul(s, 2, a_.device(), b_.device(), -0.5f, c_.device(), d_.device()));
      expect_near(d_.fetch(), each(plain(s, 2, a_.host, b_.host, -0.5f, c_.host), [](double z, size_t) { return z; }));
    }
}

TEST_F(Lt, ForwardEpilogues) {
  const auto bias = [&](size_t i) { return double(bias_.host[i % kM]); };
  const std::vector<double> z = plain({}, 1, a_.host, b_.host, 0, c_.host);
  const auto check = [&](cublasLtEpilogue_t epilogue, auto f) {
    Shape s;
    s.epilogue = epilogue;
    s.bias = bias_.device();
    s.aux = aux_.device();
    ASSERT_OK(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device())) << epilogue;
    expect_near(d_.fetch(), each(z, f));
  };
  check(CUBLASLT_EPILOGUE_BIAS, [&](double v, size_t i) { return v + bias(i); });
  check(CUBLASLT_EPILOGUE_RELU, [&](double v, size_t) { return std::max(v, 0.0); });
  check(CUBLASLT_EPILOGUE_RELU_BIAS, [&](double v, size_t i) { return std::max(v + bias(i), 0.0); });
  check(CUBLASLT_EPILOGUE_GELU, [&](double v, size_t) { return gelu(v); });
  check(CUBLASLT_EPILOGUE_GELU_BIAS, [&](double v, size_t i) { return gelu(v + bias(i)); });
  check(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, [&](double v, size_t i) { return gelu(v + bias(i)); });
  expect_near(aux_.fetch(), each(z, [&](double v, size_t i) { return v + bias(i); }));
}

TEST_F(Lt, BackwardEpilogues) {
  const std::vector<double> z = plain({}, 1, a_.host, b_.host, 0, c_.host);
  Shape s;
  s.bias = bias_.device();
  s.aux = aux_.device();
  s.epilogue = CUBLASLT_EPILOGUE_DGELU_BGRAD;
  ASSERT_OK(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device()));
  const std::vector<float> wanted = each(z, [&](double v, size_t i) { return v * gelu_slope(aux_.host[i]); });
  expect_near(d_.fetch(), wanted, 1e-3);
  std::vector<float> sums(kM);
  for (size_t i = 0; i < wanted.size(); i++) sums[i % kM] += wanted[i];
  expect_near(bias_.fetch(), sums, 1e-3);

  // RELU leaves a bit an element, which its backward pass reads.
  s.epilogue = CUBLASLT_EPILOGUE_RELU_AUX;
  ASSERT_OK(cudaMemset(aux_.device(), 0xff, aux_.host.size() * 4));
  ASSERT_OK(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device()));
  s.epilogue = CUBLASLT_EPILOGUE_DRELU;
  ASSERT_OK(matmul(s, -3, a_.device(), b_.device(), 0, nullptr, d_.device()));
  expect_near(d_.fetch(), each(z, [&](double v, size_t) { return v > 0 ? -3 * v : 0; }));

  for (auto op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    Shape g;
    g.epilogue = CUBLASLT_EPILOGUE_BGRADB;
    g.op_b = op_b;
    g.bias = bias_.device();
    ASSERT_OK(matmul(g, 1, a_.device(), b_.device(), 0, nullptr, d_.device()));
    std::vector<float> by_column(kN);
    for (int j = 0; j < kN; j++)
      for (int k = 0; k < kK; k++) by_column[size_t(j)] += element(b_.host, op_b == CUBLAS_OP_N ? kK : kN, op_b, k, j);
    std::vector<float> got = bias_.fetch();
    got.resize(kN);
    expect_near(got, by_column);
  }
}

TEST_F(Lt, RowsInsteadOfColumns) {
  Shape s;
  s.order_a = CUBLASLT_ORDER_ROW;
  ASSERT_OK(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device()));
  std::vector<float> transposed(a_.host.size());
  for (int i = 0; i < kM; i++)
    for (int k = 0; k < kK; k++) transposed[size_t(i + k * kM)] = a_.host[size_t(i * kK + k)];
  expect_near(d_.fetch(), each(plain(s, 1, transposed, b_.host, 0, c_.host), [](double z, size_t) { return z; }));
}

TEST_F(Lt, Batches) {
  Values<float> a(2 * kM * kK, 1), b(2 * kK * kN, 2), d(2 * kM * kN, 3);
  Shape s;
  s.batches = 2;
  ASSERT_OK(matmul(s, 1, a.device(), b.device(), 0, d.device(), d.device()));
  const std::vector<float> second_a(a.host.begin() + kM * kK, a.host.end()),
      second_b(b.host.begin() + kK * kN, b.host.end());
  const std::vector<float> got = d.fetch();
  expect_near({got.begin() + kM * kN, got.end()},
              each(plain(s, 1, second_a, second_b, 0, c_.host), [](double z, size_t) { return z; }));
}

TEST_F(Lt, WhatIsNotServedIsRefusedWhenAsked) {
  Shape s;
  s.type = CUDA_R_8F_E4M3;
  EXPECT_EQ(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device()), CUBLAS_STATUS_NOT_SUPPORTED);
  s.type = CUDA_R_32F;
  s.order_a = CUBLASLT_ORDER_COL32;
  EXPECT_EQ(matmul(s, 1, a_.device(), b_.device(), 0, nullptr, d_.device()), CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(Lt, AttributesAreWhatWasSet) {
  cublasLtMatrixLayout_t layout;
  ASSERT_OK(cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, 3, 4, 5));
  uint64_t columns = 0;
  size_t written = 0;
  ASSERT_OK(cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_COLS, &columns, sizeof columns, &written));
  EXPECT_EQ(columns, 4u);
  EXPECT_EQ(written, 8u);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_COLS, &columns, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_OK(cublasLtMatrixLayoutDestroy(layout));
  EXPECT_EQ(cublasLtDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace warplens::test
