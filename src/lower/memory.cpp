// ld, st, ldu, prefetch and their like.
//
// Cache operators, eviction hints and prefetch sizes say how a GPU caches, not what a program computes: ignored. .nc
// is a promise that nobody writes: ignored too. Everything ordered (volatile, relaxed, acquire, release, mmio) is kept
// where it is by Inst::is_volatile; one warp's accesses happen in program order.
#include <algorithm>
#include <functional>
#include <optional>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

// The space whose address `value` is seen to be: made by cvta from it, or the parameter buffer.
struct Origin {
  Space space;
  ValueId inner;
};
std::optional<Origin> origin_of(Builder& b, ValueId value) {
  const ir::Inst inst = b.inst(value);
  if (inst.op == Op::ToGeneric) return Origin{inst.space, inst.args[0]};
  if (inst.op == Op::Special && inst.imm == static_cast<uint64_t>(ir::SpecialRegister::ParamBase))
    return Origin{Space::Const, value};
  if (inst.op != Op::Add) return std::nullopt;
  for (const int k : {0, 1})
    if (auto origin = origin_of(b, inst.args[static_cast<size_t>(k)])) {
      origin->inner = b.binary(Op::Add, origin->inner, inst.args[static_cast<size_t>(1 - k)]);
      return origin;
    }
  return std::nullopt;
}

// A fixed offset in the kernel's parameter buffer, where `address` is one.
std::optional<int64_t> param_offset(Builder& b, ValueId address, int64_t offset) {
  const auto is_base = [&](ValueId v) {
    const ir::Inst& inst = b.inst(v);
    return inst.op == Op::Special && inst.imm == static_cast<uint64_t>(ir::SpecialRegister::ParamBase);
  };
  if (is_base(address)) return offset;
  const ir::Inst inst = b.inst(address);
  uint64_t constant = 0;
  if (inst.op == Op::Add && is_base(inst.args[0]) && b.is_constant(inst.args[1], &constant))
    return offset + static_cast<int64_t>(constant);
  return std::nullopt;
}

void check_space(Context& c, const Name& name, const MemorySpace& space) {
  using Kind = Name::Kind;
  if (space.param || space.space == Space::Generic) return;
  const bool fits = name.kind == Kind::Shared   ? space.space == Space::Shared
                    : name.kind == Kind::Local  ? space.space == Space::Local
                    : name.kind == Kind::Symbol ? space.space == name.space
                                                : true;
  if (!fits) c.malformed("an access to a variable of another state space");
}

Space space_of(const Name& name) {
  switch (name.kind) {
    case Name::Kind::Shared:
      return Space::Shared;
    case Name::Kind::Local:
    case Name::Kind::Param:
      return Space::Local;
    case Name::Kind::Symbol:
      return name.space;
    case Name::Kind::KernelParam:
      return Space::Const;
    default:
      return Space::Generic;
  }
}

// The type of a component: b32 and the like take what the register holds, which saves a bitcast.
Type component_type(Context& c, ScalarType type, const ptx::Operand& operand) {
  const Type given = ir_type(type), held = c.declared_type(operand);
  const bool free = type.kind == ScalarType::Kind::Bits && ir::bits(given) == ir::bits(held) && held != Type::Pred;
  return free ? held : given;
}

void load_from_param(Context& c, const Instr& i, const ptx::Operand& destination, ScalarType type,
                     const std::function<ValueId(int64_t offset, Type type)>& load) {
  std::vector<ValueId> values;
  const int count = vector_length(i);
  for (int k = 0; k < count; ++k) values.push_back(load(static_cast<int64_t>(type.bytes()) * k, ir_type(type)));
  write_components(c, destination, type, values);
}

// ld.param by name, or through an address that is a fixed place in the parameter buffer. False: none of these.
bool load_param(Context& c, const Instr& i, const MemorySpace& space) {
  const Context::Address at = c.address(i.operand(1));
  const ScalarType type = i.type();
  if (at.name && at.name->kind == Name::Kind::Param) {
    load_from_param(c, i, i.operand(0), type,
                    [&](int64_t offset, Type t) { return c.load_param(*at.name->object, at.offset + offset, t); });
    return true;
  }
  std::optional<int64_t> fixed;
  if (at.name && at.name->kind == Name::Kind::KernelParam)
    fixed = at.name->offset + at.offset;
  else if (!at.name)
    fixed = param_offset(c.b(), c.b().cast(at.base, Type::I64), at.offset);
  if (!fixed) return false;
  const int64_t bytes = static_cast<int64_t>(type.bytes()) * vector_length(i);
  if (*fixed < 0 || *fixed + bytes > c.function().param_bytes) c.malformed("a load past the end of the parameters");
  load_from_param(c, i, i.operand(0), type,
                  [&](int64_t offset, Type t) { return c.b().param(t, static_cast<uint32_t>(*fixed + offset)); });
  return true;
}

void check_width(Context& c, const Instr& i, ScalarType type) {
  if (ir_type(type) == Type::Void || type.is_pred()) c.unsupported(i);
  if (type.bytes() * static_cast<uint64_t>(vector_length(i)) > 32) c.malformed(i.full_opcode() + " is too wide");
}

}  // namespace

int vector_length(const Instr& i) { return i.has("v2") ? 2 : i.has("v4") ? 4 : i.has("v8") ? 8 : 1; }

void write_components(Context& c, const ptx::Operand& destination, ScalarType type,
                      const std::vector<ValueId>& values) {
  if (values.size() == 1 && destination.kind != ptx::Operand::Kind::Vector)
    return c.write(destination, values[0], type);
  if (destination.elements.size() != values.size()) c.malformed("a vector of the wrong length");
  for (size_t k = 0; k < values.size(); ++k) c.write(destination.elements[k], values[k], type);
}

std::vector<const ptx::Operand*> registers_in(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::Vector) return {&operand};
  std::vector<const ptx::Operand*> result;
  for (const ptx::Operand& element : operand.elements) result.push_back(&element);
  return result;
}

std::vector<const ptx::Operand*> components(Context& c, const ptx::Operand& operand, int count) {
  auto result = registers_in(operand);
  if (result.size() != static_cast<size_t>(count)) c.malformed("a vector of the wrong length");
  return result;
}

MemorySpace memory_space(Context& c, const Instr& i) {
  for (const std::string& m : i.text.modifiers) {
    if (m == "global") return {Space::Global, false};
    // Every block is a cluster of its own.
    if (m == "shared" || m == "shared::cta" || m == "shared::cluster") return {Space::Shared, false};
    if (m == "local") return {Space::Local, false};
    if (m == "const") return {Space::Const, false};
    if (m.starts_with("const[")) c.unsupported(i);
    if (m == "param" || m.starts_with("param::")) return {Space::Const, true};
  }
  return {Space::Generic, false};
}

bool is_ordered(const Instr& i) {
  return i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("release") || i.has("mmio") ||
         i.has("acq_rel");
}

ValueId access_address(Context& c, const ptx::Operand& operand, Space* space, int64_t* offset) {
  const Context::Address at = c.address(operand);
  *offset = at.offset;
  if (at.name) {
    check_space(c, *at.name, {*space, false});
    if (*space == Space::Generic) *space = space_of(*at.name);
    if (at.name->kind == Name::Kind::Symbol) return c.address_of(*at.name, 0);  // the offset stays with the access
    const ValueId address = c.address_of(*at.name, at.offset);
    *offset = 0;
    return address;
  }
  if (*space == Space::Shared) return at.base;
  const ValueId base = c.b().cast(at.base, Type::I64);
  if (*space != Space::Generic) return base;
  if (const auto origin = origin_of(c.b(), base)) {
    *space = origin->space;
    return origin->inner;
  }
  return base;
}

void lower_Ld(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  check_width(c, i, type);
  MemorySpace space = memory_space(c, i);
  if ((space.param || space.space == Space::Generic) && load_param(c, i, space)) return;
  // Through an address that was taken of a device function's parameter.
  if (space.param && c.frame().return_block != ir::kNone) space = {Space::Local, false};
  const ptx::Operand& destination = i.operand(0);
  const int count = vector_length(i);
  const auto parts = components(c, destination, count);
  ir::Inst inst;
  inst.op = Op::Load;
  inst.type = component_type(c, type, *parts[0]);
  inst.space = space.space;
  inst.count = static_cast<uint8_t>(count);
  inst.is_volatile = is_ordered(i);
  inst.guard = c.guard();
  int64_t offset = 0;
  inst.args = {access_address(c, i.operand(1), &inst.space, &offset)};
  inst.imm = static_cast<uint64_t>(offset);
  inst.site = c.new_site(ir::SiteKind::Load, i, inst.space, inst.type, count);
  const Type loaded = inst.type;
  const ValueId load = c.b().emit(std::move(inst));
  std::vector<ValueId> values{load};
  if (count > 1) {
    values.clear();
    for (int k = 0; k < count; ++k) values.push_back(c.b().pure(Op::Extract, loaded, {load}, static_cast<uint64_t>(k)));
  }
  write_components(c, destination, type, values);
}

void lower_Ldu(Context& c, const Instr& i) { lower_Ld(c, i); }

void lower_St(Context& c, const Instr& i) {
  if (i.has("async") || i.has("bulk")) c.unsupported(i);
  const ScalarType type = i.type();
  check_width(c, i, type);
  const MemorySpace space = memory_space(c, i);
  const int count = vector_length(i);
  const auto parts = components(c, i.operand(1), count);
  std::vector<ValueId> values;
  // A register may be wider than what is stored: value() keeps its low bits.
  for (const ptx::Operand* part : parts) {
    const Type wanted = component_type(c, type, *part);
    values.push_back(wanted == ir_type(type) ? c.value(*part, type) : c.b().cast(c.value(*part, type), wanted));
  }
  for (size_t k = 1; k < values.size(); ++k) values[k] = c.b().cast(values[k], c.b().type(values[0]));
  if (space.param) {
    const Context::Address at = c.address(i.operand(0));
    if (!at.name || at.name->kind != Name::Kind::Param) c.unsupported(i);
    for (size_t k = 0; k < values.size(); ++k)
      c.store_param(*at.name->object, at.offset + static_cast<int64_t>(type.bytes() * k), values[k]);
    return;
  }
  ir::Inst inst;
  inst.op = Op::Store;
  inst.type = c.b().type(values[0]);
  inst.space = space.space;
  inst.count = static_cast<uint8_t>(count);
  inst.is_volatile = is_ordered(i);
  inst.guard = c.guard();
  int64_t offset = 0;
  inst.args = {access_address(c, i.operand(0), &inst.space, &offset)};
  inst.args.insert(inst.args.end(), values.begin(), values.end());
  inst.imm = static_cast<uint64_t>(offset);
  if (inst.space == Space::Const) c.malformed("a store to constant memory");
  inst.site = c.new_site(ir::SiteKind::Store, i, inst.space, inst.type, count);
  c.b().emit(std::move(inst));
}

namespace {

// Which bytes of a cp.async are copied; the rest of its place in shared memory is filled with zeros.
struct CopySource {
  ValueId bytes = ir::kNone;  // I32; kNone: all
  ValueId none = ir::kNone;   // Pred: nothing is read
};

CopySource copy_source(Context& c, const Instr& i) {
  size_t operands = i.text.operands.size();
  if (std::any_of(i.text.modifiers.begin(), i.text.modifiers.end(),
                  [](const std::string& m) { return m.find("cache_hint") != m.npos; }))
    --operands;
  if (operands <= 3) return {};
  if (c.declared_type(i.operand(3)) == Type::Pred) return {ir::kNone, c.value(i.operand(3), kPred)};
  return {c.value(i.operand(3), kU32), ir::kNone};
}

// All bytes, by a number that the text says: no different from no number.
bool is_whole(Context& c, ValueId bytes, uint64_t of) {
  uint64_t number = 0;
  return bytes != ir::kNone && c.b().is_constant(bytes, &number) && number >= of;
}

// The bytes of word k that are copied, as a mask of the word.
ValueId kept_bits(Context& c, ValueId bytes, uint32_t word) {
  Builder& b = c.b();
  const auto number = [&](uint32_t n) { return b.constant(Type::I32, n); };
  const ValueId below = b.binary(Op::MinU, bytes, number(4 * word));
  const ValueId here = b.binary(Op::MinU, b.binary(Op::Sub, bytes, below), number(4));
  // 8 * here bits from the bottom: all of them shifted out give 0 for none.
  return b.binary(Op::ShrU, number(~0u), b.binary(Op::Sub, number(32), b.binary(Op::Shl, here, number(3))));
}

}  // namespace

// cp.async copies 4, 8 or 16 bytes from global to shared memory in the background: here at once, which is one of the
// orders that it may take, so that groups of copies are always there when they are waited for. On a GPU it is one
// instruction (LDGSTS), counted as a global load and as a shared store.
void lower_Cp(Context& c, const Instr& i) {
  if (i.has("async") && i.has("mbarrier") && i.has("arrive")) return arrive_after_copies(c, i);
  if (i.has("async") && i.has("bulk")) return bulk_copy(c, i);
  if (!i.has("async") || i.has("bulk") || i.has("mbarrier::complete_tx::bytes") || i.has("mbarrier")) c.unsupported(i);
  if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all")) {
    ir::Inst fence;
    fence.op = Op::Fence;
    c.b().emit(std::move(fence));
    return;
  }
  uint64_t bytes = 0;
  if (!c.b().is_constant(c.value(i.operand(2), kU32), &bytes) || (bytes != 4 && bytes != 8 && bytes != 16))
    c.malformed(i.full_opcode() + " copies 4, 8 or 16 bytes");
  const auto words = static_cast<uint32_t>(bytes / 4);
  CopySource source = copy_source(c, i);
  if (is_whole(c, source.bytes, bytes)) source.bytes = ir::kNone;
  Builder& b = c.b();
  ir::Inst load;
  load.op = Op::Load;
  load.type = Type::I32;
  load.space = Space::Global;
  load.count = static_cast<uint8_t>(words);
  load.guard = c.guard();
  ValueId reads = ir::kNone;
  if (source.bytes != ir::kNone) reads = b.icmp(ir::IntCompare::Ne, source.bytes, b.constant(Type::I32, 0));
  if (source.none != ir::kNone) reads = b.unary(Op::Not, source.none);
  if (reads != ir::kNone) load.guard = load.guard == ir::kNone ? reads : b.binary(Op::And, load.guard, reads);
  int64_t offset = 0;
  load.args = {access_address(c, i.operand(1), &load.space, &offset)};
  load.imm = static_cast<uint64_t>(offset);
  load.site = c.new_site(ir::SiteKind::Load, i, load.space, Type::I32, static_cast<int>(words));
  const ValueId loaded = b.emit(std::move(load));
  ir::Inst store;
  store.op = Op::Store;
  store.type = Type::I32;
  store.space = Space::Shared;
  store.count = static_cast<uint8_t>(words);
  store.guard = c.guard();
  store.args = {access_address(c, i.operand(0), &store.space, &offset)};
  store.imm = static_cast<uint64_t>(offset);
  for (uint32_t k = 0; k < words; ++k) {
    ValueId word = words == 1 ? loaded : b.pure(Op::Extract, Type::I32, {loaded}, k);
    if (source.bytes != ir::kNone) word = b.binary(Op::And, word, kept_bits(c, source.bytes, k));
    store.args.push_back(word);
  }
  store.site = c.new_site(ir::SiteKind::Store, i, store.space, Type::I32, static_cast<int>(words));
  b.emit(std::move(store));
}

// Hints about caches.
void lower_Prefetch(Context& c, const Instr& i) {
  ir::Inst inst;
  inst.op = Op::Prefetch;
  c.b().emit(std::move(inst));
}
void lower_Prefetchu(Context& c, const Instr& i) { lower_Prefetch(c, i); }
void lower_Applypriority(Context& c, const Instr& i) { lower_Prefetch(c, i); }
// What is discarded may be read as anything: as what it was.
void lower_Discard(Context& c, const Instr& i) { lower_Prefetch(c, i); }
// What .L2::cache_hint takes, and ignores.
void lower_Createpolicy(Context& c, const Instr& i) { c.write(i.operand(0), c.b().constant(Type::I64, 0), kU64); }

// Every block is a cluster of its own: an address in its only block is that in this one.
void lower_Mapa(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  c.write(i.operand(0), c.value(i.operand(1), type), type);
}
void lower_Getctarank(Context& c, const Instr& i) { c.write(i.operand(0), c.b().constant(Type::I32, 0), kU32); }

}  // namespace warplens::lower
