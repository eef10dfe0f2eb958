// Cubins of several releases of ptxas (cubins/README.md) against what was read from them and seen to be right, and
// their lines against the disassembler's.
#include "sass/cubin.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

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
                                         "cuda13.0_rdc", "cuda13.0_linked", "cuda13.0_limits"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

Cubin cubin_of(const std::string& name) {
  auto cubin = read_cubin(bytes(file(name + ".cubin")));
  return cubin ? *std::move(cubin) : Cubin();
}

// The disassembler does not print the functions' names.
TEST(Lines, FramesAreNamed) {
  const Cubin cubin = cubin_of("cuda13.0_sm_75");
  const auto lines = read_line_table(cubin);
  ASSERT_TRUE(lines);
  const Function* simple = cubin.kernel("_Z6simplePf4Pairs");
  ASSERT_NE(simple, nullptr);
  const std::string path = "/src/kernels.cu";
  const std::vector<ptx::LineFrame> inlined = {
      {path, 15, 0, "twice(float)"}, {path, 19, 0, "nested(float)"}, {path, 30, 0, "simple(float*, Pair, short)"}};
  bool found = false;
  for (uint32_t offset = 0; offset < simple->code.size(); offset += 16)
    found |= lines->stack(cubin, simple->section, offset) == inlined;
  EXPECT_TRUE(found);
  const Function* apart = cubin.function_at(simple->section, simple->code.size() - 16);
  ASSERT_NE(apart, nullptr);
  EXPECT_EQ(apart->name, "$_Z6simplePf4Pairs$_Z5apartfi");
  EXPECT_EQ(lines->stack(cubin, simple->section, static_cast<uint32_t>(apart->offset)).back().function,
            "$_Z6simplePf4Pairs$_Z5apartfi");
  EXPECT_TRUE(lines->stack(cubin, simple->section, static_cast<uint32_t>(simple->code.size())).empty());
  EXPECT_TRUE(lines->stack(cubin, 0, 0).empty());
}

// What nvcc makes of our own programs, for several GPUs, where there are nvcc and nvdisasm.
TEST(Lines, OfProgramsAreTheDisassemblers) {
  const Environment environment(environ);
  std::string nvcc = environment.find_program("nvcc");
  if (nvcc.empty() || environment.find_program("nvdisasm").empty()) GTEST_SKIP() << "no nvcc or no nvdisasm here";
  const fs::path made = fs::path(testing::TempDir()) / ("warplens_lines_" + std::to_string(getpid()) + ".cubin");
  for (const char* source : {"examples/demo.cu", "tests/programs/features.cu"}) {
    for (const char* arch : {"-arch=sm_80", "-arch=sm_90", "-arch=sm_120"}) {
      const auto run = run_process({nvcc, "-std=c++17", "-lineinfo", "-cubin", arch, "-o", made.string(),
                                    (fs::path(WARPLENS_SOURCE_DIR) / source).string()},
                                   environment);
      ASSERT_TRUE(run && run->exit_code == 0) << (run ? run->errors : run.error().what);
      const std::string text = warplens::read_file(made).value_or("");
      const auto cubin = read_cubin(bytes(text));
      ASSERT_TRUE(cubin) << cubin.error().what;
      const auto lines = read_line_table(*cubin);
      ASSERT_TRUE(lines) << lines.error().what;
      EXPECT_EQ(test::dump_lines(*cubin, *lines, false), disassembled_lines(made, "-gi")) << source << " " << arch;
      EXPECT_EQ(test::dump_lines(*cubin, *lines, true), disassembled_lines(made, "-gp")) << source << " " << arch;
    }
  }
  fs::remove(made);
}

TEST(Lines, PtxTextIsThere) {
  const Cubin cubin = cubin_of("cuda13.0_linked");
  const auto lines = read_line_table(cubin);
  ASSERT_TRUE(lines);
  const Function* jumps = cubin.kernel("_Z5jumpsPii");
  ASSERT_NE(jumps, nullptr);
  const auto line = lines->ptx_line(jumps->section, static_cast<uint32_t>(jumps->branches.at(0).offset));
  ASSERT_TRUE(line);
  std::istringstream text(ptx_text(cubin, line->section));
  std::string found;
  for (uint32_t i = 0; i < line->line; ++i) std::getline(text, found);
  EXPECT_NE(found.find("brx.idx"), std::string::npos) << found;
}

TEST(Banks, OfAFunctionBeforeThoseOfAll) {
  const Cubin cubin = cubin_of("cuda13.5_sm_120");
  const Function &jumps = cubin.functions.at(0), &simple = cubin.functions.at(1);
  ASSERT_NE(cubin.bank(jumps, 2), nullptr);
  EXPECT_EQ(cubin.bank(jumps, 2)->name, ".nv.constant2._Z5jumpsPii");
  EXPECT_EQ(cubin.bank(simple, 2), nullptr);
  EXPECT_EQ(cubin.bank(simple, 3), cubin.section(".nv.constant3"));
  EXPECT_EQ(cubin.bank(jumps, 3), cubin.section(".nv.constant3"));
  EXPECT_EQ(cubin.bank(simple, 0)->name, ".nv.constant0._Z6simplePf4Pairs");
}

// nvdisasm shows the two calls, once their relocations are gone, as CALL.ABS.NOINC of the two addresses.
TEST(Relocations, AddressesInInstructions) {
  const auto check = [](const char* type, uint64_t value, std::array<uint64_t, 2> before,
                        std::array<uint64_t, 2> after) {
    Relocation relocation;
    relocation.type = nullptr;
    for (uint32_t number = 0; number < 128 && relocation.type == nullptr; ++number)
      if (relocation_type(number).name == type) relocation.type = &relocation_type(number);
    ASSERT_NE(relocation.type, nullptr) << type;
    std::array<uint8_t, 16> code;
    std::memcpy(code.data(), before.data(), code.size());
    ASSERT_TRUE(apply(relocation, value, code)) << type;
    EXPECT_EQ(std::memcmp(code.data(), after.data(), code.size()), 0) << type;
    relocation.offset = 8;
    EXPECT_FALSE(apply(relocation, value, std::span(code).first(9))) << type;
  };
  constexpr uint64_t kAddress = 0x0123456789abcde0;
  check("R_CUDA_ABS32_LO_32", kAddress, {0x0000000000047802, 0xf00}, {0x89abcde000047802, 0xf00});
  check("R_CUDA_ABS32_HI_32", kAddress, {0x0000000000047802, 0xf00}, {0x0123456700047802, 0xf00});
  check("R_CUDA_64", kAddress, {~0ull, 0xf00}, {kAddress, 0xf00});
  check("R_CUDA_ABS55_16_34", kAddress, {0x7943, 0x000fea0003c00000}, {0x6789abcc00787943, 0x000fea0003c12345});
  check("R_CUDA_ABS47_34", 0x456789abcde0, {0x7943, 0x021fea0003c00000}, {0x89abcde000007943, 0x021fea0003c04567});
}

}  // namespace
}  // namespace warplens
