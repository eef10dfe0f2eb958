#include "math/approximate.h"

#include <fmt/format.h>

#include <cmath>

#include "run/run_ptx.h"

namespace warplens::accuracy {

const std::vector<Approximate>& approximate_instructions() {
  using enum Approximate::Bound;
  static const std::vector<Approximate> kAll = [] {
    std::vector<Approximate> all;
    const auto both = [&](Approximate a, const char* ftz) {
      all.push_back(a);
      a.text = ftz;
      all.push_back(a);
    };
    constexpr double kTurn = 2 * M_PI;
    const char* angle = "absolute 2^-20.5 in [-2pi, 2pi]";
    const char* angles = "absolute 2^-14.7 in [-100pi, 100pi]";
    both({"ex2.approx.f32", 'f', "exp2", Ulp, 2, "2 ulp"}, "ex2.approx.ftz.f32");
    both({"lg2.approx.f32", 'f', "log2", Lg2, 0x1p-22, "absolute 2^-22 in (0.5, 2), else relative"},
         "lg2.approx.ftz.f32");
    both({"sin.approx.f32", 'f', "sin", Absolute, std::exp2(-20.5), angle, kTurn}, "sin.approx.ftz.f32");
    both({"sin.approx.f32", 'f', "sin", Absolute, std::exp2(-14.7), angles, 50 * kTurn}, "sin.approx.ftz.f32");
    both({"cos.approx.f32", 'f', "cos", Absolute, std::exp2(-20.5), angle, kTurn}, "cos.approx.ftz.f32");
    both({"cos.approx.f32", 'f', "cos", Absolute, std::exp2(-14.7), angles, 50 * kTurn}, "cos.approx.ftz.f32");
    all.push_back({"tanh.approx.f32", 'f', "tanh", Relative, 0x1p-11, "relative 2^-11"});
    both({"rcp.approx.f32", 'f', "rcp", Ulp, 1, "1 ulp"}, "rcp.approx.ftz.f32");
    both({"sqrt.approx.f32", 'f', "sqrt", Relative, 0x1p-23, "relative 2^-23"}, "sqrt.approx.ftz.f32");
    both({"rsqrt.approx.f32", 'f', "rsqrt", Relative, std::exp2(-22.9), "relative 2^-22.9"}, "rsqrt.approx.ftz.f32");
    both({"div.approx.f32", 'f', "div", Ulp, 2, "2 ulp, divisor in [2^-126, 2^126]", 0x1p126}, "div.approx.ftz.f32");
    both({"div.full.f32", 'f', "div", Ulp, 2, "2 ulp"}, "div.full.ftz.f32");
    all.push_back({"ex2.approx.f16", 'h', "exp2", Relative, std::exp2(-9.9), "relative 2^-9.9"});
    all.push_back({"ex2.approx.ftz.bf16", 'b', "exp2", Relative, 0x1p-7, "relative 2^-7"});
    all.push_back({"tanh.approx.f16", 'h', "tanh", Absolute, std::exp2(-10.987), "absolute 2^-10.987"});
    all.push_back({"tanh.approx.bf16", 'b', "tanh", Absolute, 0x1p-8, "absolute 2^-8"});
    all.push_back({"rsqrt.approx.f64", 'd', "rsqrt", Relative, HUGE_VAL, "none"});
    all.push_back({"rcp.approx.ftz.f64", 'd', "rcp", Relative, 0x1p-20, "20 bits of the high words"});
    all.push_back({"rsqrt.approx.ftz.f64", 'd', "rsqrt", Relative, 0x1p-20, "20 bits of the high words"});
    return all;
  }();
  return kAll;
}

std::string kernel_of(const Approximate& instruction) {
  const bool two = std::string(instruction.function) == "div";
  const char type = instruction.type;
  const char* width = type == 'f' ? "32" : type == 'd' ? "64" : "16";
  return run::ptx_header() + fmt::format(R"(
.visible .entry k(.param .u64 out, .param .u64 in1, .param .u64 in2)
{{
    .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .b{0} %x<4>;
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.s32 %r0, %r0, 256, %r1; mul.wide.u32 %rd0, %r0, 8;
    ld.param.u64 %rd1, [in1]; add.s64 %rd1, %rd1, %rd0; ld.global.b{0} %x1, [%rd1];
    ld.param.u64 %rd2, [in2]; add.s64 %rd2, %rd2, %rd0; ld.global.b{0} %x2, [%rd2];
    {1} %x0, %x1{2};
    ld.param.u64 %rd3, [out]; add.s64 %rd3, %rd3, %rd0; st.global.b{0} [%rd3], %x0;
    ret;
}}
)",
                                         width, instruction.text, two ? ", %x2" : "");
}

}  // namespace warplens::accuracy
