// docs/fidelity.md has a line for each metric of src/report/metrics.def.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "report/metrics.h"

namespace warplens::report {
namespace {

std::string metric_table() {
  std::string text = "| metric | source page | of machine code | as PTX | counts |\n| --- | --- | --- | --- | --- |\n";
  for (const MetricKind& kind : metric_kinds())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", kind.name, kind.column, to_string(kind.sass),
                        kind.fact ? "the same" : to_string(kind.ptx), kind.words);
  return text;
}

TEST(Documents, ListEveryMetric) {
  const std::string path = std::string(WARPLENS_SOURCE_DIR) + "/docs/fidelity.md";
  const std::string text = read_file(path).value_or("");
  const std::string begin = "<!-- metrics: begin -->\n", end = "<!-- metrics: end -->";
  const size_t from = text.find(begin), to = text.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_LT(from, to);
  const std::string wanted = text.substr(0, from + begin.size()) + metric_table() + text.substr(to);
  if (std::getenv("WARPLENS_BLESS")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_EQ(read_file(path).value_or(""), wanted) << "./wl bless compare";
}

}  // namespace
}  // namespace warplens::report
