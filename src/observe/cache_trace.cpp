#include "observe/cache_trace.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "model/lanes.h"

namespace warplens::observe {
namespace {

using model::CacheOp;

struct Line {
  uint64_t number;
  uint32_t bytes[4];  // of each sector
};

// The lines of a request, at most 32.
size_t lines_of(const uint64_t* address, uint32_t mask, uint32_t width, Line* lines) {
  size_t n = 0;
  uint8_t places[64] = {};  // of lines, by a hash of their number: one more than their index
  const uint32_t bytes = width >= 32 ? ~0u : (1u << width) - 1;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)], number = a / model::kLineBytes;
    size_t at = number * 0x9e3779b97f4a7c15u >> 58;
    while (places[at] != 0 && lines[places[at] - 1].number != number) at = (at + 1) % 64;
    if (places[at] == 0) {
      lines[n] = {number, {}};
      places[at] = uint8_t(++n);
    }
    lines[places[at] - 1].bytes[a / 32 % 4] |= bytes << a % 32;
  }
  return n;
}

// 0: fewer than 8 bits, 1: fewer than 16, 2.
uint8_t part_of(uint32_t bits) {
  unsigned n = 0;
  for (; bits != 0 && n < 16; bits &= bits - 1) ++n;
  return uint8_t(n < 8 ? 0 : n < 16 ? 1 : 2);
}

// Of PTX and of machine code.
bool passes_l1(const std::string& opcode) {
  const auto has = [&](const char* word) { return opcode.find(word) != std::string::npos; };
  return has(".cg") || has(".cv") || has(".volatile") || has(".relaxed") || has(".acquire") || has(".BYPASS") ||
         has(".STRONG.GPU") || has(".STRONG.SYS") || has(".MMIO");
}

}  // namespace

struct CacheTrace::Site {
  bool watched = false, local = false;
  CacheOp op = CacheOp::Load;
  uint32_t width = 4;
};

// What the last request of a site asked of each line. Most requests have the lanes of the one before and differ in
// their base alone: then only the lines' numbers are others.
struct CacheTrace::Last {
  uint32_t mask = 0;
  uint64_t base = 0;       // the first active lane's address
  int64_t pattern[32];     // of active lanes, from there
  uint64_t entry[8 * 32];  // but for warp and request
  size_t entries = 0;
  uint64_t sectors = 0;
  CacheClass kind = CacheClass::Load;
};

// What the workers share: how many entries of each rank there were, and which ranks are still kept. A rank is given up
// when it and those above it are too many, which more entries cannot undo: the last choice does not depend on who came
// first.
struct CacheTrace::Shared {
  std::vector<Site> sites;
  Dim3 grid;
  uint64_t most;
  std::atomic<uint64_t> of_rank[CacheEntry::kRanks] = {};
  std::atomic<unsigned> lowest{0};

  void settle() {
    for (;;) {
      unsigned rank = lowest.load();
      uint64_t kept = 0;
      for (unsigned r = rank; r < CacheEntry::kRanks; ++r) kept += of_rank[r].load();
      if (kept <= most || rank + 1 >= CacheEntry::kRanks) return;
      lowest.compare_exchange_strong(rank, rank + 1);
    }
  }
};

class CacheTrace::TraceSink : public event::Sink {
 public:
  TraceSink(Shared& shared, event::Sink* behind) : shared_(shared), behind_(behind), last_(shared.sites.size()) {}
  void set_behind(event::Sink* behind) { behind_ = behind; }

  void accesses(std::span<const event::Access> batch) override {
    if (behind_) behind_->accesses(batch);
    thin(shared_.lowest.load());
    for (const event::Access& a : batch)
      if (a.site < shared_.sites.size() && shared_.sites[a.site].watched) add(shared_.sites[a.site], last_[a.site], a);
    for (unsigned r = lowest_; r < CacheEntry::kRanks; ++r)
      if (of_rank_[r] != 0) shared_.of_rank[r] += of_rank_[r], of_rank_[r] = 0;
    shared_.settle();
  }
  void patterns(std::span<const event::Pattern> batch) override {
    if (behind_) behind_->patterns(batch);
  }
  void copy(const event::Copy& copy) override {
    if (behind_) behind_->copy(copy);
  }

  void thin(unsigned lowest) {
    if (lowest <= lowest_) return;
    lowest_ = lowest;
    size_t to = 0, from = 0;
    for (size_t s = 0; s < segments_.size(); ++s) {
      const size_t end = s + 1 < segments_.size() ? segments_[s + 1].first : entries_.size();
      segments_[s].first = to;
      for (; from < end; ++from)
        if (CacheEntry::rank_of(entries_[from]) >= lowest) entries_[to++] = entries_[from];
    }
    entries_.resize(to);
  }

  struct Segment {
    uint64_t block;
    size_t first;
  };
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<uint64_t>& entries() const { return entries_; }
  uint64_t total(size_t c) const { return totals_[c]; }

 private:
  void add(const Site& site, Last& last, const event::Access& a) {
    if (a.mask == 0) return;
    const Dim3& g = shared_.grid;
    const uint64_t block = (uint64_t{a.block[2]} * g.y + a.block[1]) * g.x + a.block[0];
    if (segments_.empty() || segments_.back().block != block) segments_.push_back({block, entries_.size()});
    const uint64_t base = a.address[std::countr_zero(a.mask)], unit = site.local ? 4 : model::kLineBytes;
    const uint64_t moved = base - last.base;
    if (a.mask != last.mask || moved % unit != 0 || !model::has_pattern(a.address, base, last.pattern, a.mask))
      look(site, a, last), keep(a.warp, last, 0);
    else
      keep(a.warp, last, uint64_t(int64_t(moved) / int64_t(unit)));
  }

  static void look(const Site& site, const event::Access& a, Last& last) {
    last.mask = a.mask;
    last.base = a.address[std::countr_zero(a.mask)];
    last.entries = 0;
    last.sectors = 0;
    for (int l = 0; l < 32; ++l) last.pattern[l] = int64_t(a.address[l] - last.base);
    if (!site.local) return look_at(site, a.address, a.mask, site.width, last);
    // Word w of lane l lies at 128 * w + 4 * l (model/local.h).
    for (uint32_t w = 0; w < std::max(1u, site.width / 4); ++w) {
      uint64_t address[32];
      for (uint64_t l = 0; l < 32; ++l) address[l] = (a.address[l] / 4 + w) * 128 + l * 4 + a.address[l] % 4;
      look_at(site, address, a.mask, std::min(4u, site.width), last);
    }
  }

  static void look_at(const Site& site, const uint64_t* address, uint32_t mask, uint32_t width, Last& last) {
    Line lines[32];
    const size_t n = lines_of(address, mask, width, lines);
    for (size_t k = 0; k < n; ++k) {
      CacheEntry e;
      e.line = lines[k].number & kLines;
      e.op = site.op;
      e.local = site.local;
      e.part = 2;
      for (int s = 0; s < 4; ++s) {
        const uint32_t touched = lines[k].bytes[s];
        if (touched == 0) continue;
        e.sectors = uint8_t(e.sectors | 1 << s);
        if (touched == ~0u)
          e.whole = uint8_t(e.whole | 1 << s);
        else
          e.part = std::min(e.part, part_of(touched));
      }
      last.sectors += model::sectors_in(e.sectors);
      last.kind = e.cache_class();
      last.entry[last.entries++] = e.pack();
    }
  }

  void keep(uint32_t warp, const Last& last, uint64_t lines_on) {
    totals_[size_t(last.kind)] += last.sectors;
    const uint64_t who = CacheEntry{.warp = uint8_t(warp & 31), .request = uint8_t(++request_ & 31)}.pack();
    for (size_t k = 0; k < last.entries; ++k) {
      const uint64_t entry = last.entry[k];
      const uint64_t bits = (entry & ~kLines) | who | ((entry + lines_on) & kLines);
      const unsigned rank = CacheEntry::rank_of(bits);
      if (rank < lowest_) continue;
      ++of_rank_[rank];
      entries_.push_back(bits);
    }
  }

  static constexpr uint64_t kLines = (uint64_t{1} << CacheEntry::kLineBits) - 1;
  Shared& shared_;
  event::Sink* behind_;
  std::vector<Last> last_;  // by site
  std::vector<uint64_t> entries_;
  std::vector<Segment> segments_;
  uint64_t of_rank_[CacheEntry::kRanks] = {};
  uint64_t totals_[kCacheClasses] = {};
  unsigned lowest_ = 0;
  uint32_t request_ = 0;
};

CacheTrace::CacheTrace(std::span<const ir::Site> sites, const Dim3& grid, unsigned workers, uint64_t most)
    : shared_(std::make_unique<Shared>()), sinks_(workers) {
  shared_->grid = grid;
  shared_->most = most;
  for (const ir::Site& site : sites) {
    Site s;
    const bool access = site.kind != ir::SiteKind::Branch && site.kind != ir::SiteKind::Barrier;
    s.local = site.space == ir::Space::Local;
    s.watched = access && (s.local || site.space == ir::Space::Global || site.space == ir::Space::Generic);
    s.width = site.bytes_per_lane;
    s.op = site.kind == ir::SiteKind::Load    ? passes_l1(site.opcode) ? CacheOp::LoadPastL1 : CacheOp::Load
           : site.kind == ir::SiteKind::Store ? CacheOp::Store
                                              : CacheOp::Reduce;
    shared_->sites.push_back(s);
  }
}
CacheTrace::~CacheTrace() = default;

event::Sink* CacheTrace::sink(unsigned worker, event::Sink* behind) {
  WL_CHECK(worker < sinks_.size(), "more workers than were announced");
  if (!sinks_[worker]) sinks_[worker] = std::make_unique<TraceSink>(*shared_, behind);
  return sinks_[worker].get();
}

CacheTrail CacheTrace::finish() {
  shared_->settle();
  CacheTrail trail;
  trail.blocks = shared_->grid.count();
  trail.sampled = shared_->lowest.load();
  for (auto& sink : sinks_) {
    if (!sink) continue;
    sink->thin(trail.sampled);
    for (size_t c = 0; c < kCacheClasses; ++c) trail.sectors[c] += sink->total(c);
    const auto& segments = sink->segments();
    const std::span<const uint64_t> entries = sink->entries();
    for (size_t s = 0; s < segments.size(); ++s) {
      const size_t first = segments[s].first, end = s + 1 < segments.size() ? segments[s + 1].first : entries.size();
      if (end != first) trail.pieces.push_back({segments[s].block, entries.subspan(first, end - first)});
    }
  }
  return trail;
}

}  // namespace warplens::observe
