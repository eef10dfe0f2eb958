// What a person would call the thing an access touches: the parameter or variable its address is computed from.
#include <unordered_set>

#include "lower/context.h"

namespace warplens::lower {
namespace {

using ir::Op;

// Walks from an address to what it is based on: through additions, selections and loops, but not through
// multiplications or narrower integers, which are indices.
class BaseFinder {
 public:
  explicit BaseFinder(const ir::Function& function) : function_(function) {}

  // A Param of 64 bits, SymbolAddress or Const; kNone where nothing of that kind is found.
  ir::ValueId find(ir::ValueId value) {
    if (!seen_.insert(value).second || seen_.size() > 200) return ir::kNone;
    const ir::Inst& inst = function_.insts[value];
    switch (inst.op) {
      case Op::Param:
        return inst.type == ir::Type::I64 ? value : ir::kNone;
      case Op::SymbolAddress:
        return value;
      case Op::Const:
        return value;
      case Op::ToGeneric:
      case Op::FromGeneric:
      case Op::Trunc:
      case Op::Sub:
        return find(inst.args[0]);
      case Op::Add:
      case Op::Phi:
      case Op::And:
        return first_named(inst, 0);
      case Op::Select:
        return first_named(inst, 1);
      default:
        return ir::kNone;
    }
  }

 private:
  ir::ValueId first_named(const ir::Inst& inst, size_t from) {
    ir::ValueId constant = ir::kNone;
    for (size_t i = from; i < inst.args.size(); ++i) {
      const ir::ValueId base = find(inst.args[i]);
      if (base == ir::kNone) continue;
      if (function_.insts[base].op != Op::Const) return base;
      if (constant == ir::kNone) constant = base;
    }
    return constant;
  }

  const ir::Function& function_;
  std::unordered_set<ir::ValueId> seen_;
};

}  // namespace

// A shared or local variable's address is a number, and the first one's is 0, which leaves no trace in a sum. So the
// text is followed: the variable that an address starts from, "" if it names none.
std::string Context::place_of(const ptx::Operand& operand) {
  using Kind = ptx::Operand::Kind;
  const bool address = operand.kind == Kind::Address && !operand.elements.empty();
  const ptx::Operand& base = address ? operand.elements[0] : operand;
  if (base.kind == Kind::Symbol) {
    const Name* name = find(base);
    return name && (name->kind == Name::Kind::Shared || name->kind == Name::Kind::Local) ? base.name : "";
  }
  if (base.kind != Kind::Register) return "";
  const auto found = find_register(base);
  const auto known = found ? register_places_.find(found->variable) : register_places_.end();
  return known == register_places_.end() ? "" : known->second;
}

// What an instruction writes starts from where one of its operands does; in a product only the addend's counts.
void Context::follow_place(const ptx::Instruction& text) {
  static const std::unordered_set<std::string_view> kSums{"mov", "add", "sub", "cvta", "cvt", "selp", "or"};
  const bool product = text.opcode == "mad";
  if (text.operands.size() < 2 || (!product && !kSums.count(text.opcode))) return;
  const auto target = find_register(text.operands[0]);
  if (!target) return;
  for (size_t i = product ? 3 : 1; i < text.operands.size(); ++i) {
    std::string place = place_of(text.operands[i]);
    if (place.empty()) continue;
    register_places_[target->variable] = std::move(place);
    return;
  }
}

void Context::name_sites() {
  const auto in = [](const std::vector<Placed>& places, uint64_t offset) {
    for (const Placed& place : places)
      if (offset >= place.offset && (offset < place.offset + place.bytes || place.bytes == 0)) return place.name;
    return std::string();
  };
  for (const ir::Inst& inst : function().insts) {
    const bool accesses = inst.op == Op::Load || inst.op == Op::Store || inst.op == Op::Atomic || inst.op == Op::Reduce;
    if (!accesses || inst.site == ir::kNone) continue;
    std::string& operand = function().sites[inst.site].operand;
    if (!operand.empty()) continue;  // known from the text
    const ir::ValueId base = BaseFinder(function()).find(inst.args[0]);
    if (inst.space == ir::Space::Shared || inst.space == ir::Space::Local) {
      const auto& places = inst.space == ir::Space::Shared ? shared_places_ : local_places_;
      const bool known = base != ir::kNone && function().insts[base].op == Op::Const;
      if (known)
        operand =
            in(places, function().insts[base].imm + (function().insts[inst.args[0]].op == Op::Const ? inst.imm : 0));
      else if (places.size() == 1)
        operand = places[0].name;
      continue;
    }
    if (base == ir::kNone) continue;
    const ir::Inst& root = function().insts[base];
    if (root.op == Op::SymbolAddress) operand = module_.ir.symbols[root.imm].name;
    if (root.op == Op::Param)
      for (ir::ParamInfo& param : kernel_.params)
        if (root.imm >= param.offset && root.imm < param.offset + param.bytes) {
          operand = param.name;
          param.pointer |= param.bytes == 8;
        }
  }
}

}  // namespace warplens::lower
