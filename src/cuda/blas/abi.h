// cuBLAS's binary interface, as far as Warplens serves it: our own declarations of what NVIDIA documents. tests/blas/
// links programs that were compiled with NVIDIA's headers, where those are installed.
#pragma once
#include <complex>
#include <cstdint>

#include "cuda/abi.h"

namespace warplens::cuda::blas {

enum class Status : int {
#define WL_STATUS(code, name, text) name = code,
#include "cuda/blas/status.def"
#undef WL_STATUS
};
constexpr Status kSuccess = Status::CUBLAS_STATUS_SUCCESS;
constexpr Status kInvalidValue = Status::CUBLAS_STATUS_INVALID_VALUE;
constexpr Status kNotSupported = Status::CUBLAS_STATUS_NOT_SUPPORTED;
constexpr Status kNotInitialized = Status::CUBLAS_STATUS_NOT_INITIALIZED;

// Any value may arrive from a program, so these are plain numbers that is_valid() checks.
enum Operation : int { kN = 0, kT = 1, kC = 2 };
enum Fill : int { kLower = 0, kUpper = 1 };
enum Side : int { kLeft = 0, kRight = 1 };
enum Diagonal : int { kNonUnit = 0, kUnit = 1 };
enum PointerMode : int { kHostPointers = 0, kDevicePointers = 1 };

// cudaDataType, the ones that are served.
enum class DataType : int {
  R32F = 0,
  R64F = 1,
  R16F = 2,
  R8I = 3,
  C32F = 4,
  C64F = 5,
  R32I = 10,
  R16BF = 14,
};

// cublasComputeType_t; the PEDANTIC one is one more than each of these.
enum class Compute : int {
  F16 = 64,
  F32 = 68,
  F64 = 70,
  I32 = 72,
  F32Fast16F = 74,
  F32Fast16BF = 75,
  F32FastTF32 = 77,
  F32Emulated16BFx9 = 78,
  F64EmulatedFixedPoint = 79,
};

using Complex = std::complex<float>;         // cuComplex
using DoubleComplex = std::complex<double>;  // cuDoubleComplex

}  // namespace warplens::cuda::blas

// Every function of the interface lives in the core library under this prefix; the thin libcublas.so.N jump to it.
#define WL_BLAS_API extern "C" __attribute__((visibility("default"))) ::warplens::cuda::blas::Status
