// engine_bench: kernels run by the engine, with every count, against the same algorithm in C++. See README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "machine.h"
#include "measure.h"
#include "results.h"

namespace warplens::bench {
namespace {

struct Options {
  Settings settings;
  std::string filter, results;
};

int run(Options& options) {
  char folder[] = "/tmp/warplens-bench-XXXXXX";
  if (!mkdtemp(folder)) return std::perror("engine_bench: /tmp"), 1;
  options.settings.cache_dir = folder;
  exec::DeviceMemory memory(uint64_t{1} << 30);
  Bench bench(memory, options.settings);

  Summary summary;
  summary.machine = this_machine();
  summary.date = today();
  summary.engine_cpu = bench.cpu();
  summary.host_cpu = jit::Engine({}, memory).cpu();
  summary.threads = bench.threads();
  summary.start_ms = bench.start_ms();
  for (const NativeBuild* build : kNativeBuilds)
    summary.natives.push_back(fmt::format("{} -O3 -march={}", build->compiler, build->arch));

  int failures = 0;
  std::vector<Workload> workloads = make_workloads(memory);
  workloads.push_back(make_empty());
  fmt::print("{}", header_line());
  for (const Workload& workload : workloads) {
    const bool empty = &workload == &workloads.back();
    if (!empty && workload.name.find(options.filter) == std::string::npos) continue;
    auto row = bench.run(workload);
    if (!row) {
      fmt::print(stderr, "engine_bench: {}\n", row.error().what);
      failures++;
      continue;
    }
    fmt::print("{}", row_line(*row));
    std::fflush(stdout);
    empty ? void(summary.empty = *row) : summary.rows.push_back(*row);
  }
  for (LargeKernel& large : make_large_kernels()) {
    if (large.name.find(options.filter) == std::string::npos) continue;
    if (Status s = bench.measure(large); !s) {
      fmt::print(stderr, "engine_bench: {}\n", s.error().what);
      failures++;
    } else {
      summary.large.push_back(large);
    }
  }
  std::filesystem::remove_all(folder);
  fmt::print("\n{}", to_markdown(summary).substr(to_markdown(summary).rfind("\nGeometric") + 1));
  if (!options.results.empty()) {
    auto path = write(summary, options.results);
    if (!path) return fmt::print(stderr, "engine_bench: {}\n", path.error().what), 1;
    fmt::print("{}\n", *path);
  }
  return failures != 0;
}

}  // namespace
}  // namespace warplens::bench

int main(int argc, char** argv) {
  warplens::bench::Options options;
  CLI::App app("Runs kernels on the engine and the same algorithms in C++ in turn, checks the results and compares.");
  app.add_option("--cpu", options.settings.cpu,
                 "what the engine makes code for: an LLVM name such as haswell or x86-64");
  app.add_option("--lanes", options.settings.lanes, "how many lanes the engine computes at once")
      ->check(CLI::IsMember({8, 16}));
  app.add_option("--native-arch", options.settings.native_arch, "only the C++ that was built with this -march=");
  app.add_option("--filter", options.filter, "only kernels whose name holds this");
  app.add_option("--seconds", options.settings.seconds, "about how long to measure each kernel, in each mode");
  app.add_option("--rounds", options.settings.rounds, "at least so many pairs of measurements")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--uncounted", options.settings.uncounted, "measure the engine without counting too");
  app.add_option("--kernels", options.settings.kernels, "folder with the PTX files");
  app.add_option("--results", options.results, "folder for <cpu>-<date>.json and .md");
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
