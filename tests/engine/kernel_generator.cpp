#include "engine/kernel_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>
#include <tuple>

namespace warplens::engine_test {
namespace {

using Text = std::string;

struct Shape {
  uint32_t x, y, z;
};
constexpr Shape kShapes[] = {{1, 1, 1},   {7, 1, 1},   {31, 1, 1},   {32, 1, 1}, {33, 1, 1},  {64, 1, 1}, {100, 1, 1},
                             {256, 1, 1}, {16, 16, 1}, {8, 8, 1},    {8, 32, 1}, {24, 4, 1},  {5, 7, 3},  {1, 64, 1},
                             {2, 16, 4},  {32, 4, 1},  {1024, 1, 1}, {16, 4, 1}, {128, 1, 1}, {40, 2, 1}, {4, 8, 2}};

constexpr uint32_t kInterestingWords[] = {
    0,          1,          2,          3,          4,          5,          7,         8,
    15,         16,         31,         32,         33,         63,         64,        100,
    127,        128,        255,        256,        1000,       0xffff,     0x10000,   0x7fffffff,
    0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffffffe0, 0xfffffff0, 0x7ffffff0};

// An integer that provably lies in [low, high] in every thread of every launch.
struct Bounded {
  Text reg;
  int64_t low, high;
};

// Where statements stand.
struct Place {
  bool block_uniform = true;  // all threads of the block that still run are here
  Text mask;                  // register with the lanes of the warp that are here; "" if nobody knows
  int depth = 0;
  double times = 1;                          // how often this runs, at most
  bool may_leave = false;                    // break and continue are allowed
  std::vector<std::pair<Text, Text>> loops;  // exit label, code that goes on with the next iteration (innermost last)
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  GeneratedKernel run() {
    choose_shape();
    prologue();
    Place top;
    top.mask = "%m0";
    const int statements = 3 + below(9);
    for (int k = 0; k < statements && cost_ < limit_ && statements_ < kMostStatements; ++k) statement(top);
    epilogue();
    k_.text = assemble();
    k_.out_bytes = (out_bytes_ + 511) / 512 * 512;
    return std::move(k_);
  }

 private:
  // ---- choices
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool chance(int percent) { return below(100) < static_cast<uint32_t>(percent); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  template <size_t N>
  Text any(const char* const (&list)[N]) {
    return list[below(N)];
  }

  // ---- text
  template <typename... A>
  void line(fmt::format_string<A...> f, A&&... a) {
    body_ += "\t" + fmt::format(f, std::forward<A>(a)...) + "\n";
    cost_ += times_;
  }
  void label(const Text& l) { body_ += l + ":\n"; }
  Text new_label() { return fmt::format("L{}", labels_++); }
  Text r() { return fmt::format("%r{}", words_++); }
  Text rd() { return fmt::format("%rd{}", longs_++); }
  Text rs() { return fmt::format("%rs{}", shorts_++); }
  Text p() { return fmt::format("%p{}", preds_++); }

  void choose_shape() {
    const Shape s = kShapes[below(std::size(kShapes))];
    k_.block = {s.x, s.y, s.z};
    threads_ = s.x * s.y * s.z;
    const uint32_t most = std::clamp(1200u / threads_, 1u, 20u);
    const uint32_t blocks = 1 + below(most);
    const uint32_t x = 1 + below(blocks), y = chance(50) ? std::max(1u, blocks / x) : 1,
                   z = chance(30) ? std::max(1u, blocks / (x * y)) : 1;
    k_.grid = {x, y, z};
    blocks_ = x * y * z;
    limit_ = 250000.0 / (threads_ * blocks_);
    limit_ = std::clamp(limit_, 120.0, 800.0);
    k_.in_align = 4u << below(3);
    k_.out_align = 8u << below(2);
    shared_words_ = std::max(64u, std::bit_ceil(threads_ * 2));
    dynamic_ = chance(50);
    if (dynamic_) k_.dynamic_shared_bytes = shared_words_ * 4;
  }

  // A part of `out` for `bytes` of each block.
  uint64_t take_out(uint64_t bytes) {
    const uint64_t at = out_bytes_;
    out_bytes_ += (bytes * blocks_ + 15) / 16 * 16;
    return at;
  }

  void prologue() {
    line("ld.param.u64 %in, [p_in];");
    line("ld.param.u64 %out, [p_out];");
    line("ld.param.u64 %atomics, [p_atomics];");
    line("ld.param.u64 %big, [p_big];");
    if (chance(70)) {
      line("cvta.to.global.u64 %in, %in;");
      line("cvta.to.global.u64 %out, %out;");
    }
    line("ld.param.u32 %s0, [p_s0];");
    line("ld.param.u32 %s1, [p_s1];");
    line("ld.param.u32 %small, [p_small];");
    line("ld.param.u32 %bound, [p_bound];");
    line("mov.u32 %tx, %tid.x;");
    line("mov.u32 %ty, %tid.y;");
    line("mov.u32 %tz, %tid.z;");
    line("mov.u32 %lane, %laneid;");
    line("mov.u32 %bx, %ctaid.x;");
    line("mov.u32 %by, %ctaid.y;");
    line("mov.u32 %bz, %ctaid.z;");
    const Text nx = r(), ny = r(), g = r(), gx = r(), gy = r();
    line("mov.u32 {}, %ntid.x;", nx);
    line("mov.u32 {}, %ntid.y;", ny);
    line("mov.u32 {}, %nctaid.x;", gx);
    line("mov.u32 {}, %nctaid.y;", gy);
    line("mad.lo.u32 {}, %tz, {}, %ty;", g, ny);
    line("mad.lo.u32 %linear, {}, {}, %tx;", g, nx);
    line("mad.lo.u32 {}, %bz, {}, %by;", g, gy);
    line("mad.lo.u32 %cta, {}, {}, %bx;", g, gx);
    line("mad.lo.u32 %gid, %cta, {}, %linear;", threads_);
    line("setp.eq.u32 %yes, 0, 0;");
    line("vote.sync.ballot.b32 %m0, %yes, -1;");
    init_variables();
    init_shared();
    // Places of the thread's own: `own` 16 bytes of global memory, 32 bytes of local memory.
    const uint64_t own = take_out(uint64_t{threads_} * 16);
    line("mul.wide.u32 %own, %gid, 16;");
    line("add.s64 %own, %own, %out;");
    line("add.s64 %own, %own, {};", own);
    line("st.local.v4.u32 [lo], {{%v{}, %v{}, %v{}, %v{}}};", below(8), below(8), below(8), below(8));
    line("st.local.v2.u64 [lo+16], {{%w{}, %w{}}};", below(4), below(4));
  }

  void init_variables() {
    for (int k = 0; k < 8; ++k) {
      switch (below(6)) {
        case 0:
          line("mov.u32 %v{}, {};", k, word_constant());
          break;
        case 1:
          line("mov.u32 %v{}, %linear;", k);
          break;
        case 2:
          line("mad.lo.u32 %v{}, %bx, {}, %tx;", k, k_.block.x);
          break;
        case 3:
          line("mov.u32 %v{}, {};", k, any({"%s0", "%s1", "%small", "%bound", "%cta"}));
          break;
        default: {
          const Text a = rd();
          line("mad.wide.u32 {}, %gid, 4, %in;", a);
          line("ld.global.u32 %v{}, [{}+{}];", k, a, 4 * below(64));
        }
      }
    }
    for (int k = 0; k < 4; ++k) {
      if (k == 0)
        line("ld.param.u64 %w0, [p_wide];");
      else
        line("mul.wide.{}32 %w{}, %v{}, %v{};", chance(50) ? "u" : "s", k, below(8), below(8));
      line("cvt.u16.u32 %h{}, %v{};", k, below(8));
      line("setp.lt.s32 %q{}, %v{}, %v{};", k, below(8), below(8));
    }
    for (int k = 0; k < 4; ++k) {
      line("cvt.rn.f32.s32 %x{}, %v{};", k, below(8));
      line("mul.f32 %x{}, %x{}, 0f{:08X};", k, k, 0x3a000000u + below(1 << 26));
    }
    for (int k = 0; k < 3; ++k) line("cvt.f64.f32 %y{}, %x{};", k, below(4));
  }

  void init_shared() {
    const Text i = r(), at = r(), value = r(), done = p(), head = new_label(), end = new_label();
    line("mov.u32 %sh, sh;");
    if (dynamic_)
      line("mov.u32 %dyn, dyn;");
    else
      line("mov.u32 %dyn, sh;");
    line("mov.u32 {}, %linear;", i);
    label(head);
    line("setp.ge.u32 {}, {}, {};", done, i, shared_words_ + 64);
    line("@{} bra {};", done, end);
    line("shl.b32 {}, {}, 2;", at, i);
    line("add.u32 {}, {}, %sh;", at, at);
    line("mul.lo.u32 {}, {}, 0x9E3779B9;", value, i);
    line("st.shared.u32 [{}], {};", at, value);
    if (dynamic_) {
      const Text in_range = p();
      line("setp.lt.u32 {}, {}, {};", in_range, i, shared_words_);
      line("sub.u32 {}, {}, %sh;", at, at);
      line("add.u32 {}, {}, %dyn;", at, at);
      line("@{} st.shared.u32 [{}], {};", in_range, at, i);
    }
    line("add.u32 {}, {}, {};", i, i, threads_);
    line("bra {};", head);
    label(end);
    line("bar.sync 0;");
  }

  // ---- operands
  Text word_constant() {
    return chance(70) ? fmt::format("{}", kInterestingWords[below(std::size(kInterestingWords))])
                      : fmt::format("{}", static_cast<uint32_t>(random_()));
  }

  Text uniform_word() {
    if (chance(20)) return table_entry(chance(50) ? Bounded{"%small", 0, 63} : Bounded{"%cta", 0, 4096});
    return chance(25) ? word_constant() : any({"%s0", "%s1", "%small", "%bound", "%bx", "%by", "%cta"});
  }

  // A word of the module's tables in constant or global memory, or of the table among the parameters.
  Text table_entry(const Bounded& index) {
    const Text entry = r(), at = rd();
    switch (below(3)) {
      case 0:
        line("mov.u64 {}, constants;", at);
        line("ld.const.u32 {}, [{}];", entry, address(at, limited(index.reg, 64), 4));
        break;
      case 1:
        line("mov.u64 {}, numbers;", at);
        line("ld.global.u32 {}, [{}];", entry, address(at, limited(index.reg, 64), 4));
        break;
      default:
        line("mov.b64 {}, p_table;", at);
        line("ld.param.u32 {}, [{}];", entry, address(at, limited(index.reg, 16), 4));
        break;
    }
    return entry;
  }

  Text word() {
    switch (below(10)) {
      case 0:
        return any({"%tx", "%ty", "%tz", "%lane", "%linear", "%gid"});
      case 1:
        return any({"%s0", "%s1", "%small", "%bound", "%bx", "%cta"});
      case 2:
        return word_constant();
      case 3:
        return affine(3).reg;
      case 5:
        if (chance(30)) return table_entry(affine(2));
        [[fallthrough]];
      case 4:
        if (!counters_.empty()) return counters_[below(static_cast<uint32_t>(counters_.size()))].reg;
        [[fallthrough]];
      default:
        return fmt::format("%v{}", below(8));
    }
  }
  Text long_word() {
    if (chance(70)) return fmt::format("%w{}", below(4));
    if (chance(30))
      return fmt::format("{}", static_cast<int64_t>(int32_t(kInterestingWords[below(std::size(kInterestingWords))])));
    const Text d = rd();
    line("cvt.{}64.{}32 {}, {};", "u", chance(50) ? "u" : "s", d, word());
    return d;
  }
  Text half() { return fmt::format("%h{}", below(4)); }
  Text single() { return fmt::format("%x{}", below(4)); }
  Text real() { return fmt::format("%y{}", below(3)); }
  Text pred() { return fmt::format("%q{}", below(4)); }

  // ---- bounded integers
  Bounded leaf() {
    switch (below(9)) {
      case 0:
        return {"%ty", 0, k_.block.y - 1};
      case 1:
        return {"%tz", 0, k_.block.z - 1};
      case 2:
        return {"%lane", 0, 31};
      case 3:
        return {"%linear", 0, threads_ - 1};
      case 4:
        return {"%bx", 0, k_.grid.x - 1};
      case 5:
        return {"%small", 0, 63};
      case 6:
        if (!counters_.empty()) return counters_[below(static_cast<uint32_t>(counters_.size()))];
        [[fallthrough]];
      default:
        return {"%tx", 0, k_.block.x - 1};
    }
  }

  Bounded affine(int depth) {
    if (depth == 0 || chance(15)) return leaf();
    Bounded a = affine(depth - 1);
    const Text d = r();
    Bounded out{d, a.low, a.high};
    switch (below(12)) {
      case 0:
      case 1: {
        const int64_t c = chance(60) ? int64_t{1} << below(6) : between(-7, 40);
        if (chance(50) || c < 0)
          line("mul.lo.s32 {}, {}, {};", d, a.reg, c);
        else
          line("mul.lo.u32 {}, {}, {};", d, a.reg, c);
        out.low = std::min(a.low * c, a.high * c), out.high = std::max(a.low * c, a.high * c);
        break;
      }
      case 2: {
        const uint32_t k = below(5);
        line("shl.b32 {}, {}, {};", d, a.reg, k);
        out.low = a.low * (1 << k), out.high = a.high * (1 << k);
        break;
      }
      case 3:
      case 4: {
        const Bounded b = affine(depth - 1);
        line("add.s32 {}, {}, {};", d, a.reg, b.reg);
        out.low = a.low + b.low, out.high = a.high + b.high;
        break;
      }
      case 5: {
        const Bounded b = leaf();
        line("sub.s32 {}, {}, {};", d, a.reg, b.reg);
        out.low = a.low - b.high, out.high = a.high - b.low;
        break;
      }
      case 6: {
        const Bounded b = leaf();
        const int64_t pitch = any_pitch();
        line("mad.lo.s32 {}, {}, {}, {};", d, b.reg, pitch, a.reg);
        out.low = a.low + b.low * pitch, out.high = a.high + b.high * pitch;
        break;
      }
      case 7: {
        const uint32_t mask = (2u << below(8)) - 1;
        line("and.b32 {}, {}, {};", d, a.reg, mask);
        out.low = 0, out.high = mask;
        break;
      }
      case 8: {
        if (a.low < 0) return a;
        const uint32_t c = 1u << below(5), x = chance(50) ? c : 2 * c - 1;
        line("xor.b32 {}, {}, {};", d, a.reg, x);
        out.low = 0,
        out.high = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(a.high, x)) + 1)) - 1;
        break;
      }
      case 9: {
        if (a.low < 0) return a;
        const uint32_t k = 1 + below(4);
        switch (below(3)) {
          case 0:
            line("shr.u32 {}, {}, {};", d, a.reg, k), out.low = a.low >> k, out.high = a.high >> k;
            break;
          case 1:
            line("div.u32 {}, {}, {};", d, a.reg, k + 1), out.low = a.low / (k + 1), out.high = a.high / (k + 1);
            break;
          default:
            line("rem.u32 {}, {}, {};", d, a.reg, k * 5), out.low = 0, out.high = std::min<int64_t>(a.high, k * 5 - 1);
            break;
        }
        break;
      }
      case 10: {
        const int64_t c = between(-40, 40);
        line("add.s32 {}, {}, {};", d, a.reg, c);
        out.low = a.low + c, out.high = a.high + c;
        break;
      }
      default: {
        const Bounded b = leaf();
        const bool min = chance(50);
        line("{}.s32 {}, {}, {};", min ? "min" : "max", d, a.reg, b.reg);
        out.low = std::min(a.low, b.low), out.high = std::max(a.high, b.high);
        break;
      }
    }
    if (out.low < -4096 || out.high > 4096) return limited(out.reg, 1024);
    return out;
  }
  int64_t any_pitch() { return chance(40) ? int64_t{k_.block.x} : int64_t{1} << below(7) | (chance(30) ? 1 : 0); }

  Bounded limited(const Text& reg, uint32_t size) {
    const Text d = r();
    line("and.b32 {}, {}, {};", d, reg, size - 1);
    return {d, 0, size - 1};
  }

  // An index into an array, |index| <= 4096: affine or data-dependent.
  Bounded index() {
    if (chance(75)) return affine(3);
    return limited(fmt::format("%v{}", below(8)), 1024);
  }

  // base + index * bytes + offset as a 64-bit address in one of the ways that compilers write it.
  Text address(const Text& base, const Bounded& i, uint32_t bytes) {
    const Text d = rd(), a = rd();
    const bool is_signed = i.low < 0 || chance(50);
    const char t = is_signed ? 's' : 'u';
    switch (below(5)) {
      case 0: {
        const Text wide = rd();
        line("cvt.{}64.{}32 {}, {};", t, t, wide, i.reg);
        if (chance(50))
          line("shl.b64 {}, {}, {};", d, wide, std::countr_zero(bytes));
        else
          line("mul.lo.s64 {}, {}, {};", d, wide, bytes);
        line("add.s64 {}, {}, {};", a, base, d);
        break;
      }
      case 1: {
        const Text wide = rd();
        line("cvt.{}64.{}32 {}, {};", t, t, wide, i.reg);
        line("mad.lo.s64 {}, {}, {}, {};", a, wide, bytes, base);
        break;
      }
      case 2:
        line("mad.wide.{}32 {}, {}, {}, {};", t, a, i.reg, bytes, base);
        break;
      default:
        line("mul.wide.{}32 {}, {}, {};", t, d, i.reg, bytes);
        line("add.s64 {}, {}, {};", a, base, d);
    }
    return a;
  }

  // ---- statements
  void statement(const Place& at) {
    ++statements_;
    times_ = at.times;
    switch (below(40)) {
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
      default:
        compute();
        break;
    }
    times_ = at.times;
  }

  void block(Place inner, int most) {
    const int n = 1 + below(static_cast<uint32_t>(most));
    for (int k = 0; k < n && cost_ < limit_ && statements_ < kMostStatements; ++k) statement(inner);
  }

  Text guard() { return chance(20) ? fmt::format("@{}{} ", chance(50) ? "!" : "", pred()) : ""; }

  void compute() {
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

  void compute_word() {
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

  void compute_long() {
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

  void compute_short() {
    const Text a = half(), b = half(), g = guard();
    switch (below(5)) {
      case 0:
        line("{}{} {}, {}, {};", g,
             any({"add.s16", "sub.s16", "mul.lo.s16", "min.s16", "max.u16", "and.b16", "xor.b16"}), half(), a, b);
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

  void compute_float() {
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
          line("{}{} {}, {}, {};", g, any({"add.f32", "mul.f32", "sub.f32", "add.rn.f32"}), single(), single(),
               single());
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

  void convert() {
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

  void compute_pred() {
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

  // ---- conditions
  // A new predicate; most depend on thread indices or data.
  Text condition(bool uniform) {
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
  Text ballot(const Text& mask, const Text& cond, bool value) {
    const Text m = r();
    line("vote.sync.ballot.b32 {}, {}{}, {};", m, value ? "" : "!", cond, mask);
    return m;
  }

  void conditional(const Place& at) {
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

  void loop(const Place& at) {
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
  void leave(const Place& at) {
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

  void early_exit(const Place& at) {
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

  void jump_table(const Place& at) {
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

  // ---- memory
  struct Width {
    const char* type;
    uint32_t bytes;
    const char* reg;  // of one component
  };
  static constexpr Width kWidths[] = {{"u8", 1, "v"},  {"s8", 1, "v"},  {"u16", 2, "v"}, {"s16", 2, "h"},
                                      {"u32", 4, "v"}, {"u32", 4, "v"}, {"f32", 4, "x"}, {"b32", 4, "v"},
                                      {"u64", 8, "w"}, {"f64", 8, "y"}};
  Text variable(const char* file) {
    const char c = file[0];
    return fmt::format("%{}{}", c, below(c == 'v' ? 8 : c == 'y' ? 3 : 4));
  }

  // A float whose bits a program may look at. What bits a NaN has after passing through selections is not promised.
  Text clean(const Text& x, const char* type) {
    const Text d = type[1] == '6' ? fmt::format("%fd{}", reals_++) : fmt::format("%f{}", singles_++), is_nan = p();
    line("testp.notanumber.{} {}, {};", type, is_nan, x);
    line("selp.{} {}, {}, {}, {};", type, d, type[1] == '6' ? "0d4045000000000000" : "0f42280000", x, is_nan);
    return d;
  }

  // "v2.u32" and "{%v1, %v2}", or "u32" and "%v1": an access of at most `most` bytes.
  struct Access {
    Text type, values;
    uint32_t bytes;
  };
  Access access(uint32_t most, bool load) {
    for (;;) {
      const Width& w = kWidths[below(std::size(kWidths))];
      const uint32_t n = chance(70) ? 1 : chance(50) ? 2 : 4;
      if (w.bytes * n > most) continue;
      const bool cleans = !load && (w.reg[0] == 'x' || w.reg[0] == 'y');
      if (n == 1) return {w.type, cleans ? clean(variable(w.reg), w.type) : variable(w.reg), w.bytes};
      const uint32_t count = w.reg[0] == 'v' ? 8 : w.reg[0] == 'y' ? 3 : 4;
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

  Text offset(uint32_t bytes) {
    if (chance(60)) return "";
    return fmt::format("+{}", between(-16, 60) * bytes);
  }

  void load_in(const Place&) {
    const Access a = access(k_.in_align, true);
    Bounded i = index();
    if (a.bytes > 4) i = i.low < -1000 || i.high > 1000 ? limited(i.reg, 512) : i;
    if (a.bytes > 4 && (i.high - i.low) * a.bytes > 28000) i = limited(i.reg, 256);
    const Text at = address("%in", i, a.bytes);
    const Text volatile_ = chance(8) ? "volatile." : "";
    const int n = chance(25) ? 3 : 1;
    for (int k = 0; k < n; ++k)
      line("{}ld.{}{} {}, [{}{}];", guard(),
           volatile_.empty() ? (chance(10) ? "global.nc." : "global.") : "volatile.global.", a.type, a.values, at,
           offset(a.bytes));
  }

  void load_big(const Place&) {
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

  void own_access(const Place&) {
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
  Bounded own_index() {
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

  void store_out(const Place&) {
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
  void uniform_store() {
    const Text value = r(), at = rd();
    const uint64_t region = take_out(16);
    line("mad.lo.u32 {}, {}, {}, %cta;", value, uniform_word(), 1 + below(100));
    line("mad.wide.u32 {}, %cta, 16, %out;", at);
    line("{}st.global.u32 [{}+{}], {};", guard(), at, region, value);
  }

  void local_access() {
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

  Text shared_address(const Text& base, const Bounded& i, uint32_t bytes) {
    const Text d = r(), a = r();
    if (chance(50))
      line("mad.lo.u32 {}, {}, {}, {};", a, i.reg, bytes, base);
    else
      line("shl.b32 {}, {}, {};", d, i.reg, std::countr_zero(bytes)), line("add.u32 {}, {}, {};", a, base, d);
    return a;
  }

  Bounded shared_index(uint32_t bytes) {
    const uint32_t size = shared_words_ * 4 / bytes;
    Bounded i = index();
    if (i.low < 0 || i.high >= size) i = limited(i.reg, size);
    return i;
  }

  // Nobody writes outside exchange(), where everybody is.
  void shared_read(const Place&) {
    const Access a = access(8, true);
    const Text at = shared_address("%dyn", shared_index(a.bytes), a.bytes);
    line("{}ld.shared.{} {}, [{}];", guard(), a.type, a.values, at);
  }

  void exchange(const Place& at) {
    Bounded own = own_index();
    const bool wide = own.high * 2 + 1 < shared_words_ && chance(30);
    if (own.high >= shared_words_) own = {"%linear", 0, threads_ - 1};
    // Others may still read what the last exchange wrote.
    line("bar.sync {};", barrier_id());
    const Text to = shared_address("%dyn", own, wide ? 8 : 4);
    if (wide)
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
  Text barrier_id() { return chance(80) ? "0" : fmt::format("{}", 1 + below(15)); }

  void block_reduction() {
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

  void atomic(const Place&) {
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

  void generic_access() {
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

  // ---- warps
  void warp_operation(const Place& at) {
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
  void shuffle(const Place& at) {
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

  void call() {
    line("{{");
    line(".param .b32 a; .param .b64 b; .param .b32 c;");
    line("st.param.b32 [a], {};", fmt::format("%v{}", below(8)));
    line("st.param.b64 [b], %w{};", below(4));
    line("call.uni (c), helper{}, (a, b);", below(2));
    line("ld.param.b32 %v{}, [c];", below(8));
    line("}}");
  }

  // ---- the end: everything that was computed becomes visible
  void epilogue() {
    times_ = 1;
    label("END");
    const uint64_t region = take_out(uint64_t{threads_} * 128);
    const Text at = rd();
    line("mad.wide.u32 {}, %gid, 128, %out;", at);
    line("add.s64 {}, {}, {};", at, at, region);
    for (int k = 0; k < 8; k += 2) line("st.global.v2.u32 [{}+{}], {{%v{}, %v{}}};", at, 4 * k, k, k + 1);
    const Text bits = r();
    line("mov.u32 {}, 0;", bits);
    for (int k = 0; k < 4; ++k) {
      line("st.global.u64 [{}+{}], %w{};", at, 32 + 8 * k, k);
      const Text with = r();
      line("or.b32 {}, {}, {};", with, bits, 1 << k);
      line("selp.b32 {}, {}, {}, %q{};", bits, with, bits, k);
    }
    for (int k = 0; k < 4; k += 2)
      line("st.global.v2.f32 [{}+{}], {{{}, {}}};", at, 64 + 4 * k, clean(fmt::format("%x{}", k), "f32"),
           clean(fmt::format("%x{}", k + 1), "f32"));
    line("st.global.v4.u16 [{}+80], {{%h0, %h1, %h2, %h3}};", at);
    line("st.global.u8 [{}+88], {};", at, bits);
    for (int k = 0; k < 3; ++k)
      line("st.global.f64 [{}+{}], {};", at, 96 + 8 * k, clean(fmt::format("%y{}", k), "f64"));
    // Shared atomics.
    const uint64_t sums = take_out(256);
    const Text i = r(), value = r(), s = r(), done = p(), head = new_label(), end = new_label(), to = rd();
    line("bar.sync 0;");
    line("mov.u32 {}, %linear;", i);
    label(head);
    line("setp.ge.u32 {}, {}, 64;", done, i);
    line("@{} bra {};", done, end);
    line("mad.lo.u32 {}, {}, 4, %sh;", s, i);
    line("ld.shared.u32 {}, [{}+{}];", value, s, shared_words_ * 4);
    line("mad.lo.u32 {}, %cta, 64, {};", s, i);
    line("mad.wide.u32 {}, {}, 4, %out;", to, s);
    line("st.global.u32 [{}+{}], {};", to, sums, value);
    line("add.u32 {}, {}, {};", i, i, threads_);
    line("bra {};", head);
    label(end);
    line("ret;");
  }

  static Text numbers(uint32_t factor) {
    Text list;
    for (uint32_t k = 0; k < 64; ++k) list += fmt::format("{}{}", k ? ", " : "", k * k * factor % 97);
    return list;
  }

  Text assemble() const {
    Text t = ".version 8.3\n.target sm_80\n.address_size 64\n\n.extern .shared .align 16 .b8 dyn[];\n";
    t += ".const .align 4 .u32 constants[64] = {" + numbers(3) + "};\n.global .align 4 .u32 numbers[64] = {" +
         numbers(5) + "};\n\n";
    t += ".func (.param .b32 c) helper0(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %r<5>;\n\t.reg .b64 "
         "%rd<3>;\n\t.reg .pred %p<2>;\n"
         "\tld.param.b32 %r1, [a];\n\tld.param.b64 %rd1, [b];\n\tcvt.u32.u64 %r2, %rd1;\n\tsetp.lt.s32 %p1, %r1, "
         "%r2;\n\t@%p1 bra LESS;\n"
         "\tsub.s32 %r3, %r1, %r2;\n\tst.param.b32 [c], %r3;\n\tret;\nLESS:\n\txor.b32 %r3, %r1, %r2;\n\tst.param.b32 "
         "[c], %r3;\n\tret;\n}\n\n";
    t += ".func (.param .b32 c) helper1(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %r<6>;\n\t.reg .b64 "
         "%rd<3>;\n\t.reg .pred %p<2>;\n"
         "\tld.param.b32 %r1, [a];\n\tld.param.b64 %rd1, [b];\n\tcvt.u32.u64 %r2, %rd1;\n\tand.b32 %r4, %r1, "
         "3;\nAGAIN:\n"
         "\tmad.lo.u32 %r2, %r2, 1664525, %r1;\n\tsub.s32 %r4, %r4, 1;\n\tsetp.gt.s32 %p1, %r4, 0;\n\t@%p1 bra "
         "AGAIN;\n\tst.param.b32 [c], %r2;\n\tret;\n}\n\n";
    t += ".visible .entry generated(\n\t.param .u64 p_in,\n\t.param .u64 p_out,\n\t.param .u64 p_atomics,\n\t.param "
         ".u64 p_big,\n\t.param .u64 p_wide,\n"
         "\t.param .u32 p_s0,\n\t.param .u32 p_s1,\n\t.param .u32 p_small,\n\t.param .u32 p_bound,\n\t.param .align 4 "
         ".b8 p_table[64]\n)\n{\n";
    t += fmt::format(
        "\t.reg .b32 %r<{}>;\n\t.reg .b64 %rd<{}>;\n\t.reg .b16 %rs<{}>;\n\t.reg .pred %p<{}>;\n\t.reg .f32 "
        "%f<{}>;\n\t.reg .f64 %fd<{}>;\n",
        words_ + 1, longs_ + 1, shorts_ + 1, preds_ + 1, singles_ + 1, reals_ + 1);
    t += "\t.reg .b32 %v<8>;\n\t.reg .b64 %w<4>;\n\t.reg .b16 %h<4>;\n\t.reg .f32 %x<4>;\n\t.reg .f64 %y<3>;\n\t.reg "
         ".pred %q<4>;\n"
         "\t.reg .b32 %s0, %s1, %small, %bound, %tx, %ty, %tz, %lane, %bx, %by, %bz, %linear, %cta, %gid, %m0, %sh, "
         "%dyn;\n"
         "\t.reg .b64 %in, %out, %atomics, %big, %own;\n\t.reg .pred %yes;\n";
    t += fmt::format("\t.shared .align 16 .b8 sh[{}];\n\t.local .align 16 .b8 lo[32];\n\n", (shared_words_ + 64) * 4);
    return t + body_ + "}\n";
  }

  static constexpr int kMostStatements = 14;  // making code takes most of a trial's time

  std::mt19937_64 random_;
  GeneratedKernel k_;
  uint32_t threads_ = 1, blocks_ = 1, shared_words_ = 64;
  bool dynamic_ = false;
  uint64_t out_bytes_ = 0;
  Text body_;
  int labels_ = 0, words_ = 0, longs_ = 0, shorts_ = 0, preds_ = 0, singles_ = 0, reals_ = 0, exits_ = 0,
      statements_ = 0;
  double cost_ = 0, limit_ = 0, times_ = 1;
  std::vector<Bounded> counters_;
};

}  // namespace

GeneratedKernel generate(uint64_t seed) { return Generator(seed).run(); }

}  // namespace warplens::engine_test
