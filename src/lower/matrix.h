// What mma, ldmatrix and their like share with wmma.
#pragma once
#include <optional>
#include <vector>

#include "ir/matrix.h"
#include "lower/families.h"

namespace warplens::lower {

struct Shape {
  int m = 0, n = 0, k = 0;
};
std::optional<Shape> shape_of(const Instr& i);                 // of its modifier ".m16n8k16"
std::vector<ir::Matrix::Element> elements_of(const Instr& i);  // its modifiers that name types, in their order

struct Place {
  ir::Space space = ir::Space::Generic;
  ir::ValueId address = ir::kNone;
  int64_t offset = 0;
};

ScalarType register_bits(const ir::Matrix& matrix);
// The operand {a, b, ...}, or one register; refuses another number of them.
std::vector<ir::ValueId> read_list(Context& c, const Instr& i, size_t operand, size_t count, ScalarType type);
void write_list(Context& c, const Instr& i, size_t operand, const std::vector<ir::ValueId>& values, ScalarType type);

// All lanes of the warp are needed from here on.
void meet(Context& c);
// An Op::Matrix of this instruction, and its results.
std::vector<ir::ValueId> matrix_op(Context& c, const Instr& i, const ir::Matrix& matrix, std::vector<ir::ValueId> args);
ir::ValueId transpose(Context& c, const Instr& i, ir::ValueId matrix);  // of 8x8 elements of 16 bits

// One access of `count` components, with a site of its own.
std::vector<ir::ValueId> load_words(Context& c, const Instr& i, Place place, ir::Type type, int count,
                                    ir::ValueId guard = ir::kNone);
void store_words(Context& c, const Instr& i, Place place, const std::vector<ir::ValueId>& words,
                 ir::ValueId guard = ir::kNone);
// ldmatrix: each of the lanes 0 to 8 * count - 1 gives the place of a row of 16 bytes.
std::vector<ir::ValueId> load_rows(Context& c, const Instr& i, Place place, int count, bool transposed);

}  // namespace warplens::lower
