#include "lift/lifter.h"

#include <utility>

#include "lower/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

Lifter::Lifter(const Input& input, ir::Kernel& kernel)
    : input_(input),
      function_(kernel.function),
      snippets_(kernel),
      builder_(snippets_.builder()),
      registers_(builder_.new_variables(Type::I32, 256)),
      uniforms_(builder_.new_variables(Type::I32, 256)),
      predicates_(builder_.new_variables(Type::Pred, 8)),
      uniform_predicates_(builder_.new_variables(Type::Pred, 8)) {
  for (const Patch& patch : input.patches) patches_.emplace(patch.offset, &patch);
}

void Lifter::refuse(const std::string& why) const {
  throw Refused(instruction_ ? why + ": " + sass::print(*instruction_) : why);
}
void Lifter::refuse_form() const { refuse("this form of the machine instruction is not known yet"); }

const Operand& Lifter::operand(size_t k) const {
  if (k >= instruction_->operands.size()) refuse_form();
  return instruction_->operands[k];
}

VarId Lifter::variable(const Operand& o, unsigned k) const {
  switch (o.kind) {
    case Kind::Register:
      return registers_ + o.number + k;
    case Kind::Uniform:
      return uniforms_ + o.number + k;
    case Kind::Predicate:
      return predicates_ + o.number;
    case Kind::UniformPredicate:
      return uniform_predicates_ + o.number;
    default:
      refuse_form();
  }
}

ValueId Lifter::raw(const Operand& o, unsigned k) {
  switch (o.kind) {
    case Kind::Register:
    case Kind::Uniform:
      return o.number == sass::kRZ ? k32(0) : builder_.read(variable(o, k));
    case Kind::Immediate:
      return k32(static_cast<uint64_t>(o.value) >> (32 * k) & 0xffffffff);
    case Kind::Constant:
    case Kind::BoundConstant:
      return constant(o, k);
    default:
      refuse_form();
  }
}

ValueId Lifter::word(const Operand& o) {
  if (patch_ && o.kind == Kind::Immediate) {
    const Patch& patch = *std::exchange(patch_, nullptr);
    if (patch.symbol == ir::kNone) refuse("the address of " + patch.what);
    ValueId address = builder_.symbol(patch.symbol);
    if (patch.addend) address = binary(Op::Add, address, k64(static_cast<uint64_t>(patch.addend)));
    return patch.high ? high(address) : low(address);
  }
  ValueId value = raw(o);
  if (o.absolute) {
    const ValueId minus = binary(Op::Sub, k32(0), value);
    value = builder_.pure(Op::MaxS, Type::I32, {value, minus});
  }
  if (o.inverted) value = builder_.unary(Op::Not, value);
  if (o.negated) value = binary(Op::Sub, k32(0), value);
  return value;
}

ValueId Lifter::wide(const Operand& o) {
  if (o.kind == Kind::Immediate) return k64(static_cast<uint64_t>(o.value));
  ValueId value = o.number == sass::kRZ && o.kind != Kind::Constant ? k64(0) : join(raw(o, 0), raw(o, 1));
  if (o.negated) value = binary(Op::Sub, k64(0), value);
  return value;
}

ValueId Lifter::f32(const Operand& o) {
  ValueId value = builder_.cast(raw(o), Type::F32);
  if (o.absolute) value = builder_.unary(Op::FAbs, value);
  if (o.negated) value = builder_.unary(Op::FNeg, value);
  return value;
}

ValueId Lifter::f64(const Operand& o) {
  // An immediate is the upper word.
  ValueId bits = o.kind == Kind::Immediate                           ? k64(static_cast<uint64_t>(o.value) << 32)
                 : o.number == sass::kRZ && o.kind != Kind::Constant ? k64(0)
                                                                     : join(raw(o, 0), raw(o, 1));
  // On the bits: a NaN's sign changes too.
  if (o.absolute) bits = binary(Op::And, bits, k64(~uint64_t{0} >> 1));
  if (o.negated) bits = binary(Op::Xor, bits, k64(uint64_t{1} << 63));
  return builder_.cast(bits, Type::F64);
}

ValueId Lifter::predicate(const Operand& o) {
  if (o.kind != Kind::Predicate && o.kind != Kind::UniformPredicate) refuse_form();
  const ValueId value = o.number == sass::kPT ? builder_.constant(Type::Pred, 1) : builder_.read(variable(o, 0));
  return o.negated ? builder_.unary(Op::Not, value) : value;
}

ValueId Lifter::carry_of(const Operand& o) { return builder_.pure(Op::ZExt, Type::I32, {predicate(o)}); }

void Lifter::set(const Operand& o, ValueId value, unsigned k) {
  if (o.kind != Kind::Register && o.kind != Kind::Uniform) refuse_form();
  if (o.number == sass::kRZ) return;
  value = builder_.cast(value, Type::I32);
  // R1 is the stack's end, which here is known before the kernel runs.
  if (uint64_t known = 0; o.kind == Kind::Register && o.number + k == 1 && !builder_.is_constant(value, &known))
    refuse("a stack whose size depends on data");
  const VarId to = variable(o, k);
  if (guard_ != ir::kNone) value = builder_.select(guard_, value, builder_.read(to));
  builder_.write(to, value);
}

void Lifter::set_wide(const Operand& o, ValueId value) {
  if (o.number == sass::kRZ) return;
  value = builder_.cast(value, Type::I64);
  if (guard_ != ir::kNone) {  // kept whole: a pair that is joined again is this value
    const ValueId old = join(builder_.read(variable(o, 0)), builder_.read(variable(o, 1)));
    value = builder_.select(guard_, value, old);
  }
  const ValueId lower = low(value), upper = high(value);
  builder_.write(variable(o, 0), lower);
  builder_.write(variable(o, 1), upper);
}

void Lifter::set_predicate(const Operand& o, ValueId value) {
  if (o.kind != Kind::Predicate && o.kind != Kind::UniformPredicate) refuse_form();
  if (o.number == sass::kPT) return;
  forget_carry(o);
  const VarId to = variable(o, 0);
  if (guard_ != ir::kNone) value = builder_.select(guard_, value, builder_.read(to));
  builder_.write(to, value);
}

const Lifter::Sum* Lifter::carry(const Operand& predicate) const {
  const auto found = carries_.find(carry_key(predicate));
  if (found == carries_.end() || predicate.negated || found->second.guard != guard_) return nullptr;
  return &found->second;
}

ValueId Lifter::low(ValueId wide) { return builder_.pure(Op::Trunc, Type::I32, {wide}); }

ValueId Lifter::high(ValueId wide) {
  const ir::Inst inst = builder_.inst(wide);
  if (inst.op == Op::SExt && builder_.type(inst.args[0]) == Type::I32) return binary(Op::ShrS, inst.args[0], k32(31));
  if (inst.op == Op::ZExt) return k32(0);
  const ValueId upper = builder_.pure(Op::Trunc, Type::I32, {binary(Op::ShrU, wide, k32(32))});
  joined_[{builder_.resolve(low(wide)), builder_.resolve(upper)}] = wide;
  return upper;
}

ValueId Lifter::join(ValueId lower, ValueId upper) {
  lower = builder_.resolve(lower);
  upper = builder_.resolve(upper);
  if (const auto known = joined_.find({lower, upper}); known != joined_.end()) return known->second;
  const ir::Inst l = builder_.inst(lower), u = builder_.inst(upper);
  if (const auto window = upper_of_window(function_, upper)) {
    ir::Inst inst;
    inst.op = Op::ToGeneric;
    inst.type = Type::I64;
    inst.space = *window;
    inst.args = {builder_.pure(Op::ZExt, Type::I64, {lower})};
    return builder_.pure(std::move(inst));
  }
  if (l.op == Op::Select && u.op == Op::Select && builder_.resolve(l.args[0]) == builder_.resolve(u.args[0]))
    return builder_.select(l.args[0], join(l.args[1], u.args[1]), join(l.args[2], u.args[2]));
  uint64_t bits = 0;
  if (builder_.is_constant(upper, &bits) && bits == 0) return builder_.pure(Op::ZExt, Type::I64, {lower});
  // Both words of one value.
  const auto whole_of_upper = [&]() -> std::optional<ValueId> {
    if (u.op != Op::Trunc) return std::nullopt;
    const ir::Inst shifted = builder_.inst(u.args[0]);
    uint64_t by = 0;
    if (shifted.op != Op::ShrU || !builder_.is_constant(shifted.args[1], &by) || by != 32) return std::nullopt;
    return shifted.args[0];
  };
  if (const auto whole = whole_of_upper()) {
    if (l.op == Op::Trunc && builder_.resolve(l.args[0]) == builder_.resolve(*whole)) return *whole;
    // x << n, whose low word was computed by itself.
    const ir::Inst w = builder_.inst(*whole);
    uint64_t n = 0, m = 0;
    if (w.op == Op::Shl && l.op == Op::Shl && builder_.is_constant(w.args[1], &n) &&
        builder_.is_constant(l.args[1], &m) && n == m &&
        builder_.resolve(low(w.args[0])) == builder_.resolve(l.args[0]))
      return *whole;
  }
  if (u.op == Op::ShrS && builder_.resolve(u.args[0]) == lower && builder_.is_constant(u.args[1], &bits) && bits == 31)
    return builder_.pure(Op::SExt, Type::I64, {lower});
  if (l.op == Op::Param && u.op == Op::Param && u.imm == l.imm + 4 && l.imm % 8 == 0)
    return builder_.param(Type::I64, static_cast<uint32_t>(l.imm));
  const ValueId shifted = binary(Op::Shl, builder_.pure(Op::ZExt, Type::I64, {upper}), k32(32));
  return binary(Op::Or, shifted, builder_.pure(Op::ZExt, Type::I64, {lower}));
}

// The upper word of where the shared window begins in the generic address space. On a GPU the window begins at a
// multiple of 4 GiB, so that code puts an address together from this and an offset. Here it may begin anywhere: the
// word stands for the window, and is no number.
std::optional<ir::Space> upper_of_window(const ir::Function& f, ValueId value) {
  const ir::Inst& word = f.insts[value];
  if (word.op != Op::Trunc) return std::nullopt;
  const ir::Inst& shifted = f.insts[word.args[0]];
  if (shifted.op != Op::ShrU) return std::nullopt;
  const ir::Inst &window = f.insts[shifted.args[0]], &by = f.insts[shifted.args[1]];
  if (window.op != Op::ToGeneric || window.space != ir::Space::Shared || by.op != Op::Const || by.imm != 32)
    return std::nullopt;
  const ir::Inst& at = f.insts[window.args[0]];
  if (at.op != Op::Const || at.imm != 0) return std::nullopt;
  return window.space;
}

ir::Rounding Lifter::rounding() const {
  if (has("RM") || has("FLOOR")) return ir::Rounding::Down;
  if (has("RP") || has("CEIL")) return ir::Rounding::Up;
  if (has("RZ") || has("TRUNC")) return ir::Rounding::Zero;
  return ir::Rounding::Nearest;
}

ValueId Lifter::float_op(Op op, std::vector<ValueId> args) {
  ir::Inst inst;
  inst.op = op;
  inst.type = builder_.type(args[0]);
  inst.rounding = rounding();
  inst.ftz = has("FTZ");
  inst.args = std::move(args);
  return builder_.pure(std::move(inst));
}

namespace {

// The table with one input known: rows 4x + 2y + z.
unsigned with_fixed(unsigned table, unsigned input, bool value) {
  unsigned out = 0;
  for (unsigned row = 0; row < 8; ++row) {
    const unsigned bit = 4u >> input, source = value ? row | bit : row & ~bit;
    out |= (table >> source & 1) << row;
  }
  return out;
}

}  // namespace

ValueId Lifter::logic(ValueId x, ValueId y, ValueId z, unsigned table) {
  const Type type = builder_.type(x);
  const ValueId inputs[3] = {x, y, z};
  const uint64_t ones = type == Type::Pred ? 1 : 0xffffffff;
  for (unsigned k = 0; k < 3; ++k) {
    uint64_t bits = 0;
    if (builder_.is_constant(inputs[k], &bits) && (bits == 0 || bits == ones)) table = with_fixed(table, k, bits != 0);
  }
  if (table == 0) return builder_.constant(type, 0);
  if (table == 0xff) return builder_.constant(type, ones);
  const auto is = [&](unsigned t) { return table == t; };
  const auto bin = [&](Op op, ValueId a, ValueId b) { return binary(op, a, b); };
  const auto inverse = [&](ValueId v) { return builder_.unary(Op::Not, v); };
  constexpr unsigned X = 0xf0, Y = 0xcc, Z = 0xaa;
  const unsigned tables[3] = {X, Y, Z};
  for (unsigned a = 0; a < 3; ++a) {
    if (is(tables[a])) return inputs[a];
    if (is(~tables[a] & 0xff)) return inverse(inputs[a]);
    for (unsigned c = 0; c < 3; ++c) {
      if (a == c) continue;
      if (is(tables[a] & tables[c])) return bin(Op::And, inputs[a], inputs[c]);
      if (is(tables[a] | tables[c])) return bin(Op::Or, inputs[a], inputs[c]);
      if (is(tables[a] ^ tables[c])) return bin(Op::Xor, inputs[a], inputs[c]);
      if (is(tables[a] & ~tables[c] & 0xff)) return bin(Op::And, inputs[a], inverse(inputs[c]));
      if (is((tables[a] | ~tables[c]) & 0xff)) return bin(Op::Or, inputs[a], inverse(inputs[c]));
      const unsigned d = 3 - a - c;
      if (is((tables[a] & tables[c]) | tables[d])) return bin(Op::Or, bin(Op::And, inputs[a], inputs[c]), inputs[d]);
      if (is((tables[a] | tables[c]) & tables[d])) return bin(Op::And, bin(Op::Or, inputs[a], inputs[c]), inputs[d]);
      if (is((tables[a] & tables[c]) ^ tables[d])) return bin(Op::Xor, bin(Op::And, inputs[a], inputs[c]), inputs[d]);
    }
  }
  if (is(X & Y & Z)) return bin(Op::And, bin(Op::And, x, y), z);
  if (is(X | Y | Z)) return bin(Op::Or, bin(Op::Or, x, y), z);
  if (is(X ^ Y ^ Z)) return bin(Op::Xor, bin(Op::Xor, x, y), z);
  return lower::lop3(builder_, x, y, z, table);
}

void Lifter::ptx(const std::string& text, const std::vector<lower::Snippets::Argument>& arguments) {
  try {
    snippets_.run(text, arguments);
  } catch (const lower::Snippets::Error& error) {
    refuse(error.reason);
  }
}

void Lifter::ptx_access(const std::string& text, const std::vector<lower::Snippets::Argument>& arguments) {
  const size_t before = function_.sites.size();
  try {
    snippets_.run(text, arguments, guard_);
  } catch (const lower::Snippets::Error& error) {
    refuse(error.reason);
  }
  for (size_t k = before; k < function_.sites.size(); ++k) {
    function_.sites[k].opcode = opcode_text();
    function_.sites[k].machine_offset = instruction_->offset;
  }
}

std::string Lifter::opcode_text() const {
  std::string out = instruction_->opcode;
  for (const std::string& modifier : instruction_->modifiers) out += "." + modifier;
  return out;
}

ir::SiteId Lifter::site(ir::SiteKind kind, ir::Space space, uint32_t bytes, uint32_t components) {
  ir::Site site;
  site.kind = kind;
  site.space = space;
  site.bytes_per_lane = static_cast<uint8_t>(bytes);
  site.components = static_cast<uint8_t>(components);
  site.opcode = opcode_text();
  site.machine_offset = instruction_->offset;
  site.location = builder_.location();
  function_.sites.push_back(std::move(site));
  return static_cast<ir::SiteId>(function_.sites.size() - 1);
}

}  // namespace warplens::lift
