// The table against the archives themselves, release by release: from NVIDIA's wheels on PyPI, which hold the static
// runtime since 12.9, and any that WARPLENS_CUDART_ARCHIVES names ("11.8.89=/path/libcudart_static.a:12.4.127=...").
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/process.h"
#include "elf/build_table.h"
#include "elf/known_runtimes.h"
#include "elf/mapped_file.h"
#include "inspect/user_runtimes.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The archive of a wheel, kept in the build folder; empty where PyPI cannot be reached.
fs::path from_wheel(const std::string& package, const std::string& release) {
  fs::path folder = fs::path(WARPLENS_BINARY_DIR) / "tests/static/wheels" / release;
  auto archive = [&]() -> fs::path {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
      if (entry.path().filename() == "libcudart_static.a") return entry.path();
    return {};
  };
  if (fs::path found = archive(); !found.empty()) return found;
  Environment environment(environ);
  std::string python = environment.find_program("python3");
  if (python.empty()) return {};
  fs::create_directories(folder);
  (void)run_process({python, "-m", "pip", "download", "-q", "--no-deps", "--timeout", "15", "--retries", "1", "-d",
                     folder, package + "==" + release},
                    environment);
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".whl")
      (void)run_process({python, "-m", "zipfile", "-e", entry.path(), folder}, environment);
  return archive();
}

std::map<std::string, fs::path> archives() {
  std::map<std::string, fs::path> all;
  for (const char* release : {"12.9.79"}) all[release] = from_wheel("nvidia-cuda-runtime-cu12", release);
  for (const char* release : {"13.0.88", "13.1.80", "13.5.37"})
    all[release] = from_wheel("nvidia-cuda-runtime", release);
  const char* more = getenv("WARPLENS_CUDART_ARCHIVES");
  std::istringstream list(more ? more : "");
  for (std::string entry; std::getline(list, entry, ':');)
    all[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  std::erase_if(all, [](const auto& one) { return one.second.empty(); });
  return all;
}

TEST(Releases, TheTableIsTrue) {
  auto all = archives();
  if (all.empty()) GTEST_SKIP() << "PyPI cannot be reached from here";
  elf::RuntimeTable table = elf::known_runtimes();
  for (const auto& [release, path] : all) {
    SCOPED_TRACE(release);
    elf::MappedFile file(path.c_str());
    auto built = elf::build_release(file.bytes(), release);
    ASSERT_TRUE(built) << built.error().what;
    size_t column = 0;
    while (column < table.releases.size() && table.releases[column].name != release) ++column;
    ASSERT_LT(column, table.releases.size()) << "not in data/cudart_static.txt";
    EXPECT_EQ(built->release.anchor.hash, table.releases[column].anchor.hash);
    size_t functions = 0;
    for (const elf::KnownFunction& function : table.functions) functions += function.offsets[column] != elf::kNoOffset;
    EXPECT_EQ(built->functions.size(), functions);
    for (const auto& [name, offset] : built->functions) EXPECT_EQ(table.find(name)->offsets[column], offset) << name;
  }
}

TEST(Releases, ProgramsOfEachRun) {
  auto all = archives();
  if (all.empty()) GTEST_SKIP() << "PyPI cannot be reached from here";
  for (const auto& [release, path] : all) {
    SCOPED_TRACE(release);
    Folder folder;
    run_tool({"cc", "-o", folder / "program", static_program_path("host_only.c"), path, "-lstdc++", "-lpthread", "-ldl",
              "-lrt"});
    run_tool({"strip", "-s", "-o", folder / "stripped", folder / "program"});
    for (const char* program : {"program", "stripped"}) {
      CommandResult run = run_program(folder / program);
      EXPECT_EQ(run.out, release.substr(0, 2) + " 1 7 cudaSuccess\n") << program << run.err;
      EXPECT_THAT(warplens({"inspect", folder / program}).out, HasSubstr("static, CUDA " + release));
    }
  }
}

// A release that nobody has put into the table, but whose archive is on the machine.
TEST(Releases, OfTheUsersOwnToolkit) {
  Folder folder;
  fs::create_directories(folder / "toolkit/lib64");
  run_tool({"cc", "-c", "-o", folder / "fake.o", static_program_path("fake_runtime.S")});
  run_tool({"ar", "rcs", folder / "toolkit/lib64/libcudart_static.a", folder / "fake.o"});
  run_tool({"cc", "-s", "-o", folder / "program", static_program_path("fake_main.c"), folder / "fake.o"});
  EXPECT_THAT(warplens({"inspect", folder / "program"}).out, HasSubstr("CUDA runtime: none"));
  std::string setting = "CUDA_HOME=" + (folder / "toolkit").string();
  for (int round = 0; round < 2; ++round) {  // the second time from the cache
    CommandResult run = warplens({"inspect", folder / "program"}, {"env", setting});
    EXPECT_THAT(run.out, HasSubstr("static, CUDA 13.x:" + fs::canonical(folder / "toolkit/lib64").string())) << run.err;
    EXPECT_THAT(run.out, HasSubstr("5 functions found by their code"));
  }
  // Another archive in its place is another runtime.
  run_tool({"cc", "-c", "-DSEED=2", "-o", folder / "fake.o", static_program_path("fake_runtime.S")});
  run_tool({"ar", "rcs", folder / "toolkit/lib64/libcudart_static.a", folder / "fake.o"});
  EXPECT_THAT(warplens({"inspect", folder / "program"}, {"env", setting}).out, HasSubstr("CUDA runtime: none"));
}

}  // namespace
}  // namespace warplens::test
