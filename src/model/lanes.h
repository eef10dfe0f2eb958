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
// No two lanes touch one 128-byte line: the usual case of addresses that are data, and quicker to see than to count.
bool all_lines_differ(const Lanes& lanes);

// address[l] == base + pattern[l] for every active lane.
bool has_pattern(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask);

// For 32 active lanes: the distances from lane to lane differ, and too few of them are 0 or `width` for classify()
// (lane_pattern.h) to call it rows or groups. So true means irregular; false means to look closer.
bool has_no_runs(const uint64_t* address, uint32_t width);

// The plain versions, for processors without a fast one and as the test's reference.
bool gather_plain(const uint64_t* address, uint32_t mask, Lanes& lanes);
LaneCounts count_plain(const Lanes& lanes);
bool all_lines_differ_plain(const Lanes& lanes);
bool has_pattern_plain(const uint64_t* address, uint64_t base, const int64_t* pattern, uint32_t mask);
bool has_no_runs_plain(const uint64_t* address, uint32_t width);

inline uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

}  // namespace warplens::model
