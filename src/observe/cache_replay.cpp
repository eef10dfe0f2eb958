// The order in which a launch's requests come to the caches. Nobody knows the hardware's, which differs from run to run
// too; this one keeps what matters: which blocks share an SM, which SMs share a GPC, and what runs at about the same
// time.
//
// Rule.    Blocks start in their order, one on each SM, then a second on each, until all SMs are full (residency.h);
//          then each that ends makes room for the next. SMs take turns, a request each. Of an SM's warps the
//          `active_warps` oldest take turns; barriers and the time that a request takes are not looked at. SMs are
//          numbered in the order in which they get their first blocks: an H200 deals out 16 or 18 blocks in a row to
//          one GPC.
// Sample.  Of a launch with more entries than are kept, every 2^k-th line is seen, chosen by a hash, in caches of a
//          2^k-th of the size. Blocks and warps of which no line is seen hold their places all the same: of 24 warps
//          that take turns, a third of which show something, eight do here. What a sample shows is scaled to what is
//          known exactly: the sectors of all loads, stores and atomics. A launch that asks for a few lines only, again
//          and again, cannot be sampled so: what it finds in L1 is lost.
// Source.  Which block ran on which SM was read from %smid on an H200; the number of active warps is the one that fits
//          the probes (docs/caches.md).
#include "observe/cache_replay.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/residency.h"

namespace warplens::observe {
namespace {

using model::CacheFigures;

// Blocks in the order in which they start, each with its entries, warp by warp.
class Blocks {
 public:
  explicit Blocks(std::vector<TracePiece> pieces) : pieces_(std::move(pieces)) {
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [](const TracePiece& a, const TracePiece& b) { return a.block < b.block; });
  }
  // The entries of the next block that has some, sorted by warp; empty: there is none.
  std::vector<uint64_t> next() {
    std::vector<uint64_t> entries;
    while (at_ < pieces_.size() && entries.empty()) {
      const uint64_t block = pieces_[at_].block;
      for (; at_ < pieces_.size() && pieces_[at_].block == block; ++at_)
        entries.insert(entries.end(), pieces_[at_].entries.begin(), pieces_[at_].entries.end());
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](uint64_t a, uint64_t b) { return CacheEntry::warp_of(a) < CacheEntry::warp_of(b); });
    return entries;
  }

 private:
  std::vector<TracePiece> pieces_;
  size_t at_ = 0;
};

// How much of a launch a sample shows: of its blocks and of its warps, those that have an entry.
struct Shown {
  double blocks = 1, warps = 1;
};
Shown shown(const std::vector<TracePiece>& pieces, uint64_t all_blocks, uint64_t warps_of_block) {
  std::vector<std::pair<uint64_t, uint32_t>> warps;  // of each block, as bits
  for (const TracePiece& piece : pieces) {
    if (warps.empty() || warps.back().first != piece.block) warps.push_back({piece.block, 0});
    for (uint64_t entry : piece.entries) warps.back().second |= 1u << CacheEntry::warp_of(entry);
  }
  std::sort(warps.begin(), warps.end());
  uint64_t blocks = 0, seen = 0;
  for (size_t i = 0; i < warps.size(); ++blocks) {
    uint32_t bits = 0;
    const uint64_t block = warps[i].first;
    for (; i < warps.size() && warps[i].first == block; ++i) bits |= warps[i].second;
    seen += uint64_t(std::popcount(bits));
  }
  return {double(blocks) / double(all_blocks), double(seen) / double(all_blocks * warps_of_block)};
}
uint32_t share(uint32_t n, double of) { return uint32_t(std::max(1l, std::lround(n * std::min(1.0, of)))); }

// One SM's resident blocks, of whose warps the oldest take turns.
class Multiprocessor {
 public:
  explicit Multiprocessor(uint32_t slots, uint32_t active) : slots_(slots), active_(active) {}
  bool busy() const { return !warps_.empty(); }

  void start(uint32_t slot, std::vector<uint64_t> entries) {
    Slot& s = slots_[slot];
    s.entries = std::move(entries);
    for (size_t i = 0; i < s.entries.size();) {
      size_t end = i;
      while (end < s.entries.size() && CacheEntry::warp_of(s.entries[end]) == CacheEntry::warp_of(s.entries[i])) ++end;
      warps_.push_back({slot, i, end});
      ++s.warps;
      i = end;
    }
  }

  // The next warp's request: f(entry, slot) for each of its lines. Returns the slot of a block that ended, or kNone.
  static constexpr uint32_t kNone = ~0u;
  template <typename F>
  uint32_t turn(const F& f) {
    if (at_ >= std::min<size_t>(active_, warps_.size())) at_ = 0;
    Warp& w = warps_[at_];
    Slot& s = slots_[w.slot];
    const uint32_t request = CacheEntry::request_of(s.entries[w.next]);
    while (w.next < w.end && CacheEntry::request_of(s.entries[w.next]) == request) f(s.entries[w.next++], w.slot);
    if (w.next < w.end) return ++at_, kNone;
    const uint32_t slot = w.slot;
    warps_.erase(warps_.begin() + std::ptrdiff_t(at_));
    return --s.warps == 0 ? slot : kNone;
  }

 private:
  struct Slot {
    std::vector<uint64_t> entries;
    uint32_t warps = 0;
  };
  struct Warp {
    uint32_t slot;
    size_t next, end;
  };
  std::vector<Slot> slots_;
  std::vector<Warp> warps_;
  size_t active_, at_ = 0;
};

uint64_t scaled(uint64_t value, double factor) { return uint64_t(std::llround(double(value) * factor)); }

CacheTotals add_up(const CacheTrail& trail, const CacheFigures (&figures)[kCacheClasses]) {
  CacheTotals out;
  for (size_t c = 0; c < kCacheClasses; ++c) {
    const CacheFigures& f = figures[c];
    const auto kind = CacheClass(c);
    const bool load = kind == CacheClass::Load || kind == CacheClass::LocalLoad;
    const uint64_t seen = load ? f.l1_sectors : f.l2_lookups;
    const double factor = trail.sampled == 0 ? 1
                          : seen == 0        ? double(uint64_t{1} << trail.sampled)
                                             : double(trail.sectors[c]) / double(seen);
    if (kind == CacheClass::Load) out.l1_sectors = trail.sectors[c], out.l1_hits = scaled(f.l1_hits, factor);
    if (kind == CacheClass::LocalLoad)
      out.l1_local_sectors = trail.sectors[c], out.l1_local_hits = scaled(f.l1_hits, factor);
    out.l2_tex_reads += scaled(f.l2_reads, factor);
    out.l2_reads += scaled(f.l2_reads + f.fabric_reads, factor);
    out.l2_writes += scaled(f.l2_writes + f.fabric_writes + f.fills, factor);
    out.l2_hits += scaled(f.l2_hits, factor);
    out.l2_misses += scaled(f.l2_misses, factor);
    out.dram_read_bytes += scaled(f.dram_read + f.fills, factor) * model::kSectorBytes;
    out.dram_write_bytes += scaled(f.dram_write, factor) * model::kSectorBytes;
  }
  return out;
}

}  // namespace

CacheTotals replay_caches(const model::GpuSpec& gpu, const model::CacheSpec& spec, const CacheLaunch& launch,
                          const CacheTrail& trail) {
  Blocks blocks(trail.pieces);
  const model::Residency residency =
      model::residency(gpu, {uint32_t(launch.block.count()), launch.shared_bytes, launch.registers});
  // Blocks and warps of which nothing is seen take their places all the same.
  const Shown part = trail.sampled == 0 ? Shown{} : shown(trail.pieces, trail.blocks, (launch.block.count() + 31) / 32);
  const uint32_t slots = share(residency.blocks, part.blocks), active = share(spec.active_warps, part.warps);
  model::Caches caches(gpu, spec, residency.shared_carveout, trail.sampled);
  CacheFigures figures[kCacheClasses];
  std::vector<Multiprocessor> sms(gpu.sm_count, Multiprocessor(slots, active));
  for (uint32_t slot = 0; slot < slots; ++slot)
    for (auto& sm : sms) sm.start(slot, blocks.next());
  bool busy = true;
  for (uint64_t turn = 0; busy; ++turn) {
    busy = false;
    for (uint32_t sm = 0; sm < gpu.sm_count; ++sm) {
      if (!sms[sm].busy()) continue;
      busy = true;
      const uint32_t ended = sms[sm].turn([&](uint64_t bits, uint32_t slot) {
        const CacheEntry e = CacheEntry::unpack(bits);
        uint64_t line = e.line;
        if (e.local) {
          const uint64_t frame = (uint64_t{sm} * residency.blocks + slot) * 32 + e.warp;
          line = uint64_t{1} << 42 | frame << 18 | (line & ((1 << 18) - 1));
        }
        caches.access(sm, turn, {line, e.sectors, e.whole, uint8_t(1u << e.part), e.op},
                      figures[size_t(e.cache_class())]);
      });
      if (ended != Multiprocessor::kNone) sms[sm].start(ended, blocks.next());
    }
  }
  CacheTotals out = add_up(trail, figures);
  out.l2_reads += spec.launch_l2_reads;
  out.l2_writes += spec.launch_l2_writes;
  out.dram_read_bytes += spec.launch_dram_bytes;
  return out;
}

}  // namespace warplens::observe
