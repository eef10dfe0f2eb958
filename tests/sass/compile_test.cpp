// ptxas, where there is one: what it makes is read and kept, what it says reaches the user. How it is found needs none.
#include "sass/compile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/process.h"
#include "base/toolkit.h"
#include "sass/cubin.h"
#include "sass/line_table.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;
using namespace sass;

constexpr const char* kText = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 value) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  .loc 1 7 3
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
.file 1 "/src/fill.cu"
)";

std::span<const uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / fmt::format("warplens_compile_{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

  // A program of shell script.
  std::string script(const fs::path& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }

 private:
  fs::path path_;
};

constexpr const char* kNvidias =
    "echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'; echo 'Cuda compilation tools, release 12.4, V12.4.131'";
constexpr const char* kOurs = "echo 'ptxas of Warplens: keeps PTX as it is, release 13.0, V13.0'";

class WithPtxas : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_ptxas("", environment_);
    if (!found) GTEST_SKIP() << found.error().what;
    ptxas_ = *found;
  }
  Result<Assembled> assembled(AssembleRequest request) { return assemble(ptxas_, request, environment_); }

  Environment environment_{environ};
  Ptxas ptxas_;
  Folder folder_;
};

TEST_F(WithPtxas, MakesMachineCodeWithLines) {
  const auto made = assembled({{kText}, 80});
  ASSERT_TRUE(made) << made.error().what;
  const auto cubin = read_cubin(bytes(made->cubin));
  ASSERT_TRUE(cubin) << cubin.error().what;
  EXPECT_EQ(cubin->sm, 80u);
  const Function* fill = cubin->kernel("fill");
  ASSERT_NE(fill, nullptr);
  ASSERT_EQ(fill->parameters.size(), 2u);
  EXPECT_EQ(fill->parameters[1].offset, 8u);
  EXPECT_EQ(fill->parameters[1].size, 4u);
  const auto lines = read_line_table(*cubin);
  ASSERT_TRUE(lines) << lines.error().what;
  const std::vector<ptx::LineFrame> expected = {{"/src/fill.cu", 7, 0, "fill"}};
  EXPECT_EQ(lines->stack(*cubin, fill->section, 0x20), expected);
  const auto ptx_line = lines->ptx_line(fill->section, 0);
  ASSERT_TRUE(ptx_line);
  EXPECT_GT(ptx_line->line, 3u);
  EXPECT_LT(ptx_line->line, 15u);
}

TEST_F(WithPtxas, WhatWasMadeIsKept) {
  const AssembleRequest request = {{kText}, 90, {}, folder_.path() / "cache"};
  const auto first = assembled(request), second = assembled(request);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->cubin, second->cubin);
  AssembleRequest other = request;
  other.options = {"-maxrregcount=24"};
  const auto limited = assembled(other);
  ASSERT_TRUE(limited) << limited.error().what;
  EXPECT_FALSE(limited->from_cache) << "options are part of the key";
  Ptxas newer = ptxas_;
  newer.identity += "newer";
  EXPECT_FALSE(assemble(newer, request, environment_)->from_cache) << "so is the release";
}

// A file that another text, or a full disk, left.
TEST_F(WithPtxas, AnotherKeysFileIsNotTaken) {
  const AssembleRequest request = {{kText}, 90, {}, folder_.path() / "cache"};
  const auto first = assembled(request);
  ASSERT_TRUE(first);
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache"))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), 100);
  const auto again = assembled(request);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->from_cache);
  EXPECT_EQ(again->cubin, first->cubin);
}

TEST_F(WithPtxas, WhatItSaysIsTheError) {
  std::string text = kText;
  text.replace(text.find("mul.wide"), 8, "mal.wide");
  const auto made = assembled({{text}, 80});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("line 11"), std::string::npos) << made.error().what;
  EXPECT_NE(made.error().what.find("'mal'"), std::string::npos) << made.error().what;
  EXPECT_EQ(made.error().what.find("/tmp/"), std::string::npos) << made.error().what;
}

TEST_F(WithPtxas, TextThatIsTooNewIsToldSo) {
  std::string text = kText;
  text.replace(text.find("7.0"), 3, "77.5");
  const auto made = assembled({{text}, 80});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("too old for this PTX: it is of version 77.5"), std::string::npos)
      << made.error().what;
}

TEST_F(WithPtxas, GpuThatItDoesNotKnow) {
  const auto made = assembled({{kText}, 999});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("makes no code for sm_999"), std::string::npos) << made.error().what;
}

// sm_90a code is for that GPU alone, and only it has the instruction.
TEST_F(WithPtxas, TargetsOfOneArchitecture) {
  std::string text = kText;
  text.replace(text.find("7.0"), 3, "8.0");
  text.replace(text.find("sm_75"), 5, "sm_90a");
  text.replace(text.find("  ret;"), 6, "  wgmma.fence.sync.aligned;\n  ret;");
  const auto made = assembled({{text}, 90});
  EXPECT_TRUE(made) << made.error().what;
  EXPECT_FALSE(assembled({{text}, 100}));
}

TEST_F(WithPtxas, PartsAreLinked) {
  const std::string head = ".version 7.0\n.target sm_75\n.address_size 64\n";
  const std::string call = head + R"(.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry kern(.param .u64 out) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call (b), twice, (a); ld.param.b32 %r1, [b]; }
  st.global.u32 [%rd1], %r1;
  ret;
})";
  const std::string body = head + R"(.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
})";
  const auto alone = assembled({{call}, 80});
  EXPECT_FALSE(alone);
  if (!fs::exists(fs::path(ptxas_.path).parent_path() / "nvlink")) {
    const auto made = assembled({{call, body}, 80});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().what.find("nvlink"), std::string::npos);
    return;
  }
  const auto made = assembled({{call, body}, 80});
  ASSERT_TRUE(made) << made.error().what;
  const auto cubin = read_cubin(bytes(made->cubin));
  ASSERT_TRUE(cubin) << cubin.error().what;
  EXPECT_FALSE(cubin->relocatable);
  ASSERT_EQ(cubin->functions.size(), 2u);
  EXPECT_EQ(cubin->functions[0].name, "kern");
  EXPECT_EQ(cubin->functions[1].name, "twice");
}

// ---- finding it

TEST(FindPtxas, OursIsPassedOver) {
  const Folder folder;
  folder.script("ours/ptxas", kOurs);
  folder.script("broken/ptxas", "exit 3");
  const std::string theirs = folder.script("theirs/ptxas", kNvidias);
  Environment environment(environ);
  const std::string root = folder.path().string();
  environment.set("CUDA_PATH", "");
  environment.set("PATH", root + "/ours:" + root + "/broken:" + root + "/theirs:/bin");
  const auto found = find_ptxas("", environment);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->path, theirs);
  EXPECT_EQ(found->version, "12.4.131");
  EXPECT_FALSE(find_ptxas(root + "/ours/ptxas", environment)) << "named, it is refused";
  EXPECT_FALSE(find_ptxas(root + "/nothing", environment));
  EXPECT_TRUE(find_ptxas(theirs, environment));
}

TEST(FindPtxas, OurOwnIsNotNvidias) {
  const std::string ours = std::string(WARPLENS_BINARY_DIR) + "/lib/ptxas";
  if (!fs::exists(ours)) GTEST_SKIP() << "src/ptxas is not built";
  const auto found = find_ptxas(ours, Environment(environ));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("is not NVIDIA's ptxas"), std::string::npos);
}

TEST(Toolkit, PlacesInTheirOrder) {
  const Folder folder;
  const fs::path root = folder.path();
  const auto script = [&](const char* place) { return folder.script(fs::path(place) / "tool", "true"); };
  const std::vector<std::string> expected = {
      script("named/bin"),
      script("env/bin"),
      script("local/cuda/bin"),
      script("local/cuda-13.0/bin"),
      script("local/cuda-12.10/bin"),
      script("local/cuda-12.9/bin"),
      script("env/lib/python3.12/site-packages/nvidia/cu13/bin"),
      script("env/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin"),
      script("env/lib/python3.12/site-packages/triton/backends/nvidia/bin"),
      script("home/.local/lib/python3.9/site-packages/nvidia/cuda_nvcc/bin"),
  };
  script("env/lib/python3.12/site-packages/nvidia/nccl/bin");
  Environment environment;
  environment.set("CUDA_PATH", (root / "named").string());
  environment.set("PATH", (root / "env/bin").string() + ":" + (root / "nothing").string());
  environment.set("HOME", (root / "home").string());
  EXPECT_EQ(toolkit_programs("tool", environment, root / "local"), expected);
}

// ---- time

TEST(Process, EndsWhenItsTimeIsOver) {
  const Folder folder;
  const Environment environment(environ);
  const std::string slow = folder.script("slow", "echo started; exec sleep 30");
  const auto start = std::chrono::steady_clock::now();
  const auto run = run_process({slow}, environment, std::chrono::milliseconds(300));
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->timed_out);
  EXPECT_EQ(run->output, "started\n");
  EXPECT_EQ(run->exit_code, 128 + 9);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  const auto quick = run_process({folder.script("quick", "echo done")}, environment, std::chrono::seconds(60));
  ASSERT_TRUE(quick);
  EXPECT_FALSE(quick->timed_out);
  EXPECT_EQ(quick->output, "done\n");
}

TEST(Assemble, TakesOnlyItsTime) {
  const Folder folder;
  const Ptxas slow = {folder.script("ptxas", "exec sleep 30"), "1.0", "slow"};
  AssembleRequest request = {{kText}, 90};
  request.limit = std::chrono::milliseconds(200);
  const auto made = assemble(slow, request, Environment(environ));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "ptxas was not done with the program after 0.2 s");
}

}  // namespace
}  // namespace warplens
