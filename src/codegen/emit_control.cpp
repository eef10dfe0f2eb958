// The frame around the blocks: loops over the grid's blocks and the block's warps, both versions of the control flow,
// barriers. emitter.h says how the two versions work together.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "codegen/emitter.h"
#include "exec/warp_env.h"
#include "llvm/IR/MDBuilder.h"
#include "passes/cfg.h"

namespace warplens::codegen {

using exec::WarpEnv;
using exec::WarpState;
using ir::Inst;
using ir::kNone;
using ir::Op;

namespace {
// A kernel with more blocks than this keeps its waiting masks in memory: as SSA values they would meet in a phi at
// every step of the chain, and their number would grow with the square of the blocks.
constexpr size_t kMasksInRegisters = 24;
// Likewise the values of a kernel whose lanes may be anywhere, each of which lives through the whole chain.
constexpr size_t kSlotsInRegisters = 4000;
}  // namespace

KernelEmitter::KernelEmitter(llvm::Module& module, const ir::Function& f, const passes::Specialization& spec,
                             const Plan& plan, bool counting)
    : module_(module),
      context_(module.getContext()),
      builder_(context_),
      f_(f),
      spec_(spec),
      plan_(plan),
      counting_(counting),
      chunks_(spec.max_groups),
      width_(kWarpSize / spec.max_groups) {
  slots_.resize(f.insts.size());
}

llvm::Function* KernelEmitter::run() {
  make_frame();
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (plan_.needs_full[b]) emit_body(b, true);
    if (plan_.needs_partial[b]) emit_body(b, false);
  }
  emit_chain();
  emit_stand_aside();
  emit_block_loop();
  if (frame_) frame_->setAllocatedType(llvm::ArrayType::get(builder_.getInt8Ty(), frame_bytes_));
  return function_;
}

void KernelEmitter::make_frame() {
  auto* ptr = builder_.getPtrTy();
  auto* type =
      llvm::FunctionType::get(builder_.getInt32Ty(), {ptr, builder_.getInt64Ty(), builder_.getInt64Ty()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("no-trapping-math", "true");
  env_ = function_->getArg(0);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  entry_ = block("entry");
  fault_ = block("fault");
  warp_done_ = block("warp_done");
  warp_suspended_ = block("warp_suspended");
  warp_over_ = block("warp_over");
  const size_t n = f_.blocks.size();
  full_blocks_.resize(n);
  partial_blocks_.resize(n);
  chain_.resize(n + 1);
  pending_.resize(n);
  waiting_.resize(n);
  for (BlockId b = 0; b < n; ++b) {
    if (plan_.needs_full[b]) full_blocks_[b] = block("full" + llvm::Twine(b));
    if (!plan_.needs_partial[b]) continue;
    partial_blocks_[b] = block("partial" + llvm::Twine(b));
    chain_[b] = block("chain" + llvm::Twine(b));
  }
  chain_[n] = block("chain_end");
  builder_.SetInsertPoint(entry_);
  params_ = env_field(offsetof(WarpEnv, params), ptr, true);
  symbols_ = env_field(offsetof(WarpEnv, symbols), ptr, true);
  shared_ = env_field(offsetof(WarpEnv, shared), ptr, true);
  counters_ = env_field(offsetof(WarpEnv, counters), ptr, true);
  bounds_ = env_field(offsetof(WarpEnv, bounds), ptr, true);
  stop_ = env_field(offsetof(WarpEnv, stop), ptr, true);
  values_ = env_field(offsetof(WarpEnv, values), ptr, true);
  warps_state_ = env_field(offsetof(WarpEnv, warps), ptr, true);
  shared_bytes_ = env_field(offsetof(WarpEnv, shared_bytes), builder_.getInt64Ty(), true);
  size_t partial = 0;
  for (uint8_t needed : plan_.needs_partial) partial += needed;
  if (partial > kMasksInRegisters) pending_memory_ = env_field(offsetof(WarpEnv, pending), ptr, true);
  const auto escaping = std::count(plan_.escapes.begin(), plan_.escapes.end(), 1);
  if (plan_.lanes.independent && partial * static_cast<size_t>(escaping) > kSlotsInRegisters) {
    frame_ = builder_.CreateAlloca(builder_.getInt8Ty());
    frame_->setAlignment(llvm::Align(kFrameSlot * width_));
    set_env_field(offsetof(WarpEnv, frame), frame_);  // whoever knows where it is might read it
  }
  for (int k = 0; k < 3; ++k)
    grid_[k] =
        env_field(offsetof(WarpEnv, grid) + sizeof(uint32_t) * static_cast<size_t>(k), builder_.getInt32Ty(), true);
  warp_ = builder_.CreateAlloca(builder_.getInt32Ty());
  waiting_any_ = builder_.CreateAlloca(builder_.getInt1Ty());
  if (plan_.may_stop) {
    spins_ = builder_.CreateAlloca(builder_.getInt32Ty());
    for (BlockId b = 0; b < n; ++b) {
      if (!plan_.needs_partial[b]) continue;
      if (meets(b)) parked_slot(b);
      if (plan_.lanes.independent && plan_.wait_at[b] != kNone) parked_slot(f_.blocks[b].succs[0]);
    }
    if (partial > 0) stand_aside_ = block("stand_aside");
  }
  // blockIdx steps through the grid x first; phis of the block loop, made now because every block may read them.
  auto* loop = block("block_loop");
  builder_.SetInsertPoint(loop);
  for (int k = 0; k < 3; ++k) block_index_[k] = builder_.CreatePHI(builder_.getInt32Ty(), 2);
}

// for each block: for each warp: run, in rounds from barrier to barrier where there are any.
void KernelEmitter::emit_block_loop() {
  auto* i32 = builder_.getInt32Ty();
  auto* i64 = builder_.getInt64Ty();
  auto* loop = llvm::cast<llvm::PHINode>(block_index_[0])->getParent();
  auto *finished = block("finished"), *next_block = block("next_block");

  builder_.SetInsertPoint(entry_);
  Value *first = function_->getArg(1), *last = function_->getArg(2);
  Value *gx = builder_.CreateZExt(grid_[0], i64), *gy = builder_.CreateZExt(grid_[1], i64);
  Value* row = builder_.CreateUDiv(first, gx);
  Value* start[3] = {builder_.CreateTrunc(builder_.CreateURem(first, gx), i32),
                     builder_.CreateTrunc(builder_.CreateURem(row, gy), i32),
                     builder_.CreateTrunc(builder_.CreateUDiv(row, gy), i32)};
  builder_.CreateCondBr(builder_.CreateICmpULT(first, last), loop, finished);

  builder_.SetInsertPoint(loop);
  auto* index = builder_.CreatePHI(i64, 2);
  index->addIncoming(first, entry_);
  for (int k = 0; k < 3; ++k) {
    llvm::cast<llvm::PHINode>(block_index_[k])->addIncoming(start[k], entry_);
    set_env_field(offsetof(WarpEnv, block) + sizeof(uint32_t) * static_cast<size_t>(k), block_index_[k]);
  }
  auto *round = block("round"), *warp_loop = block("warp_loop"), *warp_next = block("warp_next"),
       *round_end = block("round_end");
  if (plan_.may_stop) {
    auto* fresh = block("fresh_block");
    Value* resumes = env_field(offsetof(WarpEnv, resume), i32);
    builder_.CreateCondBr(builder_.CreateICmpNE(resumes, builder_.getInt32(0)), round, fresh);
    builder_.SetInsertPoint(fresh);
  }
  if (plan_.barriers)
    for (uint32_t w = 0; w < plan_.warps; ++w)
      builder_.CreateStore(builder_.getInt32(WarpState::kStart),
                           builder_.CreateConstGEP1_64(builder_.getInt8Ty(), warps_state_, w * sizeof(WarpState)));
  builder_.CreateBr(round);
  builder_.SetInsertPoint(round);
  builder_.CreateStore(builder_.getInt32(0), warp_);
  builder_.CreateStore(builder_.getFalse(), waiting_any_);
  builder_.CreateBr(warp_loop);
  builder_.SetInsertPoint(warp_loop);
  set_env_field(offsetof(WarpEnv, warp), builder_.CreateLoad(i32, warp_));
  emit_warp_start();

  builder_.SetInsertPoint(warp_done_);
  if (plan_.barriers) {
    builder_.CreateStore(builder_.getInt32(static_cast<uint32_t>(WarpState::kDone)), warp_state(0));
  }
  builder_.CreateBr(warp_next);
  builder_.SetInsertPoint(warp_suspended_);
  if (plan_.plain_barriers) builder_.CreateStore(builder_.getTrue(), waiting_any_);
  builder_.CreateBr(warp_next);
  builder_.SetInsertPoint(warp_over_);
  builder_.CreateBr(warp_next);
  builder_.SetInsertPoint(warp_next);
  Value* w = builder_.CreateAdd(builder_.CreateLoad(i32, warp_), builder_.getInt32(1));
  builder_.CreateStore(w, warp_);
  builder_.CreateCondBr(builder_.CreateICmpULT(w, builder_.getInt32(plan_.warps)), warp_loop, round_end);
  builder_.SetInsertPoint(round_end);
  if (plan_.barriers && plan_.plain_barriers) {
    builder_.CreateCondBr(builder_.CreateLoad(builder_.getInt1Ty(), waiting_any_), round, next_block);
  } else if (plan_.barriers) {
    Value* verdict = builder_.CreateCall(runtime("wl_barrier", {builder_.getPtrTy()}), {env_});
    auto* decide = builder_.CreateSwitch(verdict, round, 3);
    decide->addCase(builder_.getInt32(1), fault_);
    decide->addCase(builder_.getInt32(2), next_block);
    if (plan_.may_stop) {
      auto* half_way = block("half_way");
      decide->addCase(builder_.getInt32(3), half_way);
      builder_.SetInsertPoint(half_way);
      set_env_field(offsetof(WarpEnv, block_number), index);
      builder_.CreateRet(builder_.getInt32(3));
    }
  } else {
    builder_.CreateBr(next_block);
  }

  builder_.SetInsertPoint(next_block);
  Value* x = builder_.CreateAdd(block_index_[0], builder_.getInt32(1));
  Value* wrap_x = builder_.CreateICmpEQ(x, grid_[0]);
  Value* y = builder_.CreateAdd(block_index_[1], builder_.CreateZExt(wrap_x, i32));
  Value* wrap_y = builder_.CreateICmpEQ(y, grid_[1]);
  Value* z = builder_.CreateAdd(block_index_[2], builder_.CreateZExt(wrap_y, i32));
  Value* following[3] = {builder_.CreateSelect(wrap_x, builder_.getInt32(0), x),
                         builder_.CreateSelect(wrap_y, builder_.getInt32(0), y), z};
  for (int k = 0; k < 3; ++k) llvm::cast<llvm::PHINode>(block_index_[k])->addIncoming(following[k], next_block);
  Value* next = builder_.CreateAdd(index, builder_.getInt64(1));
  index->addIncoming(next, next_block);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, last), loop, finished);
  builder_.SetInsertPoint(finished);
  builder_.CreateRet(builder_.getInt32(0));
  builder_.SetInsertPoint(fault_);
  builder_.CreateRet(builder_.getInt32(1));
}

// From the warp loop to the warp's first block, or to where it waited.
void KernelEmitter::emit_warp_start() {
  auto* i32 = builder_.getInt32Ty();
  auto* start = block("warp_start");
  if (plan_.barriers) {
    auto* check = block("warp_check");
    Value* where = builder_.CreateLoad(i32, warp_state(0));
    if (!plan_.plain_barriers) {
      Value* released = builder_.CreateLoad(builder_.getInt8Ty(), warp_state(offsetof(WarpState, released)));
      auto* may_run = block("may_run");
      builder_.CreateCondBr(builder_.CreateAnd(builder_.CreateICmpSGT(where, builder_.getInt32(0)),
                                               builder_.CreateICmpEQ(released, builder_.getInt8(0))),
                            warp_suspended_, may_run);
      builder_.SetInsertPoint(may_run);
    }
    if (spins_) builder_.CreateStore(builder_.getInt32(0), spins_);
    auto* resume = builder_.CreateSwitch(where, check, 4);
    emit_wait_resumes(resume);
    resume->addCase(builder_.getInt32(WarpState::kStart), start);
    resume->addCase(builder_.getInt32(static_cast<uint32_t>(WarpState::kDone)), warp_over_);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (f_.insts[f_.blocks[b].insts.back()].op != Op::Barrier) continue;
      if (!plan_.needs_full[b]) continue;
      const BlockId after = f_.blocks[b].succs[0];
      auto* back = block("resume" + llvm::Twine(b));
      resume->addCase(builder_.getInt32(b + 1), back);
      llvm::IRBuilder<>::InsertPointGuard keep(builder_);
      builder_.SetInsertPoint(back);
      restore(plan_.live_in[after]);
      builder_.CreateBr(full_blocks_[after]);
    }
    // Lanes that waited in the partial version, at one barrier or several. Those of emit_wait_resumes() are told apart.
    builder_.SetInsertPoint(check);
    bool any = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      if (f_.insts[f_.blocks[b].insts.back()].op == Op::Barrier && plan_.needs_partial[b]) {
        any = true;
        const BlockId after = f_.blocks[b].succs[0];
        restore(plan_.live_in[after]);
      }
    if (any) {
      Value* area = save_area();
      clear_pending();
      for (BlockId b = 0; b < f_.blocks.size(); ++b)
        if (f_.insts[f_.blocks[b].insts.back()].op == Op::Barrier && plan_.needs_partial[b]) {
          Value* mask = builder_.CreateLoad(
              i32, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), area, plan_.save_waiting + 4 * b));
          add_pending(f_.blocks[b].succs[0], mask);
        }
      builder_.CreateBr(chain_from(0));
    } else {
      builder_.CreateUnreachable();
    }
    builder_.SetInsertPoint(start);
  } else {
    builder_.CreateBr(start);
    builder_.SetInsertPoint(start);
  }
  if (!plan_.partial_warp) {
    builder_.CreateBr(full_blocks_[0]);
    return;
  }
  auto* tail = block("tail_warp");
  const uint32_t rest = static_cast<uint32_t>(spec_.block.count() % kWarpSize);
  if (plan_.warps == 1)
    builder_.CreateBr(tail);
  else
    builder_.CreateCondBr(builder_.CreateICmpEQ(builder_.CreateLoad(i32, warp_), builder_.getInt32(plan_.warps - 1)),
                          tail, full_blocks_[0]);
  builder_.SetInsertPoint(tail);
  clear_pending();
  builder_.CreateStore(builder_.getInt32((1u << rest) - 1), pending_slot(0));
  builder_.CreateBr(chain_from(0));
}

llvm::Value* KernelEmitter::warp_state(size_t offset) {
  Value* warp = builder_.CreateZExt(builder_.CreateLoad(builder_.getInt32Ty(), warp_), builder_.getInt64Ty());
  Value* state = builder_.CreateGEP(llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(WarpState)), warps_state_, warp);
  return offset == 0 ? state : builder_.CreateConstGEP1_64(builder_.getInt8Ty(), state, offset);
}

llvm::Value* KernelEmitter::save_area() {
  Value* warp = builder_.CreateZExt(builder_.CreateLoad(builder_.getInt32Ty(), warp_), builder_.getInt64Ty());
  return builder_.CreateGEP(llvm::ArrayType::get(builder_.getInt8Ty(), plan_.save_bytes),
                            env_field(offsetof(WarpEnv, saved), builder_.getPtrTy(), true), warp);
}

llvm::Value* KernelEmitter::pending_slot(BlockId b) {
  if (pending_memory_) return builder_.CreateConstGEP1_64(builder_.getInt32Ty(), pending_memory_, b);
  if (!pending_[b]) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    pending_[b] = at_entry.CreateAlloca(builder_.getInt32Ty());
  }
  return pending_[b];
}

// Nobody waits whenever a partial version is left. In memory the zeros are there already; as SSA values they need
// saying.
void KernelEmitter::clear_pending() {
  if (pending_memory_) return;
  for (BlockId b = 0; b < f_.blocks.size(); ++b)
    if (plan_.needs_partial[b]) builder_.CreateStore(builder_.getInt32(0), pending_slot(b));
}

void KernelEmitter::add_pending(BlockId b, Value* mask) {
  Value* slot = pending_slot(b);
  builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(builder_.getInt32Ty(), slot), mask), slot);
}

llvm::BasicBlock* KernelEmitter::chain_from(BlockId b) const {
  while (!chain_[b]) ++b;
  return chain_[b];
}

// chain(b): do lanes wait for b? Run it. Else ask the next. At the end nobody is left, or all wait at barriers.
void KernelEmitter::emit_chain() {
  const BlockId n = static_cast<BlockId>(f_.blocks.size());
  for (BlockId b = 0; b < n; ++b) {
    if (!chain_[b]) continue;
    builder_.SetInsertPoint(chain_[b]);
    for (ValueId v : plan_.begins[b])
      for (const Slot& part : slots_[v])
        builder_.CreateStore(builder_.CreateFreeze(llvm::UndefValue::get(part.type)), part.at);
    Value* mask = builder_.CreateLoad(builder_.getInt32Ty(), pending_slot(b));
    builder_.CreateCondBr(builder_.CreateICmpNE(mask, builder_.getInt32(0)), partial_blocks_[b], chain_from(b + 1));
  }
  builder_.SetInsertPoint(chain_[n]);
  mask_ = nullptr;
  emit_parked();
  emit_waits();
}

void KernelEmitter::emit_waits() {
  auto* i32 = builder_.getInt32Ty();
  Value* any = nullptr;
  std::vector<BlockId> barriers;
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (!waiting_[b]) continue;
    barriers.push_back(b);
    Value* mask = builder_.CreateLoad(i32, waiting_[b]);
    any = any ? builder_.CreateOr(any, mask) : mask;
  }
  if (!any) {
    builder_.CreateBr(warp_done_);
    return;
  }
  auto* suspend = block("suspend_partial");
  builder_.CreateCondBr(builder_.CreateICmpNE(any, builder_.getInt32(0)), suspend, warp_done_);
  builder_.SetInsertPoint(suspend);
  cache_.clear();
  Value* area = save_area();
  for (BlockId b : barriers) {
    save(plan_.live_in[f_.blocks[b].succs[0]]);
    builder_.CreateStore(builder_.CreateLoad(i32, waiting_[b]),
                         builder_.CreateConstGEP1_64(builder_.getInt8Ty(), area, plan_.save_waiting + 4 * b));
    builder_.CreateStore(builder_.getInt32(0), waiting_[b]);
  }
  builder_.CreateStore(any, warp_state(offsetof(WarpState, lanes)));
  // Lanes in a loop may have let others run since these came to their barrier (wl_barrier released the warp for that).
  // Or have waited for others of their warp, which are here now.
  if (plan_.may_stop)
    for (const size_t flag : {offsetof(WarpState, released), offsetof(WarpState, yields)})
      builder_.CreateStore(builder_.getInt8(0), warp_state(flag));
  builder_.CreateStore(builder_.getInt32(static_cast<uint32_t>(f_.blocks.size() + 1)), warp_state(0));
  builder_.CreateBr(warp_suspended_);
}

void KernelEmitter::emit_body(BlockId b, bool full) {
  current_ = b;
  cache_.clear();
  vector_masks_.clear();
  counted_residues_.clear();
  tested_.clear();
  lane_arrays_.clear();
  mask_ = nullptr;
  builder_.SetInsertPoint(full ? full_blocks_[b] : partial_blocks_[b]);
  if (!full) {
    Value* slot = pending_slot(b);
    mask_ = builder_.CreateLoad(builder_.getInt32Ty(), slot);
    builder_.CreateStore(builder_.getInt32(0), slot);
    if (meets(b)) emit_meeting(b);
    if (full_blocks_[b] && (f_.blocks[b].preds.size() > 1 || plan_.lanes.divergent_join[b])) {
      auto* run_partial = block("still_partial" + llvm::Twine(b));
      builder_.CreateCondBr(builder_.CreateICmpEQ(mask_, builder_.getInt32(~0u)), full_blocks_[b], run_partial);
      builder_.SetInsertPoint(run_partial);
    }
  }
  if (counting_ && plan_.counted_as[b] == b) {
    count((full ? plan_.full : plan_.partial) + b, builder_.getInt64(1));
    if (!full)
      count(plan_.partial_lanes + b,
            builder_.CreateZExt(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_), builder_.getInt64Ty()));
  }
  if (full) emit_tests(b);
  for (ValueId v : f_.blocks[b].insts) {
    const Op op = f_.insts[v].op;
    if (op != Op::Phi && ir::info(op).effect != ir::Effect::Ends) emit_inst(v);
  }
  emit_end(b);
}

void KernelEmitter::emit_end(BlockId b) {
  const Inst& end = f_.insts[f_.blocks[b].insts.back()];
  switch (end.op) {
    case Op::Br:
      emit_jump(b);
      return;
    case Op::CondBr:
      emit_branch(b);
      return;
    case Op::Barrier:
      emit_barrier(b);
      return;
    case Op::Exit:
      builder_.CreateBr(mask_ ? chain_from(b + 1) : warp_done_);
      return;
    case Op::Trap:
      builder_.CreateCall(runtime("wl_trap", {builder_.getPtrTy(), builder_.getInt32Ty(), builder_.getInt32Ty()}),
                          {env_, builder_.getInt32(f_.blocks[b].insts.back()), active()});
      builder_.CreateBr(fault_);
      return;
    default:
      WL_CHECK(false, "a block ends");
  }
}

void KernelEmitter::poll_stop() {
  auto *stopped = block("stopped"), *go_on = block("go_on");
  auto* flag = builder_.CreateLoad(builder_.getInt8Ty(), stop_);
  flag->setVolatile(true);
  builder_.CreateCondBr(builder_.CreateICmpNE(flag, builder_.getInt8(0)), stopped, go_on,
                        llvm::MDBuilder(context_).createBranchWeights(1, 1 << 20));
  builder_.SetInsertPoint(stopped);
  builder_.CreateCall(runtime("wl_stopped", {builder_.getPtrTy()}), {env_});
  builder_.CreateBr(fault_);
  builder_.SetInsertPoint(go_on);
}

void KernelEmitter::edge(BlockId from, BlockId to, Value* edge_mask) { edges(from, {{to, edge_mask}}); }

// Phi copies of one or both outgoing edges: all are read before any is written.
void KernelEmitter::edges(BlockId from, const std::vector<std::pair<BlockId, Value*>>& targets) {
  struct Copy {
    ValueId phi;
    std::vector<Value*> parts;
    Value* mask;
  };
  std::vector<Copy> copies;
  for (const auto& [to, edge_mask] : targets) {
    const auto& preds = f_.blocks[to].preds;
    for (ValueId v : f_.blocks[to].insts) {
      if (f_.insts[v].op != Op::Phi) break;
      ValueId arg = kNone;
      for (size_t k = 0; k < preds.size(); ++k)
        if (preds[k] == from) arg = f_.insts[v].args[k];
      Copy copy{v, {}, edge_mask};
      const passes::Lanes& l = lanes(v);
      if (l.affine())
        for (uint32_t g = 0; g < l.groups; ++g) copy.parts.push_back(scalar(arg, g, l.groups));
      else
        for (uint32_t c = 0; c < chunks_; ++c) copy.parts.push_back(vec(arg, c));
      copies.push_back(std::move(copy));
    }
  }
  for (Copy& copy : copies) {
    auto& s = slot(copy.phi);
    for (uint32_t k = 0; k < copy.parts.size(); ++k) {
      Value* x = copy.parts[k];
      if (copy.mask && !lanes(copy.phi).affine())
        x = builder_.CreateSelect(vector_mask(copy.mask, k), x, builder_.CreateLoad(x->getType(), s[k].at));
      builder_.CreateStore(x, s[k].at);
    }
  }
}

void KernelEmitter::emit_jump(BlockId b) {
  const BlockId to = f_.blocks[b].succs[0];
  if (to <= b) poll_stop();
  edge(b, to, mask_);
  if (mask_) add_pending(to, mask_);
  if (plan_.wait_at[b] != kNone) emit_wait(b);
  if (!mask_)
    builder_.CreateBr(full_blocks_[to]);
  else
    builder_.CreateBr(chain_from(to <= b ? to : b + 1));
}

// `if (i < n)` with i affine: one comparison of the last lane's i decides for the whole warp, in the common case.
// Returns an i1 that, when true, proves that all lanes agree; `when_true` is then the predicate's value.
llvm::Value* KernelEmitter::wants_quick_test(const Inst& end, bool* when_true) {
  const Inst& compare = f_.insts[end.args[0]];
  if (compare.op != Op::ICmp) return nullptr;
  const passes::Lanes &l = lanes(compare.args[0]), &r = lanes(compare.args[1]);
  if (!l.affine() || l.groups != 1 || !l.guards.empty() || l.flat() || !r.uniform()) return nullptr;
  const int bits = ir::bits(f_.insts[compare.args[0]].type);
  if (bits != 32) return nullptr;
  int64_t most = 0;
  for (int64_t p : l.pattern) {
    if (p < 0 || p >= int64_t{1} << 62) return nullptr;
    most = std::max(most, p);
  }
  const auto how = static_cast<ir::IntCompare>(compare.imm);
  const bool is_signed = how == ir::IntCompare::LtS || how == ir::IntCompare::GeS || how == ir::IntCompare::LeS ||
                         how == ir::IntCompare::GtS;
  const bool below = how == ir::IntCompare::LtS || how == ir::IntCompare::LtU || how == ir::IntCompare::GeS ||
                     how == ir::IntCompare::GeU;
  if (how == ir::IntCompare::Eq || how == ir::IntCompare::Ne) return nullptr;
  auto* i64 = builder_.getInt64Ty();
  auto widen = [&](Value* x) { return is_signed ? builder_.CreateSExt(x, i64) : builder_.CreateZExt(x, i64); };
  Value* last =
      builder_.CreateAdd(widen(scalar(compare.args[0], 0, 1)), builder_.getInt64(static_cast<uint64_t>(most)));
  Value* bound = widen(scalar(compare.args[1], 0, 1));
  *when_true = how == ir::IntCompare::LtS || how == ir::IntCompare::LtU || how == ir::IntCompare::LeS ||
               how == ir::IntCompare::LeU;
  return below ? builder_.CreateICmpSLT(last, bound) : builder_.CreateICmpSLE(last, bound);
}

void KernelEmitter::emit_branch(BlockId b) {
  const Inst& end = f_.insts[f_.blocks[b].insts.back()];
  const BlockId yes = f_.blocks[b].succs[0], no = f_.blocks[b].succs[1];
  auto finish = [&](llvm::BasicBlock* at, BlockId to) {
    builder_.SetInsertPoint(at);
    edge(b, to, mask_);
    if (!mask_) {
      builder_.CreateBr(full_blocks_[to]);
    } else {
      add_pending(to, mask_);
      builder_.CreateBr(chain_from(b + 1));
    }
  };
  if (!can_take(f_, plan_, b, yes) || !can_take(f_, plan_, b, no)) {
    auto* only = block("only" + llvm::Twine(b));
    builder_.CreateBr(only);
    finish(only, can_take(f_, plan_, b, yes) ? yes : no);
    return;
  }
  if (mask_ && !lanes(end.args[0]).uniform()) {
    emit_split(b, builder_.CreateAnd(bitmask(end.args[0]), mask_), mask_);
    return;
  }
  auto *to_yes = block("yes" + llvm::Twine(b)), *to_no = block("no" + llvm::Twine(b));
  if (lanes(end.args[0]).uniform()) {
    builder_.CreateCondBr(scalar(end.args[0], 0, 1), to_yes, to_no);
    finish(to_yes, yes);
    finish(to_no, no);
    return;
  }
  bool value = false;
  if (Value* all_agree = wants_quick_test(end, &value)) {
    auto* look = block("look" + llvm::Twine(b));
    builder_.CreateCondBr(all_agree, value ? to_yes : to_no, look,
                          llvm::MDBuilder(context_).createBranchWeights(1 << 16, 1));
    builder_.SetInsertPoint(look);
  }
  Value* taken = bitmask(end.args[0]);
  auto *some = block("some" + llvm::Twine(b)), *split = block("split" + llvm::Twine(b));
  builder_.CreateCondBr(builder_.CreateICmpEQ(taken, builder_.getInt32(~0u)), to_yes, some);
  builder_.SetInsertPoint(some);
  builder_.CreateCondBr(builder_.CreateICmpEQ(taken, builder_.getInt32(0)), to_no, split);
  finish(to_yes, yes);
  finish(to_no, no);
  builder_.SetInsertPoint(split);
  // From full to partial: nobody waits anywhere yet.
  clear_pending();
  emit_split(b, taken, builder_.getInt32(~0u));
}

// Both sides get their lanes; the chain decides who runs.
void KernelEmitter::emit_split(BlockId b, Value* taken, Value* all) {
  const BlockId yes = f_.blocks[b].succs[0], no = f_.blocks[b].succs[1];
  Value* not_taken = builder_.CreateXor(taken, all);
  if (counting_) {
    Value* both = builder_.CreateAnd(builder_.CreateICmpNE(taken, builder_.getInt32(0)),
                                     builder_.CreateICmpNE(not_taken, builder_.getInt32(0)));
    count(plan_.divergent[b], builder_.CreateZExt(both, builder_.getInt64Ty()));
  }
  edges(b, {{yes, taken}, {no, not_taken}});
  add_pending(yes, taken);
  add_pending(no, not_taken);
  builder_.CreateBr(chain_from(b + 1));
}

void KernelEmitter::emit_barrier(BlockId b) {
  auto* i32 = builder_.getInt32Ty();
  const Inst& end = f_.insts[f_.blocks[b].insts.back()];
  const BlockId after = f_.blocks[b].succs[0];
  Value* state = warp_state(0);
  auto field = [&](size_t offset) { return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), state, offset); };
  auto word = [&](ValueId v) -> Value* {
    if (lanes(v).affine()) return scalar(v, 0, std::max<uint32_t>(1, lanes(v).groups));
    // Barrier operands that differ by lane are not allowed; the first active lane's value stands for all.
    Value* lane = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {i32}, {active(), builder_.getInt1(false)});
    Value* array = lane_array(v);
    return builder_.CreateLoad(i32, builder_.CreateGEP(i32, array, lane));
  };
  const auto mode = static_cast<ir::BarrierMode>(end.imm);
  // Arguments: id [, count] [, predicate].
  const bool reduces = mode >= ir::BarrierMode::RedPopc;
  const bool has_count = end.args.size() == (reduces ? 3u : 2u);
  if (mode == ir::BarrierMode::Arrive) {
    builder_.CreateCall(runtime("wl_arrive", {builder_.getPtrTy(), i32, i32}, builder_.getVoidTy()),
                        {env_, word(end.args[0]), has_count ? word(end.args[1]) : builder_.getInt32(0)});
    emit_jump(b);
    return;
  }
  Value* predicate = builder_.getInt32(0);
  if (!plan_.plain_barriers) {
    builder_.CreateStore(word(end.args[0]), field(offsetof(WarpState, barrier)));
    builder_.CreateStore(has_count ? word(end.args[1]) : builder_.getInt32(0), field(offsetof(WarpState, expected)));
    builder_.CreateStore(builder_.getInt8(static_cast<uint8_t>(end.imm)), field(offsetof(WarpState, mode)));
    builder_.CreateStore(builder_.getInt8(0), field(offsetof(WarpState, released)));
    if (reduces) predicate = builder_.CreateAnd(bitmask(end.args.back()), active());
  }
  edge(b, after, mask_);
  if (!mask_) {
    if (!plan_.plain_barriers) {
      builder_.CreateStore(predicate, field(offsetof(WarpState, predicate)));
      builder_.CreateStore(builder_.getInt32(~0u), field(offsetof(WarpState, lanes)));
    }
    if (plan_.may_stop) builder_.CreateStore(builder_.getInt8(0), field(offsetof(WarpState, yields)));
    save(plan_.live_in[after]);
    builder_.CreateStore(builder_.getInt32(b + 1), state);
    builder_.CreateBr(warp_suspended_);
    return;
  }
  // Some lanes wait; the others run on until they wait too, or end.
  if (!waiting_[b]) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    waiting_[b] = at_entry.CreateAlloca(i32);
    at_entry.CreateStore(builder_.getInt32(0), waiting_[b]);
  }
  Value* before = builder_.CreateLoad(i32, waiting_[b]);
  Value* old = builder_.CreateLoad(i32, field(offsetof(WarpState, predicate)));  // wl_barrier clears it
  builder_.CreateStore(builder_.CreateOr(old, predicate), field(offsetof(WarpState, predicate)));
  builder_.CreateStore(builder_.CreateOr(before, mask_), waiting_[b]);
  builder_.CreateBr(chain_from(b + 1));
}

// Values that live across a barrier go to the warp's save area, and come back.
void KernelEmitter::save(const std::vector<ValueId>& values) {
  auto* i8 = builder_.getInt8Ty();
  Value* area = save_area();
  for (uint32_t k = 0; k < plan_.guards.size(); ++k)
    builder_.CreateStore(
        builder_.CreateZExt(builder_.CreateLoad(builder_.getInt1Ty(), guard_flag(plan_.guards[k])), i8),
        builder_.CreateConstGEP1_64(i8, area, k));
  for (ValueId v : values) {
    const passes::Lanes& l = lanes(v);
    if ((l.affine() && l.known_bits >= 64) || plan_.block_invariant[v]) continue;
    auto& parts = slot(v);
    for (size_t k = 0; k < parts.size(); ++k) {
      llvm::Type* t = parts[k].type;
      Value* x = builder_.CreateLoad(t, parts[k].at);
      const uint64_t step =
          l.affine() ? 8 : std::max<uint64_t>(2, static_cast<uint64_t>(ir::bytes(f_.insts[v].type))) * width_;
      if (f_.insts[v].type == ir::Type::Pred)
        x = l.affine() ? builder_.CreateZExt(x, i8) : builder_.CreateBitCast(x, builder_.getIntNTy(width_));
      builder_.CreateAlignedStore(x, builder_.CreateConstGEP1_64(i8, area, plan_.save_offset[v] + k * step),
                                  llvm::Align(2));
    }
  }
}

void KernelEmitter::restore(const std::vector<ValueId>& values) {
  auto* i8 = builder_.getInt8Ty();
  Value* area = save_area();
  for (uint32_t k = 0; k < plan_.guards.size(); ++k)
    builder_.CreateStore(
        builder_.CreateTrunc(builder_.CreateLoad(i8, builder_.CreateConstGEP1_64(i8, area, k)), builder_.getInt1Ty()),
        guard_flag(plan_.guards[k]));
  for (ValueId v : values) {
    const passes::Lanes& l = lanes(v);
    if ((l.affine() && l.known_bits >= 64) || plan_.block_invariant[v]) continue;
    auto& parts = slot(v);
    for (size_t k = 0; k < parts.size(); ++k) {
      llvm::Type* t = parts[k].type;
      const uint64_t step =
          l.affine() ? 8 : std::max<uint64_t>(2, static_cast<uint64_t>(ir::bytes(f_.insts[v].type))) * width_;
      Value* from = builder_.CreateConstGEP1_64(i8, area, plan_.save_offset[v] + k * step);
      Value* x = nullptr;
      if (f_.insts[v].type == ir::Type::Pred)
        x = l.affine() ? builder_.CreateTrunc(builder_.CreateAlignedLoad(i8, from, llvm::Align(1)), t)
                       : builder_.CreateBitCast(
                             builder_.CreateAlignedLoad(builder_.getIntNTy(width_), from, llvm::Align(1)), t);
      else
        x = builder_.CreateAlignedLoad(t, from, llvm::Align(2));
      builder_.CreateStore(x, parts[k].at);
    }
  }
}

}  // namespace warplens::codegen
