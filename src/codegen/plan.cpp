// How an access is counted without looking at it. A warp request's sectors, tags and wavefronts depend on the lanes'
// pattern and on base modulo 128 only (model/coalesce.h, model/banks.h). So where the pattern is constant and the whole
// warp is active:
//   - residue known when code is made (aligned arguments, block and grid shape): every execution costs the same, and
//   the
//     counter of executions of the basic block is all that is needed;
//   - else one counter for each residue that can occur; accesses of one block that differ by a constant share them.
// Groups with bases of their own (two rows of a 16-wide tile) add up as long as they touch different 128-byte lines,
// which compiled code checks (`disjoint`); for counting they are then written as rows 2^60 bytes apart, which is
// farther than any memory is large: a distance that is not known (model/lane_pattern.h).
#include "codegen/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/cfg.h"

namespace warplens::codegen {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::Space;
using ir::ValueId;
using passes::Lanes;

namespace {

constexpr int64_t kRowDistance = int64_t{1} << 60;
constexpr int64_t kFarthest = int64_t{1} << 48;
// Lane-by-lane accesses that are written out: each is some hundred instructions, twice. The rest are calls.
constexpr size_t kInLine = 10;

bool is_access(Op op) { return op == Op::Load || op == Op::Store || op == Op::Atomic || op == Op::Reduce; }

class Planner {
 public:
  Planner(const Function& f, const passes::Specialization& spec) : f_(f), spec_(spec) {}

  Plan run() {
    plan_.lanes = passes::analyze_lanes(f_, spec_);
    plan_.access.resize(f_.insts.size());
    plan_.followers.resize(f_.insts.size());
    plan_.warps = static_cast<uint32_t>((spec_.block.count() + kWarpSize - 1) / kWarpSize);
    plan_.partial_warp = spec_.block.count() % kWarpSize != 0;
    const uint32_t blocks = static_cast<uint32_t>(f_.blocks.size());
    plan_.full = take(blocks);
    plan_.partial = take(blocks);
    plan_.partial_lanes = take(blocks);
    plan_.guarded_off = take(1);
    plan_.on_edges = take(1);
    plan_.on_edges_lanes = take(1);
    plan_.divergent.assign(blocks, kNone);
    plan_.block_weight.assign(blocks, 0);
    for (BlockId b = 0; b < blocks; ++b) {
      for (BlockId s : f_.blocks[b].succs) plan_.loops |= s <= b;
      if (plan_.lanes.divergent_block_end[b]) plan_.divergent[b] = take(1);
      shared_counters_.clear();
      leaders_.clear();
      for (ValueId v : f_.blocks[b].insts) {
        plan_.block_weight[b] += f_.insts[v].weight;
        plan_.barriers |= f_.insts[v].op == Op::Barrier;
        plan_.plain_barriers &= f_.insts[v].op != Op::Barrier || is_plain(f_.insts[v]);
        if (is_access(f_.insts[v].op)) plan_access(v);
      }
    }
    find_waits();
    choose_in_line();
    find_equal_counts();
    find_block_invariants();
    find_versions();
    find_lifetimes();
    find_beginnings();
    return std::move(plan_);
  }

 private:
  uint32_t take(uint32_t count) {
    const uint32_t first = plan_.counters;
    plan_.counters += count;
    return first;
  }

  void find_waits() {
    const passes::LoopNest nest = passes::find_loops(f_);
    plan_.waits = passes::find_waits(f_, nest);
    plan_.wait_at.assign(f_.blocks.size(), kNone);
    for (uint32_t k = 0; k < plan_.waits.size(); ++k)
      for (BlockId latch : nest.loops[plan_.waits[k].loop].latches)
        if (f_.insts[f_.blocks[latch].insts.back()].op == Op::Br) plan_.wait_at[latch] = k;
    const auto names = [&](const Inst& inst) { return inst.block != kNone && ir::names_lanes(inst.op); };
    plan_.may_stop =
        !plan_.waits.empty() || (plan_.lanes.independent && std::any_of(f_.insts.begin(), f_.insts.end(), names));
    if (!plan_.may_stop) return;
    plan_.barriers = true;
    plan_.plain_barriers = false;
  }

  void plan_access(ValueId v) {
    const Inst& inst = f_.insts[v];
    AccessPlan& a = plan_.access[v];
    a.root = inst.args[0];
    a.offset = static_cast<int64_t>(inst.imm);
    find_root(a, inst.block);
    const Lanes& address = plan_.lanes.values[a.root];
    a.way = AccessPlan::Way::General;
    const bool lanes_differ = inst.op == Op::Atomic || inst.op == Op::Reduce || inst.guard != kNone;
    const bool elsewhere = inst.space == Space::Local || inst.space == Space::Generic;
    const bool in_one_piece = inst.is_volatile && inst.count > 1;  // lane by lane: lane_piece()
    const int64_t width = ir::bytes(inst.type) * inst.count;
    if (!lanes_differ && !elsewhere && !in_one_piece && address.affine() && patterned(address, width, inst.count)) {
      const bool one_address = inst.op == Op::Load && plan_.lanes.values[v].affine();
      a.way = one_address ? AccessPlan::Way::Scalar : AccessPlan::Way::Pattern;
      plan_count(v, address, width);
      plan_test(v, address, width);
    }
    a.exceptions = take(a.entries);
  }

  // x + 4096, x + 8192, ... of an unrolled loop are one address and offsets.
  void find_root(AccessPlan& a, BlockId block) const {
    for (;;) {
      const Inst& inst = f_.insts[a.root];
      if (inst.op != Op::Add || inst.block != block) return;
      size_t k = 0;
      auto is_constant = [&](size_t n) {
        const Lanes& l = plan_.lanes.values[inst.args[n]];
        return l.uniform() && l.known_bits >= 64;
      };
      if (is_constant(1))
        k = 0;
      else if (is_constant(0))
        k = 1;
      else
        return;
      const Lanes& rest = plan_.lanes.values[inst.args[k]];
      const Lanes& sum = plan_.lanes.values[a.root];
      // A 32-bit address (of shared memory) may wrap where the sum does not: only as long as both stay below the sign.
      const uint64_t added = plan_.lanes.values[inst.args[1 - k]].residue;
      if (!rest.affine() || rest.pattern != sum.pattern || rest.groups != sum.groups || !(rest.guards == sum.guards))
        return;
      if (inst.type == ir::Type::I32 && (rest.unsigned_max > 0x7fffffff || added > 0x7fffffff)) return;
      const int64_t offset = static_cast<int64_t>(static_cast<uint64_t>(a.offset) + added);
      if (offset > kFarthest || offset < -kFarthest) return;
      a.offset = offset;
      a.root = inst.args[k];
    }
  }

  // Does the short way touch each lane by itself?
  bool strided(ValueId v) const {
    const AccessPlan& a = plan_.access[v];
    if (a.way != AccessPlan::Way::Pattern) return false;
    const Inst& inst = f_.insts[v];
    const int64_t width = ir::bytes(inst.type) * inst.count;
    const auto& pattern = plan_.lanes.values[a.root].pattern;
    const uint32_t chunk = kWarpSize / spec_.max_groups;
    for (uint32_t first = 0; first < kWarpSize; first += chunk) {
      const int64_t step = pattern[first + 1] - pattern[first];
      if (step != 0 && step != width) return true;
      for (uint32_t l = first + 1; l < first + chunk; ++l)
        if (pattern[l] - pattern[l - 1] != step) return true;
    }
    return false;
  }

  // Those in the innermost loops come first.
  void choose_in_line() {
    const passes::LoopNest nest = passes::find_loops(f_);
    auto depth = [&](BlockId b) {
      int d = 0;
      for (uint32_t l = nest.innermost[b]; l != kNone; l = nest.loops[l].parent) ++d;
      return d;
    };
    std::vector<std::pair<int, ValueId>> candidates;
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      for (ValueId v : f_.blocks[b].insts)
        if (plan_.access[v].way == AccessPlan::Way::General || strided(v)) candidates.emplace_back(-depth(b), v);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t k = kInLine; k < candidates.size(); ++k) plan_.access[candidates[k].second].in_line = false;
    // What is not written out is counted where it is done.
    for (size_t k = kInLine; k < candidates.size(); ++k)
      plan_.access[candidates[k].second].count = AccessPlan::Count::Event;
  }

  // Can a full warp's access be done without looking at each lane's address? Vector elements need adjacent lanes.
  bool patterned(const Lanes& address, int64_t width, uint32_t components) const {
    // Lanes farther apart than any memory is large: a hash, say. Sums of such distances would not fit.
    for (int64_t p : address.pattern)
      if (p > kFarthest || p < -kFarthest) return false;
    if (components == 1 || address.flat()) return true;
    const uint32_t chunk = kWarpSize / spec_.max_groups;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      if (l % chunk != 0 && address.pattern[l] - address.pattern[l - 1] != width) return false;
    return true;
  }

  void plan_count(ValueId v, const Lanes& address, int64_t width) {
    const Inst& inst = f_.insts[v];
    AccessPlan& a = plan_.access[v];
    const int64_t offset = a.offset;
    const uint32_t group = kWarpSize / address.groups;
    const auto [low, high] = std::minmax_element(address.pattern.begin(), address.pattern.end());
    const int64_t span = *high - *low + width;
    // Global: everything depends on base modulo 128. Shared: turning all banks by a word changes nothing, so only the
    // place within the word matters, and accesses of a word or more are aligned to it.
    const bool is_shared = inst.space == Space::Shared;
    const uint32_t needed = is_shared ? (width >= 4 ? 0 : 2) : 7;
    const bool one_word = address.flat() && width <= 16;  // aligned: one sector, one line, wherever it lies
    const bool known = address.known_bits >= needed;
    // Which rows of a tile share a bank depends on their distance; rows that far apart do not fit the picture below.
    if (address.groups > 1 && (is_shared || !(known || one_word))) return;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      a.pattern[l] = kRowDistance * (l / group) + (known || !one_word ? address.pattern[l] + offset : 0);
    if (address.groups > 1) a.disjoint = static_cast<uint64_t>(span + 128);
    const uint32_t known_bits = std::min<uint32_t>(address.known_bits, 7);
    a.residue = known || !one_word ? static_cast<uint32_t>(address.residue & ((1u << known_bits) - 1)) : 0;
    a.count = known || one_word ? AccessPlan::Count::Block : AccessPlan::Count::Residue;
    if (a.count == AccessPlan::Count::Block) return;
    a.shift = known_bits;
    a.entries = 1u << (needed - a.shift);
    auto [it, fresh] = shared_counters_.emplace(a.root, 0u);
    if (fresh) it->second = take(a.entries);
    a.counter = it->second;
  }

  void plan_test(ValueId v, const Lanes& address, int64_t width) {
    const Inst& inst = f_.insts[v];
    AccessPlan& a = plan_.access[v];
    const int64_t offset = a.offset;
    const uint64_t last = address.unsigned_max + static_cast<uint64_t>(offset) + static_cast<uint64_t>(width);
    bool aligned = (int64_t{1} << std::min<int>(address.known_bits, 8)) >= width &&
                   static_cast<int64_t>(address.residue) % width == 0 && offset % width == 0;
    for (int64_t p : address.pattern) aligned = aligned && p % width == 0;
    a.proved = inst.space == Space::Shared && aligned && address.guards.empty() && offset >= 0 &&
               address.unsigned_max <= f_.shared_bytes && last <= f_.shared_bytes;
    if (a.proved || !address.guards.empty()) return;
    const auto [low, high] = std::minmax_element(address.pattern.begin(), address.pattern.end());
    auto [it, fresh] = leaders_.emplace(std::make_pair(a.root, inst.space), v);
    a.leader = it->second;
    AccessPlan& leader = plan_.access[it->second];
    if (fresh) leader.low = *low + offset, leader.high = *high + offset + width;
    leader.low = std::min(leader.low, *low + offset);
    leader.high = std::max(leader.high, *high + offset + width);
    plan_.followers[it->second].push_back(v);
  }

  // Full version: blocks that a whole warp can reach together. Partial version: what can run with some lanes only.
  void find_versions() {
    const size_t n = f_.blocks.size();
    plan_.needs_full.assign(n, 0);
    plan_.needs_partial.assign(n, 0);
    std::vector<BlockId> work;
    auto mark = [&](std::vector<uint8_t>& set, BlockId b) {
      if (!set[b]) set[b] = 1, work.push_back(b);
    };
    auto spread = [&](std::vector<uint8_t>& set) {
      while (!work.empty()) {
        const BlockId b = work.back();
        work.pop_back();
        for (BlockId s : f_.blocks[b].succs)
          if (can_take(f_, plan_, b, s)) mark(set, s);
      }
    };
    if (spec_.block.count() >= kWarpSize) mark(plan_.needs_full, 0);
    spread(plan_.needs_full);
    if (plan_.partial_warp) mark(plan_.needs_partial, 0);
    for (BlockId b = 0; b < n; ++b)
      if (plan_.lanes.divergent_block_end[b])
        for (BlockId s : f_.blocks[b].succs) mark(plan_.needs_partial, s);
    spread(plan_.needs_partial);
  }

  bool is_plain(const Inst& barrier) const {
    const Lanes& id = plan_.lanes.values[barrier.args[0]];
    return barrier.args.size() == 1 && static_cast<ir::BarrierMode>(barrier.imm) == ir::BarrierMode::Sync &&
           id.uniform() && id.known_bits >= 32 && id.residue == 0;
  }

  // Straight lines: what runs the end of a block runs the only block after it.
  void find_equal_counts() {
    plan_.counted_as.resize(f_.blocks.size());
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      plan_.counted_as[b] = b;
      if (plan_.lanes.independent) continue;  // lanes that went through the one apart may meet in the other
      BlockId from = kNone;
      uint32_t ways_in = 0, ways_out = 0;
      for (BlockId p : f_.blocks[b].preds)
        if (can_take(f_, plan_, p, b)) from = p, ++ways_in;
      if (b == 0 || ways_in != 1 || from >= b || f_.insts[f_.blocks[from].insts.back()].op == Op::Barrier) continue;
      for (BlockId s : f_.blocks[from].succs) ways_out += can_take(f_, plan_, from, s);
      if (ways_out == 1) plan_.counted_as[b] = plan_.counted_as[from];
    }
  }

  void find_block_invariants() {
    plan_.block_invariant.assign(f_.insts.size(), 0);
    if (plan_.may_stop) return;  // a block may stop half-way, and what is not saved is gone
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId v = 0; v < f_.insts.size(); ++v) {
        const Inst& inst = f_.insts[v];
        if (plan_.block_invariant[v] || inst.block == kNone || inst.op == Op::Phi ||
            ir::info(inst.op).effect != ir::Effect::Pure)
          continue;
        bool same = true;
        if (inst.op == Op::Special) {
          const auto r = static_cast<ir::SpecialRegister>(inst.imm);
          same = r >= ir::SpecialRegister::NtidX && r <= ir::SpecialRegister::NctaidZ;
        }
        if (inst.op == Op::ToGeneric || inst.op == Op::FromGeneric || inst.op == Op::IsSpace)
          same = inst.space != Space::Local;
        for (ValueId a : inst.args) same = same && plan_.block_invariant[a];
        if (same) plan_.block_invariant[v] = 1, changed = true;
      }
    }
  }

  void find_lifetimes() {
    // A guarded value is made exact from the source of the widening that it rests on.
    std::vector<std::vector<ValueId>> also(f_.insts.size());
    for (ValueId v = 0; v < f_.insts.size(); ++v)
      for (const auto& g : plan_.lanes.values[v].guards) also[v].push_back(f_.insts[g.widening].args[0]);
    plan_.live_in = passes::live_in(f_, &also);
    plan_.escapes.assign(f_.insts.size(), 0);
    plan_.save_offset.assign(f_.insts.size(), kNone);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (ValueId v : plan_.live_in[b]) plan_.escapes[v] = 1;
      for (ValueId v : f_.blocks[b].insts) {
        const Inst& inst = f_.insts[v];
        if (inst.op != Op::Phi) break;
        plan_.escapes[v] = 1;
        plan_.live_in[b].push_back(v);
      }
    }
    std::set<ValueId> guards;
    for (const Lanes& l : plan_.lanes.values)
      for (const auto& g : l.guards) guards.insert(g.widening);
    plan_.guards.assign(guards.begin(), guards.end());
    // A byte for each guard's flag, a mask for each block, then the values: 8 bytes a group, or 32 lanes.
    plan_.save_waiting = (static_cast<uint32_t>(guards.size()) + 63) / 64 * 64;
    const uint32_t masks = (static_cast<uint32_t>(f_.blocks.size()) * 4 + 63) / 64 * 64;
    plan_.save_pending = plan_.save_waiting + masks;
    plan_.save_bytes = plan_.save_pending + (plan_.may_stop ? masks : 0);
    find_wait_live();
    // Vectors first, so that they do not straddle cache lines.
    for (const bool scalars : {false, true}) {
      for (BlockId b = 0; b < f_.blocks.size(); ++b)
        if (f_.insts[f_.blocks[b].insts.back()].op == Op::Barrier || plan_.wait_at[b] != kNone)
          for (ValueId v : plan_.live_in[f_.blocks[b].succs[0]]) keep(v, scalars);
      for (ValueId v : plan_.wait_live) keep(v, scalars);
    }
    plan_.save_bytes = (plan_.save_bytes + 63) / 64 * 64;
  }

  // A place in the save area for v, if it is a scalar, or if it is not.
  void keep(ValueId v, bool scalars) {
    const Lanes& l = plan_.lanes.values[v];
    if (plan_.save_offset[v] != kNone || l.affine() != scalars) return;
    plan_.save_offset[v] = plan_.save_bytes;
    if ((scalars && l.known_bits >= 64) || plan_.block_invariant[v]) return;  // there without being saved
    plan_.save_bytes += scalars ? 8 * l.groups : static_cast<uint32_t>(std::max(2, ir::bytes(f_.insts[v].type)) * 32);
  }

  void find_wait_live() {
    if (!plan_.may_stop) return;
    std::set<ValueId> live;
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      if (plan_.needs_partial[b]) live.insert(plan_.live_in[b].begin(), plan_.live_in[b].end());
    plan_.wait_live.assign(live.begin(), live.end());
  }

  // Partial versions run in the order of the blocks, and which of them run is known at run time only: as far as the
  // machine code tells, every value might come from anywhere before, and would be kept from the kernel's start to its
  // last use. So the plan says where it begins: at the first block that writes it. Not where lanes go back to an
  // earlier block while others hold the value: past a loop's end, or over a barrier.
  void find_beginnings() {
    plan_.begins.assign(f_.blocks.size(), {});
    const passes::LoopNest nest = passes::find_loops(f_);
    if (!nest.reducible || plan_.lanes.divergent_barrier || plan_.may_stop) return;
    std::vector<BlockId> last(f_.insts.size(), 0);
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      for (ValueId v : plan_.live_in[b]) last[v] = b;
    const auto first_write = [&](ValueId v) {
      const Inst& inst = f_.insts[v];
      if (inst.op != Op::Phi) return inst.block;
      const auto& preds = f_.blocks[inst.block].preds;
      return preds.empty() ? kNone : *std::min_element(preds.begin(), preds.end());
    };
    for (ValueId v = 0; v < f_.insts.size(); ++v) {
      if (!plan_.escapes[v] || plan_.save_offset[v] != kNone) continue;
      const BlockId first = first_write(v);
      if (first == kNone) continue;
      bool stays = true;
      for (uint32_t l = nest.innermost[first]; l != kNone; l = nest.loops[l].parent)
        for (BlockId latch : nest.loops[l].latches) stays = stays && last[v] <= latch;
      if (stays) plan_.begins[first].push_back(v);
    }
  }

  const Function& f_;
  const passes::Specialization& spec_;
  Plan plan_;
  // Of the block being planned:
  std::map<ValueId, uint32_t> shared_counters_;           // address value -> first counter
  std::map<std::pair<ValueId, Space>, ValueId> leaders_;  // address value -> the access that tests for all
};

}  // namespace

bool can_take(const Function& f, const Plan& plan, BlockId from, BlockId to) {
  const Inst& end = f.insts[f.blocks[from].insts.back()];
  if (end.op != Op::CondBr) return true;
  const Lanes& c = plan.lanes.values[end.args[0]];
  if (!c.uniform() || c.known_bits < 64) return true;
  return f.blocks[from].succs[(c.residue & 1) ? 0 : 1] == to;
}

Plan make_plan(const Function& f, const passes::Specialization& spec) { return Planner(f, spec).run(); }

}  // namespace warplens::codegen
