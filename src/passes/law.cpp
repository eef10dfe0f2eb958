#include "passes/law.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>

#include "passes/cfg.h"

namespace warplens::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::kNone;
using ir::Op;
using ir::Type;
using ir::ValueId;

namespace {

// What has more is not for a person to read: it becomes one Computed factor.
constexpr size_t kMostTerms = 24, kMostFactors = 5, kMostOf = 12;

int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

void sort(Sum& sum) {
  std::sort(sum.begin(), sum.end(), [](const Term& a, const Term& b) { return a.factors < b.factors; });
  Sum merged;
  for (Term& t : sum) {
    if (!merged.empty() && merged.back().factors == t.factors)
      merged.back().coefficient = plus(merged.back().coefficient, t.coefficient);
    else
      merged.push_back(std::move(t));
  }
  std::erase_if(merged, [](const Term& t) { return t.coefficient == 0; });
  sum = std::move(merged);
}

Sum number(int64_t n) { return n == 0 ? Sum{} : Sum{{n, {}}}; }
Sum add(Sum a, const Sum& b, int64_t multiplier = 1) {
  for (const Term& t : b) a.push_back({times(t.coefficient, multiplier), t.factors});
  sort(a);
  return a;
}
Sum multiply(const Sum& a, const Sum& b) {
  Sum product;
  for (const Term& x : a) {
    for (const Term& y : b) {
      Term t{times(x.coefficient, y.coefficient), x.factors};
      t.factors.insert(t.factors.end(), y.factors.begin(), y.factors.end());
      std::sort(t.factors.begin(), t.factors.end());
      product.push_back(std::move(t));
    }
  }
  sort(product);
  return product;
}
std::optional<int64_t> constant(const Sum& s) {
  if (s.empty()) return 0;
  if (s.size() == 1 && s[0].factors.empty()) return s[0].coefficient;
  return std::nullopt;
}
bool fits(const Sum& s) {
  return s.size() <= kMostTerms &&
         std::all_of(s.begin(), s.end(), [](const Term& t) { return t.factors.size() <= kMostFactors; });
}
// The power of two that divides all of it; 63 for nothing.
int low_zeros(const Sum& s) {
  int zeros = 63;
  for (const Term& t : s) zeros = std::min(zeros, std::countr_zero(static_cast<uint64_t>(t.coefficient)));
  return zeros;
}

class Laws {
 public:
  explicit Laws(const Function& f) : f_(f), nest_(find_loops(f)), sums_(f.insts.size()) {}

  LawTable run() {
    for (BlockId b = 0; b < f_.blocks.size(); ++b)  // a definition stands before its uses, but for those of phis
      for (ValueId v : f_.blocks[b].insts) sums_[v] = bounded(law_of(v), v);
    for (const Loop& loop : nest_.loops)
      for (ValueId v : f_.blocks[loop.header].insts)
        if (f_.insts[v].op == Op::Phi) close(v, loop);
    table_.sites.resize(f_.sites.size());
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
      for (ValueId v : f_.blocks[b].insts) note_site(f_.insts[v]);
    return std::move(table_);
  }

 private:
  uint32_t factor(Factor wanted) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(wanted.kind),
                                 static_cast<uint32_t>(wanted.special),
                                 wanted.offset,
                                 wanted.bytes,
                                 wanted.index,
                                 wanted.value};
    key.insert(key.end(), wanted.of.begin(), wanted.of.end());
    const auto [it, is_new] = factor_of_.try_emplace(std::move(key), static_cast<uint32_t>(table_.factors.size()));
    if (is_new) table_.factors.push_back(std::move(wanted));
    return it->second;
  }
  Sum one(Factor wanted) { return {{1, {factor(std::move(wanted))}}}; }
  const Sum& at(const Inst& i, size_t k) const { return sums_[i.args[k]]; }

  uint32_t inner(Sum s) {
    std::vector<int64_t> key;
    for (const Term& t : s) {
      key.push_back(t.coefficient);
      key.push_back(static_cast<int64_t>(t.factors.size()));
      key.insert(key.end(), t.factors.begin(), t.factors.end());
    }
    const auto [it, is_new] = inner_of_.try_emplace(std::move(key), static_cast<uint32_t>(table_.inner.size()));
    if (is_new) table_.inner.push_back(std::move(s));
    return it->second;
  }
  Sum division(Factor::Kind kind, const Sum& x, const Sum& y) {
    Factor f;
    f.kind = kind;
    f.of = {inner(x), inner(y)};
    return one(std::move(f));
  }
  // By 2^31 and more (a remainder: 2^27, what is left of an index of four bytes that is shifted): a sign, or the upper
  // half of what is here the whole, and 0 while nothing wraps.
  Sum quotient(const Sum& x, int64_t by) {
    if (by >= int64_t{1} << 31) return {};
    Sum whole;  // what the divisor divides comes out; exact where the rest is not negative
    Sum rest;
    for (const Term& t : x) {
      if (t.coefficient % by == 0)
        whole.push_back({t.coefficient / by, t.factors});
      else
        rest.push_back(t);
    }
    return rest.empty() ? whole : division(Factor::Kind::Quotient, x, number(by));
  }
  Sum remainder(const Sum& x, int64_t by) {
    if (by >= int64_t{1} << 27) return x;
    Sum rest;
    for (const Term& t : x)
      if (t.coefficient % by != 0) rest.push_back(t);
    if (const auto c = constant(rest); c && *c >= 0) return number(*c % by);
    return division(Factor::Kind::Remainder, rest, number(by));
  }

  void gather(std::vector<uint32_t>& of, const Sum& s) const {
    for (const Term& t : s)
      for (uint32_t f : t.factors)
        if (of.size() < kMostOf && std::find(of.begin(), of.end(), f) == of.end()) of.push_back(f);
  }
  Sum computed(ValueId v) {
    Factor f;
    for (ValueId a : f_.insts[v].args)
      if (a != kNone && a < sums_.size()) gather(f.of, sums_[a]);
    f.value = v;
    std::sort(f.of.begin(), f.of.end());
    return one(std::move(f));
  }
  Sum bounded(Sum s, ValueId v) { return fits(s) ? s : computed(v); }
  Sum loaded(ValueId v) {
    Factor f;
    f.kind = Factor::Kind::Loaded;
    f.value = v;
    return one(std::move(f));
  }

  // Half of eight bytes of parameters, which may be two of four bytes each: machine code loads them together.
  std::optional<Sum> half_of_param(const Sum& s, bool upper) {
    if (s.size() != 1 || s[0].coefficient != 1 || s[0].factors.size() != 1) return std::nullopt;
    Factor f = table_.factors[s[0].factors[0]];
    if (f.kind != Factor::Kind::Param || f.bytes != 8) return std::nullopt;
    f.bytes = 4;
    if (upper) f.offset += 4;
    return one(std::move(f));
  }
  // Halves of a parameter of 64 bits, together.
  Sum with_whole_params(Sum s) {
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i].factors.size() != 1 || s[i].coefficient % (int64_t{1} << 32) != 0) continue;
      const Factor high = table_.factors[s[i].factors[0]];
      if (high.kind != Factor::Kind::Param || high.bytes != 4 || high.offset < 4) continue;
      const int64_t multiplier = s[i].coefficient >> 32;
      for (size_t k = 0; k < s.size(); ++k) {
        if (s[k].factors.size() != 1 || s[k].coefficient != multiplier) continue;
        const Factor& low = table_.factors[s[k].factors[0]];
        if (low.kind != Factor::Kind::Param || low.bytes != 4 || low.offset + 4 != high.offset) continue;
        Factor whole = low;
        whole.bytes = 8;
        const Term instead{multiplier, {factor(whole)}};
        s[i] = instead;
        s.erase(s.begin() + static_cast<ptrdiff_t>(k));
        sort(s);
        return with_whole_params(std::move(s));
      }
    }
    return s;
  }

  // Bits that both may have: none, where one is a multiple of what the other is smaller than.
  std::optional<Sum> disjoint_or(const Inst& i) {
    for (int k = 0; k < 2; ++k) {
      const int zeros = low_zeros(at(i, k));
      const Inst& other = f_.insts[i.args[1 - k]];
      const bool below = (other.op == Op::ZExt && zeros >= ir::bits(f_.insts[other.args[0]].type)) ||
                         largest(at(i, 1 - k)) < (uint64_t{1} << zeros);
      if (below) return with_whole_params(add(at(i, k), at(i, 1 - k)));
    }
    return std::nullopt;
  }
  // No value of it is larger; all ones: not known.
  uint64_t largest(const Sum& s) const {
    uint64_t sum = 0;
    for (const Term& t : s) {
      if (t.coefficient < 0 || t.factors.size() > 1) return ~uint64_t{0};
      uint64_t most = 1;
      if (!t.factors.empty()) {
        const Factor& f = table_.factors[t.factors[0]];
        if (f.kind == Factor::Kind::Special && f.special == ir::SpecialRegister::LaneId)
          most = 31;
        else if (f.kind == Factor::Kind::Special && f.special <= ir::SpecialRegister::TidZ)
          most = 1023;
        else if (f.kind == Factor::Kind::Remainder && constant(table_.inner[f.of[1]]))
          most = static_cast<uint64_t>(*constant(table_.inner[f.of[1]])) - 1;
        else
          return ~uint64_t{0};
      }
      if (t.coefficient > (int64_t{1} << 40)) return ~uint64_t{0};
      sum += most * static_cast<uint64_t>(t.coefficient);
    }
    return sum;
  }

  Sum law_of(ValueId v) {
    const Inst& i = f_.insts[v];
    switch (i.op) {
      case Op::Const: {
        const int width = ir::bits(i.type);
        if (!ir::is_int(i.type)) return i.type == Type::Pred ? number(static_cast<int64_t>(i.imm)) : computed(v);
        return number(width >= 64 ? static_cast<int64_t>(i.imm)
                                  : static_cast<int64_t>(i.imm << (64 - width)) >> (64 - width));
      }
      case Op::Undef:
        return {};
      case Op::Special: {
        const auto special = static_cast<ir::SpecialRegister>(i.imm);
        if (special == ir::SpecialRegister::Zero) return {};
        Factor f;
        f.kind = Factor::Kind::Special;
        f.special = special;
        return one(std::move(f));
      }
      case Op::Param: {
        Factor f;
        f.kind = Factor::Kind::Param;
        f.offset = static_cast<uint32_t>(i.imm);
        f.bytes = static_cast<uint32_t>(ir::bytes(i.type));
        return one(std::move(f));
      }
      case Op::SymbolAddress: {
        Factor f;
        f.kind = Factor::Kind::Variable;
        f.index = static_cast<uint32_t>(i.imm);
        return one(std::move(f));
      }
      case Op::Add:
        return with_whole_params(add(at(i, 0), at(i, 1)));
      case Op::Sub:
        return add(at(i, 0), at(i, 1), -1);
      case Op::Mul:
        return multiply(at(i, 0), at(i, 1));
      case Op::Shl:
        if (const auto by = constant(at(i, 1)); by && *by >= 0 && *by < 63)
          return multiply(at(i, 0), number(int64_t{1} << *by));
        return computed(v);
      case Op::ShrU:
      case Op::ShrS:
        if (constant(at(i, 1)) == 32)
          if (auto half = half_of_param(at(i, 0), true)) return *half;
        if (const auto by = constant(at(i, 1)); by && *by >= 0 && *by < 62)
          return quotient(at(i, 0), int64_t{1} << *by);
        return computed(v);
      case Op::DivS:
      case Op::DivU:
        if (const auto by = constant(at(i, 1)); by && *by > 0) return quotient(at(i, 0), *by);
        return division(Factor::Kind::Quotient, at(i, 0), at(i, 1));
      case Op::RemS:
      case Op::RemU:
        if (const auto by = constant(at(i, 1)); by && *by > 0) return remainder(at(i, 0), *by);
        return division(Factor::Kind::Remainder, at(i, 0), at(i, 1));
      case Op::And:
        return i.type == Type::Pred ? computed(v) : masked(i, v);
      case Op::Or:
        if (i.type != Type::Pred)
          if (auto sum = disjoint_or(i)) return *sum;
        return computed(v);
      case Op::Trunc:
        if (i.type == Type::I32)
          if (auto half = half_of_param(at(i, 0), false)) return *half;
        return at(i, 0);
      case Op::SExt:
      case Op::ZExt:
      case Op::ToGeneric:
      case Op::FromGeneric:
        return at(i, 0);
      case Op::Phi:
        return joined(v);
      case Op::Select:
        return at(i, 1) == at(i, 2) ? at(i, 1) : computed(v);
      case Op::Extract:
        return at(i, 0);
      default:
        return ir::info(i.op).effect == ir::Effect::Pure ? computed(v) : loaded(v);
    }
  }

  // x & (2^m - 2^k): the bits from k to m of it. A mask of all upper bits takes no more than the lower ones away.
  Sum masked(const Inst& i, ValueId v) {
    for (int k = 0; k < 2; ++k) {
      const auto c = constant(at(i, k));
      if (!c) continue;
      const Sum& x = at(i, 1 - k);
      if (*c == -1) return x;
      if (*c == 0) return {};
      const int low = std::countr_zero(static_cast<uint64_t>(*c));
      const uint64_t bits = static_cast<uint64_t>(*c) >> low;
      const bool upper = *c < 0 || (*c >> 28) != 0;
      if (*c > 0 && !std::has_single_bit(bits + 1)) return computed(v);
      if (*c < 0 && !std::has_single_bit(static_cast<uint64_t>(-*c))) return computed(v);
      const Sum whole = upper ? x : remainder(x, static_cast<int64_t>((bits + 1) << low));
      return low == 0 ? whole : add(whole, remainder(x, int64_t{1} << low), -1);
    }
    return computed(v);
  }

  bool is_header(BlockId b) const {
    const uint32_t l = nest_.innermost[b];
    return l != kNone && nest_.loops[l].header == b;
  }
  Sum joined(ValueId v) {
    const Inst& i = f_.insts[v];
    if (is_header(i.block)) {  // a name until its loop is closed
      Factor f;
      f.value = v;
      return one(std::move(f));
    }
    std::optional<Sum> same;
    for (ValueId a : i.args) {
      if (f_.insts[a].op == Op::Undef) continue;
      if (same && *same != sums_[a]) return computed(v);
      same = sums_[a];
    }
    return same ? *same : Sum{};
  }

  // Whether it may change from one time round to the next.
  bool varies_in(uint32_t index, const Loop& loop) const {
    const Factor& f = table_.factors[index];
    const auto any = [&](const Sum& s) {
      return std::any_of(s.begin(), s.end(), [&](const Term& t) {
        return std::any_of(t.factors.begin(), t.factors.end(), [&](uint32_t k) { return varies_in(k, loop); });
      });
    };
    if (f.kind == Factor::Kind::Quotient || f.kind == Factor::Kind::Remainder)
      return any(table_.inner[f.of[0]]) || any(table_.inner[f.of[1]]);
    if (f.value == kNone) return false;
    const BlockId block = f_.insts[f.value].block;
    return std::find(loop.blocks.begin(), loop.blocks.end(), block) != loop.blocks.end();
  }

  // A phi of a loop's header: first + step * counter, or a value that the loop computes.
  void close(ValueId v, const Loop& loop) {
    const Inst& phi = f_.insts[v];
    const uint32_t name = sums_[v][0].factors[0];
    std::optional<Sum> first, next;
    bool known = true;
    for (size_t k = 0; k < phi.args.size(); ++k) {
      const BlockId from = f_.blocks[phi.block].preds[k];
      const bool back = std::find(loop.latches.begin(), loop.latches.end(), from) != loop.latches.end();
      std::optional<Sum>& of = back ? next : first;
      if (of && *of != sums_[phi.args[k]]) known = false;
      of = sums_[phi.args[k]];
    }
    if (known && first && next) {
      const Sum step = add(*next, sums_[v], -1);
      const bool steady = std::none_of(step.begin(), step.end(), [&](const Term& t) {
        return std::any_of(t.factors.begin(), t.factors.end(), [&](uint32_t k) { return varies_in(k, loop); });
      });
      if (steady) {
        Factor counter;
        counter.kind = Factor::Kind::Counter;
        counter.value = f_.blocks[loop.latches[0]].insts.back();
        if (f_.insts[counter.value].location == kNone) counter.value = f_.blocks[loop.header].insts.back();
        const Sum whole = add(*first, multiply(step, one(std::move(counter))));
        std::vector<uint32_t> of;
        gather(of, whole);
        table_.factors[name].of = std::move(of);
        instead_[name] = whole;
        return;
      }
    }
    std::vector<uint32_t> of;
    for (ValueId a : phi.args) gather(of, sums_[a]);
    std::erase(of, name);
    std::sort(of.begin(), of.end());
    table_.factors[name].of = std::move(of);
  }

  // Phis of closed loops, replaced by what they are.
  Sum closed(Sum s) {
    for (int round = 0; round < 16; ++round) {
      Sum result;
      bool changed = false;
      for (const Term& t : s) {
        Sum product = number(t.coefficient);
        for (uint32_t f : t.factors) {
          const auto it = instead_.find(f);
          changed |= it != instead_.end();
          product = multiply(product, it != instead_.end() ? it->second : Sum{{1, {f}}});
        }
        result = add(std::move(result), product);
      }
      if (!changed) break;
      if (!fits(result)) return s;
      s = std::move(result);
    }
    return s;
  }

  void note_site(const Inst& i) {
    const bool access = i.op == Op::Load || i.op == Op::Store || i.op == Op::Atomic || i.op == Op::Reduce;
    if (!access || i.site == kNone) return;
    if (closed_inner_ < table_.inner.size()) close_inner();
    table_.sites[i.site] = closed(add(at(i, 0), number(static_cast<int64_t>(i.imm))));
  }
  void close_inner() {
    for (; closed_inner_ < table_.inner.size(); ++closed_inner_) {
      Sum s = closed(table_.inner[closed_inner_]);
      table_.inner[closed_inner_] = std::move(s);
    }
  }

  const Function& f_;
  LoopNest nest_;
  std::vector<Sum> sums_;
  std::map<std::vector<uint32_t>, uint32_t> factor_of_;
  std::map<std::vector<int64_t>, uint32_t> inner_of_;
  std::map<uint32_t, Sum> instead_;  // of a factor that named a phi
  size_t closed_inner_ = 0;
  LawTable table_;
};

bool any_factor(const LawTable& laws, uint32_t index, const std::function<bool(const Factor&)>& holds,
                std::vector<uint8_t>& seen) {
  if (seen[index]) return false;
  seen[index] = 1;
  const Factor& f = laws.factors[index];
  if (holds(f)) return true;
  const auto in = [&](const Sum& s) {
    for (const Term& t : s)
      for (uint32_t k : t.factors)
        if (any_factor(laws, k, holds, seen)) return true;
    return false;
  };
  if (f.kind == Factor::Kind::Quotient || f.kind == Factor::Kind::Remainder)
    return in(laws.inner[f.of[0]]) || in(laws.inner[f.of[1]]);
  return std::any_of(f.of.begin(), f.of.end(), [&](uint32_t k) { return any_factor(laws, k, holds, seen); });
}

}  // namespace

LawTable address_laws(const Function& f) { return Laws(f).run(); }

bool depends_on(const LawTable& laws, uint32_t factor, Factor::Kind kind) {
  std::vector<uint8_t> seen(laws.factors.size(), 0);
  return any_factor(laws, factor, [&](const Factor& f) { return f.kind == kind; }, seen);
}
bool depends_on(const LawTable& laws, uint32_t factor, ir::SpecialRegister special) {
  std::vector<uint8_t> seen(laws.factors.size(), 0);
  return any_factor(
      laws, factor, [&](const Factor& f) { return f.kind == Factor::Kind::Special && f.special == special; }, seen);
}

}  // namespace warplens::passes
