// Loops that wait for other threads (passes/waits.h). A GPU runs waiting threads and the ones they wait for in turns; a
// warp of ours runs until something stops it. So in such a loop it lets others run after some iterations: other warps
// of its block, other blocks (exec/grid.cpp), and, where lanes may wait for lanes of their own warp, those first.
//
//   full version       the values that live at the loop's start are saved as at a barrier; the warp goes on there
//   partial version    all lanes keep where they are to go on: masks and values of every block are saved
//   independent lanes  lanes in such a loop are parked there until no other lane of the warp can run. An operation that
//                      names lanes of the warp (shuffle, vote, __syncwarp) begins a block of its own (split_meetings)
//                      and waits there for the named lanes, as it does on Volta and later.
#include <algorithm>

#include "codegen/emitter.h"
#include "exec/warp_env.h"
#include "llvm/IR/MDBuilder.h"

namespace warplens::codegen {

using exec::WarpEnv;
using exec::WarpState;
using ir::Inst;
using ir::kNone;
using ir::Op;

namespace {
// A wait that another running thread ends soon, or that a retry ends, needs no help. The lanes of a warp that take one
// lock after the other are done within 32.
constexpr uint32_t kPatience = 64;
// Where lanes had to be parked for others of their warp before, they will have to be again.
constexpr uint32_t kImpatience = 2;
}  // namespace

llvm::Value* KernelEmitter::parked_slot(BlockId b) {
  Value*& slot = parked_[b];
  if (pending_memory_) {
    // Made where the memory's address is: every block may use it.
    llvm::IRBuilder<> at_entry(llvm::cast<llvm::Instruction>(pending_memory_)->getNextNode());
    if (!slot) slot = at_entry.CreateConstGEP1_64(builder_.getInt32Ty(), pending_memory_, f_.blocks.size() + b);
  } else if (!slot) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    auto* made = at_entry.CreateAlloca(builder_.getInt32Ty());
    at_entry.CreateStore(builder_.getInt32(0), made);
    slot = made;
  }
  return slot;
}

// The lanes of the warp that are to run some block, that are parked, or both. Said in line, this would grow with the
// square of the blocks.
llvm::Value* KernelEmitter::any_of(bool pending, bool parked) {
  auto* i32 = builder_.getInt32Ty();
  const auto n = static_cast<uint32_t>(f_.blocks.size());
  if (pending_memory_) {
    Value* first = builder_.CreateConstGEP1_64(i32, pending_memory_, pending ? 0 : n);
    return builder_.CreateCall(runtime("wl_any_of", {builder_.getPtrTy(), i32}),
                               {first, builder_.getInt32(pending && parked ? 2 * n : n)});
  }
  Value* any = builder_.getInt32(0);
  for (BlockId b = 0; b < n && pending; ++b)
    if (plan_.needs_partial[b]) any = builder_.CreateOr(any, builder_.CreateLoad(i32, pending_slot(b)));
  if (parked)
    for (const auto& [b, slot] : parked_) any = builder_.CreateOr(any, builder_.CreateLoad(i32, slot));
  return any;
}

// At the end of the loop's iteration, the values of the next one in place. Leaves the builder where the loop goes on.
void KernelEmitter::emit_wait(BlockId b) {
  auto* i32 = builder_.getInt32Ty();
  const passes::Wait& wait = plan_.waits[plan_.wait_at[b]];
  const BlockId header = f_.blocks[b].succs[0];
  auto *enough = block("enough" + llvm::Twine(b)), *again = block("again" + llvm::Twine(b));
  Value* spins = builder_.CreateAdd(builder_.CreateLoad(i32, spins_), builder_.getInt32(1));
  builder_.CreateStore(spins, spins_);
  llvm::AllocaInst* patience = nullptr;
  if (mask_ && plan_.lanes.independent) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    patience = at_entry.CreateAlloca(i32);
    at_entry.CreateStore(builder_.getInt32(kPatience), patience);
  }
  Value* most = patience ? (Value*)builder_.CreateLoad(i32, patience) : builder_.getInt32(kPatience);
  builder_.CreateCondBr(builder_.CreateICmpUGE(spins, most), enough, again,
                        llvm::MDBuilder(context_).createBranchWeights(1, kPatience));
  builder_.SetInsertPoint(enough);
  builder_.CreateStore(builder_.getInt32(0), spins_);
  builder_.CreateStore(builder_.getInt8(wait.only_waits ? WarpState::kWaits : WarpState::kWorks),
                       warp_state(offsetof(WarpState, yields)));
  builder_.CreateStore(builder_.getInt32(f_.insts[wait.poll].site), warp_state(offsetof(WarpState, site)));
  builder_.CreateStore(active(), warp_state(offsetof(WarpState, result)));
  if (!mask_) {
    save(plan_.live_in[header]);
    builder_.CreateStore(builder_.getInt32(~0u), warp_state(offsetof(WarpState, lanes)));
    builder_.CreateStore(builder_.getInt32(static_cast<uint32_t>(full_wait_state(b))), warp_state(0));
    builder_.CreateBr(warp_suspended_);
  } else if (!plan_.lanes.independent) {
    builder_.CreateBr(stand_aside_);
  } else {
    Value* slot = pending_slot(header);
    Value* parked = builder_.CreateLoad(i32, slot);
    builder_.CreateStore(builder_.getInt32(0), slot);
    auto *others = block("others" + llvm::Twine(b)), *alone = block("alone" + llvm::Twine(b));
    builder_.CreateCondBr(builder_.CreateICmpNE(any_of(true, false), builder_.getInt32(0)), others, alone);
    builder_.SetInsertPoint(others);
    builder_.CreateStore(builder_.getInt32(kImpatience), patience);
    Value* before = builder_.CreateLoad(i32, parked_slot(header));
    builder_.CreateStore(builder_.CreateOr(before, parked), parked_slot(header));
    builder_.CreateBr(chain_from(0));
    builder_.SetInsertPoint(alone);
    builder_.CreateStore(parked, slot);
    builder_.CreateBr(stand_aside_);
  }
  builder_.SetInsertPoint(again);
}

// Nobody can run but those that let others go first: now it is their turn, after the other warps'.
void KernelEmitter::emit_parked() {
  if (parked_.empty()) return;
  auto* none = block("none_parked");
  builder_.CreateCondBr(builder_.CreateICmpNE(any_of(false, true), builder_.getInt32(0)), stand_aside_, none);
  builder_.SetInsertPoint(none);
}

// Lanes are to go on in several blocks, some may wait at barriers.
void KernelEmitter::emit_stand_aside() {
  if (!stand_aside_) return;
  auto* i32 = builder_.getInt32Ty();
  auto* i8 = builder_.getInt8Ty();
  mask_ = nullptr;
  builder_.SetInsertPoint(stand_aside_);
  cache_.clear();
  save(plan_.wait_live);
  // Lanes that were parked before the last ones came here go on where they are parked.
  for (const auto& [b, slot] : parked_) {
    add_pending(b, builder_.CreateLoad(i32, slot));
    builder_.CreateStore(builder_.getInt32(0), slot);
  }
  Value* area = save_area();
  Value* all = builder_.getInt32(0);
  auto put_away = [&](Value* slot, uint64_t offset) {
    Value* mask = builder_.CreateLoad(i32, slot);
    all = builder_.CreateOr(all, mask);
    builder_.CreateStore(mask, builder_.CreateConstGEP1_64(i8, area, offset));
    builder_.CreateStore(builder_.getInt32(0), slot);
  };
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (plan_.needs_partial[b]) put_away(pending_slot(b), plan_.save_pending + 4 * b);
    if (waiting_[b]) put_away(waiting_[b], plan_.save_waiting + 4 * b);
  }
  builder_.CreateStore(all, warp_state(offsetof(WarpState, lanes)));
  builder_.CreateStore(builder_.getInt32(static_cast<uint32_t>(stood_aside_state())), warp_state(0));
  builder_.CreateBr(warp_suspended_);
}

void KernelEmitter::emit_wait_resumes(llvm::SwitchInst* resume) {
  auto* i32 = builder_.getInt32Ty();
  llvm::IRBuilder<>::InsertPointGuard keep(builder_);
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (plan_.wait_at[b] == kNone || !plan_.needs_full[b]) continue;
    const BlockId header = f_.blocks[b].succs[0];
    auto* back = block("wait_again" + llvm::Twine(b));
    resume->addCase(builder_.getInt32(static_cast<uint32_t>(full_wait_state(b))), back);
    builder_.SetInsertPoint(back);
    builder_.CreateStore(builder_.getInt8(0), warp_state(offsetof(WarpState, yields)));
    restore(plan_.live_in[header]);
    builder_.CreateBr(full_blocks_[header]);
  }
  if (!stand_aside_) return;
  auto* back = block("back_from_aside");
  resume->addCase(builder_.getInt32(static_cast<uint32_t>(stood_aside_state())), back);
  builder_.SetInsertPoint(back);
  builder_.CreateStore(builder_.getInt8(0), warp_state(offsetof(WarpState, yields)));
  restore(plan_.wait_live);
  Value* area = save_area();
  auto bring_back = [&](Value* slot, uint64_t offset) {
    builder_.CreateStore(builder_.CreateLoad(i32, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), area, offset)),
                         slot);
  };
  for (BlockId b = 0; b < f_.blocks.size(); ++b) {
    if (plan_.needs_partial[b]) bring_back(pending_slot(b), plan_.save_pending + 4 * b);
    if (waiting_[b]) bring_back(waiting_[b], plan_.save_waiting + 4 * b);
  }
  builder_.CreateBr(chain_from(0));
}

// Does the block begin with an operation that waits for the lanes it names?
bool KernelEmitter::meets(BlockId b) const {
  if (!plan_.lanes.independent) return false;
  for (ValueId v : f_.blocks[b].insts) {
    const Op op = f_.insts[v].op;
    if (op == Op::Phi) continue;
    return ir::names_lanes(op);
  }
  return false;
}

// mask_ arrives here. Lanes that came before are parked; those that are still somewhere else and are named are waited
// for. What is named is taken from the first lane: lanes that name different ones name themselves only.
void KernelEmitter::emit_meeting(BlockId b) {
  auto* i32 = builder_.getInt32Ty();
  Value* here = builder_.CreateOr(mask_, builder_.CreateLoad(i32, parked_slot(b)));
  builder_.CreateStore(builder_.getInt32(0), parked_slot(b));
  const auto& insts = f_.blocks[b].insts;
  const ValueId first = *std::find_if(insts.begin(), insts.end(), [&](ValueId v) { return f_.insts[v].op != Op::Phi; });
  const ValueId named = f_.insts[first].args.back();
  Value* members = nullptr;
  if (lanes(named).uniform()) {
    members = scalar(named, 0, 1);
  } else {
    Value* lane = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {i32}, {here, builder_.getInt1(true)});
    members = builder_.CreateLoad(i32, builder_.CreateGEP(i32, lane_array(named), lane));
  }
  Value* absent = builder_.CreateAnd(members, builder_.CreateNot(here));
  auto *look = block("absent" + llvm::Twine(b)), *wait = block("meeting" + llvm::Twine(b)),
       *all_here = block("met" + llvm::Twine(b));
  builder_.CreateCondBr(builder_.CreateICmpNE(absent, builder_.getInt32(0)), look, all_here);
  builder_.SetInsertPoint(look);  // some have ended, or are still somewhere else
  Value* missing = builder_.CreateAnd(absent, any_of(true, true));
  builder_.CreateCondBr(builder_.CreateICmpNE(missing, builder_.getInt32(0)), wait, all_here);
  builder_.SetInsertPoint(wait);
  builder_.CreateStore(here, parked_slot(b));
  builder_.CreateStore(builder_.getInt8(WarpState::kWorks), warp_state(offsetof(WarpState, yields)));
  builder_.CreateBr(chain_from(0));
  builder_.SetInsertPoint(all_here);
  mask_ = here;
  cache_.clear();
}

}  // namespace warplens::codegen
