#include "engine/replay.h"

#include <algorithm>
#include <bit>

namespace warplens::engine_test {

using ir::kNone;
using ir::Op;

Replay::Replay(const ir::Function& f, const Dim3& block) : f_(f), threads_(block.count()), weight_(f.blocks.size(), 0) {
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    counts_.blocks.push_back({b, 0, 0});
    for (ir::ValueId v : f.blocks[b].insts) weight_[b] += f.insts[v].weight;
    const ir::Inst& end = f.insts[f.blocks[b].insts.back()];
    if (end.op == Op::CondBr && end.site != kNone) counts_.branches.push_back({end.site, 0, 0, 0});
  }
  counts_.windowed.assign(f.sites.size(), 0);
}

void Replay::begin_block(const Dim3&) {
  for (Trace& t : threads_) t.steps.clear(), t.touches.clear();
}

void Replay::enter(uint32_t thread, ir::BlockId block) {
  threads_[thread].steps.push_back({block, threads_[thread].touches.size()});
}

void Replay::access(uint32_t thread, ir::ValueId inst, ir::Space lies_in, uint64_t address) {
  const ir::Inst& i = f_.insts[inst];
  if (i.site == kNone) return;  // of the parameter buffer
  threads_[thread].touches.push_back({inst, address});
  if (i.space == ir::Space::Generic && lies_in != ir::Space::Global) counts_.windowed[i.site] = 1;
}

void Replay::guarded_off(uint32_t) { ++counts_.guarded_off; }

void Replay::names(uint32_t thread, ir::ValueId inst, uint32_t lanes) {
  const auto& insts = f_.blocks[f_.insts[inst].block].insts;
  const auto first = std::find_if(insts.begin(), insts.end(), [&](ir::ValueId v) { return f_.insts[v].op != Op::Phi; });
  if (*first == inst) threads_[thread].steps.back().named = lanes;
}

void Replay::end_block() {
  for (size_t first = 0; first < threads_.size(); first += kWarpSize)
    schedule(&threads_[first], static_cast<uint32_t>(std::min<size_t>(kWarpSize, threads_.size() - first)));
}

void Replay::schedule(const Trace* lanes, uint32_t count) {
  size_t at[kWarpSize] = {};
  bool waits[kWarpSize] = {};  // at a barrier
  uint32_t parked = 0;         // wait for lanes that they name
  int looked_again = 0;
  for (;;) {
    ir::BlockId lowest = kNone;
    bool waiting = false;
    uint32_t awake = 0;
    for (uint32_t l = 0; l < count; ++l) {
      if (at[l] == lanes[l].steps.size()) continue;
      waiting |= waits[l];
      if (waits[l]) continue;
      awake |= 1u << l;
      if (!(parked >> l & 1)) lowest = std::min(lowest, lanes[l].steps[at[l]].block);
    }
    if (lowest == kNone) {
      if (parked) {  // those they wait for may be at a barrier by now
        parked = 0, ++looked_again;
        continue;
      }
      if (!waiting) return;
      std::fill(waits, waits + kWarpSize, false);
      continue;
    }
    uint32_t mask = 0;
    for (uint32_t l = 0; l < count; ++l)
      if (awake >> l & 1 && lanes[l].steps[at[l]].block == lowest) mask |= 1u << l;
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    if (looked_again < 2 && lanes[first].steps[at[first]].named & awake & ~mask) {
      parked |= mask;
      continue;
    }
    parked &= ~mask;
    looked_again = 0;
    execute(lanes, at, mask, lowest);
    const ir::Inst& end = f_.insts[f_.blocks[lowest].insts.back()];
    const bool barrier = end.op == Op::Barrier && static_cast<ir::BarrierMode>(end.imm) != ir::BarrierMode::Arrive;
    for (uint32_t l = 0; l < count; ++l)
      if (mask >> l & 1) ++at[l], waits[l] = barrier;
  }
}

void Replay::execute(const Trace* lanes, const size_t* at, uint32_t mask, ir::BlockId block) {
  const auto active = static_cast<uint64_t>(std::popcount(mask));
  ++counts_.blocks[block].warps;
  counts_.blocks[block].lanes += active;
  counts_.instructions += weight_[block];
  size_t next[kWarpSize] = {};
  for (uint32_t l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) next[l] = lanes[l].steps[at[l]].first_touch;
  const auto end_of = [&](uint32_t l) {
    const Trace& t = lanes[l];
    return at[l] + 1 < t.steps.size() ? t.steps[at[l] + 1].first_touch : t.touches.size();
  };
  for (ir::ValueId v : f_.blocks[block].insts) {
    if (f_.insts[v].site == kNone) continue;
    event::Access request{f_.insts[v].site, 0, {}, {}, 0};
    for (uint32_t l = 0; l < kWarpSize; ++l)
      if (mask >> l & 1 && next[l] < end_of(l) && lanes[l].touches[next[l]].inst == v) {
        request.mask |= 1u << l;
        request.address[l] = lanes[l].touches[next[l]++].address;
      }
    if (request.mask) counts_.accesses.push_back(request);
  }
  const ir::Inst& end = f_.insts[f_.blocks[block].insts.back()];
  if (end.op != Op::CondBr || end.site == kNone) return;
  uint32_t taken = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1 && lanes[l].steps[at[l] + 1].block == f_.blocks[block].succs[0]) taken |= 1u << l;
  size_t index = 0;  // of the branch among those with a site
  for (ir::BlockId b = 0; b < block; ++b) {
    const ir::Inst& e = f_.insts[f_.blocks[b].insts.back()];
    index += e.op == Op::CondBr && e.site != kNone;
  }
  event::Branch& branch = counts_.branches[index];
  ++branch.executed;
  branch.divergent += taken != 0 && taken != mask;
  branch.lanes += active;
}

}  // namespace warplens::engine_test
