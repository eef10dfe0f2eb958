#include "run/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "gpu/gpu.h"
#include "run/run_ptx.h"

namespace warplens::run {
namespace {

uint64_t mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// A small generator with a fixed seed: the same values everywhere.
class Random {
 public:
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du;
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

std::vector<uint64_t> integer_edges(int bits) {
  const uint64_t top = uint64_t{1} << (bits - 1);
  std::vector<uint64_t> values{0,
                               1,
                               2,
                               3,
                               7,
                               15,
                               31,
                               32,
                               33,
                               63,
                               64,
                               100,
                               255,
                               256,
                               top - 1,
                               top,
                               top + 1,
                               mask(bits),
                               mask(bits) - 1,
                               mask(bits) - 31,
                               0x55555555,
                               0xdeadbeefcafef00d};
  for (uint64_t& v : values) v &= mask(bits);
  return values;
}

std::vector<uint64_t> float_edges() {
  std::vector<uint64_t> bits;
  for (const float f : {0.0f,
                        1.0f,
                        1.5f,
                        2.0f,
                        0.5f,
                        0.1f,
                        3.14159274f,
                        2.5f,
                        3.5f,
                        1e10f,
                        1e20f,
                        1e-20f,
                        1e38f,
                        16777216.0f,
                        16777217.0f,
                        2147483648.0f,
                        4294967296.0f,
                        9.2233720e18f,
                        65504.0f,
                        65520.0f,
                        127.5f,
                        255.5f,
                        1e-40f,
                        std::numeric_limits<float>::min(),
                        std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::denorm_min(),
                        std::numeric_limits<float>::infinity()}) {
    bits.push_back(std::bit_cast<uint32_t>(f));
    bits.push_back(std::bit_cast<uint32_t>(-f));
  }
  bits.push_back(0x7fc00000);
  bits.push_back(0xffc12345);
  bits.push_back(0x7f800001);  // a signalling NaN
  bits.push_back(0x3f800001);
  bits.push_back(0x007fffff);
  return bits;
}

std::vector<uint64_t> double_edges() {
  std::vector<uint64_t> bits;
  for (const double f : {0.0,
                         1.0,
                         1.5,
                         0.1,
                         2.5,
                         3.5,
                         1e100,
                         1e-100,
                         1e308,
                         2147483647.5,
                         4294967296.0,
                         9.2233720368547758e18,
                         1.8446744073709552e19,
                         65519.99,
                         65520.0,
                         1e-40,
                         1e-310,
                         6.1e-5,
                         3.4028235677973366e38,
                         1.0 + 0x1p-24,
                         1.0 + 0x1p-24 + 0x1p-52,
                         std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::max(),
                         std::numeric_limits<double>::denorm_min(),
                         std::numeric_limits<double>::infinity()}) {
    bits.push_back(std::bit_cast<uint64_t>(f));
    bits.push_back(std::bit_cast<uint64_t>(-f));
  }
  bits.push_back(0x7ff8000000000000);
  bits.push_back(0xfff8000000012345);
  return bits;
}

std::vector<uint64_t> half_edges(bool brain) {
  if (brain)
    return {0x0000, 0x8000, 0x3f80, 0xbf80, 0x4000, 0x3f81, 0x3f7f, 0x0080, 0x8080, 0x007f, 0x0001, 0x8001, 0x7f7f,
            0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x4049, 0x2000, 0x6000, 0x4b00, 0x3eaa, 0x1234, 0xc2f7};
  return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3c01, 0x3bff, 0x0400, 0x8400, 0x03ff, 0x0001, 0x8001, 0x7bff,
          0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x4248, 0x1400, 0x6400, 0x5800, 0x3555, 0x1234, 0xd2f7};
}

std::vector<uint64_t> values_of(ValueType type, Random& random, size_t random_count) {
  std::vector<uint64_t> values;
  switch (type.kind) {
    case Kind::Pred:
      return {0, 1};
    case Kind::Integer:
      values = integer_edges(type.bits);
      break;
    case Kind::Float:
      values = float_edges();
      break;
    case Kind::Double:
      values = double_edges();
      break;
    case Kind::Half:
      values = half_edges(false);
      break;
    case Kind::BFloat:
      values = half_edges(true);
      break;
    case Kind::Half2:
    case Kind::BFloat2: {
      const auto halves = half_edges(type.kind == Kind::BFloat2);
      for (size_t i = 0; i < halves.size(); ++i)
        values.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << 16);
      break;
    }
  }
  for (size_t i = 0; i < random_count; ++i) values.push_back(random.next() & mask(type.bits));
  return values;
}

// The inputs of a row: every combination for one and two arguments, samples of them for three.
std::vector<std::vector<uint64_t>> inputs_of(const TableRow& row) {
  Random random;
  std::vector<std::vector<uint64_t>> columns(3), pools;
  for (const ValueType& type : row.arguments)
    pools.push_back(values_of(type, random, row.arguments.size() == 1 ? 200 : 12));
  size_t combinations = 1;
  for (const auto& pool : pools) combinations *= pool.size();
  constexpr size_t kMost = 4096;
  const size_t count = std::min(combinations, kMost);
  for (size_t i = 0; i < count; ++i) {
    uint64_t pick = combinations <= kMost ? i : random.next() % combinations;
    for (size_t k = 0; k < 3; ++k) {
      if (k >= pools.size()) {
        columns[k].push_back(0);
        continue;
      }
      columns[k].push_back(pools[k][pick % pools[k].size()]);
      pick /= pools[k].size();
    }
  }
  return columns;
}

std::string declare(const char* name, ValueType type) {
  return type.kind == Kind::Pred ? fmt::format("  .reg .pred {};\n", name)
                                 : fmt::format("  .reg .b{} {};\n", type.bits, name);
}

std::string kernel_text(const TableRow& row) {
  std::string text =
      ptx_header() +
      ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn) {\n"
      "  .reg .b32 %i<4>; .reg .b32 %t<8>; .reg .b64 %u<8>; .reg .b16 %h<8>; .reg .pred %q<8>;\n"
      "  .reg .b64 %at<5>; .reg .b64 %wide; .reg .pred %out; .reg .b32 %word;\n";
  const char* names[] = {"%a", "%b", "%c"};
  text += declare("%d", row.result);
  for (size_t k = 0; k < row.arguments.size(); ++k) text += declare(names[k], row.arguments[k]);
  text +=
      "  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n"
      "  mad.lo.s32 %i0, %i0, %i1, %i2;\n  ld.param.u32 %i1, [pn];\n  setp.ge.u32 %out, %i0, %i1;\n  @%out bra END;\n"
      "  mul.wide.u32 %at4, %i0, 8;\n";
  const char* params[] = {"pa", "pb", "pc"};
  for (size_t k = 0; k < row.arguments.size(); ++k) {
    text += fmt::format("  ld.param.u64 %at{}, [{}]; add.u64 %at{}, %at{}, %at4;\n", k + 1, params[k], k + 1, k + 1);
    if (row.arguments[k].kind == Kind::Pred)
      text += fmt::format("  ld.global.u32 %word, [%at{}]; setp.ne.u32 {}, %word, 0;\n", k + 1, names[k]);
    else
      text += fmt::format("  ld.global.b{} {}, [%at{}];\n", row.arguments[k].bits, names[k], k + 1);
  }
  text += row.ptx + "  ld.param.u64 %at0, [pd]; add.u64 %at0, %at0, %at4;\n";
  if (row.result.kind == Kind::Pred)
    text += "  selp.u32 %word, 1, 0, %d;\n  st.global.u32 [%at0], %word;\n";
  else
    text += fmt::format("  st.global.b{} [%at0], %d;\n", row.result.bits);
  return text + "END:\n  ret;\n}\n";
}

double decode(ValueType type, uint64_t bits) {
  switch (type.kind) {
    case Kind::Float:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Kind::Double:
      return std::bit_cast<double>(bits);
    case Kind::Half:
      return to_double(Half{static_cast<uint16_t>(bits)});
    case Kind::BFloat:
      return to_double(BFloat{static_cast<uint16_t>(bits)});
    default:
      return 0;
  }
}

bool is_close(const TableRow& row, uint64_t got, uint64_t wanted) {
  if (got == wanted) return true;
  if (row.result.kind == Kind::Half2 || row.result.kind == Kind::BFloat2) {
    TableRow half = row;
    half.result = {row.result.kind == Kind::Half2 ? Kind::Half : Kind::BFloat, 16, true};
    return is_close(half, got & 0xffff, wanted & 0xffff) && is_close(half, got >> 16, wanted >> 16);
  }
  if (row.result.kind == Kind::Integer || row.result.kind == Kind::Pred) return false;
  const double x = decode(row.result, got), y = decode(row.result, wanted);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);  // PTX leaves a NaN's bits open
  if (row.tolerance.relative == 0 && row.tolerance.absolute == 0) return false;
  if (x == y) return true;
  return std::fabs(x - y) <= std::max(row.tolerance.relative * std::fabs(y), row.tolerance.absolute);
}

// A row's name among the readings: what tells it from a row of the same text.
std::string name_of(const TableRow& row) {
  std::string types;
  for (const ValueType& t : row.arguments)
    types += fmt::format(" {}{}", t.is_signed ? "s" : "u", t.bits * (t.kind == Kind::Integer ? 1 : 10));
  return row.ptx + types;
}

// Which of two NaNs f64 arithmetic hands on is left open.
bool leaves_nan_open(const TableRow& row, const uint64_t* bits) {
  size_t nans = 0;
  for (size_t k = 0; k < row.arguments.size(); ++k)
    nans += row.arguments[k].kind == Kind::Double && std::isnan(decode(row.arguments[k], bits[k]));
  return nans > 1;
}

// What PTX defines, every bit of a NaN too, is what an H200 computed.
void compare_with_reading(const TableRow& row, Backend backend, const std::vector<uint64_t>& results) {
  if (row.tolerance.relative != 0 || row.tolerance.absolute != 0) return;
  const uint64_t hash = gpu::hash_of(results);
  if (backend == Backend::Gpu) return gpu::record(name_of(row), hash);
  const std::optional<uint64_t> reading = gpu::reading_of(name_of(row));
  if (!reading || *reading == hash) return;
  std::string nans;
  for (const uint64_t bits : results)
    if (std::isnan(decode(row.result, bits)) && nans.size() < 80) nans += fmt::format(" {:#x}", bits);
  ADD_FAILURE() << to_string(backend) << ":" << row.ptx << "  differs in some bit from what an H200 computes"
                << (nans.empty() ? "" : "; NaNs here:" + nans);
}

void run_row(const TableRow& row) {
  const auto inputs = inputs_of(row);
  const size_t count = inputs[0].size();
  Program program(kernel_text(row));
  ASSERT_EQ(program.problems(), "") << kernel_text(row);
  Buffer<uint64_t> a(inputs[0]), b(inputs[1]), c(inputs[2]);
  for (const Backend backend : program.backends()) {
    Buffer<uint64_t> d(count, 0);
    const auto result = program.launch(backend, "k", {{static_cast<uint32_t>((count + 63) / 64)}, {64}},
                                       Params().add(d).add(a).add(b).add(c).add(static_cast<uint32_t>(count)));
    ASSERT_EQ(result.error, "") << to_string(backend) << ":" << row.ptx;
    int shown = 0;
    std::vector<uint64_t> results;
    for (size_t i = 0; i < count && (shown < 3 || backend == Backend::Gpu); ++i) {
      const uint64_t args[] = {inputs[0][i], inputs[1][i], inputs[2][i]};
      if (row.skip && row.skip(args)) continue;
      if (!leaves_nan_open(row, args)) results.push_back(d[i]);
      const uint64_t wanted = row.expected(args);
      if (is_close(row, d[i], wanted)) continue;
      ++shown;
      ADD_FAILURE() << to_string(backend) << ":" << row.ptx
                    << fmt::format("  a {:#x} b {:#x} c {:#x}\n  got {:#x}, expected {:#x}", args[0], args[1], args[2],
                                   d[i], wanted);
    }
    if (shown == 0 || backend == Backend::Gpu) compare_with_reading(row, backend, results);
  }
}

}  // namespace

void Table::run() const {
  for (const TableRow& row : rows_) run_row(row);
}

namespace {

double decode_small(uint16_t bits, int exponent, int mantissa) {
  const int field = bits >> mantissa & ((1 << exponent) - 1), fraction = bits & ((1 << mantissa) - 1);
  const int bias = (1 << (exponent - 1)) - 1;
  double value =
      field ? std::ldexp(1 + std::ldexp(fraction, -mantissa), field - bias) : std::ldexp(fraction, 1 - bias - mantissa);
  if (field == (1 << exponent) - 1) value = fraction ? std::nan("") : HUGE_VAL;
  return bits & 0x8000 ? -value : value;
}

// Nearest by search: the bit patterns of positive numbers are in order.
uint16_t encode_small(double value, int exponent, int mantissa) {
  if (std::isnan(value)) return 0x7fff;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  const auto infinity = static_cast<uint16_t>(((1 << exponent) - 1) << mantissa);
  uint16_t low = 0, high = infinity;  // decode(low) <= magnitude
  while (high - low > 1) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (decode_small(middle, exponent, mantissa) <= magnitude ? low : high) = middle;
  }
  if (magnitude == decode_small(low, exponent, mantissa)) return sign | low;
  if (std::isinf(magnitude)) return sign | infinity;
  const double below = decode_small(low, exponent, mantissa);
  const double above = high == infinity ? std::ldexp(1.0, 1 << (exponent - 1)) : decode_small(high, exponent, mantissa);
  const double down = magnitude - below, up = above - magnitude;
  if (down != up) return sign | (down < up ? low : high);
  return sign | (low & 1 ? high : low);
}

}  // namespace

double to_double(Half h) { return decode_small(h.bits, 5, 10); }
double to_double(BFloat h) { return decode_small(h.bits, 8, 7); }
Half half_from(double exact) { return {encode_small(exact, 5, 10)}; }
BFloat bfloat_from(double exact) { return {encode_small(exact, 8, 7)}; }

}  // namespace warplens::run
