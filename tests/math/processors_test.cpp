// The same bits on every processor: functions that are computed for whole vectors, and PTX's approximate instructions
// in the code that is made for each kind of processor this machine can stand in for.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/math.h"
#include "jit/engine.h"
#include "math/approximate.h"
#include "math/arguments.h"
#include "math/call_kernel.h"
#include "run/run_ptx.h"

namespace warplens::accuracy {
namespace {

constexpr unsigned kCount = 4096;

// `f` of `of`'s arguments, n lanes at a time.
template <typename R, typename E>
void call(void (*f)(), const std::vector<std::vector<E>>& x, R* results, size_t first, uint32_t n) {
  const auto* a = x.data();
  const auto at = [&](size_t k) { return a[k].data() + first; };
  using In = const E*;
  switch (x.size()) {
    case 1:
      return reinterpret_cast<void (*)(uint32_t, R*, In)>(f)(n, results, at(0));
    case 2:
      return reinterpret_cast<void (*)(uint32_t, R*, In, In)>(f)(n, results, at(0), at(1));
    case 3:
      return reinterpret_cast<void (*)(uint32_t, R*, In, In, In)>(f)(n, results, at(0), at(1), at(2));
    default:
      return reinterpret_cast<void (*)(uint32_t, R*, In, In, In, In)>(f)(n, results, at(0), at(1), at(2), at(3));
  }
}
template <typename R, typename E>
R call_one(void (*f)(), const std::vector<std::vector<E>>& x, size_t i) {
  switch (x.size()) {
    case 1:
      return reinterpret_cast<R (*)(E)>(f)(x[0][i]);
    case 2:
      return reinterpret_cast<R (*)(E, E)>(f)(x[0][i], x[1][i]);
    case 3:
      return reinterpret_cast<R (*)(E, E, E)>(f)(x[0][i], x[1][i], x[2][i]);
    default:
      return reinterpret_cast<R (*)(E, E, E, E)>(f)(x[0][i], x[1][i], x[2][i], x[3][i]);
  }
}

template <typename R, typename E = R>
void compare(const ir::MathFunction& function) {
  Arguments arguments;
  std::vector<std::vector<E>> x(std::strlen(function.signature) - 1, std::vector<E>(kCount));
  for (auto& values : x)
    for (E& value : values) value = arguments.number<E>();
  std::vector<R> wide(kCount), plain(kCount), one(kCount);
  call(function.wide, x, wide.data(), 0, kCount);
  for (size_t i = 0; i < kCount; i += 8) call(function.plain, x, plain.data() + i, i, 8);
  for (size_t i = 0; i < kCount; ++i) one[i] = call_one<R>(function.host, x, i);
  EXPECT_EQ(std::memcmp(wide.data(), plain.data(), kCount * sizeof(R)), 0) << function.name;
  EXPECT_EQ(std::memcmp(wide.data(), one.data(), kCount * sizeof(R)), 0) << function.name;
}

// The same of functions of an order and a number.
template <typename E>
void compare_orders(const ir::MathFunction& function) {
  using Some = void (*)(uint32_t, E*, const int32_t*, const E*);
  Arguments arguments;
  std::vector<int32_t> n(kCount);
  std::vector<E> x(kCount), wide(kCount), plain(kCount);
  for (size_t i = 0; i < kCount; ++i)
    n[i] = static_cast<int32_t>(arguments.pick(200)) - 2, x[i] = arguments.number<E>();
  reinterpret_cast<Some>(function.wide)(kCount, wide.data(), n.data(), x.data());
  reinterpret_cast<Some>(function.plain)(kCount, plain.data(), n.data(), x.data());
  EXPECT_EQ(std::memcmp(wide.data(), plain.data(), kCount * sizeof(E)), 0) << function.name;
  for (size_t i = 0; i < kCount; ++i) {
    const E one = reinterpret_cast<E (*)(int32_t, E)>(function.host)(n[i], x[i]);
    EXPECT_EQ(std::memcmp(&one, &wide[i], sizeof(E)), 0) << function.name << " of " << n[i] << " and " << x[i];
  }
}

TEST(Processors, FunctionsOfVectors) {
  unsigned compared = 0;
  for (uint32_t i = 1; i < ir::math_function_count(); ++i) {
    const ir::MathFunction& function = ir::math_function(i);
    ++compared;
    const bool single = function.signature[0] == 'f';
    if (function.signature[0] == 'i')
      function.signature[1] == 'f' ? compare<int32_t, float>(function) : compare<int32_t, double>(function);
    else if (function.signature[1] == 'i')
      single ? compare_orders<float>(function) : compare_orders<double>(function);
    else if (single)
      compare<float>(function);
    else
      compare<double>(function);
  }
  EXPECT_GT(compared, 70u);
}

class Nothing : public event::Sink {
  void accesses(std::span<const event::Access>) override {}
  void patterns(std::span<const event::Pattern>) override {}
};

std::vector<std::string> processors() {
  std::vector<std::string> all = {"x86-64", "haswell", ""};
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    all.push_back("skylake-avx512");
  return all;
}

std::vector<std::unique_ptr<jit::Engine>> engines() {
  std::vector<std::unique_ptr<jit::Engine>> all;
  for (const std::string& cpu : processors()) {
    const jit::EngineOptions options{.threads = 1, .cpu = cpu, .cache_dir = "", .count = true};
    all.push_back(std::make_unique<jit::Engine>(options, run::device_memory()));
    EXPECT_TRUE(all.back()->ready()) << cpu;
  }
  return all;
}
void launch(jit::Engine& engine, const run::Program& program, const std::vector<uint8_t>& params) {
  const std::shared_ptr<const ir::Module> module(std::shared_ptr<void>(), &program.module());
  Nothing nothing;
  const std::atomic<bool> stop = false;
  const auto launched = engine.launch(
      engine.load(module, 0, {}), {{kCount / 256, 1, 1}, {256, 1, 1}, 0}, params,
      [&](unsigned) -> event::Sink* { return &nothing; }, stop);
  EXPECT_FALSE(launched.fault);
}

TEST(Processors, ApproximateInstructions) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "one kind of processor";
#endif
  const auto all = engines();
  run::Buffer<uint64_t> out(kCount, 0), x(kCount, 0), y(kCount, 0);
  for (const Approximate& instruction : approximate_instructions()) {
    Arguments arguments;
    for (unsigned i = 0; i < kCount; ++i) {
      const auto any = [&] { return instruction.type == 'f' ? arguments.of('f') : arguments.of('d'); };
      x[i] = any(), y[i] = any();
      if (instruction.type == 'h' || instruction.type == 'b') x[i] = i * 16 + i % 16;
    }
    const run::Program program(kernel_of(instruction));
    ASSERT_EQ(program.problems(), "") << instruction.text;
    std::vector<uint64_t> first;
    for (const auto& engine : all) {
      out.fill(std::vector<uint64_t>(kCount, 0));
      launch(*engine, program, static_cast<std::vector<uint8_t>>(run::Params().add(out).add(x).add(y)));
      if (first.empty()) first = out.values();
      EXPECT_EQ(out.values() == first, true) << instruction.text << " differs on " << engine->cpu();
    }
  }
}

uint64_t bits_of_one(const ir::MathFunction& function, const uint64_t* x) {
  const std::string_view signature = function.signature;
  uint64_t result = 0;
  const auto keep = [&](auto value) { std::memcpy(&result, &value, sizeof value); };
  const auto f = [&](size_t i) { return std::bit_cast<float>(static_cast<uint32_t>(x[i])); };
  const auto d = [&](size_t i) { return std::bit_cast<double>(x[i]); };
  const auto n = static_cast<int32_t>(x[0]);
  void (*const host)() = function.host;
  if (signature == "ff") keep(reinterpret_cast<float (*)(float)>(host)(f(0)));
  if (signature == "fff") keep(reinterpret_cast<float (*)(float, float)>(host)(f(0), f(1)));
  if (signature == "ffff") keep(reinterpret_cast<float (*)(float, float, float)>(host)(f(0), f(1), f(2)));
  if (signature == "fffff") keep(reinterpret_cast<float (*)(float, float, float, float)>(host)(f(0), f(1), f(2), f(3)));
  if (signature == "dd") keep(reinterpret_cast<double (*)(double)>(host)(d(0)));
  if (signature == "ddd") keep(reinterpret_cast<double (*)(double, double)>(host)(d(0), d(1)));
  if (signature == "dddd") keep(reinterpret_cast<double (*)(double, double, double)>(host)(d(0), d(1), d(2)));
  if (signature == "ddddd")
    keep(reinterpret_cast<double (*)(double, double, double, double)>(host)(d(0), d(1), d(2), d(3)));
  if (signature == "fif") keep(reinterpret_cast<float (*)(int32_t, float)>(host)(n, f(1)));
  if (signature == "did") keep(reinterpret_cast<double (*)(int32_t, double)>(host)(n, d(1)));
  // Where a kernel lets a float's bits out, NaN is a GPU's.
  if (signature[0] == 'f' && (result & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
  return result;
}

// What kernels take in is clang's code and the JIT's, what the host calls is GCC's.
TEST(Processors, FunctionsInKernels) {
  const auto all = engines();
  std::deque<run::Buffer<uint64_t>> arrays;
  for (int i = 0; i < 8; ++i) arrays.emplace_back(kCount, 0);
  unsigned compared = 0;
  for (uint32_t m = 1; m < ir::math_function_count(); ++m) {
    const ir::MathFunction& function = ir::math_function(m);
    const std::string name = function.name, signature = function.signature;
    if (!name.starts_with("__nv_")) continue;  // remquo's, which programs cannot name
    ++compared;
    const run::Program program(call_kernel(name, signature));
    ASSERT_EQ(program.problems(), "") << name;
    Arguments arguments;
    std::vector<uint64_t> expected(kCount);
    for (unsigned t = 0; t < kCount; ++t) {
      uint64_t x[4] = {};
      for (size_t i = 1; i < signature.size(); ++i) {
        x[i - 1] = signature[i] == 'i' ? arguments.pick(200) : arguments.of(signature[i]);
        arrays[i + 2][t] = x[i - 1];
      }
      expected[t] = bits_of_one(function, x);
    }
    run::Params params;
    for (auto& array : arrays) params.add(array);
    for (const auto& engine : all) {
      arrays[0].fill(std::vector<uint64_t>(kCount, 0));
      launch(*engine, program, static_cast<std::vector<uint8_t>>(params));
      ASSERT_EQ(arrays[0].values() == expected, true) << name << " differs on " << engine->cpu();
    }
  }
  EXPECT_GT(compared, 70u);
}

}  // namespace
}  // namespace warplens::accuracy
