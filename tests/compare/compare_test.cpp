#include "compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "compare/csv.h"
#include "compare/render.h"
#include "report/json.h"
#include "report/metrics.h"

namespace warplens::compare {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = std::string(WARPLENS_SOURCE_DIR) + "/tests/compare/";

std::string file(const std::string& name) { return read_file(kFolder + name).value_or(""); }

report::Report run(const std::string& name) {
  auto report = report::read_json(file(name));
  EXPECT_TRUE(report) << (report ? "" : report.error().what);
  return report ? *report : report::Report{};
}

NcuExport profile(const std::string& name) {
  auto table = read_ncu(file(name));
  EXPECT_TRUE(table) << (table ? "" : table.error().what);
  return table ? *table : NcuExport{};
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("WARPLENS_BLESS")) std::ofstream(kFolder + name, std::ios::binary) << text;
  EXPECT_EQ(file(name), text) << "if this is right: ./wl bless compare, and look at git diff " << name;
}

std::vector<Figure> differences(const Comparison& comparison) {
  std::vector<Figure> out;
  for (const Pair& pair : comparison.pairs) {
    for (const Figure& figure : pair.figures)
      if (!figure.equal) out.push_back(figure);
    for (const Place& place : pair.places)
      for (const Figure& figure : place.figures)
        if (!figure.equal) out.push_back(figure);
  }
  return out;
}

// A run whose machine code ran, and counted what the profile has.
report::Report machine_run(const NcuExport& source) {
  report::Report report;
  for (const NcuLaunch& launch : source.launches) {
    report::Kernel& kernel = report.kernels.emplace_back();
    kernel.demangled = launch.kernel;
    kernel.code = report::Code::Sass;
    kernel.target = "sm_90";
    report::Launch& ours = report.launches.emplace_back();
    ours.kernel = uint32_t(report.kernels.size() - 1);
    ours.index = ours.kernel;
    const auto figure = [](const NcuRow& row, const char* column) {
      const auto it = row.figures.find(column);
      return it == row.figures.end() ? 0 : it->second.exact.value_or(0);
    };
    for (const NcuRow& row : launch.instructions) {
      const auto offset = uint32_t(*row.address - *launch.instructions[0].address);
      kernel.instructions.push_back({offset, row.text, {}});
      ours.instruction_counts.push_back({figure(row, "Instructions Executed"),
                                         figure(row, "Thread Instructions Executed"),
                                         figure(row, "Predicated-On Thread Instructions Executed")});
      report::Site site;
      site.machine_offset = offset;
      site.opcode = row.text;
      report::SiteCounts counts;
      counts.executed = ours.instruction_counts.back().executed;
      counts.requests = std::min<uint64_t>(counts.executed, 1);
      counts.sectors = figure(row, "L2 Theoretical Sectors Global");
      counts.sectors_ideal = figure(row, "L2 Theoretical Sectors Global Ideal");
      counts.tag_requests = figure(row, "L1 Tag Requests Global");
      counts.wavefronts = figure(row, "L1 Wavefronts Shared");
      counts.wavefronts_ideal = figure(row, "L1 Wavefronts Shared Ideal");
      if (counts.wavefronts != 0) site.space = report::Space::Shared;
      if (counts.sectors == 0 && counts.wavefronts == 0) continue;
      kernel.sites.push_back(site);
      ours.sites.push_back(counts);
    }
    ours.metrics = report::metrics(kernel, ours);
  }
  return report;
}

TEST(Compare, AsPtx) {
  const report::Report report = run("kernels.run.json");
  const Comparison comparison = compare(report, {profile("kernels.raw.csv")});
  EXPECT_EQ(comparison.pairs.size(), 15u);
  EXPECT_TRUE(comparison.only_in_run.empty());
  EXPECT_TRUE(comparison.only_in_profile.empty());
  EXPECT_FALSE(comparison.agrees());
  for (const Figure& figure : differences(comparison))
    EXPECT_THAT(figure.cause, HasSubstr("ran as PTX")) << figure.name;
  expect_golden("kernels.txt", render_text(comparison, {}));
}

TEST(Compare, Lines) {
  const report::Report report = run("kernels.run.json");
  const Comparison comparison = compare(report, {profile("kernels.raw.csv"), profile("kernels.lines.csv")});
  EXPECT_EQ(comparison.pairs.size(), 15u);
  expect_golden("kernels.lines.txt", render_text(comparison, {}));
}

// The run is one of a release that did not know of machine code.
TEST(Compare, Agrees) {
  const report::Report report = run("vector_add.run.json");
  const Comparison comparison = compare(report, {profile("vector_add.units.csv")});
  EXPECT_TRUE(comparison.agrees());
  EXPECT_GT(comparison.tally().equal, 30u);
  EXPECT_EQ(comparison.tally().counted_different, 0u);
}

TEST(Compare, MachineCode) {
  const NcuExport source = profile("kernels.source.csv");
  report::Report report = machine_run(source);
  const Comparison same = compare(report, {source});
  EXPECT_TRUE(same.agrees()) << render_text(same, {});
  EXPECT_EQ(same.pairs.size(), source.launches.size());
  EXPECT_EQ(same.tally().different, 0u) << render_text(same, {});
  EXPECT_GT(same.tally().equal, 1000u);
  EXPECT_FALSE(same.pairs[0].other_code);

  ++report.launches[4].instruction_counts[3].executed;
  const Comparison one = compare(report, {source});
  EXPECT_FALSE(one.agrees());
  ASSERT_EQ(differences(one).size(), 1u);
  EXPECT_EQ(differences(one)[0].name, "Instructions Executed");
  EXPECT_EQ(differences(one)[0].cause, "");
  EXPECT_THAT(render_text(one, {}), HasSubstr("the cause is not known"));

  report.kernels[4].instructions[0].text = "NOP";
  const Comparison other = compare(report, {source});
  EXPECT_TRUE(other.pairs[4].other_code);
  EXPECT_EQ(differences(other)[0].cause, "other machine code");
  EXPECT_THAT(render_text(other, {}), HasSubstr("the GPU ran other machine code"));
}

TEST(Compare, CausesOfMachineCode) {
  NcuExport raw = profile("kernels.raw.csv");
  raw.launches = {raw.launches[13]};  // histogram
  report::Report report = run("kernels.run.json");
  for (report::Kernel& kernel : report.kernels) kernel.code = report::Code::Sass, kernel.target = "sm_90";
  report::Launch& launch = report.launches[13];
  const report::Kernel& kernel = report.kernels[launch.kernel];
  const auto cause = [&](const char* name) {
    launch.metrics = report::metrics(kernel, launch);
    for (const Figure& figure : differences(compare(report, {raw})))
      if (figure.name == name) return figure.cause;
    return std::string("equal");
  };
  EXPECT_THAT(cause("smsp__inst_executed.sum"), HasSubstr("wait for one another"));
  for (report::SiteCounts& counts : launch.sites) counts.wavefronts *= 2;
  EXPECT_EQ(cause("memory_l1_wavefronts_shared"), "modelled");
  raw.launches[0].compute_capability = "8.0";
  EXPECT_EQ(cause("memory_l1_wavefronts_shared"), "machine code of sm_90, and the GPU was sm_80");
  launch.complete = false;
  EXPECT_EQ(cause("memory_l1_wavefronts_shared"), "the launch did not come to its end");
}

// A model's error is no disagreement of what was counted.
TEST(Compare, ModelledDoesNotCount) {
  report::Report report = run("vector_add.run.json");
  NcuExport raw = profile("vector_add.units.csv");
  raw.launches[0].metrics["memory_l1_wavefronts_shared"] = {5, 5, 0};
  const Comparison comparison = compare(report, {raw});
  EXPECT_EQ(comparison.tally().different, 4u);
  EXPECT_TRUE(comparison.agrees());
  raw.launches[0].metrics["memory_l2_theoretical_sectors_global"].exact.reset();
  raw.launches[0].metrics["memory_l2_theoretical_sectors_global"] = {393000, std::nullopt, 500};  // "393 K"
  EXPECT_TRUE(compare(report, {raw}).agrees());
  raw.launches[0].metrics["memory_l2_theoretical_sectors_global"].error = 50;
  EXPECT_FALSE(compare(report, {raw}).agrees());
}

TEST(Join, PartsOfARun) {
  const report::Report report = run("kernels.run.json");
  NcuExport raw = profile("kernels.raw.csv");
  raw.launches = {raw.launches[3], raw.launches[10]};  // the second of the kernels' launches, told by its shape
  const Comparison part = compare(report, {raw});
  ASSERT_EQ(part.pairs.size(), 2u);
  EXPECT_EQ(part.pairs[0].launch->index, 3u);
  EXPECT_EQ(part.pairs[1].launch->index, 10u);
  EXPECT_EQ(part.only_in_run.size(), 13u);
  EXPECT_TRUE(part.only_in_profile.empty());
}

TEST(Join, WithoutAPartner) {
  const report::Report report = run("kernels.run.json");
  NcuExport raw = profile("kernels.raw.csv");
  raw.launches[0].kernel = "no_such(int)";
  raw.launches[11].grid = Dim3{5, 1, 1};
  const Comparison comparison = compare(report, {raw});
  EXPECT_FALSE(comparison.agrees());
  ASSERT_EQ(comparison.only_in_profile.size(), 2u);
  const std::string text = render_text(comparison, {});
  EXPECT_THAT(text,
              HasSubstr("1 launch of no_such(int), grid (16, 1, 1), block (256, 1, 1): the run has no such kernel"));
  EXPECT_THAT(text,
              HasSubstr("1 launch of columns, grid (5, 1, 1), block (32, 32, 1): the run has no such launch left"));
  EXPECT_THAT(text, HasSubstr("Only in the run"));
}

// --print-kernel-base mangled and function.
TEST(Join, OtherKindsOfNames) {
  const report::Report report = run("kernels.run.json");
  for (const bool mangled : {true, false}) {
    NcuExport raw = profile("kernels.raw.csv");
    for (size_t i = 0; i < raw.launches.size(); ++i) {
      const report::Kernel& kernel = report.kernels[report.launches[i].kernel];
      std::string name = kernel.demangled.substr(0, kernel.demangled.find('('));
      if (i == 7) name = "hidden";  // of an unnamed namespace
      name = name.substr(0, name.find('<'));
      raw.launches[i].kernel = mangled ? kernel.name : name.substr(name.find_last_of(": ") + 1);
    }
    const Comparison comparison = compare(report, {raw});
    EXPECT_EQ(comparison.pairs.size(), 15u) << mangled;
    EXPECT_EQ(comparison.tally().counted_different, 1u) << mangled;
  }
}

TEST(Report, WhatIsNoReport) {
  EXPECT_FALSE(report::read_json(""));
  EXPECT_FALSE(report::read_json("[1]"));
  EXPECT_FALSE(report::read_json("{\"schema\": \"other\"}"));
  EXPECT_THAT(report::read_json("{\"schema\": \"warplens-report/2\"}").error().what, HasSubstr("another version"));
  EXPECT_THAT(report::read_json("{\"schema\": \"warplens-report/1\", \"run\": {}, \"launches\": 3}").error().what,
              HasSubstr("damaged"));
}

// The L1's requests of local memory are one a word of each access, as an H200 counted them.
TEST(Metrics, LocalRequestsAreOneAWord) {
  const auto table = parse_csv(read_file(WARPLENS_SOURCE_DIR "/tests/models/h200/spaces.csv").value_or(""));
  ASSERT_TRUE(table);
  const auto column = [&](const CsvRow& row, const std::string& name) {
    const CsvRow& names = table->front();
    return std::stoull(row[size_t(std::find(names.begin(), names.end(), name) - names.begin())]);
  };
  size_t readings = 0;
  for (size_t r = 1; r < table->size(); ++r) {
    const CsvRow& row = (*table)[r];
    if (row[0] != "local") continue;
    for (const char* op : {"ld", "st"}) {
      report::Kernel kernel;
      kernel.code = report::Code::Sass;
      report::Site& site = kernel.sites.emplace_back();
      site.kind = op == std::string("ld") ? report::AccessKind::Load : report::AccessKind::Store;
      site.space = report::Space::Local;
      site.bytes_per_lane = uint32_t(column(row, "bytes"));
      report::Launch launch;
      report::SiteCounts& counts = launch.sites.emplace_back();
      counts.requests = counts.executed = column(row, std::string("smsp__inst_executed_op_local_") + op + ".sum");
      const std::string name = std::string("l1tex__t_requests_pipe_lsu_mem_local_op_") + op + ".sum";
      for (const report::Metric& metric : report::metrics(kernel, launch)) {
        if (metric.name != name) continue;
        ++readings;
        EXPECT_EQ(metric.value, column(row, name)) << site.bytes_per_lane << " bytes, " << op;
      }
    }
  }
  EXPECT_EQ(readings, 48u);
}

}  // namespace
}  // namespace warplens::compare
