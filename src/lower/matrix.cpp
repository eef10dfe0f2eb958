// mma ldmatrix stmatrix movmatrix: products of small matrices that lie in a warp's registers, and how rows of 16 bytes
// get from shared memory into that arrangement and back.
//
// ldmatrix is a load of 16 bytes by each lane that gives a row's address, as in hardware, and an exchange of words
// between lanes (ir::Matrix::What::Spread); stmatrix is the reverse. The load and the store go the way of every other
// access.
#include <algorithm>
#include <cstdio>

#include "lower/matrix.h"

namespace warplens::lower {
namespace {

using ir::Matrix;
using ir::Op;
using ir::Type;
using ir::ValueId;
using Element = Matrix::Element;

// Lanes of a loaded or stored row of each of `count` matrices; kNone where that is every lane.
ValueId lanes_with_rows(Builder& b, int count) {
  if (count == 4) return ir::kNone;
  return b.icmp(ir::IntCompare::LtU, b.special(ir::SpecialRegister::LaneId),
                b.constant(Type::I32, static_cast<uint64_t>(8 * count)));
}

int matrices(Context& c, const Instr& i) {
  const bool shape_and_type = i.has("m8n8") && i.has("b16");
  if (!shape_and_type) c.unsupported(i);
  return i.has("x1") ? 1 : i.has("x2") ? 2 : i.has("x4") ? 4 : (c.unsupported(i), 0);
}

Matrix exchange(Matrix::What what, int count, bool transposed) {
  Matrix m;
  m.what = what;
  m.count = static_cast<uint8_t>(count);
  m.transposed = transposed;
  return m;
}

std::vector<const ptx::Operand*> register_list(Context& c, const Instr& i, size_t operand, size_t count) {
  auto list = registers_in(i.operand(operand));
  if (list.size() != count)
    c.malformed(i.full_opcode() + " with a list of " + std::to_string(list.size()) + " registers, where " +
                std::to_string(count) + " are needed");
  return list;
}

}  // namespace

std::vector<Element> elements_of(const Instr& i) {
  std::vector<Element> elements;
  for (const std::string& word : i.text.modifiers)
    if (const auto element = ir::element_named(word)) elements.push_back(*element);
  return elements;
}

std::optional<Shape> shape_of(const Instr& i) {
  for (const std::string& word : i.text.modifiers) {
    Shape s;
    int end = 0;
    if (std::sscanf(word.c_str(), "m%2dn%2dk%3d%n", &s.m, &s.n, &s.k, &end) == 3 &&
        static_cast<size_t>(end) == word.size())
      return s;
  }
  return std::nullopt;
}

ScalarType register_bits(const Matrix& matrix) {
  return {ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(ir::register_type(matrix))), false};
}

std::vector<ValueId> read_list(Context& c, const Instr& i, size_t operand, size_t count, ScalarType type) {
  std::vector<ValueId> values;
  for (const ptx::Operand* one : register_list(c, i, operand, count)) values.push_back(c.value(*one, type));
  return values;
}

void write_list(Context& c, const Instr& i, size_t operand, const std::vector<ValueId>& values, ScalarType type) {
  const auto list = register_list(c, i, operand, values.size());
  for (size_t k = 0; k < values.size(); ++k) c.write(*list[k], values[k], type);
}

void meet(Context& c) {
  ir::Inst inst;
  inst.op = Op::WarpSync;
  inst.args = {c.b().constant(Type::I32, ~0u)};
  c.b().emit(std::move(inst));
}

std::vector<ValueId> matrix_op(Context& c, const Instr& i, const Matrix& matrix, std::vector<ValueId> args) {
  ir::Inst inst;
  inst.op = Op::Matrix;
  auto& messages = c.function().messages;
  const std::string opcode = i.full_opcode();
  if (messages.empty() || messages.back() != opcode) messages.push_back(opcode);
  inst.imm2 = static_cast<uint32_t>(messages.size() - 1);
  inst.type = ir::register_type(matrix);
  inst.imm = ir::pack(matrix);
  inst.args = std::move(args);
  const Type type = inst.type;
  const ValueId whole = c.b().emit(std::move(inst));
  std::vector<ValueId> results;
  for (uint32_t k = 0; k < ir::result_count(matrix); ++k) results.push_back(c.b().pure(Op::Extract, type, {whole}, k));
  return results;
}

std::vector<ValueId> load_words(Context& c, const Instr& i, Place place, Type type, int count, ValueId guard) {
  ir::Inst inst;
  inst.op = Op::Load;
  inst.type = type;
  inst.space = place.space;
  inst.count = static_cast<uint8_t>(count);
  inst.guard = guard;
  inst.args = {place.address};
  inst.imm = static_cast<uint64_t>(place.offset);
  inst.site = c.new_site(ir::SiteKind::Load, i, inst.space, type, count);
  const ValueId loaded = c.b().emit(std::move(inst));
  if (count == 1) return {loaded};
  std::vector<ValueId> words;
  for (int k = 0; k < count; ++k) words.push_back(c.b().pure(Op::Extract, type, {loaded}, static_cast<uint64_t>(k)));
  return words;
}

void store_words(Context& c, const Instr& i, Place place, const std::vector<ValueId>& words, ValueId guard) {
  ir::Inst inst;
  inst.op = Op::Store;
  inst.type = c.b().type(words[0]);
  inst.space = place.space;
  inst.count = static_cast<uint8_t>(words.size());
  inst.guard = guard;
  inst.args = {place.address};
  inst.args.insert(inst.args.end(), words.begin(), words.end());
  inst.imm = static_cast<uint64_t>(place.offset);
  const Type type = inst.type;
  inst.site = c.new_site(ir::SiteKind::Store, i, inst.space, type, static_cast<int>(words.size()));
  c.b().emit(std::move(inst));
}

std::vector<ValueId> load_rows(Context& c, const Instr& i, Place place, int count, bool transposed) {
  const auto words = load_words(c, i, place, Type::I32, 4, lanes_with_rows(c.b(), count));
  return matrix_op(c, i, exchange(Matrix::What::Spread, count, transposed), words);
}

ValueId transpose(Context& c, const Instr& i, ValueId matrix) { return matrix_op(c, i, Matrix{}, {matrix})[0]; }

void lower_Ldmatrix(Context& c, const Instr& i) {
  const int count = matrices(c, i);
  Place place;
  place.space = memory_space(c, i).space;
  meet(c);
  place.address = access_address(c, i.operand(1), &place.space, &place.offset);
  write_list(c, i, 0, load_rows(c, i, place, count, i.has("trans")), kB32);
}

void lower_Stmatrix(Context& c, const Instr& i) {
  const int count = matrices(c, i);
  Place place;
  place.space = memory_space(c, i).space;
  meet(c);
  place.address = access_address(c, i.operand(0), &place.space, &place.offset);
  const auto registers = read_list(c, i, 1, static_cast<size_t>(count), kB32);
  const auto words = matrix_op(c, i, exchange(Matrix::What::Collect, count, i.has("trans")), registers);
  store_words(c, i, place, words, lanes_with_rows(c.b(), count));
}

void lower_Movmatrix(Context& c, const Instr& i) {
  if (!i.has("m8n8") || !i.has("trans") || !i.has("b16")) c.unsupported(i);
  meet(c);
  c.write(i.operand(0), transpose(c, i, c.value(i.operand(1), kB32)), kB32);
}

namespace {

// What an mma multiplies, but for mma.m8n8k4 of f16; refused where no GPU up to sm_90 has it.
Matrix product_of(Context& c, const Instr& i, const Shape& shape, const std::vector<Element>& types) {
  Matrix m;
  m.what = Matrix::What::Multiply;
  m.m = static_cast<uint8_t>(shape.m);
  m.n = static_cast<uint8_t>(shape.n);
  m.k = static_cast<uint16_t>(shape.k);
  m.a = types[1], m.b = types[2], m.c = types[0];
  m.rounding = i.rounding();
  m.saturate = i.has("satfinite");
  m.exclusive = m.a == Element::B1 && i.has("xor");
  m.sparse = i.has("sp") || i.has("sp::ordered_metadata");
  if (m.sparse) {
    const ptx::Operand& selector = i.operand(5);
    if (selector.kind != ptx::Operand::Kind::Immediate || selector.value > 3)
      c.malformed(i.full_opcode() + " without a sparsity selector");
    m.selector = static_cast<uint8_t>(selector.value);
  }
  if (types[0] != types[3] || !i.has("row") || !i.has("col")) c.unsupported(i);
  if (m.a == Element::B1 && (i.has("xor") == i.has("and") || !i.has("popc"))) c.unsupported(i);
  return m;
}

// .m8n8k4 of f16, Volta's.
Matrix quarters_of(Context& c, const Instr& i, const std::vector<Element>& types) {
  Matrix m;
  m.what = Matrix::What::Quarters;
  m.m = 8, m.n = 8, m.k = 4;
  m.a = types[1], m.b = types[2], m.c = types[3];
  m.widens = types[0] == Element::F32 && m.c == Element::F16;
  // The layout of A, then that of B.
  const auto& words = i.text.modifiers;
  const auto of_a = std::find_if(words.begin(), words.end(), [](const auto& w) { return w == "row" || w == "col"; });
  if (of_a == words.end() || of_a + 1 == words.end() || (!m.widens && types[0] != m.c)) c.unsupported(i);
  m.transposed = *of_a == "col";
  m.rows_of_b = *(of_a + 1) == "row";
  return m;
}

}  // namespace

void lower_Mma(Context& c, const Instr& i) {
  const auto shape = shape_of(i);
  const std::vector<Element> types = elements_of(i);
  const bool scales = std::any_of(i.text.modifiers.begin(), i.text.modifiers.end(), [](const std::string& m) {
    return m.starts_with("kind::") || m.starts_with("block_scale") || m.starts_with("scale_vec");
  });
  if (!shape || types.size() != 4 || scales) c.unsupported(i);
  const bool volta = shape->m == 8 && shape->n == 8 && shape->k == 4 && types[1] == Element::F16;
  const Matrix m = volta ? quarters_of(c, i, types) : product_of(c, i, *shape, types);
  if (!ir::is_valid(m)) c.unsupported(i);
  const ScalarType type = register_bits(m);
  std::vector<ValueId> args = read_list(c, i, 1, ir::registers_of_a(m), type);
  for (const ValueId v : read_list(c, i, 2, ir::registers_of_b(m), type)) args.push_back(v);
  for (const ValueId v : read_list(c, i, 3, ir::registers_of_c(m), type)) args.push_back(v);
  if (m.sparse) args.push_back(c.value(i.operand(4), kB32));
  meet(c);
  write_list(c, i, 0, matrix_op(c, i, m, std::move(args)), type);
}

}  // namespace warplens::lower
