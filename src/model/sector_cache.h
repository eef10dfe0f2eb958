// A cache of 128-byte lines of four sectors each, in sets: a line has its place in one of them, chosen by a hash, and
// when the set is full, the line of it that was not used for longest leaves.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace warplens::model {

constexpr uint32_t kSectorBytes = 32, kLineBytes = 128;

// Of a line's four, as bits. Processors of any age have to run this: std::popcount would call a function.
inline uint32_t sectors_in(uint8_t sectors) { return 0x4332322132212110u >> (sectors & 15) * 4 & 15; }

uint64_t mix(uint64_t number);  // spreads lines over partitions, sets and samples

class SectorCache {
 public:
  struct Line {
    uint64_t number = 0;
    uint8_t present = 0;             // sectors that may be read
    uint8_t dirty = 0;               // sectors that DRAM does not have; written() and cleaned() change it
    std::array<uint8_t, 4> words{};  // of each sector that is not present: how many of its 8 were written, about
  };
  // Of so many sets, at least one, with `ways` lines each, at least one. `sampled`: only lines whose mix() ends in as
  // many zeros are asked for.
  explicit SectorCache(uint64_t ways, uint64_t sets = 1, unsigned sampled = 0);
  Line* find(uint64_t number);  // makes it the last used
  // A line that is not there; an empty one. If another had to leave, *left is it; else left->number is unchanged and
  // the result false.
  bool insert(uint64_t number, Line** line, Line* left);

  // Lines that are dirty, in the order in which they became it.
  void written(Line& line, uint8_t sectors);
  void cleaned(Line& line);
  uint32_t dirty_lines(const Line& line) const { return set_of(line.number).dirty; }  // of its set
  Line& first_dirty(const Line& line) { return nodes_[set_of(line.number).first_dirty].line; }

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Node {
    Line line;  // at the beginning
    uint32_t chain = kNone, newer = kNone, older = kNone, later = kNone, earlier = kNone;
  };
  struct Set {
    uint32_t newest = kNone, oldest = kNone, last_dirty = kNone, first_dirty = kNone;
    uint32_t lines = 0, dirty = 0;
  };
  Set& set_of(uint64_t number) { return sets_[(mix(number) >> sampled_ & 0xffffffff) * sets_.size() >> 32]; }
  const Set& set_of(uint64_t number) const { return const_cast<SectorCache*>(this)->set_of(number); }
  uint32_t& bucket(uint64_t number) { return buckets_[(mix(number) >> 20) & (buckets_.size() - 1)]; }
  uint32_t* place_of(uint64_t number);
  void unlink(Set& set, const Node& node);
  void push(Set& set, uint32_t n);
  void unlink_dirty(Set& set, const Node& node);
  void grow();

  uint64_t ways_;
  unsigned sampled_;
  std::vector<Set> sets_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> buckets_;  // first node of each chain; a power of two
};

}  // namespace warplens::model
