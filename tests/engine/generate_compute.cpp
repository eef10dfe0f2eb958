// Which statement comes next, and the statements that only compute.
#include "engine/generator.h"

namespace warplens::engine_test {

void Generator::statement(const Place& at) {
  ++statements_;
  times_ = at.times;
  switch (below(54)) {
    case 0:
    case 1:
    case 2:
    case 3:
      load_in(at);
      break;
    case 4:
      load_big(at);
      break;
    case 5:
      own_access(at);
      break;
    case 6:
    case 7:
      store_out(at);
      break;
    case 8:
    case 9:
      local_access();
      break;
    case 10:
    case 11:
      if (at.block_uniform) {
        exchange(at);
        break;
      }
      [[fallthrough]];
    case 12:
    case 13:
    case 14:
    case 15:
      conditional(at);
      break;
    case 16:
    case 17:
    case 18:
      loop(at);
      break;
    case 19:
    case 20:
      atomic(at);
      break;
    case 21:
    case 22:
    case 23:
      if (!at.mask.empty()) {
        warp_operation(at);
        break;
      }
      [[fallthrough]];
    case 24:
      if (at.block_uniform) {
        block_reduction();
        break;
      }
      [[fallthrough]];
    case 25:
      if (at.depth == 0) {
        early_exit(at);
        break;
      }
      [[fallthrough]];
    case 26:
      if (chance(20))
        call_by_pointer();
      else if (chance(15))
        call_itself();
      else
        call();
      break;
    case 27:
      leave(at);
      break;
    case 28:
      jump_table(at);
      break;
    case 29:
      generic_access();
      break;
    case 30:
      shared_read(at);
      break;
    case 31:
      uniform_store();
      break;
    case 32:
    case 33:
    case 34:
      warp_form(at);
      break;
    case 35:
      if (at.block_uniform && chance(50)) {
        if (at.depth == 0 && exits_ == 0 && chance(50))
          counted_barrier();
        else
          count_arrivals();
        break;
      }
      [[fallthrough]];
    case 36:
    case 37:
    case 38:
    case 39:
    case 40:
    case 41:
    case 42:
    case 43:
      compute_form();
      break;
    default:
      compute();
      break;
  }
  times_ = at.times;
}

void Generator::block(Place inner, int most) {
  const int n = 1 + below(static_cast<uint32_t>(most));
  for (int k = 0; k < n && cost_ < limit_ && statements_ < kMostStatements; ++k) statement(inner);
}

Text Generator::guard() { return chance(20) ? fmt::format("@{}{} ", chance(50) ? "!" : "", pred()) : ""; }

void Generator::compute() {
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      compute_word();
      break;
    case 4:
    case 5:
      compute_long();
      break;
    case 6:
      compute_short();
      break;
    case 7:
    case 8:
      compute_float();
      break;
    case 9:
      convert();
      break;
    default:
      compute_pred();
      break;
  }
}

void Generator::compute_word() {
  const Text a = word(), b = word(), c = word(), g = guard();
  const Text d = fmt::format("%v{}", below(8));
  switch (below(9)) {
    case 0:
    case 1:
    case 2:
      line("{}{} {}, {}, {};", g,
           any({"add.s32", "sub.s32", "mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "and.b32", "or.b32", "xor.b32",
                "min.s32", "min.u32", "max.s32", "max.u32"}),
           d, a, b);
      break;
    case 3:
      line("{}{} {}, {}, {};", g, any({"shl.b32", "shr.u32", "shr.s32"}), d, a,
           chance(60) ? fmt::format("{}", below(33)) : b);
      break;
    case 4:
      line("{}{} {}, {}, {};", g, any({"div.s32", "div.u32", "rem.s32", "rem.u32"}), d, a, b);
      break;
    case 5:
      line("{}mad.lo.s32 {}, {}, {}, {};", g, d, a, b, c);
      break;
    case 6: {
      const Text in = r();
      line("mov.u32 {}, {};", in, a);
      line("{}{} {}, {};", g, any({"popc.b32", "clz.b32", "brev.b32", "not.b32", "neg.s32", "abs.s32"}), d, in);
      break;
    }
    case 7:
      line("{}selp.b32 {}, {}, {}, {};", g, d, a, b, pred());
      break;
    default:
      switch (below(4)) {
        case 0:
          line("{}bfe.{}32 {}, {}, {}, {};", g, chance(50) ? "u" : "s", d, a, below(40), below(40));
          break;
        case 1:
          line("{}prmt.b32 {}, {}, {}, 0x{:x};", g, d, a, b, below(0x10000));
          break;
        case 2:
          line("{}shf.{}.wrap.b32 {}, {}, {}, {};", g, chance(50) ? "l" : "r", d, a, b, c);
          break;
        default:
          line("{}lop3.b32 {}, {}, {}, {}, 0x{:x};", g, d, a, b, c, below(256));
          break;
      }
  }
}

void Generator::compute_long() {
  const Text a = long_word(), b = long_word(), g = guard();
  const Text d = fmt::format("%w{}", below(4));
  switch (below(6)) {
    case 0:
    case 1:
      line("{}{} {}, {}, {};", g,
           any({"add.s64", "sub.s64", "mul.lo.s64", "mul.hi.s64", "mul.hi.u64", "and.b64", "or.b64", "xor.b64",
                "min.s64", "max.u64"}),
           d, a, b);
      break;
    case 2:
      line("{}{} {}, {}, {};", g, any({"shl.b64", "shr.u64", "shr.s64"}), d, a,
           chance(60) ? fmt::format("{}", below(65)) : word());
      break;
    case 3:
      line("{}{} {}, {}, {};", g, any({"div.s64", "div.u64", "rem.s64", "rem.u64"}), d, a, b);
      break;
    case 4:
      line("{}mul.wide.{}32 {}, {}, {};", g, chance(50) ? "u" : "s", d, word(), word());
      break;
    default:
      line("{}cvt.{}64.{}32 {}, {};", g, "u", chance(50) ? "u" : "s", d, affine(2).reg);
      break;
  }
}

void Generator::compute_short() {
  const Text a = half(), b = half(), g = guard();
  switch (below(5)) {
    case 0:
      line("{}{} {}, {}, {};", g, any({"add.s16", "sub.s16", "mul.lo.s16", "min.s16", "max.u16", "and.b16", "xor.b16"}),
           half(), a, b);
      break;
    case 1:
      line("{}cvt.u16.u32 {}, {};", g, half(), fmt::format("%v{}", below(8)));
      break;
    case 2:
      line("{}mul.wide.{}16 %v{}, {}, {};", g, chance(50) ? "u" : "s", below(8), a, b);
      break;
    case 3:
      line("{}{} {}, {}, {};", g, any({"shl.b16", "shr.u16", "shr.s16"}), half(), a, below(17));
      break;
    default:
      line("{}cvt.{}32.{}16 %v{}, {};", g, "u", chance(50) ? "u" : "s", below(8), a);
      break;
  }
}

void Generator::compute_float() {
  const Text g = guard();
  if (chance(65)) {
    switch (below(5)) {
      case 0:
        line("{}fma.rn{}.f32 {}, {}, {}, {};", g, chance(20) ? ".ftz" : "", single(), single(), single(), single());
        break;
      case 1:
        line("{}{} {}, {}, {};", g,
             any({"min.f32", "max.f32", "div.rn.f32", "add.rz.f32", "mul.rm.f32", "sub.ftz.f32"}), single(), single(),
             single());
        break;
      case 2:
        line("{}{} {}, {};", g, any({"neg.f32", "abs.f32", "sqrt.rn.f32"}), single(), single());
        break;
      default:
        line("{}{} {}, {}, {};", g, any({"add.f32", "mul.f32", "sub.f32", "add.rn.f32"}), single(), single(), single());
        break;
    }
  } else {
    switch (below(3)) {
      case 0:
        line("{}fma.rn.f64 {}, {}, {}, {};", g, real(), real(), real(), real());
        break;
      case 1:
        line("{}{} {}, {}, {};", g, any({"min.f64", "max.f64", "div.rn.f64"}), real(), real(), real());
        break;
      default:
        line("{}{} {}, {}, {};", g, any({"add.f64", "mul.f64", "sub.f64"}), real(), real(), real());
        break;
    }
  }
}

void Generator::convert() {
  const Text g = guard();
  const uint32_t v = below(8);
  switch (below(9)) {
    case 0:
      line("{}cvt.rn.f32.{}32 {}, %v{};", g, chance(50) ? "u" : "s", single(), v);
      break;
    case 1:
      line("{}cvt.rzi.{}32.f32 %v{}, {};", g, chance(50) ? "u" : "s", v, single());
      break;
    case 2:
      line("{}cvt.f64.f32 {}, {};", g, real(), single());
      break;
    case 3:
      line("{}cvt.rn.f32.f64 {}, {};", g, single(), real());
      break;
    case 4:
      line("{}mov.b32 {}, %v{};", g, single(), v);
      break;
    case 5:
      line("{}mov.b32 %v{}, {};", g, v, clean(single(), "f32"));
      break;
    case 6:
      line("{}cvt.{}32.{}8 %v{}, %v{};", g, "u", chance(50) ? "u" : "s", v, below(8));
      break;
    case 7:
      line("{}mov.b64 {{%v{}, %v{}}}, %w{};", g, v, (v + 1) % 8, below(4));
      break;
    default:
      line("{}mov.b64 %w{}, {{%v{}, %v{}}};", g, below(4), v, below(8));
      break;
  }
}

void Generator::compute_pred() {
  const Text d = pred();
  switch (below(5)) {
    case 0:
    case 1:
      line("setp.{}.{}32 {}, {}, {};", any({"lt", "le", "gt", "ge", "eq", "ne"}), chance(50) ? "u" : "s", d, word(),
           word());
      break;
    case 2:
      line("setp.{}.f32 {}, {}, {};", any({"lt", "leu", "eq", "neu", "nan", "num"}), d, single(), single());
      break;
    case 3:
      line("{} {}, {}, {};", any({"and.pred", "or.pred", "xor.pred"}), d, pred(), pred());
      break;
    default:
      line("setp.{}.{}64 {}, {}, {};", any({"lt", "ge", "eq"}), chance(50) ? "u" : "s", d, long_word(), long_word());
      break;
  }
}

}  // namespace warplens::engine_test
