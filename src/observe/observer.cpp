#include "observe/observer.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "model/banks.h"
#include "model/coalesce.h"
#include "model/lanes.h"
#include "model/local.h"

namespace warplens::observe {
namespace {

enum class Unit : uint8_t { L1, Banks, Local, None, Texture };  // what serves the request, of what is modelled here

struct Shape {
  Unit unit = Unit::None;
  uint32_t width = 4;
  model::SharedOp op = model::SharedOp::Load;
  bool copy = false;  // the store of an asynchronous copy: its wavefronts depend on where the copy is from as well
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
    case ir::Space::Texture:
    case ir::Space::Surface:
      shape.unit = Unit::Texture;  // no addresses are told either
      break;
  }
  if (site.kind == ir::SiteKind::Store) shape.op = model::SharedOp::Store;
  // Of PTX only its addresses in shared memory are known: a store.
  shape.copy = shape.unit == Unit::Banks && site.opcode.starts_with("LDGSTS");
  // Pieces of 16 bytes of operands are rows that LDSM loads, too.
  if (site.bytes_per_lane == 16 && (site.opcode.starts_with("ldmatrix") || site.opcode.starts_with("stmatrix") ||
                                    site.opcode.starts_with("LDSM") || site.opcode.starts_with("STSM") ||
                                    site.opcode.starts_with("wmma.load.a") || site.opcode.starts_with("wmma.load.b")))
    shape.op = model::SharedOp::MatrixRows;
  if (site.kind == ir::SiteKind::Atomic || site.kind == ir::SiteKind::Reduction) {
    const auto says = [&](const char* word) { return site.opcode.find(word) != std::string::npos; };
    shape.op = says(".cas") || says(".CAS") ? model::SharedOp::CompareAndSwap : model::SharedOp::Atomic;
    if (site.unit_increment) shape.op = model::SharedOp::Increment;
  }
  return shape;
}

struct Cost {
  uint32_t sectors, sectors_ideal, tag_requests, wavefronts, wavefronts_ideal, bytes_used;
};

Cost cost_of(const model::GlobalCost& c) { return {c.sectors, c.sectors_ideal, c.tag_requests, 0, 0, c.bytes_used}; }

inline Cost cost_of(const Shape& shape, const uint64_t* address, uint32_t mask) {
  if (shape.unit == Unit::L1) return cost_of(model::coalesce(address, mask, shape.width));
  if (shape.unit == Unit::Local) return cost_of(model::local_memory(address, mask, shape.width));
  if (shape.unit == Unit::None) return {};
  const model::SharedCost c = model::banks(address, mask, shape.width, shape.op);
  if (shape.copy) return {0, 0, 0, 0, 0, c.bytes_used};  // add_copy has the rest
  return {0, 0, 0, c.wavefronts, c.wavefronts_ideal, c.bytes_used};
}

inline uint32_t lanes_in(uint32_t mask) { return mask == ~0u ? 32 : uint32_t(std::popcount(mask)); }

uint64_t pattern_key(const Shape& shape, const uint64_t* address, uint32_t mask) {
  uint64_t interleaved[32];
  if (shape.unit == Unit::Local) {
    model::interleave(address, shape.width, interleaved);
    address = interleaved;
  }
  if (mask == ~0u && model::has_no_runs(address, shape.width)) return model::pack({});
  return model::key_of(reinterpret_cast<const int64_t*>(address), mask, shape.width);
}

// The requests of one site. Programs repeat themselves: most requests have the pattern of the one before and differ in
// their base alone, of which only the residue modulo 128 matters. So the last pattern is kept with what each residue
// costs and how often it came, and turned into sums when another pattern comes.
class alignas(128) SiteCounter {  // no cache line has counters of two workers
 public:
  SiteCounter() {}  // by hand, so that nobody zeroes the tables below first

  void add(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t count) {
    if (mask == 0) return;
    if (shape.unit == Unit::Texture) {
      stats_.requests += count;
      stats_.lanes += count * lanes_in(mask);
      return;
    }
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

  // Requests whose lanes follow one known pattern: of whole warps, told once a launch; of partial ones, under masks
  // that come and go.
  void add_pattern(const Shape& shape, const event::Pattern& p) {
    if (shape.unit == Unit::L1 && p.mask != ~0u) {
      Masked& masked = masked_for(shape, p);
      const model::GlobalCost cost = masked.cost.of(p.mask);
      add_cost(cost_of(cost), p.count, cost.lanes, masked.key(shape, p.mask));
      return;
    }
    const uint64_t base = (uint64_t{1} << 62) + p.residue;  // no lane wraps there
    uint64_t address[32];
    for (int l = 0; l < 32; ++l) address[l] = base + uint64_t(p.pattern[l]);
    add_cost(cost_of(shape, address, p.mask), p.count, lanes_in(p.mask), pattern_key(shape, address, p.mask));
  }

  void add_copy(const Shape& shape, const event::Copy& c) {
    const model::SharedCost cost = model::copy_to_banks(c.shared, c.global, c.mask, c.reads, shape.width);
    stats_.wavefronts += cost.wavefronts;
    stats_.wavefronts_ideal += cost.wavefronts_ideal;
  }

  const SiteStats& finish() {
    flush();
    mask_ = 0;
    return stats_;
  }

 private:
  static constexpr uint32_t kGiveUp = 8, kRetry = 64;

  // A pattern whose requests have some lanes only.
  struct Masked {
    const int64_t* pattern;
    uint32_t residue;
    model::PatternCost cost;
    uint64_t whole;  // its key
    bool linear;
    static constexpr uint32_t kKeys = 64;
    std::vector<std::pair<uint32_t, uint64_t>> keys;  // mask and key, by a hash of the mask

    Masked(const Shape& shape, const event::Pattern& p)
        : pattern(p.pattern),
          residue(p.residue),
          cost(p.pattern, p.residue, shape.width),
          whole(model::key_of(p.pattern, ~0u, shape.width)),
          linear(model::is_linear(model::unpack(whole))),
          keys(linear ? 0 : kKeys) {}
    // What to call the request depends on its mask: one lane is no unit stride. Masks come again, so the last ones'
    // keys stay.
    uint64_t key(const Shape& shape, uint32_t mask) {
      if (linear) return model::key_of_some(whole, mask);
      auto& [known, value] = keys[mask * 0x9e3779b1u >> (32 - std::countr_zero(kKeys))];
      if (known != mask) {
        known = mask;
        value = model::key_of(pattern, mask, shape.width);
      }
      return value;
    }
  };

  // Few: a site has one pattern, and as many residues as its base takes.
  Masked& masked_for(const Shape& shape, const event::Pattern& p) {
    for (size_t k = 0; k < masked_.size(); ++k) {
      Masked& m = *masked_[k];
      if (m.pattern != p.pattern || m.residue != p.residue) continue;
      if (k != 0) std::swap(masked_[0], masked_[k]);  // and next time it is found at once
      return *masked_[0];
    }
    masked_.push_back(std::make_unique<Masked>(shape, p));
    std::swap(masked_.front(), masked_.back());
    return *masked_.front();
  }

  // No request was like the one before for a while: count each by itself, and look again now and then.
  void add_alone(const Shape& shape, const uint64_t* address, uint32_t mask, uint64_t count) {
    const Cost cost = cost_of(shape, address, mask);
    // 32 lanes in 32 sectors: a stride, or nothing that has a name.
    const bool nameless = mask == ~0u && cost.sectors == 32 && address[2] - address[1] != address[1] - address[0];
    add_cost(cost, count, lanes_in(mask), nameless ? model::pack({}) : pattern_key(shape, address, mask));
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
    const uint32_t lanes = lanes_in(mask_);
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

  std::vector<std::unique_ptr<Masked>> masked_;
  uint32_t unlike_ = 0;  // patterns in a row that came once
  uint32_t mask_ = 0;    // of the pattern; 0: none yet
  uint64_t key_ = 0;
  uint64_t seen_[2] = {};  // residues that came with it
  // Written before they are read: most launches are short, and need none of them.
  alignas(32) int64_t pattern_[32];
  Cost costs_[128];
  uint64_t counts_[128];
  SiteStats stats_;
};

}  // namespace

class Observer::SiteSink : public event::Sink {
 public:
  explicit SiteSink(std::span<const ir::Site> sites) : counters_(sites.size()) {
    shapes_.reserve(sites.size());
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

  void copy(const event::Copy& copy) override {
    WL_CHECK(copy.site < counters_.size(), "a copy of a site that the kernel does not have");
    counters_[copy.site].add_copy(shapes_[copy.site], copy);
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

void Observer::add_executed(std::span<const event::Executed> accesses) {
  for (const event::Executed& e : accesses) {
    branches_[e.site].executed += e.warps;
    branches_[e.site].executed_lanes += e.lanes;
  }
}

std::vector<SiteStats> Observer::finish() {
  std::vector<SiteStats> stats = std::move(branches_);
  for (auto& sink : sinks_)
    if (sink) sink->add_to(stats);
  return stats;
}

}  // namespace warplens::observe
