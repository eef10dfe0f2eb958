// mov cvta isspacep.
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

// mov.b64 %rd, {%r1, %r2}: the first element is the lowest.
ValueId pack(Context& c, const ptx::Operand& vector, ScalarType type) {
  Builder& b = c.b();
  const auto count = static_cast<int>(vector.elements.size());
  const Type whole = int_type(type.total_bits()), part = count ? int_type(type.total_bits() / count) : Type::Void;
  if (whole == Type::Void || part == Type::Void || type.total_bits() % count)
    c.refuse("a vector of this shape is not supported yet");
  const ScalarType part_type{ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(part)), false};
  ValueId result = b.constant(whole, 0);
  for (int k = 0; k < count; ++k) {
    const ValueId piece = b.cast(c.value(vector.elements[static_cast<size_t>(k)], part_type), whole);
    const uint64_t shift = static_cast<uint64_t>(k * ir::bits(part));
    result = b.binary(Op::Or, result, b.binary(Op::Shl, piece, b.constant(Type::I32, shift)));
  }
  return result;
}

// mov.b64 {%r1, %r2}, %rd.
void unpack(Context& c, const ptx::Operand& vector, ValueId whole) {
  Builder& b = c.b();
  const Type integer = int_type(ir::bits(b.type(whole)));
  whole = b.cast(whole, integer);
  const auto count = static_cast<int>(vector.elements.size());
  const Type part = count && ir::bits(integer) % count == 0 ? int_type(ir::bits(integer) / count) : Type::Void;
  if (part == Type::Void) c.refuse("a vector of this shape is not supported yet");
  const ScalarType part_type{ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(part)), false};
  for (int k = 0; k < count; ++k) {
    const uint64_t shift = static_cast<uint64_t>(k * ir::bits(part));
    const ValueId piece = b.cast(b.binary(Op::ShrU, whole, b.constant(Type::I32, shift)), part);
    c.write(vector.elements[static_cast<size_t>(k)], piece, part_type);
  }
}

Space named_space(Context& c, const Instr& i) {
  const MemorySpace space = memory_space(c, i);
  return space.space;
}

}  // namespace

void lower_Mov(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  const ptx::Operand &destination = i.operand(0), &source = i.operand(1);
  if (i.has("v2") || i.has("v4")) {  // element by element
    if (destination.elements.size() != source.elements.size()) c.malformed("vectors of different lengths");
    std::vector<ValueId> values;
    for (const ptx::Operand& element : source.elements) values.push_back(c.value(element, type));
    for (size_t k = 0; k < values.size(); ++k) c.write(destination.elements[k], values[k], type);
    return;
  }
  const ValueId value = source.kind == ptx::Operand::Kind::Vector ? pack(c, source, type) : c.value(source, type);
  if (destination.kind == ptx::Operand::Kind::Vector) return unpack(c, destination, value);
  c.write(destination, value, type);
}

// Global, constant and parameter addresses are generic ones; shared and local ones are offsets in their windows.
void lower_Cvta(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  const Space space = named_space(c, i);
  const bool to_space = i.has("to");
  const ptx::Operand& source = i.operand(1);
  ValueId address = c.b().cast(c.value(source, type), Type::I64);
  if (space == Space::Shared || space == Space::Local) {
    ir::Inst inst;
    inst.op = to_space ? Op::FromGeneric : Op::ToGeneric;
    inst.type = Type::I64;
    inst.space = space;
    inst.args = {address};
    address = c.b().pure(std::move(inst));
  } else if (space == Space::Generic) {
    c.malformed(i.full_opcode() + " without a state space");
  }
  c.write(i.operand(0), c.b().cast(address, ir_type(type)), type);
}

void lower_Isspacep(Context& c, const Instr& i) {
  const MemorySpace space = memory_space(c, i);
  if (space.space == Space::Generic) c.malformed(i.full_opcode() + " without a state space");
  ir::Inst inst;
  inst.op = Op::IsSpace;
  inst.type = Type::Pred;
  inst.space = space.space;
  inst.args = {c.value(i.operand(1), kU64)};
  c.write(i.operand(0), c.b().pure(std::move(inst)), kPred);
}

}  // namespace warplens::lower
