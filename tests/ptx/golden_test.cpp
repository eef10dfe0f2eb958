// golden/NAME.ptx beside golden/NAME.out: the diagnostics, then the module as printed. WARPLENS_BLESS=1 writes the .out
// files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "ptx_test.h"

namespace warplens::ptx {
namespace {

const std::string kFolder = WARPLENS_SOURCE_DIR "/tests/ptx/golden";

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, ReadsAsBlessed) {
  const std::string input = kFolder + "/" + GetParam() + ".ptx", expected = kFolder + "/" + GetParam() + ".out";
  const ParseResult result = parse(read_file(input), GetParam() + ".ptx");
  const std::string printed = print(result.module);
  std::string actual = text_of(result.diagnostics);
  actual += (actual.empty() ? "" : "\n") + printed;
  if (std::getenv("WARPLENS_BLESS") != nullptr) std::ofstream(expected, std::ios::binary) << actual;
  EXPECT_EQ(actual, read_file(expected)) << "to accept: WARPLENS_BLESS=1 " << WARPLENS_BINARY_DIR
                                         << "/tests/ptx/ptx_golden_test --gtest_filter='*/" << GetParam() << "'";
  if (result.diagnostics.empty()) {
    const ParseResult again = parse(printed, "printed");
    EXPECT_EQ(text_of(again.diagnostics), "");
    EXPECT_TRUE(equal(result.module, again.module));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".ptx") list.push_back(entry.path().stem().string());
  }
  std::sort(list.begin(), list.end());
  return list;
}

INSTANTIATE_TEST_SUITE_P(Ptx, Golden, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warplens::ptx
