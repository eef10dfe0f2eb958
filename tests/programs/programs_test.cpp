// Programs that do what they should.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "support/cuda_program.h"

namespace warplens {
namespace {

using testing::compile;
using testing::ProgramResult;
using testing::run;

TEST(Programs, Features) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/features.cu"));
  EXPECT_EQ(result.output,
            "by value 63.5 15\n"
            "scaled 1 2 3 4 4\n"
            "managed 1 row 20 27\n"
            "mapped 63 0\n"
            "stream 0 63 calls 1 elapsed 1\n"
            "pitched abcd efgh ijkl\n"
            "cooperative 4 cudaErrorCooperativeLaunchTooLarge\n"
            "device NVIDIA H200 9.0 warp 32 blocks 8\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Programs, Graphs) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/graphs.cu"));
  EXPECT_EQ(result.output,
            "before launch: 0, other stream captured: 1\n"
            "captured: 16 calls 2 nodes 5\n"
            "afterwards: 116\n"
            "by hand: 60\n"
            "updated: 10020\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Programs, Textures) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/textures.cu"));
  EXPECT_EQ(result.output, "turned, within 2 256ths of a texel's difference\nsmooth 9.50 9.75 24.50\ncudaSuccess\n");
  EXPECT_EQ(result.errors, "");
  ASSERT_EQ(result.report.launches.size(), 2u);
  // Requests of textures and surfaces are counted, and nothing that is not known of them.
  const report::Launch& launch = result.report.launches[0];
  const std::vector<report::Site>& sites = result.report.kernels[launch.kernel].sites;
  int textures = 0, surfaces = 0;
  for (size_t i = 0; i < sites.size(); i++) {
    textures += sites[i].space == report::Space::Texture;
    surfaces += sites[i].space == report::Space::Surface;
    if (sites[i].space != report::Space::Texture && sites[i].space != report::Space::Surface) continue;
    EXPECT_EQ(launch.sites[i].requests, 24u * 4);
    EXPECT_EQ(launch.sites[i].lanes, 24u * 128);
    EXPECT_EQ(launch.sites[i].sectors, 0u);
    EXPECT_TRUE(launch.sites[i].patterns.empty());
  }
  EXPECT_EQ(textures, 1);
  EXPECT_EQ(surfaces, 1);
}

TEST(Programs, AnotherGpu) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/features.cu"), {.environment = {{"WARPLENS_GPU", "a100"}}});
  EXPECT_NE(result.output.find("8.0 warp 32 blocks 8"), std::string::npos) << result.output;
  EXPECT_EQ(result.report.run.gpu, "a100");
}

TEST(Programs, UnknownGpuIsSaid) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/exhaust.cu"), {.environment = {{"WARPLENS_GPU", "riva128"}}});
  EXPECT_NE(result.errors.find("warplens: "), std::string::npos);
  EXPECT_NE(result.errors.find("riva128"), std::string::npos) << result.errors;
}

TEST(Programs, CompiledInPieces) {
  WL_NEEDS_NVCC();
  std::string other = WARPLENS_SOURCE_DIR "/tests/programs/pieces_other.cu";
  ProgramResult result = run(compile("tests/programs/pieces_main.cu", {"-arch=sm_80", "-rdc=true", other}));
  EXPECT_EQ(result.output, "1000 1093 cudaSuccess\n-1 92 cudaSuccess\n") << result.errors;
}

TEST(Programs, LibrariesComeAndGo) {
  WL_NEEDS_NVCC();
  std::string library = compile("tests/programs/plugin.cu", {"-arch=sm_80", "-shared", "-Xcompiler -fPIC"});
  ProgramResult result = run(compile("tests/programs/plugin_main.cu"), {.arguments = {library}});
  EXPECT_EQ(result.output, "11 12\n11 12\n11 12\nown 5\n") << result.errors;
  EXPECT_EQ(result.report.launches.size(), 7u);
}

// All that is counted, as text.
std::string counts(const report::Report& report) {
  std::string out;
  for (const report::Launch& launch : report.launches) {
    out += std::to_string(launch.instructions) + ' ' + std::to_string(launch.thread_instructions) + '\n';
    for (const report::SiteCounts& site : launch.sites) {
      for (uint64_t n :
           {site.requests, site.lanes, site.sectors, site.sectors_ideal, site.tag_requests, site.wavefronts,
            site.wavefronts_ideal, site.bytes_used, site.branch_executed, site.branch_divergent}) {
        out += std::to_string(n) + ' ';
      }
      for (const auto& pattern : site.patterns) out += pattern.words + ' ' + std::to_string(pattern.count) + ' ';
      out += '\n';
    }
  }
  return out;
}

TEST(Programs, CountsAreTheSameWhateverTheThreads) {
  WL_NEEDS_NVCC();
  std::string program = compile("tests/programs/features.cu");
  std::string one = counts(run(program, {.environment = {{"WARPLENS_THREADS", "1"}}}).report);
  EXPECT_GT(one.size(), 200u);
  for (const char* threads : {"2", "5", "16"}) {
    ProgramResult result = run(program, {.environment = {{"WARPLENS_THREADS", threads}}});
    EXPECT_EQ(counts(result.report), one) << threads;
    EXPECT_EQ(std::to_string(result.report.run.threads), threads);
  }
}

TEST(Programs, CompiledCodeIsKept) {
  WL_NEEDS_NVCC();
  char folder[] = "/tmp/warplens-cache-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  testing::RunOptions options{.environment = {{"WARPLENS_CACHE", folder}}};
  std::string program = compile("tests/programs/features.cu");
  ProgramResult first = run(program, options), second = run(program, options);
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(second.report.launches.empty());
  for (const report::Launch& launch : first.report.launches) EXPECT_FALSE(launch.from_cache);
  for (const report::Launch& launch : second.report.launches)
    EXPECT_TRUE(launch.from_cache || launch.compile_seconds == 0);
  EXPECT_TRUE(second.report.launches[0].from_cache);
  EXPECT_EQ(second.output, first.output);
  EXPECT_EQ(counts(second.report), counts(first.report));
}

TEST(Programs, MachineCodeAloneIsRefused) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/endings.cu", {"-gencode", "arch=compute_80,code=sm_80"}));
  EXPECT_EQ(result.output, "data 0\n");  // nothing ran: the copy after the launch sees what cudaMemset wrote
  EXPECT_NE(result.errors.find("-gencode arch=compute_80,code=[sm_80,compute_80]"), std::string::npos) << result.errors;
  ASSERT_FALSE(result.report.notes.empty());
  EXPECT_EQ(result.report.notes[0].kind, "error");
}

TEST(Programs, MemoryIsExhausted) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/exhaust.cu"));
  EXPECT_EQ(result.output,
            "cudaErrorMemoryAllocation after 139 GiB\n"
            "last: cudaErrorMemoryAllocation, then: cudaSuccess\n"
            "data 9\n");
}

TEST(Programs, RunUnrecordedAndQuietly) {
  WL_NEEDS_NVCC();
  ProgramResult result = run(compile("tests/programs/endings.cu"), {.record = false});
  EXPECT_EQ(result.output, "data 1\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace warplens
