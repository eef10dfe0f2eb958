// Floating point and conversions. Rounding to nearest is the machine's own; the other directions, subnormal flushing
// and the NaN rules of PTX are made here.
#include "base/check.h"
#include "codegen/emitter.h"
#include "ir/math.h"

namespace warplens::codegen {

using ir::FloatCompare;
using ir::Inst;
using ir::Op;
using ir::Rounding;
using ir::Type;
namespace Intrinsic = llvm::Intrinsic;

// .ftz: subnormals become zero of the same sign.
llvm::Value* KernelEmitter::flush(Value* v) {
  if (!v->getType()->getScalarType()->isFloatTy()) return v;
  Value* magnitude = builder_.CreateUnaryIntrinsic(Intrinsic::fabs, v);
  Value* tiny = builder_.CreateFCmpOLT(magnitude, llvm::ConstantFP::get(v->getType(), 0x1p-126));
  Value* zero = builder_.CreateBinaryIntrinsic(Intrinsic::copysign, llvm::ConstantFP::get(v->getType(), 0.0), v);
  return builder_.CreateSelect(tiny, zero, v);
}

// A GPU's f32 arithmetic knows one NaN, 0x7fffffff. Its f64 arithmetic does what x86's does: it makes
// 0xfff8000000000000, and hands on the NaN that comes in. (tests/gpu/h200.txt; which of two NaNs is left open.)
llvm::Value* KernelEmitter::canonical_nan(Value* v) {
  if (!v->getType()->getScalarType()->isFloatTy()) return v;
  Value* nan =
      llvm::ConstantFP::get(v->getType(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff)));
  return builder_.CreateSelect(builder_.CreateFCmpUNO(v, v), nan, v);
}

// Does anything but arithmetic read what this instruction makes? Then a NaN's sign shows.
bool KernelEmitter::bits_are_seen(const Inst& inst) {
  const auto is_arithmetic = [](Op op) { return (op >= Op::FToSI && op <= Op::FSat) || op == Op::FCmp; };
  if (bits_seen_.empty()) {
    bits_seen_.assign(f_.insts.size(), false);
    for (const ir::Block& block : f_.blocks)
      for (const ValueId user : block.insts)
        for (const ValueId used : f_.insts[user].args)
          if (!is_arithmetic(f_.insts[user].op)) bits_seen_[used] = true;
  }
  return bits_seen_[static_cast<size_t>(&inst - f_.insts.data())];
}

bool KernelEmitter::makes_nan(ValueId v, int depth) const {
  const Inst& inst = f_.insts[v];
  switch (inst.op) {
    case Op::Phi:
    case Op::Select:
      if (depth > 4) return true;
      for (size_t k = inst.op == Op::Select ? 1 : 0; k < inst.args.size(); ++k)
        if (makes_nan(inst.args[k], depth + 1)) return true;
      return false;
    case Op::FCopysign:
      return depth > 4 || makes_nan(inst.args[0], depth + 1);
    case Op::Const:
    case Op::Param:
    case Op::Load:
    case Op::Extract:
    case Op::Bitcast:
    case Op::Undef:
    case Op::Atomic:
    case Op::SIToF:
    case Op::UIToF:
    case Op::FSat:
    case Op::FTrunc:
    case Op::BF16ToF32:
      return false;
    default:
      return true;
  }
}

// Only where bits get out (stores, bit casts, shuffles) does the NaN's pattern matter, so only there is it put right.
llvm::Value* KernelEmitter::observable(ValueId v, Value* x) {
  return f_.insts[v].type == Type::F32 && makes_nan(v) ? canonical_nan(x) : x;
}

// A host function, lane by lane.
llvm::Value* KernelEmitter::call_math(llvm::StringRef name, llvm::ArrayRef<Value*> args, llvm::Type* element) {
  std::vector<llvm::Type*> types;
  for (Value* a : args) types.push_back(a->getType()->getScalarType());
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(element, types, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->setDoesNotAccessMemory();
  }
  if (args.empty() || !args[0]->getType()->isVectorTy()) return builder_.CreateCall(callee, args);
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, width_));
  for (uint32_t l = 0; l < width_; ++l) {
    std::vector<Value*> lane;
    for (Value* a : args) lane.push_back(builder_.CreateExtractElement(a, l));
    result = builder_.CreateInsertElement(result, builder_.CreateCall(callee, lane), l);
  }
  return result;
}

// A function of math.def: of vectors at once, which go through memory.
llvm::Value* KernelEmitter::device_math(const Inst& inst, const std::vector<Value*>& args) {
  const ir::MathFunction& function = ir::math_function(static_cast<uint32_t>(inst.imm));
  if (!args[0]->getType()->isVectorTy()) return call_math(function.name, args, type(inst.type));
  const auto slot = [&](size_t index, llvm::Type* t) {
    llvm::AllocaInst*& memory = math_slots_[{index, t}];
    if (!memory) memory = llvm::IRBuilder<>(entry_, entry_->begin()).CreateAlloca(t);
    return memory;
  };
  llvm::Type* result = same_shape(type(inst.type), args[0]->getType());
  std::vector<Value*> given{builder_.getInt32(width_), slot(0, result)};
  for (Value* a : args) {
    given.push_back(slot(given.size(), a->getType()));
    builder_.CreateStore(a, given.back());
  }
  std::vector<llvm::Type*> types;
  for (Value* v : given) types.push_back(v->getType());
  auto callee = module_.getOrInsertFunction(std::string(function.name) + "_wide",
                                            llvm::FunctionType::get(builder_.getVoidTy(), types, false));
  if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    declared->addFnAttr(llvm::Attribute::NoUnwind);
    declared->setOnlyAccessesArgMemory();
  }
  builder_.CreateCall(callee, given);
  return builder_.CreateLoad(result, given[1]);
}

namespace {
// The neighbour towards +infinity or -infinity, for any value but NaN.
llvm::Value* next(llvm::IRBuilder<>& b, llvm::Value* x, bool up) {
  llvm::Type* t = x->getType();
  const unsigned width = t->getScalarSizeInBits();
  llvm::Type* integer = t->isVectorTy()
                            ? (llvm::Type*)llvm::FixedVectorType::get(
                                  b.getIntNTy(width), llvm::cast<llvm::FixedVectorType>(t)->getNumElements())
                            : (llvm::Type*)b.getIntNTy(width);
  llvm::Value* bits = b.CreateBitCast(x, integer);
  llvm::Value* one = llvm::ConstantInt::get(integer, 1);
  llvm::Value* negative = b.CreateICmpSLT(bits, llvm::ConstantInt::get(integer, 0));
  llvm::Value *more = b.CreateAdd(bits, one), *less = b.CreateSub(bits, one);
  llvm::Value* moved = up ? b.CreateSelect(negative, less, more) : b.CreateSelect(negative, more, less);
  // From zero of either sign the neighbour is the smallest subnormal.
  llvm::Value* smallest =
      llvm::ConstantInt::get(integer, up ? llvm::APInt(width, 1) : llvm::APInt::getSignMask(width) + 1);
  moved = b.CreateSelect(b.CreateFCmpOEQ(x, llvm::ConstantFP::get(t, 0.0)), smallest, moved);
  return b.CreateBitCast(moved, t);
}
}  // namespace

// The f32 nearest to d + tail in the given direction; |tail| is less than half a unit of d's last place, or its sign is
// all that matters.
llvm::Value* KernelEmitter::narrow(Value* d, Value* tail, Rounding rounding) {
  llvm::Type* wide = d->getType();
  Value* zero = llvm::ConstantFP::get(wide, 0.0);
  Value* f = builder_.CreateFPTrunc(d, same_shape(builder_.getFloatTy(), wide));
  Value* back = builder_.CreateFPExt(f, wide);
  Value* even = builder_.CreateFCmpOEQ(back, d);
  Value* above =
      builder_.CreateOr(builder_.CreateFCmpOGT(back, d), builder_.CreateAnd(even, builder_.CreateFCmpOLT(tail, zero)));
  Value* below =
      builder_.CreateOr(builder_.CreateFCmpOLT(back, d), builder_.CreateAnd(even, builder_.CreateFCmpOGT(tail, zero)));
  Value* finite =
      builder_.CreateFCmpONE(builder_.CreateUnaryIntrinsic(Intrinsic::fabs, d), llvm::ConstantFP::getInfinity(wide));
  Value* positive = builder_.CreateFCmpOGT(d, zero);
  Value* down = builder_.CreateAnd(finite, above);
  Value* up = builder_.CreateAnd(finite, below);
  if (rounding == Rounding::Zero) {
    down = builder_.CreateAnd(down, positive);
    up = builder_.CreateAnd(up, builder_.CreateNot(positive));
  }
  if (rounding != Rounding::Up) f = builder_.CreateSelect(down, next(builder_, f, false), f);
  if (rounding != Rounding::Down) f = builder_.CreateSelect(up, next(builder_, f, true), f);
  return f;
}

// F64 -> F32 rounded to odd, so that a further rounding to f16 counts as one: no processor rounds an F64 to f16, and
// the library's function goes lane by lane.
llvm::Value* KernelEmitter::narrow_to_odd(Value* d) {
  llvm::Type *wide = d->getType(), *integer = same_shape(builder_.getInt32Ty(), wide);
  Value* f = builder_.CreateFPTrunc(d, same_shape(builder_.getFloatTy(), wide));
  Value* back = builder_.CreateFPExt(f, wide);
  const auto magnitude = [&](Value* v) { return builder_.CreateUnaryIntrinsic(Intrinsic::fabs, v); };
  Value* away = builder_.CreateZExt(builder_.CreateFCmpOGT(magnitude(back), magnitude(d)), integer);
  Value* inexact = builder_.CreateZExt(builder_.CreateFCmpONE(back, d), integer);
  Value* toward_zero = builder_.CreateSub(builder_.CreateBitCast(f, integer), away);
  return builder_.CreateBitCast(builder_.CreateOr(toward_zero, inexact), f->getType());
}

// f32: computed in f64 with what was lost, then narrowed. f64: by host functions that switch the rounding mode.
llvm::Value* KernelEmitter::directed(const Inst& inst, const std::vector<Value*>& a) {
  static const char* kModes[] = {"rn", "rz", "rm", "rp", "rn"};
  const std::string mode = kModes[static_cast<int>(inst.rounding)];
  if (inst.type == Type::F64) {
    const char* op = inst.op == Op::FAdd   ? "add"
                     : inst.op == Op::FSub ? "sub"
                     : inst.op == Op::FMul ? "mul"
                     : inst.op == Op::FDiv ? "div"
                     : inst.op == Op::FFma ? "fma"
                                           : "sqrt";
    return call_math("wl_f64_" + std::string(op) + "_" + mode, a, builder_.getDoubleTy());
  }
  std::vector<Value*> x;
  for (Value* v : a) x.push_back(builder_.CreateFPExt(v, same_shape(builder_.getDoubleTy(), v->getType())));
  // s + tail = p + q exactly (Knuth's TwoSum). Down: computed on negated operands, so that an exact zero is -0.
  auto sum = [&](Value* p, Value* q) {
    if (inst.rounding == Rounding::Down) p = builder_.CreateFNeg(p), q = builder_.CreateFNeg(q);
    Value* s = builder_.CreateFAdd(p, q);
    Value* bb = builder_.CreateFSub(s, p);
    Value* tail = builder_.CreateFAdd(builder_.CreateFSub(p, builder_.CreateFSub(s, bb)), builder_.CreateFSub(q, bb));
    if (inst.rounding == Rounding::Down) s = builder_.CreateFNeg(s), tail = builder_.CreateFNeg(tail);
    return narrow(s, tail, inst.rounding);
  };
  auto fma = [&](Value* p, Value* q, Value* r) {
    return builder_.CreateIntrinsic(Intrinsic::fma, {p->getType()}, {p, q, r});
  };
  switch (inst.op) {
    case Op::FAdd:
      return sum(x[0], x[1]);
    case Op::FSub:
      return sum(x[0], builder_.CreateFNeg(x[1]));
    case Op::FFma:
      return sum(builder_.CreateFMul(x[0], x[1]), x[2]);  // 24 + 24 bits: the product is exact
    case Op::FMul: {
      Value* p = builder_.CreateFMul(x[0], x[1]);
      return narrow(p, llvm::ConstantFP::get(p->getType(), 0.0), inst.rounding);
    }
    case Op::FDiv: {
      Value* q = builder_.CreateFDiv(x[0], x[1]);
      Value* rest = fma(builder_.CreateFNeg(q), x[1], x[0]);
      return narrow(q, builder_.CreateFMul(rest, x[1]), inst.rounding);
    }
    case Op::FSqrt: {
      Value* q = builder_.CreateUnaryIntrinsic(Intrinsic::sqrt, x[0]);
      return narrow(q, fma(builder_.CreateFNeg(q), q, x[0]), inst.rounding);
    }
    default:
      WL_CHECK(false, "an operation with a rounding mode");
      return nullptr;
  }
}

llvm::Value* KernelEmitter::round_integral(Value* a, Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest:
      return builder_.CreateUnaryIntrinsic(Intrinsic::roundeven, a);
    case Rounding::Zero:
      return builder_.CreateUnaryIntrinsic(Intrinsic::trunc, a);
    case Rounding::Down:
      return builder_.CreateUnaryIntrinsic(Intrinsic::floor, a);
    case Rounding::Up:
      return builder_.CreateUnaryIntrinsic(Intrinsic::ceil, a);
    case Rounding::NearestAway:
      return builder_.CreateUnaryIntrinsic(Intrinsic::round, a);
  }
  return a;
}

llvm::Value* KernelEmitter::float_to_int(const Inst& inst, Value* a) {
  if (inst.ftz) a = flush(a);
  if (inst.rounding != Rounding::Zero) a = round_integral(a, inst.rounding);
  llvm::Type* to = same_shape(type(inst.type), a->getType());
  return builder_.CreateIntrinsic(inst.op == Op::FToSI ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                  {to, a->getType()}, {a});
}

llvm::Value* KernelEmitter::compute_convert(const Inst& inst, const std::vector<Value*>& a) {
  Value* x = a[0];
  llvm::Type* to = same_shape(type(inst.type), x->getType());
  const bool nearest = inst.rounding == Rounding::Nearest;
  static const char* kModes[] = {"rn", "rz", "rm", "rp", "rn"};
  const std::string mode = kModes[static_cast<int>(inst.rounding)];
  llvm::Type* half = same_shape(builder_.getHalfTy(), x->getType());
  switch (inst.op) {
    case Op::Trunc:
      return builder_.CreateTrunc(x, to);
    case Op::SExt:
      return builder_.CreateSExt(x, to);
    case Op::ZExt:
      return builder_.CreateZExt(x, to);
    case Op::Bitcast:
      return builder_.CreateBitCast(x, to);
    case Op::FToSI:
    case Op::FToUI:
      return float_to_int(inst, x);
    case Op::SIToF:
    case Op::UIToF: {
      const bool is_signed = inst.op == Op::SIToF;
      const bool exact = x->getType()->getScalarSizeInBits() <= (inst.type == Type::F64 ? 32u : 16u);
      if (nearest || exact) return is_signed ? builder_.CreateSIToFP(x, to) : builder_.CreateUIToFP(x, to);
      if (x->getType()->getScalarSizeInBits() <= 32) {
        Value* d = is_signed ? builder_.CreateSIToFP(x, same_shape(builder_.getDoubleTy(), to))
                             : builder_.CreateUIToFP(x, same_shape(builder_.getDoubleTy(), to));
        return narrow(d, llvm::ConstantFP::get(d->getType(), 0.0), inst.rounding);
      }
      return call_math(
          std::string("wl_") + (is_signed ? "s64" : "u64") + (inst.type == Type::F64 ? "_f64_" : "_f32_") + mode, {x},
          type(inst.type));
    }
    case Op::FExt: {
      if (inst.ftz) x = canonical_nan(flush(x));
      return builder_.CreateFPExt(x, to);
    }
    case Op::FTrunc: {
      Value* f =
          nearest ? builder_.CreateFPTrunc(x, to) : narrow(x, llvm::ConstantFP::get(x->getType(), 0.0), inst.rounding);
      return inst.ftz ? flush(f) : f;
    }
    case Op::F16ToF32:
      return builder_.CreateFPExt(builder_.CreateBitCast(x, half), to);
    case Op::F32ToF16:
    case Op::F64ToF16: {
      if (nearest && inst.op == Op::F64ToF16) x = narrow_to_odd(x);
      Value* bits = nearest ? builder_.CreateBitCast(builder_.CreateFPTrunc(x, half), to)
                            : call_math((inst.op == Op::F32ToF16 ? "wl_f32_f16_" : "wl_f64_f16_") + mode, {x},
                                        builder_.getInt16Ty());
      return builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), llvm::ConstantInt::get(to, 0x7fff), bits);
    }
    case Op::BF16ToF32: {
      llvm::Type* i32 = same_shape(builder_.getInt32Ty(), x->getType());
      return builder_.CreateBitCast(builder_.CreateShl(builder_.CreateZExt(x, i32), 16), to);
    }
    case Op::F32ToBF16: {
      llvm::Type* i32 = same_shape(builder_.getInt32Ty(), x->getType());
      Value* bits = builder_.CreateBitCast(x, i32);
      auto c = [&](uint64_t k) { return llvm::ConstantInt::get(i32, k); };
      Value* top = builder_.CreateLShr(bits, 16);
      Value* rounded = top;
      Value* negative = builder_.CreateICmpSLT(bits, c(0));
      Value* inexact = builder_.CreateZExt(builder_.CreateICmpNE(builder_.CreateAnd(bits, c(0xffff)), c(0)), i32);
      if (nearest)
        rounded = builder_.CreateLShr(
            builder_.CreateAdd(bits, builder_.CreateAdd(builder_.CreateAnd(top, c(1)), c(0x7fff))), 16);
      if (inst.rounding == Rounding::Up)
        rounded = builder_.CreateSelect(negative, top, builder_.CreateAdd(top, inexact));
      if (inst.rounding == Rounding::Down)
        rounded = builder_.CreateSelect(negative, builder_.CreateAdd(top, inexact), top);
      rounded = builder_.CreateSelect(builder_.CreateFCmpUNO(x, x), c(0x7fff), rounded);
      return builder_.CreateTrunc(rounded, to);
    }
    default:
      WL_CHECK(false, "a conversion");
      return nullptr;
  }
}

llvm::Value* KernelEmitter::compute_float(const Inst& inst, const std::vector<Value*>& args) {
  std::vector<Value*> a = args;
  if (inst.ftz)
    for (Value*& x : a) x = flush(x);
  llvm::Type* t = a.empty() ? nullptr : a[0]->getType();
  auto c = [&](double x) { return llvm::ConstantFP::get(t, x); };
  auto out = [&](Value* x) { return inst.ftz ? flush(x) : x; };
  if (inst.rounding != Rounding::Nearest && inst.op >= Op::FAdd && inst.op <= Op::FSqrt) return out(directed(inst, a));
  auto min_or_max = [&](bool is_min) -> Value* {
    // Against a constant one comparison does: equal values are the same but for zeros, of which the constant must win.
    for (int k = 0; k < 2; ++k) {
      auto* constant = llvm::dyn_cast<llvm::Constant>(a[k]);
      if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
      auto* value = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
      if (!value || value->isNaN() || (value->isZero() && value->isNegative() != is_min)) continue;
      Value* other = a[1 - k];
      return builder_.CreateSelect(is_min ? builder_.CreateFCmpOLT(other, a[k]) : builder_.CreateFCmpOGT(other, a[k]),
                                   other, a[k]);
    }
    llvm::Type* integer = same_shape(builder_.getIntNTy(t->getScalarSizeInBits()), t);
    Value *x = builder_.CreateBitCast(a[0], integer), *y = builder_.CreateBitCast(a[1], integer);
    Value* zeros = builder_.CreateBitCast(is_min ? builder_.CreateOr(x, y) : builder_.CreateAnd(x, y), t);  // -0 < +0
    Value* first = is_min ? builder_.CreateFCmpOLT(a[0], a[1]) : builder_.CreateFCmpOGT(a[0], a[1]);
    Value* r = builder_.CreateSelect(first, a[0], a[1]);
    r = builder_.CreateSelect(builder_.CreateFCmpOEQ(a[0], a[1]), zeros, r);
    // NaN in b: a; in a: r is already b; in both: b, which shows in f64 only.
    Value* no_b = builder_.CreateFCmpUNO(a[1], a[1]);
    if (t->getScalarType()->isDoubleTy()) no_b = builder_.CreateAnd(no_b, builder_.CreateFCmpORD(a[0], a[0]));
    return builder_.CreateSelect(no_b, a[0], r);
  };
  switch (inst.op) {
    case Op::FAdd:
      return out(builder_.CreateFAdd(a[0], a[1]));
    case Op::FSub:
      return out(builder_.CreateFSub(a[0], a[1]));
    case Op::FMul:
      return out(builder_.CreateFMul(a[0], a[1]));
    case Op::FDiv:
      return out(builder_.CreateFDiv(a[0], a[1]));
    case Op::FFma:
      return out(builder_.CreateIntrinsic(Intrinsic::fma, {t}, {a[0], a[1], a[2]}));
    case Op::FSqrt:
      return out(builder_.CreateUnaryIntrinsic(Intrinsic::sqrt, a[0]));
    case Op::FMin:
      return min_or_max(true);
    case Op::FMax:
      return min_or_max(false);
    case Op::FMinNan:
    case Op::FMaxNan: {
      Value* r = min_or_max(inst.op == Op::FMinNan);
      return canonical_nan(builder_.CreateSelect(builder_.CreateFCmpUNO(a[0], a[1]), llvm::ConstantFP::getNaN(t), r));
    }
    case Op::FNeg:
    case Op::FAbs: {
      Value* r = inst.op == Op::FNeg ? builder_.CreateFNeg(a[0]) : builder_.CreateUnaryIntrinsic(Intrinsic::fabs, a[0]);
      // A NaN of f64 keeps its sign.
      if (!t->getScalarType()->isDoubleTy() || !bits_are_seen(inst)) return r;
      return builder_.CreateSelect(builder_.CreateFCmpUNO(a[0], a[0]), a[0], r);
    }
    case Op::FCopysign:
      return builder_.CreateBinaryIntrinsic(Intrinsic::copysign, a[1], a[0]);
    case Op::FRound:
      return out(round_integral(a[0], inst.rounding));
    case Op::FSat: {
      Value* r = builder_.CreateSelect(builder_.CreateFCmpOGT(a[0], c(0.0)), a[0], c(0.0));
      return builder_.CreateSelect(builder_.CreateFCmpOLT(r, c(1.0)), r, c(1.0));
    }
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Rsqrt:
      return approximate(inst, args[0]);  // flushes itself
    case Op::FCmp: {
      static constexpr llvm::CmpInst::Predicate kPredicates[] = {
          llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::FCMP_ONE, llvm::CmpInst::FCMP_OLT, llvm::CmpInst::FCMP_OLE,
          llvm::CmpInst::FCMP_OGT, llvm::CmpInst::FCMP_OGE, llvm::CmpInst::FCMP_UEQ, llvm::CmpInst::FCMP_UNE,
          llvm::CmpInst::FCMP_ULT, llvm::CmpInst::FCMP_ULE, llvm::CmpInst::FCMP_UGT, llvm::CmpInst::FCMP_UGE,
          llvm::CmpInst::FCMP_ORD, llvm::CmpInst::FCMP_UNO};
      return builder_.CreateFCmp(kPredicates[inst.imm], a[0], a[1]);
    }
    case Op::TestP: {
      Value* magnitude = builder_.CreateUnaryIntrinsic(Intrinsic::fabs, a[0]);
      Value* infinity = llvm::ConstantFP::getInfinity(t);
      Value* smallest = c(inst.args.empty() || t->getScalarType()->isFloatTy() ? 0x1p-126 : 0x1p-1022);
      switch (static_cast<ir::FloatClass>(inst.imm)) {
        case ir::FloatClass::Finite:
          return builder_.CreateFCmpOLT(magnitude, infinity);
        case ir::FloatClass::Infinite:
          return builder_.CreateFCmpOEQ(magnitude, infinity);
        case ir::FloatClass::Number:
          return builder_.CreateFCmpORD(a[0], a[0]);
        case ir::FloatClass::NotANumber:
          return builder_.CreateFCmpUNO(a[0], a[0]);
        case ir::FloatClass::Normal:
          return builder_.CreateOr(builder_.CreateAnd(builder_.CreateFCmpOGE(magnitude, smallest),
                                                      builder_.CreateFCmpOLT(magnitude, infinity)),
                                   builder_.CreateFCmpOEQ(magnitude, c(0.0)));
        case ir::FloatClass::Subnormal:
          return builder_.CreateAnd(builder_.CreateFCmpOLT(magnitude, smallest),
                                    builder_.CreateFCmpOGT(magnitude, c(0.0)));
      }
      return nullptr;
    }
    case Op::MathCall:
      return device_math(inst, a);
    default:
      WL_CHECK(false, std::string("no code for ") + ir::info(inst.op).text);
      return nullptr;
  }
}

}  // namespace warplens::codegen
