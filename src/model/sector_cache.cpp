#include "model/sector_cache.h"

#include <algorithm>

namespace warplens::model {

uint64_t mix(uint64_t number) {
  number *= 0x9e3779b97f4a7c15u;
  number ^= number >> 29;
  number *= 0xbf58476d1ce4e5b9u;
  return number ^ number >> 32;
}

SectorCache::SectorCache(uint64_t ways, uint64_t sets, unsigned sampled)
    : ways_(std::max<uint64_t>(1, ways)), sampled_(sampled), sets_(std::max<uint64_t>(1, sets)), buckets_(64, kNone) {}

uint32_t* SectorCache::place_of(uint64_t number) {
  uint32_t* at = &bucket(number);
  while (*at != kNone && nodes_[*at].line.number != number) at = &nodes_[*at].chain;
  return at;
}

void SectorCache::unlink(Set& set, const Node& node) {
  (node.newer == kNone ? set.newest : nodes_[node.newer].older) = node.older;
  (node.older == kNone ? set.oldest : nodes_[node.older].newer) = node.newer;
}

void SectorCache::push(Set& set, uint32_t n) {
  nodes_[n].newer = kNone;
  nodes_[n].older = set.newest;
  (set.newest == kNone ? set.oldest : nodes_[set.newest].newer) = n;
  set.newest = n;
}

void SectorCache::unlink_dirty(Set& set, const Node& node) {
  (node.later == kNone ? set.last_dirty : nodes_[node.later].earlier) = node.earlier;
  (node.earlier == kNone ? set.first_dirty : nodes_[node.earlier].later) = node.later;
  --set.dirty;
}

void SectorCache::written(Line& line, uint8_t sectors) {
  if (line.dirty == 0 && sectors != 0) {
    Set& set = set_of(line.number);
    const auto n = static_cast<uint32_t>(reinterpret_cast<Node*>(&line) - nodes_.data());
    nodes_[n].later = kNone;
    nodes_[n].earlier = set.last_dirty;
    (set.last_dirty == kNone ? set.first_dirty : nodes_[set.last_dirty].later) = n;
    set.last_dirty = n;
    ++set.dirty;
  }
  line.dirty |= sectors;
}

void SectorCache::cleaned(Line& line) {
  if (line.dirty == 0) return;
  unlink_dirty(set_of(line.number), reinterpret_cast<Node&>(line));
  line.dirty = 0;
}

SectorCache::Line* SectorCache::find(uint64_t number) {
  const uint32_t n = *place_of(number);
  if (n == kNone) return nullptr;
  if (nodes_[n].newer != kNone) {
    Set& set = set_of(number);
    unlink(set, nodes_[n]);
    push(set, n);
  }
  return &nodes_[n].line;
}

void SectorCache::grow() {
  buckets_.assign(buckets_.size() * 4, kNone);
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    uint32_t& head = bucket(nodes_[n].line.number);
    nodes_[n].chain = head;
    head = n;
  }
}

bool SectorCache::insert(uint64_t number, Line** line, Line* left) {
  Set& set = set_of(number);
  const bool full = set.lines >= ways_;
  uint32_t n = set.oldest;
  if (full) {
    *left = nodes_[n].line;
    *place_of(left->number) = nodes_[n].chain;
    unlink(set, nodes_[n]);
    if (left->dirty != 0) unlink_dirty(set, nodes_[n]);
  } else {
    if (nodes_.size() >= buckets_.size()) grow();
    n = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
    ++set.lines;
  }
  nodes_[n].line = {number, 0, 0, {}};
  uint32_t& head = bucket(number);
  nodes_[n].chain = head;
  head = n;
  push(set, n);
  *line = &nodes_[n].line;
  return full;
}

}  // namespace warplens::model
