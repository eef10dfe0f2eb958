// Barriers of a block. All warps have run until they wait or end; here it is decided which waiting warps go on.
//
// bar.sync id [, count]: the barrier completes when `count` threads (all of the block's, if not given) have arrived.
// Threads that ended no longer count, as on Volta and later for the whole block's barrier. bar.arrive counts a warp and
// lets it go on. A warp whose lanes wait arrives with its waiting lanes. If no barrier can complete and some warp still
// waits, the program is stuck: that is reported, not waited for.
#include <bit>

#include "exec/worker.h"

namespace warplens::exec {

namespace {
constexpr uint32_t kRedPopc = 2, kRedAnd = 3, kRedOr = 4;  // ir::BarrierMode
}

bool Worker::complete_barrier(uint32_t id, uint32_t live_threads) {
  const uint32_t warps = this->warps();
  auto waits = [&](const WarpState& w) { return w.state > 0 && !w.released && !w.yields && w.barrier == id; };
  uint32_t arrived = arrivals.of[id].threads, expected = arrivals.of[id].expected, mode = 0, yes = 0, lanes = 0;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (!waits(s)) continue;
    // A counted barrier counts whole warps, as the hardware does.
    arrived += s.expected != 0 ? kWarpSize : static_cast<uint32_t>(std::popcount(s.lanes));
    expected = std::max(expected, s.expected);
    mode = s.mode;
    yes += static_cast<uint32_t>(std::popcount(s.predicate));
    lanes += static_cast<uint32_t>(std::popcount(s.lanes));
  }
  if (arrived == 0 || arrived < (expected != 0 ? expected : live_threads)) return false;
  // A warp that did not have to wait may have arrived for the next time too.
  const uint32_t ahead = expected != 0 ? arrived - expected : 0;
  arrivals.of[id] = {ahead, ahead != 0 ? expected : 0};
  for (uint32_t w = 0; w < warps; ++w) {
    WarpState& s = env.warps[w];
    if (!waits(s)) continue;
    s.released = 1;
    s.predicate = 0;
    s.result = mode == kRedPopc ? yes : mode == kRedAnd ? yes == lanes : mode == kRedOr ? yes != 0 : 0;
  }
  return true;
}

// bar.arrive: counts, and goes on.
void Worker::arrive(uint32_t id, uint32_t expected) {
  auto& a = arrivals.of[id & 15];
  a.threads += kWarpSize;
  a.expected = expected;
  arrivals.any = true;
}

uint32_t Worker::barrier() {
  const uint32_t warps = this->warps();
  // Nearly always: every warp that has not ended waits at the one plain barrier of the whole block.
  bool plain = !arrivals.any, any = false;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (s.state == WarpState::kDone) continue;
    any = true;
    plain = plain && (s.barrier | s.expected | s.mode | s.yields) == 0;
  }
  if (!any) {
    if (arrivals.any) arrivals = {};
    return 2;
  }
  if (plain) {
    for (uint32_t w = 0; w < warps; ++w) env.warps[w].released = 1;
    return 0;
  }
  uint32_t live = 0, ids = 0;
  bool yields = false;
  for (uint32_t w = 0; w < warps; ++w) {
    WarpState& s = env.warps[w];
    if (s.state == WarpState::kDone) continue;
    // Whoever was released has run on since, so every warp that is not done waits, with all its lanes that have not
    // ended: at a barrier, or in a loop.
    live += static_cast<uint32_t>(std::popcount(s.lanes));
    if (s.yields)
      yields = true;
    else
      ids |= 1u << (s.barrier & 15);
  }
  bool progress = false;
  for (uint32_t id = 0; id < 16; ++id)
    if (ids >> id & 1) progress = complete_barrier(id, live) || progress;
  for (uint32_t w = 0; w < warps; ++w)
    if (env.warps[w].yields) env.warps[w].released = 1;
  if (progress) return 0;
  return yields ? 3 : deadlock();
}

// What the block's warps wait for. It changes when one gets any further; 0 while some warp does more than wait.
uint64_t Worker::standstill() const {
  const uint32_t warps = this->warps();
  uint64_t hash = 1;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (s.yields == WarpState::kWorks) return 0;
    for (uint64_t part : {uint64_t{static_cast<uint32_t>(s.state)}, uint64_t{s.lanes}, uint64_t{s.barrier}})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15u + 1;
  }
  return hash | 1;
}

uint32_t Worker::deadlock() {
  const uint32_t warps = this->warps();
  Fault f;
  f.kind = FaultKind::Deadlock;
  uint32_t at_barriers = 0, in_loops = 0, first = warps;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (s.state <= 0) continue;
    ++(s.yields ? in_loops : at_barriers);
    // The loop is what holds the others up.
    if (first == warps || (s.yields && !env.warps[first].yields)) first = w;
  }
  bool host_could = false;
  if (first < warps && env.warps[first].yields) {
    f.site = env.warps[first].site;
    const auto polled = memory_->find(env.bounds[f.site].low);
    host_could = polled && (polled->kind == Allocation::Kind::Managed || polled->kind == Allocation::Kind::HostPinned);
  }
  uint32_t thread = first * kWarpSize;
  if (first < warps && env.warps[first].yields)
    thread += static_cast<uint32_t>(std::countr_zero(env.warps[first].result | 1u << 31));
  f.thread = thread_at(thread);
  const std::string of_all = " of the block's " + std::to_string(warps) + " warps wait ";
  if (in_loops) f.message = std::to_string(in_loops) + of_all + "in loops for what no other thread will write";
  if (at_barriers)
    f.message +=
        (in_loops ? ", " : "") + std::to_string(at_barriers) + of_all + "at barriers that no other thread will reach";
  if (host_could) {
    f.kind = FaultKind::Unsupported;
    f.message = "this loop waits for memory that the host can write: here a launch ends before the program goes on";
  }
  return record(std::move(f));
}

}  // namespace warplens::exec
