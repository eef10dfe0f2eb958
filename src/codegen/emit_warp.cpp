// Instructions in which lanes see each other: shuffles, votes, matches, reductions. Only active lanes take part; what a
// lane reads from an inactive one is undefined in PTX, and is that lane's own register here.
#include "base/check.h"
#include "codegen/emitter.h"
#include "exec/warp_env.h"
#include "ir/matrix.h"

namespace warplens::codegen {

using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::Type;

constexpr uint32_t kMatrixRegisters = 16;  // arguments of the widest: m16n8k16 of f64

// A 32-lane array on the stack, filled with the value's lanes.
llvm::Value* KernelEmitter::lane_array(ValueId v) {
  llvm::Type* t = type(f_.insts[v].type);
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  auto* array = at_entry.CreateAlloca(llvm::ArrayType::get(t, kWarpSize));
  array->setAlignment(llvm::Align(64));
  for (uint32_t c = 0; c < chunks_; ++c)
    builder_.CreateAlignedStore(observable(v, vec(v, c)), builder_.CreateConstGEP1_64(t, array, c * width_),
                                llvm::Align(16));
  return array;
}

std::vector<llvm::Value*> KernelEmitter::from_lane_array(Value* array, Type t) {
  std::vector<Value*> parts;
  for (uint32_t c = 0; c < chunks_; ++c)
    parts.push_back(builder_.CreateAlignedLoad(vector_type(t), builder_.CreateConstGEP1_64(type(t), array, c * width_),
                                               llvm::Align(8)));
  return parts;
}

void KernelEmitter::emit_warp(ValueId v) {
  switch (f_.insts[v].op) {
    case Op::Shuffle:
      emit_shuffle(v);
      return;
    case Op::Vote:
      emit_vote(v);
      return;
    case Op::Match:
      emit_match(v);
      return;
    case Op::Redux:
      emit_redux(v);
      return;
    case Op::Matrix:
      emit_matrix(v);
      return;
    case Op::ActiveMask:
      define_same(v, active());
      return;
    case Op::WarpSync:
      return;  // lanes of one mask run in step already
    default:
      WL_CHECK(false, "a warp instruction");
      return;
  }
}

// shfl.sync: c holds the clamp (bits 0-4) and the segment mask (bits 8-12). With everything constant the source lanes
// are too, and the shuffle is one of vectors; else lane by lane through memory.
void KernelEmitter::emit_shuffle(ValueId v) {
  const Inst& inst = f_.insts[v];
  auto constant_of = [&](size_t k) -> std::optional<uint32_t> {
    const auto& l = lanes(inst.args[k]);
    if (l.uniform() && l.known_bits >= 32) return static_cast<uint32_t>(l.residue);
    return std::nullopt;
  };
  const auto b = constant_of(1), c = constant_of(2);
  const auto mode = static_cast<ir::ShuffleMode>(inst.imm);
  if (b && c) {
    std::vector<int> source(kWarpSize);
    std::vector<bool> inside(kWarpSize);
    const uint32_t clamp = *c & 31, segment = *c >> 8 & 31, by = *b & 31;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
      int64_t j = 0;
      bool ok = true;
      switch (mode) {
        case ir::ShuffleMode::Up:
          j = int64_t{lane} - by;
          ok = j >= int64_t{max_lane};
          break;
        case ir::ShuffleMode::Down:
          j = int64_t{lane} + by;
          ok = j <= int64_t{max_lane};
          break;
        case ir::ShuffleMode::Bfly:
          j = lane ^ by;
          ok = j <= int64_t{max_lane};
          break;
        case ir::ShuffleMode::Idx:
          j = min_lane | (by & ~segment);
          ok = j <= int64_t{max_lane};
          break;
      }
      inside[lane] = ok;
      source[lane] = static_cast<int>(ok ? j : lane);
    }
    // Concatenate all chunks, then pick.
    std::vector<Value*> whole;
    for (uint32_t k = 0; k < chunks_; ++k) whole.push_back(observable(inst.args[0], vec(inst.args[0], k)));
    while (whole.size() > 1) {
      std::vector<Value*> joined;
      for (size_t k = 0; k < whole.size(); k += 2) {
        const auto n = llvm::cast<llvm::FixedVectorType>(whole[k]->getType())->getNumElements();
        std::vector<int> all(2 * n);
        for (unsigned l = 0; l < 2 * n; ++l) all[l] = static_cast<int>(l);
        joined.push_back(builder_.CreateShuffleVector(whole[k], whole[k + 1], all));
      }
      whole = joined;
    }
    std::vector<Value*> values, predicates;
    for (uint32_t k = 0; k < chunks_; ++k) {
      values.push_back(builder_.CreateShuffleVector(whole[0], llvm::ArrayRef<int>(source).slice(k * width_, width_)));
      std::vector<llvm::Constant*> bits;
      for (uint32_t l = 0; l < width_; ++l) bits.push_back(builder_.getInt1(inside[k * width_ + l]));
      predicates.push_back(llvm::ConstantVector::get(bits));
    }
    values.insert(values.end(), predicates.begin(), predicates.end());
    cache_[v] = values;
    return;
  }
  // The general case: source lane and predicate computed in vectors, values fetched through an array.
  Value* array = lane_array(inst.args[0]);
  auto* i32 = builder_.getInt32Ty();
  auto* vector = llvm::FixedVectorType::get(i32, width_);
  std::vector<Value*> values, predicates;
  for (uint32_t k = 0; k < chunks_; ++k) {
    auto same = [&](uint32_t x) { return llvm::ConstantInt::get(vector, x); };
    std::vector<llvm::Constant*> ids;
    for (uint32_t l = 0; l < width_; ++l) ids.push_back(builder_.getInt32(k * width_ + l));
    Value* lane = llvm::ConstantVector::get(ids);
    Value* control = vec(inst.args[2], k);
    Value* clamp = builder_.CreateAnd(control, same(31));
    Value* segment = builder_.CreateAnd(builder_.CreateLShr(control, 8), same(31));
    Value* by = builder_.CreateAnd(vec(inst.args[1], k), same(31));
    Value* open = builder_.CreateNot(segment);
    Value* max_lane = builder_.CreateOr(builder_.CreateAnd(lane, segment), builder_.CreateAnd(clamp, open));
    Value *j = nullptr, *ok = nullptr;
    switch (mode) {
      case ir::ShuffleMode::Up:
        j = builder_.CreateSub(lane, by);
        ok = builder_.CreateICmpSGE(j, max_lane);
        break;
      case ir::ShuffleMode::Down:
        j = builder_.CreateAdd(lane, by);
        ok = builder_.CreateICmpSLE(j, max_lane);
        break;
      case ir::ShuffleMode::Bfly:
        j = builder_.CreateXor(lane, by);
        ok = builder_.CreateICmpSLE(j, max_lane);
        break;
      case ir::ShuffleMode::Idx:
        j = builder_.CreateOr(builder_.CreateAnd(lane, segment), builder_.CreateAnd(by, open));
        ok = builder_.CreateICmpSLE(j, max_lane);
        break;
    }
    j = builder_.CreateAnd(builder_.CreateSelect(ok, j, lane), same(31));
    Value* fetched = llvm::PoisonValue::get(vector);
    for (uint32_t l = 0; l < width_; ++l) {
      Value* at = builder_.CreateGEP(i32, array, builder_.CreateExtractElement(j, l));
      fetched = builder_.CreateInsertElement(fetched, builder_.CreateLoad(i32, at), l);
    }
    values.push_back(fetched);
    predicates.push_back(ok);
  }
  values.insert(values.end(), predicates.begin(), predicates.end());
  cache_[v] = values;
}

void KernelEmitter::emit_vote(ValueId v) {
  const Inst& inst = f_.insts[v];
  auto* i32 = builder_.getInt32Ty();
  Value* on = active_with_guard(inst);
  Value* votes = builder_.CreateAnd(bitmask(inst.args[0]), on);
  auto decide = [&](Value* members) -> Value* {
    Value* yes = builder_.CreateAnd(votes, members);
    Value* all = builder_.CreateAnd(on, members);
    switch (static_cast<ir::VoteMode>(inst.imm)) {
      case ir::VoteMode::Ballot:
        return yes;
      case ir::VoteMode::Any:
        return builder_.CreateICmpNE(yes, builder_.getInt32(0));
      case ir::VoteMode::All:
        return builder_.CreateICmpEQ(yes, all);
      case ir::VoteMode::Uni:
        return builder_.CreateOr(builder_.CreateICmpEQ(yes, all), builder_.CreateICmpEQ(yes, builder_.getInt32(0)));
    }
    return yes;
  };
  if (lanes(v).affine()) {
    define(v, {decide(scalar(inst.args[1], 0, 1))});
    return;
  }
  // Lanes name different member masks: each group of lanes votes by itself.
  std::vector<Value*> parts;
  for (uint32_t k = 0; k < chunks_; ++k) {
    Value* members = vec(inst.args[1], k);
    Value* result = llvm::PoisonValue::get(vector_type(inst.type));
    for (uint32_t l = 0; l < width_; ++l)
      result = builder_.CreateInsertElement(result, decide(builder_.CreateExtractElement(members, l)), l);
    parts.push_back(result);
  }
  (void)i32;
  define(v, parts);
}

// match.any: the mask of the member lanes that hold the same value. match.all: all members if they all do, else 0.
void KernelEmitter::emit_match(ValueId v) {
  const Inst& inst = f_.insts[v];
  auto* i32 = builder_.getInt32Ty();
  Value* on = active_with_guard(inst);
  Value* array = lane_array(inst.args[0]);
  llvm::Type* t = type(f_.insts[inst.args[0]].type);
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  std::vector<Value*> masks, predicates;
  for (uint32_t k = 0; k < chunks_; ++k) {
    Value* members = builder_.CreateAnd(vec(inst.args[1], k), builder_.CreateVectorSplat(width_, on));
    Value* mine = vec(inst.args[0], k);
    Value* same = llvm::ConstantInt::get(llvm::FixedVectorType::get(i32, width_), 0);
    for (uint32_t other = 0; other < kWarpSize; ++other) {
      Value* theirs =
          builder_.CreateVectorSplat(width_, builder_.CreateLoad(t, builder_.CreateConstGEP1_64(t, array, other)));
      Value* bit = builder_.CreateSelect(builder_.CreateICmpEQ(mine, theirs),
                                         llvm::ConstantInt::get(same->getType(), 1u << other),
                                         llvm::ConstantInt::get(same->getType(), 0));
      same = builder_.CreateOr(same, bit);
    }
    same = builder_.CreateAnd(same, members);
    Value* all = builder_.CreateICmpEQ(same, members);
    masks.push_back(inst.imm == 0 ? same
                                  : builder_.CreateSelect(all, members, llvm::ConstantInt::get(same->getType(), 0)));
    predicates.push_back(all);
  }
  masks.insert(masks.end(), predicates.begin(), predicates.end());
  cache_[v] = masks;
}

// redux.sync over the members of each lane's mask.
void KernelEmitter::emit_redux(ValueId v) {
  const Inst& inst = f_.insts[v];
  Value* on = active_with_guard(inst);
  Value* array = lane_array(inst.args[0]);
  auto* i32 = builder_.getInt32Ty();
  const auto op = static_cast<ir::AtomicOp>(inst.imm);
  const uint32_t identity = op == ir::AtomicOp::And || op == ir::AtomicOp::MinU ? ~0u
                            : op == ir::AtomicOp::MinS                          ? 0x7fffffffu
                            : op == ir::AtomicOp::MaxS                          ? 0x80000000u
                                                                                : 0u;
  std::vector<Value*> parts;
  for (uint32_t k = 0; k < chunks_; ++k) {
    Value* members = builder_.CreateAnd(vec(inst.args[1], k), builder_.CreateVectorSplat(width_, on));
    Value* acc = llvm::ConstantInt::get(members->getType(), identity);
    for (uint32_t other = 0; other < kWarpSize; ++other) {
      Value* x =
          builder_.CreateVectorSplat(width_, builder_.CreateLoad(i32, builder_.CreateConstGEP1_64(i32, array, other)));
      Value* is_member =
          builder_.CreateICmpNE(builder_.CreateAnd(members, llvm::ConstantInt::get(members->getType(), 1u << other)),
                                llvm::ConstantInt::get(members->getType(), 0));
      x = builder_.CreateSelect(is_member, x, llvm::ConstantInt::get(members->getType(), identity));
      switch (op) {
        case ir::AtomicOp::Add:
          acc = builder_.CreateAdd(acc, x);
          break;
        case ir::AtomicOp::And:
          acc = builder_.CreateAnd(acc, x);
          break;
        case ir::AtomicOp::Or:
          acc = builder_.CreateOr(acc, x);
          break;
        case ir::AtomicOp::Xor:
          acc = builder_.CreateXor(acc, x);
          break;
        case ir::AtomicOp::MinS:
          acc = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, acc, x);
          break;
        case ir::AtomicOp::MinU:
          acc = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, acc, x);
          break;
        case ir::AtomicOp::MaxS:
          acc = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, acc, x);
          break;
        case ir::AtomicOp::MaxU:
          acc = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, acc, x);
          break;
        default:
          WL_CHECK(false, "a redux operation");
      }
    }
    parts.push_back(acc);
  }
  define(v, parts);
}

// Registers go through memory to a function, as it takes hundreds of operations anyway. Too few lanes are a fault.
void KernelEmitter::emit_matrix(ValueId v) {
  const Inst& inst = f_.insts[v];
  const ir::Matrix matrix = ir::unpack_matrix(inst.imm);
  llvm::Type *i32 = builder_.getInt32Ty(), *ptr = builder_.getPtrTy(), *element = type(inst.type);
  WL_CHECK(inst.guard == kNone, "a matrix instruction is branched around");
  if (mask_)
    fault_unless_zero(builder_.CreateCall(runtime("wl_trap", {ptr, i32, i32}), {env_, builder_.getInt32(v), mask_}));
  const auto array = [&](llvm::AllocaInst*& made) {
    if (made) return made;
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    made = at_entry.CreateAlloca(llvm::ArrayType::get(builder_.getInt64Ty(), kMatrixRegisters * kWarpSize));
    made->setAlignment(llvm::Align(64));
    return made;
  };
  llvm::AllocaInst *in = array(matrix_in_), *out = array(matrix_out_);
  const auto at = [&](Value* base, uint32_t number, uint32_t chunk) {
    return builder_.CreateConstGEP1_64(element, base, number * kWarpSize + chunk * width_);
  };
  for (uint32_t k = 0; k < inst.args.size(); ++k)
    for (uint32_t c = 0; c < chunks_; ++c)
      builder_.CreateAlignedStore(observable(inst.args[k], vec(inst.args[k], c)), at(in, k, c), llvm::Align(8));
  builder_.CreateCall(runtime("wl_matrix", {builder_.getInt64Ty(), ptr, ptr}, builder_.getVoidTy()),
                      {builder_.getInt64(inst.imm), in, out});
  std::vector<Value*> results;
  for (uint32_t k = 0; k < ir::result_count(matrix); ++k)
    for (uint32_t c = 0; c < chunks_; ++c)
      results.push_back(builder_.CreateAlignedLoad(vector_type(inst.type), at(out, k, c), llvm::Align(8)));
  cache_[v] = results;
}

}  // namespace warplens::codegen
