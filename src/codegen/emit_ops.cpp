// Instructions that only compute: on scalars where the result is one scalar a group, else on vectors of lanes. The same
// code serves both, since LLVM's builder does.
#include "base/check.h"
#include "codegen/emitter.h"
#include "exec/warp_env.h"

namespace warplens::codegen {

using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::Rounding;
using ir::SpecialRegister;
using ir::Type;
using passes::Lanes;
namespace Intrinsic = llvm::Intrinsic;

llvm::Type* KernelEmitter::same_shape(llvm::Type* element, llvm::Type* like) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

void KernelEmitter::emit_inst(ValueId v) {
  const Inst& inst = f_.insts[v];
  switch (inst.op) {
    case Op::Load:
    case Op::Store:
    case Op::Atomic:
    case Op::Reduce:
      emit_access(v);
      return;
    case Op::StackLoad:
    case Op::StackStore:
      emit_stack(v);
      return;
    case Op::Shuffle:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Matrix:
    case Op::ActiveMask:
    case Op::WarpSync:
      emit_warp(v);
      return;
    case Op::Fence:
      builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      return;
    case Op::Prefetch:
      return;
    case Op::Clock: {
      Value* now =
          builder_.CreateCall(runtime("wl_clock", {builder_.getPtrTy(), builder_.getInt32Ty()}, builder_.getInt64Ty()),
                              {env_, builder_.getInt32(static_cast<uint32_t>(inst.imm))});
      define_same(v, builder_.CreateZExtOrTrunc(now, type(inst.type)));
      return;
    }
    case Op::SystemCall:
      emit_system_call(v);
      return;
    case Op::Texture:
    case Op::Surface:
      emit_texture(v);
      return;
    case Op::CountOn:
      count_on(inst);
      return;
    case Op::CountOff:
      count_off(inst);
      return;
    case Op::BarrierResult: {
      Value* result = builder_.CreateLoad(builder_.getInt32Ty(), warp_state(offsetof(exec::WarpState, result)));
      define_same(v, inst.type == Type::Pred ? builder_.CreateICmpNE(result, builder_.getInt32(0)) : result);
      return;
    }
    case Op::Extract: {
      auto whole = cache_.find(inst.args[0]);
      WL_CHECK(whole != cache_.end(), "a component is taken in the block that made the whole, in " + f_.name);
      const size_t parts = lanes(v).affine() ? lanes(v).groups : chunks_;
      const auto from = whole->second.begin() + static_cast<std::ptrdiff_t>(inst.imm * parts);
      define(v, std::vector<Value*>(from, from + static_cast<std::ptrdiff_t>(parts)));
      return;
    }
    case Op::Special:
      emit_special(v);
      return;
    default:
      emit_pure(v);
      return;
  }
}

void KernelEmitter::emit_pure(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& l = lanes(v);
  if (l.affine() && l.known_bits >= 64) {  // a constant in each lane; only its guard may still be needed
    return;
  }
  std::vector<Value*> parts;
  const uint32_t count = l.affine() ? l.groups : chunks_;
  for (uint32_t k = 0; k < count; ++k) {
    current_chunk_ = k;
    std::vector<Value*> args;
    for (ValueId a : inst.args) args.push_back(l.affine() ? scalar(a, k, count) : vec(a, k));
    if ((inst.op == Op::Bitcast || inst.op == Op::FExt) && !args.empty()) args[0] = observable(inst.args[0], args[0]);
    parts.push_back(compute(inst, args));
  }
  define(v, std::move(parts));
  if (inst.op == Op::SExt || inst.op == Op::ZExt) emit_guard(v);
}

// Does base + pattern stay inside the narrow type in every group? Then widening keeps the pattern.
void KernelEmitter::emit_guard(ValueId v) {
  bool wanted = false;
  for (ValueId g : plan_.guards) wanted = wanted || g == v;
  if (!wanted) return;
  const Inst& inst = f_.insts[v];
  const Lanes& source = lanes(inst.args[0]);
  const int from = ir::bits(f_.insts[inst.args[0]].type);
  const bool is_signed = inst.op == Op::SExt;
  const int64_t least = is_signed ? -(int64_t{1} << (from - 1)) : 0;
  const uint64_t range = (uint64_t{1} << from) - 1;
  auto* i64 = builder_.getInt64Ty();
  Value* all = builder_.getTrue();
  const uint32_t group = kWarpSize / source.groups;
  for (uint32_t g = 0; g < source.groups; ++g) {
    int64_t low = 0, high = 0;
    for (uint32_t k = g * group; k < (g + 1) * group; ++k)
      low = std::min(low, source.pattern[k]), high = std::max(high, source.pattern[k]);
    Value* base = scalar(inst.args[0], g, source.groups);
    base = is_signed ? builder_.CreateSExt(base, i64) : builder_.CreateZExt(base, i64);
    // low end - least <= range - (high - low), unsigned
    Value* from_least =
        builder_.CreateAdd(base, builder_.getInt64(static_cast<uint64_t>(low) - static_cast<uint64_t>(least)));
    const uint64_t spread = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    Value* holds = spread > range ? (Value*)builder_.getFalse()
                                  : builder_.CreateICmpULE(from_least, builder_.getInt64(range - spread));
    all = builder_.CreateAnd(all, holds);
  }
  builder_.CreateStore(all, guard_flag(v));
}

void KernelEmitter::emit_special(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& l = lanes(v);
  if (l.affine() && l.known_bits >= 64) return;
  const auto which = static_cast<SpecialRegister>(inst.imm);
  auto* i32 = builder_.getInt32Ty();
  const uint32_t count = l.affine() ? l.groups : chunks_;
  auto u32 = [&](uint32_t x) { return builder_.getInt32(x); };
  const uint32_t align = std::max(1u, f_.dynamic_shared_align),
                 dynamic_start = (f_.shared_bytes + align - 1) / align * align;
  std::vector<Value*> parts;
  for (uint32_t k = 0; k < count; ++k) {
    // The thread's index in the block: of the group's first lane, or of every lane of the chunk.
    Value* linear = builder_.CreateMul(builder_.CreateLoad(i32, warp_), u32(kWarpSize));
    const uint32_t first = k * (kWarpSize / count);
    auto lane_constants = [&](auto f) {
      std::vector<llvm::Constant*> c;
      for (uint32_t n = 0; n < width_; ++n) c.push_back(u32(f(first + n)));
      return llvm::ConstantVector::get(c);
    };
    if (l.affine())
      linear = builder_.CreateAdd(linear, u32(first));
    else
      linear =
          builder_.CreateAdd(builder_.CreateVectorSplat(width_, linear), lane_constants([](uint32_t n) { return n; }));
    auto same = [&](uint32_t c) -> Value* { return llvm::ConstantInt::get(linear->getType(), c); };
    const Dim3& b = spec_.block;
    Value* x = nullptr;
    switch (which) {
      case SpecialRegister::TidX:
        x = b.y * b.z == 1 ? linear : builder_.CreateURem(linear, same(b.x));
        break;
      case SpecialRegister::TidY:
        x = builder_.CreateURem(builder_.CreateUDiv(linear, same(b.x)), same(b.y));
        break;
      case SpecialRegister::TidZ:
        x = builder_.CreateUDiv(linear, same(b.x * b.y));
        break;
      case SpecialRegister::LaneId:
        x = builder_.CreateAnd(linear, same(kWarpSize - 1));
        break;
      case SpecialRegister::CtaidX:
        x = block_index_[0];
        break;
      case SpecialRegister::CtaidY:
        x = block_index_[1];
        break;
      case SpecialRegister::CtaidZ:
        x = block_index_[2];
        break;
      case SpecialRegister::NctaidX:
        x = grid_[0];
        break;
      case SpecialRegister::NctaidY:
        x = grid_[1];
        break;
      case SpecialRegister::NctaidZ:
        x = grid_[2];
        break;
      case SpecialRegister::WarpId:
        x = builder_.CreateLoad(i32, warp_);
        break;
      case SpecialRegister::LanemaskEq:
        x = lane_constants([](uint32_t n) { return 1u << n; });
        break;
      case SpecialRegister::LanemaskLt:
        x = lane_constants([](uint32_t n) { return (1u << n) - 1; });
        break;
      case SpecialRegister::LanemaskLe:
        x = lane_constants([](uint32_t n) { return (2u << n) - 1; });
        break;
      case SpecialRegister::LanemaskGt:
        x = lane_constants([](uint32_t n) { return ~((2u << n) - 1); });
        break;
      case SpecialRegister::LanemaskGe:
        x = lane_constants([](uint32_t n) { return ~((1u << n) - 1); });
        break;
      case SpecialRegister::DynamicSharedSize:
        // The launch's dynamic part starts at the next multiple of its alignment.
        x = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, builder_.CreateTrunc(shared_bytes_, i32),
                                           u32(dynamic_start));
        break;
      case SpecialRegister::TotalSharedSize:
        x = builder_.CreateTrunc(shared_bytes_, i32);
        break;
      case SpecialRegister::GridWorkspaceHi:
      case SpecialRegister::GridWorkspaceLo: {
        Value* whole = env_field(offsetof(exec::WarpEnv, workspace), builder_.getInt64Ty(), true);
        const bool high = static_cast<SpecialRegister>(inst.imm) == SpecialRegister::GridWorkspaceHi;
        x = builder_.CreateTrunc(high ? builder_.CreateLShr(whole, 32) : whole, i32);
        break;
      }
      case SpecialRegister::StackLimit:
        x = env_field(offsetof(exec::WarpEnv, stack_limit), i32, true);
        break;
      case SpecialRegister::StackRoom:
        x = env_field(offsetof(exec::WarpEnv, stack_room), i32, true);
        break;
      case SpecialRegister::ParamBase:
        x = builder_.CreatePtrToInt(params_, builder_.getInt64Ty());
        break;
      default:
        x = u32(0);
        break;  // %smid, %gridid: one SM, one grid at a time
    }
    if (l.affine() && x->getType() != type(inst.type)) x = builder_.CreateZExtOrTrunc(x, type(inst.type));
    parts.push_back(x);
  }
  define(v, std::move(parts));
}

llvm::Value* KernelEmitter::compute(const Inst& inst, const std::vector<Value*>& a) {
  llvm::Type* t = a.empty() ? type(inst.type) : a[0]->getType();
  auto splat = [&](uint64_t x) { return llvm::ConstantInt::get(t, x); };
  const unsigned width = t->getScalarSizeInBits();
  switch (inst.op) {
    case Op::Const:
      return constant(inst.type, inst.imm);
    case Op::Undef:
      return constant(inst.type, 0);
    case Op::Param: {
      auto* load = builder_.CreateAlignedLoad(
          type(inst.type), builder_.CreateConstGEP1_64(builder_.getInt8Ty(), params_, inst.imm), llvm::Align(1));
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
      return load;
    }
    case Op::SymbolAddress: {
      auto* load = builder_.CreateLoad(builder_.getInt64Ty(),
                                       builder_.CreateConstGEP1_64(builder_.getInt64Ty(), symbols_, inst.imm));
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
      return load;
    }
    case Op::Add:
      return builder_.CreateAdd(a[0], a[1]);
    case Op::Sub:
      return builder_.CreateSub(a[0], a[1]);
    case Op::Mul:
      return builder_.CreateMul(a[0], a[1]);
    case Op::MulHiS:
    case Op::MulHiU: {
      llvm::Type* wide = same_shape(builder_.getIntNTy(2 * width), t);
      const bool is_signed = inst.op == Op::MulHiS;
      auto extend = [&](Value* x) { return is_signed ? builder_.CreateSExt(x, wide) : builder_.CreateZExt(x, wide); };
      Value* product = builder_.CreateMul(extend(a[0]), extend(a[1]));
      return builder_.CreateTrunc(builder_.CreateLShr(product, llvm::ConstantInt::get(wide, width)), t);
    }
    case Op::DivS:
    case Op::DivU:
    case Op::RemS:
    case Op::RemU:
      return divide(inst.op, a[0], a[1]);
    case Op::MinS:
      return builder_.CreateBinaryIntrinsic(Intrinsic::smin, a[0], a[1]);
    case Op::MinU:
      return builder_.CreateBinaryIntrinsic(Intrinsic::umin, a[0], a[1]);
    case Op::MaxS:
      return builder_.CreateBinaryIntrinsic(Intrinsic::smax, a[0], a[1]);
    case Op::MaxU:
      return builder_.CreateBinaryIntrinsic(Intrinsic::umax, a[0], a[1]);
    case Op::And:
      return builder_.CreateAnd(a[0], a[1]);
    case Op::Or:
      return builder_.CreateOr(a[0], a[1]);
    case Op::Xor:
      return builder_.CreateXor(a[0], a[1]);
    case Op::Not:
      return builder_.CreateNot(a[0]);
    case Op::Shl:
    case Op::ShrU:
    case Op::ShrS: {
      Value* amount = builder_.CreateZExtOrTrunc(a[1], t);
      Value* too_far = builder_.CreateICmpUGE(a[1], llvm::ConstantInt::get(a[1]->getType(), width));
      if (inst.op == Op::ShrS)
        return builder_.CreateAShr(a[0], builder_.CreateSelect(too_far, splat(width - 1), amount));
      Value* safe = builder_.CreateSelect(too_far, splat(0), amount);
      Value* shifted = inst.op == Op::Shl ? builder_.CreateShl(a[0], safe) : builder_.CreateLShr(a[0], safe);
      return builder_.CreateSelect(too_far, splat(0), shifted);
    }
    case Op::Popc:
      return builder_.CreateZExtOrTrunc(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, a[0]),
                                        same_shape(builder_.getInt32Ty(), t));
    case Op::Clz:
      return builder_.CreateZExtOrTrunc(builder_.CreateBinaryIntrinsic(Intrinsic::ctlz, a[0], builder_.getFalse()),
                                        same_shape(builder_.getInt32Ty(), t));
    case Op::Brev:
      return builder_.CreateUnaryIntrinsic(Intrinsic::bitreverse, a[0]);
    case Op::ICmp: {
      static constexpr llvm::CmpInst::Predicate kPredicates[] = {
          llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_SLE,
          llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_ULE,
          llvm::CmpInst::ICMP_UGT, llvm::CmpInst::ICMP_UGE};
      return builder_.CreateICmp(kPredicates[inst.imm], a[0], a[1]);
    }
    case Op::Select:
      return builder_.CreateSelect(a[0], a[1], a[2]);
    case Op::ToGeneric:
    case Op::FromGeneric:
    case Op::IsSpace: {
      // Shared and local windows are real memory of this process; global and constant addresses are generic already.
      const bool window = inst.space == ir::Space::Shared || inst.space == ir::Space::Local;
      if (inst.op == Op::IsSpace) return is_in_space(inst.space, a[0]);
      if (!window) return a[0];
      Value* base = window_base(inst.space, t);
      return inst.op == Op::ToGeneric ? builder_.CreateAdd(a[0], base) : builder_.CreateSub(a[0], base);
    }
    default:
      break;
  }
  if ((inst.op >= Op::Trunc && inst.op <= Op::F32ToBF16)) return compute_convert(inst, a);
  return compute_float(inst, a);
}

// The shared window, the local frames of all the block's threads, and the rest. A constant's address is a global one
// too.
llvm::Value* KernelEmitter::is_in_space(ir::Space space, Value* address) {
  auto inside = [&](Value* base, Value* size) {
    if (address->getType()->isVectorTy())
      base = builder_.CreateVectorSplat(width_, base), size = builder_.CreateVectorSplat(width_, size);
    return builder_.CreateICmpULT(builder_.CreateSub(address, base), size);
  };
  auto* i64 = builder_.getInt64Ty();
  Value* shared = inside(builder_.CreatePtrToInt(shared_, i64), shared_bytes_);
  if (space == ir::Space::Shared) return shared;
  Value* frames = builder_.CreatePtrToInt(env_field(offsetof(exec::WarpEnv, local), builder_.getPtrTy(), true), i64);
  Value* local = inside(frames, builder_.getInt64(uint64_t{plan_.warps} * kWarpSize * f_.thread_bytes()));
  return space == ir::Space::Local ? local : builder_.CreateNot(builder_.CreateOr(shared, local));
}

llvm::Value* KernelEmitter::window_base(ir::Space space, llvm::Type* like) {
  auto* i64 = builder_.getInt64Ty();
  if (space == ir::Space::Shared) {
    Value* base = builder_.CreatePtrToInt(shared_, i64);
    return like->isVectorTy() ? builder_.CreateVectorSplat(width_, base) : base;
  }
  // Lane l of warp w: local + (32 w + l) * frame.
  WL_CHECK(like->isVectorTy(), "a generic local address differs by lane");
  std::vector<llvm::Constant*> lane;
  for (uint32_t l = 0; l < width_; ++l)
    lane.push_back(builder_.getInt64(uint64_t{current_chunk_ * width_ + l} * f_.thread_bytes()));
  Value* warp = builder_.CreateZExt(builder_.CreateLoad(builder_.getInt32Ty(), warp_), i64);
  Value* frames = builder_.CreatePtrToInt(env_field(offsetof(exec::WarpEnv, local), builder_.getPtrTy(), true), i64);
  Value* first =
      builder_.CreateAdd(frames, builder_.CreateMul(warp, builder_.getInt64(uint64_t{kWarpSize} * f_.thread_bytes())));
  return builder_.CreateAdd(builder_.CreateVectorSplat(width_, first), llvm::ConstantVector::get(lane));
}

llvm::Value* KernelEmitter::divide(Op op, Value* x, Value* y) {
  llvm::Type* t = x->getType();
  const unsigned width = t->getScalarSizeInBits();
  const bool is_signed = op == Op::DivS || op == Op::RemS, wants_quotient = op == Op::DivS || op == Op::DivU;
  Value* zero = llvm::ConstantInt::get(t, 0);
  Value* by_zero = builder_.CreateICmpEQ(y, zero);
  Value* safe = builder_.CreateSelect(by_zero, llvm::ConstantInt::get(t, 1), y);
  Value *quotient = nullptr, *remainder = nullptr;
  // INT_MIN / -1 would trap: divide by 1 instead and negate by wrapping, which gives INT_MIN and remainder 0.
  Value* by_minus_one = nullptr;
  if (is_signed) {
    by_minus_one = builder_.CreateICmpEQ(y, llvm::ConstantInt::getSigned(t, -1));
    safe = builder_.CreateSelect(by_minus_one, llvm::ConstantInt::get(t, 1), safe);
  }
  if (llvm::isa<llvm::Constant>(y) || width == 64 || !t->isVectorTy()) {
    quotient = is_signed ? builder_.CreateSDiv(x, safe) : builder_.CreateUDiv(x, safe);
  } else {
    // A quotient of integers of up to 32 bits, rounded to f64 and cut off, is exact: the true quotient is at least
    // 2^-32 away from the next integer unless it is one.
    llvm::Type* f64 = same_shape(builder_.getDoubleTy(), t);
    quotient = is_signed ? builder_.CreateFPToSI(
                               builder_.CreateFDiv(builder_.CreateSIToFP(x, f64), builder_.CreateSIToFP(safe, f64)), t)
                         : builder_.CreateFPToUI(
                               builder_.CreateFDiv(builder_.CreateUIToFP(x, f64), builder_.CreateUIToFP(safe, f64)), t);
  }
  if (by_minus_one) quotient = builder_.CreateSelect(by_minus_one, builder_.CreateNeg(x), quotient);
  if (!wants_quotient) remainder = builder_.CreateSub(x, builder_.CreateMul(quotient, y));
  return builder_.CreateSelect(by_zero, llvm::ConstantInt::getAllOnesValue(t), wants_quotient ? quotient : remainder);
}

}  // namespace warplens::codegen
