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
  const uint32_t warps = static_cast<uint32_t>((block_.count() + kWarpSize - 1) / kWarpSize);
  auto waits = [&](const WarpState& w) { return w.state > 0 && !w.released && w.barrier == id; };
  uint32_t arrived = arrivals_[id].threads, expected = arrivals_[id].expected, mode = 0, yes = 0, lanes = 0;
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
  arrivals_[id] = {ahead, ahead != 0 ? expected : 0};
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
  Arrivals& a = arrivals_[id & 15];
  a.threads += kWarpSize;
  a.expected = expected;
  any_arrivals_ = true;
}

uint32_t Worker::barrier() {
  const uint32_t warps = static_cast<uint32_t>((block_.count() + kWarpSize - 1) / kWarpSize);
  // Nearly always: every warp that has not ended waits at the one plain barrier of the whole block.
  bool plain = !any_arrivals_, any = false;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (s.state == WarpState::kDone) continue;
    any = true;
    plain = plain && (s.barrier | s.expected | s.mode) == 0;
  }
  if (!any) {
    if (any_arrivals_) arrivals_ = {}, any_arrivals_ = false;
    return 2;
  }
  if (plain) {
    for (uint32_t w = 0; w < warps; ++w) env.warps[w].released = 1;
    return 0;
  }
  uint32_t live = 0, ids = 0;
  for (uint32_t w = 0; w < warps; ++w) {
    const WarpState& s = env.warps[w];
    if (s.state == WarpState::kDone) continue;
    // Whoever was released has run on since, so every warp that is not done waits, with all its lanes that have not
    // ended.
    live += static_cast<uint32_t>(std::popcount(s.lanes));
    ids |= 1u << (s.barrier & 15);
  }
  bool progress = false;
  for (uint32_t id = 0; id < 16; ++id)
    if (ids >> id & 1) progress = complete_barrier(id, live) || progress;
  if (progress) return 0;
  Fault f;
  f.kind = FaultKind::Deadlock;
  f.block = {env.block[0], env.block[1], env.block[2]};
  uint32_t waiting_warps = 0, first = 0;
  for (uint32_t w = warps; w-- > 0;)
    if (env.warps[w].state > 0) ++waiting_warps, first = w;
  f.thread = {first * kWarpSize % block_.x, first * kWarpSize / block_.x % block_.y,
              first * kWarpSize / block_.x / block_.y};
  f.message = std::to_string(waiting_warps) + " of the block's " + std::to_string(warps) +
              " warps wait at barriers that no other thread will reach";
  if (!fault) fault = std::move(f);
  return 1;
}

}  // namespace warplens::exec
