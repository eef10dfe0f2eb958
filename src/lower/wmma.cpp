// wmma.load, wmma.store and wmma.mma: products of matrices of 16x16, 32x8 or 8x32, in fragments.
//
// PTX leaves open which lane's register holds which element. Programs look at fragments all the same, so this is an
// H200's arrangement, and its loads and stores are those that ptxas makes of wmma for sm_90: both are mma.sync's.
//
//   A product is mma.sync's m16n8k16 (or another of 8 columns), twice. Of m8n32k16 it is that of the transposed
//   matrices, so that the operand of 32 columns stands where mma has A. Call that operand the tall one: A of all other
//   shapes. Fragments of A and B consist of pieces of 8 rows (of A, columns of B) by 16 bytes: one register. Those of
//   the tall one come by 16 rows, in these by columns, in these by 8 rows; the other's by 8 rows, in these by columns.
//   So registers 0 to 3 of A of m16n16k16 start at (0,0) (8,0) (0,8) (8,8), those of B (row k, column n) at (0,0) (8,0)
//   (0,8) (8,8). f16 has eight registers always: the pieces again and again. Accumulators consist of 8x8 pieces, 16
//   rows of D by 8 columns at a time, in mma's arrangement. Row or column major makes no difference for a fragment.
//
//   What is loaded, a piece: where its 16 bytes lie together, a word by each lane; with .shared, ldmatrix for 4 pieces
//   (8-bit elements 2, narrower ones 1). Where they do not: elements of 16 bits likewise, transposed afterwards; of 8
//   bits byte by byte; of 32 and 64 bits each by itself. Of accumulators two neighbours at once where they lie
//   together.
//
// Source: fragments and machine code of tests/gpu/tensor_cores.cu on an H200, nvcc 13.0. The two wmma probes count
// there what is counted here.
#include <algorithm>

#include "lower/matrix.h"

namespace warplens::lower {
namespace {

using ir::Matrix;
using ir::Op;
using ir::Type;
using ir::ValueId;
using Element = Matrix::Element;

struct Tile {
  int row, column;  // A: of the matrix; B: its column, its row; accumulators: in mma's D
};

struct Wmma {
  Shape shape;
  bool swapped = false;  // B is the tall operand
  int rows(bool a) const { return a ? shape.m : shape.n; }
  bool tall(bool a) const { return a != swapped; }
};

Wmma wmma_of(Context& c, const Instr& i) {
  const auto shape = shape_of(i);
  if (!shape) c.unsupported(i);
  return {*shape, shape->m == 8 && shape->n == 32};
}

bool is_shape(const Shape& s, int m, int n, int k) { return s.m == m && s.n == n && s.k == k; }

// Has PTX this shape for elements of A and B of that type?
bool fits(const Shape& s, Element type) {
  switch (type) {
    case Element::F16:
    case Element::BF16:
    case Element::S8:
    case Element::U8:
      return is_shape(s, 16, 16, 16) || is_shape(s, 32, 8, 16) || is_shape(s, 8, 32, 16);
    case Element::TF32:
      return is_shape(s, 16, 16, 8);
    case Element::F64:
      return is_shape(s, 8, 8, 4);
    case Element::S4:
    case Element::U4:
      return is_shape(s, 8, 8, 32);
    case Element::B1:
      return is_shape(s, 8, 8, 128);
    default:
      return false;
  }
}

// Columns of a piece of A or B.
int piece_columns(Element type) { return type == Element::F64 ? 4 : 128 / ir::bits(type); }

std::vector<Tile> operand_tiles(const Wmma& w, bool a, Element type) {
  std::vector<Tile> tiles;
  const int rows = w.rows(a), block = std::min(rows, w.tall(a) ? 16 : 8);
  for (int row = 0; row < rows; row += block)
    for (int k = 0; k < w.shape.k; k += piece_columns(type))
      for (int r = row; r < row + block; r += 8) tiles.push_back({r, k});
  return tiles;
}

std::vector<Tile> accumulator_tiles(const Wmma& w) {
  std::vector<Tile> tiles;
  const int rows = w.rows(!w.swapped), columns = w.rows(w.swapped), block = std::min(rows, 16);
  for (int row = 0; row < rows; row += block)
    for (int column = 0; column < columns; column += 8)
      for (int r = row; r < row + block; r += 8) tiles.push_back({r, column});
  return tiles;
}

// ---- addresses

// A matrix in memory, whose lines lie `stride` bytes apart.
class Memory {
 public:
  Memory(Context& c, const Instr& i, size_t address_operand, size_t stride_operand, int element_bits, int line)
      : b_(c.b()) {
    place_.space = memory_space(c, i).space;
    place_.address = access_address(c, i.operand(address_operand), &place_.space, &place_.offset);
    type_ = b_.type(place_.address);
    const ValueId elements =
        i.operand_count() > stride_operand ? b_.cast(c.value(i.operand(stride_operand), kU32), type_) : number(line);
    const ValueId bits = b_.binary(Op::Mul, elements, number(element_bits));
    stride_ = b_.pure(Op::ShrU, type_, {bits, b_.constant(Type::I32, 3)});
    lane_ = b_.special(ir::SpecialRegister::LaneId);
  }
  ir::Space space() const { return place_.space; }
  ValueId number(int x) { return b_.constant(type_, static_cast<uint64_t>(x)); }
  // Bits [first, first + count) of the lane's number.
  ValueId lane_bits(int first, int count) {
    const ValueId shifted = b_.pure(Op::ShrU, Type::I32, {lane_, b_.constant(Type::I32, static_cast<uint64_t>(first))});
    return b_.cast(b_.binary(Op::And, shifted, b_.constant(Type::I32, (1u << count) - 1)), type_);
  }
  ValueId row() { return lane_bits(2, 3); }     // of a piece
  ValueId column() { return lane_bits(0, 2); }  // word of that row
  ValueId times(ValueId x, int n) { return b_.binary(Op::Mul, x, number(n)); }
  ValueId plus(ValueId x, ValueId y) { return b_.binary(Op::Add, x, y); }
  // Line `line` + `lane_line`, byte `byte` + `lane_byte` of it.
  Place at(int line, ValueId lane_line, int byte, ValueId lane_byte) {
    Place place = place_;
    const ValueId by_lane = plus(b_.binary(Op::Mul, lane_line, stride_), lane_byte);
    place.address = plus(plus(place.address, by_lane), b_.binary(Op::Mul, number(line), stride_));
    place.offset += byte;
    return place;
  }

 private:
  Builder& b_;
  Place place_;
  Type type_ = Type::I64;
  ValueId stride_ = ir::kNone, lane_ = ir::kNone;
};

// ---- A and B

// Up to four pieces by ldmatrix: lanes 8j to 8j + 7 give the rows of piece j.
std::vector<ValueId> load_by_rows(Context& c, const Instr& i, Memory& memory, const Tile* tiles, int count, int bytes,
                                  bool together) {
  // Lines and bytes of the pieces are those of the first, and more for each bit of j.
  const auto line = [&](int j) { return together ? tiles[j].row : tiles[j].column; };
  const auto byte = [&](int j) { return (together ? tiles[j].column : tiles[j].row) * bytes; };
  ValueId lane_line = memory.lane_bits(0, 3), lane_byte = memory.number(0);
  for (int bit = 0; (1 << bit) < count; ++bit) {
    const int j = 1 << bit;
    lane_line = memory.plus(lane_line, memory.times(memory.lane_bits(3 + bit, 1), line(j) - line(0)));
    lane_byte = memory.plus(lane_byte, memory.times(memory.lane_bits(3 + bit, 1), byte(j) - byte(0)));
  }
  return load_rows(c, i, memory.at(line(0), lane_line, byte(0), lane_byte), count, !together);
}

ValueId load_bytes(Context& c, const Instr& i, Memory& memory, const Tile& tile) {
  Builder& b = c.b();
  ValueId word = ir::kNone;
  for (int k = 0; k < 4; ++k) {
    const Place place = memory.at(tile.column + k, memory.times(memory.column(), 4), tile.row, memory.row());
    const ValueId byte = b.cast(load_words(c, i, place, Type::I8, 1)[0], Type::I32);
    const ValueId moved = b.pure(Op::Shl, Type::I32, {byte, b.constant(Type::I32, static_cast<uint64_t>(8 * k))});
    word = k == 0 ? moved : b.binary(Op::Or, word, moved);
  }
  return word;
}

void load_operand(Context& c, const Instr& i, const Wmma& w, bool a) {
  const auto types = elements_of(i);
  const bool row_major = i.has("row");
  if (types.size() != 1 || row_major == i.has("col") || !fits(w.shape, types[0])) c.unsupported(i);
  const Element type = types[0];
  const int bits = ir::bits(type);
  const bool together = row_major == a;  // the bytes of a piece's row
  if (!together && bits < 8) c.unsupported(i);
  meet(c);
  Memory memory(c, i, 1, 2, bits, together ? w.shape.k : w.rows(a));
  const std::vector<Tile> tiles = operand_tiles(w, a, type);
  std::vector<ValueId> registers;
  const bool by_rows = (i.has("shared") || i.has("shared::cta")) && bits <= 16 && (together || bits == 16);
  const int group = std::min<int>(static_cast<int>(tiles.size()), bits == 16 ? 4 : bits == 8 ? 2 : 1);
  const Type word = bits == 64 ? Type::I64 : Type::I32;
  for (size_t k = 0; k < tiles.size(); ++k) {
    const Tile& t = tiles[k];
    if (by_rows) {
      if (k % static_cast<size_t>(group) != 0) continue;
      for (const ValueId v : load_by_rows(c, i, memory, &t, group, bits / 8, together)) registers.push_back(v);
    } else if (!together && bits == 8) {
      registers.push_back(load_bytes(c, i, memory, t));
    } else if (!together && bits > 16) {
      const Place place = memory.at(t.column, memory.column(), t.row * bits / 8, memory.times(memory.row(), bits / 8));
      registers.push_back(load_words(c, i, place, word, 1)[0]);
    } else {
      const int line = together ? t.row : t.column, first = together ? t.column : t.row;
      const Place place =
          memory.at(line, memory.row(), first * bits / 8, memory.times(memory.column(), ir::bytes(word)));
      const ValueId loaded = load_words(c, i, place, word, 1)[0];
      registers.push_back(together ? loaded : transpose(c, i, loaded));
    }
  }
  const size_t pieces = registers.size();
  if (type == Element::F16)
    for (size_t k = pieces; k < 8; ++k) registers.push_back(registers[k - pieces]);
  write_list(c, i, 0, registers, {ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(word)), false});
}

// ---- accumulators

struct Accumulators {
  Element type;
  int bytes;         // of an element
  Type word;         // of a register
  bool together;     // two neighbours of mma's D are neighbours in memory
  size_t registers;  // of a piece
};

Accumulators accumulators_of(Context& c, const Instr& i, const Wmma& w) {
  const auto types = elements_of(i);
  const bool row_major = i.has("row");
  if (types.size() != 1 || row_major == i.has("col")) c.unsupported(i);
  const Element type = types[0];
  const Shape& s = w.shape;
  const bool sixteen = fits(s, Element::F16);
  const bool fitting = type == Element::F16   ? sixteen
                       : type == Element::F32 ? sixteen || fits(s, Element::TF32)
                       : type == Element::S32 ? sixteen || fits(s, Element::S4) || fits(s, Element::B1)
                                              : type == Element::F64 && fits(s, Element::F64);
  if (!fitting) c.unsupported(i);
  const int bytes = ir::bits(type) / 8;
  return {type, bytes, bytes == 8 ? Type::I64 : Type::I32, row_major != w.swapped, bytes == 2 ? 1u : 2u};
}

Memory accumulator_memory(Context& c, const Instr& i, const Wmma& w, const Accumulators& d, size_t address) {
  const int line = i.has("row") ? w.shape.n : w.shape.m;
  return Memory(c, i, address, 2, 8 * d.bytes, line);
}

// Where a lane's elements of a piece lie: of element `which`, if they do not lie together.
Place accumulator_place(Memory& memory, const Accumulators& d, const Tile& t, int which) {
  const ValueId two_words = memory.times(memory.column(), 2 * d.bytes);
  if (d.together) return memory.at(t.row, memory.row(), t.column * d.bytes, two_words);
  if (d.bytes == 2) return memory.at(t.column, memory.row(), t.row * d.bytes, two_words);
  return memory.at(t.column + which, memory.times(memory.column(), 2), t.row * d.bytes,
                   memory.times(memory.row(), d.bytes));
}

void load_accumulators(Context& c, const Instr& i, const Wmma& w) {
  const Accumulators d = accumulators_of(c, i, w);
  meet(c);
  Memory memory = accumulator_memory(c, i, w, d, 1);
  std::vector<ValueId> registers;
  for (const Tile& t : accumulator_tiles(w)) {
    if (d.bytes == 2) {
      const ValueId word = load_words(c, i, accumulator_place(memory, d, t, 0), d.word, 1)[0];
      registers.push_back(d.together ? word : transpose(c, i, word));
    } else if (d.together) {
      for (const ValueId v : load_words(c, i, accumulator_place(memory, d, t, 0), d.word, 2)) registers.push_back(v);
    } else {
      for (const int k : {0, 1})
        registers.push_back(load_words(c, i, accumulator_place(memory, d, t, k), d.word, 1)[0]);
    }
  }
  write_list(c, i, 0, registers, {ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(d.word)), false});
}

void store_accumulators(Context& c, const Instr& i, const Wmma& w) {
  const Accumulators d = accumulators_of(c, i, w);
  const auto tiles = accumulator_tiles(w);
  const ScalarType type{ScalarType::Kind::Bits, static_cast<uint8_t>(ir::bits(d.word)), false};
  const auto registers = read_list(c, i, 1, tiles.size() * d.registers, type);
  meet(c);
  Memory memory = accumulator_memory(c, i, w, d, 0);
  for (size_t k = 0; k < tiles.size(); ++k) {
    const ValueId* piece = &registers[k * d.registers];
    if (d.bytes == 2) {
      const ValueId word = d.together ? piece[0] : transpose(c, i, piece[0]);
      store_words(c, i, accumulator_place(memory, d, tiles[k], 0), {word});
    } else if (d.together) {
      store_words(c, i, accumulator_place(memory, d, tiles[k], 0), {piece[0], piece[1]});
    } else {
      for (const int j : {0, 1}) store_words(c, i, accumulator_place(memory, d, tiles[k], j), {piece[j]});
    }
  }
}

// ---- the product

// F16 pieces as F32's two registers, and back, rounded to nearest.
constexpr ScalarType kF16{ScalarType::Kind::Float, 16, false};
std::vector<ValueId> widen(Context& c, const std::vector<ValueId>& halves) {
  std::vector<ValueId> singles;
  for (const ValueId packed : halves)
    for (const int k : {0, 1}) singles.push_back(c.b().cast(widen_half(c, kF16, element_of(c, packed, k)), Type::I32));
  return singles;
}
std::vector<ValueId> narrow(Context& c, const std::vector<ValueId>& singles) {
  std::vector<ValueId> halves;
  const auto half = [&](ValueId bits) { return narrow_half(c, kF16, c.b().cast(bits, Type::F32)); };
  for (size_t k = 0; k + 1 < singles.size(); k += 2)
    halves.push_back(pack_halves(c, half(singles[k]), half(singles[k + 1])));
  return halves;
}

void multiply(Context& c, const Instr& i, const Wmma& w) {
  std::vector<Element> types = elements_of(i);  // of D, A, B, C; of f16's: D, C
  if (types.size() == 2) types = {types[0], Element::F16, Element::F16, types[1]};
  if (types.size() != 4 || !fits(w.shape, types[1])) c.unsupported(i);
  const Element type_d = types[0], type_a = types[1], type_b = types[2], type_c = types[3];
  const bool halves = type_a == Element::F16 && type_c == Element::F16 && type_d == Element::F16;
  Matrix m;
  m.what = Matrix::What::Multiply;
  m.a = w.swapped ? type_b : type_a;
  m.b = w.swapped ? type_a : type_b;
  m.c = halves ? Element::F16 : type_a == Element::F16 ? Element::F32 : type_d;
  m.m = static_cast<uint8_t>(std::min(w.rows(!w.swapped), 16));
  m.n = 8;
  m.k = static_cast<uint16_t>(type_a == Element::TF32 ? 4 : w.shape.k);  // ptxas takes the shorter one
  m.rounding = i.rounding();
  m.saturate = i.has("satfinite") && type_d == Element::S32;
  m.exclusive = type_a == Element::B1 && i.has("xor");
  const bool bits = type_a != Element::B1 || i.has("xor") || i.has("and");
  const auto is_float = [](Element e) { return e == Element::F16 || e == Element::F32; };
  const bool same = type_a == Element::F16 ? is_float(type_c) && is_float(type_d) : type_c == type_d;
  if (type_a != type_b || !same || !bits || !ir::is_valid(m)) c.unsupported(i);

  const ScalarType word = register_bits(m);
  const size_t in_a = operand_tiles(w, true, type_a).size(), in_b = operand_tiles(w, false, type_b).size();
  const auto list = [&](size_t operand, size_t pieces) {
    auto values = read_list(c, i, operand, type_a == Element::F16 ? 8 : pieces, word);
    values.resize(pieces);
    return values;
  };
  auto x = list(1, in_a), y = list(2, in_b);
  if (w.swapped) std::swap(x, y);
  const size_t tiles = accumulator_tiles(w).size();
  auto sum = read_list(c, i, 3, type_c == Element::F16 ? tiles : 2 * tiles, word);
  if (type_c == Element::F16 && !halves) sum = widen(c, sum);
  meet(c);
  const size_t of_a = ir::registers_of_a(m), of_b = ir::registers_of_b(m), of_c = ir::registers_of_c(m);
  const auto steps = static_cast<size_t>(w.shape.k / m.k), columns = static_cast<size_t>(w.rows(w.swapped)) / 8;
  for (size_t n = 0; n * of_c < sum.size(); ++n)
    for (size_t step = 0; step < steps; ++step) {
      const size_t from_a = (n / columns * steps + step) * of_a, from_b = (n % columns * steps + step) * of_b;
      std::vector<ValueId> args(x.begin() + static_cast<std::ptrdiff_t>(from_a),
                                x.begin() + static_cast<std::ptrdiff_t>(from_a + of_a));
      args.insert(args.end(), y.begin() + static_cast<std::ptrdiff_t>(from_b),
                  y.begin() + static_cast<std::ptrdiff_t>(from_b + of_b));
      const auto at = sum.begin() + static_cast<std::ptrdiff_t>(n * of_c);
      args.insert(args.end(), at, at + static_cast<std::ptrdiff_t>(of_c));
      std::ranges::copy(matrix_op(c, i, m, std::move(args)), at);
    }
  if (type_d == Element::F16 && !halves) sum = narrow(c, sum);
  write_list(c, i, 0, sum, word);
}

}  // namespace

void lower_Wmma(Context& c, const Instr& i) {
  const Wmma w = wmma_of(c, i);
  if (i.has("mma")) return multiply(c, i, w);
  if (i.has("store") && i.has("d")) return store_accumulators(c, i, w);
  if (!i.has("load")) c.unsupported(i);
  if (i.has("c")) return load_accumulators(c, i, w);
  if (i.has("a") || i.has("b")) return load_operand(c, i, w, i.has("a"));
  c.unsupported(i);
}

}  // namespace warplens::lower
