// warplens compare as a user types it: what it says, and what it ends with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "cli/command.h"

namespace warplens::test {
namespace {

using ::testing::HasSubstr;

std::string data(const std::string& name) { return std::string(WARPLENS_SOURCE_DIR) + "/tests/compare/" + name; }

TEST(Compare, EqualAndDifferent) {
  const CommandResult same = warplens({"compare", data("vector_add.run.json"), data("vector_add.units.csv")});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("1 launch compared: 36 figures equal, 3 different (0 of them counted)"));
  EXPECT_EQ(same.err, "");
  const CommandResult other = warplens({"compare", data("kernels.run.json"), data("kernels.raw.csv")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out, HasSubstr("(1 of them counted)"));
}

TEST(Compare, Json) {
  const CommandResult run =
      warplens({"compare", "--json", data("kernels.run.json"), data("kernels.raw.csv"), data("kernels.lines.csv")});
  EXPECT_EQ(run.exit_code, 1);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["schema"], "warplens-compare/1");
  EXPECT_EQ(json["agrees"], false);
  EXPECT_EQ(json["launches"].size(), 15u);
  EXPECT_FALSE(json["launches"][0]["places"].empty());
}

TEST(Compare, WhatCannotBeUsed) {
  const std::string run = data("vector_add.run.json"), profile = data("vector_add.units.csv");
  EXPECT_EQ(warplens({"compare", "/no/such.json", profile}).exit_code, 127);
  EXPECT_EQ(warplens({"compare", run, "/no/such.csv"}).exit_code, 127);
  EXPECT_EQ(warplens({"compare", run}).exit_code, 125);
  EXPECT_EQ(warplens({"compare", profile, profile}).exit_code, 126);
  EXPECT_EQ(warplens({"compare", run, run}).exit_code, 126);
  const CommandResult labels = warplens({"compare", run, data("kernels.cu")});
  EXPECT_EQ(labels.exit_code, 126);
  EXPECT_THAT(labels.err, HasSubstr("there is no table of Nsight Compute in it"));
  const CommandResult none = warplens({"compare", run, data("kernels.source.csv")});
  EXPECT_EQ(none.exit_code, 126);
  EXPECT_THAT(none.err, HasSubstr("there is nothing to compare"));
}

void script(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// A report of Nsight Compute is read by its own program, where there is one.
TEST(Compare, AReportOfNsightCompute) {
  Folder folder;
  std::ofstream(folder / "x.ncu-rep") << "NVR";
  const std::string report = (folder / "x.ncu-rep").string();
  const CommandResult refused = warplens({"compare", data("vector_add.run.json"), report}, {"env", "PATH=/no/such"});
  EXPECT_EQ(refused.exit_code, 126);
  EXPECT_THAT(refused.err, HasSubstr("ncu -i " + report + " --page raw --csv --print-units base > "));
  EXPECT_THAT(refused.err, HasSubstr("x.csv"));
  script(folder / "ncu", "#!/bin/sh\n[ \"$2\" = " + report + " ] && [ \"$4\" = raw ] && exec /bin/cat " +
                             data("vector_add.units.csv") + "\nexit 1\n");
  const CommandResult read =
      warplens({"compare", data("vector_add.run.json"), report}, {"env", "PATH=" + folder.path().string()});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  script(folder / "ncu", "#!/bin/sh\necho '==ERROR== broken' >&2\nexit 1\n");
  const CommandResult broken =
      warplens({"compare", data("vector_add.run.json"), report}, {"env", "PATH=" + folder.path().string()});
  EXPECT_EQ(broken.exit_code, 126);
  EXPECT_THAT(broken.err, HasSubstr("==ERROR== broken"));
}

}  // namespace
}  // namespace warplens::test
