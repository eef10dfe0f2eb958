// What threads keep while functions run that stand once: in memory of their own, of which nothing is checked but that
// it is not full, and nothing counted.
#include "codegen/emitter.h"
#include "exec/warp_env.h"

namespace warplens::codegen {

using exec::WarpEnv;
using ir::Inst;
using ir::Type;

// As integers: stack + (32 warp + lane) * stride + end + offset.
llvm::Value* KernelEmitter::stack_addresses(const Inst& inst, uint32_t chunk) {
  auto* i64 = builder_.getInt64Ty();
  Value* stack = builder_.CreatePtrToInt(env_field(offsetof(WarpEnv, stack), builder_.getPtrTy(), true), i64);
  Value* stride = env_field(offsetof(WarpEnv, stack_stride), i64, true);
  Value* warp = builder_.CreateZExt(builder_.CreateLoad(builder_.getInt32Ty(), warp_), i64);
  Value* first = builder_.CreateMul(builder_.CreateMul(warp, builder_.getInt64(kWarpSize)), stride);
  first = builder_.CreateAdd(builder_.CreateAdd(stack, first), builder_.getInt64(inst.imm));
  std::vector<llvm::Constant*> lanes;
  for (uint32_t l = 0; l < width_; ++l) lanes.push_back(builder_.getInt64(chunk * width_ + l));
  Value* at = builder_.CreateMul(llvm::ConstantVector::get(lanes), builder_.CreateVectorSplat(width_, stride));
  at = builder_.CreateAdd(at, builder_.CreateVectorSplat(width_, first));
  return builder_.CreateAdd(at, builder_.CreateZExt(vec(inst.args[0], chunk), at->getType()));
}

void KernelEmitter::emit_stack(ValueId v) {
  const Inst& inst = f_.insts[v];
  const bool wide = ir::bits(inst.type) == 64;
  llvm::Type* word = wide ? builder_.getInt64Ty() : builder_.getInt32Ty();
  auto* words = llvm::FixedVectorType::get(word, width_);
  const bool is_float = ir::is_float(inst.type);
  std::vector<Value*> parts;
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* at = stack_addresses(inst, c);
    if (mask_) {  // lanes that are off use a place that is always there
      Value* safe = builder_.CreateVectorSplat(width_, builder_.CreatePtrToInt(values_, builder_.getInt64Ty()));
      at = builder_.CreateSelect(vector_mask(mask_, c), at, safe);
    }
    const auto place = [&](uint32_t l) {
      return builder_.CreateIntToPtr(builder_.CreateExtractElement(at, l), builder_.getPtrTy());
    };
    if (inst.op == ir::Op::StackStore) {
      Value* x = vec(inst.args[1], c);
      x = is_float ? builder_.CreateBitCast(x, words) : builder_.CreateZExtOrTrunc(x, words);
      for (uint32_t l = 0; l < width_; ++l)
        builder_.CreateAlignedStore(builder_.CreateExtractElement(x, l), place(l), llvm::Align(4));
      continue;
    }
    Value* x = llvm::PoisonValue::get(words);
    for (uint32_t l = 0; l < width_; ++l)
      x = builder_.CreateInsertElement(x, builder_.CreateAlignedLoad(word, place(l), llvm::Align(4)), l);
    parts.push_back(is_float ? builder_.CreateBitCast(x, vector_type(inst.type))
                             : builder_.CreateTrunc(x, vector_type(inst.type)));
  }
  if (inst.op == ir::Op::StackLoad) define(v, std::move(parts));
}

}  // namespace warplens::codegen
