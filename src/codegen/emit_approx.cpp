// The functions that a GPU approximates (ex2, lg2, sin, cos, tanh, rsqrt of F32) as vector code.
//
// Each reduces its argument exactly, or with the error carried along, and then evaluates a polynomial (minimax, made
// with Remez's exchange in 60 digits). What PTX ISA promises, and what these keep (docs/math.md has the measured
// errors):
//
//            PTX ISA                                                   here
//   ex2      2 ulp                                                     0.8 ulp
//   lg2      absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere      0.6 ulp
//   sin cos  absolute 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi,      1 ulp of the result or 2^-24 up to 2^22 quarter
//   turns
//            100pi], nothing said of more
//   tanh     relative 2^-11                                            2 ulp
//   rsqrt    relative 2^-22.9                                          1 ulp
//
// The processor's own approximations (rsqrtps and the like) differ between makers, so they are not used: only
// operations that IEEE 754 defines, fused multiply-adds among them, which LLVM keeps fused on every processor. So the
// result does not depend on the machine, nor on the vectors' width.
//
// Beyond 2^22 quarter turns neighbouring F32 numbers are a quarter turn and more apart: the angle counts as zero, as on
// a GPU, whose turns are counted in F32 and have no fraction left there.
#include "base/check.h"
#include "codegen/emitter.h"

namespace warplens::codegen {

using ir::Op;
namespace Intrinsic = llvm::Intrinsic;

namespace {

class Approximation {
 public:
  using Value = llvm::Value;
  Approximation(llvm::IRBuilder<>& b, llvm::Type* t, llvm::Type* integer) : b_(b), t_(t), integer_(integer) {}

  // 2^x = 2^n 2^f with n whole and f in [-1/2, 1/2]; 2^n is added to the exponent.
  Value* ex2(Value* x, bool ftz) {
    Value* scale = nullptr;
    if (!ftz) {  // subnormal results are made 2^64 times too large first
      Value* small = b_.CreateFCmpOLT(x, c(-126));
      x = b_.CreateSelect(small, b_.CreateFAdd(x, c(64)), x);
      scale = b_.CreateSelect(small, c(0x1p-64), c(1));
    }
    const auto [whole, n] = nearest_whole(x);
    Value* p = power_of_fraction(b_.CreateFSub(x, whole));
    Value* r = float_of(b_.CreateAdd(bits(p), b_.CreateShl(n, 23)));
    r = b_.CreateSelect(b_.CreateFCmpOLT(x, c(-126)), c(0), r);
    r = b_.CreateSelect(b_.CreateFCmpOLT(x, c(128)), r, b_.CreateFAdd(x, infinity()));  // the sum: infinity or NaN
    return scale ? b_.CreateFMul(r, scale) : r;
  }

  // log2 x = e + log2(1 + f), with 1 + f in [sqrt(1/2), sqrt(2)).
  Value* lg2(Value* x, bool ftz) {
    Value *m = x, *shift = c(0);
    if (!ftz) {
      Value* small = b_.CreateFCmpOLT(x, c(0x1p-126));
      m = b_.CreateFMul(x, b_.CreateSelect(small, c(0x1p24), c(1)));
      shift = b_.CreateSelect(small, c(-24), c(0));
    }
    Value* raw = bits(m);
    Value* exponent = b_.CreateAShr(b_.CreateSub(raw, k(0x3f3504f3)), 23);
    Value* f = b_.CreateFSub(float_of(b_.CreateSub(raw, b_.CreateShl(exponent, 23))), c(1));
    Value* e = b_.CreateSIToFP(exponent, t_);
    if (!ftz) e = b_.CreateFAdd(e, shift);
    Value* r = polynomial(f, {-0x1.71546a4f4c667p-1, 0x1.ec70900c73759p-2, -0x1.715d9e638ae25p-2, 0x1.27814c8e71d1fp-2,
                              -0x1.ea47f39e2bbbep-3, 0x1.a2633ff5d40f4p-3, -0x1.89e9c61b00d74p-3, 0x1.81cbfccc87bc6p-3,
                              -0x1.c194e00636a1cp-4});
    // e + f / ln 2 with what its rounding and that of 1 / ln 2 lost, so that one rounding remains.
    Value* ratio = c(1.4426950216293335);
    Value* high = fma(f, ratio, e);
    Value* low = fma(f, ratio, b_.CreateFSub(e, high));
    low = fma(f, c(1.925963033500011e-08), low);
    Value* sum = b_.CreateFAdd(high, fma(b_.CreateFMul(f, f), r, low));
    sum = b_.CreateSelect(b_.CreateFCmpOLT(x, infinity()), sum, x);
    Value* no_number = b_.CreateSelect(b_.CreateFCmpOEQ(x, c(0)), b_.CreateFNeg(infinity()), nan());
    return b_.CreateSelect(b_.CreateFCmpOGT(x, c(0)), sum, no_number);
  }

  // The angle in quarter turns: their whole number picks a function and a sign, the rest goes into it.
  Value* sine(Value* x, bool cosine) {
    Value* magnitude = b_.CreateUnaryIntrinsic(Intrinsic::fabs, x);
    Value* angle = b_.CreateSelect(b_.CreateFCmpOLT(magnitude, c(6588397)), x, b_.CreateFMul(x, c(0)));
    auto [whole, n] = nearest_whole(b_.CreateFMul(angle, c(0.63661977236758134)));
    Value* turns = b_.CreateFNeg(whole);
    Value* r = fma(turns, c(1.5707963705062866), angle);
    r = fma(turns, c(-4.371138828673793e-08), r);
    r = fma(turns, c(-1.7151245100058819e-15), r);
    Value* square = b_.CreateFMul(r, r);
    Value* s = polynomial(square, {-0x1.555543b4fee1dp-3, 0x1.11069b056f34dp-7, -0x1.990a9465dc6d0p-13});
    s = fma(b_.CreateFMul(r, square), s, r);
    Value* co = polynomial(square, {-0.5, 0x1.5555498251c8cp-5, -0x1.6c0bc73a0d1c0p-10, 0x1.99c810664bc78p-16});
    co = fma(square, co, c(1));
    if (cosine) n = b_.CreateAdd(n, k(1));
    Value* odd = b_.CreateICmpNE(b_.CreateAnd(n, k(1)), k(0));
    Value* sign = b_.CreateShl(b_.CreateAnd(n, k(2)), 30);
    Value* value = float_of(b_.CreateXor(bits(b_.CreateSelect(odd, co, s)), sign));
    // The sine of a number so small is the number; -0 too.
    return cosine ? value : b_.CreateSelect(b_.CreateFCmpOLT(magnitude, c(0x1p-13)), x, value);
  }

  // Near zero a polynomial, elsewhere 1 - 2 / (e^2x + 1).
  Value* tanh(Value* x) {
    Value* magnitude = b_.CreateUnaryIntrinsic(Intrinsic::fabs, x);
    Value* square = b_.CreateFMul(magnitude, magnitude);
    Value* small = polynomial(square, {-0x1.55553140c13e9p-2, 0x1.1106b1013f25ap-3, -0x1.b829f4fcad361p-5,
                                       0x1.519ed609e733dp-6, -0x1.7348ad898468ep-8});
    small = fma(b_.CreateFMul(square, magnitude), small, magnitude);
    Value* bounded = b_.CreateSelect(b_.CreateFCmpOGT(magnitude, c(10)), c(10), magnitude);  // there it is 1
    Value* y = b_.CreateFMul(bounded, c(2.8853900817779268));
    const auto [whole, n] = nearest_whole(y);
    Value* power = float_of(b_.CreateAdd(bits(power_of_fraction(b_.CreateFSub(y, whole))), b_.CreateShl(n, 23)));
    Value* large = b_.CreateFSub(c(1), b_.CreateFDiv(c(2), b_.CreateFAdd(power, c(1))));
    Value* r = b_.CreateSelect(b_.CreateFCmpOGT(magnitude, c(0.625)), large, small);  // NaN: small, which is NaN
    return b_.CreateBinaryIntrinsic(Intrinsic::copysign, r, x);
  }

 private:
  Value* c(double x) { return llvm::ConstantFP::get(t_, x); }
  Value* k(uint64_t x) { return llvm::ConstantInt::get(integer_, x); }
  Value* infinity() { return llvm::ConstantFP::getInfinity(t_); }
  Value* nan() { return llvm::ConstantFP::getNaN(t_); }
  Value* bits(Value* x) { return b_.CreateBitCast(x, integer_); }
  Value* float_of(Value* x) { return b_.CreateBitCast(x, t_); }
  Value* fma(Value* x, Value* y, Value* z) { return b_.CreateIntrinsic(Intrinsic::fma, {t_}, {x, y, z}); }
  // Horner's scheme: fewest operations; the vectors of a warp fill the time that its chain of them takes.
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (const double* a = coefficients.end(); a-- != coefficients.begin();) sum = sum ? fma(sum, x, c(*a)) : c(*a);
    return sum;
  }
  // x, below 2^22, rounded to a whole number, as float and (any bits for a NaN) as integer: the sum's last place is 1.
  std::pair<Value*, Value*> nearest_whole(Value* x) {
    Value* sum = b_.CreateFAdd(x, c(0x1.8p23));
    return {b_.CreateFSub(sum, c(0x1.8p23)), b_.CreateSub(bits(sum), bits(c(0x1.8p23)))};
  }
  Value* power_of_fraction(Value* f) {
    return fma(f,
               polynomial(f, {0x1.62e43059655bbp-1, 0x1.ebfbe0b3cf4bdp-3, 0x1.c6af2b8a677b9p-5, 0x1.3b29bfd20a67bp-7,
                              0x1.5f26c1b1993bbp-10, 0x1.4482f08f59eeap-13}),
               c(1));
  }

  llvm::IRBuilder<>& b_;
  llvm::Type *t_, *integer_;
};

}  // namespace

llvm::Value* KernelEmitter::approximate(const ir::Inst& inst, Value* x) {
  // .ftz: 2^x and cos x of a subnormal are 1 anyway. No result but 2^x gets subnormal from a normal number.
  if (inst.ftz && inst.op != Op::Ex2 && inst.op != Op::Cos) x = flush(x);
  Approximation a(builder_, x->getType(), same_shape(builder_.getInt32Ty(), x->getType()));
  switch (inst.op) {
    case Op::Ex2:
      return a.ex2(x, inst.ftz);
    case Op::Lg2:
      return a.lg2(x, inst.ftz);
    case Op::Sin:
    case Op::Cos:
      return a.sine(x, inst.op == Op::Cos);
    case Op::Tanh:
      return a.tanh(x);
    case Op::Rsqrt:  // F64 too
      return builder_.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0),
                                 builder_.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
    default:
      WL_CHECK(false, std::string("no approximation of ") + ir::info(inst.op).text);
      return nullptr;
  }
}

}  // namespace warplens::codegen
