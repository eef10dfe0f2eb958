// Every probe and seed program of the reference material, run as a user would, launch by launch beside the counters of
// an H200. Global memory must be equal to the last sector; shared memory wherever ptxas left the accesses as they were.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "cli/command.h"
#include "nosdk/clang.h"
#include "probes/comparison.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The launches that came to their end.
std::vector<Json> launches_of(const CommandResult& run) {
  std::vector<Json> launches;
  if (!run.json.contains("launches")) return launches;
  for (const Json& launch : run.json.at("launches"))
    if (launch.at("complete").get<bool>()) launches.push_back(launch);
  return launches;
}

std::string family_of(const std::string& name) { return name.substr(0, name.find('_') + 1); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Probes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_nvcc() && !has_clang()) GTEST_SKIP() << "neither nvcc nor clang++-19 on this machine";
    if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
    source_ = fs::canonical(probes());
    gpu_ = read_counters(source_.parent_path() / "h200-counters.csv");
    ASSERT_FALSE(gpu_.empty()) << "no counters beside " << source_;
  }

  // Runs the probes of gpu_[from, to).
  void compare_family(size_t from, size_t to) {
    const CommandResult run = run_program(source_.string(), {family_of(gpu_[from].name)});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::vector<std::string> names = lines_of(run.out);  // a probe prints its name once it has run
    const std::vector<Json> launches = launches_of(run);
    ASSERT_EQ(names.size(), to - from) << run.out << run.err;
    ASSERT_EQ(names.size(), launches.size()) << run.err;
    for (size_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(names[i], gpu_[from + i].name);
      comparison_.add(launches[i], gpu_[from + i]);
    }
  }

  fs::path source_;
  std::vector<GpuLaunch> gpu_;
  Comparison comparison_;
};

TEST_F(Probes, EqualTheCountersOfAnH200) {
  for (size_t from = 0, to; from < gpu_.size(); from = to) {
    for (to = from; to < gpu_.size() && family_of(gpu_[to].name) == family_of(gpu_[from].name);) ++to;
    ASSERT_NO_FATAL_FAILURE(compare_family(from, to));
  }
  comparison_.finish(gpu_);
}

TEST(Seeds, EqualTheCountersOfAnH200) {
  if (!has_nvcc() && !has_clang()) GTEST_SKIP() << "neither nvcc nor clang++-19 on this machine";
  if (seeds().empty()) GTEST_SKIP() << "no ../shared/seeds here";
  Comparison comparison;
  std::vector<GpuLaunch> all;
  for (const fs::path& seed : seeds()) {
    SCOPED_TRACE(seed);
    const auto gpu = read_counters(seed.parent_path() / ("seed-" + seed.stem().string() + ".csv"));
    ASSERT_FALSE(gpu.empty()) << "no counters beside it";
    const CommandResult run = run_program(fs::canonical(seed).string());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::vector<Json> launches = launches_of(run);
    ASSERT_EQ(launches.size(), gpu.size()) << run.err;
    for (size_t i = 0; i < gpu.size(); ++i) comparison.add(launches[i], gpu[i]);
    all.insert(all.end(), gpu.begin(), gpu.end());
  }
  comparison.finish(all);
}

// As machine code every figure is the GPU's own: memory, requests, instructions, branches.
class MachineCode : public Probes {
 protected:
  void SetUp() override {
    if (!has_nvcc()) GTEST_SKIP() << "no nvcc on this machine, whose ptxas makes the machine code";
    Probes::SetUp();
  }

  static bool is_compared(const std::string& metric) {
    for (const char* begin : {"memory_l", "smsp__inst_executed", "smsp__thread_inst_executed",
                              "smsp__sass_branch_targets", "l1tex__t_requests_pipe_lsu_mem_global"})
      if (metric.starts_with(begin)) return true;
    return false;
  }
};

TEST_F(MachineCode, CountsWhatAnH200Counts) {
  const CommandResult run = run_program(source_.string(), {}, {"--code", "sass"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<Json> launches = launches_of(run);
  ASSERT_EQ(launches.size(), gpu_.size()) << run.err;
  size_t compared = 0;
  for (size_t i = 0; i < launches.size(); ++i) {
    SCOPED_TRACE(gpu_[i].name);
    EXPECT_EQ(run.json.at("kernels").at(launches[i].at("kernel").get<size_t>()).at("code"), "sass");
    for (const auto& [name, metric] : launches[i].at("metrics").items()) {
      const auto gpu = gpu_[i].metrics.find(name);
      if (gpu == gpu_[i].metrics.end() || !is_compared(name)) continue;
      const auto value = metric.at("value").get<uint64_t>();
      ++compared;
      // Which groups of lanes go on together after a loop depends on timing on a GPU (model/branches.cpp).
      const bool by_timing =
          (gpu_[i].name == "c_collatz" || gpu_[i].name == "c_divergent_by_warp") && name.starts_with("smsp__");
      if (by_timing)
        EXPECT_NEAR(static_cast<double>(value), static_cast<double>(gpu->second), 0.0005 * static_cast<double>(value))
            << name;
      else
        EXPECT_EQ(value, gpu->second) << name;
    }
  }
  EXPECT_GT(compared, 20 * launches.size());
}

// What the report has of the machine instruction at `offset`, under the names of Nsight Compute's source page.
std::map<std::string, uint64_t> instruction_at(const Json& kernel, const Json& launch, uint64_t offset) {
  std::map<std::string, uint64_t> out;
  for (const Json& counts : launch.at("sites")) {
    const Json& site = kernel.at("sites").at(counts.at("site").get<size_t>());
    if (site.value("machine_offset", ~uint64_t{0}) != offset) continue;
    const auto of = [&](const char* key, const char* otherwise) {
      return counts.value(key, counts.at(otherwise).get<uint64_t>());
    };
    const auto most = [&](const char* name, uint64_t value) { out[name] = std::max(out[name], value); };
    most("Instructions Executed", of("executed", "requests"));  // a copy to shared memory is two sites
    most("Thread Instructions Executed", of("executed_lanes", "lanes"));
    most("Predicated-On Thread Instructions Executed", of("lanes", "lanes"));
    const std::string space = site.at("space");
    if (space == "global") {
      out["L1 Tag Requests Global"] += of("tag_requests", "tag_requests");
      out["L2 Theoretical Sectors Global"] += of("sectors", "sectors");
      out["L2 Theoretical Sectors Global Ideal"] += of("sectors_ideal", "sectors_ideal");
    } else if (space == "shared") {
      out["L1 Wavefronts Shared"] += of("wavefronts", "wavefronts");
      out["L1 Wavefronts Shared Ideal"] += of("wavefronts_ideal", "wavefronts_ideal");
    } else if (space == "local") {
      out["L2 Theoretical Sectors Local"] += of("sectors", "sectors");
    }
  }
  return out;
}

TEST_F(MachineCode, CountsEachInstructionAsAnH200) {
  const auto rows = read_counters(source_.parent_path() / "h200-sass.csv");
  ASSERT_GT(rows.size(), 500u);
  const CommandResult run = run_program(source_.string(), {}, {"--code", "sass"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::map<std::string, Json> launches;
  const std::vector<Json> all = launches_of(run);
  ASSERT_EQ(all.size(), gpu_.size());
  for (size_t i = 0; i < all.size(); ++i) launches[gpu_[i].name] = all[i];
  for (const GpuLaunch& row : rows) {
    const Json& launch = launches.at(row.name);
    const auto ours = instruction_at(run.json.at("kernels").at(launch.at("kernel").get<size_t>()), launch, row.offset);
    for (const auto& [column, value] : row.metrics) {
      if (column == "Access Size") continue;
      const auto it = ours.find(column);
      EXPECT_EQ(it == ours.end() ? 0 : it->second, value) << row.name << " at " << row.offset << ": " << column;
    }
  }
}

// Blocks go to whichever thread is free: none of it may show in what is counted.
TEST_F(Probes, CountTheSameForAnyNumberOfThreads) {
  const auto records = [&](const char* threads) {
    std::vector<Json> launches = launches_of(run_program(source_.string(), {"all", "16"}, {"--threads", threads}));
    for (Json& launch : launches)
      for (const char* time : {"seconds", "compile_seconds", "from_cache"}) launch.erase(time);
    return launches;
  };
  const std::vector<Json> one = records("1");
  EXPECT_GT(one.size(), 100u);
  for (const char* threads : {"2", "2", "5"}) {
    SCOPED_TRACE(threads);
    const std::vector<Json> more = records(threads);
    ASSERT_EQ(one.size(), more.size());
    for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], more[i]) << one[i].dump() << "\n" << more[i].dump();
  }
}

}  // namespace
}  // namespace warplens::test
