// Calls of the device library by name, as code compiled without NVIDIA's toolkit has them.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

const char* bits_of(char letter) { return letter == 'i' || letter == 'f' ? "b32" : "b64"; }

// A kernel of 8 threads that calls `name` on its own elements of up to three arrays of 8-byte slots.
std::string kernel(const std::string& name, const std::string& signature) {
  std::string formals, text, list;
  for (size_t i = 1; i < signature.size(); ++i)
    formals += fmt::format("{}.param .{} p{}", i > 1 ? ", " : "", bits_of(signature[i]), i);
  text = fmt::format(".extern .func (.param .{} r) {}({});\n", bits_of(signature[0]), name, formals);
  text +=
      ".visible .entry k(.param .u64 out, .param .u64 in1, .param .u64 in2, .param .u64 in3)\n{\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b64 %v<8>; .reg .b32 %w<8>;\n"
      "mov.u32 %r0, %tid.x; mul.wide.u32 %rd4, %r0, 8;\n{\n";
  for (size_t i = 1; i < signature.size(); ++i) {
    const bool wide = bits_of(signature[i])[1] == '6';
    text += fmt::format(
        "ld.param.u64 %rd{0}, [in{0}]; add.s64 %rd{0}, %rd{0}, %rd4; ld.global.{1} %{2}{0}, [%rd{0}];\n"
        ".param .{1} param{0}; st.param.{1} [param{0}], %{2}{0};\n",
        i, bits_of(signature[i]), wide ? "v" : "w");
    list += fmt::format("{}param{}", i > 1 ? ", " : "", i);
  }
  const bool wide = bits_of(signature[0])[1] == '6';
  text += fmt::format(".param .{0} retval; call.uni (retval), {1}, ({2}); ld.param.{0} %{3}0, [retval];\n",
                      bits_of(signature[0]), name, list, wide ? "v" : "w");
  text += fmt::format("}}\nld.param.u64 %rd0, [out]; add.s64 %rd0, %rd0, %rd4; st.global.{} [%rd0], %{}0;\nret;\n}}\n",
                      bits_of(signature[0]), wide ? "v" : "w");
  return text;
}

u64 encode(char letter, double value) {
  switch (letter) {
    case 'f':
      return std::bit_cast<u32>(static_cast<float>(value));
    case 'd':
      return std::bit_cast<u64>(value);
    default:
      return static_cast<u64>(static_cast<int64_t>(value)) & (letter == 'i' ? 0xffffffffu : ~u64{0});
  }
}
double decode(char letter, u64 bits) {
  switch (letter) {
    case 'f':
      return std::bit_cast<float>(static_cast<u32>(bits));
    case 'd':
      return std::bit_cast<double>(bits);
    case 'i':
      return static_cast<int32_t>(bits);
    default:
      return static_cast<double>(static_cast<int64_t>(bits));
  }
}

constexpr double kInputs[3][8] = {
    {0.5, 0.25, 0.75, 0.125, 0.9, 0.0625, 0.375, 0.6}, {2, 3, 0.5, 1, 4, 2.5, 7, 3}, {1, 2, 3, 4, 5, 6, 7, 8}};

template <typename F>
void expect_call(const std::string& name, const std::string& signature, F expected) {
  std::vector<u64> inputs[3] = {std::vector<u64>(8), std::vector<u64>(8), std::vector<u64>(8)};
  for (size_t k = 0; k + 1 < signature.size(); ++k)
    for (size_t t = 0; t < 8; ++t) inputs[k][t] = encode(signature[k + 1], kInputs[k][t]);
  Buffer<u64> out(8, 0), a(inputs[0]), b(inputs[1]), c(inputs[2]);
  on_every_backend(
      kernel(name, signature), {{1}, {8}}, Params().add(out).add(a).add(b).add(c), [] {},
      [&](const Program::Result& result) {
        EXPECT_EQ(result.error, "") << name;
        for (size_t t = 0; t < 8; ++t) {
          double x[3] = {};
          for (size_t k = 0; k + 1 < signature.size(); ++k) x[k] = decode(signature[k + 1], inputs[k][t]);
          const double wanted = expected(x[0], x[1], x[2]), got = decode(signature[0], out[t]);
          EXPECT_NEAR(got, wanted, std::fabs(wanted) * (signature[0] == 'f' ? 2e-7 : 1e-13))
              << name << " of " << x[0] << ", " << x[1];
        }
      });
}

TEST(Math, Functions) {
  expect_call("__nv_sinf", "ff", [](double x, double, double) { return std::sin(x); });
  expect_call("__nv_exp", "dd", [](double x, double, double) { return std::exp(x); });
  expect_call("__nv_powf", "fff", [](double x, double y, double) { return std::pow(x, y); });
  expect_call("__nv_atan2", "ddd", [](double x, double y, double) { return std::atan2(x, y); });
  expect_call("__nv_norm3d", "dddd", [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); });
  expect_call("__nv_ldexpf", "ffi", [](double x, double n, double) { return std::ldexp(x, static_cast<int>(n)); });
  expect_call("__nv_ilogb", "id", [](double x, double, double) { return std::ilogb(x); });
  expect_call("__nv_sinpi", "dd", [](double x, double, double) { return std::sin(x * M_PI); });
  expect_call("__nv_erfinvf", "ff", [](double x, double, double) {
    double y = 0;  // Newton's method, from below
    for (int i = 0; i < 60; ++i) y -= (std::erf(y) - x) / (2 / std::sqrt(M_PI) * std::exp(-y * y));
    return y;
  });
  expect_call("__nv_lgamma", "dd", [](double x, double, double) { return std::lgamma(x); });
}

TEST(Math, OperationsOfTheGpu) {
  expect_call("__nv_fmaf", "ffff", [](double x, double y, double z) { return std::fma(x, y, z); });
  expect_call("__nv_round", "dd", [](double x, double, double) { return std::round(x); });
  expect_call("__nv_copysignf", "fff", [](double x, double y, double) { return std::copysign(x, y); });
  expect_call("__nv_ffs", "ii", [](double x, double, double) { return __builtin_ffs(static_cast<int>(x)); });
  expect_call("__nv_double2int_ru", "id", [](double x, double, double) { return std::ceil(x); });
  expect_call("__nv_isnanf", "if", [](double, double, double) { return 0; });
  expect_call("__nv_frcp_rn", "ff", [](double x, double, double) { return 1 / x; });
  expect_call("__nv_llmax", "lll", [](double x, double y, double) { return std::fmax(std::trunc(x), std::trunc(y)); });
}

TEST(Math, ResultsThroughPointers) {
  const std::string text = R"(
.extern .func __nv_sincosf(.param .b32 x, .param .b64 s, .param .b64 c);
.extern .func (.param .b64 r) __nv_frexp(.param .b64 x, .param .b64 e);
.visible .entry k(.param .u64 out)
{
    .local .align 8 .b8 depot[16];
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .f64 %fd<4>;
    .reg .b64 %rd<8>;
    mov.u64 %rd1, depot;
    cvta.local.u64 %rd1, %rd1;
    add.u64 %rd2, %rd1, 4;
    add.u64 %rd3, %rd1, 8;
    {
    .param .b32 param0;
    st.param.f32 [param0], 0f3F800000;
    .param .b64 param1;
    st.param.b64 [param1], %rd1;
    .param .b64 param2;
    st.param.b64 [param2], %rd2;
    call.uni __nv_sincosf, (param0, param1, param2);
    }
    {
    .param .b64 param0;
    st.param.f64 [param0], 0d4028000000000000;
    .param .b64 param1;
    st.param.b64 [param1], %rd3;
    .param .b64 retval0;
    call.uni (retval0), __nv_frexp, (param0, param1);
    ld.param.f64 %fd1, [retval0];
    }
    ld.local.f32 %f1, [depot];
    ld.local.f32 %f2, [depot+4];
    ld.local.u32 %r1, [depot+8];
    cvt.rn.f32.f64 %f3, %fd1;
    cvt.rn.f32.u32 %f0, %r1;
    ld.param.u64 %rd4, [out];
    st.global.v4.f32 [%rd4], {%f1, %f2, %f3, %f0};
    ret;
}
)";
  Buffer<float> out(4, 0);
  expect_output(text, {{1}, {1}}, Params().add(out), out,
                {static_cast<float>(std::sin(1.0)), static_cast<float>(std::cos(1.0)), 0.75f, 4.0f});
}

// Each lane has a count and a place of its own; a predicate leaves some lanes out, and a count below 1 reads nothing.
TEST(Math, NormsOfNumbersInMemory) {
  for (const char letter : {'d', 'f'}) {
    const bool wide = letter == 'd';
    const std::string suffix = wide ? "" : "f", t = wide ? "64" : "32", size = wide ? "8" : "4";
    std::string text;
    for (const char* name : {"norm", "rnorm"})
      text +=
          fmt::format(".extern .func (.param .b{0} r) __nv_{1}{2}(.param .b32 n, .param .b64 p);\n", t, name, suffix);
    text += fmt::format(R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{{
    .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f{0} %x<4>; .reg .pred %p<2>;
    mov.u32 %r0, %tid.x; sub.s32 %r1, %r0, 1;
    mul.wide.u32 %rd0, %r0, {1};
    ld.param.u64 %rd1, [in]; add.s64 %rd1, %rd1, %rd0;
    setp.ne.u32 %p0, %r0, 3;
    mov.f{0} %x0, {2}; mov.f{0} %x1, {2};
    .param .b32 a; .param .b64 b; .param .b{0} c;
    st.param.b32 [a], %r1; st.param.b64 [b], %rd1;
    @%p0 call (c), __nv_norm{3}, (a, b); @%p0 ld.param.b{0} %x0, [c];
    @%p0 call (c), __nv_rnorm{3}, (a, b); @%p0 ld.param.b{0} %x1, [c];
    mul.wide.u32 %rd0, %r0, {4};
    ld.param.u64 %rd2, [out]; add.s64 %rd2, %rd2, %rd0;
    st.global.v2.f{0} [%rd2], {{%x0, %x1}};
    ret;
}}
)",
                        t, size, wide ? "0d4045000000000000" : "0f42280000", suffix, wide ? 16 : 8);
    const auto check = [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> in(16, 0), expected;
      for (int i = 0; i < 16; ++i) in[static_cast<size_t>(i)] = static_cast<T>(i % 2 ? 3 : 4);
      in[7] = std::numeric_limits<T>::infinity();
      for (int thread = 0; thread < 8; ++thread) {
        const int n = thread - 1;
        const bool infinite = thread + n > 7;
        double square = 0;
        for (int i = thread; i < thread + n && i < 16; ++i) square += infinite ? 0 : double{in[i]} * in[i];
        const double norm = infinite ? HUGE_VAL : std::sqrt(square);
        expected.push_back(static_cast<T>(thread == 3 ? 42 : norm));
        expected.push_back(static_cast<T>(thread == 3 ? 42 : 1 / norm));
      }
      Buffer<T> out(16, 0), given(in);
      on_every_backend(
          text, {{1}, {8}}, Params().add(out).add(given), [] {},
          [&](const Program::Result& result) {
            EXPECT_EQ(result.error, "");
            for (size_t i = 0; i < 16; ++i) EXPECT_FLOAT_EQ(out[i], expected[i]) << letter << i;
          });
    };
    if (wide)
      check(0.0);
    else
      check(0.0f);
  }
}

}  // namespace
}  // namespace warplens::run
