#include "ir/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "base/dim3.h"

namespace warplens::ir {
namespace {

using Element = Matrix::Element;
using What = Matrix::What;

struct ElementInfo {
  const char* name;
  int bits;
};
constexpr std::array<ElementInfo, 13> kElements = {{{"f16", 16},
                                                    {"bf16", 16},
                                                    {"tf32", 32},
                                                    {"f32", 32},
                                                    {"f64", 64},
                                                    {"e4m3", 8},
                                                    {"e5m2", 8},
                                                    {"s8", 8},
                                                    {"u8", 8},
                                                    {"s4", 4},
                                                    {"u4", 4},
                                                    {"b1", 1},
                                                    {"s32", 32}}};
const ElementInfo& info(Element element) { return kElements[static_cast<size_t>(element) % kElements.size()]; }

// The fields of imm, from its lowest bit on.
template <typename Visit>
void fields(Matrix& matrix, Visit visit) {
  visit(matrix.what, 3);
  visit(matrix.m, 8);
  visit(matrix.n, 8);
  visit(matrix.k, 12);
  visit(matrix.a, 4);
  visit(matrix.b, 4);
  visit(matrix.c, 4);
  visit(matrix.rounding, 3);
  visit(matrix.saturate, 1);
  visit(matrix.exclusive, 1);
  visit(matrix.count, 3);
  visit(matrix.transposed, 1);
  visit(matrix.rows_of_b, 1);
  visit(matrix.widens, 1);
  visit(matrix.sparse, 1);
  visit(matrix.selector, 2);
}

bool is_f8(Element e) { return e == Element::E4M3 || e == Element::E5M2; }
bool is_i8(Element e) { return e == Element::S8 || e == Element::U8; }
bool is_i4(Element e) { return e == Element::S4 || e == Element::U4; }

uint32_t products(const Matrix& m) { return m.what == What::Quarters ? 4 : 1; }
uint32_t registers(uint32_t elements, Element element) {
  const auto wide = static_cast<uint32_t>(std::max(bits(element), 32));
  return elements * static_cast<uint32_t>(bits(element)) / (kWarpSize * wide);
}

}  // namespace

int bits(Element element) { return info(element).bits; }
bool operator==(const Matrix& a, const Matrix& b) { return pack(a) == pack(b); }

uint64_t pack(const Matrix& matrix) {
  uint64_t imm = 0;
  int at = 0;
  Matrix copy = matrix;
  fields(copy, [&](auto field, int width) {
    imm |= static_cast<uint64_t>(field) << at;
    at += width;
  });
  return imm;
}

Matrix unpack_matrix(uint64_t imm) {
  Matrix matrix;
  fields(matrix, [&](auto& field, int width) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(imm & ((1u << width) - 1));
    imm >>= width;
  });
  return matrix;
}

Type register_type(const Matrix& m) { return m.what == What::Multiply && m.a == Element::F64 ? Type::I64 : Type::I32; }
int depth_of_a(const Matrix& m) { return m.sparse ? m.k / 2 : m.k; }
Groups groups(const Matrix& m) {
  const int step = is_i4(m.a) ? 2 : 1;
  return {m.a == Element::TF32 ? 2 : 4 * step, step};
}
uint32_t registers_of_a(const Matrix& m) {
  return registers(products(m) * m.m * static_cast<uint32_t>(depth_of_a(m)), m.a);
}
uint32_t registers_of_b(const Matrix& m) { return registers(products(m) * m.k * m.n, m.b); }
uint32_t registers_of_c(const Matrix& m) { return registers(products(m) * m.m * m.n, m.c); }

uint32_t argument_count(const Matrix& m) {
  switch (m.what) {
    case What::Multiply:
    case What::Quarters:
      return registers_of_a(m) + registers_of_b(m) + registers_of_c(m) + (m.sparse ? 1 : 0);
    case What::Spread:
      return 4;
    case What::Collect:
      return m.count;
    case What::Transpose:
      return 1;
  }
  return 0;
}
uint32_t result_count(const Matrix& m) {
  switch (m.what) {
    case What::Multiply:
    case What::Quarters:
      return registers_of_c(m) * (m.widens ? 2 : 1);
    case What::Spread:
      return m.count;
    case What::Collect:
      return 4;
    case What::Transpose:
      return 1;
  }
  return 0;
}

namespace {

// The metadata of a row are 16, 32 or 64 bits: those of 16 rows lie in one, two or all of four lanes.
bool is_valid_sparse(const Matrix& m) {
  const int lanes = m.k / groups(m).columns / 4;
  if (m.m != 16 || m.n != 8 || m.selector * lanes >= 4 || m.exclusive || m.rounding != Rounding::Nearest) return false;
  const auto k = [&](int shorter) { return m.k == shorter || m.k == 2 * shorter; };
  if (is_i8(m.a)) return is_i8(m.b) && m.c == Element::S32 && k(32);
  if (is_i4(m.a)) return is_i4(m.b) && m.c == Element::S32 && k(64);
  if (m.saturate) return false;
  if (m.a == Element::F16) return m.b == Element::F16 && (m.c == Element::F16 || m.c == Element::F32) && k(16);
  if (m.c != Element::F32) return false;
  if (is_f8(m.a)) return is_f8(m.b) && m.k == 64;
  return m.a == m.b && (m.a == Element::BF16 ? k(16) : m.a == Element::TF32 && k(8));
}

bool is_valid_quarters(const Matrix& m) {
  return m.m == 8 && m.n == 8 && m.k == 4 && m.a == Element::F16 && m.b == Element::F16 &&
         (m.c == Element::F16 || (m.c == Element::F32 && !m.widens));
}

}  // namespace

bool is_valid(const Matrix& m) {
  if (m.what == What::Quarters) return is_valid_quarters(m);
  if (m.what == What::Multiply && m.sparse) return is_valid_sparse(m);
  const auto shape = [&](int rows, int k) { return m.m == rows && m.k == k; };
  const auto first_second_both = [&](int k) { return shape(8, k) || shape(16, k) || shape(16, 2 * k); };
  if (m.what != What::Multiply) return m.what == What::Transpose || m.count == 1 || m.count == 2 || m.count == 4;
  if (m.n != 8) return false;
  const bool integers = m.c == Element::S32 && m.rounding == Rounding::Nearest;
  if (m.saturate && m.a == Element::B1) return false;
  if (m.exclusive && m.a != Element::B1) return false;
  if (is_i8(m.a)) return is_i8(m.b) && integers && first_second_both(16);
  if (is_i4(m.a)) return is_i4(m.b) && integers && first_second_both(32);
  if (m.a == Element::B1) return m.b == Element::B1 && integers && first_second_both(128);
  if (m.saturate) return false;
  if (m.a == Element::F64) {
    const bool any_shape = shape(8, 4) || shape(16, 4) || shape(16, 8) || shape(16, 16);
    return m.b == Element::F64 && m.c == Element::F64 && any_shape && m.rounding != Rounding::NearestAway;
  }
  if (m.rounding != Rounding::Nearest) return false;
  const bool half_or_single = m.c == Element::F16 || m.c == Element::F32;
  if (is_f8(m.a)) return is_f8(m.b) && half_or_single && (shape(16, 16) || shape(16, 32));
  if (m.a == Element::F16) return m.b == Element::F16 && half_or_single && (shape(16, 8) || shape(16, 16));
  if (m.c != Element::F32 || m.a != m.b) return false;
  if (m.a == Element::BF16) return shape(16, 8) || shape(16, 16);
  return m.a == Element::TF32 && (shape(16, 4) || shape(16, 8));
}

std::string to_string(const Matrix& m) {
  if (m.what == What::Transpose) return "transpose";
  if (m.what == What::Quarters)
    return fmt::format("quarters.{}.{}.{}.{}", m.transposed ? "col" : "row", m.rows_of_b ? "row" : "col",
                       m.widens ? "f32" : info(m.c).name, info(m.c).name);
  if (m.what != What::Multiply)
    return fmt::format("{}.x{}{}", m.what == What::Spread ? "spread" : "collect", m.count,
                       m.transposed ? ".trans" : "");
  std::string text = fmt::format("m{}n{}k{}.{}.{}.{}", m.m, m.n, m.k, info(m.a).name, info(m.b).name, info(m.c).name);
  if (m.rounding != Rounding::Nearest) text += fmt::format(".{}", to_string(m.rounding));
  if (m.saturate) text += ".satfinite";
  if (m.exclusive) text += ".xor";
  if (m.sparse) text += fmt::format(".sp{}", m.selector);
  return text;
}

std::optional<Element> element_named(std::string_view text) {
  for (size_t i = 0; i < kElements.size(); ++i)
    if (text == kElements[i].name) return static_cast<Element>(i);
  return std::nullopt;
}

std::optional<Matrix> parse_matrix(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  Matrix m;
  std::vector<Element> elements;
  if (words.size() == 5 && words[0] == "quarters") {
    m.what = What::Quarters, m.m = 8, m.n = 8, m.k = 4;
    m.transposed = words[1] == "col", m.rows_of_b = words[2] == "row";
  }
  for (const std::string& word : words) {
    unsigned rows = 0, columns = 0, depth = 0;
    if (word == "spread") m.what = What::Spread;
    if (word == "collect") m.what = What::Collect;
    if (word == "trans") m.transposed = true;
    if (word == "satfinite") m.saturate = true;
    if (word == "xor") m.exclusive = true;
    for (const Rounding r : {Rounding::Zero, Rounding::Down, Rounding::Up})
      if (word == to_string(r)) m.rounding = r;
    if (word.size() == 3 && word.starts_with("sp")) m.sparse = true, m.selector = static_cast<uint8_t>(word[2] - '0');
    if (word.size() == 2 && word[0] == 'x') m.count = static_cast<uint8_t>(word[1] - '0');
    if (std::sscanf(word.c_str(), "m%3un%3uk%3u", &rows, &columns, &depth) == 3) {
      m.what = What::Multiply;
      m.m = static_cast<uint8_t>(rows);
      m.n = static_cast<uint8_t>(columns);
      m.k = static_cast<uint16_t>(depth);
    }
    if (const auto element = element_named(word)) elements.push_back(*element);
  }
  if (m.what == What::Multiply) {
    if (elements.size() != 3) return std::nullopt;
    m.a = elements[0], m.b = elements[1], m.c = elements[2];
  }
  if (m.what == What::Quarters && elements.size() == 2) m.c = elements[1], m.widens = elements[0] != elements[1];
  if (!is_valid(m) || to_string(m) != text) return std::nullopt;
  return m;
}

}  // namespace warplens::ir
