// Loads, stores, constants, fences.
#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

namespace {

struct Width {
  Type type = Type::I32;
  uint32_t count = 1;  // components of that type
  bool sign = false;   // of narrow ones
  uint32_t bytes() const { return static_cast<uint32_t>(ir::bytes(type)) * count; }
};

Width width_of(Lifter& l) {
  l.allow({"128", "64", "U8", "S8", "U16", "S16", "32"});
  for (const std::string& m : l.instruction().modifiers) {
    if (m == "128") return {Type::I32, 4};
    if (m == "64") return {Type::I64, 1};
    if (m == "U8") return {Type::I8, 1, false};
    if (m == "S8") return {Type::I8, 1, true};
    if (m == "U16") return {Type::I16, 1, false};
    if (m == "S16") return {Type::I16, 1, true};
  }
  return {};
}

ir::Space space_of(Lifter& l) {
  const std::string& opcode = l.instruction().opcode;
  if (opcode.ends_with("S")) return ir::Space::Shared;
  if (opcode.ends_with("L")) return ir::Space::Local;
  if (opcode.ends_with("G")) return ir::Space::Global;
  return ir::Space::Generic;
}

bool is_ordered(Lifter& l) {
  bool ordered = false;
  for (const char* word : {"STRONG", "MMIO", "VOLATILE"}) ordered |= l.has(word);
  return ordered;
}

const Operand& address_operand(Lifter& l) {
  for (size_t k = 0; k < l.operands(); ++k)
    if (l.operand(k).kind == Kind::Memory) return l.operand(k);
  l.refuse_form();
}

void write_loaded(Lifter& l, const Operand& to, const Width& width, ValueId load) {
  if (width.count > 1) {
    for (uint32_t k = 0; k < width.count; ++k) l.set(to, l.b().pure(Op::Extract, width.type, {load}, k), k);
    return;
  }
  if (width.type == Type::I64) return l.set_wide(to, load);
  l.set(to, l.b().cast(load, Type::I32, width.sign));
}

// With what the text adds, as 64 bits.
ValueId whole_address(Lifter& l, const ir::Inst& access) {
  ValueId at = access.args[0];
  if (l.b().inst(at).type != Type::I64) at = l.b().pure(Op::SExt, Type::I64, {at});
  return access.imm ? l.binary(Op::Add, at, l.k64(access.imm)) : at;
}

}  // namespace

// The base of an address: of 64 bits, but in shared memory. The offset in the text stays apart.
ValueId Lifter::address(const Operand& o, ir::Space space) {
  Operand reg;
  ValueId base = ir::kNone;
  const bool shared = space == ir::Space::Shared, narrow = shared || space == ir::Space::Local;
  const auto add = [&](ValueId v) { base = base == ir::kNone ? v : binary(Op::Add, base, v); };
  if (o.base != sass::kRZ) {
    reg.kind = Kind::Register;
    reg.number = o.base;
    ValueId v = narrow         ? raw(reg)
                : o.wide_base  ? wide(reg)
                : o.has("U32") ? builder_.pure(Op::ZExt, Type::I64, {raw(reg)})
                               : wide(reg);
    if (o.scale > 1) v = binary(Op::Shl, v, k32(static_cast<uint64_t>(__builtin_ctz(o.scale))));
    add(v);
  }
  if (o.uniform != sass::kRZ) {
    reg.kind = Kind::Uniform;
    reg.number = o.uniform;
    add(narrow ? raw(reg) : wide(reg));
  }
  if (base == ir::kNone) base = narrow ? k32(0) : k64(0);
  // Where a thread's local memory begins is 0; a stack pointer is an offset.
  if (space == ir::Space::Local) base = builder_.pure(Op::ZExt, Type::I64, {base});
  return base;
}

void lift_Load(Lifter& l) {
  const Width width = width_of(l);
  const Operand& at = address_operand(l);
  const Operand& to = l.operand(0);
  for (size_t k = 1; k < l.operands(); ++k)  // LDG with a predicate: where nothing is there
    if (l.operand(k).kind == Kind::Predicate && l.operand(k).number != sass::kPT) l.refuse_form();
  ir::Inst inst;
  inst.op = Op::Load;
  inst.type = width.type;
  inst.space = space_of(l);
  inst.count = static_cast<uint8_t>(width.count);
  inst.is_volatile = is_ordered(l);
  inst.guard = l.guard();
  inst.args = {l.address(at, inst.space)};
  inst.imm = static_cast<uint64_t>(at.value);
  inst.site = l.site(ir::SiteKind::Load, inst.space, width.bytes(), width.type == Type::I64 ? 2 : width.count);
  write_loaded(l, to, width, l.b().emit(std::move(inst)));
}

void lift_Store(Lifter& l) {
  const Width width = width_of(l);
  const Operand& at = address_operand(l);
  const Operand& from = l.operand(l.operands() - 1);
  ir::Inst inst;
  inst.op = Op::Store;
  inst.type = width.type;
  inst.space = space_of(l);
  inst.count = static_cast<uint8_t>(width.count);
  inst.is_volatile = is_ordered(l);
  inst.guard = l.guard();
  inst.args = {l.address(at, inst.space)};
  inst.imm = static_cast<uint64_t>(at.value);
  if (width.type == Type::I64)
    inst.args.push_back(l.wide(from));
  else
    for (uint32_t k = 0; k < width.count; ++k) inst.args.push_back(l.b().cast(l.raw(from, k), width.type));
  inst.site = l.site(ir::SiteKind::Store, inst.space, width.bytes(), width.type == Type::I64 ? 2 : width.count);
  l.b().emit(std::move(inst));
}

// LDC d, c[bank][R + offset]
void lift_LoadConstant(Lifter& l) {
  const Width width = width_of(l);
  const Operand& from = l.operand(1);
  if (from.kind != Kind::Constant || width.count > 2) l.refuse_form();
  const bool fixed = from.base == sass::kRZ && from.uniform == sass::kRZ;
  if (width.type == Type::I64) {
    ValueId both;
    if (!fixed)
      both = l.indexed_constant(from, Type::I64);
    else if (from.number == 0 && static_cast<uint32_t>(from.value) < l.input().param_base)
      both = l.join(l.constant(from, 0), l.constant(from, 1));
    else
      both = l.constant_at(from.number, static_cast<uint32_t>(from.value), Type::I64);
    return l.set_wide(l.operand(0), both);
  }
  const ValueId value = fixed ? l.constant_at(from.number, static_cast<uint32_t>(from.value), width.type)
                              : l.indexed_constant(from, width.type);
  l.set(l.operand(0), l.b().cast(value, Type::I32, width.sign));
}

// LDGSTS [shared], [global]: a load and a store in one instruction, at once, which is one of the orders that it may
// take (lower/memory.cpp says more).
void lift_CopyToShared(Lifter& l) {
  const Width width = width_of(l);
  const Operand &to = l.operand(0), &from = l.operand(1);
  if (to.kind != Kind::Memory || from.kind != Kind::Memory) l.refuse_form();
  ValueId reads = l.guard();
  if (l.operands() > 2) {  // filled with zeros where the predicate is false
    const ValueId p = l.predicate(l.operand(2));
    uint64_t always = 0;
    if (!(l.b().is_constant(p, &always) && always)) reads = reads == ir::kNone ? p : l.binary(Op::And, reads, p);
  }
  const uint32_t words = width.bytes() / 4;
  if (words == 0) l.refuse_form();
  ir::Inst load;
  load.op = Op::Load;
  load.type = Type::I32;
  load.space = ir::Space::Global;
  load.count = static_cast<uint8_t>(words);
  load.guard = reads;
  load.args = {l.address(from, ir::Space::Global)};
  load.imm = static_cast<uint64_t>(from.value);
  load.site = l.site(ir::SiteKind::Load, ir::Space::Global, 4 * words, words);
  const ValueId source = whole_address(l, load);
  const ValueId loaded = l.b().emit(std::move(load));
  ir::Inst store;
  store.op = Op::Store;
  store.type = Type::I32;
  store.space = ir::Space::Shared;
  store.count = static_cast<uint8_t>(words);
  store.guard = l.guard();
  store.args = {l.address(to, ir::Space::Shared)};
  store.imm = static_cast<uint64_t>(to.value);
  for (uint32_t k = 0; k < words; ++k)
    store.args.push_back(words == 1 ? loaded : l.b().pure(Op::Extract, Type::I32, {loaded}, k));
  store.site = l.site(ir::SiteKind::Store, ir::Space::Shared, 4 * words, words);
  ir::Inst count;
  count.op = Op::SystemCall;
  count.imm = static_cast<uint64_t>(ir::SystemCall::CountCopy);
  count.guard = store.guard;
  count.site = store.site;
  count.weight = 0;
  count.args = {whole_address(l, store), source,
                reads == ir::kNone ? l.k64(1) : l.b().pure(Op::ZExt, Type::I64, {reads})};
  l.b().emit(std::move(store));
  l.b().emit(std::move(count));
}

void lift_Fence(Lifter& l) {
  l.allow({"SC", "ALL", "VIEW", "ASYNC"});
  ir::Inst inst;
  inst.op = Op::Fence;
  l.b().emit(std::move(inst));
}

// QSPC.E.S p, d, [x]: does the generic address lie in shared memory (S), local (L), global (G)?
void lift_QuerySpace(Lifter& l) {
  ir::Space space = ir::Space::Global;
  if (l.has("S"))
    space = ir::Space::Shared;
  else if (l.has("L"))
    space = ir::Space::Local;
  else if (!l.has("G"))
    l.refuse_form();
  const Operand* to = nullptr;
  for (size_t k = 0; k < l.operands(); ++k)
    if (l.operand(k).kind == Operand::Kind::Predicate && !to) to = &l.operand(k);
  const Operand& at = l.operand(l.operands() - 1);
  if (!to || at.kind != Operand::Kind::Memory) l.refuse_form();
  ir::Inst inst;
  inst.op = Op::IsSpace;
  inst.type = Type::Pred;
  inst.space = space;
  inst.args = {l.address(at, ir::Space::Generic)};
  if (at.value) inst.args[0] = l.binary(Op::Add, inst.args[0], l.k64(static_cast<uint64_t>(at.value)));
  l.set_predicate(*to, l.b().pure(std::move(inst)));
}

}  // namespace warplens::lift
