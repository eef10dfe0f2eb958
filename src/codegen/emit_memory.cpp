// Memory accesses. The short way: the address pattern is known, the whole warp is active, the addresses lie inside the
// allocation that the site used last, and counting is a counter or nothing (plan.h). The long way: lane addresses go to
// memory and a function of exec/warp_env.h checks, reports and moves the data.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "codegen/emitter.h"
#include "exec/warp_env.h"
#include "llvm/IR/MDBuilder.h"

namespace warplens::codegen {

using exec::Bounds;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::Space;
using ir::Type;
using passes::Lanes;

void KernelEmitter::count(uint32_t counter, Value* by) {
  if (!counting_) return;
  Value* at = builder_.CreateConstGEP1_64(builder_.getInt64Ty(), counters_, counter);
  builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(builder_.getInt64Ty(), at), by), at);
}

void KernelEmitter::count_at(uint32_t counter, Value* index, Value* by) {
  if (!counting_) return;
  auto* i64 = builder_.getInt64Ty();
  Value* at = builder_.CreateGEP(i64, builder_.CreateConstGEP1_64(i64, counters_, counter), index);
  builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i64, at), by), at);
}

void KernelEmitter::fault_unless_zero(Value* status) {
  auto* go_on = block("go_on");
  builder_.CreateCondBr(builder_.CreateICmpEQ(status, builder_.getInt32(0)), go_on, fault_,
                        llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));
  builder_.SetInsertPoint(go_on);
}

void KernelEmitter::count_on(const Inst& inst) {
  if (!counting_) return;
  auto* i64 = builder_.getInt64Ty();
  Value* on = builder_.CreateAnd(active(), bitmask(inst.args[0]));
  Value* any = builder_.CreateZExt(builder_.CreateICmpNE(on, builder_.getInt32(0)), i64);
  Value* lanes = builder_.CreateZExt(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, on), i64);
  count(plan_.on_edges, builder_.CreateMul(any, builder_.getInt64(inst.imm)));
  count(plan_.on_edges_lanes, builder_.CreateMul(lanes, builder_.getInt64(inst.imm)));
}

void KernelEmitter::count_off(const Inst& inst) {
  if (!counting_) return;
  Value* off = builder_.CreateAnd(active(), builder_.CreateNot(bitmask(inst.args[0])));
  Value* lanes = builder_.CreateZExt(builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, off), builder_.getInt64Ty());
  count(plan_.guarded_off, builder_.CreateMul(lanes, builder_.getInt64(inst.imm)));
}

llvm::Value* KernelEmitter::active_with_guard(const Inst& inst) {
  if (inst.guard == kNone) return active();
  Value* on = builder_.CreateAnd(active(), bitmask(inst.guard));
  if (counting_ && !f_.machine_sm) {  // machine code counts its guards by CountOff
    Value* off = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, builder_.CreateXor(on, active()));
    count(plan_.guarded_off, builder_.CreateZExt(off, builder_.getInt64Ty()));
  }
  return on;
}

void KernelEmitter::emit_access(ValueId v) {
  const Inst& inst = f_.insts[v];
  const AccessPlan& plan = plan_.access[v];
  const bool by_event = counting_ && plan.count == AccessPlan::Count::Event;
  if (plan.way != AccessPlan::Way::General && plan.in_line && !by_event && (!mask_ || maskable(v))) {
    emit_short_way(v);
    return;
  }
  Value* mask = active_with_guard(inst);
  const bool needs_function = inst.op == Op::Atomic || inst.op == Op::Reduce || inst.space == Space::Generic ||
                              (inst.op == Op::Store && (mask_ || inst.guard != kNone));
  if (needs_function || !plan.in_line)
    emit_long_way(v, mask, builder_.getInt32(counting_));
  else
    emit_lane_way(v, mask);
}

// Loads of a partial warp may read every lane's place, since all are in bounds; stores need machine masks.
bool KernelEmitter::maskable(ValueId v) const {
  const Inst& inst = f_.insts[v];
  if (inst.op == Op::Load) return true;
  if (ir::bytes(inst.type) < 4 || inst.count != 1) return false;
  const Lanes& l = lanes(inst.args[0]);
  for (uint32_t k = 1; k < kWarpSize; ++k)
    if (k % width_ != 0 && l.pattern[k] - l.pattern[k - 1] != ir::bytes(inst.type)) return false;
  return true;
}

// The address of the first lane of a group, the immediate offset and `extra` included, as a pointer. Addresses of
// shared memory are 32 bits wide and wrap there: s[i + 2] may be written as the register of s[i - 1] and an offset. No
// window reaches the sign, so widening by it is the same and keeps the offset out of the register.
llvm::Value* KernelEmitter::group_address(const Inst& inst, uint32_t group, uint32_t groups, int64_t extra) {
  const AccessPlan& plan = plan_.access[static_cast<ValueId>(&inst - f_.insts.data())];
  Value* base = scalar(plan.root, group, groups);
  const uint64_t offset = static_cast<uint64_t>(plan.offset + extra);
  if (inst.space == Space::Shared) {
    base = builder_.CreateSExtOrTrunc(base, builder_.getInt64Ty());
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), builder_.CreateGEP(builder_.getInt8Ty(), shared_, base),
                                       offset);
  }
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), builder_.CreateIntToPtr(base, builder_.getPtrTy()), offset);
}

// i1: every lane of every group touches the site's cached allocation (or the block's shared window), and is aligned.
// A leader tests for its followers too. nullptr: proved.
llvm::Value* KernelEmitter::in_bounds(ValueId v) {
  const Inst& inst = f_.insts[v];
  const AccessPlan& plan = plan_.access[v];
  if (plan.proved) return nullptr;
  const Lanes& l = lanes(plan.root);
  const int64_t width = ir::bytes(inst.type) * inst.count;
  const auto [lowest, highest] = std::minmax_element(l.pattern.begin(), l.pattern.end());
  const bool leads = plan.leader == v;
  const int64_t low = leads ? plan.low : *lowest + plan.offset;
  const int64_t high = leads ? plan.high : *highest + plan.offset + width;
  auto* i64 = builder_.getInt64Ty();
  Value *low_bound = builder_.getInt64(0), *room = nullptr, *all = nullptr;
  auto both = [&](Value* x) { all = all ? builder_.CreateAnd(all, x) : x; };
  if (inst.space == Space::Shared) {
    room = builder_.CreateSub(shared_bytes_, builder_.getInt64(static_cast<uint64_t>(high - low)));
    both(builder_.CreateICmpSGE(room, builder_.getInt64(0)));
  } else {
    Value* bounds = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds_, inst.site * sizeof(Bounds));
    low_bound = builder_.CreateLoad(i64, bounds);
    room = builder_.CreateLoad(i64, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds, offsetof(Bounds, room)));
  }
  // Alignment of each access that the test stands for: of the pattern and offset here, of the base at run time.
  int64_t widest = 1;
  bool aligned = true;
  const std::vector<ValueId> alone = {v};
  for (ValueId member : leads ? plan_.followers[v] : alone) {
    const Inst& m = f_.insts[member];
    const int64_t w = ir::bytes(m.type) * m.count;
    widest = std::max(widest, w);
    aligned = aligned && plan_.access[member].offset % w == 0;
    for (int64_t p : l.pattern) aligned = aligned && p % w == 0;
  }
  const bool base_aligned =
      (int64_t{1} << std::min<int>(l.known_bits, 8)) >= widest && static_cast<int64_t>(l.residue) % widest == 0;
  if (!aligned) return builder_.getFalse();
  for (uint32_t g = 0; g < l.groups; ++g) {
    Value* base = builder_.CreateSExt(scalar(plan.root, g, l.groups), i64);
    Value* first = builder_.CreateAdd(base, builder_.getInt64(static_cast<uint64_t>(low)));
    both(builder_.CreateICmpULE(builder_.CreateSub(first, low_bound), room));
    if (!base_aligned)
      both(builder_.CreateICmpEQ(builder_.CreateAnd(base, builder_.getInt64(static_cast<uint64_t>(widest - 1))),
                                 builder_.getInt64(0)));
  }
  return all;
}

llvm::Value* KernelEmitter::is_disjoint(ValueId v) {
  const ValueId root = plan_.access[v].root;
  const Lanes& l = lanes(root);
  const uint64_t distance = plan_.access[v].disjoint;
  Value* all = nullptr;
  for (uint32_t a = 0; a < l.groups; ++a)
    for (uint32_t b = a + 1; b < l.groups; ++b) {
      // |x - y| >= d, unsigned: (x - y) + d >= 2d unless x - y lies in (-d, d)
      Value* gap = builder_.CreateSub(scalar(root, b, l.groups), scalar(root, a, l.groups));
      gap = builder_.CreateSExtOrTrunc(gap, builder_.getInt64Ty());
      Value* apart = builder_.CreateICmpUGE(builder_.CreateAdd(gap, builder_.getInt64(distance - 1)),
                                            builder_.getInt64(2 * distance - 1));
      all = all ? builder_.CreateAnd(all, apart) : apart;
    }
  return all;
}

namespace {
llvm::Value* residue_index(llvm::IRBuilder<>& b, const AccessPlan& plan, llvm::Value* base) {
  base = b.CreateZExtOrTrunc(base, b.getInt64Ty());
  return b.CreateAnd(b.CreateLShr(base, plan.shift), b.getInt64(plan.entries - 1));
}
}  // namespace

// A partial warp's request: one more like the last one, or the start of another kind; then what was counted is logged.
// Without a call, which would cost a loop its vector registers.
void KernelEmitter::count_request(ValueId v) {
  if (!counting_) return;
  using exec::KindCount, exec::Recent, exec::WarpEnv;
  const AccessPlan& plan = plan_.access[v];
  llvm::Type *i64 = builder_.getInt64Ty(), *ptr = builder_.getPtrTy();
  const auto at = [&](Value* base, uint64_t offset) {
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, offset);
  };
  Value* key = builder_.CreateZExt(mask_, i64);
  if (plan.count == AccessPlan::Count::Residue)
    key = builder_.CreateOr(key, builder_.CreateShl(residue_index(builder_, plan, scalar(plan.root, 0, 1)), 32));
  Value* recent = at(env_field(offsetof(WarpEnv, recent), ptr, true), f_.insts[v].site * sizeof(Recent));
  Value *last = builder_.CreateLoad(i64, recent),
        *count = builder_.CreateLoad(i64, at(recent, offsetof(Recent, count)));
  auto *same = block("same"), *other = block("other"), *full = block("log_full"), *counted = block("counted");
  builder_.CreateCondBr(builder_.CreateICmpEQ(key, last), same, other);
  builder_.SetInsertPoint(same);
  builder_.CreateStore(builder_.CreateAdd(count, builder_.getInt64(1)), at(recent, offsetof(Recent, count)));
  builder_.CreateBr(counted);
  builder_.SetInsertPoint(other);
  Value* entry = env_field(offsetof(WarpEnv, kind), ptr);
  builder_.CreateStore(last, at(entry, offsetof(KindCount, counted.key)));
  builder_.CreateStore(count, at(entry, offsetof(KindCount, counted.count)));
  builder_.CreateStore(builder_.getInt32(v), at(entry, offsetof(KindCount, inst)));
  builder_.CreateStore(key, recent);
  builder_.CreateStore(builder_.getInt64(1), at(recent, offsetof(Recent, count)));
  Value* next = at(entry, sizeof(KindCount));
  set_env_field(offsetof(WarpEnv, kind), next);
  builder_.CreateCondBr(builder_.CreateICmpEQ(next, env_field(offsetof(WarpEnv, kind_end), ptr, true)), full, counted,
                        llvm::MDBuilder(context_).createBranchWeights(1, 1 << 10));
  builder_.SetInsertPoint(full);
  builder_.CreateCall(runtime("wl_kinds", {ptr}, builder_.getVoidTy()), {env_});
  builder_.CreateBr(counted);
  builder_.SetInsertPoint(counted);
}

// Accesses of this block that share an address value (offsets apart) share the counters: the first one counts.
void KernelEmitter::count_residue(ValueId v) {
  const AccessPlan& plan = plan_.access[v];
  if (!counting_ || plan.count != AccessPlan::Count::Residue || counted_residues_[plan.counter]) return;
  counted_residues_[plan.counter] = true;
  count_at(plan.counter, residue_index(builder_, plan, scalar(plan.root, 0, 1)), builder_.getInt64(1));
}

std::vector<llvm::Value*> KernelEmitter::merge(const std::vector<Value*>& a, llvm::BasicBlock* from_a,
                                               const std::vector<Value*>& b, llvm::BasicBlock* from_b) {
  std::vector<Value*> merged;
  for (size_t k = 0; k < a.size(); ++k) {
    auto* phi = builder_.CreatePHI(a[k]->getType(), 2);
    phi->addIncoming(a[k], from_a);
    phi->addIncoming(b[k], from_b);
    merged.push_back(phi);
  }
  return merged;
}

// The parts of a load: a value, or components that Extract takes apart in the same block.
void KernelEmitter::define_access(ValueId v, std::vector<Value*> parts) {
  if (f_.insts[v].count == 1)
    define(v, std::move(parts));
  else
    cache_[v] = std::move(parts);
}

void KernelEmitter::emit_short_way(ValueId v) {
  const AccessPlan& plan = plan_.access[v];
  const bool can_differ = !lanes(plan.root).guards.empty();
  if (!mask_) count_residue(v);
  if (!mask_ && !can_differ) {
    if (!tested_.count(v)) test_full(v);
  } else if (mask_ && plan.proved && plan.disjoint == 0) {
    count_request(v);
  } else {
    emit_either_way(v);
    return;
  }
  if (f_.insts[v].op == Op::Load)
    define_access(v, short_load(v));
  else
    short_store(v);
}

// At the start of a block: the tests and counts of its accesses whose addresses are known by then. A call in their
// middle would cost the hot path its vector registers.
void KernelEmitter::emit_tests(BlockId b) {
  for (ValueId v : f_.blocks[b].insts) {
    const AccessPlan& plan = plan_.access[v];
    if (plan.way == AccessPlan::Way::None || plan.way == AccessPlan::Way::General) continue;
    if (!plan.in_line || (counting_ && plan.count == AccessPlan::Count::Event)) continue;
    const Inst& root = f_.insts[plan.root];
    if ((root.block == b && root.op != Op::Phi) || !lanes(plan.root).guards.empty()) continue;
    count_residue(v);
    test_full(v);
    tested_.insert(v);
  }
}

// Full warp, exact pattern: whatever is unusual is dealt with aside, and then the access is made all the same.
void KernelEmitter::test_full(ValueId v) {
  const AccessPlan& plan = plan_.access[v];
  const Inst& inst = f_.insts[v];
  const auto aside = [&](Value* usual, const std::function<void()>& handle) {
    auto *unusual = block("unusual"), *go_on = block("go_on");
    builder_.CreateCondBr(usual, go_on, unusual, llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));
    builder_.SetInsertPoint(unusual);
    store_addresses(inst);
    handle();
    builder_.CreateBr(go_on);
    builder_.SetInsertPoint(go_on);
  };
  if (counting_ && plan.disjoint != 0)
    aside(is_disjoint(v), [&] {
      count_at(plan.exceptions, residue_index(builder_, plan, scalar(plan.root, 0, lanes(plan.root).groups)),
               builder_.getInt64(1));
      builder_.CreateCall(runtime("wl_report", {builder_.getPtrTy(), builder_.getInt32Ty()}, builder_.getVoidTy()),
                          {env_, builder_.getInt32(v)});
    });
  if (plan.proved || plan.leader != v) return;
  aside(in_bounds(v), [&] {
    fault_unless_zero(builder_.CreateCall(runtime("wl_test", {builder_.getPtrTy(), builder_.getInt32Ty()}),
                                          {env_, builder_.getInt32(v)}));
  });
}

// The short way if the pattern holds, the groups lie apart and every lane's address is good; else the long way.
void KernelEmitter::emit_either_way(ValueId v) {
  const Inst& inst = f_.insts[v];
  const AccessPlan& plan = plan_.access[v];
  const Lanes& address = lanes(plan_.access[v].root);
  Value* as_planned = assumed_holds(address);
  if (counting_ && plan.disjoint != 0) {
    Value* apart = is_disjoint(v);
    as_planned = as_planned ? builder_.CreateAnd(as_planned, apart) : apart;
  }
  Value* go = in_bounds(v);
  if (!go) go = builder_.getTrue();
  if (as_planned) go = builder_.CreateAnd(go, as_planned);
  auto *fast = block("short"), *slow = block("long"), *join = block("accessed");
  builder_.CreateCondBr(go, fast, slow, llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));

  std::vector<Value*> quick, careful;
  builder_.SetInsertPoint(fast);
  if (mask_) count_request(v);
  if (inst.op == Op::Load)
    quick = short_load(v);
  else
    short_store(v);
  builder_.CreateBr(join);
  auto* fast_end = builder_.GetInsertBlock();

  builder_.SetInsertPoint(slow);
  Value* report = builder_.getInt32(counting_ && mask_);
  if (counting_ && !mask_ && as_planned) {
    report = builder_.CreateZExt(builder_.CreateNot(as_planned), builder_.getInt32Ty());
    count_at(plan.exceptions, residue_index(builder_, plan, scalar(plan.root, 0, address.groups)),
             builder_.CreateZExt(report, builder_.getInt64Ty()));
  }
  emit_long_way(v, active(), report);
  if (inst.op == Op::Load) careful = cache_[v];
  builder_.CreateBr(join);
  auto* slow_end = builder_.GetInsertBlock();

  builder_.SetInsertPoint(join);
  if (inst.op == Op::Load) define_access(v, merge(quick, fast_end, careful, slow_end));
}

// Parts of a load with several components: component 0's parts, then component 1's ...
std::vector<llvm::Value*> KernelEmitter::short_load(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& address = lanes(plan_.access[v].root);
  llvm::Type* t = type(inst.type);
  const int64_t bytes = ir::bytes(inst.type), width = bytes * inst.count;
  std::vector<std::vector<Value*>> components(inst.count);
  auto load = [&](llvm::Type* what, Value* at) {
    auto* x = builder_.CreateAlignedLoad(what, at, llvm::Align(static_cast<uint64_t>(bytes)));
    x->setVolatile(inst.is_volatile);
    return x;
  };
  if (lanes(v).affine()) {
    for (uint32_t e = 0; e < inst.count; ++e)
      for (uint32_t g = 0; g < lanes(v).groups; ++g)
        components[e].push_back(load(t, group_address(inst, g, lanes(v).groups, static_cast<int64_t>(e) * bytes)));
  } else {
    for (uint32_t c = 0; c < chunks_; ++c) {
      const uint32_t first = c * width_, part = first / (kWarpSize / address.groups);
      auto at = [&](uint32_t lane, int64_t extra) {
        return group_address(inst, part, address.groups, address.pattern[first + lane] + extra);
      };
      bool adjacent = true, same = true;
      for (uint32_t l = 1; l < width_; ++l) {
        const int64_t step = address.pattern[first + l] - address.pattern[first + l - 1];
        adjacent = adjacent && step == width;
        same = same && step == 0;
      }
      if (adjacent) {
        Value* all = load(llvm::FixedVectorType::get(t, width_ * inst.count), at(0, 0));
        for (uint32_t e = 0; e < inst.count; ++e) {
          std::vector<int> pick;
          for (uint32_t l = 0; l < width_; ++l) pick.push_back(static_cast<int>(l * inst.count + e));
          components[e].push_back(inst.count == 1 ? all : builder_.CreateShuffleVector(all, pick));
        }
        continue;
      }
      for (uint32_t e = 0; e < inst.count; ++e) {
        if (same) {
          components[e].push_back(builder_.CreateVectorSplat(width_, load(t, at(0, static_cast<int64_t>(e) * bytes))));
          continue;
        }
        Value* gathered = llvm::PoisonValue::get(llvm::FixedVectorType::get(t, width_));
        for (uint32_t l = 0; l < width_; ++l)
          gathered = builder_.CreateInsertElement(gathered, load(t, at(l, static_cast<int64_t>(e) * bytes)), l);
        components[e].push_back(gathered);
      }
    }
  }
  std::vector<Value*> parts;
  for (auto& c : components) parts.insert(parts.end(), c.begin(), c.end());
  return parts;
}

void KernelEmitter::short_store(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& address = lanes(plan_.access[v].root);
  const int64_t bytes = ir::bytes(inst.type), width = bytes * inst.count;
  auto store = [&](Value* x, Value* at) {
    builder_.CreateAlignedStore(x, at, llvm::Align(static_cast<uint64_t>(bytes)))->setVolatile(inst.is_volatile);
  };
  if (mask_) {  // adjacent lanes: maskable()
    for (uint32_t c = 0; c < chunks_; ++c) {
      Value* at =
          group_address(inst, c * width_ / (kWarpSize / address.groups), address.groups, address.pattern[c * width_]);
      builder_.CreateMaskedStore(observable(inst.args[1], vec(inst.args[1], c)), at,
                                 llvm::Align(static_cast<uint64_t>(bytes)), vector_mask(mask_, c));
    }
    return;
  }
  for (uint32_t c = 0; c < chunks_; ++c) {
    const uint32_t first = c * width_, part = first / (kWarpSize / address.groups);
    auto at = [&](uint32_t lane, int64_t extra) {
      return group_address(inst, part, address.groups, address.pattern[first + lane] + extra);
    };
    bool adjacent = true, same = true;
    for (uint32_t l = 1; l < width_; ++l) {
      const int64_t step = address.pattern[first + l] - address.pattern[first + l - 1];
      adjacent = adjacent && step == width;
      same = same && step == 0;
    }
    std::vector<Value*> x;
    for (uint32_t e = 0; e < inst.count; ++e) x.push_back(observable(inst.args[1 + e], vec(inst.args[1 + e], c)));
    if (adjacent) {
      std::vector<int> pick;
      for (uint32_t l = 0; l < width_ * inst.count; ++l)
        pick.push_back(static_cast<int>(l % inst.count * width_ + l / inst.count));
      Value* all = x[0];
      if (inst.count == 2) {
        all = builder_.CreateShuffleVector(x[0], x[1], pick);
      } else if (inst.count == 4) {
        std::vector<int> both(2 * width_), twice(4 * width_);
        for (uint32_t l = 0; l < 2 * width_; ++l) both[l] = static_cast<int>(l);
        for (uint32_t l = 0; l < 4 * width_; ++l) twice[l] = pick[l];
        all = builder_.CreateShuffleVector(builder_.CreateShuffleVector(x[0], x[1], both),
                                           builder_.CreateShuffleVector(x[2], x[3], both), twice);
      } else if (inst.count != 1) {
        for (uint32_t l = 0; l < width_; ++l)
          for (uint32_t e = 0; e < inst.count; ++e)
            store(builder_.CreateExtractElement(x[e], l), at(l, static_cast<int64_t>(e) * bytes));
        continue;
      }
      store(all, at(0, 0));
      continue;
    }
    for (uint32_t l = same ? width_ - 1 : 0; l < width_; ++l)  // of lanes that write one place, the last one stays
      for (uint32_t e = 0; e < inst.count; ++e)
        store(builder_.CreateExtractElement(x[e], l), at(l, static_cast<int64_t>(e) * bytes));
  }
}

// The lanes' addresses go where the next event is written. From the root, which is known at the start of the block
// already.
void KernelEmitter::store_addresses(const Inst& inst) {
  const AccessPlan& plan = plan_.access[static_cast<ValueId>(&inst - f_.insts.data())];
  auto* wide = llvm::FixedVectorType::get(builder_.getInt64Ty(), width_);
  Value* event = env_field(offsetof(exec::WarpEnv, event), builder_.getPtrTy());
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* a = builder_.CreateSExt(vec(plan.root, c), wide);
    if (plan.offset != 0)
      a = builder_.CreateAdd(a,
                             builder_.CreateVectorSplat(width_, builder_.getInt64(static_cast<uint64_t>(plan.offset))));
    builder_.CreateAlignedStore(
        a,
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), event,
                                    offsetof(event::Access, address) + uint64_t{c} * width_ * 8),
        llvm::Align(8));
  }
}

// Which warp of which block makes the request.
void KernelEmitter::store_place(Value* event) {
  auto* i32 = builder_.getInt32Ty();
  const auto copy = [&](size_t from, size_t to) {
    builder_.CreateStore(env_field(from, i32), builder_.CreateConstGEP1_64(builder_.getInt8Ty(), event, to));
  };
  for (size_t k = 0; k < 3; ++k) copy(offsetof(exec::WarpEnv, block) + 4 * k, offsetof(event::Access, block) + 4 * k);
  copy(offsetof(exec::WarpEnv, warp), offsetof(event::Access, warp));
}

// Lane addresses as they stand in the event about to be written, or pointers into the lane's window.
llvm::Value* KernelEmitter::window_pointer(const Inst& inst, uint32_t chunk) {
  auto* wide = llvm::FixedVectorType::get(builder_.getInt64Ty(), width_);
  Value* a = builder_.CreateSExt(vec(inst.args[0], chunk), wide);
  if (inst.imm != 0) a = builder_.CreateAdd(a, builder_.CreateVectorSplat(width_, builder_.getInt64(inst.imm)));
  if (inst.space != Space::Shared && inst.space != Space::Local) return a;
  current_chunk_ = chunk;
  return builder_.CreateAdd(a, window_base(inst.space, wide));
}

// i1: every active lane is inside what the site touched last (or inside its window), and aligned.
llvm::Value* KernelEmitter::lanes_in_bounds(ValueId v, Value* mask) {
  const Inst& inst = f_.insts[v];
  auto* i64 = builder_.getInt64Ty();
  auto* wide = llvm::FixedVectorType::get(i64, width_);
  const uint64_t width = static_cast<uint64_t>(ir::bytes(inst.type) * inst.count);
  Value *low = builder_.getInt64(0), *room = nullptr;
  Value* possible = builder_.getTrue();
  if (inst.space == Space::Shared || inst.space == Space::Local) {
    Value* size = inst.space == Space::Shared ? shared_bytes_ : builder_.getInt64(f_.thread_bytes());
    possible = builder_.CreateICmpUGE(size, builder_.getInt64(width));
    room = builder_.CreateSub(size, builder_.getInt64(width));
  } else {
    Value* bounds = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds_, inst.site * sizeof(Bounds));
    low = builder_.CreateLoad(i64, bounds);
    room = builder_.CreateLoad(i64, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds, offsetof(Bounds, room)));
  }
  Value* bad = nullptr;
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* a = builder_.CreateSExt(vec(inst.args[0], c), wide);
    if (inst.imm != 0) a = builder_.CreateAdd(a, builder_.CreateVectorSplat(width_, builder_.getInt64(inst.imm)));
    Value* out = builder_.CreateICmpUGT(builder_.CreateSub(a, builder_.CreateVectorSplat(width_, low)),
                                        builder_.CreateVectorSplat(width_, room));
    if (width > 1)
      out = builder_.CreateOr(out, builder_.CreateICmpNE(builder_.CreateAnd(a, llvm::ConstantInt::get(wide, width - 1)),
                                                         llvm::ConstantInt::get(wide, 0)));
    if (mask != nullptr) out = builder_.CreateAnd(out, vector_mask(mask, c));
    bad = bad ? builder_.CreateOr(bad, out) : out;
  }
  Value* none = builder_.CreateICmpEQ(builder_.CreateBitCast(bad, builder_.getIntNTy(width_)),
                                      llvm::ConstantInt::get(builder_.getIntNTy(width_), 0));
  return builder_.CreateAnd(none, possible);
}

// One lane's components. An ordered vector is read in one piece, as hardware does: CUB's look-back relies on it.
std::vector<llvm::Value*> KernelEmitter::lane_piece(const Inst& inst, llvm::Value* at) {
  const auto align = llvm::Align(static_cast<uint64_t>(ir::bytes(inst.type)));
  std::vector<Value*> x;
  if (inst.is_volatile && inst.count > 1) {
    auto* all = builder_.CreateAlignedLoad(llvm::FixedVectorType::get(type(inst.type), inst.count), at, align);
    all->setVolatile(true);
    for (uint32_t e = 0; e < inst.count; ++e) x.push_back(builder_.CreateExtractElement(all, e));
    return x;
  }
  for (uint32_t e = 0; e < inst.count; ++e) {
    Value* place = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), at, e * align.value());
    auto* one = builder_.CreateAlignedLoad(type(inst.type), place, align);
    one->setVolatile(inst.is_volatile);
    x.push_back(one);
  }
  return x;
}

// Lanes that are off read a place that is always there.
std::vector<llvm::Value*> KernelEmitter::lane_load(ValueId v, Value* mask) {
  const Inst& inst = f_.insts[v];
  std::vector<std::vector<Value*>> components(inst.count);
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* pointers = window_pointer(inst, c);
    if (mask) {
      Value* safe = builder_.CreateVectorSplat(width_, builder_.CreatePtrToInt(values_, builder_.getInt64Ty()));
      pointers = builder_.CreateSelect(vector_mask(mask, c), pointers, safe);
    }
    std::vector<Value*> gathered(inst.count, llvm::PoisonValue::get(vector_type(inst.type)));
    for (uint32_t l = 0; l < width_; ++l) {
      Value* at = builder_.CreateIntToPtr(builder_.CreateExtractElement(pointers, l), builder_.getPtrTy());
      const std::vector<Value*> x = lane_piece(inst, at);
      for (uint32_t e = 0; e < inst.count; ++e) gathered[e] = builder_.CreateInsertElement(gathered[e], x[e], l);
    }
    for (uint32_t e = 0; e < inst.count; ++e)
      components[e].push_back(mask && inst.guard != kNone
                                  ? builder_.CreateSelect(vector_mask(mask, c), gathered[e],
                                                          llvm::Constant::getNullValue(gathered[e]->getType()))
                                  : gathered[e]);
  }
  std::vector<Value*> parts;
  for (auto& c : components) parts.insert(parts.end(), c.begin(), c.end());
  return parts;
}

void KernelEmitter::lane_store(ValueId v) {
  const Inst& inst = f_.insts[v];
  const uint64_t bytes = static_cast<uint64_t>(ir::bytes(inst.type));
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* pointers = window_pointer(inst, c);
    std::vector<Value*> x;
    for (uint32_t e = 0; e < inst.count; ++e) x.push_back(observable(inst.args[1 + e], vec(inst.args[1 + e], c)));
    for (uint32_t l = 0; l < width_; ++l) {
      Value* at = builder_.CreateIntToPtr(builder_.CreateExtractElement(pointers, l), builder_.getPtrTy());
      if (inst.is_volatile && inst.count > 1) {
        Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(type(inst.type), inst.count));
        for (uint32_t e = 0; e < inst.count; ++e)
          all = builder_.CreateInsertElement(all, builder_.CreateExtractElement(x[e], l), e);
        builder_.CreateAlignedStore(all, at, llvm::Align(bytes))->setVolatile(true);
        continue;
      }
      for (uint32_t e = 0; e < inst.count; ++e)
        builder_
            .CreateAlignedStore(builder_.CreateExtractElement(x[e], l),
                                builder_.CreateConstGEP1_64(builder_.getInt8Ty(), at, e * bytes), llvm::Align(bytes))
            ->setVolatile(inst.is_volatile);
    }
  }
}

// Addresses that only the run knows: written down as an event, tested all at once, then used one by one.
void KernelEmitter::emit_lane_way(ValueId v, Value* mask) {
  const Inst& inst = f_.insts[v];
  const bool some_off = mask_ || inst.guard != kNone;
  if (inst.op == Op::Load && lanes(v).affine()) {  // one address a group after all
    emit_long_way(v, mask, builder_.getInt32(counting_));
    return;
  }
  llvm::Type* ptr = builder_.getPtrTy();
  auto *fast = block("lanes"), *slow = block("long"), *join = block("accessed");
  builder_.CreateCondBr(lanes_in_bounds(v, some_off ? mask : nullptr), fast, slow,
                        llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));
  builder_.SetInsertPoint(fast);
  if (counting_) {
    store_addresses(inst);
    Value* event = env_field(offsetof(exec::WarpEnv, event), ptr);
    builder_.CreateStore(builder_.getInt32(inst.site),
                         builder_.CreateConstGEP1_64(builder_.getInt8Ty(), event, offsetof(event::Access, site)));
    builder_.CreateStore(mask, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), event, offsetof(event::Access, mask)));
    if (spec_.traced) store_place(event);
    Value* step = some_off ? builder_.CreateSelect(builder_.CreateICmpEQ(mask, builder_.getInt32(0)),
                                                   builder_.getInt64(0), builder_.getInt64(sizeof(event::Access)))
                           : (Value*)builder_.getInt64(sizeof(event::Access));
    Value* next = builder_.CreateGEP(builder_.getInt8Ty(), event, step);
    set_env_field(offsetof(exec::WarpEnv, event), next);
    auto *flush = block("flush"), *move = block("move");
    builder_.CreateCondBr(builder_.CreateICmpEQ(next, env_field(offsetof(exec::WarpEnv, event_end), ptr, true)), flush,
                          move, llvm::MDBuilder(context_).createBranchWeights(1, 256));
    builder_.SetInsertPoint(flush);
    builder_.CreateCall(runtime("wl_flush", {ptr}, builder_.getVoidTy()), {env_});
    builder_.CreateBr(move);
    builder_.SetInsertPoint(move);
  }
  std::vector<Value*> quick, careful;
  if (inst.op == Op::Load)
    quick = lane_load(v, some_off ? mask : nullptr);
  else
    lane_store(v);
  builder_.CreateBr(join);
  auto* fast_end = builder_.GetInsertBlock();
  builder_.SetInsertPoint(slow);
  emit_long_way(v, mask, builder_.getInt32(counting_));
  if (inst.op == Op::Load) careful = cache_[v];
  builder_.CreateBr(join);
  auto* slow_end = builder_.GetInsertBlock();
  builder_.SetInsertPoint(join);
  if (inst.op == Op::Load) define_access(v, merge(quick, fast_end, careful, slow_end));
}

// Argument k's lanes at values[(slot + k) * 32 * bytes].
void KernelEmitter::store_values(const Inst& inst, size_t first_arg, uint32_t slot) {
  const uint64_t bytes = static_cast<uint64_t>(ir::bytes(inst.type));
  for (size_t k = first_arg; k < inst.args.size(); ++k, ++slot)
    for (uint32_t c = 0; c < chunks_; ++c)
      builder_.CreateAlignedStore(
          observable(inst.args[k], vec(inst.args[k], c)),
          builder_.CreateConstGEP1_64(builder_.getInt8Ty(), values_, (slot * kWarpSize + c * width_) * bytes),
          llvm::Align(8));
}

// Lanes that were off read as zero.
std::vector<llvm::Value*> KernelEmitter::load_results(const Inst& inst, uint32_t first_byte, Value* mask) {
  const ValueId v = static_cast<ValueId>(&inst - f_.insts.data());
  const uint64_t bytes = static_cast<uint64_t>(ir::bytes(inst.type));
  std::vector<Value*> parts;
  for (uint32_t e = 0; e < inst.count; ++e) {
    auto at = [&](uint64_t lane) {
      return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), values_, first_byte + (e * kWarpSize + lane) * bytes);
    };
    if (lanes(v).affine()) {
      // One value a group: that of its first active lane.
      for (uint32_t g = 0; g < lanes(v).groups; ++g) {
        const uint32_t group = kWarpSize / lanes(v).groups;
        const uint32_t bits = group == 32 ? ~0u : ((1u << group) - 1) << (g * group);
        Value* lane = builder_.CreateIntrinsic(
            llvm::Intrinsic::cttz, {builder_.getInt32Ty()},
            {builder_.CreateOr(builder_.CreateAnd(mask, builder_.getInt32(bits)), builder_.getInt32(1u << 31)),
             builder_.getInt1(true)});
        parts.push_back(builder_.CreateAlignedLoad(type(inst.type), builder_.CreateGEP(type(inst.type), at(0), lane),
                                                   llvm::Align(bytes)));
      }
      continue;
    }
    for (uint32_t c = 0; c < chunks_; ++c)
      parts.push_back(builder_.CreateAlignedLoad(vector_type(inst.type), at(c * width_), llvm::Align(8)));
  }
  return parts;
}

// Arguments are I64; the result lies where an atomic's does. What only counts is left out of code that counts nothing.
void KernelEmitter::emit_system_call(ValueId v) {
  const Inst& inst = f_.insts[v];
  const bool counts = inst.imm == static_cast<uint64_t>(ir::SystemCall::CountCopy);
  if (counts && !counting_) return;
  Value* mask = active_with_guard(inst);
  for (uint32_t k = 0; k < inst.args.size(); ++k)
    for (uint32_t c = 0; c < chunks_; ++c)
      builder_.CreateAlignedStore(
          vec(inst.args[k], c), builder_.CreateConstGEP1_64(builder_.getInt64Ty(), values_, k * kWarpSize + c * width_),
          llvm::Align(8));
  auto* i32 = builder_.getInt32Ty();
  fault_unless_zero(builder_.CreateCall(runtime("wl_system_call", {builder_.getPtrTy(), i32, i32, i32}),
                                        {env_, builder_.getInt32(static_cast<uint32_t>(inst.imm)),
                                         builder_.getInt32(counts ? inst.site : inst.location), mask}));
  if (inst.type != Type::Void) define_access(v, load_results(inst, 1024, mask));
}

// exec/warp_env.h says where the operands and the results lie.
void KernelEmitter::emit_texture(ValueId v) {
  const Inst& inst = f_.insts[v];
  Value* mask = active_with_guard(inst);
  const auto op = TextureAccess::unpack(static_cast<uint32_t>(inst.imm)).op;
  const size_t values = op == TextureOp::Store ? inst.count : op == TextureOp::Reduce ? 1 : 0;
  uint64_t byte = 0;
  for (size_t k = 0; k < inst.args.size(); ++k) {
    if (k + values == inst.args.size()) byte = exec::kTextureValues;
    const auto bytes = static_cast<uint64_t>(ir::bytes(f_.insts[inst.args[k]].type));
    for (uint32_t c = 0; c < chunks_; ++c)
      builder_.CreateAlignedStore(observable(inst.args[k], vec(inst.args[k], c)),
                                  builder_.CreateConstGEP1_64(builder_.getInt8Ty(), values_, byte + c * width_ * bytes),
                                  llvm::Align(8));
    byte += kWarpSize * bytes;
  }
  auto* i32 = builder_.getInt32Ty();
  const uint32_t element =
      static_cast<uint32_t>(ir::bytes(inst.type)) | uint32_t{inst.count} << 8 | (counting_ ? 1u << 16 : 0);
  fault_unless_zero(builder_.CreateCall(runtime("wl_texture", {builder_.getPtrTy(), i32, i32, i32, i32}),
                                        {env_, builder_.getInt32(static_cast<uint32_t>(inst.imm)),
                                         builder_.getInt32(element), builder_.getInt32(inst.site), mask}));
  if (op != TextureOp::Store && op != TextureOp::Reduce)
    define_access(v, load_results(inst, exec::kTextureResults, mask));
}

void KernelEmitter::emit_long_way(ValueId v, Value* mask, Value* count) {
  const Inst& inst = f_.insts[v];
  llvm::Type *ptr = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  store_addresses(inst);
  const bool atomic = inst.op == Op::Atomic || inst.op == Op::Reduce;
  if (inst.op != Op::Load) store_values(inst, 1, 0);
  const char* name = atomic ? "wl_atomic" : inst.op == Op::Load ? "wl_load" : "wl_store";
  fault_unless_zero(
      builder_.CreateCall(runtime(name, {ptr, i32, i32, i32}), {env_, builder_.getInt32(v), mask, count}));
  if (inst.op == Op::Store || inst.op == Op::Reduce) return;
  define_access(v, load_results(inst, atomic ? 1024 : 0, mask));
}

}  // namespace warplens::codegen
