// A cache of 128-byte lines of four sectors each: full associativity, and the line that was not used for longest
// leaves.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace warplens::model {

constexpr uint32_t kSectorBytes = 32, kLineBytes = 128;

uint64_t mix(uint64_t number);  // spreads lines over partitions and samples

class SectorCache {
 public:
  struct Line {
    uint64_t number = 0;
    uint8_t present = 0;             // sectors that may be read
    uint8_t dirty = 0;               // sectors that DRAM does not have
    std::array<uint8_t, 4> words{};  // of each sector that is not present: how many of its 8 were written, about
  };
  explicit SectorCache(uint64_t lines);  // capacity; at least one
  Line* find(uint64_t number);           // makes it the last used
  Line* peek(uint64_t number);           // does not
  // A line that is not there; an empty one. If another had to leave, *left is it; else left->number is unchanged and
  // the result false.
  bool insert(uint64_t number, Line** line, Line* left);

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Node {
    Line line;
    uint32_t chain = kNone, newer = kNone, older = kNone;
  };
  uint32_t& bucket(uint64_t number) { return buckets_[(mix(number) >> 20) & (buckets_.size() - 1)]; }
  uint32_t* place_of(uint64_t number);
  void unlink(uint32_t n);
  void push(uint32_t n);
  void grow();

  uint64_t capacity_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> buckets_;  // first node of each chain; a power of two
  uint32_t newest_ = kNone, oldest_ = kNone;
};

}  // namespace warplens::model
