// What results.csv says is of the counters beside it, explained where it differs, and what docs/fidelity.md tells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "compare/ncu.h"
#include "support/csv.h"

namespace warplens::test {
namespace {

const std::string kFolder = std::string(WARPLENS_SOURCE_DIR) + "/tests/public/";

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& name) {
  std::vector<Row> out;
  const auto table = read_csv(kFolder + name);
  for (size_t r = 1; r < table.size(); ++r) {
    Row& row = out.emplace_back();
    for (size_t i = 0; i < table[r].size() && i < table[0].size(); ++i) row[table[0][i]] = table[r][i];
  }
  return out;
}

uint64_t number(const Row& row, const char* column) { return std::stoull(row.at(column)); }

TEST(PublicPrograms, EveryMeasuredLaunchIsCompared) {
  std::map<std::string, size_t> compared;
  for (const Row& row : rows_of("results.csv")) {
    compared[row.at("program")] += number(row, "launches");
    EXPECT_NE(row.at("differs"), "no partner") << row.at("program") << ": " << row.at("kernel");
  }
  ASSERT_GE(compared.size(), 80u);
  for (const auto& [program, launches] : compared) {
    const auto counters = compare::read_ncu(read_file(kFolder + "counters/" + program + ".csv").value_or(""));
    ASSERT_TRUE(counters) << program;
    EXPECT_EQ(counters->launches.size(), launches) << program;
  }
}

TEST(PublicPrograms, EachDifferenceHasItsCause) {
  std::set<std::string> causes;
  for (const Row& row : rows_of("results.csv"))
    if (number(row, "counted_different") != 0) {
      EXPECT_NE(row.at("cause"), "") << row.at("program") << ": " << row.at("kernel") << ": " << row.at("differs");
      causes.insert(row.at("cause"));
    }
  const std::string readme = read_file(kFolder + "README.md").value_or("");
  for (const std::string& cause : causes) EXPECT_NE(readme.find("- **" + cause + "**"), readme.npos) << cause;
}

std::string summary() {
  std::set<std::string> programs;
  uint64_t kernels = 0, launches = 0, as_machine_code = 0, equal = 0, different = 0, same_kernels = 0;
  for (const Row& row : rows_of("results.csv")) {
    programs.insert(row.at("program"));
    ++kernels;
    launches += number(row, "launches");
    if (row.at("code") == "sass") as_machine_code += number(row, "launches");
    equal += number(row, "counted_equal");
    different += number(row, "counted_different");
    same_kernels += number(row, "counted_different") == 0;
  }
  const double percent = 100.0 * double(equal) / double(equal + different);
  EXPECT_GE(percent, 98.0);
  return fmt::format(
      "{} programs, {} kernels, {} launches, {} of them as machine code: {} of {} counted figures are equal to the "
      "last\n"
      "digit, {:.2f} %: in {} kernels all of them.\n",
      programs.size(), kernels, launches, as_machine_code, equal, equal + different, percent, same_kernels);
}

TEST(PublicPrograms, AreWhatTheDocumentSays) {
  const std::string path = std::string(WARPLENS_SOURCE_DIR) + "/docs/fidelity.md";
  const std::string begin = "<!-- public: begin -->\n", end = "<!-- public: end -->";
  std::string text = read_file(path).value_or("");
  const size_t from = text.find(begin), to = text.find(end);
  ASSERT_NE(from, text.npos);
  ASSERT_NE(to, text.npos);
  const std::string wanted = text.substr(0, from) + begin + summary() + text.substr(to);
  if (std::getenv("WARPLENS_BLESS")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(read_file(path).value_or(""), wanted) << "if this is right: ./wl bless public";
}

}  // namespace
}  // namespace warplens::test
