// warplens occupancy and warplens gpus as a user types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "model/gpu_spec.h"

namespace warplens::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string cubin(const std::string& name) { return std::string(WARPLENS_SOURCE_DIR) + "/tests/sass/cubins/" + name; }

nlohmann::json asked(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"occupancy", "--json"});
  const CommandResult run = warplens(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return nlohmann::json::parse(run.out, nullptr, false);
}

size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Occupancy, Figures) {
  const CommandResult run =
      warplens({"occupancy", "--gpu", "h200", "--block", "256", "--regs", "40", "--smem", "16384", "--grid", "64x64"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("6 blocks an SM, 48 of 64 warps: occupancy 75 %  [modelled]"));
  EXPECT_THAT(run.out, HasSubstr("7 blocks (88 %) with 32 registers or fewer."));
  EXPECT_THAT(run.out, HasSubstr("10,240 (1,280 a warp)         65,536        6  <-\n"));
  EXPECT_THAT(run.out, HasSubstr("Grid of 4,096 blocks: 5.17 waves of 792 blocks (132 SMs); the last fills 17 %"));
  EXPECT_THAT(run.out, HasSubstr("      256      6    48  75 % ########"));  // of the curve
  EXPECT_LE(widest_line(run.out), 80u);
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

TEST(Occupancy, Json) {
  const auto json = asked({"--gpu", "a100", "--block", "32x8,1024", "--regs", "40", "--smem", "16K"});
  EXPECT_EQ(json["schema"], "warplens-occupancy/1");
  EXPECT_EQ(json["gpu"], "a100");
  const auto& kernel = json["kernels"][0];
  ASSERT_EQ(kernel["blocks"].size(), 2u);
  EXPECT_EQ(kernel["blocks"][0]["threads"], 256);
  EXPECT_EQ(kernel["blocks"][0]["blocks"], 6);
  EXPECT_EQ(kernel["blocks"][0]["limited_by"], nlohmann::json::array({"registers"}));
  EXPECT_EQ(kernel["blocks"][0]["limits"]["shared memory"], 9);  // 164 KB / 17 KB
  EXPECT_EQ(kernel["blocks"][1]["blocks"], 1);
  EXPECT_EQ(kernel["curves"]["threads"].size(), 32u);
  EXPECT_EQ(kernel["curves"]["registers"].back()["to"], 255);
}

TEST(Occupancy, AComputeCapabilityAlone) {
  EXPECT_EQ(asked({"--gpu", "sm_53", "--block", "256", "--regs", "33"})["kernels"][0]["blocks"][0]["blocks"], 6);
  const auto json = asked({"--gpu", "5.3", "--block", "1024", "--regs", "64"});
  EXPECT_TRUE(json["gpu"].is_null());
  EXPECT_EQ(json["kernels"][0]["blocks"][0]["refused"], "registers of a block");  // 32 K are its most
}

TEST(Occupancy, ALaunchThatFailsIsExplained) {
  const CommandResult run = warplens({"occupancy", "--block", "1024", "--regs", "65"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("no launch (cudaErrorLaunchOutOfResources)"));
  EXPECT_THAT(run.out, HasSubstr("1 block (50 %) with 64 registers or fewer."));
}

TEST(Occupancy, MoreSharedMemoryThanWithoutOptingIn) {
  const CommandResult run = warplens({"occupancy", "--block", "128", "--regs", "32", "--smem", "100000"});
  EXPECT_THAT(run.out, HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize"));
  const CommandResult few = warplens({"occupancy", "--block", "128", "--regs", "32", "--smem", "48K"});
  EXPECT_THAT(few.out, Not(HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize")));
}

TEST(Occupancy, WhatCannotBe) {
  const auto refused = [](std::vector<std::string> arguments, int exit_code, const std::string& why,
                          const std::string& hint) {
    arguments.insert(arguments.begin(), "occupancy");
    const CommandResult run = warplens(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << why;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_THAT(run.err, HasSubstr(hint));
    EXPECT_EQ(run.out, "");
  };
  refused({"--block", "1025"}, 125, "a block of 1025 threads", "1 to 1024 are possible");
  refused({"--block", "64x64"}, 125, "a block of 4096 threads", "1 to 1024 are possible");
  refused({"--block", "0"}, 125, "a block of 0 threads", "1 to 1024 are possible");
  refused({"--block", "256y"}, 125, "--block '256y'", "16x16");
  refused({"--block", "99999999999999999999999"}, 125, "--block '", "16x16");
  refused({"--block", "256", "--regs", "256"}, 125, "256 registers of a thread", "1 to 255 are possible");
  refused({"--block", "256", "--regs", "-1"}, 125, "--regs", "--help");
  refused({"--block", "256", "--smem", "240000"}, 125, "a block can have 232448",
          "up to 232448 with cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize");
  refused({"--block", "256", "--smem", "50000", "--gpu", "p100"}, 125, "a block can have 49152", "more blocks");
  refused({"--block", "256", "--smem", "1G"}, 125, "--smem '1G'", "16K");
  refused({"--block", "256", "--grid", "1", "--gpu", "8.6"}, 125, "--grid needs a GPU model", "warplens gpus");
  refused({"--block", "256", "--gpu", "h2000"}, 125, "unknown GPU 'h2000'", "rtx5090");
  refused({}, 125, "neither a file nor --block", "warplens occupancy app.cu");
  refused({"/no/such/file"}, 127, "no such file", "check the name");
  refused({std::string(WARPLENS_SOURCE_DIR) + "/README.md"}, 126, "neither a program nor device code", "PTX");
  refused({std::string(WARPLENS_SOURCE_DIR) + "/docs"}, 126, "cannot be read", "name a file");
  refused({cubin("cuda11.8_sm_80.cubin")}, 126, "machine code for sm_80 and no PTX", "--gpu sm_80");
  refused({cubin("cuda13.0_limits.cubin"), "--kernel", "nothing"}, 125, "no kernel of", "--kernel");
}

TEST(Occupancy, MachineCodeOfAFile) {
  const auto json = asked({cubin("cuda13.0_limits.cubin")});
  EXPECT_EQ(json["code"], "machine code in it");
  ASSERT_EQ(json["kernels"].size(), 3u);
  const auto kernel = [&](const std::string& name) {
    for (const auto& k : json["kernels"])
      if (k["demangled"].get<std::string>().starts_with(name)) return k;
    return nlohmann::json();
  };
  EXPECT_EQ(kernel("spilling")["registers"], 24);
  EXPECT_EQ(kernel("wide")["most_threads"], 128);
  for (const auto& block : kernel("wide")["blocks"]) EXPECT_LE(block["threads"], 128);
  ASSERT_EQ(kernel("shaped")["blocks"].size(), 1u);  // .reqntid
  EXPECT_EQ(kernel("shaped")["blocks"][0]["threads"], 128);
}

TEST(Occupancy, BlocksThatTheKernelIsNotCompiledFor) {
  const CommandResult run =
      warplens({"occupancy", cubin("cuda13.0_limits.cubin"), "--kernel", "wide", "--block", "128,256"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("128     16    64 100 % ##########  warps\n"));
  EXPECT_THAT(run.out, HasSubstr("no launch: not compiled for it"));
  EXPECT_THAT(run.out, Not(HasSubstr("spilling")));
}

// Registers of PTX are ptxas's choice, so there must be one.
TEST(Occupancy, PtxNeedsPtxas) {
  Folder folder;
  std::ofstream(folder / "k.ptx") << ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
  const CommandResult none = warplens({"occupancy", (folder / "k.ptx").string(), "--ptxas", "/no/such/ptxas"});
  EXPECT_EQ(none.exit_code, 126);
  EXPECT_THAT(none.err, HasSubstr("registers and shared memory are known from machine code alone"));
  EXPECT_THAT(none.err, HasSubstr("--regs N"));
}

TEST(Occupancy, AProgramThatIsCompiledFirst) {
  if (!has_nvcc()) GTEST_SKIP() << "no nvcc";
  const auto json = asked({program_path("hello.cu"), "--block", "256"});
  ASSERT_FALSE(json["kernels"].empty());
  EXPECT_GT(json["kernels"][0]["registers"], 0);
  EXPECT_GT(json["kernels"][0]["blocks"][0]["blocks"], 0);
  EXPECT_EQ(warplens({"occupancy", program_path("does_not_compile.cu")}).exit_code, 2);
}

// A file of kernels need not be a program.
TEST(Occupancy, SourceWithoutMain) {
  Folder folder;
  std::ofstream(folder / "k.cu") << "__global__ void __launch_bounds__(192) k(float* p) { __shared__ float s[200];\n"
                                    "s[threadIdx.x] = p[0]; __syncthreads(); p[threadIdx.x] = s[threadIdx.x ^ 1]; }\n";
  if (has_nvcc()) {
    const auto json = asked({"--compiler", "nvcc", (folder / "k.cu").string()});
    EXPECT_EQ(json["kernels"][0]["static_shared_bytes"], 800);
    EXPECT_EQ(json["kernels"][0]["most_threads"], 192);
  }
  if (!has_clang()) return;
  // What clang makes has PTX alone, and is assembled where there is a ptxas.
  const CommandResult run = warplens({"occupancy", "--compiler", "clang", (folder / "k.cu").string()});
  if (run.exit_code == 0)
    EXPECT_THAT(run.out, HasSubstr("800 B static shared memory, 192 threads a block at most"));
  else
    EXPECT_THAT(run.err, HasSubstr("registers and shared memory are known from machine code alone"));
}

TEST(Gpus, AllThatGpuTakes) {
  const CommandResult text = warplens({"gpus"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_LE(widest_line(text.out), 80u);
  const auto json = nlohmann::json::parse(warplens({"gpus", "--json"}).out);
  EXPECT_EQ(json["schema"], "warplens-gpus/1");
  EXPECT_EQ(json["gpus"].size(), model::gpu_ids().size());
  for (const auto& gpu : json["gpus"]) {
    EXPECT_THAT(text.out, HasSubstr("\n" + gpu["id"].get<std::string>() + " "));
    EXPECT_GT(gpu["sm_count"], 0);
    EXPECT_EQ(gpu["caches"] == "measured", gpu["id"] == "h200");
  }
  EXPECT_EQ(json["compute_capabilities"].size(), 19u);
}

}  // namespace
}  // namespace warplens::test
