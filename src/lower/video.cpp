// The video instructions that nvcc still makes: absolute differences of two halves or four bytes at a time, packed or
// summed.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;

// d, a, b, c: with .add the differences are added to c; without, they take the lanes' places, and c fills none of them.
void absolute_differences(Context& c, const Instr& i, unsigned width) {
  if (i.has("sat") || i.types.size() != 3) c.unsupported(i);
  Builder& b = c.b();
  const ValueId x = c.value(i.operand(1), kB32), y = c.value(i.operand(2), kB32);
  const bool sum = i.has("add");
  ValueId result = sum ? c.value(i.operand(3), kB32) : b.constant(Type::I32, 0);
  for (unsigned at = 0; at < 32; at += width) {
    const ValueId left = slice(b, x, at, width, i.type(1).is_signed());
    const ValueId right = slice(b, y, at, width, i.type(2).is_signed());
    const ValueId difference = b.binary(Op::MaxS, b.binary(Op::Sub, left, right), b.binary(Op::Sub, right, left));
    if (sum) {
      result = b.binary(Op::Add, result, difference);
      continue;
    }
    const ValueId low = b.binary(Op::And, difference, b.constant(Type::I32, (1u << width) - 1));
    result = b.binary(Op::Or, result, b.binary(Op::Shl, low, b.constant(Type::I32, at)));
  }
  c.write(i.operand(0), result, kB32);
}

}  // namespace

void lower_Vabsdiff2(Context& c, const Instr& i) { absolute_differences(c, i, 16); }
void lower_Vabsdiff4(Context& c, const Instr& i) { absolute_differences(c, i, 8); }

}  // namespace warplens::lower
