// Vectors with vectors. Sums are kept in double precision; products that are added to something are rounded once, as a
// GPU's fused multiply-add does.
#include "cuda/blas/expand.h"
#include "cuda/blas/handle.h"

namespace warplens::cuda::blas {
namespace {

template <typename T>
double one_norm(T value) {  // what asum and amax call the size of a complex number
  const Wide<T> w = wide(value);
  if constexpr (kIsComplex<T>)
    return std::abs(w.real()) + std::abs(w.imag());
  else
    return std::abs(w);
}

// A result: written when the work runs; for the host, before the call returns.
template <typename T>
Operand result_operand(const Handle& handle, const T* result) {
  return {"result", result, handle.pointer_mode == kDevicePointers ? sizeof(T) : 0};
}

// compute() -> R once the vectors are known to be there. Nothing is read of vectors without elements.
template <typename R, typename Compute>
Status reduce(Handle* handle, const char* name, R* result, std::initializer_list<Operand> operands, Compute compute) {
  if (!result) return kInvalidValue;
  if (Status status = wait_for_result(*handle, name); status != kSuccess) return status;
  std::vector<Operand> all(operands);
  all.push_back(result_operand(*handle, result));
  const Status status = submit(handle->stream, name, [=](Device& device) {
    for (const Operand& operand : all)
      if (!device.reaches(operand)) return;
    *result = compute();
  });
  if (status != kSuccess || handle->pointer_mode == kDevicePointers) return status;
  return wait_for_result(*handle, name);  // where this call itself went out of bounds, its caller learns it here
}

template <typename T>
Status dot(Handle* handle, const char* name, int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, T* result,
           bool conjugated = false) {
  if (Status status = check(handle); status != kSuccess) return status;
  const Vector<const T> a("x", x, n, incx), b("y", y, n, incy);
  return reduce(handle, name, result, {a.operand(), b.operand()}, [=] {
    Wide<T> sum{};
    for (int64_t i = 0; i < a.size(); i++) sum += (conjugated ? conjugate(wide(a[i])) : wide(a[i])) * wide(b[i]);
    return convert<T>(sum);
  });
}

template <typename T, typename R = Real<T>>
Status nrm2(Handle* handle, const char* name, int64_t n, const T* x, int64_t incx, R* result) {
  if (Status status = check(handle); status != kSuccess) return status;
  const Vector<const T> a("x", x, incx > 0 ? n : 0, incx);
  return reduce(handle, name, result, {a.operand()}, [=] {
    double largest = 0, sum = 0;  // scaled, so that squares neither overflow nor vanish
    for (int64_t i = 0; i < a.size(); i++) {
      const double size = std::abs(wide(a[i]));
      if (!(size <= largest)) largest = size;
    }
    if (largest == 0 || !std::isfinite(largest)) return convert<R>(largest);
    for (int64_t i = 0; i < a.size(); i++) sum += std::norm(wide(a[i]) / largest);
    return convert<R>(largest * std::sqrt(sum));
  });
}

template <typename T>
Status asum(Handle* handle, const char* name, int64_t n, const T* x, int64_t incx, Real<T>* result) {
  if (Status status = check(handle); status != kSuccess) return status;
  const Vector<const T> a("x", x, incx > 0 ? n : 0, incx);
  return reduce(handle, name, result, {a.operand()}, [=] {
    double sum = 0;
    for (int64_t i = 0; i < a.size(); i++) sum += one_norm(a[i]);
    return static_cast<Real<T>>(sum);
  });
}

// The first of the largest (smallest), counted from 1; 0 where there is none.
template <typename T, typename Index>
Status extreme(Handle* handle, const char* name, bool smallest, int64_t n, const T* x, int64_t incx, Index* result) {
  if (Status status = check(handle); status != kSuccess) return status;
  const Vector<const T> a("x", x, incx > 0 ? n : 0, incx);
  return reduce(handle, name, result, {a.operand()}, [=] {
    int64_t best = 0;
    for (int64_t i = 1; i < a.size(); i++) {
      const double size = one_norm(a[i]), so_far = one_norm(a[best]);
      if (smallest ? size < so_far : size > so_far) best = i;
    }
    return static_cast<Index>(a.size() ? best + 1 : 0);
  });
}

template <typename T>
Status axpy(Handle* handle, const char* name, int64_t n, const T* alpha, const T* x, int64_t incx, T* y, int64_t incy) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!alpha) return kInvalidValue;
  if (n <= 0) return kSuccess;
  const Scalar<T> factor(*handle, "alpha", alpha);
  const Vector<const T> from("x", x, n, incx);
  const Vector<T> to("y", y, n, incy);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(factor.operand(), from.operand(), to.operand())) return;
    const T a = factor.get();
    for (int64_t i = 0; i < n; i++) to[i] = multiply_add(a, from[i], to[i]);
  });
}

template <typename T, typename A>
Status scal(Handle* handle, const char* name, int64_t n, const A* alpha, T* x, int64_t incx) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!alpha) return kInvalidValue;
  if (n <= 0 || incx <= 0) return kSuccess;
  const Scalar<A> factor(*handle, "alpha", alpha);
  const Vector<T> v("x", x, n, incx);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(factor.operand(), v.operand())) return;
    const Wide<A> a = wide(factor.get());
    for (int64_t i = 0; i < n; i++) v[i] = convert<T>(wide(v[i]) * a);
  });
}

template <typename T>
Status copy(Handle* handle, const char* name, int64_t n, const T* x, int64_t incx, T* y, int64_t incy) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (n <= 0) return kSuccess;
  const Vector<const T> from("x", x, n, incx);
  const Vector<T> to("y", y, n, incy);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(from.operand(), to.operand())) return;
    for (int64_t i = 0; i < n; i++) to[i] = from[i];
  });
}

template <typename T>
Status swap(Handle* handle, const char* name, int64_t n, T* x, int64_t incx, T* y, int64_t incy) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (n <= 0) return kSuccess;
  const Vector<T> a("x", x, n, incx), b("y", y, n, incy);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(a.operand(), b.operand())) return;
    for (int64_t i = 0; i < n; i++) std::swap(a[i], b[i]);
  });
}

// x' = c x + s y, y' = c y - conj(s) x.
template <typename T, typename S>
Status rot(Handle* handle, const char* name, int64_t n, T* x, int64_t incx, T* y, int64_t incy, const Real<T>* c,
           const S* s) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!c || !s) return kInvalidValue;
  if (n <= 0) return kSuccess;
  const Scalar<Real<T>> cosine(*handle, "c", c);
  const Scalar<S> sine(*handle, "s", s);
  const Vector<T> a("x", x, n, incx), b("y", y, n, incy);
  return submit(handle->stream, name, [=](Device& device) {
    if (!device.reaches(cosine.operand(), sine.operand(), a.operand(), b.operand())) return;
    const double by_cosine = cosine.get();
    const Wide<S> by_sine = wide(sine.get());
    for (int64_t i = 0; i < n; i++) {
      const Wide<T> p = wide(a[i]), q = wide(b[i]);
      a[i] = convert<T>(by_cosine * p + by_sine * q);
      b[i] = convert<T>(by_cosine * q - conjugate(by_sine) * p);
    }
  });
}

// The functions that name their types when called: all vectors and results of one, and alpha and the arithmetic in it
// or in float.
bool is_type_of_vectors(DataType type) { return type != DataType::R8I && type != DataType::R32I; }

template <typename Visit>
Status for_vectors(Handle* handle, const char* name, std::initializer_list<DataType> types, Visit&& visit) {
  if (Status status = check(handle); status != kSuccess) return status;
  const DataType type = *types.begin();
  Status status = kNotSupported;
  bool same = is_type_of_vectors(type);
  for (const DataType other : types) same &= other == type;
  if (same) with_type(type, [&](auto value) { status = visit(value); });
  return same && bytes_of(type) ? status : refuse(std::string(name) + " with these types");
}

// alpha may be of another type than the vector.
template <typename T, typename Visit>
Status with_alpha(const Handle& handle, const char* name, const void* alpha, DataType type, T, Visit&& visit) {
  if (!alpha) return kInvalidValue;
  if (type == type_of<T>()) return visit(static_cast<const T*>(alpha));
  if (type != DataType::R32F || !kIsSmall<T>) return refuse(std::string(name) + " with these types");
  if (handle.pointer_mode == kDevicePointers) return refuse(std::string(name) + " with a float alpha on the device");
  const T value = convert<T>(*static_cast<const float*>(alpha));
  return visit(&value);
}

}  // namespace

#define WL_VECTORS(L, T, suffix, Int)                                                                              \
  WL_BLAS_API wl_cublas##L##axpy##suffix(Handle* h, Int n, const T* alpha, const T* x, Int incx, T* y, Int incy) { \
    return axpy(h, "cublas" #L "axpy" #suffix, n, alpha, x, incx, y, incy);                                        \
  }                                                                                                                \
  WL_BLAS_API wl_cublas##L##copy##suffix(Handle* h, Int n, const T* x, Int incx, T* y, Int incy) {                 \
    return copy(h, "cublas" #L "copy" #suffix, n, x, incx, y, incy);                                               \
  }                                                                                                                \
  WL_BLAS_API wl_cublas##L##swap##suffix(Handle* h, Int n, T* x, Int incx, T* y, Int incy) {                       \
    return swap(h, "cublas" #L "swap" #suffix, n, x, incx, y, incy);                                               \
  }                                                                                                                \
  WL_BLAS_API wl_cublas##L##scal##suffix(Handle* h, Int n, const T* alpha, T* x, Int incx) {                       \
    return scal(h, "cublas" #L "scal" #suffix, n, alpha, x, incx);                                                 \
  }                                                                                                                \
  WL_BLAS_API wl_cublas##L##rot##suffix(Handle* h, Int n, T* x, Int incx, T* y, Int incy, const Real<T>* c,        \
                                        const T* s) {                                                              \
    return rot(h, "cublas" #L "rot" #suffix, n, x, incx, y, incy, c, s);                                           \
  }
WL_ALL_NUMBERS(WL_VECTORS)

#define WL_EXTREMES(L, T, suffix, Int)                                                           \
  WL_BLAS_API wl_cublasI##L##amax##suffix(Handle* h, Int n, const T* x, Int incx, Int* result) { \
    return extreme(h, "cublasI" #L "amax" #suffix, false, n, x, incx, result);                   \
  }                                                                                              \
  WL_BLAS_API wl_cublasI##L##amin##suffix(Handle* h, Int n, const T* x, Int incx, Int* result) { \
    return extreme(h, "cublasI" #L "amin" #suffix, true, n, x, incx, result);                    \
  }
WL_IN_BOTH_SIZES(WL_EXTREMES, s, float)
WL_IN_BOTH_SIZES(WL_EXTREMES, d, double)
WL_IN_BOTH_SIZES(WL_EXTREMES, c, Complex)
WL_IN_BOTH_SIZES(WL_EXTREMES, z, DoubleComplex)

#define WL_DOT(function, T, conjugated, suffix, Int)                                                                 \
  WL_BLAS_API wl_cublas##function##suffix(Handle* h, Int n, const T* x, Int incx, const T* y, Int incy, T* result) { \
    return dot(h, "cublas" #function #suffix, n, x, incx, y, incy, result, conjugated);                              \
  }
WL_IN_BOTH_SIZES(WL_DOT, Sdot, float, false)
WL_IN_BOTH_SIZES(WL_DOT, Ddot, double, false)
WL_IN_BOTH_SIZES(WL_DOT, Cdotu, Complex, false)
WL_IN_BOTH_SIZES(WL_DOT, Cdotc, Complex, true)
WL_IN_BOTH_SIZES(WL_DOT, Zdotu, DoubleComplex, false)
WL_IN_BOTH_SIZES(WL_DOT, Zdotc, DoubleComplex, true)

#define WL_NORMS(L, T, suffix, Int)                                                                 \
  WL_BLAS_API wl_cublas##L##nrm2##suffix(Handle* h, Int n, const T* x, Int incx, Real<T>* result) { \
    return nrm2(h, "cublas" #L "nrm2" #suffix, n, x, incx, result);                                 \
  }                                                                                                 \
  WL_BLAS_API wl_cublas##L##asum##suffix(Handle* h, Int n, const T* x, Int incx, Real<T>* result) { \
    return asum(h, "cublas" #L "asum" #suffix, n, x, incx, result);                                 \
  }
WL_IN_BOTH_SIZES(WL_NORMS, S, float)
WL_IN_BOTH_SIZES(WL_NORMS, D, double)
WL_IN_BOTH_SIZES(WL_NORMS, Sc, Complex)
WL_IN_BOTH_SIZES(WL_NORMS, Dz, DoubleComplex)

// Complex vectors with real factors.
#define WL_REAL_FACTORS(L, T, suffix, Int)                                                                  \
  WL_BLAS_API wl_cublas##L##scal##suffix(Handle* h, Int n, const Real<T>* alpha, T* x, Int incx) {          \
    return scal(h, "cublas" #L "scal" #suffix, n, alpha, x, incx);                                          \
  }                                                                                                         \
  WL_BLAS_API wl_cublas##L##rot##suffix(Handle* h, Int n, T* x, Int incx, T* y, Int incy, const Real<T>* c, \
                                        const Real<T>* s) {                                                 \
    return rot(h, "cublas" #L "rot" #suffix, n, x, incx, y, incy, c, s);                                    \
  }
WL_IN_BOTH_SIZES(WL_REAL_FACTORS, Cs, Complex)
WL_IN_BOTH_SIZES(WL_REAL_FACTORS, Zd, DoubleComplex)

#define WL_TYPED(suffix, Int)                                                                                         \
  WL_BLAS_API wl_cublasDotEx##suffix(Handle* h, Int n, const void* x, DataType xt, Int incx, const void* y,           \
                                     DataType yt, Int incy, void* result, DataType rt, DataType) {                    \
    return for_vectors(h, "cublasDotEx" #suffix, {xt, yt, rt}, [&]<typename T>(T) {                                   \
      return dot(h, "cublasDotEx" #suffix, n, static_cast<const T*>(x), incx, static_cast<const T*>(y), incy,         \
                 static_cast<T*>(result));                                                                            \
    });                                                                                                               \
  }                                                                                                                   \
  WL_BLAS_API wl_cublasDotcEx##suffix(Handle* h, Int n, const void* x, DataType xt, Int incx, const void* y,          \
                                      DataType yt, Int incy, void* result, DataType rt, DataType) {                   \
    return for_vectors(h, "cublasDotcEx" #suffix, {xt, yt, rt}, [&]<typename T>(T) {                                  \
      return dot(h, "cublasDotcEx" #suffix, n, static_cast<const T*>(x), incx, static_cast<const T*>(y), incy,        \
                 static_cast<T*>(result), true);                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  WL_BLAS_API wl_cublasNrm2Ex##suffix(Handle* h, Int n, const void* x, DataType xt, Int incx, void* result,           \
                                      DataType rt, DataType) {                                                        \
    return for_vectors(h, "cublasNrm2Ex" #suffix, {xt}, [&]<typename T>(T) {                                          \
      if (rt != type_of<Real<T>>()) return refuse("cublasNrm2Ex" #suffix " with these types");                        \
      return nrm2(h, "cublasNrm2Ex" #suffix, n, static_cast<const T*>(x), incx, static_cast<Real<T>*>(result));       \
    });                                                                                                               \
  }                                                                                                                   \
  WL_BLAS_API wl_cublasAxpyEx##suffix(Handle* h, Int n, const void* alpha, DataType at, const void* x, DataType xt,   \
                                      Int incx, void* y, DataType yt, Int incy, DataType) {                           \
    return for_vectors(h, "cublasAxpyEx" #suffix, {xt, yt}, [&]<typename T>(T type) {                                 \
      return with_alpha(*h, "cublasAxpyEx" #suffix, alpha, at, type, [&](const T* a) {                                \
        return axpy(h, "cublasAxpyEx" #suffix, n, a, static_cast<const T*>(x), incx, static_cast<T*>(y), incy);       \
      });                                                                                                             \
    });                                                                                                               \
  }                                                                                                                   \
  WL_BLAS_API wl_cublasScalEx##suffix(Handle* h, Int n, const void* alpha, DataType at, void* x, DataType xt,         \
                                      Int incx, DataType) {                                                           \
    return for_vectors(h, "cublasScalEx" #suffix, {xt}, [&]<typename T>(T type) {                                     \
      return with_alpha(*h, "cublasScalEx" #suffix, alpha, at, type,                                                  \
                        [&](const T* a) { return scal(h, "cublasScalEx" #suffix, n, a, static_cast<T*>(x), incx); }); \
    });                                                                                                               \
  }
WL_TYPED(, int)
WL_TYPED(_64, int64_t)

}  // namespace warplens::cuda::blas
