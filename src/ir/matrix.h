// What an Op::Matrix does: one step of a warp's work on small matrices whose elements lie spread over its lanes'
// registers (PTX ISA, "Warp-level Matrix Instructions"). It needs all 32 lanes.
//
// Registers are of 32 bits and hold 32/bits elements of a row each; those of f64 are of 64 bits. The arguments of a
// product are the registers of A, then of B, then of C, as mma.sync has them; the results those of D.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace warplens::ir {

struct Matrix {
  enum class What : uint8_t {
    Multiply,  // D = A * B + C of mma.sync's shape m, n, k; A by rows, B by columns
    Quarters,  // mma.m8n8k4 of f16: four products of 8x8x4, each by eight lanes
    Spread,  // what ldmatrix does once each row is loaded: four words of a row from lanes 8i to 8i + 7 for matrix i in;
             // a register a matrix out
    Collect,    // the reverse, for stmatrix
    Transpose,  // of an 8x8 matrix of 16-bit elements: a register in, a register out
  };
  enum class Element : uint8_t { F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S4, U4, B1, S32 };
  What what = What::Transpose;
  uint8_t m = 0, n = 0;
  uint16_t k = 0;
  Element a = Element::F16, b = Element::F16, c = Element::F32;  // c: of the result too
  Rounding rounding = Rounding::Nearest;                         // f64 alone
  bool saturate = false;                                         // to the range of S32
  bool exclusive = false;                                        // B1: counts a xor b, else a and b
  uint8_t count = 0;                                             // Spread, Collect: matrices, 1 2 or 4
  bool transposed = false;                                       // Spread, Collect; Quarters: A by columns
  bool rows_of_b = false;                                        // Quarters: B by rows
  bool widens = false;                                           // Quarters: C is of F16, D of F32
  bool sparse = false;                                           // A has k / 2 columns, a last argument says which
  uint8_t selector = 0;                                          // sparse: which lanes that argument is read from
};
int bits(Matrix::Element element);
bool operator==(const Matrix& a, const Matrix& b);

// As Inst::imm holds it.
uint64_t pack(const Matrix& matrix);
Matrix unpack_matrix(uint64_t imm);

Type register_type(const Matrix& matrix);  // of every argument and result: I32, or I64 for f64
// Columns of A that there are: k, or half of them.
int depth_of_a(const Matrix& matrix);
// sparse: what four bits of the last argument say is which of so many columns in a row of A, `step` of them at a time,
// there are: two of four, or one of two of TF32.
struct Groups {
  int columns, step;
};
Groups groups(const Matrix& matrix);
// Registers of each operand of a product, and of the arguments and results of any.
uint32_t registers_of_a(const Matrix& matrix);
uint32_t registers_of_b(const Matrix& matrix);
uint32_t registers_of_c(const Matrix& matrix);
uint32_t argument_count(const Matrix& matrix);
uint32_t result_count(const Matrix& matrix);

// Is it a product that mma.sync has, with these types?
bool is_valid(const Matrix& matrix);

std::string to_string(const Matrix& matrix);  // "m16n8k16.f16.f16.f32", "spread.x4.trans", "quarters.row.col.f32.f16"
std::optional<Matrix> parse_matrix(std::string_view text);
std::optional<Matrix::Element> element_named(std::string_view text);  // "bf16"

}  // namespace warplens::ir
