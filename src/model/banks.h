// Shared-memory banks: how many wavefronts one warp request to shared memory takes, as a pure function of lane
// addresses. The rule, its source and its limits: banks.cpp.
#pragma once
#include <cstdint>

namespace warplens::model {

enum class SharedOp : uint8_t {
  Load,
  Store,
  Atomic,          // ATOMS: exchange, add, min, ...
  CompareAndSwap,  // ATOMS.CAS
  Increment,       // ATOMS.POPC.INC: what adding the constant 1 without using the result becomes
  MatrixRows,      // LDSM, STSM: rows of 16 bytes, by the lanes that give a row's address
};

struct SharedCost {
  uint32_t lanes = 0;             // active lanes
  uint32_t wavefronts = 0;        // serial passes over the 32 banks
  uint32_t wavefronts_ideal = 0;  // min(wavefronts, ceil(lanes * width / 128)), twice that for CompareAndSwap
  uint32_t bytes_used = 0;        // distinct bytes touched
  friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

// `address`: 32 byte offsets in the block's window; each active one a multiple of `width`. `width`: bytes per lane,
// 1, 2, 4, 8 or 16.
SharedCost banks(const uint64_t* address, uint32_t mask, uint32_t width, SharedOp op);

// The same for lane l at base + pattern[l], base congruent to `residue` modulo 128.
SharedCost banks(const int64_t* pattern, uint32_t mask, uint32_t residue, uint32_t width, SharedOp op);

// An asynchronous copy (LDGSTS) of `width` bytes a lane, 4, 8 or 16, from `global` to `shared`: both are addresses,
// multiples of `width`. `reads`: the lanes in `mask` that copy something; the others' places are filled with zeros.
SharedCost copy_to_banks(const uint64_t* shared, const uint64_t* global, uint32_t mask, uint32_t reads, uint32_t width);

}  // namespace warplens::model
