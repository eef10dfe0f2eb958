// Loads, stores, atomics. Whatever a thread writes is its own, goes through a barrier, or does not depend on order.
#include "engine/generator.h"

namespace warplens::engine_test {

Text Generator::variable(const char* file) {
  const char c = file[0];
  return fmt::format("%{}{}", c, below(c == 'v' ? 8 : c == 'y' ? 3 : 4));
}

// A float whose bits a program may look at. What bits a NaN has after passing through selections is not promised.
Text Generator::clean(const Text& x, const char* type) {
  const Text d = type[1] == '6' ? fmt::format("%fd{}", reals_++) : fmt::format("%f{}", singles_++), is_nan = p();
  line("testp.notanumber.{} {}, {};", type, is_nan, x);
  line("selp.{} {}, {}, {}, {};", type, d, type[1] == '6' ? "0d4045000000000000" : "0f42280000", x, is_nan);
  return d;
}

Generator::Access Generator::access(uint32_t most, bool load) {
  for (;;) {
    const Width& w = kWidths[below(std::size(kWidths))];
    const uint32_t n = chance(70) ? 1 : chance(50) ? 2 : 4;
    if (w.bytes * n > most) continue;
    const bool cleans = !load && (w.reg[0] == 'x' || w.reg[0] == 'y');
    if (n == 1) return {w.type, cleans ? clean(variable(w.reg), w.type) : variable(w.reg), w.bytes};
    const auto count = static_cast<uint32_t>(kept(w.reg[0] == 'v' ? 8 : w.reg[0] == 'y' ? 3 : 4));
    if (load && n > count) continue;
    const uint32_t first = below(count);
    Text list;
    for (uint32_t k = 0; k < n; ++k) {
      const Text one = fmt::format("%{}{}", w.reg, (first + k) % count);
      list += (k ? ", " : "") + (cleans ? clean(one, w.type) : one);
    }
    return {fmt::format("v{}.{}", n, w.type), "{" + list + "}", w.bytes * n};
  }
}

Text Generator::offset(uint32_t bytes) {
  if (chance(60)) return "";
  return fmt::format("+{}", between(-16, 60) * bytes);
}

void Generator::load_in(const Place&) {
  const Access a = access(k_.in_align, true);
  Bounded i = index();
  if (a.bytes > 4) i = i.low < -1000 || i.high > 1000 ? limited(i.reg, 512) : i;
  if (a.bytes > 4 && (i.high - i.low) * a.bytes > 28000) i = limited(i.reg, 256);
  const Text at = address("%in", i, a.bytes);
  const Text volatile_ = chance(8) ? "volatile." : "";
  static constexpr const char* kHinted[] = {"global.nc.",
                                            "global.ca.",
                                            "global.cg.",
                                            "global.cs.",
                                            "global.nc.L1::no_allocate.",
                                            "global.L1::evict_last.",
                                            "global.nc.L2::128B.",
                                            "relaxed.gpu.global.",
                                            "weak.global."};
  const int n = chance(25) ? 3 : 1;
  for (int k = 0; k < n; ++k)
    line("{}ld.{}{} {}, [{}{}];", guard(),
         volatile_.empty() ? chance(25) ? any(kHinted) : Text("global.") : "volatile.global.", a.type, a.values, at,
         offset(a.bytes));
}

void Generator::load_big(const Place&) {
  k_.uses_big = true;
  Bounded i = affine(2);
  const Text sum = r();
  static constexpr const char* kEdges[] = {"0xfffffff0", "0xfffffffe", "0xffffffff", "0x7ffffff0", "0x7fffffff",
                                           "0x80000000", "0",          "0xffffff80", "0x7fffff80"};
  if (chance(25))
    line("add.s32 {}, {}, %s1;", sum, i.reg);
  else
    line("{}.s32 {}, {}, {};", chance(70) ? "add" : "sub", sum, i.reg, any(kEdges));
  const uint32_t bytes = 1u << below(3);
  const Bounded wrapped{sum, chance(50) ? -1 : 0, 0};
  const Text at = address("%big", wrapped, bytes);
  line("{}ld.global.{} %v{}, [{}{}];", guard(),
       bytes == 1   ? "u8"
       : bytes == 2 ? "u16"
                    : "u32",
       below(8), at, offset(bytes));
}

void Generator::own_access(const Place&) {
  if (chance(20)) {  // a NaN that arithmetic made, and a copy of whatever there is
    const Text sum = fmt::format("%f{}", singles_++), copy = fmt::format("%f{}", singles_++);
    line("fma.rn.f32 {}, {}, {}, {};", sum, single(), single(), single());
    line("st.global.f32 [%own], {};", sum);
    line("ld.global.f32 {}, [%own+{}];", copy, 4 * below(4));
    line("{}st.global.f32 [%own+12], {};", guard(), copy);
    return;
  }
  const bool load = chance(50);
  const Access a = access(8, load);
  const uint32_t at = a.bytes * below(16 / a.bytes);
  if (!load)
    line("{}st.global.{} [%own+{}], {};", guard(), a.type, at, a.values);
  else
    line("{}ld.global.{} {}, [%own+{}];", guard(), a.type, a.values, at);
}

// Thread -> a number in [0, high] of its own.
Bounded Generator::own_index() {
  const Text d = r();
  const int64_t n = threads_;
  const bool power = (threads_ & (threads_ - 1)) == 0;
  switch (below(8)) {
    case 0:
      line("sub.s32 {}, {}, %linear;", d, n - 1);
      return {d, 0, n - 1};
    case 1:
      if (!power || n == 1) break;
      line("xor.b32 {}, %linear, {};", d, below(threads_));
      return {d, 0, n - 1};
    case 2: {
      const int64_t stride = between(2, 5);
      line("mul.lo.u32 {}, %linear, {};", d, stride);
      return {d, 0, (n - 1) * stride};
    }
    case 3: {
      const Text row = r();
      const int64_t pitch = k_.block.x + below(9);
      line("mad.lo.u32 {}, %tz, {}, %ty;", row, k_.block.y);
      line("mad.lo.u32 {}, {}, {}, %tx;", d, row, pitch);
      return {d, 0, (int64_t{k_.block.y} * k_.block.z - 1) * pitch + k_.block.x - 1};
    }
    case 4: {  // transposed
      const Text column = r();
      line("mad.lo.u32 {}, %tx, {}, %ty;", column, k_.block.y);
      line("mad.lo.u32 {}, {}, {}, %tz;", d, column, k_.block.z);
      return {d, 0, n - 1};
    }
    case 5: {
      if (!power) break;
      const Text product = r();
      line("mul.lo.u32 {}, %linear, {};", product, 2 * below(64) + 1);
      line("and.b32 {}, {}, {};", d, product, threads_ - 1);
      return {d, 0, n - 1};
    }
    default:
      break;
  }
  line("mov.u32 {}, %linear;", d);
  return {d, 0, n - 1};
}

void Generator::store_out(const Place&) {
  if (out_bytes_ > (1 << 20)) return compute();
  const Access a = access(k_.out_align, false);
  Bounded own = own_index();

  if (chance(15)) {  // one of several places of its own, depending on data

    const Text d = r(), low = r();
    line("and.b32 {}, %v{}, 3;", low, below(8));
    line("mad.lo.u32 {}, {}, 4, {};", d, own.reg, low);
    own = {d, 0, own.high * 4 + 3};
  }
  const uint64_t a_block = static_cast<uint64_t>(own.high + 1) * a.bytes;
  const uint64_t region = (take_out(a_block) + 15) / 16 * 16;
  const Text index = r();
  line("mad.lo.u32 {}, %cta, {}, {};", index, own.high + 1, own.reg);
  const Text at = address("%out", {index, 0, 1 << 24}, a.bytes);
  line("{}st.{}global.{} [{}+{}], {};", guard(), chance(8) ? "volatile." : "", a.type, at, region, a.values);
}

// All threads write one value to one place.
void Generator::uniform_store() {
  const Text value = r(), at = rd();
  const uint64_t region = take_out(16);
  line("mad.lo.u32 {}, {}, {}, %cta;", value, uniform_word(), 1 + below(100));
  line("mad.wide.u32 {}, %cta, 16, %out;", at);
  line("{}st.global.u32 [{}+{}], {};", guard(), at, region, value);
}

void Generator::local_access() {
  const bool load = chance(50);
  const Access a = access(8, load);
  if (chance(50)) {
    const uint32_t at = a.bytes * below(32 / a.bytes);
    if (!load)
      line("{}st.local.{} [lo+{}], {};", guard(), a.type, at, a.values);
    else
      line("{}ld.local.{} {}, [lo+{}];", guard(), a.type, a.values, at);
    return;
  }
  const Text base = rd();
  const Bounded i = limited(word(), 32 / a.bytes);
  line("mov.u64 {}, lo;", base);
  const Text at = address(base, i, a.bytes);
  if (!load)
    line("{}st.local.{} [{}], {};", guard(), a.type, at, a.values);
  else
    line("{}ld.local.{} {}, [{}];", guard(), a.type, a.values, at);
}

Text Generator::shared_address(const Text& base, const Bounded& i, uint32_t bytes) {
  const Text d = r(), a = r();
  if (chance(50))
    line("mad.lo.u32 {}, {}, {}, {};", a, i.reg, bytes, base);
  else
    line("shl.b32 {}, {}, {};", d, i.reg, std::countr_zero(bytes)), line("add.u32 {}, {}, {};", a, base, d);
  return a;
}

Bounded Generator::shared_index(uint32_t bytes) {
  const uint32_t size = shared_words_ * 4 / bytes;
  Bounded i = index();
  if (i.low < 0 || i.high >= size) i = limited(i.reg, size);
  return i;
}

// Nobody writes outside exchange(), where everybody is.
void Generator::shared_read(const Place&) {
  const Access a = access(8, true);
  const Text at = shared_address("%dyn", shared_index(a.bytes), a.bytes);
  line("{}ld.shared.{} {}, [{}];", guard(), a.type, a.values, at);
}

void Generator::exchange(const Place& at) {
  Bounded own = own_index();
  const bool wide = own.high * 2 + 1 < shared_words_ && chance(30);
  if (own.high >= shared_words_) own = {"%linear", 0, threads_ - 1};
  // Others may still read what the last exchange wrote.
  line("bar.sync {};", barrier_id());
  const Text to = shared_address("%dyn", own, wide ? 8 : 4);
  if ((!wide || k_.in_align >= 8) && chance(20)) {
    const Text from = address("%in", limited(word(), 64), 8);
    line("{}cp.async.ca.shared.global [{}], [{}], {};", guard(), to, from, wide ? 8 : 4);
    if (chance(50))
      line("cp.async.wait_all;");
    else
      line("cp.async.commit_group;"), line("cp.async.wait_group 0;");
  } else if (wide)
    line("{}st.shared.u64 [{}], %w{};", guard(), to, below(4));
  else if (chance(50))
    line("{}st.shared.u32 [{}], %v{};", guard(), to, below(8));
  else
    line("{}st.shared.f32 [{}], {};", guard(), to, clean(single(), "f32"));
  line("{};", any({"bar.sync 0", "barrier.sync 0", "bar.sync 0", "bar.sync 3"}));
  const int reads = 1 + below(3);
  for (int k = 0; k < reads; ++k) {
    const Access a = access(16, true);
    const Text from = shared_address("%dyn", shared_index(a.bytes), a.bytes);
    line("{}ld.{}shared.{} {}, [{}];", guard(), chance(8) ? "volatile." : "", a.type, a.values, from);
  }
  line("bar.sync 0;");
  (void)at;
}

// An mbarrier on which all threads that still run arrive. Nobody waits in a loop: that all have come is known.
void Generator::count_arrivals() {
  const Text threads = r(), bar = r(), leader = p(), yes = p(), state = rd(), left = r();
  line("bar.red.popc.u32 {}, 0, %yes;", threads);
  line("add.u32 {}, %sh, {};", bar, (shared_words_ + 64) * 4);
  // The first thread may have ended: everybody writes the same.
  line("mbarrier.init.shared.b64 [{}], {};", bar, threads);
  line("bar.sync 0;");
  line("mbarrier.arrive{}.shared.b64 {}, [{}];", any({"", ".release.cta"}), state, bar);
  line("bar.sync 0;");
  line("mbarrier.{}.shared.b64 {}, [{}], {};", any({"test_wait", "try_wait"}), yes, bar, state);
  line("mbarrier.pending_count.b64 {}, {};", left, state);
  line("setp.le.u32 {}, {}, {};", leader, left, threads);
  line("and.pred {}, {}, {};", pred(), yes, leader);
  line("bar.sync 0;");
  line("mbarrier.inval.shared.b64 [{}];", bar);
  line("bar.sync 0;");
}

// Odd warps arrive, the others wait for them; no thread has ended yet.
void Generator::counted_barrier() {
  const uint32_t threads = (threads_ + 31) / 32 * 32, id = 1 + below(15);
  const Text odd = r(), arrives = p(), waits = new_label(), end = new_label();
  if (chance(40)) {
    line("{} {}, {};", any({"bar.sync", "barrier.sync", "barrier.sync.aligned"}), id, threads);
    return;
  }
  line("shr.u32 {}, %linear, 5;", odd);
  line("and.b32 {}, {}, 1;", odd, odd);
  line("setp.eq.u32 {}, {}, 1;", arrives, odd);
  line("@!{} bra {};", arrives, waits);
  line("{} {}, {};", any({"bar.arrive", "barrier.arrive"}), id, threads);
  line("bra {};", end);
  label(waits);
  line("bar.sync {}, {};", id, threads);
  label(end);
  line("bar.sync 0;");
}

Text Generator::barrier_id() { return chance(80) ? "0" : fmt::format("{}", 1 + below(15)); }

void Generator::block_reduction() {
  const Text result = r();
  switch (below(3)) {
    case 0:
      line("bar.red.popc.u32 {}, 0, {}{};", result, chance(50) ? "!" : "", pred());
      break;
    case 1: {
      const Text yes = p();
      line("bar.red.{}.pred {}, 0, {};", chance(50) ? "and" : "or", yes, pred());
      line("selp.b32 {}, 1, 77, {};", result, yes);
      break;
    }
    default:
      line("barrier.red.popc.u32 {}, 1, {};", result, pred());
      break;
  }
  line("add.u32 %v{}, %v{}, {};", below(8), below(8), result);
}

void Generator::atomic(const Place&) {
  const Text value = fmt::format("%v{}", below(8));
  static constexpr const char* kOps[] = {"add.u32", "min.s32", "max.u32", "and.b32",
                                         "or.b32",  "xor.b32", "min.u32", "max.s32"};
  const uint32_t op = below(8);
  switch (below(5)) {
    case 0:
    case 1: {
      const Bounded i = limited(word(), 64);
      const Text at = address("%atomics", i, 4);
      if (chance(70))
        line("{}red.global.{} [{}+{}], {};", guard(), kOps[op], at, 256 * op, value);
      else
        line("{}atom.global.{} {}, [{}+{}], {};", guard(), kOps[op], r(), at, 256 * op, value);
      break;
    }
    case 2: {
      const Bounded i = limited(word(), 32);
      line("{}red.global.add.u64 [{}+2048], %w{};", guard(), address("%atomics", i, 8), below(4));
      break;
    }
    case 3: {
      const Text at = shared_address("%sh", limited(word(), 8), 4);
      line("{}{}.shared.{} {}[{}+{}], {};", guard(), "red", kOps[op], "", at, shared_words_ * 4 + 32 * op, value);
      break;
    }
    default: {  // on a place of its own even the old value is determined
      const Text at = rd(), old = fmt::format("%v{}", below(8));
      line("add.s64 {}, %own, {};", at, 4 * below(4));
      if (chance(25))
        line("{}atom.global.cas.b32 {}, [{}], {}, {};", guard(), old, at, word(), value);
      else
        line("{}atom.global.{} {}, [{}], {};", guard(),
             any({"add.u32", "exch.b32", "inc.u32", "dec.u32", "max.s32", "and.b32"}), old, at, value);
    }
  }
}

void Generator::generic_access() {
  const Text g = rd(), l = rd(), at = rd(), value = fmt::format("%v{}", below(8));
  line("cvta.global.u64 {}, %own;", g);
  line("mov.u64 {}, lo;", l);
  line("cvta.local.u64 {}, {};", l, l);
  if (chance(30))
    line("mov.u64 {}, {};", at, chance(50) ? g : l);
  else
    line("selp.b64 {}, {}, {}, {};", at, g, l, pred());
  if (chance(50))
    line("{}st.u32 [{}+{}], {};", guard(), at, 4 * below(4), value);
  else
    line("{}ld.u32 {}, [{}+{}];", guard(), value, at, 4 * below(4));
}

}  // namespace warplens::engine_test
