// Values that statements use: constants, registers, tables, and integers whose range is known, to index with.
#include "engine/generator.h"

namespace warplens::engine_test {

Text Generator::word_constant() {
  return chance(70) ? fmt::format("{}", kInterestingWords[below(std::size(kInterestingWords))])
                    : fmt::format("{}", static_cast<uint32_t>(random_()));
}

Text Generator::uniform_word() {
  if (chance(20)) return table_entry(chance(50) ? Bounded{"%small", 0, 63} : Bounded{"%cta", 0, 4096});
  return chance(25) ? word_constant() : any({"%s0", "%s1", "%small", "%bound", "%bx", "%by", "%cta"});
}

// A word of the module's tables in constant or global memory, or of the table among the parameters.
Text Generator::table_entry(const Bounded& index) {
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

Text Generator::word() {
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

Text Generator::long_word() {
  if (chance(70)) return fmt::format("%w{}", below(4));
  if (chance(30))
    return fmt::format("{}", static_cast<int64_t>(int32_t(kInterestingWords[below(std::size(kInterestingWords))])));
  const Text d = rd();
  line("cvt.{}64.{}32 {}, {};", "u", chance(50) ? "u" : "s", d, word());
  return d;
}

Text Generator::half() { return fmt::format("%h{}", below(4)); }

Text Generator::single() { return fmt::format("%x{}", below(4)); }

Text Generator::real() { return fmt::format("%y{}", below(3)); }

Text Generator::pred() { return fmt::format("%q{}", below(4)); }

Bounded Generator::leaf() {
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

Bounded Generator::affine(int depth) {
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

int64_t Generator::any_pitch() {
  return chance(40) ? int64_t{k_.block.x} : int64_t{1} << below(7) | (chance(30) ? 1 : 0);
}

Bounded Generator::limited(const Text& reg, uint32_t size) {
  const Text d = r();
  line("and.b32 {}, {}, {};", d, reg, size - 1);
  return {d, 0, size - 1};
}

// An index into an array, |index| <= 4096: affine or data-dependent.
Bounded Generator::index() {
  if (chance(75)) return affine(3);
  return limited(fmt::format("%v{}", below(8)), 1024);
}

// base + index * bytes + offset as a 64-bit address in one of the ways that compilers write it.
Text Generator::address(const Text& base, const Bounded& i, uint32_t bytes) {
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

}  // namespace warplens::engine_test
