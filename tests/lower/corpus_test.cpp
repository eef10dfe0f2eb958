// Whole programs, compiled by nvcc for several architectures: everything lowers, nothing is refused, and every
// invariant holds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ptx/parse.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

std::string compile(const fs::path& source, const char* architecture) {
  const fs::path out =
      fs::temp_directory_path() / ("warplens_corpus_" + source.stem().string() + architecture + ".ptx");
  const std::string command = "nvcc -ptx -lineinfo -arch=" + std::string(architecture) + " -o '" + out.string() +
                              "' '" + source.string() + "' > /dev/null 2>&1";
  if (std::system(command.c_str()) != 0) return "";
  std::ifstream file(out, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  fs::remove(out);
  return text.str();
}

void check(const std::string& text, const std::string& name) {
  const auto parsed = ptx::parse(text, name);
  EXPECT_TRUE(parsed.diagnostics.empty()) << to_string(parsed.diagnostics[0]);
  const auto lowered = lower::lower(parsed.module, name);
  for (const Diagnostic& d : lowered.diagnostics) ADD_FAILURE() << to_string(d);
  EXPECT_EQ(ir::verify(lowered.module), std::vector<std::string>());
  const std::string printed = ir::print(lowered.module);
  const auto again = ir::parse(printed);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(ir::print(*again) == printed) << name << ": the printed IR does not read back";
}

// The weights of a kernel's reachable code add up to its PTX instructions.
void check_weights(const std::string& text, const std::string& name) {
  const auto parsed = ptx::parse(text, name);
  const auto lowered = lower::lower(parsed.module, name);
  size_t k = 0;
  for (const ptx::Function& function : parsed.module.functions) {
    if (!function.is_kernel) continue;
    uint64_t instructions = 0, weights = 0;
    for (const ptx::Statement& statement : function.body.statements)
      instructions += std::holds_alternative<ptx::Instruction>(statement);
    const ir::Function& lowered_function = lowered.module.kernels.at(k++).function;
    for (const ir::Inst& inst : lowered_function.insts) weights += inst.weight;
    EXPECT_EQ(weights, instructions) << name << ": " << function.name;
  }
}

class Corpus : public ::testing::TestWithParam<const char*> {};

TEST_P(Corpus, Lowers) {
  const fs::path shared = fs::path(WARPLENS_SOURCE_DIR) / "../shared";
  std::vector<fs::path> sources;
  if (fs::exists(shared / "probes/probes.cu")) sources.push_back(shared / "probes/probes.cu");
  if (fs::exists(shared / "seeds"))
    for (const auto& entry : fs::directory_iterator(shared / "seeds"))
      if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  if (sources.empty()) GTEST_SKIP() << "no programs in " << shared;
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc";
  int compiled = 0;
  for (const fs::path& source : sources) {
    const std::string text = compile(source, GetParam());
    if (text.empty()) continue;
    ++compiled;
    check(text, source.filename());
    check_weights(text, source.filename());
  }
  if (compiled == 0) GTEST_SKIP() << "this nvcc does not compile for " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Architectures, Corpus, ::testing::Values("sm_75", "sm_80", "sm_90"));

}  // namespace
}  // namespace warplens
