// Vectors with vectors, and what all calls share: handles, pointer modes, streams, errors.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "device.h"

namespace warplens::test {
namespace {

WL_FUNCTION_V2(axpy)
WL_FUNCTION_V2(scal)
WL_FUNCTION_V2(copy)
WL_FUNCTION_V2(swap)

template <typename T>
class Vectors : public Blas {};
using AllNumbers = testing::Types<float, double, Complex, DoubleComplex>;
TYPED_TEST_SUITE(Vectors, AllNumbers);

constexpr int kN = 37;

// Element i of a vector with a distance between its elements: the last in memory first if that is negative.
size_t at(int i, int distance) { return size_t((distance < 0 ? i - kN + 1 : i) * distance); }

TYPED_TEST(Vectors, AxpyWithDistances) {
  using T = TypeParam;
  for (const auto& [incx, incy] : {std::pair{1, 1}, {2, 3}, {-2, 1}, {1, -3}}) {
    Values<T> x(kN * 3, 1), y(kN * 3, 2);
    const T alpha = Numbers<T>::make(*std::make_unique<std::mt19937>(3));
    ASSERT_OK(axpy<T>(this->handle_, kN, raw(&alpha), x.device(), incx, y.device(), incy));
    std::vector<T> wanted = y.host;
    for (int i = 0; i < kN; i++) wanted[at(i, incy)] += alpha * x.host[at(i, incx)];
    expect_near(y.fetch(), wanted);
  }
}

TYPED_TEST(Vectors, ScaleCopySwap) {
  using T = TypeParam;
  Values<T> x(kN * 2, 1), y(kN * 2, 2);
  const T alpha = T(-1.5);
  ASSERT_OK(scal<T>(this->handle_, kN, raw(&alpha), x.device(), 2));
  std::vector<T> scaled = x.host;
  for (int i = 0; i < kN; i++) scaled[at(i, 2)] *= alpha;
  expect_near(x.fetch(), scaled);
  ASSERT_OK(swap<T>(this->handle_, kN, x.device(), 2, y.device(), -1));
  std::vector<T> wanted_x = scaled, wanted_y = y.host;
  for (int i = 0; i < kN; i++) std::swap(wanted_x[at(i, 2)], wanted_y[at(i, -1)]);
  expect_near(x.fetch(), wanted_x);
  expect_near(y.fetch(), wanted_y);
  ASSERT_OK(copy<T>(this->handle_, kN, x.device(), 1, y.device(), 1));
  std::copy_n(wanted_x.begin(), kN, wanted_y.begin());
  expect_near(y.fetch(), wanted_y);
}

class VectorResults : public Blas {};

TEST_F(VectorResults, DotNormSumAndExtremes) {
  Values<float> x(kN, 1), y(kN, 2);
  double dot = 0, squares = 0, sum = 0;
  int largest = 0, smallest = 0;
  for (int i = 0; i < kN; i++) {
    dot += double(x.host[size_t(i)]) * y.host[size_t(i)];
    squares += double(x.host[size_t(i)]) * x.host[size_t(i)];
    sum += std::abs(x.host[size_t(i)]);
    if (std::abs(x.host[size_t(i)]) > std::abs(x.host[size_t(largest)])) largest = i;
    if (std::abs(x.host[size_t(i)]) < std::abs(x.host[size_t(smallest)])) smallest = i;
  }
  float result = 0;
  int index = 0;
  ASSERT_OK(cublasSdot(handle_, kN, x.device(), 1, y.device(), 1, &result));
  EXPECT_FLOAT_EQ(result, float(dot));
  ASSERT_OK(cublasSnrm2(handle_, kN, x.device(), 1, &result));
  EXPECT_FLOAT_EQ(result, float(std::sqrt(squares)));
  ASSERT_OK(cublasSasum(handle_, kN, x.device(), 1, &result));
  EXPECT_FLOAT_EQ(result, float(sum));
  ASSERT_OK(cublasIsamax(handle_, kN, x.device(), 1, &index));
  EXPECT_EQ(index, largest + 1);
  ASSERT_OK(cublasIsamin(handle_, kN, x.device(), 1, &index));
  EXPECT_EQ(index, smallest + 1);
  int64_t wide_index = 0;
  ASSERT_OK(cublasIsamax_64(handle_, kN, x.device(), 1, &wide_index));
  EXPECT_EQ(wide_index, largest + 1);
}

TEST_F(VectorResults, ComplexProductsAndSizes) {
  Values<DoubleComplex> x(kN, 1), y(kN, 2);
  DoubleComplex plain = 0, conjugated = 0;
  double sum = 0;
  for (size_t i = 0; i < kN; i++) {
    plain += x.host[i] * y.host[i];
    conjugated += std::conj(x.host[i]) * y.host[i];
    sum += std::abs(x.host[i].real()) + std::abs(x.host[i].imag());  // BLAS's size of a complex number
  }
  DoubleComplex result;
  ASSERT_OK(cublasZdotu(handle_, kN, x.device(), 1, y.device(), 1, raw(&result)));
  EXPECT_LT(std::abs(result - plain), 1e-12);
  ASSERT_OK(cublasZdotc(handle_, kN, x.device(), 1, y.device(), 1, raw(&result)));
  EXPECT_LT(std::abs(result - conjugated), 1e-12);
  double size = 0;
  ASSERT_OK(cublasDzasum(handle_, kN, x.device(), 1, &size));
  EXPECT_NEAR(size, sum, 1e-12);
}

TEST_F(VectorResults, NormsOfHugeAndTinyNumbers) {
  using Pair = std::vector<double>;
  Values<double> huge(Pair{3e200, 4e200}), tiny(Pair{3e-200, 4e-200}), zero(Pair{0, 0});
  double result = -1;
  ASSERT_OK(cublasDnrm2(handle_, 2, huge.device(), 1, &result));
  EXPECT_DOUBLE_EQ(result, 5e200);
  ASSERT_OK(cublasDnrm2(handle_, 2, tiny.device(), 1, &result));
  EXPECT_DOUBLE_EQ(result, 5e-200);
  ASSERT_OK(cublasDnrm2(handle_, 2, zero.device(), 1, &result));
  EXPECT_EQ(result, 0);
}

TEST_F(VectorResults, NothingToReduceGivesZero) {
  float result = 7;
  int index = 7;
  ASSERT_OK(cublasSnrm2(handle_, 0, nullptr, 1, &result));
  EXPECT_EQ(result, 0);
  ASSERT_OK(cublasIsamax(handle_, 0, nullptr, 1, &index));
  EXPECT_EQ(index, 0);
}

TEST_F(VectorResults, Rotation) {
  Values<float> x(kN, 1), y(kN, 2);
  const float c = 0.6f, s = 0.8f;
  ASSERT_OK(cublasSrot(handle_, kN, x.device(), 1, y.device(), 1, &c, &s));
  std::vector<float> wanted_x = x.host, wanted_y = y.host;
  for (size_t i = 0; i < kN; i++) {
    wanted_x[i] = c * x.host[i] + s * y.host[i];
    wanted_y[i] = c * y.host[i] - s * x.host[i];
  }
  expect_near(x.fetch(), wanted_x);
  expect_near(y.fetch(), wanted_y);
}

// Numbers of other types than the letters have.
TEST_F(VectorResults, NamedTypes) {
  const std::vector<unsigned short> ones(kN, 0x3c00), twos(kN, 0x4000);  // in half precision
  unsigned short *x = nullptr, *y = nullptr;
  ASSERT_OK(cudaMalloc((void**)&x, 2 * kN));
  ASSERT_OK(cudaMalloc((void**)&y, 2 * kN));
  ASSERT_OK(cublasSetVector(kN, 2, ones.data(), 1, x, 1));
  ASSERT_OK(cublasSetVector(kN, 2, twos.data(), 1, y, 1));
  unsigned short result = 0;
  ASSERT_OK(cublasDotEx(handle_, kN, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, &result, CUDA_R_16F, CUDA_R_32F));
  EXPECT_EQ(result, 0x54a0);  // 74
  const float alpha = 3;
  ASSERT_OK(cublasAxpyEx(handle_, kN, &alpha, CUDA_R_32F, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, CUDA_R_32F));
  unsigned short sums[kN];
  ASSERT_OK(cublasGetVector(kN, 2, y, 1, sums, 1));
  EXPECT_EQ(sums[kN - 1], 0x4500);  // 5
  EXPECT_EQ(cublasDotEx(handle_, kN, x, CUDA_R_16F, 1, y, CUDA_R_32F, 1, &result, CUDA_R_16F, CUDA_R_32F),
            CUBLAS_STATUS_NOT_SUPPORTED);
  cudaFree(x);
  cudaFree(y);
}

class Handles : public Blas {};

TEST_F(Handles, AnswerForThemselves) {
  int version = 0, major = 0;
  EXPECT_OK(cublasGetVersion(handle_, &version));
  EXPECT_OK(cublasGetProperty(MAJOR_VERSION, &major));
  EXPECT_EQ(version / 10000, 13);
  EXPECT_EQ(major, 13);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_ALLOC_FAILED), "CUBLAS_STATUS_ALLOC_FAILED");
  EXPECT_EQ(cublasGetVersion(nullptr, &version), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  cublasPointerMode_t mode;
  EXPECT_OK(cublasGetPointerMode(handle_, &mode));
  EXPECT_EQ(mode, CUBLAS_POINTER_MODE_HOST);
  EXPECT_EQ(cublasSetPointerMode(handle_, cublasPointerMode_t(7)), CUBLAS_STATUS_INVALID_VALUE);
  cudaStream_t stream = nullptr, set = nullptr;
  ASSERT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cublasSetStream(handle_, stream));
  EXPECT_OK(cublasGetStream(handle_, &set));
  EXPECT_EQ(set, stream);
  EXPECT_OK(cublasSetStream(handle_, nullptr));
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST_F(Handles, AreGoneOnceDestroyed) {
  EXPECT_EQ(cublasDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  float x = 0;
  EXPECT_EQ(cublasSscal(nullptr, 1, &x, &x, 1), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Handles, InvalidArgumentsAreRefusedInCublasWay) {
  const float one = 1;
  Values<float> a(16, 1);
  const auto gemm = [&](int m, int lda, cublasOperation_t op) {
    return cublasSgemm(handle_, op, CUBLAS_OP_N, m, 2, 2, &one, a.device(), lda, a.device(), 2, &one, a.device(), 4);
  };
  EXPECT_EQ(gemm(-1, 4, CUBLAS_OP_N), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(4, 3, CUBLAS_OP_N), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(2, 2, cublasOperation_t(9)), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSaxpy(handle_, 4, nullptr, a.device(), 1, a.device(), 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgemv(handle_, CUBLAS_OP_N, 2, 2, &one, a.device(), 2, a.device(), 0, &one, a.device(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
  expect_near(a.fetch(), a.host);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Handles, ScalarsAndResultsOnTheDevice) {
  Values<float> x(kN, 1), y(kN, 2), alpha(std::vector<float>{2}), result(std::vector<float>{0});
  ASSERT_OK(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE));
  ASSERT_OK(cublasSaxpy(handle_, kN, alpha.device(), x.device(), 1, y.device(), 1));
  ASSERT_OK(cublasSasum(handle_, kN, y.device(), 1, result.device()));
  ASSERT_OK(cublasSscal(handle_, kN, result.device(), x.device(), 1));  // reads what the call before wrote
  double sum = 0;
  for (size_t i = 0; i < kN; i++) sum += std::abs(y.host[i] + 2 * x.host[i]);
  EXPECT_NEAR(result.fetch()[0], sum, 1e-4);
  std::vector<float> wanted = x.host;
  for (float& v : wanted) v *= float(sum);
  expect_near(x.fetch(), wanted);
}

TEST_F(Handles, SetAndGetWithDistances) {
  const std::vector<double> from = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Values<double> on_device(std::vector<double>(12, 0));
  ASSERT_OK(cublasSetMatrix(2, 3, sizeof(double), from.data(), 4, on_device.device(), 3));
  EXPECT_EQ(on_device.fetch(), (std::vector<double>{1, 2, 0, 5, 6, 0, 9, 10, 0, 0, 0, 0}));
  std::vector<double> back(12, 0);
  ASSERT_OK(cublasGetMatrix(2, 3, sizeof(double), on_device.device(), 3, back.data(), 2));
  EXPECT_EQ(back, (std::vector<double>{1, 2, 5, 6, 9, 10, 0, 0, 0, 0, 0, 0}));
  ASSERT_OK(cublasSetVector(4, sizeof(double), from.data(), 3, on_device.device(), 2));
  EXPECT_EQ(on_device.fetch()[6], 10);
  EXPECT_EQ(cublasSetVector(4, sizeof(double), from.data(), 0, on_device.device(), 2), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetVector(40, sizeof(double), from.data(), 1, on_device.device(), 1), CUBLAS_STATUS_MAPPING_ERROR);
}

// A function of the runtime by its name, for those that our headers may lack. `0` is a number here, not a pointer.
auto runtime(const char* name) { return reinterpret_cast<int (*)(...)>(dlsym(RTLD_DEFAULT, name)); }

// A captured call is done when the graph is launched, and each time anew; host functions before it have run.
TEST_F(Handles, KeepTheOrderOfStreamsAndGraphs) {
  Values<float> x(std::vector<float>{1, 1});
  cudaStream_t stream;
  void *graph = nullptr, *exec = nullptr;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cublasSetStream(handle_, stream));
  const float two = 2;
  ASSERT_OK(runtime("cudaStreamBeginCapture")(stream, 0));
  ASSERT_OK(cublasSscal(handle_, 2, &two, x.device(), 1));
  float result = 0;
  EXPECT_EQ(cublasSasum(handle_, 2, x.device(), 1, &result), CUBLAS_STATUS_NOT_SUPPORTED);
  ASSERT_OK(runtime("cudaStreamEndCapture")(stream, &graph));
  EXPECT_EQ(x.fetch(), (std::vector<float>{1, 1}));
  ASSERT_OK(runtime("cudaGraphInstantiate")(&exec, graph, 0ul));
  for (int i = 0; i < 3; i++) ASSERT_OK(runtime("cudaGraphLaunch")(exec, stream));
  EXPECT_EQ(x.fetch(), (std::vector<float>{8, 8}));

  struct Job {
    float* x;
    float value;
  } job{x.device(), 5};
  ASSERT_OK(runtime("cudaLaunchHostFunc")(
      stream, +[](void* p) { *static_cast<Job*>(p)->x = static_cast<Job*>(p)->value; }, &job));
  ASSERT_OK(cublasSscal(handle_, 2, &two, x.device(), 1));
  EXPECT_EQ(x.fetch(), (std::vector<float>{10, 16}));
  runtime("cudaGraphExecDestroy")(exec);
  runtime("cudaGraphDestroy")(graph);
  cudaStreamDestroy(stream);
}

// As a kernel's: the call itself succeeds, what waits for the device fails. In a process of its own, for nothing works
// there any more.
TEST_F(Handles, OutOfBoundsIsAFaultOfTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // anew, not a fork: CUDA does not survive one
  const auto program = [] {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float* x = nullptr;
    const float two = 2;
    cudaMalloc((void**)&x, 10 * sizeof(float));
    if (cublasSscal(handle, 10, &two, x, 1) != CUBLAS_STATUS_SUCCESS) _exit(1);
    if (cudaDeviceSynchronize() != cudaSuccess) _exit(2);
    if (cublasSscal(handle, 11, &two, x, 1) != CUBLAS_STATUS_SUCCESS) _exit(3);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) _exit(4);
    if (cublasSscal(handle, 10, &two, x, 1) != CUBLAS_STATUS_EXECUTION_FAILED) _exit(5);
    _exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "cublasSscal: out of bounds: x is 44 bytes at 0x");
}

}  // namespace
}  // namespace warplens::test
