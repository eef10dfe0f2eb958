// PTX in, the printed IR beside it. WARPLENS_BLESS=1 writes what is printed as the expectation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ptx/parse.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, PrintsTheSame) {
  const fs::path ptx = fs::path(WARPLENS_SOURCE_DIR) / "tests/lower/golden" / (GetParam() + ".ptx");
  const fs::path expected = fs::path(ptx).replace_extension(".ir");
  const auto parsed = ptx::parse(read(ptx), GetParam() + ".ptx");
  const auto lowered = lower::lower(parsed.module, GetParam() + ".ptx");
  EXPECT_EQ(ir::verify(lowered.module), std::vector<std::string>());
  std::string text = ir::print(lowered.module);
  for (const Diagnostic& d : parsed.diagnostics) text += "// " + to_string(d) + "\n";
  for (const Diagnostic& d : lowered.diagnostics) text += "// " + to_string(d) + "\n";
  if (std::getenv("WARPLENS_BLESS")) std::ofstream(expected, std::ios::binary) << text;
  EXPECT_EQ(text, read(expected)) << "./wl bless lower";
}

// The text form says everything: read back, it prints the same and is as valid.
TEST_P(Golden, ReadsBack) {
  const fs::path ptx = fs::path(WARPLENS_SOURCE_DIR) / "tests/lower/golden" / (GetParam() + ".ptx");
  const auto lowered = lower::lower(ptx::parse(read(ptx), "").module, "");
  const std::string text = ir::print(lowered.module);
  const auto again = ir::parse(text);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(ir::print(*again), text);
  EXPECT_EQ(ir::verify(*again), std::vector<std::string>());
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / "tests/lower/golden"))
    if (entry.path().extension() == ".ptx") result.push_back(entry.path().stem());
  std::sort(result.begin(), result.end());
  return result;
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warplens
