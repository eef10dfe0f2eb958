#include "cuda/blas/gemm.h"

#include <cstring>

#include "cuda/blas/expand.h"

namespace warplens::cuda::blas {
namespace {

// alpha and beta before their type is known.
class AnyScalar {
 public:
  AnyScalar(const Handle& handle, const char* name, const void* pointer, DataType type)
      : name_(name), pointer_(pointer), type_(type), on_device_(handle.pointer_mode == kDevicePointers) {
    if (!on_device_) memcpy(value_.data(), pointer, bytes_of(type));
  }
  Operand operand() const { return {name_, pointer_, on_device_ ? bytes_of(type_) : 0}; }
  template <typename T>
  T get() const {
    T out{};
    with_type(type_, [&]<typename From>(From value) {
      if constexpr (kIsComplex<T> || !kIsComplex<From>) {
        memcpy(&value, on_device_ ? pointer_ : value_.data(), sizeof value);
        out = convert<T>(value);
      }
    });
    return out;
  }

 private:
  const char* name_;
  const void* pointer_;
  DataType type_;
  bool on_device_;
  std::array<std::byte, 16> value_{};
};

// What sums are kept in: integers in double, which is exact up to 2^53.
DataType arithmetic(DataType scale) {
  if (scale == DataType::R16F) return DataType::R32F;
  if (scale == DataType::R32I) return DataType::R64F;
  return scale;
}

template <typename T>
void multiply_one(const OpenBlas<T>& blas, const Product& p, T alpha, T beta, const void* a, const void* b, void* c) {
  constexpr DataType kNative = type_of<T>();
  if (p.a.type == kNative && p.b.type == kNative && p.c.type == kNative) {
    return multiply(blas, p.op_a, p.op_b, p.m, p.n, p.k, alpha, static_cast<const T*>(a), p.a.leading,
                    static_cast<const T*>(b), p.b.leading, beta, static_cast<T*>(c), p.c.leading);
  }
  const std::vector<T> left = unpacked<T>(a, p.a.type, p.a_rows(), p.a_columns(), p.a.leading);
  const std::vector<T> right = unpacked<T>(b, p.b.type, p.b_rows(), p.b_columns(), p.b.leading);
  std::vector<T> result(static_cast<size_t>(p.m * p.n));
  if (beta != T{}) result = unpacked<T>(c, p.c.type, p.m, p.n, p.c.leading);
  const auto leading = [](int64_t rows) { return rows > 1 ? rows : 1; };
  multiply(blas, p.op_a, p.op_b, p.m, p.n, p.k, alpha, left.data(), leading(p.a_rows()), right.data(),
           leading(p.b_rows()), beta, result.data(), p.m);
  with_type(p.c.type, [&]<typename To>(To) {
    To* to = static_cast<To*>(c);
    for (int64_t j = 0; j < p.n; j++)
      for (int64_t i = 0; i < p.m; i++) to[i + j * p.c.leading] = convert<To>(result[static_cast<size_t>(i + j * p.m)]);
  });
}

Operand array_operand(const char* name, const Place& place, int64_t count) {
  return {name, place.data, place.is_array ? static_cast<uint64_t>(count) * sizeof(void*) : 0};
}

template <typename T>
Status submit_products(Handle& handle, const char* name, const Product& p) {
  const OpenBlas<T>* blas = openblas<T>();
  if (!blas) return refuse_without_openblas(name);
  if (!fit({p.m, p.n, p.k, p.a.leading, p.b.leading, p.c.leading})) {
    return refuse(std::string(name) + " with sizes beyond 2^31");
  }
  const AnyScalar alpha(handle, "alpha", p.alpha, p.scale), beta(handle, "beta", p.beta, p.scale);
  return submit(handle.stream, name, [=](Device& device) {
    if (!device.reaches(alpha.operand(), beta.operand(), array_operand("Aarray", p.a, p.count),
                        array_operand("Barray", p.b, p.count), array_operand("Carray", p.c, p.count)))
      return;
    for (int64_t i = 0; i < p.count; i++) {
      const void *a = p.a.at(i), *b = p.b.at(i);
      void* c = const_cast<void*>(p.c.at(i));
      const bool there =
          device.reaches(matrix_operand("A", a, p.a_rows(), p.a_columns(), p.a.leading, bytes_of(p.a.type)),
                         matrix_operand("B", b, p.b_rows(), p.b_columns(), p.b.leading, bytes_of(p.b.type)),
                         matrix_operand("C", c, p.m, p.n, p.c.leading, bytes_of(p.c.type)));
      if (!there) return;
      multiply_one<T>(*blas, p, alpha.get<T>(), beta.get<T>(), a, b, c);
    }
  });
}

bool is_valid(const Product& p) {
  return is_valid_operation(p.op_a) && is_valid_operation(p.op_b) && p.m >= 0 && p.n >= 0 && p.k >= 0 && p.count >= 0 &&
         p.alpha && p.beta && is_valid_leading(p.a.leading, p.a_rows()) && is_valid_leading(p.b.leading, p.b_rows()) &&
         is_valid_leading(p.c.leading, p.m);
}

}  // namespace

std::optional<DataType> scale_type(Compute compute, DataType ab, DataType c) {
  const auto is = [&](DataType wanted_ab, DataType wanted_c) { return ab == wanted_ab && c == wanted_c; };
  using enum DataType;
  const int pedantic = static_cast<int>(compute) - 1;
  for (const Compute plain : {Compute::F16, Compute::F32, Compute::F64, Compute::I32})
    if (pedantic == static_cast<int>(plain)) compute = plain;
  switch (compute) {
    case Compute::F16:
      return is(R16F, R16F) ? std::optional(R16F) : std::nullopt;
    case Compute::I32:
      return is(R8I, R32I) ? std::optional(R32I) : std::nullopt;
    case Compute::F64:
    case Compute::F64EmulatedFixedPoint:
      if (is(R64F, R64F)) return R64F;
      return is(C64F, C64F) ? std::optional(C64F) : std::nullopt;
    case Compute::F32:
      if (is(R16BF, R16BF) || is(R16F, R16F) || is(R8I, R32F) || is(R16BF, R32F) || is(R16F, R32F)) return R32F;
      [[fallthrough]];
    case Compute::F32Fast16F:
    case Compute::F32Fast16BF:
    case Compute::F32FastTF32:
    case Compute::F32Emulated16BFx9:
      if (is(R32F, R32F)) return R32F;
      return is(C32F, C32F) ? std::optional(C32F) : std::nullopt;
  }
  return std::nullopt;
}

const void* Place::at(int64_t i) const {
  if (is_array) return static_cast<const void* const*>(data)[i];
  return static_cast<const char*>(data) + i * stride * static_cast<int64_t>(bytes_of(type));
}

Status gemm(Handle* handle, const char* name, const Product& p) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!is_valid(p)) return kInvalidValue;
  if (p.m == 0 || p.n == 0 || p.count == 0) return kSuccess;
  switch (arithmetic(p.scale)) {
    case DataType::R32F:
      return submit_products<float>(*handle, name, p);
    case DataType::R64F:
      return submit_products<double>(*handle, name, p);
    case DataType::C32F:
      return submit_products<Complex>(*handle, name, p);
    default:
      return submit_products<DoubleComplex>(*handle, name, p);
  }
}

namespace {

// The functions that name their types when called. `only`: the type that alpha has in the function's declaration.
Status gemm_of_types(Handle* handle, const char* name, Product p, Compute compute,
                     std::optional<DataType> only = std::nullopt) {
  const auto scale = p.a.type == p.b.type ? scale_type(compute, p.a.type, p.c.type) : std::nullopt;
  if (Status status = check(handle); status != kSuccess) return status;
  if (!scale || (only && *scale != *only)) return refuse(std::string(name) + " with these types");
  p.scale = *scale;
  return gemm(handle, name, p);
}

}  // namespace

#define WL_GEMM(L, T, suffix, Int)                                                                                     \
  WL_BLAS_API wl_cublas##L##gemm##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const T* alpha, const T* a, \
                                         Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                 \
    constexpr DataType t = type_of<T>();                                                                               \
    return gemm(h, "cublas" #L "gemm" #suffix,                                                                         \
                {opa, opb, m, n, k, {a, t, lda}, {b, t, ldb}, {c, t, ldc}, alpha, beta, t, 1});                        \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##gemmBatched##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const T* alpha,      \
                                                const T* const* a, Int lda, const T* const* b, Int ldb, const T* beta, \
                                                T* const* c, Int ldc, Int count) {                                     \
    constexpr DataType t = type_of<T>();                                                                               \
    return gemm(                                                                                                       \
        h, "cublas" #L "gemmBatched" #suffix,                                                                          \
        {opa, opb, m, n, k, {a, t, lda, 0, true}, {b, t, ldb, 0, true}, {c, t, ldc, 0, true}, alpha, beta, t, count}); \
  }                                                                                                                    \
  WL_BLAS_API wl_cublas##L##gemmStridedBatched##suffix(                                                                \
      Handle* h, int opa, int opb, Int m, Int n, Int k, const T* alpha, const T* a, Int lda, long long stride_a,       \
      const T* b, Int ldb, long long stride_b, const T* beta, T* c, Int ldc, long long stride_c, Int count) {          \
    constexpr DataType t = type_of<T>();                                                                               \
    return gemm(h, "cublas" #L "gemmStridedBatched" #suffix,                                                           \
                {opa,                                                                                                  \
                 opb,                                                                                                  \
                 m,                                                                                                    \
                 n,                                                                                                    \
                 k,                                                                                                    \
                 {a, t, lda, stride_a},                                                                                \
                 {b, t, ldb, stride_b},                                                                                \
                 {c, t, ldc, stride_c},                                                                                \
                 alpha,                                                                                                \
                 beta,                                                                                                 \
                 t,                                                                                                    \
                 count});                                                                                              \
  }
WL_ALL_NUMBERS(WL_GEMM)
WL_IN_BOTH_SIZES(WL_GEMM, H, Half)

#define WL_TYPED_GEMM(suffix, Int)                                                                                 \
  WL_BLAS_API wl_cublasGemmEx##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const void* alpha,         \
                                      const void* a, DataType ta, Int lda, const void* b, DataType tb, Int ldb,    \
                                      const void* beta, void* c, DataType tc, Int ldc, Compute compute, int) {     \
    return gemm_of_types(h, "cublasGemmEx" #suffix,                                                                \
                         {opa, opb, m, n, k, {a, ta, lda}, {b, tb, ldb}, {c, tc, ldc}, alpha, beta}, compute);     \
  }                                                                                                                \
  WL_BLAS_API wl_cublasGemmBatchedEx##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const void* alpha,  \
                                             const void* const* a, DataType ta, Int lda, const void* const* b,     \
                                             DataType tb, Int ldb, const void* beta, void* const* c, DataType tc,  \
                                             Int ldc, Int count, Compute compute, int) {                           \
    return gemm_of_types(h, "cublasGemmBatchedEx" #suffix,                                                         \
                         {opa,                                                                                     \
                          opb,                                                                                     \
                          m,                                                                                       \
                          n,                                                                                       \
                          k,                                                                                       \
                          {a, ta, lda, 0, true},                                                                   \
                          {b, tb, ldb, 0, true},                                                                   \
                          {c, tc, ldc, 0, true},                                                                   \
                          alpha,                                                                                   \
                          beta,                                                                                    \
                          DataType::R32F,                                                                          \
                          count},                                                                                  \
                         compute);                                                                                 \
  }                                                                                                                \
  WL_BLAS_API wl_cublasGemmStridedBatchedEx##suffix(                                                               \
      Handle* h, int opa, int opb, Int m, Int n, Int k, const void* alpha, const void* a, DataType ta, Int lda,    \
      long long stride_a, const void* b, DataType tb, Int ldb, long long stride_b, const void* beta, void* c,      \
      DataType tc, Int ldc, long long stride_c, Int count, Compute compute, int) {                                 \
    return gemm_of_types(h, "cublasGemmStridedBatchedEx" #suffix,                                                  \
                         {opa,                                                                                     \
                          opb,                                                                                     \
                          m,                                                                                       \
                          n,                                                                                       \
                          k,                                                                                       \
                          {a, ta, lda, stride_a},                                                                  \
                          {b, tb, ldb, stride_b},                                                                  \
                          {c, tc, ldc, stride_c},                                                                  \
                          alpha,                                                                                   \
                          beta,                                                                                    \
                          DataType::R32F,                                                                          \
                          count},                                                                                  \
                         compute);                                                                                 \
  }                                                                                                                \
  WL_BLAS_API wl_cublasSgemmEx##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const float* alpha,       \
                                       const void* a, DataType ta, Int lda, const void* b, DataType tb, Int ldb,   \
                                       const float* beta, void* c, DataType tc, Int ldc) {                         \
    return gemm_of_types(h, "cublasSgemmEx" #suffix,                                                               \
                         {opa, opb, m, n, k, {a, ta, lda}, {b, tb, ldb}, {c, tc, ldc}, alpha, beta}, Compute::F32, \
                         DataType::R32F);                                                                          \
  }                                                                                                                \
  WL_BLAS_API wl_cublasCgemmEx##suffix(Handle* h, int opa, int opb, Int m, Int n, Int k, const Complex* alpha,     \
                                       const void* a, DataType ta, Int lda, const void* b, DataType tb, Int ldb,   \
                                       const Complex* beta, void* c, DataType tc, Int ldc) {                       \
    return gemm_of_types(h, "cublasCgemmEx" #suffix,                                                               \
                         {opa, opb, m, n, k, {a, ta, lda}, {b, tb, ldb}, {c, tc, ldc}, alpha, beta}, Compute::F32, \
                         DataType::C32F);                                                                          \
  }
WL_TYPED_GEMM(, int)
WL_TYPED_GEMM(_64, int64_t)

}  // namespace warplens::cuda::blas
