// What the engine's short ways must not get wrong, case by case. Most cases launch a kernel of a few lines and compare
// memory and counts with the reference interpreter; where a fault is expected, the fault is looked at.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "engine/trial.h"
#include "observe/observer.h"

namespace warplens::engine_test {
namespace {

// p_a, p_b: addresses; p_n: anything.
struct Params {
  uint64_t a = 0, b = 0;
  uint32_t n = 0, m = 0;
};

std::string kernel_text(const std::string& body, const std::string& declarations = "") {
  return ".version 8.3\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"
         ".visible .entry k(.param .u64 p_a, .param .u64 p_b, .param .u32 p_n, .param .u32 p_m)\n{\n"
         "\t.reg .b32 %r<40>;\n\t.reg .b64 %rd<40>;\n\t.reg .pred %p<20>;\n\t.reg .f32 %f<10>;\n" +
         declarations +
         "\tld.param.u64 %rd1, [p_a];\n\tld.param.u64 %rd2, [p_b];\n\tld.param.u32 %r1, [p_n];\n\tld.param.u32 %r2, "
         "[p_m];\n"
         "\tmov.u32 %r3, %tid.x;\n\tmov.u32 %r4, %tid.y;\n\tmov.u32 %r5, %ctaid.x;\n\tmov.u32 %r6, %laneid;\n" +
         body + "\tret;\n}\n";
}

// thread -> out
const char* const kStoreR8 =
    "mov.u32 %r20, %ntid.x;\n mad.lo.u32 %r21, %r5, %r20, %r3;\n mul.wide.u32 %rd4, %r21, 4;\n add.s64 %rd4, %rd2, "
    "%rd4;\n st.global.u32 [%rd4], %r8;\n";

class Soundness : public testing::Test {
 protected:
  Soundness() : memory_(uint64_t{64} << 30) {
    for (const char* cpu : {"", "x86-64"})
      for (unsigned threads : {1u, 3u}) {
        jit::EngineOptions options;
        options.cpu = cpu;
        options.threads = threads;
        engines_.push_back(std::make_unique<jit::Engine>(options, memory_));
      }
  }

  Region region(uint64_t bytes, uint64_t base = 0) {
    Region r;
    r.base = base ? base : *memory_.allocate(bytes);
    ++regions_;  // no two hold the same
    for (uint64_t k = 0; k < bytes; ++k)
      r.initial.push_back(static_cast<uint8_t>(k * 7 + k / 256 * 13 + regions_ * 29));
    r.reset();
    return r;
  }

  static std::vector<uint8_t> bytes_of(const Params& p) {
    std::vector<uint8_t> b(sizeof p);
    std::memcpy(b.data(), &p, sizeof p);
    return b;
  }

  // Each set of parameters in turn, on every engine. The first gets code made for it, the others more general code.
  void check(const std::string& text, const exec::LaunchConfig& config, const std::vector<Params>& launches,
             const std::vector<Region>& regions) {
    const auto program = compile(text, memory_);
    ASSERT_TRUE(program) << program.error().what;
    for (auto& engine : engines_) {
      auto handle = engine->load(program->module, 0, program->symbols);
      for (size_t l = 0; l < launches.size(); ++l) {
        const auto expected = expect(*program, config, bytes_of(launches[l]), regions);
        ASSERT_TRUE(expected) << expected.error().what;
        EXPECT_EQ(compare(*engine, handle, *program, config, bytes_of(launches[l]), regions, *expected), "")
            << "launch " << l << " on " << engine->cpu() << " with " << engine->threads() << " threads";
      }
    }
  }

  struct Run {
    exec::LaunchResult result;
    std::vector<observe::SiteStats> stats;
  };
  Run run(jit::Engine& engine, const std::string& text, const exec::LaunchConfig& config, const Params& params,
          const std::atomic<bool>* stop = nullptr) {
    const auto program = compile(text, memory_);
    EXPECT_TRUE(program) << program.error().what;
    if (!program) return {};
    auto handle = engine.load(program->module, 0, program->symbols);
    observe::Observer observer(program->canonical.sites, engine.threads());
    const std::atomic<bool> never{false};
    Run r;
    r.result = engine.launch(
        handle, config, bytes_of(params), [&](unsigned w) { return observer.sink(w); }, stop ? *stop : never);
    observer.add_branches(r.result.counts.branches);
    r.stats = observer.finish();
    return r;
  }

  exec::DeviceMemory memory_;
  uint64_t regions_ = 0;
  std::vector<std::unique_ptr<jit::Engine>> engines_;
};

uint32_t word_at(uint64_t address) {
  uint32_t w = 0;
  std::memcpy(&w, reinterpret_cast<void*>(address), 4);
  return w;
}

// ---- addresses that wrap

constexpr uint64_t kReach = (uint64_t{1} << 34) + (1 << 20);

TEST_F(Soundness, UnsignedIndexWrapsInLaneZero) {
  const uint64_t big = *memory_.allocate(2 * kReach) + kReach;
  const Region low = region(1 << 14, big - (1 << 13)), high = region(1 << 14, big + (uint64_t{4} << 32) - (1 << 13)),
               out = region(4096);
  for (const char* body :
       {// lane 0 reads a[2^32 - 1]
        "add.u32 %r7, %r3, -1;\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r8, [%rd3];\n",
        // the same through a parameter
        "add.u32 %r7, %r3, %r1;\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r8, "
        "[%rd3];\n",
        "sub.u32 %r7, %r3, %r2;\n cvt.u64.u32 %rd3, %r7;\n shl.b64 %rd3, %rd3, 2;\n add.s64 %rd3, %rd1, %rd3;\n "
        "ld.global.u32 %r8, [%rd3+4];\n",
        // used in another block than its own
        "add.u32 %r7, %r3, %r1;\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n setp.eq.u32 %p1, %r5, 99;\n "
        "@%p1 bra E;\n"
        " ld.global.u32 %r8, [%rd3];\n E:\n",
        // a store and a reload
        "add.u32 %r7, %r3, %r1;\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n st.global.u32 [%rd3], "
        "%r3;\n ld.global.u32 %r8, [%rd3];\n"}) {
    const std::string text = kernel_text(
        std::string(body) + "mul.wide.u32 %rd4, %r3, 4;\n add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n");
    const auto at = [&](uint32_t n, uint32_t m) { return Params{big, out.base, n, m}; };
    check(text, {{1, 1, 1}, {64, 1, 1}, 0}, {at(-1u, 1), at(-5u, 5), at(3, 3), at(-64u, 64), at(-40u, 40), at(-1u, 1)},
          {low, high, out});
  }
}

TEST_F(Soundness, SignedIndexOverflows) {
  const uint64_t big = *memory_.allocate(2 * kReach) + kReach;
  const Region low = region(1 << 14, big - (uint64_t{4} << 31) - (1 << 13)),
               high = region(1 << 14, big + (uint64_t{4} << 31) - (1 << 13)), out = region(4096);
  const std::string text = kernel_text(
      "add.s32 %r7, %r3, %r1;\n mul.wide.s32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r8, [%rd3];\n"
      "mul.wide.u32 %rd4, %r3, 4;\n add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n");
  const auto at = [&](uint32_t n) { return Params{big, out.base, n, 0}; };
  check(text, {{1, 1, 1}, {96, 1, 1}, 0}, {at(0x7fffffff), at(0x7ffffff0), at(0x80000000), at(0x7fffffc0)},
        {low, high, out});
}

TEST_F(Soundness, ParametersIndexedAtRunTime) {
  const Region out = region(4096);
  // p_n and p_m as an array of two words, through the parameter space and through a generic address.
  const std::string text = kernel_text(
      "and.b32 %r7, %r3, 1;\n mov.b64 %rd3, p_n;\n mul.wide.u32 %rd5, %r7, 4;\n add.s64 %rd3, %rd3, %rd5;\n "
      "ld.param.u32 %r8, [%rd3];\n mul.wide.u32 %rd4, %r3, 4;\n"
      "add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n");
  check(text, {{1, 1, 1}, {40, 1, 1}, 0}, {{0, out.base, 5, 6}, {0, out.base, 7, 8}, {0, out.base, 9, 1}}, {out});
}

TEST_F(Soundness, AddressCrossesFourGigabytes) {
  const uint64_t start = *memory_.allocate(uint64_t{9} << 30);
  const uint64_t border = (start + (uint64_t{1} << 32)) >> 32 << 32;  // its low half is 0
  const Region around = region(4096, border - 2048), out = region(4096);
  const std::string text = kernel_text(
      "mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r8, [%rd3];\n st.global.u32 [%rd3+256], "
      "%r3;\n"
      "mul.wide.u32 %rd4, %r3, 4;\n add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n");
  check(text, {{1, 1, 1}, {64, 1, 1}, 0},
        {{border - 64, out.base, 0, 0}, {border - 128, out.base, 0, 0}, {border - 4, out.base, 0, 0}}, {around, out});
}

TEST_F(Soundness, SharedAddressWrapsAt32Bits) {
  const Region out = region(4096);
  // Thread 0's register is -4; the offset brings it back.
  const std::string text = kernel_text(
      "mov.u32 %r7, s;\n mad.lo.u32 %r8, %r3, 4, %r7;\n st.shared.u32 [%r8], %r3;\n bar.sync 0;\n sub.u32 %r8, %r8, "
      "%r2;\n ld.shared.u32 %r9, [%r8+8];\n"
      "mul.wide.u32 %rd4, %r3, 4;\n add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r9;\n",
      ".shared .align 16 .b8 s[1024];\n");
  check(text, {{1, 1, 1}, {64, 1, 1}, 0}, {{0, out.base, 0, 4}, {0, out.base, 0, 8}, {0, out.base, 0, 4}}, {out});
}

// ---- rows that share lines and sectors

TEST_F(Soundness, RowsOfATileShareSectors) {
  const Region a = region(1 << 14), out = region(4096);
  for (uint32_t pitch : {16u, 17u, 20u, 24u, 2u, 0u}) {
    const std::string text =
        kernel_text(fmt::format("mad.lo.u32 %r7, %r4, {}, %r3;\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, "
                                "%rd3;\n ld.global.u32 %r8, [%rd3];\n ld.global.u32 %r9, [%rd3+64];\n"
                                "add.u32 %r8, %r8, %r9;\n mad.lo.u32 %r7, %r4, 16, %r3;\n mul.wide.u32 %rd4, %r7, 4;\n "
                                "add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n",
                                pitch));
    check(text, {{2, 1, 1}, {16, 16, 1}, 0},
          {{a.base, out.base, 0, 0},
           {a.base + 128, out.base, 0, 0},
           {a.base + 4, out.base, 0, 0},
           {a.base + 68, out.base, 0, 0}},
          {a, out});
    // By hand: warp w reads rows 2w and 2w + 1, 64 bytes each, 4 * pitch bytes apart.
    uint32_t expected = 0;
    for (uint32_t w = 0; w < 8; ++w)
      for (uint32_t s = 0; s < 1024; ++s) {
        bool touched = false;
        for (uint32_t row : {2 * w, 2 * w + 1})
          touched |= row * pitch * 4 < 32 * s + 32 && row * pitch * 4 + 64 > 32 * s;
        expected += touched;
      }
    const Run r = run(*engines_[0], text, {{1, 1, 1}, {16, 16, 1}, 0}, {a.base, out.base, 0, 0});
    EXPECT_EQ(r.stats[0].sectors, expected) << "pitch " << pitch;
  }
}

TEST_F(Soundness, RowsOfASharedTile) {
  const Region out = region(4096);
  for (uint32_t pitch : {16u, 17u, 20u, 32u, 33u, 2u}) {
    const std::string text = kernel_text(
        fmt::format("mov.u32 %r7, s;\n mad.lo.u32 %r8, %r4, {}, %r3;\n mad.lo.u32 %r8, %r8, 4, %r7;\n mad.lo.u32 %r9, "
                    "%r3, {}, %r4;\n mad.lo.u32 %r9, %r9, 4, %r7;\n"
                    "mov.u32 %r10, 0;\n L:\n bar.sync 0;\n st.shared.u32 [%r8], 7;\n bar.sync 0;\n ld.shared.u32 %r11, "
                    "[%r9];\n add.u32 %r10, %r10, 1;\n setp.lt.u32 %p1, %r10, %r1;\n @%p1 bra L;\n",
                    pitch, pitch),
        ".shared .align 16 .b8 s[4096];\n");
    check(text, {{1, 1, 1}, {16, 16, 1}, 0}, {{0, out.base, 3, 0}, {0, out.base, 2, 0}, {0, out.base, 1, 0}}, {out});
  }
}

// ---- values that leave a divergent loop

TEST_F(Soundness, LoopCounterThatLanesLeaveWithDiffers) {
  const Region a = region(4096), out = region(1 << 14);
  for (const char* body :
       {// the counter itself, uniform inside
        "mov.u32 %r7, 0;\n L:\n setp.ge.u32 %p1, %r7, %r6;\n @%p1 bra E;\n add.u32 %r7, %r7, 1;\n bra L;\n E:\n "
        "mov.u32 %r8, %r7;\n",
        // a value made from it, used after two loops were left at once
        "mov.u32 %r7, 0;\n mov.u32 %r8, 0;\n L:\n mov.u32 %r9, 0;\n M:\n mad.lo.u32 %r8, %r7, 10, %r9;\n setp.eq.u32 "
        "%p1, %r8, %r6;\n @%p1 bra E;\n"
        " add.u32 %r9, %r9, 1;\n setp.lt.u32 %p2, %r9, 10;\n @%p2 bra M;\n add.u32 %r7, %r7, 1;\n setp.lt.u32 %p3, "
        "%r7, 4;\n @%p3 bra L;\n E:\n",
        // a uniform load inside the loop
        "mov.u32 %r7, 0;\n L:\n mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r8, [%rd3];\n "
        "add.u32 %r7, %r7, 1;\n"
        " setp.lt.u32 %p1, %r7, %r6;\n @%p1 bra L;\n",
        // two exits with different values
        "mov.u32 %r7, 0;\n L:\n add.u32 %r7, %r7, 1;\n setp.eq.u32 %p1, %r7, %r6;\n mov.u32 %r8, 1000;\n @%p1 bra E;\n "
        "setp.gt.u32 %p2, %r7, 20;\n @%p2 bra F;\n bra L;\n"
        " F:\n mov.u32 %r8, %r7;\n E:\n add.u32 %r8, %r8, %r7;\n",
        // continue: two back edges
        "mov.u32 %r7, 0;\n mov.u32 %r8, 0;\n L:\n add.u32 %r7, %r7, 1;\n and.b32 %r9, %r7, %r6;\n setp.gt.u32 %p2, "
        "%r7, 9;\n @%p2 bra E;\n setp.eq.u32 %p1, %r9, 1;\n @%p1 bra L;\n"
        " add.u32 %r8, %r8, %r7;\n setp.lt.u32 %p3, %r7, %r6;\n @%p3 bra L;\n E:\n",
        // a predicate that leaves
        "mov.u32 %r7, 0;\n L:\n and.b32 %r9, %r7, 1;\n setp.eq.u32 %p4, %r9, 1;\n setp.ge.u32 %p1, %r7, %r6;\n @%p1 "
        "bra E;\n add.u32 %r7, %r7, 1;\n bra L;\n E:\n selp.b32 %r8, 5, 6, %p4;\n"}) {
    const std::string text = kernel_text(std::string(body) +
                                         "mov.u32 %r20, %ntid.x;\n mad.lo.u32 %r21, %r5, %r20, %r3;\n mul.wide.u32 "
                                         "%rd4, %r21, 4;\n add.s64 %rd4, %rd2, %rd4;\n st.global.u32 [%rd4], %r8;\n");
    check(text, {{2, 1, 1}, {40, 1, 1}, 0},
          {{a.base, out.base, 1, 0}, {a.base, out.base, 2, 1}, {a.base, out.base, 3, 2}}, {out});
  }
}

TEST_F(Soundness, LoopThatIsEnteredInTwoPlaces) {
  const Region out = region(1 << 14);
  const std::string text = kernel_text(
      std::string("mov.u32 %r8, %r6;\n mov.u32 %r9, 0;\n and.b32 %r7, %r6, 1;\n setp.eq.u32 %p1, %r7, 0;\n @%p1 bra "
                  "B;\n A:\n add.u32 %r8, %r8, 7;\n add.u32 %r9, %r9, 1;\n"
                  "B:\n mad.lo.u32 %r8, %r8, 3, %r9;\n and.b32 %r10, %r8, 7;\n setp.gt.u32 %p2, %r9, %r1;\n @%p2 bra "
                  "E;\n setp.ne.u32 %p3, %r10, 3;\n @%p3 bra A;\n add.u32 %r9, %r9, 2;\n bra B;\n E:\n") +
      kStoreR8);
  check(text, {{2, 1, 1}, {40, 1, 1}, 0}, {{0, out.base, 5, 0}, {0, out.base, 1, 1}, {0, out.base, 9, 2}}, {out});
}

// ---- barriers

TEST_F(Soundness, BarrierInBothArms) {
  const Region out = region(1 << 14);
  const std::string text =
      kernel_text(std::string("mov.u32 %r7, s;\n mad.lo.u32 %r9, %r3, 4, %r7;\n mov.u32 %r10, %ntid.x;\n sub.u32 %r11, "
                              "%r10, %r3;\n sub.u32 %r11, %r11, 1;\n mad.lo.u32 %r11, %r11, 4, %r7;\n"
                              "and.b32 %r12, %r3, 1;\n setp.eq.u32 %p1, %r12, %r2;\n @%p1 bra ODD;\n"
                              "mul.lo.u32 %r13, %r3, 3;\n st.shared.u32 [%r9], %r13;\n bar.sync 0;\n ld.shared.u32 "
                              "%r8, [%r11];\n add.u32 %r8, %r8, %r13;\n bra END;\n"
                              "ODD:\n mul.lo.u32 %r13, %r3, 5;\n st.shared.u32 [%r9], %r13;\n bar.sync 0;\n "
                              "ld.shared.u32 %r8, [%r11];\n xor.b32 %r8, %r8, %r13;\n END:\n") +
                      kStoreR8,
                  ".shared .align 16 .b8 s[4096];\n");
  for (uint32_t n : {64u, 33u, 7u, 256u})
    check(text, {{3, 1, 1}, {n, 1, 1}, 0}, {{0, out.base, 0, 1}, {0, out.base, 0, 0}, {0, out.base, 0, 2}}, {out});
}

TEST_F(Soundness, LanesLeaveALoopWithABarrier) {
  const Region out = region(1 << 14);
  // Lane l goes round l % 4 + 1 times; those that have left wait at the last barrier, which is the same one.
  const std::string text =
      kernel_text(std::string("and.b32 %r7, %r6, 3;\n mov.u32 %r9, 0;\n mov.u32 %r8, 0;\n L:\n mad.lo.u32 %r8, %r8, 3, "
                              "%r9;\n bar.sync 0;\n add.u32 %r8, %r8, %r6;\n add.u32 %r9, %r9, 1;\n"
                              "setp.le.u32 %p1, %r9, %r7;\n @%p1 bra L;\n M:\n setp.gt.u32 %p2, %r9, 3;\n @%p2 bra "
                              "E;\n bar.sync 0;\n add.u32 %r9, %r9, 1;\n bra M;\n E:\n") +
                  kStoreR8);
  for (uint32_t n : {64u, 40u})
    check(text, {{2, 1, 1}, {n, 1, 1}, 0}, {{0, out.base, 0, 1}, {0, out.base, 1, 0}}, {out});
}

TEST_F(Soundness, LanesEnterALoopAgainWhileOthersWaitInIt) {
  const Region out = region(1 << 14);
  // Two rounds of an inner loop: lane l makes 1 + (l & 1) turns, then 2 - (l & 1). All meet at three barriers.
  const std::string text =
      kernel_text(std::string("and.b32 %r7, %r6, 1;\n mov.u32 %r8, 0;\n mov.u32 %r9, 0;\n O:\n mov.u32 %r10, 0;\n "
                              "xor.b32 %r11, %r7, %r9;\n I:\n mad.lo.u32 %r8, %r8, 5, %r10;\n"
                              "bar.sync 0;\n mad.lo.u32 %r8, %r8, 3, %r10;\n mad.lo.u32 %r8, %r9, 100, %r8;\n add.u32 "
                              "%r10, %r10, 1;\n setp.le.u32 %p1, %r10, %r11;\n @%p1 bra I;\n"
                              "add.u32 %r9, %r9, 1;\n setp.lt.u32 %p2, %r9, 2;\n @%p2 bra O;\n") +
                  kStoreR8);
  check(text, {{2, 1, 1}, {64, 1, 1}, 0}, {{0, out.base, 0, 1}, {0, out.base, 1, 0}}, {out});
}

TEST_F(Soundness, NamedAndCountedBarriers) {
  const Region out = region(1 << 14);
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, all at 0.
  const std::string text =
      kernel_text(std::string("mov.u32 %r7, s;\n mad.lo.u32 %r9, %r3, 4, %r7;\n xor.b32 %r10, %r3, 32;\n mad.lo.u32 "
                              "%r10, %r10, 4, %r7;\n st.shared.u32 [%r9], %r3;\n shr.u32 %r11, %r3, 6;\n"
                              "setp.eq.u32 %p1, %r11, 0;\n @%p1 bra A;\n bar.sync 2, 64;\n bra J;\n A:\n bar.sync 1, "
                              "64;\n J:\n ld.shared.u32 %r8, [%r10];\n bar.sync 0;\n"
                              "xor.b32 %r10, %r3, 96;\n mad.lo.u32 %r10, %r10, 4, %r7;\n ld.shared.u32 %r12, [%r10];\n "
                              "mad.lo.u32 %r8, %r8, 1000, %r12;\n add.u32 %r13, %r11, 3;\n bar.sync %r13, 64;\n") +
                      kStoreR8,
                  ".shared .align 16 .b8 s[4096];\n");
  check(text, {{2, 1, 1}, {128, 1, 1}, 0}, {{0, out.base, 0, 1}, {0, out.base, 1, 0}}, {out});
}

TEST_F(Soundness, ArrivingDoesNotWait) {
  const Region out = region(1 << 14);
  // Warp 1 says twice that a buffer is free before it waits for the first one to be full.
  const std::string text = kernel_text(
      std::string("mov.u32 %r7, s;\n and.b32 %r14, %r3, 31;\n mad.lo.u32 %r9, %r14, 4, %r7;\n mov.u32 %r8, 0;\n "
                  "setp.ge.u32 %p1, %r3, 32;\n @%p1 bra CONSUMER;\n"
                  "bar.sync 1, 64;\n st.shared.u32 [%r9], %r14;\n bar.arrive 3, 64;\n bar.sync 2, 64;\n add.u32 %r14, "
                  "%r14, 100;\n st.shared.u32 [%r9+128], %r14;\n bar.arrive 4, 64;\n bra E;\n"
                  "CONSUMER:\n bar.arrive 1, 64;\n bar.arrive 2, 64;\n bar.sync 3, 64;\n ld.shared.u32 %r8, [%r9];\n "
                  "bar.sync 4, 64;\n ld.shared.u32 %r10, [%r9+128];\n mad.lo.u32 %r8, %r8, 1000, %r10;\n E:\n") +
          kStoreR8,
      ".shared .align 16 .b8 s[4096];\n");
  check(text, {{2, 1, 1}, {64, 1, 1}, 0}, {{0, out.base, 0, 1}, {0, out.base, 1, 0}}, {out});
}

TEST_F(Soundness, ThreadsThatEndedDoNotHoldABarrierUp) {
  const Region out = region(1 << 14);
  const std::string text = kernel_text(
      std::string("mov.u32 %r7, s;\n mad.lo.u32 %r9, %r3, 4, %r7;\n setp.ge.u32 %p1, %r3, %r1;\n @%p1 exit;\n "
                  "st.shared.u32 [%r9], %r3;\n bar.sync 0;\n ld.shared.u32 %r8, [%r7];\n"
                  "setp.eq.u32 %p2, %r6, 5;\n @%p2 ret;\n bar.red.popc.u32 %r10, 0, %p2;\n setp.lt.u32 %p3, %r3, 12;\n "
                  "bar.red.popc.u32 %r11, 0, %p3;\n bar.red.and.pred %p4, 0, %p3;\n selp.b32 %r12, 1, 2, %p4;\n"
                  "mad.lo.u32 %r8, %r10, 1000, %r11;\n mad.lo.u32 %r8, %r12, 100000, %r8;\n") +
          kStoreR8,
      ".shared .align 16 .b8 s[4096];\n");
  for (uint32_t n : {100u, 64u, 1u, 31u})
    check(text, {{2, 1, 1}, {n, 1, 1}, 0},
          {{0, out.base, 20, 1}, {0, out.base, 12, 0}, {0, out.base, 64, 0}, {0, out.base, 0, 0}}, {out});
}

TEST_F(Soundness, CountedReductionOfAPartialWarp) {
  const Region out = region(1 << 14);
  const std::string text =
      kernel_text(std::string("setp.lt.u32 %p1, %r3, %r1;\n bar.red.and.pred %p2, 1, 64, %p1;\n selp.b32 %r8, 1, 2, "
                              "%p2;\n bar.red.popc.u32 %r9, 2, 64, %p1;\n mad.lo.u32 %r8, %r9, 10, %r8;\n") +
                  kStoreR8);
  for (uint32_t n : {64u, 40u})
    check(text, {{1, 1, 1}, {n, 1, 1}, 0}, {{0, out.base, 64, 0}, {0, out.base, n - 1, 0}}, {out});
}

TEST_F(Soundness, ShufflesOfPartialWarps) {
  const Region out = region(1 << 14);
  const std::string text = kernel_text(
      std::string("mov.u32 %r9, %ntid.x;\n mul.lo.u32 %r10, %r3, 11;\n mov.u32 %r8, 0;\n activemask.b32 %r11;\n "
                  "shfl.sync.idx.b32 %r12|%p1, %r10, 0, 31, -1;\n add.u32 %r8, %r8, %r12;\n"
                  "shfl.sync.up.b32 %r12|%p1, %r10, 1, 0, -1;\n mad.lo.u32 %r8, %r8, 3, %r12;\n bar.sync 0;\n "
                  "setp.lt.u32 %p2, %r6, 3;\n vote.sync.ballot.b32 %r13, %p2, -1;\n add.u32 %r8, %r8, %r13;\n"
                  "@!%p2 bra E;\n shfl.sync.idx.b32 %r12|%p1, %r10, 0, 31, %r13;\n add.u32 %r8, %r8, %r12;\n E:\n "
                  "redux.sync.add.s32 %r14, %r6, -1;\n add.u32 %r8, %r8, %r14;\n") +
      kStoreR8);
  for (uint32_t n : {1u, 3u, 33u, 63u, 100u})
    check(text, {{2, 1, 1}, {n, 1, 1}, 0}, {{0, out.base, 20, 1}, {0, out.base, 12, 0}}, {out});
}

TEST_F(Soundness, VotesInALoopThatIsEnteredAgain) {
  const Region out = region(1 << 14);
  // Lane l goes round l % 4 times and votes with those that still do, twice over.
  const std::string text = kernel_text(
      std::string("mov.u32 %r7, 0;\n mov.u32 %r8, 0;\n and.b32 %r9, %r6, 3;\n setp.eq.u32 %p3, 0, 0;\n"
                  "vote.sync.ballot.b32 %r15, %p3, -1;\n O:\n mov.u32 %r10, 0;\n mov.u32 %r11, %r15;\n I:\n"
                  "setp.lt.u32 %p1, %r10, %r9;\n vote.sync.ballot.b32 %r11, %p1, %r11;\n @!%p1 bra X;\n"
                  "mad.lo.u32 %r8, %r8, 3, %r11;\n add.u32 %r10, %r10, 1;\n bra I;\n X:\n add.u32 %r7, %r7, 1;\n"
                  "setp.lt.u32 %p2, %r7, 2;\n @%p2 bra O;\n") +
      kStoreR8);
  for (uint32_t n : {32u, 45u})
    check(text, {{2, 1, 1}, {n, 1, 1}, 0}, {{0, out.base, 0, 0}, {0, out.base, 1, 0}}, {out});
}

TEST_F(Soundness, VolatileAccesses) {
  const Region a = region(4096), out = region(4096);
  const std::string text = kernel_text(
      "mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd4, %rd1, %rd3;\n add.s64 %rd5, %rd2, %rd3;\n ld.volatile.global.u32 "
      "%r7, [%rd4];\n ld.volatile.global.u32 %r8, [%rd4];\n st.volatile.global.u32 [%rd5], 1;\n"
      "st.volatile.global.u32 [%rd5], %r7;\n setp.lt.u32 %p1, %r3, 5;\n @!%p1 bra E;\n st.relaxed.gpu.global.u32 "
      "[%rd5], %r3;\n ld.acquire.gpu.global.u32 %r9, [%rd5];\n E:\n");
  check(text, {{1, 1, 1}, {64, 1, 1}, 0},
        {{a.base, out.base, 0, 0}, {a.base + 4, out.base, 0, 0}, {a.base + 8, out.base + 4, 0, 0}}, {a, out});
}

// ---- faults

TEST_F(Soundness, OneLaneOutOfBounds) {
  const Region a = region(40 * 4), out = region(4096);
  // Lane 40 of 64 is the first beyond the end; each thread stores before, in a block of its own.
  const std::string text = kernel_text(
      "mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd4, %rd1, %rd3;\n add.s64 %rd5, %rd2, %rd3;\n st.global.u32 [%rd5], "
      "77;\n setp.gt.u32 %p1, %r3, 1000;\n @%p1 bra E;\n ld.global.u32 %r7, [%rd4];\n E:\n");
  for (auto& engine : engines_) {
    out.reset();
    const Run r = run(*engine, text, {{1, 1, 1}, {64, 1, 1}, 0}, {a.base, out.base, 0, 0});
    ASSERT_TRUE(r.result.fault);
    EXPECT_EQ(r.result.fault->kind, exec::FaultKind::OutOfBounds);
    EXPECT_EQ(r.result.fault->thread.x, 40u);
    EXPECT_EQ(r.result.fault->address, a.base + 160);
    EXPECT_EQ(r.result.fault->bytes, 4u);
    EXPECT_NE(r.result.fault->nearest, "");
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(word_at(out.base + 4 * t), 77u);
    EXPECT_EQ(r.stats[0].requests, 2u) << "what was counted before stays";
    EXPECT_GE(r.stats[2].requests, 1u) << "site 1 is the branch";
    EXPECT_EQ(r.result.counts.warps, 2u);
  }
}

TEST_F(Soundness, DivergentLaneOutOfBounds) {
  const Region a = region(64), out = region(4096);
  const std::string text = kernel_text(
      "and.b32 %r7, %r3, 1;\n setp.eq.u32 %p1, %r7, 0;\n @%p1 bra E;\n mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd4, "
      "%rd1, %rd3;\n ld.global.u32 %r8, [%rd4];\n E:\n");
  for (auto& engine : engines_) {
    const Run r = run(*engine, text, {{1, 1, 1}, {32, 1, 1}, 0}, {a.base, out.base, 0, 0});
    ASSERT_TRUE(r.result.fault);
    EXPECT_EQ(r.result.fault->thread.x, 17u);
  }
  // Lanes that are off may point anywhere.
  const std::string fine = kernel_text(
      "setp.ge.u32 %p1, %r3, 16;\n @%p1 bra E;\n mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd4, %rd1, %rd3;\n "
      "ld.global.u32 %r8, [%rd4];\n st.global.u32 [%rd4], %r3;\n E:\n");
  check(fine, {{1, 1, 1}, {32, 1, 1}, 0}, {{a.base, 0, 0, 0}, {a.base, 0, 1, 0}}, {a});
}

TEST_F(Soundness, MisalignedVectorAccess) {
  const Region a = region(4096);
  const std::string text = kernel_text(
      "mul.wide.u32 %rd3, %r3, 16;\n add.s64 %rd4, %rd1, %rd3;\n ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd4];\n");
  for (auto& engine : engines_)
    for (uint64_t off : {8u, 4u}) {
      const Run r = run(*engine, text, {{1, 1, 1}, {32, 1, 1}, 0}, {a.base + off, 0, 0, 0});
      ASSERT_TRUE(r.result.fault);
      EXPECT_EQ(r.result.fault->kind, exec::FaultKind::Misaligned);
      EXPECT_EQ(r.result.fault->thread.x, 0u);
      EXPECT_EQ(r.result.fault->bytes, 16u);
    }
}

TEST_F(Soundness, SharedOutOfBounds) {
  const std::string text = kernel_text("mov.u32 %r7, s;\n mad.lo.u32 %r8, %r3, 4, %r7;\n st.shared.u32 [%r8], %r3;\n",
                                       ".shared .align 16 .b8 s[80];\n");
  for (auto& engine : engines_) {
    const Run r = run(*engine, text, {{1, 1, 1}, {32, 1, 1}, 0}, {});
    ASSERT_TRUE(r.result.fault);
    EXPECT_EQ(r.result.fault->kind, exec::FaultKind::SharedOutOfBounds);
    EXPECT_EQ(r.result.fault->thread.x, 20u);
  }
}

TEST_F(Soundness, AFaultLeavesNothingBehind) {
  const Region a = region(256), out = region(4096);
  // Odd lanes read a[n + tid] between two barriers: faults in the middle of divergent code, then the same code runs
  // well.
  const std::string text = kernel_text(
      std::string("setp.lt.u32 %p3, %r3, 9;\n bar.red.popc.u32 %r9, 0, %p3;\n mov.u32 %r8, 0;\n and.b32 %r7, %r3, 1;\n"
                  "setp.eq.u32 %p1, %r7, 0;\n @%p1 bra J;\n add.u32 %r7, %r3, %r1;\n mul.wide.u32 %rd3, %r7, 4;\n"
                  "add.s64 %rd4, %rd1, %rd3;\n ld.global.u32 %r8, [%rd4];\n J:\n bar.red.popc.u32 %r10, 0, %p3;\n"
                  "mad.lo.u32 %r8, %r9, %r10, %r8;\n") +
      kStoreR8);
  const exec::LaunchConfig config{{2, 1, 1}, {40, 1, 1}, 0};
  const auto program = compile(text, memory_);
  ASSERT_TRUE(program);
  const Params good{a.base, out.base, 0, 0}, bad{a.base, out.base, 50, 0};
  for (auto& engine : engines_) {
    auto handle = engine->load(program->module, 0, program->symbols);
    for (int round = 0; round < 4; ++round) {
      const std::atomic<bool> never{false};
      const auto faulty = engine->launch(handle, config, bytes_of(bad), [](unsigned) { return nullptr; }, never);
      ASSERT_TRUE(faulty.fault);
      EXPECT_EQ(faulty.fault->thread.x, 15u);
      const auto expected = expect(*program, config, bytes_of(good), {a, out});
      ASSERT_TRUE(expected);
      EXPECT_EQ(compare(*engine, handle, *program, config, bytes_of(good), {a, out}, *expected), "")
          << "round " << round;
    }
  }
}

TEST_F(Soundness, CodeFromTheCacheDoesTheSame) {
  const std::string dir = testing::TempDir() + "/soundness-cache";
  std::filesystem::remove_all(dir);
  const Region a = region(4096), out = region(1 << 14);
  const std::string text = kernel_text(
      std::string(
          "mov.u32 %r7, s;\n mad.lo.u32 %r9, %r3, 4, %r7;\n mul.wide.u32 %rd3, %r3, 4;\n add.s64 %rd3, %rd1, %rd3;\n"
          "ld.global.u32 %r8, [%rd3];\n setp.lt.u32 %p1, %r3, %r1;\n @%p1 st.shared.u32 [%r9], %r8;\n bar.sync 0;\n"
          "xor.b32 %r10, %r3, 1;\n mad.lo.u32 %r10, %r10, 4, %r7;\n ld.shared.u32 %r8, [%r10];\n") +
          kStoreR8,
      ".shared .align 16 .b8 s[512];\n");
  const exec::LaunchConfig config{{2, 1, 1}, {64, 1, 1}, 0};
  const auto program = compile(text, memory_);
  ASSERT_TRUE(program);
  for (int pass = 0; pass < 2; ++pass) {
    jit::EngineOptions options;
    options.cache_dir = dir;
    jit::Engine engine(options, memory_);
    auto handle = engine.load(program->module, 0, program->symbols);
    for (const Params& p :
         {Params{a.base, out.base, 64, 0}, Params{a.base, out.base, 192, 0}, Params{a.base + 4, out.base, 77, 0}}) {
      const auto expected = expect(*program, config, bytes_of(p), {a, out});
      ASSERT_TRUE(expected);
      EXPECT_EQ(compare(engine, handle, *program, config, bytes_of(p), {a, out}, *expected), "") << "pass " << pass;
    }
    const std::atomic<bool> never{false};
    jit::Engine again(options, memory_);
    auto other = again.load(program->module, 0, program->symbols);
    EXPECT_TRUE(
        again.launch(
                 other, config, bytes_of({a.base, out.base, 64, 0}), [](unsigned) { return nullptr; }, never)
            .from_cache);
  }
  std::filesystem::remove_all(dir);
}

// ---- ends that are none

// Launches and stops after a moment; how long it took to end after that.
TEST_F(Soundness, StopEndsAnEndlessLoop) {
  const Region out = region(4096);
  for (const char* body : {"L:\n add.u32 %r7, %r7, 1;\n bra L;\n",
                           "L:\n st.volatile.global.u32 [%rd2], %r7;\n setp.lt.u32 %p1, %r3, 99999;\n @%p1 bra L;\n",
                           "L:\n bar.sync 0;\n add.u32 %r7, %r7, 1;\n bra L;\n",
                           "setp.lt.u32 %p1, %r3, 7;\n @%p1 bra E;\n L:\n add.u32 %r7, %r7, 1;\n bra L;\n E:\n"})
    for (auto& engine : engines_) {
      std::atomic<bool> stop{false};
      std::chrono::steady_clock::time_point asked;
      std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        asked = std::chrono::steady_clock::now();
        stop = true;
      });
      const Run r = run(*engine, kernel_text("st.global.u32 [%rd2], %r3;\n" + std::string(body)),
                        {{2, 1, 1}, {64, 1, 1}, 0}, {0, out.base, 0, 0}, &stop);
      later.join();
      ASSERT_TRUE(r.result.fault);
      EXPECT_EQ(r.result.fault->kind, exec::FaultKind::Stopped);
      EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(3));
      EXPECT_GE(r.stats[0].requests, 1u);
    }
}

// Programs launch from threads with little stack; LLVM alone takes more.
TEST_F(Soundness, LaunchFromAThreadWithLittleStack) {
  const Region out = region(4096);
  std::string body = "mov.u32 %r7, %r3;\n";
  for (int k = 0; k < 300; ++k) body += "mad.lo.u32 %r7, %r7, 1664525, %r3;\n";
  body += "st.global.u32 [%rd2], %r7;\n";
  std::function<void()> work = [&] {
    for (auto& engine : engines_) {
      const Run r = run(*engine, kernel_text(body), {{2, 1, 1}, {64, 1, 1}, 0}, {0, out.base, 0, 0});
      EXPECT_FALSE(r.result.fault);
    }
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 192 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* f) -> void* {
                  (*static_cast<std::function<void()>*>(f))();
                  return nullptr;
                },
                &work),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_F(Soundness, StopEndsAGridOfShortBlocks) {
  for (auto& engine : engines_) {
    std::atomic<bool> stop{false};
    std::chrono::steady_clock::time_point asked;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    const Region out = region(4096);
    const Run r = run(*engine, kernel_text("st.global.u32 [%rd2], %r3;\n"), {{0x7fffffff, 1, 1}, {1024, 1, 1}, 0},
                      {0, out.base, 0, 0}, &stop);
    later.join();
    ASSERT_TRUE(r.result.fault);
    EXPECT_EQ(r.result.fault->kind, exec::FaultKind::Stopped);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(3));
  }
}

TEST_F(Soundness, BarriersThatNeverComplete) {
  const Region out = region(1 << 14);
  // Warp 0 waits at barrier 1 for 64 threads, warp 1 at barrier 2.
  const std::string text = kernel_text("shr.u32 %r7, %r3, 5;\n add.u32 %r7, %r7, 1;\n bar.sync %r7, 64;\n");
  const std::string good =
      kernel_text(std::string("setp.lt.u32 %p1, %r3, 40;\n bar.red.popc.u32 %r8, 0, %p1;\n") + kStoreR8);
  for (auto& engine : engines_) {
    const Run r = run(*engine, text, {{1, 1, 1}, {64, 1, 1}, 0}, {});
    ASSERT_TRUE(r.result.fault);
    EXPECT_EQ(r.result.fault->kind, exec::FaultKind::Deadlock);
    EXPECT_NE(r.result.fault->message.find("2 of the block's 2 warps"), std::string::npos) << r.result.fault->message;
  }
  check(good, {{2, 1, 1}, {64, 1, 1}, 0}, {{0, out.base, 0, 0}}, {out});
}

}  // namespace
}  // namespace warplens::engine_test
