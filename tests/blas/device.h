// Matrices on the device, as programs have them, and the plain loops that say what should come out.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include <cublas_v2.h>  // after the C++ library: CUDA's headers define words of its own
#include <cuda_runtime_api.h>

namespace warplens::test {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

#define EXPECT_OK(call) EXPECT_EQ(int(call), 0)
#define ASSERT_OK(call) ASSERT_EQ(int(call), 0)

template <typename T>
struct Numbers {
  using Real = T;
  using Raw = T;  // as cuBLAS's functions take it
  static T make(std::mt19937& random) { return T(int(random() % 2001) - 1000) / T(500); }
};
template <typename R>
struct Numbers<std::complex<R>> {
  using Real = R;
  using Raw = std::conditional_t<sizeof(R) == 4, cuComplex, cuDoubleComplex>;
  static std::complex<R> make(std::mt19937& random) { return {Numbers<R>::make(random), Numbers<R>::make(random)}; }
};
template <typename T>
using Raw = typename Numbers<T>::Raw;
template <typename T>
using Real = typename Numbers<T>::Real;

template <typename T>
const Raw<T>* raw(const T* p) {
  return reinterpret_cast<const Raw<T>*>(p);
}
template <typename T>
Raw<T>* raw(T* p) {
  return reinterpret_cast<Raw<T>*>(p);
}

template <typename T>
T conjugate(T v) {
  if constexpr (std::is_same_v<T, Real<T>>)
    return v;
  else
    return std::conj(v);
}

// Values on the host and on the device.
template <typename T>
class Values {
 public:
  Values(size_t count, unsigned seed) : host(count) {
    std::mt19937 random(seed);
    for (T& v : host) v = Numbers<T>::make(random);
    upload();
  }
  explicit Values(const std::vector<T>& values) : host(values) { upload(); }
  ~Values() { cudaFree(device_); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  Raw<T>* device() const { return reinterpret_cast<Raw<T>*>(device_); }
  std::vector<T> fetch() const {
    std::vector<T> out(host.size());
    EXPECT_OK(cudaMemcpy(out.data(), device_, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  std::vector<T> host;  // as it was uploaded

 private:
  void upload() {
    EXPECT_OK(cudaMalloc((void**)&device_, host.size() * sizeof(T)));
    EXPECT_OK(cudaMemcpy(device_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  void* device_ = nullptr;
};

template <typename T>
void expect_near(const std::vector<T>& got, const std::vector<T>& wanted, double tolerance = -1) {
  if (tolerance < 0) tolerance = sizeof(Real<T>) == 4 ? 1e-4 : 1e-11;
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); i++)
    ASSERT_LE(std::abs(got[i] - wanted[i]), tolerance * (1 + std::abs(wanted[i])))
        << i << ": " << got[i] << " is not " << wanted[i];
}

// op(m)(i, j) of a matrix in columns.
template <typename T>
T element(const std::vector<T>& m, int leading, cublasOperation_t op, int i, int j) {
  if (op == CUBLAS_OP_N) return m[size_t(i + j * leading)];
  const T v = m[size_t(j + i * leading)];
  return op == CUBLAS_OP_C ? conjugate(v) : v;
}

class Blas : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cublasCreate(&handle_));
    float one = 1, *a = nullptr;
    ASSERT_OK(cudaMalloc((void**)&a, 4));
    const cublasStatus_t status = cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1);
    cudaFree(a);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) GTEST_SKIP() << "libopenblas.so.0 is not installed";
  }
  void TearDown() override { EXPECT_OK(cublasDestroy(handle_)); }
  cublasHandle_t handle_ = nullptr;
};

// cuBLAS's functions by type.
#define WL_FUNCTION(name)                          \
  template <typename T>                            \
  constexpr auto name = [] {                       \
    if constexpr (std::is_same_v<T, float>)        \
      return cublasS##name;                        \
    else if constexpr (std::is_same_v<T, double>)  \
      return cublasD##name;                        \
    else if constexpr (std::is_same_v<T, Complex>) \
      return cublasC##name;                        \
    else                                           \
      return cublasZ##name;                        \
  }();
#define WL_FUNCTION_V2(name)                       \
  template <typename T>                            \
  constexpr auto name = [] {                       \
    if constexpr (std::is_same_v<T, float>)        \
      return cublasS##name##_v2;                   \
    else if constexpr (std::is_same_v<T, double>)  \
      return cublasD##name##_v2;                   \
    else if constexpr (std::is_same_v<T, Complex>) \
      return cublasC##name##_v2;                   \
    else                                           \
      return cublasZ##name##_v2;                   \
  }();
#define WL_COMPLEX_FUNCTION_V2(name)          \
  template <typename T>                       \
  constexpr auto name = [] {                  \
    if constexpr (std::is_same_v<T, Complex>) \
      return cublasC##name##_v2;              \
    else                                      \
      return cublasZ##name##_v2;              \
  }();

}  // namespace warplens::test
