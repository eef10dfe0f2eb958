// What one request asks of one line, in 64 bits: what a trace of a launch is made of.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "model/caches.h"

namespace warplens::observe {

enum class CacheClass : uint8_t { Load, LocalLoad, Store, LocalStore, Reduce };
constexpr size_t kCacheClasses = 5;

struct CacheEntry {
  uint64_t line = 0;    // of local memory: number of the word in the frame; at most kLineBits
  uint8_t sectors = 0;  // of the line
  uint8_t whole = 0;    // those of which a store writes every byte
  uint8_t part = 0;     // of the others it writes about 2^part words of 8
  model::CacheOp op = model::CacheOp::Load;
  bool local = false;
  uint8_t warp = 0;     // of the block
  uint8_t request = 0;  // the request's number, modulo 32
  static constexpr unsigned kLineBits = 41;

  uint64_t pack() const {
    return line | uint64_t{sectors} << 41 | uint64_t{whole} << 45 | uint64_t{part} << 49 | uint64_t(op) << 51 |
           uint64_t{local} << 53 | uint64_t{warp} << 54 | uint64_t{request} << 59;
  }
  static CacheEntry unpack(uint64_t bits) {
    const auto field = [&](unsigned at, unsigned width) { return uint8_t(bits >> at & ((1u << width) - 1)); };
    return {bits & ((uint64_t{1} << kLineBits) - 1),
            field(41, 4),
            field(45, 4),
            field(49, 2),
            model::CacheOp(field(51, 2)),
            field(53, 1) != 0,
            field(54, 5),
            field(59, 5)};
  }
  static uint32_t warp_of(uint64_t bits) { return bits >> 54 & 31; }
  static uint32_t request_of(uint64_t bits) { return uint32_t(bits >> 59); }
  // The entries of 2^-k of all lines have a rank of k or more. Lines are sampled by a hash of their address. Of local
  // memory every 2^k-th word of a frame is, others in each warp: as much of every warp, and of blocks that follow each
  // other at one place the same. Frames seldom have more words than kEven; what is rarer than that is left to a hash.
  static constexpr unsigned kRanks = 40;
  static constexpr uint64_t kEven = 64;
  static unsigned rank_of(uint64_t bits) {
    const uint64_t line = bits & ((uint64_t{1} << kLineBits) - 1);
    uint64_t place = model::mix(line);
    if (bits >> 53 & 1) {
      const uint64_t warp = warp_of(bits);
      place = (model::mix(line << 5 | warp) & ~(kEven - 1)) | ((line + 13 * warp) & (kEven - 1));
    }
    return unsigned(std::countr_zero(place | uint64_t{1} << (kRanks - 1)));
  }
  CacheClass cache_class() const {
    if (op == model::CacheOp::Reduce) return CacheClass::Reduce;
    if (op == model::CacheOp::Store) return local ? CacheClass::LocalStore : CacheClass::Store;
    return local ? CacheClass::LocalLoad : CacheClass::Load;
  }
};

// Part of what a block asked for, in order.
struct TracePiece {
  uint64_t block;
  std::span<const uint64_t> entries;
};

struct CacheTrail {
  std::vector<TracePiece> pieces;     // a block's own in order
  uint64_t blocks = 0;                // of the launch, whether they have entries or not
  unsigned sampled = 0;               // entries of a lower rank were left out
  uint64_t sectors[kCacheClasses]{};  // of all entries, whether they were left out or not
};

}  // namespace warplens::observe
