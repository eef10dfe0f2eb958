// .param variables of calls as SSA values.
//
// A compiler stores arguments into .param variables byte range by byte range, calls, and the callee loads them. With
// the callee inlined they need no memory: each range that is accessed as a whole is one SSA variable (a cell), found
// by looking at every access in the caller and in the callees it is passed to. Ranges that overlap make one cell,
// accessed by shifts. Where the address is taken, or a cell would need more than 8 bytes, the variable lies in the
// thread's local memory instead.
#include <algorithm>
#include <set>
#include <utility>

#include "lower/context.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

using Seen = std::set<std::pair<const ptx::Function*, std::string_view>>;

void collect(ModuleContext& module, const ptx::Function& function, const std::string& name, Seen& seen,
             FunctionFacts::Access& all) {
  if (!seen.emplace(&function, name).second) return;
  const FunctionFacts& facts = module.facts_of(function);
  if (const auto it = facts.param_accesses.find(name); it != facts.param_accesses.end()) {
    all.ranges.insert(all.ranges.end(), it->second.ranges.begin(), it->second.ranges.end());
    all.address_taken |= it->second.address_taken;
  }
  const auto passed = facts.passed.find(name);
  if (passed == facts.passed.end()) return;
  for (const FunctionFacts::Passed& to : passed->second) {
    const auto callee = module.functions.find(to.callee);
    if (callee == module.functions.end()) continue;
    const auto& formals = to.result ? callee->second->results : callee->second->params;
    if (to.position < formals.size()) collect(module, *callee->second, formals[to.position].name, seen, all);
  }
}

// Sorted, disjoint ranges that cover the given ones.
std::vector<FunctionFacts::Range> merge(std::vector<FunctionFacts::Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<FunctionFacts::Range> result;
  for (const FunctionFacts::Range& range : ranges) {
    if (result.empty() || range.offset >= result.back().offset + result.back().bytes) {
      result.push_back(range);
      continue;
    }
    FunctionFacts::Range& last = result.back();
    last.bytes = std::max(last.bytes, range.offset + range.bytes - last.offset);
  }
  return result;
}

}  // namespace

std::shared_ptr<ParamObject> Context::make_object(const ptx::Variable& variable, const Frame& frame) {
  auto object = std::make_shared<ParamObject>();
  object->bytes = static_cast<uint32_t>(std::min<uint64_t>(variable_bytes(variable), 1u << 20));
  FunctionFacts::Access access;
  Seen seen;
  collect(module_, *frame.function, variable.name, seen, access);
  const auto cells = merge(std::move(access.ranges));
  object->in_memory = access.address_taken;
  for (const FunctionFacts::Range& cell : cells)
    if (int_type(static_cast<int>(std::min(cell.bytes, 16u)) * 8) == ir::Type::Void) object->in_memory = true;
  if (object->in_memory) {
    object->frame_offset = allocate_local(object->bytes, std::max(variable_align(variable), 8u));
    return object;
  }
  for (const FunctionFacts::Range& cell : cells)
    object->cells.push_back(
        {cell.offset, cell.bytes, builder_.new_variables(int_type(static_cast<int>(cell.bytes) * 8))});
  return object;
}

namespace {

const ParamObject::Cell* find_cell(const ParamObject& object, int64_t offset, int64_t bytes) {
  for (const ParamObject::Cell& cell : object.cells)
    if (offset >= cell.offset && offset + bytes <= int64_t{cell.offset} + cell.bytes) return &cell;
  return nullptr;
}

ir::Inst local_access(ir::Op op, ir::Type type, ir::ValueId address) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.space = ir::Space::Local;
  inst.args = {address};
  return inst;
}

}  // namespace

ir::ValueId Context::load_param(ParamObject& object, int64_t offset, ir::Type type) {
  const int64_t bytes = ir::bytes(type);
  if (offset < 0 || offset + bytes > object.bytes) malformed("a load past the end of a parameter");
  if (object.in_memory) {
    ir::Inst inst = local_access(ir::Op::Load, type, local_address(object.frame_offset + offset));
    inst.guard = guard_;
    inst.site = new_site(ir::SiteKind::Load, ir::Space::Local, type);
    return builder_.emit(std::move(inst));
  }
  const ParamObject::Cell* cell = find_cell(object, offset, bytes);
  if (!cell) malformed("a parameter access that does not fit its variable");
  ir::ValueId value = builder_.read(cell->variable);
  if (const int64_t skip = offset - cell->offset; skip != 0)
    value = builder_.binary(ir::Op::ShrU, value, builder_.constant(ir::Type::I32, static_cast<uint64_t>(skip) * 8));
  return builder_.cast(value, type);
}

void Context::store_param(ParamObject& object, int64_t offset, ir::ValueId value) {
  const ir::Type type = builder_.type(value);
  const int64_t bytes = ir::bytes(type);
  if (offset < 0 || offset + bytes > object.bytes) malformed("a store past the end of a parameter");
  if (object.in_memory) {
    ir::Inst inst = local_access(ir::Op::Store, type, local_address(object.frame_offset + offset));
    inst.args.push_back(value);
    inst.guard = guard_;
    inst.site = new_site(ir::SiteKind::Store, ir::Space::Local, type);
    builder_.emit(std::move(inst));
    return;
  }
  const ParamObject::Cell* cell = find_cell(object, offset, bytes);
  if (!cell) malformed("a parameter access that does not fit its variable");
  const ir::Type whole = builder_.variable_type(cell->variable);
  ir::ValueId result = builder_.cast(value, int_type(ir::bits(type)));
  if (ir::bits(whole) != ir::bits(type)) {  // a piece: the other bytes stay
    const uint64_t shift = static_cast<uint64_t>(offset - cell->offset) * 8;
    const uint64_t mask = ((uint64_t{1} << ir::bits(type)) - 1) << shift;
    const ir::ValueId piece =
        builder_.binary(ir::Op::Shl, builder_.cast(result, whole), builder_.constant(ir::Type::I32, shift));
    const ir::ValueId rest =
        builder_.binary(ir::Op::And, builder_.read(cell->variable), builder_.constant(whole, ~mask));
    result = builder_.binary(ir::Op::Or, rest, piece);
  }
  if (guard_ != ir::kNone) result = builder_.select(guard_, result, builder_.read(cell->variable));
  builder_.write(cell->variable, result);
}

// Its bytes as integers: its cells, or words of what lies in memory.
std::vector<Piece> Context::pieces_of(ParamObject& object) {
  std::vector<Piece> pieces;
  if (!object.in_memory) {
    for (const ParamObject::Cell& cell : object.cells)
      pieces.push_back({cell.offset, cell.bytes, builder_.read(cell.variable)});
    return pieces;
  }
  for (int64_t at = 0; at < object.bytes;) {
    const int64_t bytes = word_at(at, object.bytes);
    pieces.push_back({at, bytes, load_param(object, at, int_type(static_cast<int>(bytes) * 8))});
    at += bytes;
  }
  return pieces;
}

void Context::fill(ParamObject& object, const std::vector<Piece>& pieces) {
  if (object.in_memory) {
    for (const Piece& p : pieces)
      if (p.offset + p.bytes <= object.bytes) store_param(object, p.offset, p.value);
    return;
  }
  for (const ParamObject::Cell& cell : object.cells)
    builder_.write(cell.variable, piece(pieces, cell.offset, cell.bytes));
}

ir::ValueId Context::piece(const std::vector<Piece>& pieces, int64_t offset, int64_t bytes) {
  const ir::Type type = int_type(static_cast<int>(bytes) * 8);
  ir::ValueId whole = builder_.constant(type, 0);
  for (const Piece& p : pieces) {
    if (p.offset + p.bytes <= offset || p.offset >= offset + bytes) continue;
    ir::ValueId part = p.value;
    const auto shift = [&](ir::Op op, int64_t by) {
      return builder_.binary(op, part, builder_.constant(ir::Type::I32, static_cast<uint64_t>(by) * 8));
    };
    if (p.offset < offset) part = shift(ir::Op::ShrU, offset - p.offset);
    part = builder_.cast(part, type);
    if (p.offset > offset) part = shift(ir::Op::Shl, p.offset - offset);
    whole = builder_.binary(ir::Op::Or, part, whole);
  }
  return whole;
}

}  // namespace warplens::lower
