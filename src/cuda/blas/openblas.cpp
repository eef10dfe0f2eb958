#include "cuda/blas/openblas.h"

#include <dlfcn.h>

#include <optional>
#include <string>

#include "cuda/blas/number.h"

namespace warplens::cuda::blas {
namespace {

// RTLD_LOCAL: the program's own BLAS, if it has one, stays the one that it sees.
void* library() {
  static void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <typename T>
constexpr char kLetter = kIsComplex<T> ? (sizeof(Real<T>) == 4 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');

template <typename T>
std::optional<OpenBlas<T>> load() {
  if (!library()) return std::nullopt;
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    const std::string symbol = kLetter<T> + std::string(name) + "_";
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library(), symbol.c_str()));
    complete &= function != nullptr;
  };
  OpenBlas<T> blas{};
  find(blas.gemm, "gemm");
  find(blas.gemv, "gemv");
  find(blas.symv, "symv");
  find(blas.hemv, kIsComplex<T> ? "hemv" : "symv");
  find(blas.trmv, "trmv");
  find(blas.trsv, "trsv");
  find(blas.symm, "symm");
  find(blas.hemm, kIsComplex<T> ? "hemm" : "symm");
  find(blas.trmm, "trmm");
  find(blas.trsm, "trsm");
  return complete ? std::optional(blas) : std::nullopt;
}

}  // namespace

template <typename T>
const OpenBlas<T>* openblas() {
  static const std::optional<OpenBlas<T>> loaded = load<T>();
  return loaded ? &*loaded : nullptr;
}
template const OpenBlas<float>* openblas();
template const OpenBlas<double>* openblas();
template const OpenBlas<Complex>* openblas();
template const OpenBlas<DoubleComplex>* openblas();

}  // namespace warplens::cuda::blas
