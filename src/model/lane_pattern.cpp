// The shape of a request in words a person uses. Lane numbers are taken as they are: a request of every second lane at
// its own element is "unit stride, every 2nd lane", not "lane stride 8 B", because that is what the program's index
// says.
//
// Rule, the first that fits:
//   one active lane                                           "one lane"
//   all at one address                                        "broadcast"
//   address = base + s * lane: s = width, -width, other       "unit stride", "reversed", "lane stride s B"
//   neighbouring lanes in runs of unit stride                 "2 rows of 16, 4096 B apart", or "at the same addresses"
//   neighbouring lanes in groups that share an address        "2 groups of 16 lanes share an address, 4096 B apart"
//   rows of 16, 8 or 4 lanes that advance alike               "2 rows of 16, lane stride 1024 B"; any lanes may be
//   missing anything else                                             "irregular"
// Neighbouring rows and groups have at least 2 lanes each on average; the first and last may be shorter, as a block's
// row may begin in another warp, and then no length is given.
//
// Example. float tile[y][x] with a 16 x 16 block: lanes 0-15 are row y, lanes 16-31 row y + 1: "2 rows of 16, 64 B
// apart". With x and y exchanged, tile[x][y], it is "2 rows of 16, lane stride 64 B". At the left edge of a stencil
// lanes 0 and 16 are missing: "2 rows of 16, 64 B apart, scattered lanes".
#include "model/lane_pattern.h"

#include <algorithm>
#include <bit>

namespace warplens::model {
namespace {

constexpr int64_t kMaxStride = (int64_t{1} << 39) - 1;

int64_t saturate(int64_t stride) {
  return stride > kMaxStride ? kMaxStride : stride < -kMaxStride ? -kMaxStride : stride;
}
// Farther than any memory is large: not known.
bool is_known(int64_t stride) { return stride <= kMaxStride && stride >= -kMaxStride; }
int64_t between_rows(int64_t apart) { return is_known(apart) ? apart : LanePattern::kVaried; }

// b - a; addresses may be anywhere, so that it may wrap.
int64_t distance(int64_t a, int64_t b) { return int64_t(uint64_t(b) - uint64_t(a)); }

bool is_run(uint32_t mask) {
  const uint32_t low = mask >> std::countr_zero(mask);
  return (low & (low + 1)) == 0;
}

// k if the active lanes, three or more, are every k-th; else 0.
uint32_t step_of(uint32_t mask) {
  const uint32_t low = mask >> std::countr_zero(mask), others = low & (low - 1);
  const int step = std::countr_zero(others);
  if ((others & (others - 1)) == 0) return 0;
  uint32_t rest = others >> step;  // from the second lane on
  while ((rest & ((1u << step) - 1)) == 1) rest >>= step;
  return rest == 0 ? uint32_t(step) : 0;
}

void classify_mask(uint32_t mask, LanePattern& out) {
  if (is_run(mask)) return;
  const uint32_t step = step_of(mask);
  out.mask = step != 0 ? MaskShape::Every : MaskShape::Scattered;
  out.mask_step = uint8_t(step);
}

// base + stride * lane over all active lanes.
bool is_linear(const int64_t* p, uint32_t mask, int64_t& stride) {
  const int first = std::countr_zero(mask), second = std::countr_zero(mask & (mask - 1));
  const int64_t apart = distance(p[first], p[second]);
  if (apart % (second - first) != 0) return false;
  stride = apart / (second - first);
  if (mask == ~0u) {  // in a form that compiles to vectors
    uint64_t bends = 0;
    for (int l = 0; l + 1 < 32; ++l) bends |= (uint64_t(p[l + 1]) - uint64_t(p[l])) ^ uint64_t(stride);
    return bends == 0;
  }
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    if (uint64_t(p[l]) != uint64_t(p[first]) + uint64_t(stride) * uint64_t(l - first)) return false;
  }
  return true;
}

// Runs of neighbouring lanes with `step` bytes from lane to lane. Bit l of `breaks`: lane l starts a run.
bool split(const int64_t* p, uint32_t mask, int64_t step, LanePattern& out) {
  const int first = std::countr_zero(mask), lanes = std::popcount(mask);
  int start[32], runs = 0;
  for (int l = first; l < first + lanes; ++l)
    if (l == first || distance(p[l - 1], p[l]) != step) start[runs++] = l;
  if (runs < 2 || runs * 2 > lanes) return false;
  const int end = first + lanes;
  const auto length = [&](int r) { return (r + 1 < runs ? start[r + 1] : end) - start[r]; };
  const int inner = runs > 2 ? length(1) : std::max(length(0), length(1));
  bool equal = true, same_distance = true;
  for (int r = 0; r < runs; ++r) {
    const bool edge = r == 0 || r == runs - 1;
    if (length(r) > inner || (!edge && length(r) != inner)) return false;
    equal &= length(r) == inner;
    if (r > 0) same_distance &= distance(p[start[r - 1]], p[start[r]]) == distance(p[start[0]], p[start[1]]);
  }
  out.count = uint8_t(runs);
  out.length = equal ? uint8_t(inner) : 0;
  out.stride = equal && same_distance ? between_rows(distance(p[start[0]], p[start[1]])) : LanePattern::kVaried;
  return true;
}

// A block's rows of 16, 8 or 4 threads: lane l at start[l / length] + step * (l % length), whichever lanes are active.
bool by_rows(const int64_t* p, uint32_t mask, int length, int64_t width, LanePattern& out) {
  int rows = 0;
  int64_t step = 0, start[8];
  bool same_distance = true;
  for (int from = 0; from < 32; from += length) {
    const uint32_t row = mask >> from & ((uint32_t{1} << length) - 1);
    if (row == 0) continue;
    int64_t step_here = 0;
    // One lane fits anything. Rows without a neighbour that is active are rare, and then apart tells little.
    if (std::popcount(row) < 2 || !is_linear(p + from, row, step_here) || (rows > 0 && step_here != step) ||
        !is_known(step_here))
      return false;
    step = step_here;
    const int first = std::countr_zero(row);
    start[rows++] = distance(step * first, p[from + first]);
    if (rows > 1) same_distance &= distance(start[rows - 2], start[rows - 1]) == distance(start[0], start[1]);
  }
  if (rows < 2 || std::popcount(mask) < 6) return false;
  const int64_t apart = same_distance ? between_rows(distance(start[0], start[1])) : LanePattern::kVaried;
  out.count = uint8_t(rows);
  out.length = uint8_t(length);
  out.shape = step == width ? PatternClass::Rows
              : step == 0   ? PatternClass::Groups
              : apart == 0  ? PatternClass::StridedCopies
                            : PatternClass::StridedRows;
  out.stride = step == width || step == 0 ? apart : saturate(step);
  return true;
}

std::string ordinal(int n) { return std::to_string(n) + (n == 2 ? "nd" : n == 3 ? "rd" : "th"); }

std::string apart(const LanePattern& p) {
  if (p.stride == LanePattern::kVaried) return "";
  return p.stride == 0 ? " at the same addresses" : ", " + std::to_string(p.stride) + " B apart";
}

std::string shape_words(const LanePattern& p) {
  const std::string count = std::to_string(p.count), length = std::to_string(p.length);
  switch (p.shape) {
    case PatternClass::SingleLane:
      return "one lane";
    case PatternClass::Broadcast:
      return "broadcast";
    case PatternClass::UnitStride:
      return "unit stride";
    case PatternClass::Reversed:
      return "reversed";
    case PatternClass::Strided:
      return "lane stride " + std::to_string(p.stride) + " B";
    case PatternClass::Rows:
      return count + " rows" + (p.length ? " of " + length : "") + apart(p);
    case PatternClass::Groups:
      return count + " groups" + (p.length ? " of " + length + " lanes" : "") + " share an address" + apart(p);
    case PatternClass::Irregular:
      return "irregular";
    case PatternClass::StridedRows:
      return count + " rows of " + length + ", lane stride " + std::to_string(p.stride) + " B";
    case PatternClass::StridedCopies:
      return count + " rows of " + length + " at the same addresses, lane stride " + std::to_string(p.stride) + " B";
  }
  return "";
}

}  // namespace

LanePattern classify(const int64_t* pattern, uint32_t mask, uint32_t width) {
  LanePattern out;
  classify_mask(mask, out);
  if ((mask & (mask - 1)) == 0) {
    out.shape = PatternClass::SingleLane;
    return out;
  }
  int64_t stride = 0;
  if (is_linear(pattern, mask, stride) && is_known(stride)) {
    const int64_t unit = int64_t{width};
    out.shape = stride == 0       ? PatternClass::Broadcast
                : stride == unit  ? PatternClass::UnitStride
                : stride == -unit ? PatternClass::Reversed
                                  : PatternClass::Strided;
    if (out.shape == PatternClass::Strided) out.stride = stride;
    return out;
  }
  if (out.mask == MaskShape::Run) {
    if (split(pattern, mask, width, out))
      out.shape = PatternClass::Rows;
    else if (split(pattern, mask, 0, out))
      out.shape = PatternClass::Groups;
  }
  for (int length = 16; out.shape == PatternClass::Irregular && length >= 4; length /= 2)
    by_rows(pattern, mask, length, width, out);
  return out;
}

bool is_linear(const LanePattern& pattern) {
  return pattern.shape == PatternClass::Broadcast || pattern.shape == PatternClass::UnitStride ||
         pattern.shape == PatternClass::Reversed || pattern.shape == PatternClass::Strided;
}

uint64_t key_of(const int64_t* pattern, uint32_t mask, uint32_t width) { return pack(classify(pattern, mask, width)); }

uint64_t key_of_some(uint64_t linear, uint32_t mask) {
  if ((mask & (mask - 1)) == 0) return pack(LanePattern{PatternClass::SingleLane});
  if (is_run(mask)) return linear;
  LanePattern lanes;
  lanes.shape = PatternClass(0);
  lanes.mask_step = uint8_t(step_of(mask));
  lanes.mask = lanes.mask_step != 0 ? MaskShape::Every : MaskShape::Scattered;
  return linear | pack(lanes);
}

std::string words(const LanePattern& pattern) {
  std::string text = shape_words(pattern);
  if (pattern.mask == MaskShape::Every) text += ", every " + ordinal(pattern.mask_step) + " lane";
  if (pattern.mask == MaskShape::Scattered) text += ", scattered lanes";
  return text;
}

LanePattern unpack(uint64_t key) {
  LanePattern p;
  p.shape = PatternClass(key & 15);
  p.mask = MaskShape(key >> 4 & 3);
  p.mask_step = uint8_t(key >> 6 & 63);
  p.count = uint8_t(key >> 12 & 63);
  p.length = uint8_t(key >> 18 & 63);
  p.stride = int64_t(key) >> 24;
  return p;
}

}  // namespace warplens::model
