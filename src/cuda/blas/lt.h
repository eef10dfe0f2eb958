// cublasLt's descriptors. A program may keep them in memory of its own, whose size NVIDIA's headers fix: 64 bytes, and
// for a product's 184 in CUDA 11, more since.
#pragma once
#include <cstddef>

#include "cuda/blas/gemm.h"

namespace warplens::cuda::blas {

struct LtHandle {
  static constexpr uint64_t kAlive = 0x6c74'6861'6e64'6c65;
  std::atomic<uint64_t> mark{kAlive};
};

enum class Order : int { Column = 0, Row = 1 };

struct LtLayout {  // cublasLtMatrixLayout_t
  DataType type;
  Order order;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches;
  int32_t batch_mode;
  int64_t stride, plane_offset;
};
static_assert(sizeof(LtLayout) <= 64);

enum Epilogue : uint32_t {  // cublasLtEpilogue_t: the bits of its values
  kPlain = 1,
  kRelu = 2,
  kBias = 4,
  kReluGradient = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kGeluGradient = 64,
  kAux = 128,
  kBiasGradientA = 256,
  kBiasGradientB = 512,
};

struct LtMatmul {  // cublasLtMatmulDesc_t
  Compute compute;
  DataType scale;
  int32_t pointer_mode, op_a, op_b, op_c, fill;
  uint32_t epilogue;
  void* bias;
  void* aux;
  int64_t bias_stride, aux_leading, aux_stride, alpha_stride;
  int32_t bias_type, aux_type;  // -1: by default
  int32_t sm_count_target;
  int8_t fast_accumulate;
  bool is_scaled;  // a pointer to a factor for 8-bit floats was set, or what else is not served
};
static_assert(sizeof(LtMatmul) <= 184);

struct LtPreference {
  uint64_t search_mode, workspace_bytes;
};

struct LtAlgorithm {  // cublasLtMatmulAlgo_t
  uint64_t data[8];
};
struct LtHeuristic {  // cublasLtMatmulHeuristicResult_t
  LtAlgorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

struct LtOperands {
  const void* alpha;
  const void* a;
  const LtLayout* a_layout;
  const void* b;
  const LtLayout* b_layout;
  const void* beta;
  const void* c;
  const LtLayout* c_layout;
  void* d;
  const LtLayout* d_layout;
};

// Whether Warplens multiplies this; else refused by name, or an invalid value.
Status check_matmul(const LtMatmul& matmul, const LtLayout& a, const LtLayout& b, const LtLayout& c, const LtLayout& d);
// The product, checked before, on the stream.
Status submit_matmul(const LtMatmul& matmul, const LtOperands& operands, StreamHandle stream);

}  // namespace warplens::cuda::blas
