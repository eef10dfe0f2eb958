// The rules are in lanes.h; this file is the transfer function of each opcode and the fixed point over loops and
// branches.
#include "passes/lanes.h"

#include <algorithm>
#include <bit>

#include "passes/calls.h"
#include "passes/divergence.h"
#include "passes/lanes_wait.h"
#include "passes/waits.h"

namespace warplens::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::SpecialRegister;
using ir::Type;
using ir::ValueId;

namespace {

constexpr uint64_t kAll = ~uint64_t{0};

uint64_t mask_of(int bits) { return bits >= 64 ? kAll : (uint64_t{1} << bits) - 1; }
int64_t sign_extend(uint64_t v, int bits) {
  return bits >= 64 ? static_cast<int64_t>(v) : static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
}

Lanes varying() {
  Lanes l;
  l.kind = Lanes::Kind::Varying;
  return l;
}

Lanes flat_value(uint8_t groups = 1) {
  Lanes l;
  l.kind = Lanes::Kind::Affine;
  l.groups = groups;
  return l;
}

Lanes constant(uint64_t value) {
  Lanes l = flat_value();
  l.known_bits = 64;
  l.residue = value;
  l.unsigned_max = value;
  return l;
}

// Keeps the facts true when the base grows by an amount that is only known to be one of these.
void weaken(Lanes& l, uint64_t delta) {
  if (delta == 0) return;
  l.known_bits = std::min<uint8_t>(l.known_bits, static_cast<uint8_t>(std::countr_zero(delta)));
  l.residue &= mask_of(l.known_bits);
}

// Lane values wrap, as registers do.
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
uint64_t magnitude(int64_t a) { return a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a); }

bool is_constant(const Lanes& l, int bits) { return l.uniform() && l.known_bits >= bits && l.guards.empty(); }

}  // namespace

bool Lanes::flat() const {
  return guards.empty() && std::all_of(pattern.begin(), pattern.end(), [](int64_t p) { return p == 0; });
}

Dim3 thread_index(const Dim3& block, uint32_t linear) {
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

Lanes regroup(const Lanes& lanes, uint32_t groups, std::array<int64_t, 4>* offset) {
  Lanes r = lanes;
  r.groups = static_cast<uint8_t>(groups);
  const uint32_t width = kWarpSize / groups;
  for (uint32_t g = 0; g < groups; ++g) {
    const int64_t first = lanes.pattern[g * width];
    if (offset) (*offset)[g] = first;
    for (uint32_t l = g * width; l < (g + 1) * width; ++l) r.pattern[l] = minus(r.pattern[l], first);
    weaken(r, static_cast<uint64_t>(first));
  }
  return r;
}

namespace {

class Analyzer {
 public:
  Analyzer(const Function& f, const Specialization& spec)
      : f_(f), spec_(spec), nest_(find_loops(f)), waits_(find_waits(f, nest_)) {}

  LaneAnalysis run() {
    a_.values.assign(f_.insts.size(), {});
    a_.divergent_block_end.assign(f_.blocks.size(), 0);
    a_.divergent_join.assign(f_.blocks.size(), 0);
    apart_.assign(f_.blocks.size(), 0);
    // Lanes may be anywhere in a cycle that has no header, at different times.
    if (!nest_.reducible) set_apart();
    for (;;) {  // joins only ever grow: each round starts from those found so far
      std::fill(a_.values.begin(), a_.values.end(), Lanes{});
      visits_.assign(f_.insts.size(), 0);
      solve();
      std::vector<uint8_t> split(f_.blocks.size(), 0);
      for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        const Inst& end = f_.insts[f_.blocks[b].insts.back()];
        split[b] = end.op == Op::CondBr && !at(end.args[0]).uniform();
      }
      const Divergence d = propagate_divergence(f_, nest_, split);
      a_.divergent_block_end = split;
      bool grew = false;
      for (BlockId b = 0; b < f_.blocks.size(); ++b)
        if (d.join[b] && !a_.divergent_join[b]) a_.divergent_join[b] = 1, grew = true;
      for (BlockId b = 0; b < f_.blocks.size(); ++b)
        if (f_.insts[f_.blocks[b].insts.back()].op == Op::Barrier && d.region[b]) {
          a_.divergent_barrier = true;
          grew = keep_apart(b) || grew;
        }
      if (!a_.independent &&
          (calls_part_lanes(f_, nest_, &split) || lanes_may_wait(f_, nest_, waits_, a_.values, split))) {
        set_apart();
        grew = true;
      }
      if (!grew) {
        for (Lanes& l : a_.values)
          if (l.kind == Lanes::Kind::Bottom) l = varying();
        return std::move(a_);
      }
    }
  }

 private:
  const Lanes& at(ValueId v) const { return a_.values[v]; }

  void set_apart() {
    a_.independent = a_.divergent_barrier = true;
    std::fill(a_.divergent_join.begin(), a_.divergent_join.end(), 1);
    std::fill(apart_.begin(), apart_.end(), 1);
  }

  // Lanes can wait at the barrier of block b while others of their warp run on. In a loop around it those may come by
  // again, so what is the same for the lanes of one visit is not for the warp.
  bool keep_apart(BlockId b) {
    bool grew = false;
    for (uint32_t l = nest_.innermost[b]; l != kNone; l = nest_.loops[l].parent) {
      auto& header = a_.divergent_join[nest_.loops[l].header];
      if (!header) header = 1, grew = true;
      for (BlockId inside : nest_.loops[l].blocks)
        if (!apart_[inside]) apart_[inside] = 1, grew = true;
    }
    return grew;
  }

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId b = 0; b < f_.blocks.size(); ++b)
        for (ValueId v : f_.blocks[b].insts) {
          Lanes next = transfer(v, f_.insts[v]);
          if (!(next == a_.values[v])) {
            // Facts about a loop-carried base shrink step by step; give them up rather than count to 2^32.
            if (++visits_[v] > 8) next.unsigned_max = kAll;
            if (visits_[v] > 80) next = varying();
            if (next.affine() && f_.insts[v].op == Op::Phi)
              next.unsigned_max = std::min(next.unsigned_max, loop_bound(v));
            if (!(next == a_.values[v])) a_.values[v] = std::move(next), changed = true;
          }
        }
    }
  }

  Lanes transfer(ValueId v, const Inst& inst) {
    if (inst.op == Op::Phi) return phi(v, inst);
    for (ValueId a : inst.args)
      if (at(a).kind == Lanes::Kind::Bottom) return {};
    Lanes r = compute(inst);
    if (r.affine()) finish(r, inst.type);
    return r;
  }

  // Patterns live modulo the type's width, and are kept as the signed representative nearest zero.
  void finish(Lanes& r, Type type) {
    const int bits = ir::bits(type);
    if (bits == 0) return;
    for (int64_t& p : r.pattern) p = sign_extend(static_cast<uint64_t>(p) & mask_of(bits), bits);
    if (r.known_bits > bits) r.known_bits = static_cast<uint8_t>(r.known_bits >= 64 ? 64 : bits);
    r.residue &= mask_of(std::min<int>(bits, r.known_bits));
    r.unsigned_max = std::min(r.unsigned_max, mask_of(bits));
    if (r.known_bits >= bits && r.flat() && r.groups == 1) r.unsigned_max = r.residue;
    if (r.groups > 1 && !ir::is_int(type) && !r.flat()) r = varying();
    if (r.groups > spec_.max_groups || r.guards.size() > 2) r = varying();
  }

  Lanes phi(ValueId v, const Inst& inst) {
    // Lanes may bring different values. Not to be put off until every argument is known: in the header of a loop one of
    // them comes from this phi itself.
    if (a_.divergent_join[inst.block]) return varying();
    Lanes r;
    for (ValueId a : inst.args) {
      const Lanes& x = at(a);
      if (x.kind == Lanes::Kind::Bottom || a == v) continue;
      r = r.kind == Lanes::Kind::Bottom ? x : join(r, x);
    }
    if (r.affine()) finish(r, inst.type);
    return r;
  }

  // A value that starts somewhere and steps up by a constant in every iteration.
  struct Counter {
    const Lanes* start;
    ValueId next;
    uint64_t by;
  };
  std::optional<Counter> counter(ValueId v) const {
    const Inst& inst = f_.insts[v];
    const uint32_t loop = nest_.innermost[inst.block];
    if (inst.op != Op::Phi || loop == kNone || nest_.loops[loop].header != inst.block || inst.args.size() != 2 ||
        !nest_.reducible)
      return {};
    const size_t back = f_.blocks[inst.block].preds[0] == nest_.loops[loop].latches[0] ? 0 : 1;
    const Inst& step = f_.insts[inst.args[back]];
    const Lanes& start = at(inst.args[1 - back]);
    const int bits = ir::bits(inst.type);
    if (step.op != Op::Add || !start.affine() || start.unsigned_max > mask_of(bits - 1)) return {};
    const size_t self = step.args[0] == v ? 0 : 1;
    if (step.args[self] != v || !is_constant(at(step.args[1 - self]), bits)) return {};
    const uint64_t by = at(step.args[1 - self]).residue & mask_of(bits);
    if (by == 0 || by > 0xffffff) return {};
    return Counter{&start, inst.args[back], by};
  }

  // Iterations of `for (t = 0; t < 64; ++t)`: a uniform counter from a constant, tested against a constant once in
  // each.
  uint64_t trip_count(uint32_t loop) const {
    const BlockId header = nest_.loops[loop].header, latch = nest_.loops[loop].latches[0];
    // The test at the header, or where the latch is reached from: every iteration passes both.
    for (BlockId b : {header, f_.blocks[latch].preds.size() == 1 ? f_.blocks[latch].preds[0] : latch, latch}) {
      const Inst& end = f_.insts[f_.blocks[b].insts.back()];
      if (end.op != Op::CondBr) continue;
      const bool stays_if_true = nest_.contains(loop, f_.blocks[b].succs[0]);
      if (stays_if_true == nest_.contains(loop, f_.blocks[b].succs[1])) continue;
      const Inst& test = f_.insts[end.args[0]];
      if (test.op != Op::ICmp) continue;
      for (ValueId v : f_.blocks[header].insts) {
        const auto c = counter(v);
        if (!c) continue;
        const int bits = ir::bits(f_.insts[v].type);
        if ((test.args[0] != v && test.args[0] != c->next) || !is_constant(at(test.args[1]), bits) ||
            !is_constant(*c->start, bits))
          continue;
        const uint64_t limit = at(test.args[1]).residue & mask_of(bits), first = c->start->residue & mask_of(bits);
        if (limit <= first || limit > mask_of(bits - 1) - c->by) continue;
        uint64_t most = 0;  // of the tested value, while the loop goes on
        switch (static_cast<ir::IntCompare>(test.imm)) {
          case ir::IntCompare::LtS:
          case ir::IntCompare::LtU:
            if (!stays_if_true) continue;
            most = limit - 1;
            break;
          case ir::IntCompare::LeS:
          case ir::IntCompare::LeU:
            if (!stays_if_true) continue;
            most = limit;
            break;
          case ir::IntCompare::GeS:
          case ir::IntCompare::GeU:
            if (stays_if_true) continue;
            most = limit - 1;
            break;
          case ir::IntCompare::GtS:
          case ir::IntCompare::GtU:
            if (stays_if_true) continue;
            most = limit;
            break;
          case ir::IntCompare::Ne:
          case ir::IntCompare::Eq:
            if ((static_cast<ir::IntCompare>(test.imm) == ir::IntCompare::Ne) != stays_if_true ||
                (limit - first) % c->by != 0)
              continue;
            most = limit - 1;
            break;
          default:
            continue;
        }
        // Tested after the step, the last iteration began with at most `most`; tested at the start, the header is
        // reached once more.
        return (most - std::min(most, first)) / c->by + (test.args[0] == v ? 2 : 1);
      }
    }
    return kAll;
  }

  // What no lane of a counter of a counted loop exceeds.
  uint64_t loop_bound(ValueId v) const {
    const auto c = counter(v);
    if (!c) return kAll;
    const uint64_t trips = trip_count(nest_.innermost[f_.insts[v].block]);
    uint64_t reach = 0;
    if (trips == kAll || __builtin_mul_overflow(trips - 1, c->by, &reach) ||
        __builtin_add_overflow(reach, c->start->unsigned_max, &reach))
      return kAll;
    return reach > mask_of(ir::bits(f_.insts[v].type) - 1) ? kAll : reach;
  }

  Lanes join(const Lanes& a, const Lanes& b) {
    if (!a.affine() || !b.affine() || a.guards != b.guards) return varying();
    for (uint32_t g = std::max(a.groups, b.groups); g <= spec_.max_groups; g *= 2) {
      Lanes x = regroup(a, g), y = regroup(b, g);
      if (x.pattern != y.pattern) continue;
      const uint8_t common = static_cast<uint8_t>(std::min<int>(
          {x.known_bits, y.known_bits, x.residue == y.residue ? 64 : std::countr_zero(x.residue ^ y.residue)}));
      x.known_bits = common;
      x.residue &= mask_of(common);
      x.unsigned_max = std::max(a.unsigned_max, b.unsigned_max);
      return x;
    }
    return varying();
  }

  // All arguments brought to one number of groups.
  std::vector<Lanes> args_of(const Inst& inst, uint32_t* groups) {
    uint32_t g = 1;
    for (ValueId a : inst.args)
      if (at(a).affine()) g = std::max<uint32_t>(g, at(a).groups);
    std::vector<Lanes> args;
    for (ValueId a : inst.args) args.push_back(at(a).affine() ? regroup(at(a), g) : at(a));
    *groups = g;
    return args;
  }

  // The smallest number of groups in which every argument is one scalar a group; 0 if there is none.
  uint32_t flat_groups(const Inst& inst) {
    for (uint32_t g = 1; g <= spec_.max_groups; g *= 2) {
      bool ok = true;
      for (ValueId a : inst.args) {
        const Lanes& x = at(a);
        ok = ok && x.affine() && x.groups <= g && x.guards.empty() && regroup(x, g).flat();
      }
      if (ok) return g;
    }
    return 0;
  }

  Lanes compute(const Inst& inst);
  Lanes integer(const Inst& inst);
  Lanes special(const Inst& inst);
  Lanes param(const Inst& inst);
  Lanes add(const Lanes& a, const Lanes& b, int64_t sign, int bits);
  Lanes scale(const Lanes& a, uint64_t factor, int bits);
  Lanes bit_and(const Lanes& a, uint64_t mask, int bits);
  Lanes shift_right(const Lanes& a, uint64_t amount, int bits, bool is_signed);
  Lanes bit_xor(const Lanes& a, uint64_t c, int bits);
  Lanes widen(ValueId self, const Lanes& a, int from, bool is_signed);
  Lanes logic(const Inst& inst);
  Lanes compare(const Inst& inst, const std::vector<Lanes>& x, int bits);
  Lanes fold_flat(const Inst& inst, uint32_t groups);

  const Function& f_;
  const Specialization& spec_;
  LoopNest nest_;
  LaneAnalysis a_;
  std::vector<uint16_t> visits_;
  const std::vector<Wait> waits_;
  std::vector<uint8_t> apart_;  // per block: lanes of the warp can be here at different times and wait meanwhile
};

Lanes Analyzer::compute(const Inst& inst) {
  // What memory, other lanes or the clock say depends on the visit.
  if (apart_[inst.block] && ir::info(inst.op).effect != ir::Effect::Pure && inst.type != Type::Void) return varying();
  switch (inst.op) {
    case Op::Const:
      return constant(inst.imm);
    case Op::Undef:
      return constant(0);
    case Op::Special:
      return special(inst);
    case Op::Param:
      return param(inst);
    case Op::SymbolAddress: {
      Lanes l = flat_value();  // module variables are placed at the alignment of an allocation
      l.known_bits = 8;
      return l;
    }
    case Op::ToGeneric:
    case Op::FromGeneric:
    case Op::IsSpace: {
      const Lanes& a = at(inst.args[0]);
      if (inst.space == ir::Space::Local || !a.affine()) return varying();  // each lane has a frame of its own
      if (inst.op == Op::IsSpace) return a.flat() ? flat_value(a.groups) : varying();
      if (inst.space != ir::Space::Shared) return a;
      Lanes moved = a;  // by the window's address, a multiple of 256
      moved.known_bits = std::min<uint8_t>(moved.known_bits, 8);
      moved.residue &= 255;
      moved.unsigned_max = kAll;
      return moved;
    }
    case Op::Extract: {
      // A component of a load or shuffle: as uniform as the whole.
      const Lanes& whole = at(inst.args[0]);
      return whole.affine() ? flat_value(whole.groups) : varying();
    }
    case Op::Load: {
      if (inst.space == ir::Space::Local || inst.guard != kNone) return varying();
      const uint32_t g = flat_groups(inst);
      return g && inst.space != ir::Space::Generic ? flat_value(static_cast<uint8_t>(g)) : varying();
    }
    case Op::Vote:
      return inst.guard == kNone && at(inst.args[1]).uniform() ? flat_value() : varying();
    case Op::ActiveMask:
      return inst.guard == kNone ? flat_value() : varying();
    case Op::Clock:
      return flat_value();
    case Op::BarrierResult:
      return flat_value();
    case Op::StackLoad:
    case Op::SystemCall:
    case Op::Texture:
    case Op::Surface:
    case Op::Atomic:
    case Op::Shuffle:
    case Op::Match:
    case Op::Redux:
    case Op::Matrix:
      return varying();
    default:
      break;
  }
  if (ir::info(inst.op).effect != ir::Effect::Pure) return flat_value();  // no result
  const Lanes by_rule = integer(inst);
  if (by_rule.affine()) return by_rule;
  if (const uint32_t g = flat_groups(inst)) return fold_flat(inst, g);
  return varying();
}

// One scalar a group in, one scalar a group out; keep what is cheap to know about it.
Lanes Analyzer::fold_flat(const Inst& inst, uint32_t groups) {
  Lanes r = flat_value(static_cast<uint8_t>(groups));
  if (inst.op == Op::RemU && is_constant(at(inst.args[1]), ir::bits(inst.type)) && at(inst.args[1]).residue)
    r.unsigned_max = at(inst.args[1]).residue - 1;
  if (inst.op == Op::DivU || inst.op == Op::MinU) r.unsigned_max = at(inst.args[0]).unsigned_max;
  if (inst.op == Op::DivU) r.unsigned_max = kAll;  // x/0 is all ones
  if (inst.op == Op::And) r.unsigned_max = std::min(at(inst.args[0]).unsigned_max, at(inst.args[1]).unsigned_max);
  if (inst.op == Op::ShrU) r.unsigned_max = at(inst.args[0]).unsigned_max;
  return r;
}

Lanes Analyzer::special(const Inst& inst) {
  const Dim3& b = spec_.block;
  const uint32_t threads = static_cast<uint32_t>(b.count());
  auto per_thread = [&](auto value, uint64_t max) {
    // The pattern must be the same for every warp of the block, in as few groups as possible.
    for (uint32_t g = 1; g <= spec_.max_groups; g *= 2) {
      const uint32_t width = kWarpSize / g;
      LanePattern pattern{};
      bool same = true;
      uint64_t known_ones = kAll, known_zeros = kAll;
      for (uint32_t w = 0; w * kWarpSize < threads && same; ++w)
        for (uint32_t l = 0; l < kWarpSize && same; ++l) {
          const uint32_t t = w * kWarpSize + l, first = w * kWarpSize + l / width * width;
          const int64_t delta = static_cast<int64_t>(value(t)) - static_cast<int64_t>(value(first));
          if (w == 0) pattern[l] = delta;
          same = pattern[l] == delta;
          if (l % width == 0) known_ones &= value(t), known_zeros &= ~uint64_t{value(t)};
        }
      if (!same) continue;
      Lanes l = flat_value(static_cast<uint8_t>(g));
      l.pattern = pattern;
      l.known_bits = static_cast<uint8_t>(std::countr_one(known_ones | known_zeros));
      l.residue = known_ones & mask_of(l.known_bits);
      l.unsigned_max = max;
      return l;
    }
    return varying();
  };
  auto bounded = [&](uint64_t max) {
    Lanes l = flat_value();
    l.unsigned_max = max;
    return l;
  };
  // Lanes past the block's last thread never run, but their indices continue the formula.
  const uint32_t warps = (threads + kWarpSize - 1) / kWarpSize, last = warps * kWarpSize;
  switch (static_cast<SpecialRegister>(inst.imm)) {
    case SpecialRegister::TidX:
      return per_thread([&](uint32_t t) { return t % b.x; }, std::min(b.x, last) - 1);
    case SpecialRegister::TidY:
      return per_thread([&](uint32_t t) { return t / b.x % b.y; }, b.y - 1);
    case SpecialRegister::TidZ:
      return per_thread([&](uint32_t t) { return t / b.x / b.y; }, last / (b.x * b.y) + 1);
    case SpecialRegister::LaneId:
      return per_thread([](uint32_t t) { return t % kWarpSize; }, kWarpSize - 1);
    case SpecialRegister::NtidX:
      return constant(b.x);
    case SpecialRegister::NtidY:
      return constant(b.y);
    case SpecialRegister::NtidZ:
      return constant(b.z);
    case SpecialRegister::NwarpId:
      return constant(warps);
    case SpecialRegister::WarpId:
      return bounded(warps - 1);
    case SpecialRegister::CtaidX:
      return bounded(spec_.grid ? spec_.grid->x - 1 : 0x7ffffffe);
    case SpecialRegister::CtaidY:
      return bounded(spec_.grid ? spec_.grid->y - 1 : 65534);
    case SpecialRegister::CtaidZ:
      return bounded(spec_.grid ? spec_.grid->z - 1 : 65534);
    case SpecialRegister::NctaidX:
      return spec_.grid ? constant(spec_.grid->x) : bounded(0x7fffffff);
    case SpecialRegister::NctaidY:
      return spec_.grid ? constant(spec_.grid->y) : bounded(65535);
    case SpecialRegister::NctaidZ:
      return spec_.grid ? constant(spec_.grid->z) : bounded(65535);
    case SpecialRegister::Zero:
      return constant(0);
    case SpecialRegister::LanemaskEq:
    case SpecialRegister::LanemaskLt:
    case SpecialRegister::LanemaskLe:
    case SpecialRegister::LanemaskGt:
    case SpecialRegister::LanemaskGe:
      return varying();
    default:
      return flat_value();
  }
}

Lanes Analyzer::param(const Inst& inst) {
  Lanes l = flat_value();
  const int bytes = ir::bytes(inst.type);
  uint64_t known = 0, value = 0;
  for (int k = 0; k < bytes; ++k) {
    const size_t at = inst.imm + static_cast<size_t>(k);
    if (at >= spec_.param_known.size()) break;
    known |= uint64_t{spec_.param_known[at]} << (8 * k);
    value |= uint64_t{spec_.param_value[at]} << (8 * k);
  }
  l.known_bits = static_cast<uint8_t>(std::min(std::countr_one(known), 8 * bytes));
  if (l.known_bits == 8 * bytes) l.known_bits = 64;
  l.residue = value & mask_of(l.known_bits);
  if (l.known_bits == 64) l.unsigned_max = l.residue;
  return l;
}

Lanes Analyzer::add(const Lanes& a, const Lanes& b, int64_t sign, int bits) {
  Lanes r = a;
  for (uint32_t l = 0; l < kWarpSize; ++l)
    r.pattern[l] = sign < 0 ? minus(a.pattern[l], b.pattern[l]) : plus(a.pattern[l], b.pattern[l]);
  r.known_bits = std::min(a.known_bits, b.known_bits);
  r.residue = (a.residue + static_cast<uint64_t>(sign) * b.residue) & mask_of(r.known_bits);
  uint64_t sum = 0;
  const bool overflow = __builtin_add_overflow(a.unsigned_max, b.unsigned_max, &sum) || sum > mask_of(bits);
  r.unsigned_max = sign > 0 && !overflow ? sum : kAll;
  for (const Lanes::Guard& g : b.guards) {
    auto same = std::find_if(r.guards.begin(), r.guards.end(), [&](const auto& x) { return x.widening == g.widening; });
    if (same == r.guards.end())
      r.guards.push_back({g.widening, sign < 0 ? minus(0, g.multiplier) : g.multiplier});
    else
      same->multiplier = sign < 0 ? minus(same->multiplier, g.multiplier) : plus(same->multiplier, g.multiplier);
  }
  std::erase_if(r.guards, [](const auto& g) { return g.multiplier == 0; });
  return r;
}

Lanes Analyzer::scale(const Lanes& a, uint64_t factor, int bits) {
  Lanes r = a;
  if (factor == 0) return constant(0);
  for (int64_t& p : r.pattern) p = static_cast<int64_t>(static_cast<uint64_t>(p) * factor);
  r.known_bits = static_cast<uint8_t>(std::min(64, a.known_bits + std::countr_zero(factor)));
  r.residue = (a.residue * factor) & mask_of(r.known_bits);
  uint64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a.unsigned_max, factor, &product) || product > mask_of(bits);
  r.unsigned_max = overflow ? kAll : product;
  for (auto& g : r.guards) g.multiplier = static_cast<int64_t>(static_cast<uint64_t>(g.multiplier) * factor);
  return r;
}

// x & mask, for masks that keep the low k bits, or clear them: both follow from the lanes' low bits, which are known.
Lanes Analyzer::bit_and(const Lanes& a, uint64_t mask, int bits) {
  mask &= mask_of(bits);
  const bool keeps_low = (mask & (mask + 1)) == 0;
  const uint64_t cleared = ~mask & mask_of(bits);
  const bool clears_low = (cleared & (cleared + 1)) == 0;
  if (!keeps_low && !clears_low) return varying();
  const uint64_t low = keeps_low ? mask : cleared;
  if (keeps_low && a.unsigned_max <= mask && a.guards.empty()) return a;  // nothing to cut off
  if (a.known_bits < std::popcount(low) || !a.guards.empty()) return varying();
  Lanes r = keeps_low ? constant(0) : a;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    const int64_t bits_of_lane = static_cast<int64_t>((a.residue + static_cast<uint64_t>(a.pattern[l])) & low);
    r.pattern[l] = keeps_low ? bits_of_lane : minus(a.pattern[l], bits_of_lane);
  }
  const int64_t first = r.pattern[0];  // the same for the first lane of every group that stays one
  if (keeps_low) {
    r.unsigned_max = std::min(low, a.unsigned_max);
    r.residue = static_cast<uint64_t>(first);
  } else {
    r.residue = a.residue & ~low;
    r.unsigned_max = a.unsigned_max;
  }
  for (int64_t& p : r.pattern) p = minus(p, first);
  return r;
}

// x >> k where no lane's low bits carry into the rest: the base is shifted, the pattern is gone.
Lanes Analyzer::shift_right(const Lanes& a, uint64_t amount, int bits, bool is_signed) {
  if (amount == 0) return a;
  if (amount >= static_cast<uint64_t>(bits) || a.known_bits < amount || !a.guards.empty()) return varying();
  const int64_t limit = int64_t{1} << amount;
  for (int64_t p : a.pattern) {
    const int64_t low = plus(static_cast<int64_t>(a.residue & mask_of(static_cast<int>(amount))), p);
    if (low < 0 || low >= limit) return varying();
  }
  Lanes r = flat_value(a.groups);
  r.known_bits = static_cast<uint8_t>(a.known_bits >= 64 ? 64 : a.known_bits - amount);
  r.residue = a.known_bits >= 64 && is_signed ? static_cast<uint64_t>(sign_extend(a.residue, bits) >> amount)
                                              : a.residue >> amount;
  r.unsigned_max = is_signed && a.unsigned_max > mask_of(bits) / 2 ? kAll : a.unsigned_max >> amount;
  return r;
}

// x ^ c where c lies in the low bits that are known in every lane.
Lanes Analyzer::bit_xor(const Lanes& a, uint64_t c, int bits) {
  const int width = 64 - std::countl_zero(c & mask_of(bits));
  if (a.known_bits < width || !a.guards.empty()) return varying();
  const uint64_t low = mask_of(width);
  Lanes r = a;
  auto flipped = [&](uint32_t l) {
    const uint64_t mine = (a.residue + static_cast<uint64_t>(a.pattern[l])) & low;
    return minus(plus(a.pattern[l], static_cast<int64_t>((mine ^ c) & low)), static_cast<int64_t>(mine));
  };
  const uint32_t group = kWarpSize / a.groups;
  for (uint32_t l = 0; l < kWarpSize; ++l) r.pattern[l] = minus(flipped(l), flipped(l / group * group));
  r.residue = (a.residue ^ (c & mask_of(bits))) & mask_of(a.known_bits);
  r.unsigned_max = a.unsigned_max | low;
  return r;
}

Lanes Analyzer::widen(ValueId self, const Lanes& a, int from, bool is_signed) {
  Lanes r = a;
  const uint64_t positive = is_signed ? mask_of(from - 1) : mask_of(from);
  // A residue stays what it is only in the bits below the old sign.
  if (a.known_bits >= 64) {
    r.residue = is_signed ? static_cast<uint64_t>(sign_extend(a.residue, from)) : a.residue & mask_of(from);
  } else {
    r.known_bits = std::min<uint8_t>(a.known_bits, static_cast<uint8_t>(from));
  }
  if (a.flat()) {
    if (is_signed && a.unsigned_max > positive) r.unsigned_max = kAll;
    return r;
  }
  // No lane wraps if base + pattern stays below the old width's end: lane values are then what they seem. A value whose
  // maximum lies below the sign cannot get there; else the maximum must leave room for the pattern.
  uint64_t span = 0;
  for (int64_t p : a.pattern) span = std::max(span, magnitude(p));
  if (a.unsigned_max <= mask_of(from - 1) || (!is_signed && span <= positive && a.unsigned_max <= positive - span))
    return r;
  if (!a.guards.empty()) return varying();
  if (a.known_bits >= 64 && a.groups == 1) {  // a constant in each lane
    Lanes exact = r;
    for (uint32_t l = 0; l < kWarpSize; ++l) {
      const uint64_t lane = (a.residue + static_cast<uint64_t>(a.pattern[l])) & mask_of(from);
      exact.pattern[l] =
          minus(is_signed ? sign_extend(lane, from) : static_cast<int64_t>(lane), static_cast<int64_t>(r.residue));
    }
    exact.unsigned_max = kAll;
    return exact;
  }
  r.guards.push_back({self, 1});
  r.unsigned_max = is_signed ? kAll : mask_of(from);
  return r;
}

// A bound check that no lane can fail: `i < n` where every lane's i is at most n - 1. Both sides non-negative, so that
// signed and unsigned comparisons agree.
Lanes Analyzer::compare(const Inst& inst, const std::vector<Lanes>& x, int bits) {
  const uint64_t positive = mask_of(bits - 1);
  if (!is_constant(at(inst.args[1]), bits) || x[0].unsigned_max > positive) return varying();
  const uint64_t most = x[0].unsigned_max, c = at(inst.args[1]).residue & mask_of(bits);
  if (c > positive) return varying();
  switch (static_cast<ir::IntCompare>(inst.imm)) {
    case ir::IntCompare::LtS:
    case ir::IntCompare::LtU:
      return most < c ? constant(1) : varying();
    case ir::IntCompare::GeS:
    case ir::IntCompare::GeU:
      return most < c ? constant(0) : varying();
    case ir::IntCompare::LeS:
    case ir::IntCompare::LeU:
      return most <= c ? constant(1) : varying();
    case ir::IntCompare::GtS:
    case ir::IntCompare::GtU:
      return most <= c ? constant(0) : varying();
    default:
      return varying();
  }
}

// Predicates of bound checks that nobody can fail, combined.
Lanes Analyzer::logic(const Inst& inst) {
  const bool is_or = inst.op == Op::Or;
  bool all = true;
  for (ValueId a : inst.args) {
    if (!is_constant(at(a), 1))
      all = false;
    else if ((at(a).residue & 1) == (is_or ? 1u : 0u))
      return constant(is_or);
  }
  return all ? constant(!is_or) : varying();
}

Lanes Analyzer::integer(const Inst& inst) {
  const int bits = ir::bits(inst.type);
  uint32_t groups = 1;
  const std::vector<Lanes> x = args_of(inst, &groups);
  for (const Lanes& l : x)
    if (!l.affine()) return varying();
  const ValueId self = static_cast<ValueId>(&inst - f_.insts.data());
  const int from = inst.args.empty() ? 0 : ir::bits(f_.insts[inst.args[0]].type);
  auto constant_arg = [&](size_t k, int width) { return is_constant(at(inst.args[k]), width); };
  auto value = [&](size_t k) { return at(inst.args[k]).residue; };
  switch (inst.op) {
    case Op::ICmp:
      return compare(inst, x, from);
    case Op::Add:
      return add(x[0], x[1], 1, bits);
    case Op::Sub:
      return add(x[0], x[1], -1, bits);
    case Op::Mul:
      if (constant_arg(1, bits)) return scale(x[0], value(1) & mask_of(bits), bits);
      if (constant_arg(0, bits)) return scale(x[1], value(0) & mask_of(bits), bits);
      if (const uint32_t g = flat_groups(inst)) {
        Lanes r = flat_value(static_cast<uint8_t>(g));
        const Lanes a = regroup(at(inst.args[0]), g), b = regroup(at(inst.args[1]), g);
        // The product's low bits: known as far as either factor's unknown part, shifted by the other's zeros, reaches.
        const int za = std::countr_zero(a.residue | (a.known_bits >= 64 ? 0 : uint64_t{1} << a.known_bits));
        const int zb = std::countr_zero(b.residue | (b.known_bits >= 64 ? 0 : uint64_t{1} << b.known_bits));
        r.known_bits =
            static_cast<uint8_t>(std::min({64, a.known_bits + std::min(zb, 63), b.known_bits + std::min(za, 63)}));
        r.residue = (a.residue * b.residue) & mask_of(r.known_bits);
        uint64_t product = 0;
        if (!__builtin_mul_overflow(a.unsigned_max, b.unsigned_max, &product) && product <= mask_of(bits))
          r.unsigned_max = product;
        return r;
      }
      return varying();
    case Op::Shl:
      if (!constant_arg(1, 32)) return varying();
      return value(1) >= static_cast<uint64_t>(bits) ? constant(0) : scale(x[0], uint64_t{1} << value(1), bits);
    case Op::And:
      if (inst.type == Type::Pred) return logic(inst);
      if (constant_arg(1, bits)) return bit_and(x[0], value(1), bits);
      if (constant_arg(0, bits)) return bit_and(x[1], value(0), bits);
      return varying();
    case Op::ShrU:
    case Op::ShrS:
      if (!constant_arg(1, 32)) return varying();
      return shift_right(x[0], value(1), bits, inst.op == Op::ShrS);
    case Op::Or: {
      if (inst.type == Type::Pred) return logic(inst);
      // Disjoint bits: an addition. One side is a multiple of 2^k in every lane, the other below 2^k.
      for (int k = 0; k < 2; ++k) {
        const Lanes &high = x[k], &small = x[1 - k];
        if (small.unsigned_max == kAll) continue;
        const int width = 64 - std::countl_zero(small.unsigned_max);
        bool multiple = high.known_bits >= width && (high.residue & mask_of(width)) == 0;
        for (int64_t p : high.pattern) multiple = multiple && (static_cast<uint64_t>(p) & mask_of(width)) == 0;
        if (multiple) return add(high, small, 1, bits);
      }
      return varying();
    }
    case Op::Xor:
      if (inst.type == Type::Pred) return varying();
      if (constant_arg(1, bits)) return bit_xor(x[0], value(1), bits);
      if (constant_arg(0, bits)) return bit_xor(x[1], value(0), bits);
      return varying();
    case Op::SExt:
      return widen(self, x[0], from, true);
    case Op::ZExt:
      return from == 1 ? varying() : widen(self, x[0], from, false);
    case Op::Trunc: {
      Lanes r = x[0];
      r.guards.clear();                  // exact modulo the narrow width whether or not the wide value wrapped ...
      for (const auto& g : x[0].guards)  // ... if what wrapped was at least as wide
        if (ir::bits(f_.insts[f_.insts[g.widening].args[0]].type) < bits) r.guards.push_back(g);
      if (r.unsigned_max > mask_of(bits)) r.unsigned_max = kAll;
      return r;
    }
    case Op::Bitcast:
      return ir::is_int(inst.type) && x[0].flat() ? flat_value(x[0].groups) : varying();
    case Op::Select: {
      if (!at(inst.args[0]).uniform()) return varying();
      Lanes r = join(at(inst.args[1]), at(inst.args[2]));
      return r;
    }
    case Op::Not:
      return inst.type == Type::Pred && is_constant(x[0], 1) ? constant(~x[0].residue & 1) : varying();
    default:
      return varying();
  }
}

}  // namespace

LaneAnalysis analyze_lanes(const Function& f, const Specialization& spec) { return Analyzer(f, spec).run(); }

}  // namespace warplens::passes
