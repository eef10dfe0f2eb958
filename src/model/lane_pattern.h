// The shape of one warp request in words: how the addresses of the active lanes lie to one another.
#pragma once
#include <cstdint>
#include <string>

namespace warplens::model {

enum class PatternClass : uint8_t {
  SingleLane,     // one active lane
  Broadcast,      // all active lanes at one address
  UnitStride,     // lane l at base + l * width
  Reversed,       // lane l at base - l * width
  Strided,        // lane l at base + l * stride, stride in bytes
  Rows,           // `count` runs of `length` lanes, unit stride inside each, `stride` bytes from run to run
  Groups,         // `count` runs of `length` lanes that share one address each, `stride` bytes from run to run (0: not
                  // constant)
  Irregular,      // none of these
  StridedRows,    // `count` runs of `length` lanes, `stride` bytes from lane to lane inside each
  StridedCopies,  // the same, all runs at the same addresses
};

enum class MaskShape : uint8_t {
  Run,        // the active lanes are neighbours (all 32, the first n, ...)
  Every,      // every k-th lane, `mask_step` = k >= 2
  Scattered,  // anything else
};

// Small enough to be a key: see pack(). Two requests with the same words have equal LanePatterns.
struct LanePattern {
  static constexpr int64_t kVaried = -(int64_t{1} << 39);
  PatternClass shape = PatternClass::Irregular;
  MaskShape mask = MaskShape::Run;
  uint8_t mask_step = 0;
  uint8_t count = 0, length = 0;
  int64_t stride = 0;  // bytes, saturated to 40 bits; kVaried: not the same from row to row, or not known
  friend bool operator==(const LanePattern&, const LanePattern&) = default;
};

// `pattern`: 32 entries in bytes relative to any base; only those in `mask` (not empty) matter. Entries 2^39 bytes
// apart and more, which is more than any memory has, are of lanes whose distance is not known. `width`: bytes per lane.
LanePattern classify(const int64_t* pattern, uint32_t mask, uint32_t width);

// base + stride * lane in every lane (stride 0 included).
bool is_linear(const LanePattern& pattern);

// "unit stride", "broadcast", "lane stride 4096 B", "2 rows of 16, 4096 B apart", "irregular", "unit stride, every 2nd
// lane"
std::string words(const LanePattern& pattern);
inline std::string describe(const int64_t* pattern, uint32_t mask, uint32_t width) {
  return words(classify(pattern, mask, width));
}

constexpr uint64_t pack(const LanePattern& p) {
  return uint64_t(p.shape) | uint64_t(p.mask) << 4 | uint64_t{p.mask_step} << 6 | uint64_t{p.count} << 12 |
         uint64_t{p.length} << 18 | uint64_t(p.stride) << 24;
}
LanePattern unpack(uint64_t key);
uint64_t key_of(const int64_t* pattern, uint32_t mask, uint32_t width);  // pack(classify(...))
// Any choice of a linear pattern's lanes is linear too, and named without looking at addresses:
// key_of_some(key_of(p, ~0u, w), mask) == key_of(p, mask, w). The mask is not empty.
uint64_t key_of_some(uint64_t linear, uint32_t mask);

}  // namespace warplens::model
