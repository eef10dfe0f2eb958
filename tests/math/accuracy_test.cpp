// Every function of NVIDIA's libdevice, called by name from PTX, against MPFR: none may be farther off than CUDA
// documents.
//
// bounds.txt lists all of libdevice with the largest error in ulp that the CUDA C++ Programming Guide states (appendix
// on mathematical functions); 0: exact, or rounded once as the name says. WARPLENS_BLESS=1 writes what was measured to
// docs/math.md.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "lower/libdevice.h"
#include "math/approximate.h"
#include "math/arguments.h"
#include "math/call_kernel.h"
#include "math/exact.h"
#include "math/operations.h"
#include "run/run_ptx.h"

namespace warplens::accuracy {
namespace {

using run::Backend;
using run::Buffer;

constexpr unsigned kCalls = 1024;
constexpr unsigned kSlots = kCalls + 8;  // of each array: the last thread's norm reads on

double value_of(char letter, uint64_t bits) {
  if (letter == 'f') return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (letter == 'd') return std::bit_cast<double>(bits);
  return letter == 'i' ? static_cast<int32_t>(bits) : static_cast<double>(static_cast<int64_t>(bits));
}

struct Row {
  std::string name;
  double bound = 0, error = 0;
  std::string worst;  // the arguments with the largest error
};

// Where the guide bounds the absolute error instead, and where it says nothing (any error passes).
double absolute_bound(const std::string& base, bool single, const std::vector<double>& x) {
  if (x.empty()) return 0;
  const double last = std::fabs(x.back());
  if (base.size() == 2 && (base[0] == 'j' || base[0] == 'y'))
    return base[1] == 'n' || last >= 8 ? (single ? 2.2e-6 : 5e-12) : 0;
  if (base == "lgamma" && x[0] > (single ? -10.001 : -23.0001) && x[0] < -2.2637) return single ? 2e-6 : 1e-14;
  if (base == "fast_sin" || base == "fast_cos" || base == "fast_tan" || base == "fast_sincos")
    return last <= M_PI ? 0x1p-21 : HUGE_VAL;
  if (base.starts_with("fast_log")) return x[0] >= 0.5 && x[0] <= 2 ? 0x1p-22 : 0;
  if (base == "fast_fdivide") return last > 0x1p126 || last < 0x1p-126 ? HUGE_VAL : 0;
  return 0;
}

// Arguments that the guide makes no promise for, or that MPFR takes too long for.
bool is_left_out(const std::string& base, const std::vector<double>& x) {
  if (base.size() == 2 && (base[0] == 'j' || base[0] == 'y')) {
    if (base[1] == 'n') return x[0] < 0 || x[0] > 4 || !(std::fabs(x[1]) < 30 && std::fabs(x[1]) > 1e-3);
    return !(std::fabs(x[0]) < 100 && std::fabs(x[0]) > 1e-6);
  }
  return false;
}

// norm(n, p): the numbers at p, one behind the other; thread t's p is its slot, so threads share them.
bool is_norm(const std::string& base) { return base == "norm" || base == "rnorm"; }
uint64_t slot_of_numbers(Arguments& arguments, bool single) {
  if (!single) return arguments.of('d');
  const uint64_t low = arguments.of('f');
  return arguments.of('f') << 32 | low;
}

std::string base_of(const std::string& name, char letter) {
  std::string base = name.substr(5);
  if (letter == 'f' && base.back() == 'f') base.pop_back();
  return base;
}

class Accuracy {
 public:
  Row measure(const std::string& name, double bound) {
    Row row{name, bound, 0, ""};
    const std::string signature = lower::libdevice_signature(name);
    const char letter = signature[1];
    const std::string base = base_of(name, signature.find('f') != std::string::npos ? 'f' : letter);
    run::Program program(call_kernel(name, signature));
    EXPECT_EQ(program.problems(), "") << name;
    Arguments arguments;
    // What is exact is compared bit by bit, and has more arguments.
    for (unsigned rounds = operation(name.substr(5)) ? 16 : 1; rounds > 0; --rounds) {
      fill(arguments, base, signature);
      launch(program, name);
      for (unsigned t = 0; t < kCalls; ++t) compare(row, base, signature, t);
    }
    return row;
  }

 private:
  void fill(Arguments& arguments, const std::string& base, const std::string& signature) {
    const char letter = signature[1];
    const bool pairs = signature.size() == 3 && signature[1] == signature[2];
    const bool divides = base == "fmod" || base == "remainder" || base == "remquo";
    for (unsigned t = 0; t < kCalls; ++t) {
      for (size_t i = 1; i < signature.size(); ++i) arrays_[i + 2][t] = arguments.of(signature[i]);
      // Small exponents and orders, and arguments near each other, are rare among any bits.
      for (size_t i = 1; i < signature.size(); ++i)
        if (signature[i] == 'i' && signature.find_first_of("fd") < signature.size() && (t % 4 || base[1] == 'n'))
          arrays_[i + 2][t] = static_cast<uint32_t>(arguments.pick(97)) - (base[1] == 'n' ? 0 : 48);
      if (pairs && t % 4 == 0 && letter != 'i' && letter != 'l')
        arrays_[4][t] = arrays_[3][t] + arguments.pick(64) - 32;
      if (divides && t % 4 == 1) {  // quotients of all lengths
        const int fraction = letter == 'f' ? 23 : 52;
        arrays_[4][t] = arrays_[3][t] - (arguments.pick(60) << fraction) + arguments.pick(uint64_t{1} << fraction);
      }
      if ((base == "ldexp" || base == "scalbn") && t % 2)  // from the least result to the largest
        arrays_[4][t] =
            static_cast<uint32_t>(arguments.pick(letter == 'f' ? 600 : 4400)) - (letter == 'f' ? 300 : 2200);
    }
    if (is_norm(base)) {
      for (unsigned t = 0; t < kCalls; ++t) arrays_[3][t] = static_cast<uint32_t>(arguments.pick(10)) - 1;
      for (unsigned k = 0; k < kSlots; ++k) arrays_[1][k] = slot_of_numbers(arguments, signature[0] == 'f');
    }
  }
  void launch(run::Program& program, const std::string& name) {
    run::Params params;
    for (auto& array : arrays_) params.add(array);
    const auto result = program.launch(Backend::Engine, "k", {{kCalls / 256}, {256}, 0}, params);
    EXPECT_EQ(result.error, "") << name;
  }
  void compare(Row& row, const std::string& base, const std::string& signature, unsigned t) {
    const bool single = signature[1] == 'f' || signature[0] == 'f';
    std::vector<double> x;
    std::vector<uint64_t> given;
    for (size_t i = 1; i < signature.size(); ++i) {
      if (signature[i] == 'p') {
        if (!is_norm(base)) continue;
        const auto n = static_cast<int32_t>(arrays_[3][t]);
        for (int32_t k = 0; k < n; ++k) {
          const auto at = static_cast<unsigned>(k);
          const uint64_t slot = arrays_[1][t + (single ? at / 2 : at)];
          x.push_back(value_of(signature[0], single ? slot >> (32 * (at % 2)) & 0xffffffff : slot));
        }
        continue;
      }
      if (is_norm(base)) continue;  // n
      const uint64_t bits = arrays_[i + 2][t];
      given.push_back(signature[i] == 'i' || signature[i] == 'f' ? bits & 0xffffffff : bits);
      x.push_back(value_of(signature[i], bits));
    }
    const auto note = [&](double error) {
      if (row.bound == 0 && error <= 0.5) error = 0;  // rounded once
      if (error <= row.error) return;
      row.error = error;
      row.worst = fmt::format("{:.17g}", fmt::join(x, ", "));
    };
    const auto approximate = [&](const std::string& function, char letter, uint64_t bits) {
      const Exact* exact = exact_function(function);
      if (!exact) return false;
      if (is_left_out(function, x)) return true;
      const double got = value_of(letter, bits);
      Real value;
      (*exact)(value, x, got);
      const double error = ulps_between(value, got, letter == 'f' ? 24 : 53);
      const double absolute = absolute_bound(base, single, x);
      if (error > row.bound && absolute > 0 &&
          (std::isinf(absolute) || std::fabs(mpfr_get_d(value, MPFR_RNDN) - got) <= absolute))
        return true;
      note(error);
      return true;
    };
    if (base.find("sincos") != std::string::npos) {
      const std::string suffix = base.ends_with("pi") ? "pi" : "";
      const char letter = signature[1];
      EXPECT_TRUE(approximate("sin" + suffix, letter, arrays_[1][t]));
      EXPECT_TRUE(approximate("cos" + suffix, letter, arrays_[2][t]));
      return;
    }
    const std::string name = row.name.substr(5);
    if (const auto exact = operation(name)) {
      const std::vector<uint64_t> wanted = (*exact)(given);
      const bool is_float = signature[0] == 'f' || signature[0] == 'd';
      const uint64_t mask = width_of(signature[0])[1] == '3' ? 0xffffffff : ~uint64_t{0};
      const uint64_t got = arrays_[0][t] & mask;
      const bool both_nan =
          is_float && std::isnan(value_of(signature[0], got)) && std::isnan(value_of(signature[0], wanted[0]));
      if (got != (wanted[0] & mask) && !both_nan) note(HUGE_VAL);
      if (wanted.size() > 1 && std::isfinite(x[0]) && !both_nan) {
        const uint64_t stored_mask = name.starts_with("modf") && signature[0] == 'd' ? ~uint64_t{0} : 0xffffffff;
        uint64_t stored = arrays_[1][t] & stored_mask, right = wanted[1] & stored_mask;
        if (name.starts_with("remquo")) stored &= 7, right &= 7;
        if (stored != right) note(HUGE_VAL);
      }
      return;
    }
    EXPECT_TRUE(approximate(base, signature[0], arrays_[0][t])) << name << ": nothing to compare it with";
  }

  std::array<Buffer<uint64_t>, 8> arrays_{Buffer<uint64_t>(kSlots, 0), Buffer<uint64_t>(kSlots, 0),
                                          Buffer<uint64_t>(kSlots, 0), Buffer<uint64_t>(kSlots, 0),
                                          Buffer<uint64_t>(kSlots, 0), Buffer<uint64_t>(kSlots, 0),
                                          Buffer<uint64_t>(kSlots, 0), Buffer<uint64_t>(kSlots, 0)};
};

std::vector<std::pair<std::string, double>> read_bounds() {
  std::ifstream file(std::string(WARPLENS_SOURCE_DIR) + "/tests/math/bounds.txt");
  std::vector<std::pair<std::string, double>> bounds;
  std::string name;
  double bound = 0;
  while (file >> name >> bound) bounds.emplace_back(name, bound);
  return bounds;
}

std::string functions_text;  // of docs/math.md, where the other test adds to it

TEST(Accuracy, NoFunctionIsWorseThanDocumented) {
  const auto bounds = read_bounds();
  ASSERT_EQ(bounds.size(), 349u);
  Accuracy accuracy;
  std::string table;
  int exact = 0;
  const char* only = std::getenv("WARPLENS_MATH_ONLY");
  for (const auto& [name, bound] : bounds) {
    if (only && name.find(only) == std::string::npos) continue;
    const char* signature = lower::libdevice_signature(name);
    EXPECT_TRUE(signature) << name << " is not served";
    if (!signature) continue;
    const Row row = accuracy.measure(name, bound);
    EXPECT_LE(row.error, bound) << name << " of " << row.worst;
    exact += bound == 0;
    if (bound != 0) table += fmt::format("| `{}` | {} | {:.2f} |\n", name, bound, row.error);
  }
  if (std::getenv("WARPLENS_MATH_PRINT")) fmt::print("{}", table);
  functions_text = fmt::format(R"(All {} functions of NVIDIA's libdevice are served, so that code made without NVIDIA's
toolkit runs; {} of them are exact, or rounded once as their names say. The others, with the largest error in ulp that CUDA
documents (CUDA C++ Programming Guide, mathematical functions; where it bounds the absolute error instead, that is kept) and
the largest found against MPFR over {} arguments each: of all exponents, subnormal, near multiples of pi/2, whole numbers and 1.

The functions that are computed for whole vectors (`WL_MATH_WIDE` in `src/ir/math.def`) are taken into the kernel's code
for all the lanes of a vector, 8 or 16 of them (`src/jit/inline_math.cpp`: clang made LLVM bitcode of them when Warplens
was built): 86 of 102. The 16 that are larger than 200 LLVM instructions, gamma and Bessel functions, are called once for
a vector, since their code would spill every register: measured, it was slower inside. Both ways compute the same bits
(`bench/results/math-double-2026-11-30.md` has the times of calls). ldexp, scalbn, frexp, logb, ilogb and nextafter are a
few operations of the vector itself (`src/lower/exponents.cpp`); fmod, remainder and remquo are the C library's, lane by
lane, where a quotient has more than 51 bits. They and PTX's approximate instructions give the same bits on every
processor, and so does what is exact. Earlier guides bounded sine, cosine, arc sine, arc cosine and the hyperbolic sine by
1 ulp, normcdfinv by 7 and tgamma by 8, which holds as well.

| function | CUDA's bound | largest found |
|---|--:|--:|
{})",
                               bounds.size(), exact, kCalls, table);
}

// What .ftz makes of an argument: of doubles only the high word counts.
double flushed(const Approximate& instruction, double x) {
  if (std::string(instruction.text).find(".ftz") == std::string::npos) return x;
  if (instruction.type == 'd') {
    const auto high = std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xffffffff00000000);
    return std::fabs(high) < 0x1p-1022 ? std::copysign(0, x) : high;
  }
  return std::fabs(x) < 0x1p-126 ? std::copysign(0, x) : x;
}

double number_of(char type, uint64_t bits) {
  if (type == 'b') return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  if (type == 'h') return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  return value_of(type, bits);
}

// In units of the bound's kind; infinite where a result is of the wrong kind altogether.
double error_of(const Approximate& instruction, double x, const Real& exact, double got) {
  using Bound = Approximate::Bound;
  const bool flushes = std::string(instruction.text).find(".ftz") != std::string::npos;
  if (mpfr_nan_p(exact)) return std::isnan(got) ? 0 : HUGE_VAL;
  const double value = mpfr_get_d(exact, MPFR_RNDN), size = std::fabs(value);
  struct Limits {
    double smallest, unit, largest;
  };
  const Limits limits = instruction.type == 'h'   ? Limits{0x1p-14, 0x1p-24, 65504}
                        : instruction.type == 'd' ? Limits{0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023}
                        : instruction.type == 'b' ? Limits{0x1p-126, 0x1p-133, 0x1.fep127}
                                                  : Limits{0x1p-126, 0x1p-149, 0x1.fffffep127};
  if (std::isinf(value) || std::isinf(got) || size > limits.largest)
    return std::signbit(value) == std::signbit(got) && size >= limits.largest && std::fabs(got) >= limits.largest
               ? 0
               : HUGE_VAL;
  if (value == 0 && got == 0) return 0;
  if (size < limits.smallest && flushes) {
    if (got == 0) return 0;
    if (std::fabs(got) < limits.smallest) return HUGE_VAL;
  }
  Real distance;
  mpfr_sub_d(distance, exact, got, MPFR_RNDA);
  const double off = std::fabs(mpfr_get_d(distance, MPFR_RNDN));
  if (instruction.bound == Bound::Absolute || (instruction.bound == Bound::Lg2 && x > 0.5 && x < 2)) return off;
  if (instruction.bound == Bound::Ulp) return ulps_between(exact, got, 24);
  if (size < limits.smallest) return off <= limits.unit ? 0 : HUGE_VAL;  // a part of so little is no measure
  mpfr_div(distance, distance, exact, MPFR_RNDA);
  return std::fabs(mpfr_get_d(distance, MPFR_RNDN));
}

TEST(Accuracy, NoApproximateInstructionIsWorseThanDocumented) {
  std::string table;
  for (const Approximate& instruction : approximate_instructions()) {
    const bool half = instruction.type == 'h' || instruction.type == 'b',
               two = instruction.function == std::string("div");
    const unsigned count = half ? 65536 : 8192;
    Buffer<uint64_t> out(count, 0), first(count, 0), second(count, 0);
    Arguments arguments;
    for (unsigned i = 0; i < count; ++i) {
      first[i] = half ? i : arguments.of(instruction.type);
      second[i] = half ? 0 : arguments.of(instruction.type);
      if (instruction.range > 0 && !two && i % 2)
        first[i] = std::bit_cast<uint32_t>(static_cast<float>((2 * arguments.unit() - 1) * instruction.range));
    }
    run::Program program(kernel_of(instruction));
    EXPECT_EQ(program.problems(), "") << instruction.text;
    run::Params params;
    params.add(out).add(first).add(second);
    EXPECT_EQ(program.launch(Backend::Engine, "k", {{count / 256}, {256}, 0}, params).error, "") << instruction.text;
    double most = 0;
    for (unsigned i = 0; i < count; ++i) {
      std::vector<double> x{flushed(instruction, number_of(instruction.type, first[i]))};
      if (two) x.push_back(flushed(instruction, number_of(instruction.type, second[i])));
      const double size = std::fabs(x.back());
      if (instruction.range > 0 && (size > instruction.range || (two && size < 0x1p-126))) continue;
      const double got = number_of(instruction.type, out[i]);
      Real exact;
      (*exact_function(instruction.function))(exact, x, got);
      const double error = error_of(instruction, x[0], exact, got);
      EXPECT_LE(error, instruction.largest)
          << instruction.text << " of " << fmt::format("{}", fmt::join(x, ", ")) << ": " << got;
      most = std::max(most, error);
    }
    table += instruction.bound == Approximate::Bound::Ulp
                 ? fmt::format("| `{}` | {} | {:.2f} ulp |\n", instruction.text, instruction.promise, most)
                 : fmt::format("| `{}` | {} | 2^{:.1f} |\n", instruction.text, instruction.promise, std::log2(most));
  }
  if (std::getenv("WARPLENS_MATH_PRINT")) fmt::print("{}", table);
  if (!std::getenv("WARPLENS_BLESS") || functions_text.empty()) return;
  std::ofstream(std::string(WARPLENS_SOURCE_DIR) + "/docs/math.md") << fmt::format(R"(# Device math

Made by `./wl bless math`.

## Functions

{}
## Approximate instructions

What PTX ISA promises of its approximate instructions, and the largest error found against MPFR, over all arguments of
16 bits and 8192 of the others (with .ftz after subnormal arguments are made zero; a subnormal result must be zero then).
Of f64's forms with .ftz PTX says that they look at the high word only, and leave the low word zero.

| instruction | PTX's bound | largest found |
|---|---|--:|
{})",
                                                                                   functions_text, table);
}

}  // namespace
}  // namespace warplens::accuracy
