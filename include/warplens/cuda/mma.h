// Warp matrix functions (nvcuda::wmma of the CUDA C++ Programming Guide): fragments, and the PTX instructions of the same
// names over them.
#pragma once
#pragma GCC system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus)
namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace warplens {

// An element as programs see it, as a fragment stores it (`kSeen` in one), and as load_matrix_sync reads it; the register
// that `kEach` stored ones share.
template <typename T>
struct Element {
  typedef T Seen, Stored, InMemory;
  typedef unsigned Register;
  static constexpr int kEach = 4 / sizeof(T), kSeen = 1;
};
template <>
struct Element<float> {
  typedef float Seen, Stored, InMemory, Register;
  static constexpr int kEach = 1, kSeen = 1;
};
template <>
struct Element<double> {
  typedef double Seen, Stored, InMemory, Register;
  static constexpr int kEach = 1, kSeen = 1;
};
template <>
struct Element<wmma::precision::tf32> {
  typedef float Seen, Stored, InMemory;
  typedef unsigned Register;
  static constexpr int kEach = 1, kSeen = 1;
};
template <>
struct Element<experimental::precision::s4> {
  typedef experimental::precision::s4 Seen;
  typedef void InMemory;
  typedef int Stored;
  typedef unsigned Register;
  static constexpr int kEach = 1, kSeen = 8;
};
template <>
struct Element<experimental::precision::u4> {
  typedef experimental::precision::u4 Seen;
  typedef void InMemory;
  typedef unsigned Stored, Register;
  static constexpr int kEach = 1, kSeen = 8;
};
template <>
struct Element<experimental::precision::b1> {
  typedef experimental::precision::b1 Seen;
  typedef void InMemory;
  typedef unsigned Stored, Register;
  static constexpr int kEach = 1, kSeen = 32;
};

// Registers of a fragment, and its instructions: below, for what there is.
template <typename Use, int M, int N, int K, typename T>
struct Operand;
template <int M, int N, int K, typename A, typename C, typename D>
struct Product;

template <typename Layout>
struct IsRow {
  static constexpr bool value = false;
};
template <>
struct IsRow<row_major> {
  static constexpr bool value = true;
};

}  // namespace warplens

// Each lane of the warp holds its share of the elements; which ones is the GPU's business.
template <typename Use, int M, int N, int K, typename T, typename Layout = void>
class fragment {
  typedef warplens::Element<T> Info;

 public:
  typedef typename Info::Seen element_type;
  typedef typename Info::Stored storage_element_type;
  static constexpr int num_storage_elements = warplens::Operand<Use, M, N, K, T>::kRegisters * Info::kEach;
  static constexpr int num_elements = num_storage_elements * Info::kSeen;
  alignas(8) storage_element_type x[num_storage_elements];
};

}  // namespace wmma
}  // namespace nvcuda

#if defined(__CUDA__)
#include "warplens/wmma.h"
#endif
#endif
