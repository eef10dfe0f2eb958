// The 32 addresses of a warp request as the model's rules need them, and the questions about them that have to be fast.
#pragma once
#include <bit>
#include <cstdint>

namespace warplens::model {

// Addresses relative to a base that is a multiple of 128, so that sectors, lines and banks stay what they were.
// Inactive lanes repeat the first active lane's address: every question below is about sets, which that does not
// change.
struct Lanes {
  alignas(64) uint32_t offset[32];
  uint32_t mask = 0;
};

// False if the mask is empty or the active addresses span 2^29 bytes or more; `lanes` is then not to be used.
bool gather(const uint64_t* address, uint32_t mask, Lanes& lanes);

struct LaneCounts {
  uint32_t addresses = 0;   // distinct addresses
  uint32_t sectors = 0;     // distinct 32-byte sectors
  uint32_t lines = 0;       // distinct 128-byte lines
  uint32_t words = 0;       // distinct 4-byte words
  uint32_t first_word = 0;  // bit l: no lane before l has l's word
};
LaneCounts count(const Lanes& lanes);
// What coalescing asks of a request. Packed in a register: a request is counted in some 20 ns, of which a struct that
// goes through memory in pieces would take a quarter.
struct PackedCounts {
  uint32_t bits = 0;
  uint32_t addresses() const { return bits & 0xff; }
  uint32_t sectors() const { return bits >> 8 & 0xff; }
  uint32_t lines() const { return bits >> 16 & 0xff; }
  uint32_t lanes() const { return bits >> 24; }  // active ones
  static PackedCounts of(uint32_t addresses, uint32_t sectors, uint32_t lines, uint32_t lanes) {
    return {addresses | sectors << 8 | lines << 16 | lanes << 24};
  }
};
// From the addresses; all zero if the mask is empty or the active ones lie too far apart for 15 bits a lane. `width`:
// bytes per lane, a power of two up to 32 that divides every active address.
PackedCounts count_close(const uint64_t* address, uint32_t mask, uint32_t width);
// No two lanes touch one 128-byte line: the usual case of addresses that are data, and quicker to see than to count.
bool all_lines_differ(const Lanes& lanes);

// address[l] == base + pattern[l] for every active lane.
bool has_pattern(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask);

// For 32 active lanes: the distances from lane to lane differ, the first two as well, and too few of them are 0 or
// `width` for classify() (lane_pattern.h) to call it rows or groups. So true means irregular; false means to look
// closer.
bool has_no_runs(const uint64_t* address, uint32_t width);

// Lanes that share something, a sector say, as masks; of a pattern, where it is asked again and again which of them
// have an active lane.
struct LaneSets {
  alignas(32) uint32_t lanes[32] = {};
  uint32_t blocks = 0;  // of eight masks in use; 0: every lane is alone
};
struct PatternSets {
  LaneSets sectors, lines, addresses;
};
PackedCounts count_sets(const PatternSets& sets, uint32_t mask);

// The plain versions, for processors without a fast one and as the test's reference.
bool gather_plain(const uint64_t* address, uint32_t mask, Lanes& lanes);
LaneCounts count_plain(const Lanes& lanes);
PackedCounts count_close_plain(const uint64_t* address, uint32_t mask);
bool all_lines_differ_plain(const Lanes& lanes);
bool has_pattern_plain(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask);
bool has_no_runs_plain(const uint64_t* address, uint32_t width);
PackedCounts count_sets_plain(const PatternSets& sets, uint32_t mask);

inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

}  // namespace warplens::model
