// Cubins of several releases of ptxas (cubins/README.md) against what was read from them and seen to be right, and
// their lines against the disassembler's.
#include "sass/cubin.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/environment.h"
#include "base/file.h"
#include "base/process.h"
#include "sass/dump.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;
using namespace sass;

const fs::path kFolder = fs::path(WARPLENS_SOURCE_DIR) / "tests/sass/cubins";

std::string file(const std::string& name) { return warplens::read_file(kFolder / name).value_or(""); }

std::span<const uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("WARPLENS_BLESS")) std::ofstream(kFolder / name) << text;
  EXPECT_EQ(file(name), text) << "WARPLENS_BLESS=1 sass_cubin_test rewrites " << name;
}

// What nvdisasm says of a cubin's lines, in dump_lines' form; "" without nvdisasm.
std::string disassembled_lines(const fs::path& cubin, const char* option) {
  const Environment environment(environ);
  const std::string nvdisasm = environment.find_program("nvdisasm");
  if (nvdisasm.empty()) return "";
  const auto run = run_process({nvdisasm, "-c", option, cubin.string()}, environment);
  return run ? test::lines_of_disassembly(run->output) : "";
}

class OfFile : public testing::TestWithParam<const char*> {};

TEST_P(OfFile, IsWhatWasRead) {
  const std::string name = GetParam();
  const auto cubin = read_cubin(bytes(file(name + ".cubin")));
  ASSERT_TRUE(cubin) << cubin.error().what;
  expect_golden(name + ".txt", test::dump(*cubin));
}

TEST_P(OfFile, LinesAreTheDisassemblers) {
  const std::string name = GetParam();
  const auto cubin = read_cubin(bytes(file(name + ".cubin")));
  ASSERT_TRUE(cubin) << cubin.error().what;
  const auto lines = read_line_table(*cubin);
  ASSERT_TRUE(lines) << lines.error().what;
  for (const auto& [option, ending] : {std::pair("-gi", ".lines"), {"-gp", ".ptx_lines"}}) {
    const std::string theirs = disassembled_lines(kFolder / (name + ".cubin"), option);
    if (!theirs.empty()) expect_golden(name + ending, theirs);
    EXPECT_EQ(test::dump_lines(*cubin, *lines, option == std::string("-gp")), file(name + ending));
  }
}

TEST_P(OfFile, CutShortIsAnError) {
  const std::string whole = file(std::string(GetParam()) + ".cubin");
  const size_t sections_end = whole.size() - 1024;  // the program headers behind them are not needed
  for (size_t size = 0; size < sections_end; size += 61) {
    const std::string part = whole.substr(0, size);
    EXPECT_FALSE(read_cubin(bytes(part))) << "of " << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Cubins, OfFile,
                         testing::Values("cuda11.8_sm_80", "cuda11.8_sm_90", "cuda13.0_sm_75", "cuda13.5_sm_120",
                                         "cuda13.0_rdc", "cuda13.0_linked"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace warplens
