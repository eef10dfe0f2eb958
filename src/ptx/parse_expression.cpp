// Constant expressions: C's operators over 64-bit signed, unsigned and floating values, as PTX ISA "Constant
// Expressions" gives them. Compilers write plain literals; people write `WARP_SZ - 1`, `(1 << 5) * 4`.
#include <bit>
#include <charconv>
#include <cmath>

#include "ptx/parser.h"

namespace warplens::ptx {
namespace {

using Type = Constant::Type;

enum Operator : int { None, Mul, Div, Rem, Add, Sub, Shl, Shr, Lt, Gt, Le, Ge, Eq, Ne, And, Xor, Or, LogAnd, LogOr };

// How tightly an operator binds; 0 for none.
int precedence(int op) {
  constexpr int kTightness[] = {0, 10, 10, 10, 9, 9, 8, 8, 7, 7, 7, 7, 6, 6, 5, 4, 3, 2, 1};
  return kTightness[op];
}

bool is_float(const Constant& c) { return c.type == Type::F32 || c.type == Type::F64; }

double as_double(const Constant& c) {
  switch (c.type) {
    case Type::F32:
      return std::bit_cast<float>(static_cast<uint32_t>(c.bits));
    case Type::F64:
      return std::bit_cast<double>(c.bits);
    case Type::Signed:
      return static_cast<double>(static_cast<int64_t>(c.bits));
    case Type::Unsigned:
      return static_cast<double>(c.bits);
  }
  return 0;
}

bool truth(const Constant& c) { return is_float(c) ? as_double(c) != 0 : c.bits != 0; }

Constant signed_value(uint64_t bits) { return {Type::Signed, bits}; }
Constant float_value(double value) { return {Type::F64, std::bit_cast<uint64_t>(value)}; }

// False where there is no such operation on floats.
bool apply_float(int op, double a, double b, Constant& out) {
  switch (op) {
    case Add:
      out = float_value(a + b);
      return true;
    case Sub:
      out = float_value(a - b);
      return true;
    case Mul:
      out = float_value(a * b);
      return true;
    case Div:
      out = float_value(a / b);
      return true;
    case Lt:
      out = signed_value(a < b);
      return true;
    case Gt:
      out = signed_value(a > b);
      return true;
    case Le:
      out = signed_value(a <= b);
      return true;
    case Ge:
      out = signed_value(a >= b);
      return true;
    case Eq:
      out = signed_value(a == b);
      return true;
    case Ne:
      out = signed_value(a != b);
      return true;
    default:
      return false;
  }
}

uint64_t shift(int op, bool is_signed, uint64_t a, uint64_t amount) {
  if (op == Shl) return amount > 63 ? 0 : a << amount;
  if (is_signed) return static_cast<uint64_t>(static_cast<int64_t>(a) >> std::min<uint64_t>(amount, 63));
  return amount > 63 ? 0 : a >> amount;
}

uint64_t divide(int op, bool is_signed, uint64_t a, uint64_t b) {
  if (!is_signed) return op == Div ? a / b : a % b;
  if (b == ~uint64_t{0}) return op == Div ? 0 - a : 0;  // INT64_MIN / -1 wraps
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(op == Div ? x / y : x % y);
}

bool less(bool is_signed, uint64_t a, uint64_t b) {
  return is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

// b is not 0 where op divides.
Constant apply_integer(int op, const Constant& x, const Constant& y) {
  const uint64_t a = x.bits, b = y.bits;
  const bool shifts = op == Shl || op == Shr;
  const bool is_signed = x.type == Type::Signed && (shifts || y.type == Type::Signed);
  const Type type = is_signed ? Type::Signed : Type::Unsigned;
  switch (op) {
    case Mul:
      return {type, a * b};
    case Div:
    case Rem:
      return {type, divide(op, is_signed, a, b)};
    case Add:
      return {type, a + b};
    case Sub:
      return {type, a - b};
    case Shl:
    case Shr:
      return {type, shift(op, is_signed, a, b)};
    case And:
      return {type, a & b};
    case Xor:
      return {type, a ^ b};
    case Or:
      return {type, a | b};
    case Lt:
      return signed_value(less(is_signed, a, b));
    case Gt:
      return signed_value(less(is_signed, b, a));
    case Le:
      return signed_value(!less(is_signed, b, a));
    case Ge:
      return signed_value(!less(is_signed, a, b));
    case Eq:
      return signed_value(a == b);
    default:
      return signed_value(a != b);
  }
}

// The digits of an integer literal; false if they are none of that base.
bool parse_integer(std::string_view digits, int base, Constant& out, bool& fits) {
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, out.bits, base);
  fits = code != std::errc::result_out_of_range;
  if (!fits) out.bits = ~uint64_t{0};
  return stop == end && code != std::errc::invalid_argument;
}

bool parse_float_bits(std::string_view text, Constant& out) {
  const bool f64 = text[1] == 'd' || text[1] == 'D';
  text.remove_prefix(2);
  bool fits = false;
  out.type = f64 ? Type::F64 : Type::F32;
  return text.size() == (f64 ? 16u : 8u) && parse_integer(text, 16, out, fits);
}

bool parse_decimal_float(std::string_view text, Constant& out) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; PTX rounds like C: a large one to infinity, a tiny one to zero.
    const size_t e = text.find_first_of("eE");
    const bool tiny = e != std::string_view::npos ? e + 1 < text.size() && text[e + 1] == '-' : text.front() == '0';
    value = tiny ? 0 : HUGE_VAL;
  }
  out = float_value(value);
  return stop == end && code != std::errc::invalid_argument;
}

}  // namespace

bool Parser::expression(Constant& out) {
  if (!enter_nesting()) return false;
  bool ok = binary(out, 1);
  if (ok && at('?')) {
    advance();
    Constant yes, no;
    ok = expression(yes) && expect(':', "in a ?: expression") && expression(no);
    out = truth(out) ? yes : no;
  }
  leave_nesting();
  return ok;
}

int Parser::binary_operator(int& length) const {
  if (token_.kind != TokenKind::Punct) return None;
  const char next = lexer_.adjacent();
  const auto either = [&](char second, int both, int one) {
    length = next == second ? 2 : 1;
    return next == second ? both : one;
  };
  length = 1;
  switch (token_.punct) {
    case '*':
      return Mul;
    case '/':
      return Div;
    case '%':
      return Rem;
    case '+':
      return Add;
    case '-':
      return Sub;
    case '^':
      return Xor;
    case '&':
      return either('&', LogAnd, And);
    case '|':
      return either('|', LogOr, Or);
    case '=':
      return either('=', Eq, None);
    case '!':
      return either('=', Ne, None);
    case '<':
      return next == '<' ? either('<', Shl, Lt) : either('=', Le, Lt);
    case '>':
      return next == '>' ? either('>', Shr, Gt) : either('=', Ge, Gt);
    default:
      return None;
  }
}

void Parser::advance_operator(int length) {
  for (int i = 0; i < length; ++i) advance();
}

bool Parser::binary(Constant& out, int lowest) {
  if (!unary(out)) return false;
  int length = 0;
  for (int op = binary_operator(length); op != None && precedence(op) >= lowest; op = binary_operator(length)) {
    advance_operator(length);
    Constant right;
    if (!binary(right, precedence(op) + 1)) return false;
    if (op == LogAnd || op == LogOr) {
      out = signed_value(op == LogAnd ? truth(out) && truth(right) : truth(out) || truth(right));
    } else if (is_float(out) || is_float(right)) {
      if (!apply_float(op, as_double(out), as_double(right), out))
        return error("no such operation on floating-point constants");
    } else if ((op == Div || op == Rem) && right.bits == 0) {
      return error("division by zero in a constant expression");
    } else {
      out = apply_integer(op, out, right);
    }
  }
  return true;
}

bool Parser::unary(Constant& out) {
  if (!at('-') && !at('+') && !at('!') && !at('~') && !at('(')) return literal(out);
  const char op = token_.punct;
  advance();
  if (op == '(') {
    const bool cast = at_dot("s64") || at_dot("u64");
    const Type type = at_dot("u64") ? Type::Unsigned : Type::Signed;
    if (!cast) return expression(out) && expect(')', "in a constant expression");
    advance();
    if (!expect(')', "after the type of a cast")) return false;
    if (!enter_nesting()) return false;
    const bool ok = unary(out);
    leave_nesting();
    if (ok && is_float(out)) return error("a floating-point constant cannot be cast");
    out = {type, out.bits};
    return ok;
  }
  const bool plain = token_.kind == TokenKind::Number;
  if (!enter_nesting()) return false;
  const bool ok = unary(out);
  leave_nesting();
  if (!ok) return false;
  if (op == '-' && is_float(out)) out.bits ^= out.type == Type::F32 ? uint64_t{1} << 31 : uint64_t{1} << 63;
  if (op == '-' && !is_float(out)) out = {out.type, 0 - out.bits, plain && out.bits != 0};
  if (op == '!') out = signed_value(!truth(out));
  if (op == '~' && is_float(out)) return error("no '~' of a floating-point constant");
  if (op == '~') out = {out.type, ~out.bits};
  if (op == '+') out.warp_size = false;
  return true;
}

bool Parser::literal(Constant& out) {
  if (at_word("WARP_SZ")) {
    out = {Type::Signed, 32, false, true};
    advance();
    const bool alone = at(',') || at(';') || at(']') || at('}') || at(')');
    out.warp_size = alone;
    return true;
  }
  std::string_view text = token_.text;
  const bool dotted = token_.kind == TokenKind::DotWord && text.size() > 1 && text[1] >= '0' && text[1] <= '9';  // .5
  if (token_.kind != TokenKind::Number && !dotted) return error("expected a number, found " + found());
  const char second = text.size() > 1 ? text[1] : 0;
  bool ok = false, fits = true;
  if (text[0] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    ok = parse_float_bits(text, out);
  } else if (const bool hex = text[0] == '0' && (second == 'x' || second == 'X');
             !hex && text.find_first_of(".eE") != std::string_view::npos) {
    ok = parse_decimal_float(text, out);
  } else {
    const bool is_unsigned = text.back() == 'U' || text.back() == 'u';
    if (is_unsigned) text.remove_suffix(1);
    const bool binary = text[0] == '0' && (second == 'b' || second == 'B');
    const bool octal = text[0] == '0' && !hex && !binary && text.size() > 1;
    ok = parse_integer(text.substr(hex || binary ? 2 : 0), hex ? 16 : binary ? 2 : octal ? 8 : 10, out, fits);
    out.type = is_unsigned || out.bits >> 63 ? Type::Unsigned : Type::Signed;
  }
  if (!ok) return error("not a number: " + found());
  if (!fits) return error("number too large for 64 bits: " + found());
  advance();
  return true;
}

}  // namespace warplens::ptx
