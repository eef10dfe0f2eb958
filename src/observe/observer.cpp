#include "observe/observer.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

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
  if (site.kind == ir::SiteKind::Atomic || site.kind == ir::SiteKind::Reduction) {
    shape.op =
        site.opcode.find(".cas") != std::string::npos ? model::SharedOp::CompareAndSwap : model::SharedOp::Atomic;
    if (site.unit_increment) shape.op = model::SharedOp::Increment;
  }
  return shape;
}

struct Cost {
  uint16_t sectors, sectors_ideal, tag_requests, wavefronts, wavefronts_ideal, bytes_used;
};

Cost cost_of(const Shape& shape, const uint64_t* address, uint32_t mask) {
  Cost cost{};
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
    if (unlike_ >= kGiveUp) {
      add_alone(shape, address, mask, count);
      return;
    }
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

  // Requests whose lanes follow one known pattern under masks that come and go, as in divergent code: which lanes share
  // a sector, a line or an address follows from the pattern, so a mask only asks which of those groups have a lane.
  void add_pattern(const Shape& shape, const event::Pattern& p) {
    if (shape.unit != Unit::L1 || p.mask == ~0u) {
      const uint64_t base = (uint64_t{1} << 62) + p.residue;  // no lane wraps there
      uint64_t address[32];
      for (int l = 0; l < 32; ++l) address[l] = base + uint64_t(p.pattern[l]);
      add(shape, address, p.mask, p.count);
      return;
    }
    if (groups_.pattern != p.pattern || groups_.residue != p.residue) groups_ = Groups(shape, p);
    const auto lanes = uint32_t(std::popcount(p.mask));
    Cost cost{};
    cost.sectors = groups_.touched(groups_.sectors, p.mask);
    cost.tag_requests = groups_.touched(groups_.lines, p.mask);
    cost.sectors_ideal = std::min<uint16_t>(cost.sectors, uint16_t(model::ceil_div(lanes * shape.width, 32)));
    cost.bytes_used =
        uint16_t(shape.width * (groups_.addresses.empty() ? lanes : groups_.touched(groups_.addresses, p.mask)));
    add_cost(cost, p.count, lanes, groups_.key(shape, p.mask));
  }

  const SiteStats& finish() {
    flush();
    mask_ = 0;
    return stats_;
  }

 private:
  static constexpr uint32_t kGiveUp = 8, kRetry = 64;

  struct Groups {
    const int64_t* pattern = nullptr;
    uint32_t residue = 0;
    model::LanePattern whole;
    std::vector<uint32_t> sectors, lines, addresses;  // lanes of each; addresses: empty if all lanes differ
    static constexpr uint32_t kKeys = 64;
    std::vector<std::pair<uint32_t, uint64_t>> keys;  // mask and key, by a hash of the mask

    Groups() = default;
    Groups(const Shape& shape, const event::Pattern& p) : pattern(p.pattern), residue(p.residue) {
      sectors = of(p, 32);
      lines = of(p, 128);
      addresses = of(p, shape.width);
      if (addresses.size() == 32) addresses.clear();
      keys.resize(kKeys);
      whole = model::classify(p.pattern, ~0u, shape.width);
    }
    // What to call the request depends on its mask: one lane is no unit stride. Masks come again, so the last ones'
    // keys stay.
    uint64_t key(const Shape& shape, uint32_t mask) {
      if (model::is_linear(whole)) return model::pack(model::some_lanes(whole, mask));
      auto& [known, value] = keys[mask * 0x9e3779b1u >> (32 - std::countr_zero(kKeys))];
      if (known != mask) {
        known = mask;
        value = model::pack(model::classify(pattern, mask, shape.width));
      }
      return value;
    }
    static std::vector<uint32_t> of(const event::Pattern& p, int64_t size) {
      std::map<int64_t, uint32_t> lanes;
      for (int l = 0; l < 32; ++l) lanes[((int64_t{1} << 50) + p.residue + p.pattern[l]) / size] |= 1u << l;
      std::vector<uint32_t> masks;
      for (const auto& [block, mask] : lanes) masks.push_back(mask);
      return masks;
    }
    static uint16_t touched(const std::vector<uint32_t>& groups, uint32_t mask) {
      uint16_t n = 0;
      for (uint32_t g : groups) n = uint16_t(n + ((g & mask) != 0));
      return n;
    }
  };

  // No request was like the one before for a while: count each by itself, and look again now and then.
  void add_alone(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t count) {
    const Cost cost = cost_of(shape, address, mask);
    // 32 lanes in 32 sectors: a stride, or nothing that has a name.
    const bool nameless = mask == ~0u && cost.sectors == 32 && address[2] - address[1] != address[1] - address[0];
    add_cost(cost, count, uint32_t(std::popcount(mask)),
             nameless ? model::pack({}) : pattern_key(shape, address, mask));
    if (++unlike_ == kGiveUp + kRetry) unlike_ = kGiveUp - 1;
  }

  void add_cost(const Cost& cost, uint64_t n, uint32_t lanes, uint64_t key) {
    stats_.sectors += n * cost.sectors;
    stats_.sectors_ideal += n * cost.sectors_ideal;
    stats_.tag_requests += n * cost.tag_requests;
    stats_.wavefronts += n * cost.wavefronts;
    stats_.wavefronts_ideal += n * cost.wavefronts_ideal;
    stats_.bytes_used += n * cost.bytes_used;
    stats_.requests += n;
    stats_.lanes += n * lanes;
    stats_.patterns.add(key, n);
  }

  void restart(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t base) {
    unlike_ = flush() == 1 ? unlike_ + 1 : 0;
    mask_ = mask;
    for (int l = 0; l < 32; ++l) pattern_[l] = int64_t(address[l] - base);
    key_ = pattern_key(shape, address, mask);
  }

  // Returns how many requests the pattern had.
  uint64_t flush() {
    const auto lanes = uint32_t(std::popcount(mask_));
    uint64_t requests = 0;
    for (int word = 0; word < 2; ++word)
      for (uint64_t rest = seen_[word]; rest != 0; rest &= rest - 1) {
        const int residue = word * 64 + std::countr_zero(rest);
        requests += counts_[residue];
        add_cost(costs_[residue], counts_[residue], lanes, key_);
      }
    seen_[0] = seen_[1] = 0;
    return requests;
  }

  Groups groups_;
  uint32_t unlike_ = 0;  // patterns in a row that came once
  uint32_t mask_ = 0;    // of the pattern; 0: none yet
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
  explicit SiteSink(std::span<const ir::Site> sites) : counters_(sites.size()) {
    for (const ir::Site& site : sites) shapes_.push_back(shape_of(site));
  }
  SiteSink like() const { return SiteSink(shapes_); }  // for another worker

  void accesses(std::span<const event::Access> batch) override {
    for (const event::Access& access : batch) {
      WL_CHECK(access.site < counters_.size(), "an access of a site that the kernel does not have");
      counters_[access.site].add(shapes_[access.site], access.address, access.mask, 1);
    }
  }

  void patterns(std::span<const event::Pattern> batch) override {
    for (const event::Pattern& p : batch) {
      WL_CHECK(p.site < counters_.size(), "a pattern of a site that the kernel does not have");
      if (p.count != 0 && p.mask != 0) counters_[p.site].add_pattern(shapes_[p.site], p);
    }
  }

  void add_to(std::vector<SiteStats>& stats) {
    for (size_t i = 0; i < counters_.size(); ++i) stats[i].merge(counters_[i].finish());
  }

 private:
  explicit SiteSink(const std::vector<Shape>& shapes) : shapes_(shapes), counters_(shapes.size()) {}

  std::vector<Shape> shapes_;
  std::vector<SiteCounter> counters_;
};

Observer::Observer(std::span<const ir::Site> sites, unsigned workers) : sinks_(workers), branches_(sites.size()) {
  if (workers != 0) sinks_[0] = std::make_unique<SiteSink>(sites);
}
Observer::~Observer() = default;

event::Sink* Observer::sink(unsigned worker) {
  WL_CHECK(worker < sinks_.size(), "more workers than were announced");
  if (!sinks_[worker]) sinks_[worker] = std::make_unique<SiteSink>(sinks_[0]->like());  // small grids use one worker
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
  for (auto& sink : sinks_)
    if (sink) sink->add_to(stats);
  return stats;
}

}  // namespace warplens::observe
