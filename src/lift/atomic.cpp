// ATOM, ATOMG, ATOMS, RED, REDG: what PTX's atom and red do, one of whose instructions each becomes.
#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

namespace {

std::string operation(Lifter& l) {
  l.allow({"FTZ", "S32", "U32", "S64", "U64", "64", "32", "SPIN"});
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"ADD", "add"}, {"MIN", "min"}, {"MAX", "max"}, {"AND", "and"},   {"OR", "or"},
      {"XOR", "xor"}, {"INC", "inc"}, {"DEC", "dec"}, {"EXCH", "exch"}, {"CAS", "cas"}};
  for (const auto& [name, word] : kNames)
    if (l.has(name)) return word;
  if (l.instruction().opcode == "ATOMS" && l.has("CAST")) return "cas";
  l.refuse_form();
}

// Type of the operands in PTX, without the point.
std::string type(Lifter& l, const std::string& op) {
  if (l.has("F32")) return "f32";
  if (l.has("F64")) return "f64";
  if (l.has("F16x2")) return "noftz.f16x2";
  if (l.has("BF16_V2") || l.has("BF16x2")) return "noftz.bf16x2";
  const bool wide = l.has("64") || l.has("S64") || l.has("U64");
  const std::string bits = wide ? "64" : "32";
  if (op == "exch" || op == "cas" || op == "and" || op == "or" || op == "xor") return "b" + bits;
  if ((op == "min" || op == "max") && (l.has("S32") || l.has("S64"))) return "s" + bits;
  return "u" + bits;
}

std::string register_of(const std::string& type, unsigned number) {
  const std::string kind = type == "f32" ? "%f" : type == "f64" ? "%e" : type.ends_with("64") ? "%d" : "%r";
  return kind + std::to_string(number);
}

ValueId value(Lifter& l, const Operand& o, const std::string& type) {
  if (type == "f32") return l.f32(o);
  if (type == "f64") return l.f64(o);
  return type.ends_with("64") ? l.wide(o) : l.word(o);
}

void atomic(Lifter& l, bool yields) {
  const std::string& opcode = l.instruction().opcode;
  size_t k = 0;
  const Operand* to = nullptr;
  const Operand* done = nullptr;  // whether the memory there could do it: shared memory cannot add halves
  while (k < l.operands() && l.operand(k).kind != Kind::Memory) {
    if (l.operand(k).kind == Kind::Register) to = &l.operand(k);
    if (l.operand(k).kind == Kind::Predicate && l.operand(k).number != sass::kPT) done = &l.operand(k);
    k++;
  }
  const Operand& at = l.operand(k);
  const bool shared = opcode == "ATOMS";
  const bool generic = opcode == "ATOM" || opcode == "RED";
  const ir::Space space = shared ? ir::Space::Shared : ir::Space::Global;
  const std::string space_word = shared ? ".shared" : generic ? "" : ".global";
  // ATOMS.POPC.INC: 1 is added, and nobody looks at what was there.
  const bool increments = l.has("POPC");
  if (increments && !l.has("INC")) l.refuse_form();
  l.allow({"32"});
  const std::string op = increments ? "add" : operation(l), t = increments ? "u32" : type(l, op);
  std::string text = yields && !increments ? "atom" : "red";
  text += space_word + "." + op + "." + t + " ";
  const std::string address_register = shared ? "%r8" : "%d8";
  std::vector<lower::Snippets::Argument> arguments{{address_register, l.address(at, space)}};
  const std::string names[] = {register_of(t, 0), register_of(t, 1), register_of(t, 2)};
  if (yields && !increments) text += names[0] + ", ";
  text += "[" + address_register;
  if (at.value) text += (at.value < 0 ? "" : "+") + std::to_string(at.value);
  text += "], ";
  if (increments) {
    text += "1;";
  } else {
    text += names[1];
    arguments.push_back({names[1], value(l, l.operand(k + 1), t)});
    if (op == "cas") {
      text += ", " + names[2];
      const Operand& fresh = l.operand(k + (l.operands() > k + 2 ? 2 : 1));
      arguments.push_back({names[2], value(l, fresh, t)});
    }
    text += ";";
  }
  l.ptx_access(text, arguments);
  if (done) l.set_predicate(*done, l.b().constant(Type::Pred, 1));
  if (increments) l.function().sites.back().unit_increment = true;
  if (!yields || !to || to->number == sass::kRZ || increments) return;
  const ValueId old = l.ptx_result(names[0]);
  if (l.has("CAST")) {  // compare, swap and tell
    const ValueId swapped = l.compare(ir::IntCompare::Eq, old, value(l, l.operand(k + 1), t));
    return l.set(*to, l.b().pure(Op::ZExt, Type::I32, {swapped}));
  }
  if (t == "f64" || t.ends_with("64")) return l.set_wide(*to, old);
  l.set(*to, old);
}

}  // namespace

void lift_Atomic(Lifter& l) { atomic(l, true); }
void lift_Reduce(Lifter& l) { atomic(l, false); }

}  // namespace warplens::lift
