#include "observe/observer.h"

#include <bit>

#include "base/check.h"
#include "model/banks.h"
#include "model/coalesce.h"
#include "model/lanes.h"
#include "model/local.h"

namespace warplens::observe {
namespace {

enum class Unit : uint8_t { L1, Banks, Local, None };  // what serves the request, of what is modelled here

struct Shape {
  Unit unit = Unit::None;
  uint32_t width = 4;
  model::SharedOp op = model::SharedOp::Load;
};

// Local memory is laid out by the hardware so that a word of all lanes is contiguous, and constants have a cache of
// their own: neither follows the rules of coalesce.h, so only requests and lanes are counted for them.
Shape shape_of(const ir::Site& site) {
  Shape shape;
  shape.width = site.bytes_per_lane;
  switch (site.space) {
    case ir::Space::Global:
    case ir::Space::Generic:
      shape.unit = Unit::L1;
      break;
    case ir::Space::Shared:
      shape.unit = Unit::Banks;
      break;
    case ir::Space::Local:
      shape.unit = Unit::Local;
      break;
    case ir::Space::Const:
      shape.unit = Unit::None;
      break;
  }
  if (site.kind == ir::SiteKind::Store) shape.op = model::SharedOp::Store;
  if (site.kind == ir::SiteKind::Atomic || site.kind == ir::SiteKind::Reduction)
    shape.op =
        site.opcode.find(".cas") != std::string::npos ? model::SharedOp::CompareAndSwap : model::SharedOp::Atomic;
  return shape;
}

struct Cost {
  uint16_t sectors = 0, sectors_ideal = 0, tag_requests = 0, wavefronts = 0, wavefronts_ideal = 0, bytes_used = 0;
};

Cost cost_of(const Shape& shape, const uint64_t* address, uint32_t mask) {
  Cost cost;
  if (shape.unit == Unit::L1 || shape.unit == Unit::Local) {
    const model::GlobalCost c = shape.unit == Unit::L1 ? model::coalesce(address, mask, shape.width)
                                                       : model::local_memory(address, mask, shape.width);
    cost.sectors = uint16_t(c.sectors);
    cost.sectors_ideal = uint16_t(c.sectors_ideal);
    cost.tag_requests = uint16_t(c.tag_requests);
    cost.bytes_used = uint16_t(c.bytes_used);
  } else if (shape.unit == Unit::Banks) {
    const model::SharedCost c = model::banks(address, mask, shape.width, shape.op);
    cost.wavefronts = uint16_t(c.wavefronts);
    cost.wavefronts_ideal = uint16_t(c.wavefronts_ideal);
    cost.bytes_used = uint16_t(c.bytes_used);
  }
  return cost;
}

uint64_t pattern_key(const Shape& shape, const uint64_t* address, uint32_t mask) {
  uint64_t interleaved[32];
  if (shape.unit == Unit::Local) {
    model::interleave(address, shape.width, interleaved);
    address = interleaved;
  }
  if (mask == ~0u && model::has_no_runs(address, shape.width)) return model::pack({});
  int64_t pattern[32];
  for (int l = 0; l < 32; ++l) pattern[l] = int64_t(address[l]);
  return model::pack(model::classify(pattern, mask, shape.width));
}

// The requests of one site. Programs repeat themselves: most requests have the pattern of the one before and differ in
// their base alone, of which only the residue modulo 128 matters. So the last pattern is kept with what each residue
// costs and how often it came, and turned into sums when another pattern comes.
class SiteCounter {
 public:
  void add(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t count) {
    if (mask == 0) return;
    const uint64_t base = address[std::countr_zero(mask)];
    if (mask != mask_ || !model::has_pattern(address, base, pattern_, mask)) restart(shape, address, mask, base);
    const uint32_t residue = base % 128;
    uint64_t& seen = seen_[residue / 64];
    const uint64_t bit = uint64_t{1} << residue % 64;
    if (!(seen & bit)) {
      seen |= bit;
      costs_[residue] = cost_of(shape, address, mask);
      counts_[residue] = 0;
    }
    counts_[residue] += count;
  }

  const SiteStats& finish() {
    flush();
    mask_ = 0;
    return stats_;
  }

 private:
  void restart(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t base) {
    flush();
    mask_ = mask;
    for (int l = 0; l < 32; ++l) pattern_[l] = int64_t(address[l] - base);
    key_ = pattern_key(shape, address, mask);
  }

  void flush() {
    const auto lanes = uint64_t(std::popcount(mask_));
    uint64_t requests = 0;
    for (int word = 0; word < 2; ++word)
      for (uint64_t rest = seen_[word]; rest != 0; rest &= rest - 1) {
        const int residue = word * 64 + std::countr_zero(rest);
        const uint64_t n = counts_[residue];
        const Cost& cost = costs_[residue];
        requests += n;
        stats_.sectors += n * cost.sectors;
        stats_.sectors_ideal += n * cost.sectors_ideal;
        stats_.tag_requests += n * cost.tag_requests;
        stats_.wavefronts += n * cost.wavefronts;
        stats_.wavefronts_ideal += n * cost.wavefronts_ideal;
        stats_.bytes_used += n * cost.bytes_used;
      }
    seen_[0] = seen_[1] = 0;
    if (requests == 0) return;
    stats_.requests += requests;
    stats_.lanes += requests * lanes;
    stats_.patterns.add(key_, requests);
  }

  uint32_t mask_ = 0;  // of the pattern; 0: none yet
  uint64_t key_ = 0;
  uint64_t seen_[2] = {};  // residues that came with it
  alignas(32) int64_t pattern_[32] = {};
  Cost costs_[128];
  uint64_t counts_[128];
  SiteStats stats_;
};

}  // namespace

class Observer::SiteSink : public event::Sink {
 public:
  explicit SiteSink(const std::vector<ir::Site>& sites) : counters_(sites.size()) {
    for (const ir::Site& site : sites) shapes_.push_back(shape_of(site));
  }

  void accesses(std::span<const event::Access> batch) override {
    for (const event::Access& access : batch) {
      WL_CHECK(access.site < counters_.size(), "an access of a site that the kernel does not have");
      counters_[access.site].add(shapes_[access.site], access.address, access.mask, 1);
    }
  }

  void patterns(std::span<const event::Pattern> batch) override {
    for (const event::Pattern& p : batch) {
      WL_CHECK(p.site < counters_.size(), "a pattern of a site that the kernel does not have");
      // Any base with this residue costs the same; one in the middle of the address space lets no lane wrap.
      const uint64_t base = (uint64_t{1} << 62) + p.residue;
      uint64_t address[32];
      for (int l = 0; l < 32; ++l) address[l] = base + uint64_t(p.pattern[l]);
      if (p.count != 0) counters_[p.site].add(shapes_[p.site], address, p.mask, p.count);
    }
  }

  void add_to(std::vector<SiteStats>& stats) {
    for (size_t i = 0; i < counters_.size(); ++i) stats[i].merge(counters_[i].finish());
  }

 private:
  std::vector<Shape> shapes_;
  std::vector<SiteCounter> counters_;
};

Observer::Observer(std::span<const ir::Site> sites, unsigned workers)
    : sites_(sites.begin(), sites.end()), sinks_(workers), branches_(sites.size()) {
  for (auto& sink : sinks_) sink = std::make_unique<SiteSink>(sites_);
}
Observer::~Observer() = default;

event::Sink* Observer::sink(unsigned worker) {
  WL_CHECK(worker < sinks_.size(), "more workers than were announced");
  return sinks_[worker].get();
}

void Observer::add_branches(std::span<const event::Branch> branches) {
  for (const event::Branch& b : branches) {
    WL_CHECK(b.site < branches_.size(), "a branch of a site that the kernel does not have");
    SiteStats& stats = branches_[b.site];
    stats.branch_executed += b.executed;
    stats.branch_divergent += b.divergent;
    stats.branch_lanes += b.lanes;
  }
}

std::vector<SiteStats> Observer::finish() {
  std::vector<SiteStats> stats = std::move(branches_);
  for (auto& sink : sinks_) sink->add_to(stats);
  return stats;
}

}  // namespace warplens::observe
