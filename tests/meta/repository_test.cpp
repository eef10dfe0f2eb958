// The rules, applied to this repository. What each forbids is shown by rules_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "meta/document_rules.h"
#include "meta/layering.h"
#include "meta/repository.h"
#include "meta/style_rules.h"

namespace warplens::meta {
namespace {

const std::vector<File>& repository() {
  static const std::vector<File> files = read_repository(WARPLENS_SOURCE_DIR);
  return files;
}

std::string text_of(const std::string& path) {
  const auto& files = repository();
  const auto it = std::find_if(files.begin(), files.end(), [&](const File& f) { return f.path == path; });
  return it == files.end() ? "" : it->text;
}

Layers layers() { return read_layers(text_of("src/CMakeLists.txt")); }

void expect_clean(const Violations& bad) {
  for (const std::string& violation : bad) ADD_FAILURE() << violation;
}

TEST(Repository, HasLayers) { EXPECT_GE(layers().size(), 10u); }
TEST(Repository, LayersKeepTheirPromises) { expect_clean(check_layers(layers())); }
TEST(Repository, IncludesFollowTheLayers) { expect_clean(check_includes(repository(), layers())); }
TEST(Repository, LlvmHeadersOnlyInCodegenAndJit) { expect_clean(check_llvm_headers(repository())); }
TEST(Repository, EnvironmentOnlyInCliAndCuda) { expect_clean(check_environment(repository())); }
TEST(Repository, GlobalsOnlyInCuda) { expect_clean(check_globals(repository())); }
TEST(Repository, IntrinsicsInOneFile) { expect_clean(check_intrinsics(repository())); }
TEST(Repository, LinksLeadSomewhere) { expect_clean(check_links(repository())); }
TEST(Repository, SpeaksOfItselfAlone) { expect_clean(check_wording(repository())); }

TEST(Repository, EveryInstructionIsRun) { expect_clean(check_instruction_tests(repository())); }

TEST(Repository, CoverageSaysWhatTheTablesSay) {
  const std::string path = "docs/coverage.md", before = text_of(path);
  std::string after = with_section(before, "instructions", instruction_coverage(text_of("src/ptx/instructions.def")));
  after = with_section(after, "functions", api_coverage(text_of("src/cuda/api.def")));
  after = with_section(after, "driver", driver_coverage(text_of("src/cuda/driver/api.def")));
  if (std::getenv("WARPLENS_BLESS") != nullptr) {
    std::ofstream(WARPLENS_SOURCE_DIR "/" + path) << after;
  } else {
    EXPECT_TRUE(before == after) << path << " is out of date: ./wl bless meta";
  }
}

}  // namespace
}  // namespace warplens::meta
