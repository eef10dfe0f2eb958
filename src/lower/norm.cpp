// __nv_norm and its like: the root of the sum of squares of n numbers in memory, or its reciprocal.
//
// Two loops read the numbers, as NVIDIA's do: the first finds the largest magnitude, the second adds the squares of the
// numbers scaled by a power of two near it, so that none over- or underflows, with what each product and sum lost.
#include <bit>
#include <cmath>

#include "lower/libdevice.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;

class Norm {
 public:
  Norm(Builder& b, const MemoryAccess& memory, ValueId n, ValueId pointer, Type element)
      : b_(b), memory_(memory), n_(n), pointer_(pointer), element_(element) {}

  ValueId value(bool reciprocal) {
    const VarId largest = b_.new_variables(Type::F64), sum = b_.new_variables(Type::F64),
                lost = b_.new_variables(Type::F64);
    for (const VarId v : {largest, sum, lost}) b_.write(v, number(0));
    for_each([&](ValueId x) { b_.write(largest, op(Op::FMax, {b_.read(largest), b_.unary(Op::FAbs, x)})); });
    // 2^-e for the largest's exponent e, kept where 2^e and 2^-e are normal numbers and squares neither end.
    const ValueId exponent = biased_exponent(b_.read(largest));
    const ValueId scale = power(b_.binary(Op::Sub, b_.constant(Type::I64, 2046), exponent));
    for_each([&](ValueId x) { add_square(b_.binary(Op::FMul, x, scale), sum, lost); });

    const ValueId total = b_.read(sum), root = b_.unary(Op::FSqrt, total);
    const ValueId rest = op(Op::FAdd, {op(Op::FFma, {negative(root), root, total}), b_.read(lost)});
    const ValueId better = op(Op::FAdd, {root, op(Op::FDiv, {rest, op(Op::FAdd, {root, root})})});
    const ValueId plain = compare(total, number(0), ir::FloatCompare::Gt);
    const ValueId scaled = b_.select(plain, better, root);
    const ValueId result =
        reciprocal ? op(Op::FMul, {op(Op::FDiv, {number(1), scaled}), scale}) : op(Op::FMul, {scaled, power(exponent)});
    // Infinite if a number is, even beside a NaN.
    const double of_infinite = reciprocal ? 0 : HUGE_VAL;
    const ValueId infinite = compare(b_.read(largest), number(HUGE_VAL), ir::FloatCompare::Eq);
    const ValueId final = b_.select(infinite, number(of_infinite), result);
    return element_ == Type::F32 ? b_.pure(Op::FTrunc, Type::F32, {final}) : final;
  }

 private:
  template <typename F>
  void for_each(const F& f) {
    const VarId index = b_.new_variables(Type::I32);
    b_.write(index, b_.constant(Type::I32, 0));
    const ir::BlockId head = b_.new_block(), body = b_.new_block(), after = b_.new_block();
    b_.branch(head);
    b_.enter(head);
    const ValueId i = b_.read(index);
    b_.branch_if(b_.icmp(ir::IntCompare::LtS, i, n_), body, after, ir::kNone);
    b_.seal(body);
    b_.enter(body);
    const auto bytes = static_cast<uint64_t>(ir::bits(element_) / 8);
    const ValueId offset = b_.binary(Op::Mul, b_.cast(i, Type::I64), b_.constant(Type::I64, bytes));
    const ValueId x = memory_.load(b_.binary(Op::Add, pointer_, offset), element_);
    f(element_ == Type::F32 ? b_.pure(Op::FExt, Type::F64, {x}) : x);
    b_.write(index, b_.binary(Op::Add, i, b_.constant(Type::I32, 1)));
    b_.branch(head);
    b_.seal(head);
    b_.seal(after);
    b_.enter(after);
  }

  void add_square(ValueId x, VarId sum, VarId lost) {
    const ValueId square = op(Op::FMul, {x, x}), old = b_.read(sum), now = op(Op::FAdd, {old, square});
    const ValueId of_product = op(Op::FFma, {x, x, negative(square)});
    // now + of_sum = old + square, exactly (Knuth).
    const ValueId back = op(Op::FSub, {now, old});
    const ValueId of_sum = op(Op::FAdd, {op(Op::FSub, {old, op(Op::FSub, {now, back})}), op(Op::FSub, {square, back})});
    b_.write(lost, op(Op::FAdd, {b_.read(lost), op(Op::FAdd, {of_product, of_sum})}));
    b_.write(sum, now);
  }

  ValueId biased_exponent(ValueId x) {
    const ValueId bits = b_.binary(Op::ShrU, b_.cast(x, Type::I64), b_.constant(Type::I32, 52));
    const ValueId least = b_.binary(Op::MaxU, bits, b_.constant(Type::I64, 100));
    return b_.binary(Op::MinU, least, b_.constant(Type::I64, 2000));
  }
  ValueId power(ValueId biased) { return b_.cast(b_.binary(Op::Shl, biased, b_.constant(Type::I32, 52)), Type::F64); }
  ValueId op(Op op, std::initializer_list<ValueId> args) { return b_.pure(op, Type::F64, args); }
  ValueId negative(ValueId x) { return b_.unary(Op::FNeg, x); }
  ValueId number(double x) { return b_.constant(Type::F64, std::bit_cast<uint64_t>(x)); }
  ValueId compare(ValueId x, ValueId y, ir::FloatCompare how) {
    return b_.pure(Op::FCmp, Type::Pred, {x, y}, static_cast<uint64_t>(how));
  }

  Builder& b_;
  const MemoryAccess& memory_;
  ValueId n_, pointer_;
  Type element_;
};

}  // namespace

ValueId norm_in_memory(Builder& b, const MemoryAccess& memory, ValueId n, ValueId pointer, Type element,
                       bool reciprocal) {
  return Norm(b, memory, n, pointer, element).value(reciprocal);
}

}  // namespace warplens::lower
