#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "meta/document_rules.h"

namespace warplens {
namespace {

const std::string kTop = WARPLENS_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The part of a report that is about `kernel`: from its name to the first line that is not indented, after a blank one.
std::string section_of(const std::string& report, const std::string& kernel) {
  size_t from = report.find("\n" + kernel + "(");
  if (from == std::string::npos) return "";
  size_t to = report.find("\n\n", ++from);
  while (to != std::string::npos && report.substr(to + 2, 1) == " ") to = report.find("\n\n", to + 2);
  return report.substr(from, to == std::string::npos ? to : to + 1 - from);
}

const test::CommandResult& demo() {
  static const test::CommandResult result =
      test::warplens({"run", "--compiler", "clang", "--color", "never", "--width", "100", kTop + "/examples/demo.cu"});
  return result;
}

TEST(Demo, ComputesWhatItShould) {
  if (!test::has_clang()) GTEST_SKIP() << "no clang-19 on this machine";
  EXPECT_EQ(demo().exit_code, 0) << demo().out << demo().err;
  EXPECT_EQ(demo().out.find("WRONG"), std::string::npos) << demo().out;
  EXPECT_NE(demo().out.find("steps_by_warp      ok\n"), std::string::npos) << demo().out;
}

TEST(Demo, TheReadmeShowsItsReport) {
  if (!test::has_clang()) GTEST_SKIP() << "no clang-19 on this machine";
  const std::string naive = section_of(demo().err, "transpose_naive"),
                    tiled = section_of(demo().err, "transpose_tiled");
  ASSERT_FALSE(naive.empty()) << demo().err;
  ASSERT_FALSE(tiled.empty()) << demo().err;
  const std::string readme = read(kTop + "/README.md");
  const std::string wanted = meta::with_section(readme, "screenshot", "```\n" + naive + "\n" + tiled + "```\n");
  if (std::getenv("WARPLENS_BLESS") != nullptr) {
    std::ofstream(kTop + "/README.md") << wanted;
  } else {
    EXPECT_EQ(readme, wanted) << "README.md shows an old report: ./wl bless demo";
  }
}

}  // namespace
}  // namespace warplens
