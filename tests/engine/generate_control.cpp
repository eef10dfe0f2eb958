// Branches, loops, jump tables, early ends. Where lanes part, the mask of those that are here is kept as far as it can
// be.
#include "engine/generator.h"

namespace warplens::engine_test {

// A new predicate; most depend on thread indices or data.
Text Generator::condition(bool uniform) {
  const Text d = p();
  if (uniform) {
    line("setp.{}.u32 {}, {}, {};", any({"lt", "ge", "ne", "eq"}), d, uniform_word(), uniform_word());
    return d;
  }
  switch (below(6)) {
    case 0:
      line("setp.{}.s32 {}, {}, {};", any({"lt", "ge", "gt", "le"}), d, affine(2).reg,
           chance(50) ? "%bound" : fmt::format("{}", below(threads_ + 8)));
      break;
    case 1:
      line("setp.{}.u32 {}, {}, {};", any({"lt", "ge", "eq"}), d, any({"%tx", "%linear", "%lane", "%ty"}), below(40));
      break;
    case 2: {
      const Text bit = r();
      line("and.b32 {}, {}, {};", bit, chance(50) ? Text("%tx") : fmt::format("%v{}", below(8)), 1 + below(7));
      line("setp.eq.u32 {}, {}, 0;", d, bit);
      break;
    }
    case 3:
      line("setp.lt.f32 {}, {}, {};", d, single(), single());
      break;
    default:
      line("setp.{}.{}32 {}, {}, {};", any({"lt", "gt", "ne"}), chance(50) ? "u" : "s", d, word(),
           fmt::format("%v{}", below(8)));
      break;
  }
  return d;
}

// The lanes of `mask` for which `cond` is `value`; executed by exactly those of `mask`.
Text Generator::ballot(const Text& mask, const Text& cond, bool value) {
  const Text m = r();
  line("vote.sync.ballot.b32 {}, {}{}, {};", m, value ? "" : "!", cond, mask);
  return m;
}

void Generator::conditional(const Place& at) {
  if (at.depth >= 4) return compute();
  const bool uniform = chance(30);
  const Text cond = condition(uniform);
  Place inner = at;
  ++inner.depth;
  inner.block_uniform = at.block_uniform && uniform;
  inner.may_leave = at.may_leave;
  const bool two_tests = chance(20), has_else = chance(60), masked = !at.mask.empty() && chance(70) && !two_tests;
  Place other = inner;
  inner.mask = masked ? ballot(at.mask, cond, true) : "";
  other.mask = masked && has_else ? ballot(at.mask, cond, false) : "";
  if (two_tests) inner.block_uniform = other.block_uniform = false;
  const Text otherwise = new_label(), end = new_label();
  line("@!{} bra {};", cond, otherwise);
  if (two_tests) line("@!{} bra {};", condition(false), otherwise);
  block(inner, 3);
  if (has_else) {
    line("bra {};", end);
    label(otherwise);
    block(other, 3);
    label(end);
  } else {
    label(otherwise);
  }
}

void Generator::loop(const Place& at) {
  if (at.depth >= 3 || at.times > 30) return compute();
  const bool uniform = chance(45);
  const Text count = r(), trips = r(), head = new_label(), exit = new_label(), done = p();
  const uint32_t most = 1 + below(at.depth == 0 ? 7 : 4);
  if (uniform && chance(50))
    line("mov.u32 {}, {};", trips, most);
  else if (uniform)
    line("min.u32 {}, %small, {};", trips, most);
  else if (chance(50))
    line("min.u32 {}, {}, {};", trips, affine(2).reg, most);
  else
    line("and.b32 {}, %v{}, {};", trips, below(8), std::bit_ceil(most + 1) - 1);
  const uint32_t bound = std::bit_ceil(most + 1);
  line("mov.u32 {}, 0;", count);
  Place inner = at;
  ++inner.depth;
  inner.times = at.times * (uniform ? most : bound / 2 + 1);
  inner.block_uniform = at.block_uniform && uniform;
  inner.may_leave = !uniform;
  const bool masked = !at.mask.empty() && (uniform || chance(50));
  Text mask;
  if (masked && !uniform) {
    mask = r();
    line("mov.u32 {}, {};", mask, at.mask);
    inner.may_leave = false;
    inner.mask = mask;
  } else if (!masked) {
    inner.mask = "";
  }
  // Break and continue would leave the lanes of a masked loop apart.
  if (!uniform && !masked)
    inner.loops.emplace_back(exit, fmt::format("add.u32 {}, {}, 1;\n\tbra {};", count, count, head));
  else
    inner.loops.clear();
  const bool bottom = uniform && chance(40);  // do ... while
  label(head);
  if (!bottom) {
    line("setp.ge.u32 {}, {}, {};", done, count, trips);
    if (!mask.empty()) line("vote.sync.ballot.b32 {}, !{}, {};", mask, done, mask);
    line("@{} bra {};", done, exit);
  }
  counters_.push_back({count, 0, std::max(most, bound)});
  times_ = inner.times;
  block(inner, 3);
  if (!mask.empty() && chance(40)) {
    const Text stop = condition(false);
    line("vote.sync.ballot.b32 {}, !{}, {};", mask, stop, mask);
    line("@{} bra {};", stop, exit);
  }
  times_ = inner.times;
  line("add.u32 {}, {}, 1;", count, count);
  if (bottom) {
    line("setp.lt.u32 {}, {}, {};", done, count, trips);
    line("@{} bra {};", done, head);
  } else {
    line("bra {};", head);
  }
  label(exit);
  counters_.pop_back();
  // The counter's last value is visible outside.
  times_ = at.times;
  if (chance(60)) line("add.u32 %v{}, %v{}, {};", below(8), below(8), count);
}

// break, continue, or a break out of several loops.
void Generator::leave(const Place& at) {
  if (!at.may_leave || at.loops.empty()) return compute();
  const Text cond = condition(false);
  const auto& [exit, go_on] =
      at.loops[chance(70) ? at.loops.size() - 1 : below(static_cast<uint32_t>(at.loops.size()))];
  if (chance(50)) {
    line("@{} bra {};", cond, exit);
  } else {
    const Text stay = new_label();
    line("@!{} bra {};", cond, stay);
    line("{}", go_on);
    label(stay);
  }
}

void Generator::early_exit(const Place& at) {
  if (exits_++ > 1) return compute();
  const Text cond = p();
  switch (below(3)) {
    case 0:
      line("setp.ge.u32 {}, %linear, {};", cond, threads_ - threads_ / 4);
      break;
    case 1:
      line("setp.eq.u32 {}, %tx, {};", cond, below(k_.block.x));
      break;
    default: {
      const Text bits = r();
      line("and.b32 {}, %v{}, 7;", bits, below(8));
      line("setp.eq.u32 {}, {}, 3;", cond, bits);
    }
  }
  line("vote.sync.ballot.b32 {}, !{}, {};", at.mask, cond, at.mask);
  line("@{} {};", cond, chance(50) ? "exit" : "ret");
}

void Generator::jump_table(const Place& at) {
  if (at.depth >= 3) return compute();
  const Text i = r(), table = new_label(), end = new_label();
  line("and.b32 {}, {}, 3;", i, word());
  std::vector<Text> targets;
  for (int k = 0; k < 4; ++k) targets.push_back(k == 3 && chance(50) ? targets[0] : new_label());
  body_ += fmt::format("{}: .branchtargets {}, {}, {}, {};\n", table, targets[0], targets[1], targets[2], targets[3]);
  line("brx.idx {}, {};", i, table);
  Place inner = at;
  ++inner.depth;
  inner.block_uniform = false;
  inner.mask = "";
  for (int k = 0; k < 4; ++k) {
    if (k == 3 && targets[3] == targets[0]) break;
    label(targets[static_cast<size_t>(k)]);
    block(inner, 2);
    if (chance(80)) line("bra {};", end);  // else: falls through into the next case
  }
  label(end);
}

}  // namespace warplens::engine_test
