// Every request that h200/requests_probe.cu measured on an H200: see h200/README.md.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "model/banks.h"
#include "model/coalesce.h"
#include "model/local.h"
#include "models/h200/request_tables.h"
#include "support/csv.h"

namespace warplens::model {
namespace {

using requests::kEntries;

// CopyLess: a copy whose lanes that are off copy no bytes, and zeros instead. Matrix: lanes that give rows.
enum class Space { Global, Shared, Local, Generic, Copy, CopyLess, Matrix };

struct Kind {
  Space space;
  uint32_t width;
  SharedOp op = SharedOp::Load;
  uint32_t rows = 0;
};

const std::map<std::string, Kind> kKinds = {
    {"lds1", {Space::Shared, 1}},
    {"lds2", {Space::Shared, 2}},
    {"lds4", {Space::Shared, 4}},
    {"lds8", {Space::Shared, 8}},
    {"lds16", {Space::Shared, 16}},
    {"sts1", {Space::Shared, 1, SharedOp::Store}},
    {"sts2", {Space::Shared, 2, SharedOp::Store}},
    {"sts4", {Space::Shared, 4, SharedOp::Store}},
    {"sts8", {Space::Shared, 8, SharedOp::Store}},
    {"sts16", {Space::Shared, 16, SharedOp::Store}},
    {"atoms_add4", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_and4", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_min4", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_exch4", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_inc4", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_cas4", {Space::Shared, 4, SharedOp::CompareAndSwap}},
    {"atoms_red4", {Space::Shared, 4, SharedOp::Increment}},  // it adds 1, and the compiler knows
    {"atoms_popc4", {Space::Shared, 4, SharedOp::Increment}},
    {"atoms_popc4_ret", {Space::Shared, 4, SharedOp::Atomic}},
    {"atoms_exch8", {Space::Shared, 8, SharedOp::Atomic}},
    {"atoms_cas8", {Space::Shared, 8, SharedOp::CompareAndSwap}},
    {"ldgsts4", {Space::Copy, 4}},
    {"ldgsts8", {Space::Copy, 8}},
    {"ldgsts16", {Space::Copy, 16}},
    {"ldgsts4_less", {Space::CopyLess, 4}},
    {"ldsm1", {Space::Matrix, 16, SharedOp::MatrixRows, 8}},
    {"ldsm2", {Space::Matrix, 16, SharedOp::MatrixRows, 16}},
    {"ldsm4", {Space::Matrix, 16, SharedOp::MatrixRows, 32}},
    {"ldsm1t", {Space::Matrix, 16, SharedOp::MatrixRows, 8}},
    {"ldsm2t", {Space::Matrix, 16, SharedOp::MatrixRows, 16}},
    {"ldsm4t", {Space::Matrix, 16, SharedOp::MatrixRows, 32}},
    {"stsm1", {Space::Matrix, 16, SharedOp::MatrixRows, 8}},
    {"stsm2", {Space::Matrix, 16, SharedOp::MatrixRows, 16}},
    {"stsm4", {Space::Matrix, 16, SharedOp::MatrixRows, 32}},
    {"stsm4t", {Space::Matrix, 16, SharedOp::MatrixRows, 32}},
    {"ldg1", {Space::Global, 1}},
    {"ldg2", {Space::Global, 2}},
    {"ldg4", {Space::Global, 4}},
    {"ldg8", {Space::Global, 8}},
    {"ldg16", {Space::Global, 16}},
    {"ldg16_nc", {Space::Global, 16}},
    {"stg1", {Space::Global, 1}},
    {"stg2", {Space::Global, 2}},
    {"stg4", {Space::Global, 4}},
    {"stg8", {Space::Global, 8}},
    {"stg16", {Space::Global, 16}},
    {"atomg_add4", {Space::Global, 4}},
    {"atomg_add8", {Space::Global, 8}},
    {"atomg_cas4", {Space::Global, 4}},
    {"atomg_cas8", {Space::Global, 8}},
    {"atomg_cas16", {Space::Global, 16}},
    {"atomg_exch4", {Space::Global, 4}},
    {"redg4", {Space::Global, 4}},
    {"redg8", {Space::Global, 8}},
    {"redg_f64", {Space::Global, 8}},
    {"redg_v2f32", {Space::Global, 8}},
    {"redg_v4f32", {Space::Global, 16}},
    {"redg_v4h2", {Space::Global, 16}},
    {"ldl1", {Space::Local, 1}},
    {"ldl2", {Space::Local, 2}},
    {"ldl4", {Space::Local, 4}},
    {"ldl8", {Space::Local, 8}},
    {"ldl16", {Space::Local, 16}},
    {"stl1", {Space::Local, 1}},
    {"stl4", {Space::Local, 4}},
    {"stl8", {Space::Local, 8}},
    {"stl16", {Space::Local, 16}},
    {"ld4", {Space::Generic, 4}},
    {"ld8", {Space::Generic, 8}},
    {"ld16", {Space::Generic, 16}},
    {"st4", {Space::Generic, 4, SharedOp::Store}},
    {"st16", {Space::Generic, 16, SharedOp::Store}},
    {"atom_add4", {Space::Generic, 4, SharedOp::Atomic}},
    {"atom_exch8", {Space::Generic, 8, SharedOp::Atomic}},
    {"atom_cas4", {Space::Generic, 4, SharedOp::CompareAndSwap}},
    {"red_add4", {Space::Generic, 4, SharedOp::Atomic}},
};

struct Counters {
  uint32_t tags = 0, wavefronts = 0, wavefronts_ideal = 0, sectors = 0, sectors_ideal = 0, sectors_local = 0;
  uint32_t* named(const std::string& name) {
    if (name == "tags") return &tags;
    if (name == "wavefronts") return &wavefronts;
    if (name == "wavefronts_ideal") return &wavefronts_ideal;
    if (name == "sectors") return &sectors;
    if (name == "sectors_ideal") return &sectors_ideal;
    return name == "sectors_local" ? &sectors_local : nullptr;
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};
std::ostream& operator<<(std::ostream& out, const Counters& c) {
  return out << "tags " << c.tags << ", sectors " << c.sectors << " (" << c.sectors_ideal << "), wavefronts "
             << c.wavefronts << " (" << c.wavefronts_ideal << "), local sectors " << c.sectors_local;
}

void add(Counters& n, const GlobalCost& cost) {
  n.tags += cost.tag_requests, n.sectors += cost.sectors, n.sectors_ideal += cost.sectors_ideal;
}
void add(Counters& n, const SharedCost& cost) {
  n.wavefronts += cost.wavefronts, n.wavefronts_ideal += cost.wavefronts_ideal;
}

Counters model_of(const Kind& kind, const requests::Table& t, int e) {
  const uint32_t mask = t.mask[e] & t.running;
  uint64_t offset[32], other[32];
  for (int l = 0; l < 32; ++l) offset[l] = t.offset[e][l], other[l] = t.other[e][l];
  Counters n;
  switch (kind.space) {
    case Space::Global:
      add(n, coalesce(offset, mask, kind.width));
      break;
    case Space::Shared:
      add(n, banks(offset, mask, kind.width, kind.op));
      break;
    case Space::Local:
      n.sectors_local = local_memory(offset, mask, kind.width).sectors;
      break;
    case Space::Matrix:
      add(n, banks(offset, kind.rows == 32 ? ~0u : (1u << kind.rows) - 1, kind.width, kind.op));
      break;
    case Space::Copy:
      add(n, coalesce(other, mask, kind.width));
      add(n, copy_to_banks(offset, other, mask, mask, kind.width));
      break;
    case Space::CopyLess:
      add(n, coalesce(other, mask, kind.width));
      add(n, copy_to_banks(offset, other, t.running, mask, kind.width));
      break;
    case Space::Generic: {
      const uint32_t which = t.other[e][31] % 4;  // as the probe has it
      uint32_t lanes[3] = {};
      for (int l = 0; l < 32; ++l) lanes[which < 3 ? which : t.other[e][l] % 2] |= mask & 1u << l;
      add(n, coalesce(offset, lanes[0], kind.width));
      add(n, banks(offset, lanes[1], kind.width, kind.op));
      n.sectors_local = local_memory(offset, lanes[2], kind.width).sectors;
      break;
    }
  }
  return n;
}

TEST(Requests, EveryMeasuredOne) {
  std::map<std::pair<std::string, int>, std::vector<Counters>> measured;
  bool head = true;
  for (const auto& row : test::read_csv(WARPLENS_SOURCE_DIR "/tests/models/h200/requests.csv")) {
    if (std::exchange(head, false)) continue;
    ASSERT_EQ(row.size(), 4u);
    auto& counters = measured[{row[0], std::stoi(row[1])}];
    counters.resize(kEntries);
    std::istringstream values(row[3]);
    for (Counters& c : counters) {
      ASSERT_TRUE(c.named(row[2])) << row[2];
      values >> *c.named(row[2]);
    }
    ASSERT_TRUE(values) << row[0];
  }
  size_t requests = 0;
  const auto table = std::make_unique<requests::Table>();
  for (const auto& [launch, counters] : measured) {
    const auto& [name, seed] = launch;
    ASSERT_TRUE(kKinds.contains(name)) << name;
    const Kind& kind = kKinds.at(name);
    const bool copy = kind.space == Space::Copy || kind.space == Space::CopyLess;
    requests::make(*table, uint64_t(seed), kind.width, copy ? kind.width : 1, kind.space != Space::Matrix);
    for (int e = 0; e < kEntries; ++e, ++requests)
      EXPECT_EQ(model_of(kind, *table, e), counters[size_t(e)]) << name << ", launch " << seed << ", request " << e;
  }
  EXPECT_EQ(requests, 31232u);
}

}  // namespace
}  // namespace warplens::model
