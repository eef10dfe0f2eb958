// Shared memory has 32 banks of 4-byte words: word w lies in bank w mod 32, and each bank gives one word a pass. A
// request takes as many passes (wavefronts) as its busiest bank has different words to give; lanes that want the same
// word share it.
//
// Rule.   1, 2, 4 bytes a lane: over all active lanes, the largest number of distinct words in one bank.
//         8 and 16 bytes: a lane fills 2 or 4 banks, so the request is split into phases of 16 or 8 lanes by lane
//         number
//           (0-15, 16-31; 0-7, 8-15, ...), each costing what the rule above says of its lanes; the costs add up.
//         Loads of 8 bytes: both phases take one wavefront together if their union has no conflict and neighbours
//         agree:
//           each lane l has the address of lane l^1, for all pairs of which both are active, or the same with l^2.
//         Loads of 16 bytes: phases 0,1 and phases 2,3 may each merge, on the same terms with pairs inside the half
//         warp.
//           For the first half alone the measured counter treats masks with gaps differently: a pair of which only one
//           lane is active counts as disagreeing if lane 31 is active, and if lane 31 is inactive neighbours need not
//           agree at all. One address for all active lanes: one wavefront for up to 16 of them, two for more.
//         Stores never merge. Two lanes that store to one word cost one pass.
//         Atomics do not share: every lane counts, also those at one address, except Increment, which adds up the lanes
//           first and is counted as a store. CompareAndSwap takes two passes for each one. 8 bytes: in two phases.
//         Rows of matrices (LDSM, STSM; .trans or not): phases of 8 lanes, of those that give a row's address. They
//         never
//           merge.
//         Copies (LDGSTS) of 4, 8 and 16 bytes: phases as above. Lanes do not share, and clash as well if the addresses
//           that they read in global memory would lie in one bank: a phase costs the largest number of lanes that one
//           lane clashes with, itself included. A lane that copies nothing and writes zeros clashes by its place only.
//         ideal = min(wavefronts, ceil(active lanes * width / 128)).
//         A lane whose guard is false and a lane that is not there at all count alike.
//
// Example. float tile[32][32], lane l reads tile[l][0]: 32 words in bank 0, 32 wavefronts, ideal 1. With [32][33]: word
// 33*l
//         lies in bank l, 1 wavefront. float4 at unit stride: four phases of 8 lanes * 16 bytes = 128 bytes, 4
//         wavefronts, ideal 4: no conflict. The same load with lanes 2k and 2k+1 at one address: 2 wavefronts.
//         cp.async of 4 bytes from lane l's word l to word l: 1 wavefront. All lanes from one word to word l: 32.
//
// Source.  Nsight Compute's per-instruction counters memory_l1_wavefronts_shared and ..._ideal on an H200 (CUDA 13.0,
// Nsight
//         Compute 2025.3): 4992 requests with random and regular addresses and masks, tests/models/h200/banks.csv, and
//         18,944 more, of all kinds above, in requests.csv beside it; this file reproduces every one. They are computed
//         from addresses; the lane 31 rule and the clashes of copies are theirs, not a claim about wires.
// Not here. Hardware counters (l1tex__data_bank_conflicts..., l1tex__data_pipe_lsu_wavefronts...) add arbitration with
// other
//         traffic. Copies that bypass L1 (LDGSTS.BYPASS, cp.async.cg): under a predicate Nsight
//         Compute 2025.3 has readings that fit no addresses of the instruction (it seems to take other registers), and
//         without one only unit stride was measured; the rule for copies is unproved there. What the assembler makes of
//         an access: it may join neighbouring loads, and turns some atomics into loops around CompareAndSwap.
#include "model/banks.h"

#include <algorithm>

#include "model/lanes.h"

namespace warplens::model {
namespace {

constexpr uint32_t kHalf[2] = {0x0000ffff, 0xffff0000};
constexpr uint32_t kQuarter[4] = {0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000};

// `unit`: address / width for widths of 4 and more, so that `columns` units lie side by side in the banks.
struct Request {
  const uint32_t* unit;
  uint32_t columns;
};

// Passes for the lanes in `mask` in one phase: distinct units in the fullest column.
uint32_t phase_shared(const Request& r, uint32_t mask) {
  uint32_t lanes_of[32] = {}, most = 0;  // by column: lanes whose unit was new
  uint8_t passes[32] = {};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const uint32_t column = r.unit[l] % r.columns;
    bool seen = false;
    for (uint32_t k = lanes_of[column]; k != 0 && !seen; k &= k - 1) seen = r.unit[std::countr_zero(k)] == r.unit[l];
    if (seen) continue;
    lanes_of[column] |= 1u << l;
    most = std::max<uint32_t>(most, ++passes[column]);
  }
  return most;
}

// The same where lanes do not share: lanes in the fullest column.
uint32_t phase_alone(const Request& r, uint32_t mask) {
  uint8_t passes[32] = {};
  uint32_t most = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    most = std::max<uint32_t>(most, ++passes[r.unit[std::countr_zero(rest)] % r.columns]);
  return most;
}

// Lane l and lane l^step have one unit wherever both are active. `strict`: a pair with one active lane disagrees.
bool neighbours_agree(const Request& r, uint32_t mask, int step, bool strict) {
  const uint32_t low = step == 1 ? 0x55555555u : 0x33333333u;  // the pairs' lower lanes
  const uint32_t first = mask & low, second = mask >> step & low;
  if (strict && first != second) return false;
  for (uint32_t both = first & second; both != 0; both &= both - 1) {
    const int l = std::countr_zero(both);
    if (r.unit[l] != r.unit[l + step]) return false;
  }
  return true;
}
bool neighbours_agree(const Request& r, uint32_t mask, bool strict) {
  return neighbours_agree(r, mask, 1, strict) || neighbours_agree(r, mask, 2, strict);
}

uint32_t load8(const Request& r, uint32_t mask) {
  if (phase_shared(r, mask) == 1 && neighbours_agree(r, mask, false)) return 1;
  return phase_shared(r, mask & kHalf[0]) + phase_shared(r, mask & kHalf[1]);
}

bool one_address(const Request& r, uint32_t mask) {
  const uint32_t first = r.unit[std::countr_zero(mask)];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    if (r.unit[std::countr_zero(rest)] != first) return false;
  return true;
}

uint32_t load16(const Request& r, uint32_t mask) {
  if (one_address(r, mask)) return std::popcount(mask) <= 16 ? 1 : 2;
  uint32_t sum = 0;
  for (int half = 0; half < 2; ++half) {
    const uint32_t lanes = mask & kHalf[half];
    const bool last_lane = mask >> 31 & 1;
    const bool agree = (half == 0 && !last_lane) || neighbours_agree(r, lanes, half == 0);
    if (agree && phase_shared(r, lanes) <= 1)
      sum += lanes != 0;
    else
      sum += phase_shared(r, lanes & kQuarter[2 * half]) + phase_shared(r, lanes & kQuarter[2 * half + 1]);
  }
  return sum;
}

uint32_t wavefronts_wide(const Request& r, uint32_t mask, uint32_t width, SharedOp op) {
  uint32_t sum = 0;
  switch (op) {
    case SharedOp::Load:
      return width == 8 ? load8(r, mask) : load16(r, mask);
    case SharedOp::Store:
    case SharedOp::Increment:
    case SharedOp::MatrixRows:
      for (int p = 0; p < (width == 8 ? 2 : 4); ++p) sum += phase_shared(r, mask & (width == 8 ? kHalf : kQuarter)[p]);
      return sum;
    case SharedOp::Atomic:
    case SharedOp::CompareAndSwap:
      for (int p = 0; p < (width == 8 ? 2 : 4); ++p) sum += phase_alone(r, mask & (width == 8 ? kHalf : kQuarter)[p]);
      return op == SharedOp::CompareAndSwap ? 2 * sum : sum;
  }
  return sum;
}

uint32_t wavefronts_narrow(const Lanes& lanes, const LaneCounts& counts, SharedOp op) {
  if (op == SharedOp::Atomic || op == SharedOp::CompareAndSwap) {
    uint32_t unit[32];
    for (int l = 0; l < 32; ++l) unit[l] = lanes.offset[l] / 4;
    return phase_alone({unit, 32}, lanes.mask) * (op == SharedOp::CompareAndSwap ? 2 : 1);
  }
  if (counts.lines == 1) return 1;  // within 128 bytes no two words share a bank
  uint8_t passes[32] = {};
  uint32_t most = 0;
  for (uint32_t rest = counts.first_word; rest != 0; rest &= rest - 1)
    most = std::max<uint32_t>(most, ++passes[lanes.offset[std::countr_zero(rest)] / 4 % 32]);
  return most;
}

}  // namespace

SharedCost banks(const uint64_t* address, uint32_t mask, uint32_t width, SharedOp op) {
  SharedCost cost;
  Lanes lanes;
  if (!gather(address, mask, lanes)) return cost;  // nothing active: a block's window is far smaller than the limit
  const LaneCounts counts = count(lanes);
  if (width <= 4) {
    cost.wavefronts = wavefronts_narrow(lanes, counts, op);
  } else {
    uint32_t unit[32];
    for (int l = 0; l < 32; ++l) unit[l] = lanes.offset[l] / width;
    cost.wavefronts = wavefronts_wide({unit, 128 / width}, mask, width, op);
  }
  cost.lanes = uint32_t(std::popcount(mask));
  const uint32_t passes = ceil_div(cost.lanes * width, 128) * (op == SharedOp::CompareAndSwap ? 2 : 1);
  cost.wavefronts_ideal = std::min(cost.wavefronts, passes);
  cost.bytes_used = counts.addresses * width;
  return cost;
}

SharedCost copy_to_banks(const uint64_t* shared, const uint64_t* global, uint32_t mask, uint32_t reads,
                         uint32_t width) {
  SharedCost cost;
  cost.lanes = uint32_t(std::popcount(mask));
  const uint32_t phase = 128 / width;  // lanes of one
  for (uint32_t first = 0; first < 32; first += phase) {
    uint32_t to[32] = {}, from[32] = {}, most = 0;  // by column: lanes
    const uint32_t lanes = mask & uint32_t(((uint64_t{1} << phase) - 1) << first);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      to[shared[l] / width % phase] |= 1u << l;
      if (reads >> l & 1) from[global[l] / width % phase] |= 1u << l;
    }
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const uint32_t with = to[shared[l] / width % phase] | (reads >> l & 1 ? from[global[l] / width % phase] : 0);
      most = std::max(most, uint32_t(std::popcount(with)));
    }
    cost.wavefronts += most;
  }
  cost.wavefronts_ideal = std::min(cost.wavefronts, ceil_div(cost.lanes * width, 128));
  Lanes places;
  if (gather(shared, mask, places)) cost.bytes_used = count(places).addresses * width;
  return cost;
}

SharedCost banks(const int64_t* pattern, uint32_t mask, uint32_t residue, uint32_t width, SharedOp op) {
  const uint64_t base = (uint64_t{1} << 40) + residue;
  uint64_t address[32];
  for (int l = 0; l < 32; ++l) address[l] = base + uint64_t(pattern[l]);
  return banks(address, mask, width, op);
}

}  // namespace warplens::model
