// tex tld4 txq, suld sust sured suq, istypep: textures and surfaces by their objects' handles.
//
// Texture references (.texref variables, gone in CUDA 12), samplers apart from their texture, multisampled textures and
// comparisons with a depth are refused: CUDA's API makes no sampler, and no array of depths. Cache operators and hints
// are ignored, as everywhere.
#include <utility>

#include "base/texture_access.h"
#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;
using Shape = TextureShape;

Shape shape_of(Context& c, const Instr& i) {
  constexpr std::pair<std::string_view, Shape> kShapes[] = {
      {"1d", Shape::D1},
      {"2d", Shape::D2},
      {"3d", Shape::D3},
      {"a1d", Shape::D1Layers},
      {"a2d", Shape::D2Layers},
      {"cube", Shape::Cube},
      {"acube", Shape::CubeLayers},
  };
  for (const auto& [word, shape] : kShapes)
    if (i.has(word)) return shape;
  c.unsupported(i);
}

// An instruction on a texture or surface while its operands are read.
struct Request {
  Context& c;
  TextureAccess access;
  std::vector<ValueId> args;

  void handle(const ptx::Operand& operand) { args.push_back(c.value(operand, kU64)); }
  // "{a, b}" or "a"; vectors are padded to two or four, so what is beyond `count` is ignored.
  void values(const ptx::Operand& operand, uint32_t count, ScalarType type) {
    const bool vector = operand.kind == ptx::Operand::Kind::Vector;
    if (vector ? operand.elements.size() < count : count != 1) c.malformed("too few coordinates");
    for (uint32_t k = 0; k < count; ++k) args.push_back(c.value(vector ? operand.elements[k] : operand, type));
  }
  // [object, {layer, x, y}]
  void place(const Instr& i, const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::Address || operand.elements.empty()) c.malformed("no texture or surface");
    if (operand.elements.size() == 3) c.refuse(i.full_opcode() + " with a sampler of its own is not supported yet");
    if (operand.elements.size() != 2) c.malformed("coordinates are missing");
    handle(operand.elements[0]);
    const ScalarType type = counts_texels(access.op) ? kU32 : kF32;
    if (!has_layers(access.shape)) return values(operand.elements[1], coordinates(access.shape), type);
    ptx::Operand rest = operand.elements[1];
    if (rest.elements.size() < 2) c.malformed("too few coordinates");
    args.push_back(c.value(rest.elements[0], kU32));
    rest.elements.erase(rest.elements.begin());
    values(rest, coordinates(access.shape), type);
  }

  ValueId emit(Op op, Type type, int count, ir::SiteId site) {
    ir::Inst inst;
    inst.op = op;
    inst.type = type;
    inst.count = static_cast<uint8_t>(count);
    inst.guard = c.guard();
    inst.imm = access.pack();
    inst.site = site;
    inst.args = args;
    return c.b().emit(std::move(inst));
  }
  std::vector<ValueId> parts(ValueId whole, Type type, int count) {
    if (count == 1) return {whole};
    std::vector<ValueId> values;
    for (int k = 0; k < count; ++k) values.push_back(c.b().pure(Op::Extract, type, {whole}, static_cast<uint64_t>(k)));
    return values;
  }
};

// The offset, one number or a vector, if there is one behind so many operands. Its numbers have `bits`.
void offset(Request& r, const Instr& i, size_t operands, unsigned bits) {
  Context& c = r.c;
  if (i.operand_count() == operands) return;
  const ptx::Operand& operand = i.operand(operands);
  const uint32_t n = coordinates(r.access.shape);
  const bool vector = operand.kind == ptx::Operand::Kind::Vector;
  if (i.operand_count() > operands + 1 || (!vector && n > 1) || is_cube(r.access.shape))
    c.refuse(i.full_opcode() + " with a comparison is not supported yet");
  if (vector && operand.elements.size() < n) c.malformed("too few offsets");
  Builder& b = c.b();
  ValueId packed = ir::kNone;
  // Of one dimension an H200 takes y from behind x.
  const bool only_x = r.access.shape == Shape::D1;
  for (uint32_t d = 0; d < (only_x ? 2 : n); ++d) {
    const ValueId word = c.value(vector ? operand.elements[only_x ? 0 : d] : operand, kB32);
    const ValueId texels = slice(b, word, only_x ? d * bits : 0, bits, true);
    const ValueId byte = b.binary(Op::And, texels, b.constant(Type::I32, 255));
    const ValueId moved = b.binary(Op::Shl, byte, b.constant(Type::I32, 8 * d));
    packed = d == 0 ? moved : b.binary(Op::Or, packed, moved);
  }
  r.access.has_offset = true;
  r.args.push_back(packed);
}

// Results of 16 bits: those of 32 rounded, whatever they are.
std::vector<ValueId> narrowed(Context& c, const std::vector<ValueId>& singles, bool packed) {
  constexpr ScalarType kF16{ScalarType::Kind::Float, 16, false};
  std::vector<ValueId> halves;
  for (const ValueId single : singles) halves.push_back(narrow_half(c, kF16, single));
  if (!packed) return halves;
  return {pack_halves(c, halves[0], halves[1]), pack_halves(c, halves[2], halves[3])};
}

// The texel, and whether its memory is there ("d|p"), which it always is.
void fetch(Request& r, const Instr& i) {
  Context& c = r.c;
  const ScalarType type = i.type();
  const bool halves = type.kind == ScalarType::Kind::Float && type.bits == 16;
  if (!halves && (type.total_bits() != 32 || type.packed)) c.unsupported(i);
  const int count = type.packed ? 4 : vector_length(i);
  const Type result = halves ? Type::F32 : ir_type(type);
  const ir::SiteId site = c.new_site(ir::SiteKind::Load, i, ir::Space::Texture, result, count);
  auto values = r.parts(r.emit(Op::Texture, result, count, site), result, count);
  if (halves) values = narrowed(c, values, type.packed);
  const ptx::Operand& destination = i.operand(0);
  const bool pair = destination.kind == ptx::Operand::Kind::Pair && destination.elements.size() == 2;
  write_components(c, pair ? destination.elements[0] : destination, type, values);
  if (pair) c.write(destination.elements[1], c.b().constant(Type::Pred, 1), kPred);
}

TextureQuery query_of(Context& c, const Instr& i) {
  constexpr std::pair<std::string_view, TextureQuery> kQueries[] = {
      {"width", TextureQuery::Width},
      {"height", TextureQuery::Height},
      {"depth", TextureQuery::Depth},
  };
  for (const auto& [word, query] : kQueries)
    if (i.has(word)) return query;
  c.unsupported(i);
}

ValueId query(Request& r, const Instr& i) {
  r.access = {TextureOp::Query, Shape::D1, static_cast<uint8_t>(query_of(r.c, i))};
  return r.emit(Op::Texture, Type::I32, 1, ir::kNone);
}

SurfaceDetail surface_detail(Context& c, const Instr& i) {
  if (!i.has("b") && !i.has("p")) c.malformed(i.full_opcode() + " needs .b or .p");
  SurfaceDetail detail;
  detail.boundary = i.has("clamp") ? Boundary::Clamp : i.has("zero") ? Boundary::Zero : Boundary::Trap;
  detail.formatted = i.has("p");
  return detail;
}

// As with ld and st, 8 bits travel in wider registers.
Type surface_type(Context& c, const Instr& i) {
  const ScalarType type = i.type();
  const Type held = ir_type(type);
  if (!type.is_integer() || held == Type::Void) c.unsupported(i);
  if (type.bytes() * static_cast<uint64_t>(vector_length(i)) > 16) c.malformed(i.full_opcode() + " is too wide");
  return held;
}

}  // namespace

void lower_Tex(Context& c, const Instr& i) {
  const bool texels = i.type(1).is_integer();
  Request r{c, {texels ? TextureOp::FetchTexels : TextureOp::Fetch, shape_of(c, i)}, {}};
  const bool level = i.has("level"), grad = i.has("grad");
  if (texels && (is_cube(r.access.shape) || grad)) c.malformed(i.full_opcode() + " with integer coordinates");
  if (level) r.access.op = texels ? TextureOp::LevelTexels : TextureOp::Level;
  if (grad) r.access.op = TextureOp::Grad;
  r.place(i, i.operand(1));
  if (level) r.values(i.operand(2), 1, texels ? kU32 : kF32);
  for (size_t k = 2; grad && k < 4; ++k) r.values(i.operand(k), coordinates(r.access.shape), kF32);
  offset(r, i, grad ? 4 : level ? 3 : 2, 4);
  fetch(r, i);
}

void lower_Tld4(Context& c, const Instr& i) {
  Request r{c, {TextureOp::Gather, shape_of(c, i)}, {}};
  if (coordinates(r.access.shape) == 1 || r.access.shape == Shape::D3) c.unsupported(i);
  r.access.detail = i.has("r") ? 0 : i.has("g") ? 1 : i.has("b") ? 2 : 3;
  r.place(i, i.operand(1));
  offset(r, i, 2, 6);
  fetch(r, i);
}

void lower_Txq(Context& c, const Instr& i) {
  const ptx::Operand& object = i.operand(1);
  if (object.kind != ptx::Operand::Kind::Address || object.elements.size() != 1) c.malformed("no texture or surface");
  Request r{c, {}, {}};
  r.handle(object.elements[0]);
  if (i.has("level")) c.unsupported(i);
  c.write(i.operand(0), query(r, i), kB32);
}

void lower_Suq(Context& c, const Instr& i) { lower_Txq(c, i); }

// A handle is no reference: false, as an H200 has it.
void lower_Istypep(Context& c, const Instr& i) {
  c.value(i.operand(1), kU64);
  c.write(i.operand(0), c.b().constant(Type::Pred, 0), kPred);
}

void lower_Suld(Context& c, const Instr& i) {
  const Type type = surface_type(c, i);
  const int count = vector_length(i);
  const SurfaceDetail detail = surface_detail(c, i);
  if (detail.formatted) c.unsupported(i);
  Request r{c, {TextureOp::Load, shape_of(c, i), detail.pack()}, {}};
  r.place(i, i.operand(1));
  const ir::SiteId site = c.new_site(ir::SiteKind::Load, i, ir::Space::Surface, type, count);
  write_components(c, i.operand(0), i.type(), r.parts(r.emit(Op::Surface, type, count, site), type, count));
}

void lower_Sust(Context& c, const Instr& i) {
  const Type type = surface_type(c, i);
  const int count = vector_length(i);
  Request r{c, {TextureOp::Store, shape_of(c, i), surface_detail(c, i).pack()}, {}};
  r.place(i, i.operand(0));
  for (const ptx::Operand* part : components(c, i.operand(1), count)) r.args.push_back(c.value(*part, i.type()));
  r.emit(Op::Surface, type, count, c.new_site(ir::SiteKind::Store, i, ir::Space::Surface, type, count));
}

void lower_Sured(Context& c, const Instr& i) {
  const Type type = surface_type(c, i);
  if (ir::bits(type) < 32) c.unsupported(i);
  const bool sign = i.type().is_signed();
  SurfaceDetail detail = surface_detail(c, i);
  const ir::AtomicOp op = i.has("add")   ? ir::AtomicOp::Add
                          : i.has("min") ? (sign ? ir::AtomicOp::MinS : ir::AtomicOp::MinU)
                          : i.has("max") ? (sign ? ir::AtomicOp::MaxS : ir::AtomicOp::MaxU)
                          : i.has("and") ? ir::AtomicOp::And
                          : i.has("or")  ? ir::AtomicOp::Or
                                         : ir::AtomicOp::Exch;
  if (op == ir::AtomicOp::Exch) c.malformed(i.full_opcode() + " without an operation");
  detail.reduction = static_cast<uint8_t>(op);
  Request r{c, {TextureOp::Reduce, shape_of(c, i), detail.pack()}, {}};
  r.place(i, i.operand(0));
  r.args.push_back(c.value(i.operand(1), i.type()));
  r.emit(Op::Surface, type, 1, c.new_site(ir::SiteKind::Reduction, i, ir::Space::Surface, type, 1));
}

}  // namespace warplens::lower
