// The contract between running (exec, compiled code) and watching (observe): plain structs, handed over in batches.
#pragma once
#include <cstdint>
#include <span>

namespace warplens::event {

using SiteId = uint32_t;

// One warp request whose addresses are known lane by lane. address[l] means something only where bit l of mask is set.
struct Access {
  SiteId site;
  uint32_t mask;
  uint64_t address[32];  // global/const/generic: virtual address; shared: byte offset in the block's window; local: in
                         // the lane's frame
  // Who asks, in code that tells every request (passes::Specialization::traced); else not written.
  uint32_t block[3];
  uint32_t warp;
};

// `count` warp requests of one site that differ only in their base: lane l accesses base + pattern[l] under `mask`,
// and base is congruent to `residue` modulo 128 (every rule of model/ depends on no more than that).
struct Pattern {
  SiteId site;
  uint32_t mask;
  uint32_t residue;
  uint64_t count;
  const int64_t* pattern;  // 32 entries, bytes; stays where and what it is as long as the sink is used
};

// An asynchronous copy from global to shared memory by one warp request. The store that is a part of it has been told
// as an Access of `site` or in a Pattern: this is only what its wavefronts depend on.
struct Copy {
  SiteId site;
  uint32_t mask, reads;             // the lanes that copy, and that read something: the others fill in zeros
  uint64_t shared[32], global[32];  // offsets in the block's window, addresses
};

// How often a conditional branch was executed by a warp, and how often its active lanes disagreed.
struct Branch {
  SiteId site;
  uint64_t executed;   // by warps
  uint64_t divergent;  // warps whose active lanes went both ways
  uint64_t lanes;      // active lanes, summed
};

// How often warps executed an access, whether or not some lane's guard let it happen.
struct Executed {
  SiteId site;
  uint64_t warps;
  uint64_t lanes;  // active, whatever their guards
};

// Instructions of one basic block: how often warps entered it and with how many lanes in all.
struct BlockCount {
  uint32_t block;
  uint64_t warps;
  uint64_t lanes;
};

// What watches implements. Calls may come from several threads at once, each with its own `Sink`.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void accesses(std::span<const Access> batch) = 0;
  virtual void patterns(std::span<const Pattern> batch) = 0;
  virtual void copy(const Copy&) {}
};

}  // namespace warplens::event
