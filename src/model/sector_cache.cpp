#include "model/sector_cache.h"

#include <algorithm>

namespace warplens::model {

uint64_t mix(uint64_t number) {
  number *= 0x9e3779b97f4a7c15u;
  number ^= number >> 29;
  number *= 0xbf58476d1ce4e5b9u;
  return number ^ number >> 32;
}

SectorCache::SectorCache(uint64_t lines) : capacity_(std::max<uint64_t>(1, lines)), buckets_(64, kNone) {}

uint32_t* SectorCache::place_of(uint64_t number) {
  uint32_t* at = &bucket(number);
  while (*at != kNone && nodes_[*at].line.number != number) at = &nodes_[*at].chain;
  return at;
}

void SectorCache::unlink(uint32_t n) {
  const Node& node = nodes_[n];
  (node.newer == kNone ? newest_ : nodes_[node.newer].older) = node.older;
  (node.older == kNone ? oldest_ : nodes_[node.older].newer) = node.newer;
}

void SectorCache::push(uint32_t n) {
  nodes_[n].newer = kNone;
  nodes_[n].older = newest_;
  (newest_ == kNone ? oldest_ : nodes_[newest_].newer) = n;
  newest_ = n;
}

SectorCache::Line* SectorCache::peek(uint64_t number) {
  const uint32_t n = *place_of(number);
  return n == kNone ? nullptr : &nodes_[n].line;
}

SectorCache::Line* SectorCache::find(uint64_t number) {
  const uint32_t n = *place_of(number);
  if (n == kNone) return nullptr;
  if (n != newest_) unlink(n), push(n);
  return &nodes_[n].line;
}

void SectorCache::grow() {
  buckets_.assign(buckets_.size() * 4, kNone);
  for (uint32_t n = oldest_; n != kNone; n = nodes_[n].newer) {
    uint32_t& head = bucket(nodes_[n].line.number);
    nodes_[n].chain = head;
    head = n;
  }
}

bool SectorCache::insert(uint64_t number, Line** line, Line* left) {
  const bool full = nodes_.size() >= capacity_;
  uint32_t n = oldest_;
  if (full) {
    *left = nodes_[n].line;
    *place_of(left->number) = nodes_[n].chain;
    unlink(n);
  } else {
    n = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
    if (nodes_.size() > buckets_.size()) grow();
  }
  nodes_[n].line = {number, 0, 0, {}};
  uint32_t& head = bucket(number);
  nodes_[n].chain = head;
  head = n;
  push(n);
  *line = &nodes_[n].line;
  return full;
}

}  // namespace warplens::model
