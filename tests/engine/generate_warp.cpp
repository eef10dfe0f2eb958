// Votes, shuffles and the like under the mask of the lanes that are here, and calls.
#include "engine/generator.h"

namespace warplens::engine_test {

void Generator::warp_operation(const Place& at) {
  const Text d = fmt::format("%v{}", below(8)), g = r();
  const Text m = at.mask;
  switch (below(8)) {
    case 0:
      line("vote.sync.ballot.b32 {}, {}, {};", d, pred(), m);
      break;
    case 1:
      line("vote.sync.{}.pred {}, {}, {};", any({"all", "any", "uni"}), pred(), pred(), m);
      break;
    case 2:
      line("match.any.sync.b32 {}, {}, {};", d, chance(50) ? d : limited(d, 4).reg, m);
      break;
    case 3:
      line("match.all.sync.b32 {}|{}, {}, {};", d, pred(), chance(50) ? d : Text("%s0"), m);
      break;
    case 4:
      line("redux.sync.{} {}, %v{}, {};",
           any({"add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.s32"}), d, below(8),
           m);
      break;
    case 5:
      line("bar.warp.sync {};", m);
      break;
    default:
      shuffle(at);
      break;
  }
}

// What a lane that is not there gives is undefined: such results are replaced by the lane's own value.
void Generator::shuffle(const Place& at) {
  const uint32_t width = chance(60) ? 32 : 1u << below(6), segment = 32 - width;
  const Text by = chance(60) ? fmt::format("{}", below(32)) : limited(word(), 32).reg;
  const Text value = fmt::format("%v{}", below(8)), got = r(), in_range = p(), from = r(), there = p(),
             d = fmt::format("%v{}", below(8));
  switch (below(4)) {
    case 0:
      line("shfl.sync.up.b32 {}|{}, {}, {}, {}, {};", got, in_range, value, by, segment << 8, at.mask);
      line("sub.u32 {}, %lane, {};", from, by);
      break;
    case 1:
      line("shfl.sync.down.b32 {}|{}, {}, {}, {}, {};", got, in_range, value, by, segment << 8 | 31, at.mask);
      line("add.u32 {}, %lane, {};", from, by);
      break;
    case 2:
      line("shfl.sync.bfly.b32 {}|{}, {}, {}, {}, {};", got, in_range, value, by, segment << 8 | 31, at.mask);
      line("xor.b32 {}, %lane, {};", from, by);
      break;
    default: {
      line("shfl.sync.idx.b32 {}|{}, {}, {}, {}, {};", got, in_range, value, by, segment << 8 | 31, at.mask);
      const Text low = r();
      line("and.b32 {}, {}, {};", low, by, width - 1);
      line("and.b32 {}, %lane, {};", from, segment);
      line("or.b32 {}, {}, {};", from, from, low);
    }
  }
  line("selp.b32 {}, {}, %lane, {};", from, from, in_range);
  line("shr.u32 {}, {}, {};", from, at.mask, from);
  line("and.b32 {}, {}, 1;", from, from);
  line("setp.ne.u32 {}, {}, 0;", there, from);
  line("selp.b32 {}, {}, {}, {};", d, got, value, there);
  if (chance(40)) line("selp.b32 %v{}, 1, %v{}, {};", below(8), below(8), in_range);
}

void Generator::call() {
  line("{{");
  line(".param .b32 a; .param .b64 b; .param .b32 c;");
  line("st.param.b32 [a], {};", fmt::format("%v{}", below(8)));
  line("st.param.b64 [b], %w{};", below(4));
  line("call.uni (c), helper{}, (a, b);", below(2));
  line("ld.param.b32 %v{}, [c];", below(8));
  line("}}");
}

void Generator::call_by_pointer() {
  const Text other = rd(), function = rd(), type = new_label();
  line("mov.u64 {}, helper0;", function);
  line("mov.u64 {}, helper1;", other);
  line("selp.b64 {}, {}, {}, {};", function, function, other, pred());
  line("{{");
  line(".param .b32 a; .param .b64 b; .param .b32 c;");
  line("st.param.b32 [a], {};", fmt::format("%v{}", below(8)));
  line("st.param.b64 [b], %w{};", below(4));
  body_ += fmt::format("{}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n", type);
  line("call (c), {}, (a, b), {};", function, type);
  line("ld.param.b32 %v{}, [c];", below(8));
  line("}}");
}

void Generator::call_itself() {
  const Text deep = limited(word(), 4).reg;
  line("{{");
  line(".param .b32 n; .param .b32 c;");
  line("st.param.b32 [n], {};", deep);
  line("call (c), recurs, (n);");
  line("ld.param.b32 %v{}, [c];", below(8));
  line("}}");
  recursion_ = true;
}

}  // namespace warplens::engine_test
