#include "probes/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warplens::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSectors = "memory_l2_theoretical_sectors_global",
                           kSectorsIdeal = "memory_l2_theoretical_sectors_global_ideal",
                           kWavefronts = "memory_l1_wavefronts_shared",
                           kWavefrontsIdeal = "memory_l1_wavefronts_shared_ideal",
                           kTags = "memory_l1_tag_requests_global",
                           kLoads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                           kStores = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                           kInstructions = "smsp__inst_executed.sum";

// The columns of the table; all must equal the GPU's.
struct Column {
  std::string_view title, metric;
};
constexpr Column kColumns[] = {
    {"sectors", kSectors},   {"ideal", kSectorsIdeal}, {"wavefronts", kWavefronts}, {"ideal", kWavefrontsIdeal},
    {"tag requests", kTags}, {"loads", kLoads},        {"stores", kStores},
};

// Not in the table, but equal too. A sum: of an `atom` whose result is unused ptxas makes a `red`, so only both
// together are the same.
const std::vector<std::vector<std::string_view>> kAlsoEqual = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
    {"smsp__inst_executed_op_global_ld.sum"},
    {"smsp__inst_executed_op_global_st.sum"},
};

// Figures that differ because ptxas changed the program, with what Warplens counts: a change of either must be seen.
struct Known {
  std::string_view launch;  // its name, or its kernel's
  std::string_view metric;
  uint64_t ours;
  std::string_view why;
};
constexpr std::string_view kMerged = "ptxas joins four ld.shared of adjacent words into one LDS.128",
                           kAggregated = "ptxas adds up the warp's operands first: one lane's ATOMS is left";
constexpr Known kKnown[] = {
    {"m_matmul_tiled_16", kWavefronts, 1114112, kMerged},
    {"m_matmul_tiled_16", kWavefrontsIdeal, 1114112, kMerged},
    {"m_matmul_tiled_32", kWavefronts, 1081344, kMerged},
    {"m_matmul_tiled_32", kWavefrontsIdeal, 1081344, kMerged},
    {"b_atomic_same", kWavefronts, 16640, kAggregated},
    {"matmul_tiled", kWavefronts, 71303168, kMerged},  // a kernel of seed task2_matmul
    {"matmul_tiled", kWavefrontsIdeal, 71303168, kMerged},
};

// "void k<16>(const float *, int)" -> "void k<16>": the two demanglers write parameters differently.
std::string without_parameters(const std::string& kernel) { return kernel.substr(0, kernel.find('(')); }

std::string shape_of(const Json& dim) {
  return fmt::format("({}, {}, {})", dim[0].dump(), dim[1].dump(), dim[2].dump());
}

uint64_t metric_of(const Json& launch, std::string_view name) {
  const auto& metrics = launch.at("metrics");
  const auto it = metrics.find(name);
  if (it == metrics.end()) ADD_FAILURE() << "a launch without " << name;
  return it == metrics.end() ? 0 : it->at("value").get<uint64_t>();
}

uint64_t metric_of(const GpuLaunch& gpu, std::string_view name) {
  const auto it = gpu.metrics.find(std::string(name));
  if (it == gpu.metrics.end()) ADD_FAILURE() << "no " << name << " of " << gpu.name << " in the GPU's counters";
  return it == gpu.metrics.end() ? 0 : it->second;
}

bool is_of(const Known& known, const GpuLaunch& gpu) {
  return known.launch == gpu.name || known.launch == without_parameters(gpu.kernel);
}

}  // namespace

void Comparison::add(const Json& launch, const GpuLaunch& gpu) {
  SCOPED_TRACE(gpu.name);
  EXPECT_EQ(without_parameters(launch.at("name").get<std::string>()), without_parameters(gpu.kernel));
  EXPECT_EQ(shape_of(launch.at("grid")), gpu.grid);
  EXPECT_EQ(shape_of(launch.at("block")), gpu.block);
  Row row{gpu.name, gpu.name, gpu.kernel, {}, "equal"};
  for (const Column& column : kColumns) {
    const uint64_t ours = metric_of(launch, column.metric), theirs = metric_of(gpu, column.metric);
    row.cells.push_back(ours == theirs ? fmt::format("{}", ours) : fmt::format("{} (GPU {})", ours, theirs));
    const auto known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                    [&](const Known& k) { return k.metric == column.metric && is_of(k, gpu); });
    if (known == std::end(kKnown)) {
      EXPECT_EQ(ours, theirs) << column.metric;
      if (ours != theirs) row.verdict = "DIFFERENT";
      continue;
    }
    met_.insert(size_t(known - kKnown));
    EXPECT_EQ(ours, known->ours) << column.metric << " differs as known, but not by as much";
    EXPECT_NE(ours, theirs) << column.metric << ": equal now: take it off kKnown";
    if (row.verdict != "DIFFERENT") row.verdict = fmt::format("different: {}", known->why);
  }
  for (const auto& names : kAlsoEqual) {
    uint64_t ours = 0, theirs = 0;
    for (std::string_view name : names) ours += metric_of(launch, name), theirs += metric_of(gpu, name);
    EXPECT_EQ(ours, theirs) << fmt::format("{}", fmt::join(names, " + "));
    if (ours != theirs) row.verdict = "DIFFERENT";
  }
  row.cells.push_back(
      fmt::format("{:.2f}", double(metric_of(launch, kInstructions)) / double(metric_of(gpu, kInstructions))));
  ++(row.verdict == "equal" ? equal_ : different_);
  add_row(std::move(row));
}

void Comparison::add_row(Row row) {
  if (!rows_.empty()) {
    Row& before = rows_.back();
    if (before.kernel == row.kernel && before.cells == row.cells && before.verdict == row.verdict &&
        before.name.find('#') != before.name.npos) {
      before.last = row.name;
      ++before.launches;
      return;
    }
  }
  rows_.push_back(std::move(row));
}

void Comparison::finish(const std::vector<GpuLaunch>& launches) {
  std::vector<std::string> titles;
  for (const Column& column : kColumns) titles.emplace_back(column.title);
  titles.emplace_back("PTX/SASS");
  std::vector<size_t> widths;
  for (const std::string& title : titles) widths.push_back(title.size());
  size_t first = 0;
  for (Row& row : rows_) {
    if (row.launches > 1) row.name += ".." + row.last.substr(row.last.find('#') + 1);
    first = std::max(first, row.name.size());
    for (size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], row.cells[i].size());
  }
  const auto print = [&](const std::string& name, const std::vector<std::string>& cells, const std::string& verdict) {
    std::string line = fmt::format("{:{}}", name, first);
    for (size_t i = 0; i < cells.size(); ++i) line += fmt::format("  {:>{}}", cells[i], widths[i]);
    fmt::print("{}  {}\n", line, verdict);
  };
  print("launch", titles, "");
  for (const Row& row : rows_) print(row.name, row.cells, row.verdict);
  fmt::print("{} launches: {} equal, {} different\n", equal_ + different_, equal_, different_);
  for (size_t i = 0; i < std::size(kKnown); ++i) {
    const bool among =
        std::any_of(launches.begin(), launches.end(), [&](const GpuLaunch& l) { return is_of(kKnown[i], l); });
    EXPECT_EQ(among, met_.contains(i)) << kKnown[i].launch << " " << kKnown[i].metric << " was not compared";
  }
}

}  // namespace warplens::test
