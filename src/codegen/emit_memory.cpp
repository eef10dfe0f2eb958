// Memory accesses. The short way: the address pattern is known, the whole warp is active, the addresses lie inside the
// allocation that the site used last, and counting is a counter or nothing (plan.h). The long way: lane addresses go to
// memory and a function of exec/warp_env.h checks, reports and moves the data.
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

llvm::Value* KernelEmitter::active_with_guard(const Inst& inst) {
  if (inst.guard == kNone) return active();
  Value* on = builder_.CreateAnd(active(), bitmask(inst.guard));
  if (counting_) {
    Value* off = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, builder_.CreateXor(on, active()));
    count(plan_.guarded_off, builder_.CreateZExt(off, builder_.getInt64Ty()));
  }
  return on;
}

void KernelEmitter::emit_access(ValueId v) {
  const Inst& inst = f_.insts[v];
  const AccessPlan& plan = plan_.access[v];
  Value* counted = builder_.getInt32(counting_);
  if (mask_ || plan.way == AccessPlan::Way::General) {
    emit_long_way(v, active_with_guard(inst), false, counted);
    return;
  }
  emit_short_way(v);
}

// The address of the first lane of a group, the immediate offset and `extra` included, as a pointer.
llvm::Value* KernelEmitter::group_address(const Inst& inst, uint32_t group, uint32_t groups, int64_t extra) {
  Value* base = scalar(inst.args[0], group, groups);
  const uint64_t offset = inst.imm + static_cast<uint64_t>(extra);
  if (inst.space == Space::Shared) {
    base = builder_.CreateZExtOrTrunc(base, builder_.getInt64Ty());
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), builder_.CreateGEP(builder_.getInt8Ty(), shared_, base), offset);
  }
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), builder_.CreateIntToPtr(base, builder_.getPtrTy()), offset);
}

// i1: every lane of every group touches the site's cached allocation (or the block's shared window), and is aligned.
llvm::Value* KernelEmitter::in_bounds(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& l = lanes(inst.args[0]);
  const int64_t width = ir::bytes(inst.type) * inst.count;
  auto* i64 = builder_.getInt64Ty();
  const uint32_t group = kWarpSize / l.groups;
  Value* all = builder_.getTrue();
  bool pattern_aligned = static_cast<int64_t>(inst.imm) % width == 0;
  for (int64_t p : l.pattern) pattern_aligned = pattern_aligned && p % width == 0;
  const bool base_aligned = (uint64_t{1} << std::min<int>(l.known_bits, 8)) >= static_cast<uint64_t>(width) && l.residue % static_cast<uint64_t>(width) == 0;
  for (uint32_t g = 0; g < l.groups; ++g) {
    int64_t low = 0, high = 0;
    for (uint32_t k = g * group; k < (g + 1) * group; ++k) low = std::min(low, l.pattern[k]), high = std::max(high, l.pattern[k]);
    const int64_t reach = high - low + width;
    Value* first = builder_.CreateZExt(scalar(inst.args[0], g, l.groups), i64);
    first = builder_.CreateAdd(first, builder_.getInt64(inst.imm + static_cast<uint64_t>(low)));
    Value* inside = nullptr;
    if (inst.space == Space::Shared) {
      Value* room = builder_.CreateSub(shared_bytes_, builder_.getInt64(static_cast<uint64_t>(reach)));
      inside = builder_.CreateAnd(builder_.CreateICmpSGE(room, builder_.getInt64(0)), builder_.CreateICmpULE(first, room));
    } else {
      Value* bounds = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds_, inst.site * sizeof(Bounds));
      Value* low_bound = builder_.CreateLoad(i64, bounds);
      Value* room = builder_.CreateLoad(i64, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), bounds, offsetof(Bounds, room)));
      // `room` is the allocation less the widest reach of this site's groups.
      inside = builder_.CreateICmpULE(builder_.CreateSub(first, low_bound), room);
    }
    all = builder_.CreateAnd(all, inside);
    if (!(pattern_aligned && base_aligned)) {
      Value* aligned = pattern_aligned ? builder_.CreateICmpEQ(builder_.CreateAnd(first, builder_.getInt64(static_cast<uint64_t>(width - 1))), builder_.getInt64(0))
                                       : builder_.getFalse();
      all = builder_.CreateAnd(all, aligned);
    }
  }
  return all;
}

llvm::Value* KernelEmitter::is_disjoint(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& l = lanes(inst.args[0]);
  const uint64_t distance = plan_.access[v].disjoint;
  Value* all = nullptr;
  for (uint32_t a = 0; a < l.groups; ++a)
    for (uint32_t b = a + 1; b < l.groups; ++b) {
      // |x - y| >= d, unsigned: (x - y) + d >= 2d unless x - y lies in (-d, d)
      Value* gap = builder_.CreateSub(scalar(inst.args[0], b, l.groups), scalar(inst.args[0], a, l.groups));
      gap = builder_.CreateSExtOrTrunc(gap, builder_.getInt64Ty());
      Value* apart = builder_.CreateICmpUGE(builder_.CreateAdd(gap, builder_.getInt64(distance - 1)), builder_.getInt64(2 * distance - 1));
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

// Accesses of this block that share an address value (offsets apart) share the counters: the first one counts.
void KernelEmitter::count_residue(ValueId v) {
  const AccessPlan& plan = plan_.access[v];
  if (!counting_ || plan.count != AccessPlan::Count::Residue || counted_residues_[plan.counter]) return;
  counted_residues_[plan.counter] = true;
  count_at(plan.counter, residue_index(builder_, plan, scalar(f_.insts[v].args[0], 0, 1)), builder_.getInt64(1));
}

void KernelEmitter::emit_short_way(ValueId v) {
  const Inst& inst = f_.insts[v];
  const AccessPlan& plan = plan_.access[v];
  const Lanes& address = lanes(inst.args[0]);
  count_residue(v);
  // As planned: the pattern holds and the groups lie apart. If not, the request is counted lane by lane as an exception.
  Value* as_planned = assumed_holds(address);
  if (counting_ && plan.disjoint != 0 && plan.count != AccessPlan::Count::Event) {
    Value* apart = is_disjoint(v);
    as_planned = as_planned ? builder_.CreateAnd(as_planned, apart) : apart;
  }
  Value* go = in_bounds(v);
  if (as_planned) go = builder_.CreateAnd(go, as_planned);
  const bool by_event = counting_ && plan.count == AccessPlan::Count::Event;
  auto *fast = block("short"), *slow = block("long"), *join = block("accessed");
  if (by_event)
    builder_.CreateBr(slow);
  else
    builder_.CreateCondBr(go, fast, slow, llvm::MDBuilder(context_).createBranchWeights(1 << 20, 1));

  std::vector<Value*> quick, careful;
  builder_.SetInsertPoint(fast);
  if (inst.op == Op::Load)
    quick = short_load(v);
  else
    short_store(v);
  builder_.CreateBr(join);
  auto* fast_end = builder_.GetInsertBlock();

  builder_.SetInsertPoint(slow);
  Value* report = builder_.getInt32(by_event);
  if (counting_ && !by_event && as_planned) {
    report = builder_.CreateZExt(builder_.CreateNot(as_planned), builder_.getInt32Ty());
    count_at(plan.exceptions, residue_index(builder_, plan, scalar(inst.args[0], 0, address.groups)),
             builder_.CreateZExt(report, builder_.getInt64Ty()));
  }
  emit_long_way(v, builder_.getInt32(~0u), true, report);
  if (inst.op == Op::Load) careful = cache_[v];
  builder_.CreateBr(join);
  auto* slow_end = builder_.GetInsertBlock();

  builder_.SetInsertPoint(join);
  if (inst.op != Op::Load) return;
  std::vector<Value*> merged;
  for (size_t k = 0; k < quick.size(); ++k) {
    auto* phi = builder_.CreatePHI(quick[k]->getType(), 2);
    phi->addIncoming(quick[k], fast_end);
    phi->addIncoming(careful[k], slow_end);
    merged.push_back(phi);
  }
  cache_.erase(v);
  if (inst.count == 1)
    define(v, merged);
  else
    cache_[v] = merged;
}

// Parts of a load with several components: component 0's parts, then component 1's ...
std::vector<llvm::Value*> KernelEmitter::short_load(ValueId v) {
  const Inst& inst = f_.insts[v];
  const Lanes& address = lanes(inst.args[0]);
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
      auto at = [&](uint32_t lane, int64_t extra) { return group_address(inst, part, address.groups, address.pattern[first + lane] + extra); };
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
  const Lanes& address = lanes(inst.args[0]);
  const int64_t bytes = ir::bytes(inst.type), width = bytes * inst.count;
  auto store = [&](Value* x, Value* at) {
    builder_.CreateAlignedStore(x, at, llvm::Align(static_cast<uint64_t>(bytes)))->setVolatile(inst.is_volatile);
  };
  for (uint32_t c = 0; c < chunks_; ++c) {
    const uint32_t first = c * width_, part = first / (kWarpSize / address.groups);
    auto at = [&](uint32_t lane, int64_t extra) { return group_address(inst, part, address.groups, address.pattern[first + lane] + extra); };
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
      for (uint32_t l = 0; l < width_ * inst.count; ++l) pick.push_back(static_cast<int>(l % inst.count * width_ + l / inst.count));
      Value* all = x[0];
      if (inst.count == 2) {
        all = builder_.CreateShuffleVector(x[0], x[1], pick);
      } else if (inst.count == 4) {
        std::vector<int> both(2 * width_), twice(4 * width_);
        for (uint32_t l = 0; l < 2 * width_; ++l) both[l] = static_cast<int>(l);
        for (uint32_t l = 0; l < 4 * width_; ++l) twice[l] = pick[l];
        all = builder_.CreateShuffleVector(builder_.CreateShuffleVector(x[0], x[1], both), builder_.CreateShuffleVector(x[2], x[3], both), twice);
      } else if (inst.count != 1) {
        for (uint32_t l = 0; l < width_; ++l)
          for (uint32_t e = 0; e < inst.count; ++e) store(builder_.CreateExtractElement(x[e], l), at(l, static_cast<int64_t>(e) * bytes));
        continue;
      }
      store(all, at(0, 0));
      continue;
    }
    for (uint32_t l = same ? width_ - 1 : 0; l < width_; ++l)  // of lanes that write one place, the last one stays
      for (uint32_t e = 0; e < inst.count; ++e) store(builder_.CreateExtractElement(x[e], l), at(l, static_cast<int64_t>(e) * bytes));
  }
}

void KernelEmitter::store_addresses(const Inst& inst) {
  auto* wide = llvm::FixedVectorType::get(builder_.getInt64Ty(), width_);
  for (uint32_t c = 0; c < chunks_; ++c) {
    Value* a = builder_.CreateZExt(vec(inst.args[0], c), wide);
    if (inst.imm != 0) a = builder_.CreateAdd(a, builder_.CreateVectorSplat(width_, builder_.getInt64(inst.imm)));
    builder_.CreateAlignedStore(a, builder_.CreateConstGEP1_64(builder_.getInt64Ty(), addresses_, c * width_), llvm::Align(64));
  }
}

// Argument k's lanes at values[(slot + k) * 32 * bytes].
void KernelEmitter::store_values(const Inst& inst, size_t first_arg, uint32_t slot) {
  const uint64_t bytes = static_cast<uint64_t>(ir::bytes(inst.type));
  for (size_t k = first_arg; k < inst.args.size(); ++k, ++slot)
    for (uint32_t c = 0; c < chunks_; ++c)
      builder_.CreateAlignedStore(observable(inst.args[k], vec(inst.args[k], c)),
                                  builder_.CreateConstGEP1_64(builder_.getInt8Ty(), values_, (slot * kWarpSize + c * width_) * bytes), llvm::Align(8));
}

// Lanes that were off read as zero.
std::vector<llvm::Value*> KernelEmitter::load_results(const Inst& inst, uint32_t first_byte, Value* mask) {
  const ValueId v = static_cast<ValueId>(&inst - f_.insts.data());
  const uint64_t bytes = static_cast<uint64_t>(ir::bytes(inst.type));
  std::vector<Value*> parts;
  for (uint32_t e = 0; e < inst.count; ++e) {
    auto at = [&](uint64_t lane) { return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), values_, first_byte + (e * kWarpSize + lane) * bytes); };
    if (lanes(v).affine()) {
      // One value a group: that of its first active lane.
      for (uint32_t g = 0; g < lanes(v).groups; ++g) {
        const uint32_t group = kWarpSize / lanes(v).groups;
        const uint32_t bits = group == 32 ? ~0u : ((1u << group) - 1) << (g * group);
        Value* lane = builder_.CreateIntrinsic(llvm::Intrinsic::cttz, {builder_.getInt32Ty()},
                                               {builder_.CreateOr(builder_.CreateAnd(mask, builder_.getInt32(bits)), builder_.getInt32(1u << 31)), builder_.getInt1(true)});
        parts.push_back(builder_.CreateAlignedLoad(type(inst.type), builder_.CreateGEP(type(inst.type), at(0), lane), llvm::Align(bytes)));
      }
      continue;
    }
    for (uint32_t c = 0; c < chunks_; ++c)
      parts.push_back(builder_.CreateAlignedLoad(vector_type(inst.type), at(c * width_), llvm::Align(8)));
  }
  return parts;
}

void KernelEmitter::emit_long_way(ValueId v, Value* mask, bool, Value* count) {
  const Inst& inst = f_.insts[v];
  llvm::Type *ptr = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  store_addresses(inst);
  const bool atomic = inst.op == Op::Atomic || inst.op == Op::Reduce;
  if (inst.op != Op::Load) store_values(inst, 1, 0);
  const char* name = atomic ? "wl_atomic" : inst.op == Op::Load ? "wl_load" : "wl_store";
  fault_unless_zero(builder_.CreateCall(runtime(name, {ptr, i32, i32, i32}), {env_, builder_.getInt32(v), mask, count}));
  if (inst.op == Op::Store || inst.op == Op::Reduce) return;
  std::vector<Value*> parts = load_results(inst, atomic ? 1024 : 0, mask);
  if (inst.count == 1)
    define(v, parts);
  else
    cache_[v] = parts;
}

}  // namespace warplens::codegen
