// Vectors and matrices as BLAS has them: column by column, with a distance between neighbours.
#pragma once
#include "cuda/blas/number.h"

namespace warplens::cuda::blas {

// Memory that a call reads or writes. Zero bytes: none.
struct Operand {
  const char* name;
  const void* pointer;
  uint64_t bytes;
};

template <typename T>
class Vector {
 public:
  // With a negative distance the first element is the last in memory.
  Vector(const char* name, T* data, int64_t n, int64_t distance)
      : name_(name), data_(data), n_(n < 0 ? 0 : n), distance_(distance) {}
  T& operator[](int64_t i) const { return data_[(distance_ < 0 ? i - n_ + 1 : i) * distance_]; }
  int64_t size() const { return n_; }
  Operand operand() const {
    const uint64_t distance = static_cast<uint64_t>(distance_ < 0 ? -distance_ : distance_);
    return {name_, data_, n_ == 0 ? 0 : (static_cast<uint64_t>(n_ - 1) * distance + 1) * sizeof(T)};
  }

 private:
  const char* name_;
  T* data_;
  int64_t n_, distance_;
};

// Of elements with `element_bytes`.
inline Operand matrix_operand(const char* name, const void* data, int64_t rows, int64_t columns, int64_t leading,
                              uint64_t element_bytes) {
  const bool empty = rows <= 0 || columns <= 0;
  const uint64_t elements =
      empty ? 0 : static_cast<uint64_t>(columns - 1) * static_cast<uint64_t>(leading) + static_cast<uint64_t>(rows);
  return {name, data, elements * element_bytes};
}

template <typename T>
struct Matrix {
  const char* name;
  T* data;
  int64_t rows, columns, leading;
  T& operator()(int64_t row, int64_t column) const { return data[row + column * leading]; }
  Operand operand() const { return matrix_operand(name, data, rows, columns, leading, sizeof(T)); }
};

inline bool is_valid_operation(int op) { return op >= kN && op <= kC; }
inline bool is_binary(int value) { return value == 0 || value == 1; }  // Fill, Side, Diagonal
inline bool is_valid_leading(int64_t leading, int64_t rows) { return leading >= (rows > 1 ? rows : 1); }

}  // namespace warplens::cuda::blas
