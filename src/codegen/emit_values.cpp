// Reading and writing IR values: scalars a group for affine values, vectors of lanes for the others.
#include "base/check.h"
#include "codegen/emitter.h"

namespace warplens::codegen {

using ir::Type;
using passes::Lanes;

llvm::Type* KernelEmitter::type(Type t) {
  switch (t) {
    case Type::Pred:
      return builder_.getInt1Ty();
    case Type::I8:
      return builder_.getInt8Ty();
    case Type::I16:
      return builder_.getInt16Ty();
    case Type::I32:
      return builder_.getInt32Ty();
    case Type::I64:
      return builder_.getInt64Ty();
    case Type::F32:
      return builder_.getFloatTy();
    case Type::F64:
      return builder_.getDoubleTy();
    case Type::Void:
      break;
  }
  WL_CHECK(false, "a value has a type");
  return nullptr;
}

llvm::Type* KernelEmitter::vector_type(Type t) { return llvm::FixedVectorType::get(type(t), width_); }

llvm::Value* KernelEmitter::constant(Type t, uint64_t bits) {
  if (t == Type::F32)
    return llvm::ConstantFP::get(context_,
                                 llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xffffffffu)));
  if (t == Type::F64)
    return llvm::ConstantFP::get(context_, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  const unsigned width = static_cast<unsigned>(ir::bits(t));
  return llvm::ConstantInt::get(context_, llvm::APInt(64, bits).trunc(width));
}

std::vector<KernelEmitter::Slot>& KernelEmitter::slot(ValueId v) {
  auto& parts = slots_[v];
  if (!parts.empty()) return parts;
  const Type t = f_.insts[v].type;
  const bool scalars = lanes(v).affine();
  llvm::Type* of_part = scalars ? type(t) : vector_type(t);
  for (uint32_t k = 0; k < (scalars ? lanes(v).groups : chunks_); ++k) {
    if (!frame_) {
      parts.push_back({llvm::IRBuilder<>(entry_, entry_->begin()).CreateAlloca(of_part), of_part});
      continue;
    }
    // Made where the frame is: every block may use it.
    llvm::IRBuilder<> at_frame(frame_->getNextNode());
    parts.push_back({at_frame.CreateConstGEP1_64(builder_.getInt8Ty(), frame_, frame_bytes_), of_part});
    frame_bytes_ += kFrameSlot * width_;
  }
  return parts;
}

llvm::AllocaInst* KernelEmitter::guard_flag(ValueId widening) {
  auto& flag = guard_flags_[widening];
  if (!flag) flag = llvm::IRBuilder<>(entry_, entry_->begin()).CreateAlloca(builder_.getInt1Ty());
  return flag;
}

void KernelEmitter::define(ValueId v, std::vector<Value*> parts) {
  if (plan_.escapes[v]) {
    auto& s = slot(v);
    for (size_t k = 0; k < parts.size(); ++k) {
      Value* x = parts[k];
      // Where lanes can wait at a barrier while others run on, what the others compute must not touch theirs.
      if (mask_ && plan_.lanes.divergent_barrier && !lanes(v).affine())
        x = builder_.CreateSelect(vector_mask(mask_, static_cast<uint32_t>(k)), x,
                                  builder_.CreateLoad(x->getType(), s[k].at));
      builder_.CreateStore(x, s[k].at);
    }
  }
  cache_[v] = std::move(parts);
}

void KernelEmitter::define_same(ValueId v, Value* x) {
  const Lanes& l = lanes(v);
  define(v, l.affine() ? std::vector<Value*>(l.groups, x)
                       : std::vector<Value*>(chunks_, builder_.CreateVectorSplat(width_, x)));
}

llvm::Value* KernelEmitter::scalar(ValueId v, uint32_t group, uint32_t groups) {
  const Lanes& l = lanes(v);
  const Type t = f_.insts[v].type;
  WL_CHECK(l.affine() && l.groups <= groups, "a scalar of an affine value");
  const uint32_t lane = group * (kWarpSize / groups);
  const uint64_t offset = static_cast<uint64_t>(l.pattern[lane]);
  if (l.known_bits >= 64) return constant(t, l.residue + offset);
  const uint32_t part = lane / (kWarpSize / l.groups);
  auto cached = cache_.find(v);
  Value* base = cached != cache_.end() ? cached->second[part] : builder_.CreateLoad(type(t), slot(v)[part].at);
  return offset == 0 ? base : builder_.CreateAdd(base, constant(t, offset));
}

llvm::Value* KernelEmitter::pattern_vector(const Lanes& l, Type t, uint32_t chunk) {
  std::vector<llvm::Constant*> elements;
  for (uint32_t k = 0; k < width_; ++k)
    elements.push_back(llvm::cast<llvm::Constant>(constant(t, static_cast<uint64_t>(l.pattern[chunk * width_ + k]))));
  return llvm::ConstantVector::get(elements);
}

llvm::Value* KernelEmitter::vec(ValueId v, uint32_t chunk) {
  const Lanes& l = lanes(v);
  const Type t = f_.insts[v].type;
  if (!l.affine()) {
    auto cached = cache_.find(v);
    return cached != cache_.end() ? cached->second[chunk] : builder_.CreateLoad(vector_type(t), slot(v)[chunk].at);
  }
  const uint32_t part = chunk * width_ / (kWarpSize / l.groups);
  // The base of the group, then every lane of the chunk relative to it.
  const uint32_t first = part * (kWarpSize / l.groups);
  Value* x = builder_.CreateVectorSplat(width_, scalar(v, part, l.groups));
  bool flat = true;
  for (uint32_t k = 0; k < width_; ++k) flat = flat && l.pattern[chunk * width_ + k] == l.pattern[first];
  if (!flat) x = builder_.CreateAdd(x, pattern_vector(l, t, chunk));
  for (const Lanes::Guard& g : l.guards) {
    const ir::Inst& widening = f_.insts[g.widening];
    const ValueId source = widening.args[0];
    const bool is_signed = widening.op == ir::Op::SExt;
    const Lanes& sl = lanes(source);
    llvm::Type* wide = vector_type(widening.type);
    auto extend = [&](Value* y, llvm::Type* to) {
      return is_signed ? builder_.CreateSExt(y, to) : builder_.CreateZExt(y, to);
    };
    const uint32_t source_part = chunk * width_ / (kWarpSize / sl.groups);
    Value* assumed =
        builder_.CreateVectorSplat(width_, extend(scalar(source, source_part, sl.groups), type(widening.type)));
    assumed = builder_.CreateAdd(assumed, pattern_vector(sl, widening.type, chunk));
    Value* off = builder_.CreateSub(extend(vec(source, chunk), wide), assumed);
    off = builder_.CreateMul(
        off, builder_.CreateVectorSplat(width_, constant(widening.type, static_cast<uint64_t>(g.multiplier))));
    x = builder_.CreateAdd(x, builder_.CreateSExtOrTrunc(off, x->getType()));
  }
  return x;
}

llvm::Value* KernelEmitter::bitmask(ValueId pred) {
  const Lanes& l = lanes(pred);
  if (l.uniform()) return builder_.CreateSExt(scalar(pred, 0, 1), builder_.getInt32Ty());
  Value* mask = nullptr;
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* bits = builder_.CreateBitCast(vec(pred, c), builder_.getIntNTy(width_));
    bits = builder_.CreateZExtOrTrunc(bits, builder_.getInt32Ty());
    if (c) bits = builder_.CreateShl(bits, c * width_);
    mask = mask ? builder_.CreateOr(mask, bits) : bits;
  }
  return mask;
}

llvm::Value* KernelEmitter::vector_mask(Value* mask, uint32_t chunk) {
  auto& v = vector_masks_[{mask, chunk}];
  if (!v || llvm::cast<llvm::Instruction>(v)->getParent() != builder_.GetInsertBlock()) {
    Value* bits = builder_.CreateTrunc(builder_.CreateLShr(mask, chunk * width_), builder_.getIntNTy(width_));
    Value* made = builder_.CreateBitCast(bits, llvm::FixedVectorType::get(builder_.getInt1Ty(), width_));
    if (!llvm::isa<llvm::Instruction>(made)) return made;
    v = made;
  }
  return v;
}

llvm::Value* KernelEmitter::assumed_holds(const Lanes& l) {
  Value* all = nullptr;
  for (const Lanes::Guard& g : l.guards) {
    Value* holds = builder_.CreateLoad(builder_.getInt1Ty(), guard_flag(g.widening));
    all = all ? builder_.CreateAnd(all, holds) : holds;
  }
  return all;
}

llvm::Value* KernelEmitter::env_field(size_t offset, llvm::Type* t, bool invariant) {
  auto* load = builder_.CreateLoad(t, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), env_, offset));
  if (invariant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

void KernelEmitter::set_env_field(size_t offset, Value* v) {
  builder_.CreateStore(v, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), env_, offset));
}

llvm::FunctionCallee KernelEmitter::runtime(const char* name, llvm::ArrayRef<llvm::Type*> args, llvm::Type* result) {
  auto callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(result ? result : builder_.getInt32Ty(), args, false));
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  return callee;
}

llvm::BasicBlock* KernelEmitter::block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(context_, name, function_);
}

}  // namespace warplens::codegen
