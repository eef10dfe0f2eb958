#include "exec/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "support/sanitizers.h"

namespace warplens::exec {
namespace {

using Kind = Allocation::Kind;

uint64_t must_allocate(DeviceMemory& memory, uint64_t bytes, Kind kind = Kind::Device) {
  auto at = memory.allocate(bytes, kind);
  EXPECT_TRUE(at);
  return at ? *at : 0;
}

// Pages of this process that are in memory now.
uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(DeviceMemory, AddressesFollowFromTheCallsAlone) {
  std::vector<uint64_t> runs[2];
  for (auto& offsets : runs) {
    DeviceMemory memory(1 << 30);
    uint64_t first = must_allocate(memory, 1);
    std::vector<uint64_t> held;
    for (uint64_t bytes : {1, 512, 513, 100000, 1 << 20, (1 << 20) + 1, 3 << 20, 7})
      held.push_back(must_allocate(memory, bytes));
    memory.free(held[3]);
    held.push_back(must_allocate(memory, 99000));
    for (uint64_t at : held) offsets.push_back(at - first);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0][3], runs[0][8]);  // the hole is used again
}

TEST(DeviceMemory, AlignsAsCudaMallocDoes) {
  DeviceMemory memory(1 << 30);
  for (uint64_t bytes : {1, 3, 512, 513, 4097, 1 << 20}) EXPECT_EQ(must_allocate(memory, bytes) % 512, 0u);
  EXPECT_EQ(must_allocate(memory, (1 << 20) + 1) % (2 << 20), 0u);
  EXPECT_EQ(must_allocate(memory, 3, Kind::HostPinned) % 4096, 0u);
}

TEST(DeviceMemory, BoundsAreExactAndNeighboursNeverTouch) {
  DeviceMemory memory(1 << 30);
  uint64_t a = must_allocate(memory, 512), b = must_allocate(memory, 1000);
  EXPECT_EQ(memory.find(a, 512)->base, a);
  EXPECT_EQ(memory.find(a + 508, 4)->base, a);
  EXPECT_FALSE(memory.find(a + 509, 4));
  EXPECT_FALSE(memory.find(a + 512));
  EXPECT_FALSE(memory.find(b - 1));
  EXPECT_EQ(memory.find(b + 999)->base, b);
  EXPECT_FALSE(memory.find(b + 999, 2));
  EXPECT_FALSE(memory.find(b, ~uint64_t{0}));  // no overflow
  EXPECT_FALSE(memory.find(~uint64_t{0}, 2));
}

TEST(DeviceMemory, DescribesWhatIsNear) {
  DeviceMemory memory(1 << 30);
  EXPECT_EQ(memory.describe_nearest(uint64_t{1} << 45, 4), "no memory is allocated");
  uint64_t a = must_allocate(memory, 512);
  must_allocate(memory, 512);
  EXPECT_TRUE(memory.describe_nearest(a + 512, 4).starts_with("right after the end of the 512-byte allocation at 0x"));
  std::string named = memory.describe_nearest(a + 516, 4);
  EXPECT_TRUE(named.starts_with("4 bytes past the end of the 512-byte allocation at 0x")) << named;
  EXPECT_TRUE(
      memory.describe_nearest(a + 510, 4).starts_with("the last 2 of 4 bytes are past the end of the 512-byte"));
  EXPECT_TRUE(memory.describe_nearest(a + 1020, 4).starts_with("4 bytes before the 512-byte allocation"));
  EXPECT_EQ(memory.describe_nearest(8, 4), "8 bytes from the null pointer");
  EXPECT_TRUE(
      memory.describe_nearest(reinterpret_cast<uint64_t>(&a), 4).starts_with("memory of the host that was not"));
  ASSERT_TRUE(memory.free(a));
  EXPECT_TRUE(memory.describe_nearest(a + 20, 4).starts_with("20 bytes into the 512-byte allocation at 0x"));
  EXPECT_TRUE(memory.describe_nearest(a + 20, 4).ends_with(", which was freed"));
  EXPECT_EQ(must_allocate(memory, 256), a);  // and is another allocation's now
  EXPECT_TRUE(memory.describe_nearest(a + 300, 4).starts_with("44 bytes past the end of the 256-byte"));
  EXPECT_EQ(memory.describe_nearest(uint64_t{1} << 45 | uint64_t{1} << 44, 4), "far from every allocation");
}

TEST(DeviceMemory, IsExhaustedAtTheGpusCapacity) {
  DeviceMemory memory(uint64_t{64} << 30);  // far more than most machines have: nothing is touched
  for (int i = 0; i < 64; i++) must_allocate(memory, uint64_t{1} << 30);
  EXPECT_EQ(memory.used(), memory.capacity());
  EXPECT_FALSE(memory.allocate(1));
  EXPECT_FALSE(memory.allocate(~uint64_t{0}));
  EXPECT_TRUE(memory.allocate(4096, Kind::HostPinned));  // the host's
}

TEST(DeviceMemory, ResidentMemoryFollowsWhatIsHeld) {
  DeviceMemory memory(uint64_t{4} << 30);
  constexpr uint64_t kBytes = 64 << 20;
  uint64_t before = resident_bytes();
  for (int round = 0; round < 8; round++) {
    uint64_t at = must_allocate(memory, kBytes);
    memset(reinterpret_cast<void*>(at), 1, kBytes);
    EXPECT_GE(resident_bytes(), before + kBytes / 2);
    EXPECT_TRUE(memory.free(at));
  }
  if (testing::kSanitized) return;  // which remember what was written where
  EXPECT_LT(resident_bytes(), before + kBytes / 2);
}

TEST(DeviceMemory, FreesOnlyBases) {
  DeviceMemory memory(1 << 30);
  uint64_t a = must_allocate(memory, 4096);
  EXPECT_FALSE(memory.free(a + 512));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(must_allocate(memory, 0), 0u);
}

TEST(DeviceMemory, AdoptsHostMemory) {
  DeviceMemory memory(1 << 30);
  std::vector<char> host(1000);
  auto at = reinterpret_cast<uint64_t>(host.data());
  memory.adopt(at, host.size(), Kind::HostPinned);
  EXPECT_EQ(memory.find(at + 999)->kind, Kind::HostPinned);
  EXPECT_FALSE(memory.free(at));  // not ours to free
  memory.forget(at);
  EXPECT_FALSE(memory.find(at));
}

TEST(DeviceMemory, ReadersMayRunWhileOthersAllocate) {
  DeviceMemory memory(uint64_t{1} << 32);
  uint64_t steady = must_allocate(memory, 4096);
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; i++) {
    readers.emplace_back([&] {
      while (!done) EXPECT_TRUE(memory.find(steady + 100, 4));
    });
  }
  for (int i = 0; i < 2000; i++) memory.free(must_allocate(memory, 100 + i));
  done = true;
  for (auto& reader : readers) reader.join();
}

}  // namespace
}  // namespace warplens::exec
