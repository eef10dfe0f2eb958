#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "golden.h"
#include "report/json.h"
#include "report/metrics.h"
#include "report/spool.h"
#include "report/terminal.h"
#include "report/text.h"

namespace warplens::report {
namespace {

const std::string kFolder = std::string(WARPLENS_SOURCE_DIR) + "/tests/render";

Report example(const std::string& name = "transpose.spool") {
  auto report = read_spool(kFolder + "/" + name);
  EXPECT_TRUE(report);
  report->run.outcome = "exited";
  report->run.exit_code = 1;
  report->run.wall_seconds = 0.25;
  return *report;
}

RenderOptions options(int width, bool color) {
  RenderOptions o;
  o.width = width;
  o.color = color;
  o.unicode = color;
  o.source_root = kFolder;
  return o;
}

TEST(Terminal, WideColor) { expect_golden("transpose.wide.txt", render_terminal(example(), options(130, true))); }
TEST(Terminal, Plain) { expect_golden("transpose.plain.txt", render_terminal(example(), options(100, false))); }
TEST(Terminal, Narrow) { expect_golden("transpose.narrow.txt", render_terminal(example(), options(64, false))); }

TEST(Terminal, WithoutLineInformation) {
  Report report = example();
  for (Kernel& kernel : report.kernels)
    for (Site& site : kernel.sites) site.frames.clear();
  const std::string text = render_terminal(report, options(100, false));
  expect_golden("transpose.nolines.txt", text);
  EXPECT_EQ(text.find("-lineinfo"), text.rfind("-lineinfo"));  // said once
}

// The example's first kernel as if its machine code had run; the second one still is PTX.
Report with_machine_code() {
  Report report = example();
  Kernel& kernel = report.kernels[0];
  kernel.code = Code::Sass;
  kernel.target = "sm_90";
  for (size_t i = 0; i < kernel.sites.size(); ++i) {
    kernel.sites[i].frames.clear();
    kernel.sites[i].machine_offset = uint32_t(16 * i);
    kernel.sites[i].opcode = "LDG.E R" + std::to_string(i);
    kernel.instructions.push_back({uint32_t(16 * i), kernel.sites[i].opcode, {}});
  }
  for (Launch& launch : report.launches) {
    if (launch.kernel != 0) continue;
    launch.branch_targets = BranchTargets{7, 2};
    launch.instruction_counts.resize(kernel.instructions.size());
    launch.metrics = metrics(kernel, launch);
  }
  return report;
}

TEST(Terminal, MachineCodeIsSaid) {
  const std::string text = render_terminal(with_machine_code(), options(130, false));
  const std::string first = text.substr(0, text.find("\nsaxpy(")), second = text.substr(first.size());
  EXPECT_NE(first.find(", machine code (sm_90)"), std::string::npos) << text;
  EXPECT_NE(first.find("machine code 0x0: LDG.E R0"), std::string::npos) << text;
  EXPECT_EQ(first.find("as PTX"), std::string::npos) << text;
  EXPECT_EQ(first.find("estimated"), std::string::npos) << text;
  EXPECT_NE(second.find(", as PTX"), std::string::npos) << text;
  EXPECT_NE(second.find("[counted, as PTX]"), std::string::npos) << text;
  EXPECT_NE(second.find("[estimated, as PTX]"), std::string::npos) << text;
}

TEST(Terminal, TexturesHaveNoSectors) {
  Report report = example();
  report.kernels[0].sites[0].space = Space::Texture;
  for (const int width : {100, 64}) {
    const std::string text = render_terminal(report, options(width, false));
    const size_t section = text.find("TEXTURES AND SURFACES (sectors are not modelled)");
    ASSERT_NE(section, std::string::npos) << text;
    EXPECT_NE(text.find("load texture 4 B", section), std::string::npos) << text;
    EXPECT_EQ(text.substr(section, text.find("\n\n", section) - section).find("fetched"), std::string::npos) << text;
  }
}

// Nothing of a name is lost where its column is too narrow, and a compiler's name for a stack is no name.
TEST(Terminal, LongNamesAreWhole) {
  Report report = example();
  Site& site = report.kernels[0].sites[0];
  site.operand = "_ZZ9transposePKfPfiE30a_name_of_quite_some_letters_1";
  for (Site& other : report.kernels[1].sites)
    if (other.space == Space::Local) other.operand = "__local_depot0";
  const std::string text = render_terminal(report, options(100, false));
  EXPECT_NE(text.find("    load 4 B "), std::string::npos) << text;
  EXPECT_NE(text.find("      a_name_of_quite_some_letters_1: unit stride\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("__local_depot"), std::string::npos) << text;
}

TEST(Terminal, SeveralInstructionsOfOneLine) {
  Report report = example();
  Kernel& kernel = report.kernels[0];
  for (Site& site : kernel.sites) site = kernel.sites[0];
  const std::string text = render_terminal(report, options(100, false));
  EXPECT_NE(text.find("; 4 instructions\n"), std::string::npos) << text;
}

TEST(Terminal, StoppedAndRefused) {
  Report report = example();
  Fault& fault = report.faults[0];
  fault.kind = fault.verdict = "stopped";
  EXPECT_NE(render_terminal(report, options(100, false)).find("\nStopped in saxpy("), std::string::npos);
  fault.kind = "unsupported instruction";
  fault.verdict = "warplens";
  fault.message = "kernel f: a call of vprintf is not supported yet";
  report.notes.push_back({"warning", fault.message, "", "", 0, 1});  // the same once more, from when it was compiled
  const std::string text = render_terminal(report, options(100, false));
  EXPECT_NE(text.find("Warplens cannot run this: unsupported instruction in"), std::string::npos);
  EXPECT_EQ(text.find("vprintf"), text.rfind("vprintf")) << text;
}

TEST(Terminal, NothingLaunched) {
  Report report;
  report.run.program = "./hello";
  report.run.outcome = "signalled";
  report.run.signal = 11;
  const std::string text = render_terminal(report, options(80, false));
  EXPECT_NE(text.find("No kernel was launched."), std::string::npos);
  EXPECT_NE(text.find("signal 11"), std::string::npos);
}

TEST(Terminal, NamesCallsThatWereNotObserved) {
  Report report = example();
  EXPECT_EQ(render_terminal(report, options(100, false)).find("ot observed"), std::string::npos);
  report.not_observed = {{"cuBLAS", "cublasSgemm", 1200}, {"cuBLAS", "cublasSdot", 1}};
  const std::string text = render_terminal(report, options(100, false));
  EXPECT_NE(text.find("  cublasSgemm: not observed, 1,200 calls\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  cublasSdot: not observed, 1 call\n"), std::string::npos) << text;
}

// No line is longer than the terminal, whatever its width, and plain output is ASCII.
TEST(Terminal, FitsEveryWidth) {
  Report report = example();
  report.not_observed = {{"cuBLAS", "cublas" + std::string(90, 'x'), 1}};
  for (int width = 60; width <= 160; ++width) {
    std::istringstream text(render_terminal(report, options(width, false)));
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(columns(line), size_t(width)) << line;
      for (char c : line) EXPECT_TRUE(c >= 32 && c < 127) << line;
    }
  }
}

TEST(Terminal, HostileNamesStayHarmless) {
  Report report = example();
  report.kernels[0].demangled = "k\x1b[2J\n\t<evil>";
  report.run.arguments.push_back("\x07");
  const std::string text = render_terminal(report, options(100, false));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(Terminal, WorstLineFirstAndLimit) {
  RenderOptions o = options(120, false);
  o.max_lines = 1;
  const std::string text = render_terminal(example(), o);
  EXPECT_NE(text.find("kernels.cu:7"), std::string::npos);
  EXPECT_NE(text.find("... and 1 more line"), std::string::npos);
}

TEST(Json, Golden) { expect_golden("transpose.json", render_json(example())); }

TEST(Json, Structure) {
  const Report report = example();
  const auto json = nlohmann::json::parse(render_json(report));
  EXPECT_EQ(json["schema"], "warplens-report/1");
  ASSERT_EQ(json["launches"].size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const auto& launch = json["launches"][i];
    EXPECT_EQ(launch["index"], i);
    for (const char* key : {"kernel", "grid", "block", "metrics", "lines", "sites"})
      EXPECT_TRUE(launch.contains(key)) << key;
    for (const auto& [name, metric] : launch["metrics"].items()) {
      const bool ratio = name.ends_with(".ratio");
      EXPECT_EQ(metric["value"].is_number_unsigned(), !ratio) << name;
      EXPECT_TRUE(metric["fidelity"].is_string()) << name;
    }
    // Sites, lines and metrics tell one story.
    uint64_t by_site = 0, by_line = 0;
    const auto& sites = json["kernels"][launch["kernel"].get<size_t>()]["sites"];
    for (const auto& site : launch["sites"])
      if (sites[site["site"].get<size_t>()]["space"] != "local") by_site += site["sectors"].get<uint64_t>();
    for (const auto& line : launch["lines"]) by_line += line["sectors"].get<uint64_t>();
    EXPECT_EQ(by_site, launch["metrics"]["memory_l2_theoretical_sectors_global"]["value"]);
    EXPECT_EQ(by_line, by_site);
  }
  EXPECT_EQ(json["kernels"][0]["demangled"], "transpose(float const*, float*, int)");
  EXPECT_EQ(json["faults"][0]["kernel"], 1);
  EXPECT_EQ(json["notes"][0]["count"], 2);
}

TEST(Json, MachineCode) {
  const auto json = nlohmann::json::parse(render_json(with_machine_code()));
  const auto& kernel = json["kernels"][0];
  EXPECT_EQ(kernel["code"], "sass");
  EXPECT_EQ(kernel["sites"][1]["machine_offset"], 16);
  EXPECT_EQ(kernel["instructions"][1]["text"], "LDG.E R1");
  EXPECT_EQ(json["kernels"][1]["code"], "ptx");
  EXPECT_EQ(json["machine_site_fidelity"]["local_sectors"], "counted");
  for (const auto& launch : json["launches"]) {
    const bool machine = launch["kernel"] == 0;
    EXPECT_EQ(launch.contains("branch_targets"), machine);
    EXPECT_EQ(launch.contains("instruction_counts"), machine);
    for (const char* name : {"memory_l2_theoretical_sectors_global", "smsp__inst_executed.sum"}) {
      EXPECT_EQ(launch["metrics"][name].contains("as_ptx"), !machine) << name;
      EXPECT_FALSE(launch["metrics"]["launch__grid_size"].contains("as_ptx"));
    }
    EXPECT_EQ(launch["metrics"]["smsp__inst_executed.sum"]["fidelity"], machine ? "counted" : "estimated");
  }
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "warplens-machine-code.json";
  std::ofstream(file) << render_json(with_machine_code());
  const std::string validate = "python3 " + kFolder + "/validate.py " + WARPLENS_SOURCE_DIR "/docs/report.schema.json ";
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") == 0) {
    EXPECT_EQ(std::system((validate + file.string()).c_str()), 0);
  }
  std::filesystem::remove(file);
}

TEST(Json, ExactIntegers) {
  Report report = example();
  report.launches[0].sites[0].sectors = 0xfffffffffffffffeull;
  EXPECT_NE(render_json(report).find("\"sectors\": 18446744073709551614"), std::string::npos);
}

// Against the published schema, with nothing allowed that it does not name.
TEST(Json, ValidatesAgainstSchema) {
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed";
  const auto folder = std::filesystem::temp_directory_path() / "warplens-schema-test";
  std::filesystem::create_directories(folder);
  Report report = example();
  report.not_observed = {{"cuBLAS", "cublasSgemm", 12}};
  std::ofstream(folder / "report.json") << render_json(report);
  std::ofstream(folder / "empty.json") << render_json(Report{});
  const std::string command = "python3 " + kFolder + "/validate.py " + WARPLENS_SOURCE_DIR +
                              "/docs/report.schema.json " + (folder / "report.json").string() + " " +
                              (folder / "empty.json").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ofstream(folder / "bad.json") << R"({"schema": "warplens-report/1"})";
  EXPECT_NE(std::system(("python3 " + kFolder + "/validate.py " + WARPLENS_SOURCE_DIR + "/docs/report.schema.json " +
                         (folder / "bad.json").string() + " 2>/dev/null")
                            .c_str()),
            0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warplens::report
