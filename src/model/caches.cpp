// What L1, L2 and DRAM do with a launch's requests, as far as an H200's counters show it. Modelled: the order of
// requests is not the hardware's (observe/cache_replay.cpp), and what follows is a simplification of what was seen.
//
// L1.      One an SM, what the unified memory has left over from shared memory. A load's sectors that are there are
//          hits; the others are read from L2, one by one. So it is too for sectors that another warp asked for and that
//          are still on their way. Stores are written through: they leave in L1 the sectors that they write whole, and
//          of others only bytes, which the next store forgets. Volatile loads and copies with .cg pass L1 by.
// GPC.     Up to `merge_reads` reads of a sector by SMs of a GPC reach L2 as one, if they are made while the first is
//          on its way.
// L2.      Two partitions, each beside half of the GPCs. Every line has a home in one of them. An SM asks the partition
//          on its side; if that is not the line's home and has no copy, it reads from the home and keeps a copy. So
//          half of all reads of DRAM's data, and half of all writes, are counted twice: lts__t_sectors_op_read.sum of a
//          copy is 1.5 times what the SMs read. A sector that is missing is fetched with its neighbour in 64 bytes,
//          from the home as from DRAM. Stores need no data and always hit; a sector that was written in part is
//          completed from DRAM when it has to leave. Lines compete in sets of `l2_set_lines`, so that some leave before
//          L2 is full and others stay when more is used than it holds; at most `l2_dirty_percent` of a set's lines wait
//          to be written. `launch_dirty_bytes` of what ran before are still to be written when a launch begins, and are
//          as soon as their place is needed: a launch that only reads makes DRAM write too.
// Atomics. Done at home, which fetches the sector first.
//
// Example. 32 lanes read 4 bytes each, 64 bytes apart, and nothing is in the caches: 32 sectors of L1 and of L2, none a
//          hit; 64 sectors from DRAM; 64 counted as L2's misses, and, where the home is on the other side, 64 more read
//          there.
//
// Source.  Public: sectors, lines, the L1 that shared memory is part of, write-through (CUDA C++ Programming Guide;
//          Nsight Compute, Kernel Profiling Guide, "Caches"); two partitions (NVIDIA A100 whitepaper). Measured on an
//          H200 with Nsight Compute: blocks that store part of a sector, or all of it, and load it again; arrays read
//          twice, of 32 to 384 KB by each SM and of 4 to 128 MB by all; chosen SMs that read the same lines at the same
//          time or a little later; the probes at 2^20, 2^23 and 2^26 elements. The figures: docs/caches.md.
// Not here. The true hash and the true order of replacement: sets are of the size that makes arrays of 32 to 48 MB keep
//          as much as they were seen to. Stores that L1 joins: some to one sector, a few cycles apart, reach L2 as one
//          (three in a row of a warp, eight warps at once), others do not (columns of a matrix), and no rule was found
//          that tells them apart. Compression. Lines that an earlier launch left behind: each launch begins with caches
//          of which it can use nothing, as under Nsight Compute's --cache-control all.
#include "model/caches.h"

#include <algorithm>

namespace warplens::model {

namespace {
// What DRAM is read in: pairs of sectors.
uint8_t pairs_of(uint8_t sectors) {
  const unsigned either = (sectors | sectors >> 1) & 0b0101;
  return static_cast<uint8_t>(either * 3);
}
uint8_t without(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & ~b); }
uint64_t count(uint8_t sectors) { return sectors_in(sectors); }
constexpr uint64_t kBefore = uint64_t{1} << 56;  // lines that no launch asks for
}  // namespace

Caches::Caches(const GpuSpec& gpu, const CacheSpec& spec, uint32_t shared_bytes, unsigned sampled)
    : spec_(spec),
      sms_(gpu.sm_count),
      l1_lines_((gpu.l1_shared_bytes - std::min(gpu.l1_shared_bytes, shared_bytes)) / kLineBytes >> sampled),
      l1_(gpu.sm_count),
      flights_(spec.gpcs) {
  const uint64_t lines = std::max<uint64_t>(1, gpu.l2_bytes / spec.l2_partitions / kLineBytes >> sampled);
  const uint64_t sets = std::max<uint64_t>(1, lines / spec.l2_set_lines);
  most_dirty_ = lines / sets * spec.l2_dirty_percent / 100;
  for (uint32_t p = 0; p < spec.l2_partitions; ++p) {
    l2_.emplace_back(lines / sets, sets, sampled);
  }
  CacheFigures none;
  for (uint64_t k = 0; k < spec.launch_dirty_bytes / kLineBytes >> sampled; ++k) {
    const uint64_t number = kBefore + k;
    SectorCache& home = home_of(number);
    SectorCache::Line& line = in_l2(home, number, none);
    line.present = 0xf;
    written(home, line, 0xf, none);
  }
}

SectorCache& Caches::l1(uint32_t sm) {
  if (!l1_[sm]) l1_[sm] = std::make_unique<SectorCache>(l1_lines_);
  return *l1_[sm];
}

SectorCache& Caches::home_of(uint64_t line) { return l2_[(mix(line) >> 50) % l2_.size()]; }

void Caches::access(uint32_t sm, uint64_t turn, const LineAccess& a, CacheFigures& figures) {
  if (a.op == CacheOp::Store) return store(sm, a, figures);
  if (a.op == CacheOp::Reduce) return reduce(sm, a, figures);
  load(sm, turn, a, figures);
}

void Caches::load(uint32_t sm, uint64_t turn, const LineAccess& a, CacheFigures& figures) {
  figures.l1_sectors += count(a.sectors);
  uint8_t missing = a.sectors;
  if (a.op == CacheOp::Load) {
    SectorCache::Line left, *line = l1(sm).find(a.line);
    if (!line) l1(sm).insert(a.line, &line, &left);
    missing = without(a.sectors, line->present);
    line->present |= a.sectors;
    figures.l1_hits += count(a.sectors) - count(missing);
  }
  missing = not_merged(sm, turn, a.line, missing);
  if (missing != 0) read_l2(sm, a.line, missing, figures);
}

uint8_t Caches::not_merged(uint32_t sm, uint64_t turn, uint64_t line, uint8_t sectors) {
  if (spec_.merge_reads < 2 || sectors == 0) return sectors;
  auto& gpc = flights_[gpc_of(sm)];
  if (gpc.empty()) gpc.resize(kFlights);
  Flight& flight = gpc[mix(line) >> 40 & (kFlights - 1)];
  const bool joins = flight.line == line && flight.sectors == sectors && flight.reads < spec_.merge_reads &&
                     turn - flight.turn < spec_.merge_turns;
  if (!joins) flight = {line, turn, sectors, 0};
  ++flight.reads;
  return joins ? 0 : sectors;
}

// What leaves, or stays as what DRAM has too.
void Caches::write_back(SectorCache::Line& line, CacheFigures& figures) {
  figures.dram_write += count(line.dirty);
  figures.fills += count(without(line.dirty, line.present));
  line.present |= line.dirty;
}

SectorCache::Line& Caches::in_l2(SectorCache& l2, uint64_t number, CacheFigures& figures) {
  SectorCache::Line left, *line = l2.find(number);
  if (!line && l2.insert(number, &line, &left)) write_back(left, figures);
  return *line;
}

// Returns what it had to fetch.
uint8_t Caches::read_home(SectorCache& home, uint64_t number, uint8_t sectors, CacheFigures& figures) {
  SectorCache::Line& line = in_l2(home, number, figures);
  const uint8_t fetched = without(pairs_of(without(sectors, line.present)), line.present);
  figures.dram_read += count(fetched);
  line.present |= fetched;
  return fetched;
}

void Caches::read_l2(uint32_t sm, uint64_t number, uint8_t sectors, CacheFigures& figures) {
  SectorCache &home = home_of(number), &side = side_of(sm);
  uint8_t missing;
  if (&home == &side) {
    missing = read_home(home, number, sectors, figures);
  } else {
    SectorCache::Line& copy = in_l2(side, number, figures);
    missing = without(pairs_of(without(sectors, copy.present)), copy.present);
    copy.present |= missing;
    figures.fabric_reads += count(missing);
    if (missing != 0) read_home(home, number, missing, figures);
  }
  figures.l2_reads += count(sectors);
  figures.l2_lookups += count(sectors);
  figures.l2_misses += count(missing);
  figures.l2_hits += count(without(sectors, missing));
}

// Sectors of a line at home are newer than DRAM's.
void Caches::written(SectorCache& l2, SectorCache::Line& line, uint8_t sectors, CacheFigures& figures) {
  l2.written(line, sectors);
  while (l2.dirty_lines(line) > most_dirty_) {
    SectorCache::Line& first = l2.first_dirty(line);
    write_back(first, figures);
    l2.cleaned(first);
  }
}

void Caches::store(uint32_t sm, const LineAccess& a, CacheFigures& figures) {
  SectorCache &home = home_of(a.line), &side = side_of(sm);
  SectorCache::Line left, *near = l1(sm).find(a.line);
  if (!near && a.whole != 0) l1(sm).insert(a.line, &near, &left);
  if (near) near->present |= a.whole;
  figures.l2_writes += count(a.sectors);
  figures.l2_lookups += count(a.sectors);
  figures.l2_hits += count(a.sectors);
  if (&home != &side) {
    figures.fabric_writes += count(a.sectors);
    in_l2(side, a.line, figures).present |= a.whole;
  }
  SectorCache::Line& line = in_l2(home, a.line, figures);
  line.present |= a.whole;
  for (unsigned s = 0; s < 4; ++s) {
    if (!(a.sectors >> s & 1) || line.present >> s & 1) continue;
    line.words[s] = static_cast<uint8_t>(std::min(8, line.words[s] + a.words));
    if (line.words[s] == 8) line.present = static_cast<uint8_t>(line.present | 1u << s);
  }
  written(home, line, a.sectors, figures);
}

void Caches::reduce(uint32_t sm, const LineAccess& a, CacheFigures& figures) {
  SectorCache &home = home_of(a.line), &side = side_of(sm);
  const uint8_t fetched = read_home(home, a.line, a.sectors, figures);
  written(home, in_l2(home, a.line, figures), a.sectors, figures);
  const uint64_t misses = &home == &side ? count(static_cast<uint8_t>(fetched & a.sectors)) : 0;
  figures.l2_lookups += count(a.sectors);
  figures.l2_misses += misses;
  figures.l2_hits += count(a.sectors) - misses;
}

}  // namespace warplens::model
