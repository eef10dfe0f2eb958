// Random kernels on the engine and on the reference interpreter: memory and every count must agree.
//
//   differential_test                            a fixed set
//   differential_test --seed=S --kernels=N       kernels of the seeds S, S+1, ...
//   differential_test --seed=S --print           the text of one
//   differential_test --seed=S --print-ir        its canonical IR
//   differential_test --seed=S --print-kept      a file for kept/
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel_generator.h"
#include "engine/trial.h"
#include "ir/print.h"

namespace warplens::engine_test {
namespace {

uint64_t first_seed = 1, kernels = 16;

// Memory of all kernels, and the engines. Code of many kernels adds up: engines are made anew now and then.
class Bench {
 public:
  Bench() : memory_(uint64_t{64} << 30) {
    std::mt19937_64 random(99);
    const auto bytes = [&](size_t n) {
      std::vector<uint8_t> b(n);
      for (size_t k = 0; k < n; k += 8) {
        const uint64_t x = random();
        std::memcpy(&b[k], &x, std::min<size_t>(8, n - k));
      }
      return b;
    };
    in_ = {*memory_.allocate(kInBytes + 256), bytes(kInBytes + 256)};
    in_.reset();
    out_ = {*memory_.allocate(kOutBytes), bytes(kOutBytes)};
    atomics_ = {*memory_.allocate(kAtomicBytes), bytes(kAtomicBytes)};
    big_ = *memory_.allocate(2 * kBigReach) + kBigReach;
    for (int64_t scale : {0, 1, 2, 4})
      for (int64_t wrap : {int64_t{1} << 31, int64_t{1} << 32, -(int64_t{1} << 31)}) {
        const auto window = bytes(2 * kBigWindow);  // each another, so that a wrong place shows
        std::memcpy(reinterpret_cast<void*>(big_ + static_cast<uint64_t>(scale * wrap) - kBigWindow), window.data(),
                    window.size());
      }
  }

  // `locks`: each lane takes a lock first, and now and then afterwards, so that the lanes of a warp come apart and meet
  // again; how often they wait is nobody's business then.
  std::string run(uint64_t seed, bool locks = false) { return run(generate(seed), seed, locks, seed / 16 % 2); }

  // `thorough`: four launches, and code for exactly the first one's arguments, for their alignment, and for any. Making
  // it takes most of a trial's time, so every other kernel has to do with two launches and two makes of code.
  std::string run(GeneratedKernel k, uint64_t seed, bool locks, bool thorough) {
    if (locks) add_locks(k.text, seed);
    const auto program = compile(k.text, memory_);
    if (!program) return "not valid: " + program.error().what;
    if (k.out_bytes + 256 > kOutBytes) return "";
    jit::Engine& engine = engine_for(seed);
    const exec::LaunchConfig config{k.grid, k.block, k.dynamic_shared_bytes};
    const auto handle = engine.load(program->module, 0, program->symbols);
    const Region out{out_.base,
                     {out_.initial.begin(), out_.initial.begin() + static_cast<std::ptrdiff_t>(k.out_bytes + 256)}};
    static constexpr int kAll[] = {0, 1, 2, 3}, kTwo[] = {0, 2};
    for (const int launch : thorough ? std::span<const int>(kAll) : std::span<const int>(kTwo)) {
      const Arguments a = arguments(k, seed, launch);
      std::vector<uint8_t> params(sizeof a);
      std::memcpy(params.data(), &a, sizeof a);
      const std::vector<Region> regions = {out, atomics_};
      const auto expected = expect(*program, config, params, regions);
      if (!expected) return fmt::format("launch {}: {}", launch, expected.error().what);
      const std::string difference = compare(engine, handle, *program, config, params, regions, *expected, !locks);
      if (!difference.empty())
        return fmt::format("launch {} on {} with {} threads:\n{}", launch, engine.cpu(), engine.threads(), difference);
      if (in_.now() != in_.initial) return "input was overwritten";
    }
    return "";
  }

 private:
  static void add_locks(std::string& text, uint64_t seed) {
    std::mt19937_64 random(seed);
    const size_t module_end = text.find(".visible .entry");
    text.insert(module_end, ".global .align 4 .u32 the_lock;\n\n");
    const auto lock = [](uint64_t number) {
      const std::string n = std::to_string(number);
      return "\t{\n\t.reg .b32 %lk;\n\t.reg .pred %lp;\n\t.reg .b64 %la;\n\tmov.u64 %la, the_lock;\nLOCK" + n +
             ":\n\tatom.global.cas.b32 %lk, [%la], 0, 1;\n\tsetp.ne.u32 %lp, %lk, 0;\n\t@%lp bra LOCK" + n +
             ";\n\tatom.global.exch.b32 %lk, [%la], 0;\n\t}\n";
    };
    // After statements of the kernel's own: lines that end an instruction outside of any nested block.
    size_t at = text.find("mov.u32 %lane, %laneid;");
    uint64_t count = 0;
    for (int depth = 0; (at = text.find('\n', at)) != text.npos;) {
      ++at;
      const size_t end = text.find('\n', at);
      if (end == text.npos) break;
      const std::string line = text.substr(at, end - at);
      depth += static_cast<int>(std::count(line.begin(), line.end(), '{')) -
               static_cast<int>(std::count(line.begin(), line.end(), '}'));
      if (depth < 0) break;
      const bool first = count == 0;
      if (depth != 0 || !line.ends_with(';') || (!first && random() % 40)) continue;
      const std::string inserted = lock(count++);
      text.insert(end + 1, inserted);
      at = end + inserted.size();
    }
  }

  static constexpr uint64_t kOutBytes = 3 << 20;

  // The first launch gets code for exactly its arguments, the second one code for their alignment, the third for
  // anything.
  Arguments arguments(const GeneratedKernel& k, uint64_t seed, int launch) const {
    std::mt19937_64 random(seed * 4 + static_cast<uint64_t>(launch == 3 ? 0 : launch));
    const auto any_word = [&]() -> uint32_t {
      static constexpr uint32_t kWords[] = {0,   1,          3,          31,         32,         33,        64,
                                            100, 0xffffffff, 0xfffffff0, 0x7fffffff, 0x80000000, 0x7ffffff8};
      return random() % 4 ? kWords[random() % std::size(kWords)] : static_cast<uint32_t>(random());
    };
    Arguments a;
    a.in = in_.base + kInBytes / 2;
    a.out = out_.base;
    a.atomics = atomics_.base;
    a.big = big_;
    a.wide = random() % 2 ? any_word() : random();
    a.s0 = any_word(), a.s1 = any_word();
    a.small = static_cast<uint32_t>(random() % 64);
    a.bound = static_cast<uint32_t>(random() % (k.block.count() + 2));
    for (uint32_t& entry : a.table) entry = any_word();
    if (launch == 1) {  // aligned as in the first launch
      const Arguments first = arguments(k, seed, 0);
      a.wide = (a.wide & ~uint64_t{127}) | (first.wide & 127);
      a.s0 = (a.s0 & ~127u) | (first.s0 & 127), a.s1 = (a.s1 & ~127u) | (first.s1 & 127);
      a.small = first.small;
      a.bound = first.bound;
      a.wide += 128;
    }
    if (launch == 2 || launch == 3) {
      a.in += random() % (128 / k.in_align) * k.in_align;
      a.out += random() % (128 / k.out_align) * k.out_align;
    }
    return a;
  }

  // Three threads or one, code for this machine or for any.
  jit::Engine& engine_for(uint64_t seed) {
    const size_t kind = seed % 2 + (seed % 8 < 2 ? 2 : 0);
    auto& [engine, used] = engines_[kind];
    if (!engine || ++used == 16) {
      jit::EngineOptions options;
      options.threads = kind % 2 ? 3 : 1;
      options.cpu = kind >= 2 ? "x86-64" : "";
      engine = std::make_unique<jit::Engine>(options, memory_);
      used = 0;
    }
    return *engine;
  }

  exec::DeviceMemory memory_;
  Region in_, out_, atomics_;
  uint64_t big_ = 0;
  std::pair<std::unique_ptr<jit::Engine>, int> engines_[4];
};

TEST(Differential, RandomKernels) {
  Bench bench;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + kernels; ++seed) {
    if (kernels > 100 && (seed - first_seed) % 100 == 99)
      std::fprintf(stderr, "%llu kernels\n", static_cast<unsigned long long>(seed - first_seed));
    const std::string difference = bench.run(seed);
    if (difference.empty()) continue;
    const GeneratedKernel k = generate(seed);
    ADD_FAILURE() << fmt::format("seed {}, grid ({},{},{}), block ({},{},{}): {}\n", seed, k.grid.x, k.grid.y, k.grid.z,
                                 k.block.x, k.block.y, k.block.z, difference)
                  << "differential_test --seed=" << seed << " --print shows the kernel";
    if (++failures == 20) break;
  }
}

TEST(Differential, RandomKernelsWhoseLanesTakeLocks) {
  Bench bench;
  int failures = 0;
  const uint64_t some = kernels == 1 ? 1 : kernels / 4;  // they take long
  for (uint64_t seed = first_seed; seed < first_seed + some; ++seed) {
    const std::string difference = bench.run(seed, true);
    if (difference.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << difference;
    if (++failures == 20) break;
  }
}

// Kernels that once went wrong, as the generator of that day made them. The first line says what else there is to one:
//   // seed 7 grid 1 1 1 block 32 1 1 dynamic 0 out 4096 in_align 16 out_align 16 locks 0
std::string run_kept(Bench& bench, const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string comment, word;
  std::getline(file, comment);
  std::map<std::string, uint64_t> about;
  std::vector<uint32_t> sizes;
  std::istringstream words(comment.substr(2));
  while (words >> word)
    if (word == "grid" || word == "block") {
      for (int k = 0; k < 3; ++k) words >> sizes.emplace_back();
    } else {
      words >> about[word];
    }
  GeneratedKernel k;
  k.text.assign(std::istreambuf_iterator<char>(file), {});
  k.grid = {sizes.at(0), sizes.at(1), sizes.at(2)}, k.block = {sizes.at(3), sizes.at(4), sizes.at(5)};
  k.dynamic_shared_bytes = static_cast<uint32_t>(about.at("dynamic"));
  k.out_bytes = about.at("out");
  k.in_align = static_cast<uint32_t>(about.at("in_align")), k.out_align = static_cast<uint32_t>(about.at("out_align"));
  return bench.run(k, about.at("seed"), about.at("locks") != 0, true);
}

TEST(Differential, KeptKernels) {
  Bench bench;
  for (const auto& entry : std::filesystem::directory_iterator(WARPLENS_SOURCE_DIR "/tests/engine/kept"))
    EXPECT_EQ(run_kept(bench, entry.path()), "") << entry.path();
}

}  // namespace
}  // namespace warplens::engine_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bool print = false, print_ir = false, print_kept = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    using namespace warplens::engine_test;
    if (arg.starts_with("--seed="))
      first_seed = std::strtoull(argv[i] + 7, nullptr, 10), kernels = 1;
    else if (arg.starts_with("--kernels="))
      kernels = std::strtoull(argv[i] + 10, nullptr, 10);
    else if (arg == "--print")
      print = true;
    else if (arg == "--print-ir")
      print_ir = true;
    else if (arg == "--print-kept")
      print_kept = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  if (print) return std::puts(warplens::engine_test::generate(warplens::engine_test::first_seed).text.c_str()), 0;
  if (print_kept) {
    const auto k = warplens::engine_test::generate(warplens::engine_test::first_seed);
    fmt::print("// seed {} grid {} {} {} block {} {} {} dynamic {} out {} in_align {} out_align {} locks 0\n{}",
               warplens::engine_test::first_seed, k.grid.x, k.grid.y, k.grid.z, k.block.x, k.block.y, k.block.z,
               k.dynamic_shared_bytes, k.out_bytes, k.in_align, k.out_align, k.text);
    return 0;
  }
  if (print_ir) {
    warplens::exec::DeviceMemory memory(1 << 30);
    const auto program =
        warplens::engine_test::compile(warplens::engine_test::generate(warplens::engine_test::first_seed).text, memory);
    return std::puts(program
                         ? warplens::ir::print(*program->module,
                                               {program->canonical, program->module->kernels[0].params}, {true, true})
                               .c_str()
                         : program.error().what.c_str()),
           0;
  }
  return RUN_ALL_TESTS();
}
