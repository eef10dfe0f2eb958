// What is modelled of L1, L2 and DRAM for every probe beside the counters of an H200: not equal, but near.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "nosdk/clang.h"
#include "probes/counters.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;

// Errors are relative to the GPU's figure, or to `least` where that is larger: a few kilobytes more or less of what a
// launch itself needs say nothing.
struct Figure {
  const char* metric;
  double least;
};
constexpr Figure kFigures[] = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 32},
    {"lts__t_sectors_op_read.sum", 32},
    {"lts__t_sectors_op_write.sum", 32},
    {"lts__t_sectors_srcunit_tex_op_read.sum", 32},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", 32},
    {"lts__t_sectors_srcunit_tex_lookup_miss.sum", 32},
    {"dram__bytes_read.sum", 1024},
    {"dram__bytes_write.sum", 65536},
};
constexpr double kMedian = 0.05, kNinth = 0.20;  // of ten
constexpr double kShown = 0.20;                  // larger errors are printed

struct Error {
  double size;
  std::string launch;
  uint64_t ours, gpu;
};

TEST(Caches, AreNearTheCountersOfAnH200) {
  if (!has_nvcc() && !has_clang()) GTEST_SKIP() << "neither nvcc nor clang++-19 on this machine";
  if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
  const fs::path source = fs::canonical(probes());
  const std::vector<GpuLaunch> gpu = read_counters(source.parent_path() / "h200-counters.csv");
  ASSERT_FALSE(gpu.empty()) << "no counters beside " << source;
  const CommandResult run = run_program(source.string(), {}, {"--caches"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto& launches = run.json.at("launches");
  ASSERT_EQ(launches.size(), gpu.size());
  EXPECT_NE(run.err.find("caches [modelled]: L1 hit"), std::string::npos) << run.err;
  for (const Figure& figure : kFigures) {
    std::vector<Error> errors;
    for (size_t i = 0; i < gpu.size(); ++i) {
      const auto& metric = launches[i].at("metrics").at(figure.metric);
      EXPECT_EQ(metric.at("fidelity"), "modelled");
      const uint64_t ours = metric.at("value"), theirs = gpu[i].metrics.at(figure.metric);
      const double difference = std::abs(double(ours) - double(theirs));
      errors.push_back({difference / std::max(double(theirs), figure.least), gpu[i].name, ours, theirs});
    }
    std::sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) { return a.size < b.size; });
    const double median = errors[errors.size() / 2].size, ninth = errors[errors.size() * 9 / 10].size;
    fmt::print("{}: median {:.2f} %, nine in ten within {:.1f} %\n", figure.metric, 100 * median, 100 * ninth);
    for (const Error& e : errors)
      if (e.size > kShown) fmt::print("  {}: {}, GPU {}\n", e.launch, e.ours, e.gpu);
    EXPECT_LE(median, kMedian) << figure.metric;
    EXPECT_LE(ninth, kNinth) << figure.metric;
  }
}

// Other code and another way to count: what is counted stays, and what is modelled does not depend on who ran what.
TEST(Caches, ChangeNothingThatIsCountedForAnyNumberOfThreads) {
  if (!has_nvcc() && !has_clang()) GTEST_SKIP() << "neither nvcc nor clang++-19 on this machine";
  if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
  const std::string source = fs::canonical(probes()).string();
  const auto metrics_of = [&](std::vector<std::string> options) {
    std::vector<nlohmann::ordered_json> all;
    const CommandResult run = run_program(source, {"all", "16"}, options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    if (run.json.contains("launches"))
      for (const auto& launch : run.json.at("launches")) all.push_back(launch.at("metrics"));
    return all;
  };
  const auto plain = metrics_of({}), one = metrics_of({"--caches", "--threads", "1"});
  ASSERT_GT(plain.size(), 100u);
  ASSERT_EQ(plain.size(), one.size());
  for (size_t i = 0; i < plain.size(); ++i)
    for (const auto& [name, metric] : plain[i].items()) EXPECT_EQ(metric, one[i].at(name)) << name << ", launch " << i;
  for (const char* threads : {"2", "5"}) EXPECT_EQ(one, metrics_of({"--caches", "--threads", threads}));
}

}  // namespace
}  // namespace warplens::test
