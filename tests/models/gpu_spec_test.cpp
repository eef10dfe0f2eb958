#include "model/gpu_spec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/gpu_files.h"

namespace warplens::model {
namespace {

TEST(GpuSpec, EveryFileIsWholeAndConsistent) {
  const auto ids = gpu_ids();
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_GE(ids.size(), 21u);
  for (const std::string& id : ids) {
    const auto gpu = find_gpu(id);
    ASSERT_TRUE(gpu) << gpu.error().what;
    EXPECT_EQ(gpu->id, id);
    EXPECT_EQ(gpu->max_warps_per_sm * 32, gpu->max_threads_per_sm) << id;
    EXPECT_EQ(gpu->shared_carveouts.back(), gpu->shared_bytes_per_sm) << id;
    EXPECT_LE(gpu->shared_bytes_per_block_optin + gpu->shared_bytes_reserved, gpu->shared_bytes_per_sm) << id;
    EXPECT_LE(gpu->shared_bytes_per_sm, gpu->l1_shared_bytes) << id;
    EXPECT_EQ(gpu->registers_per_sm % (gpu->register_granularity * gpu->sub_partitions), 0u) << id;
    // Peak bandwidth follows from clock and width, twice a clock (HBM, whose clock is half the data rate, and GDDR
    // alike).
    // Two operations a lane and clock.
    const uint32_t capability = gpu->compute_major * 10 + gpu->compute_minor;
    const bool half = capability == 60 || capability == 70 || capability == 75 || capability == 80;
    ASSERT_TRUE(gpu->rates.fp32_gflops) << id;
    EXPECT_NEAR(2e-6 * gpu->sm_count * gpu->clock_khz * (half ? 64 : 128) / *gpu->rates.fp32_gflops, 1.0, 0.01) << id;
    const double peak = 2e3 * gpu->memory_clock_khz * gpu->memory_bus_bits / 8;
    EXPECT_NEAR(double(gpu->memory_bytes_per_second) / peak, 1.0, 0.03) << id;
  }
}

TEST(GpuSpec, H200) {
  const auto gpu = find_gpu("H200");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->name, "NVIDIA H200");
  EXPECT_EQ(gpu->compute_major, 9u);
  EXPECT_EQ(gpu->sm_count, 132u);
  EXPECT_EQ(gpu->shared_bytes_per_block_optin, 232448u);
}

TEST(GpuSpec, UnknownNamesTheKnown) {
  const auto gpu = find_gpu("h2000");
  ASSERT_FALSE(gpu);
  EXPECT_NE(gpu.error().hint.find("h200"), std::string::npos);
}

TEST(GpuSpec, BadFilesAreErrors) {
  EXPECT_FALSE(parse_gpu_spec("name = ", "x.toml"));
  EXPECT_FALSE(parse_gpu_spec("name = \"x\"", "x.toml"));
  std::string strange(gpu_files().front().text);
  strange.replace(strange.find("compute_major = "), 16, "compute_major = 9");
  const auto no_such = parse_gpu_spec(strange, "x.toml");
  ASSERT_FALSE(no_such);
  EXPECT_NE(no_such.error().what.find("unknown compute capability"), std::string::npos);
  std::string text(gpu_files().front().text);
  EXPECT_TRUE(parse_gpu_spec(text, "x.toml"));
  const size_t at = text.find("sm_count = ");
  std::string negative = text;
  negative.replace(at, 11, "sm_count = -");
  const auto bad = parse_gpu_spec(negative, "x.toml");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("sm_count"), std::string::npos);
}

}  // namespace
}  // namespace warplens::model
