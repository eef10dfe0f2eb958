// Operands of instructions.
#include <algorithm>
#include <iterator>

#include "ptx/instructions.h"
#include "ptx/parser.h"

namespace warplens::ptx {
namespace {

// Special registers of four components: their component is part of the name.
bool has_dimensions(std::string_view name) {
  static constexpr std::string_view kNames[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                                "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

bool Parser::enter_nesting() {
  if (nesting_ >= kMaxNesting) return error("nested too deeply");
  ++nesting_;
  return true;
}

bool Parser::operand(Operand& out) {
  if (!primary(out)) return false;
  if (!at('|')) return true;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements.push_back(std::move(out));
  while (accept('|')) {
    if (!primary(pair.elements.emplace_back())) return false;
  }
  out = std::move(pair);
  return true;
}

bool Parser::primary(Operand& out) {
  if (token_.kind == TokenKind::Word) return word_operand(out);
  if (token_.kind != TokenKind::Punct) return constant_operand(out);
  switch (token_.punct) {
    case '[':
      return address(out);
    case '{':
      out.kind = Operand::Kind::Vector;
      ++operand_braces_;
      advance();
      if (!elements(out, '}', "in a vector")) return false;
      --operand_braces_;
      return true;
    case '(':
      if (!takes_lists()) return constant_operand(out);
      out.kind = Operand::Kind::List;
      advance();
      return elements(out, ')', "in a list");
    case '!': {
      const char after = lexer_.peek();
      if (after == '(' || after == '!' || after == '-' || (after >= '0' && after <= '9')) return constant_operand(out);
      advance();
      out.negated = true;
      if (token_.kind != TokenKind::Word || at_word("WARP_SZ"))
        return error("expected a predicate after '!', found " + found());
      return word_operand(out);
    }
    case '-': {
      const char after = lexer_.peek();
      const bool name = (after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z' && after != 'W');  // WARP_SZ
      if (!name && after != '%' && after != '_' && after != '$') return constant_operand(out);
      advance();
      out.negative = true;  // -%r1 of the video instructions
      return token_.kind == TokenKind::Word ? word_operand(out)
                                            : error("expected a register after '-', found " + found());
    }
    default:
      return constant_operand(out);
  }
}

bool Parser::word_operand(Operand& out) {
  const std::string_view text = token_.text;
  if (text == "_") {
    out.kind = Operand::Kind::Sink;
    advance();
    return true;
  }
  if (text == "WARP_SZ") return constant_operand(out);
  const bool is_register = text.front() == '%' || scopes_.contains(text);
  out.kind = is_register ? Operand::Kind::Register : Operand::Kind::Symbol;
  out.name.assign(text);
  advance();
  if (token_.kind == TokenKind::DotWord && !token_.first_on_line) {
    const bool reserved = at_dot("generic") || at_dot("mask");  // stand for address constants in a Symbol
    if (reserved || token_.text.size() > ShortWord::kLongest) return error("no component of a register: " + found());
    if (has_dimensions(text)) {
      out.name.append(token_.text);
    } else {
      out.component = token_.text.substr(1);
    }
    advance();
  }
  if (is_register || token_.kind != TokenKind::Punct) return true;
  if (at('[')) return element_index(out);
  return symbol_offset(out.offset);
}

// Sums the "+4", "-4", "+-4", "+4*2" behind a symbol or a base register.
bool Parser::symbol_offset(int64_t& offset) {
  while (at('+') || at('-')) {
    const bool minus = at('-');
    advance();
    Constant term;
    if (!binary(term, 10)) return false;
    if (term.type == Constant::Type::F32 || term.type == Constant::Type::F64) return error("an offset is an integer");
    const uint64_t sum = static_cast<uint64_t>(offset) + (minus ? 0 - term.bits : term.bits);
    offset = static_cast<int64_t>(sum);
  }
  return true;
}

bool Parser::element_index(Operand& out) {
  Operand variable = std::move(out);
  out = Operand{};
  out.kind = Operand::Kind::Element;
  advance();
  Constant index;
  if (!expression(index) || !expect(']', "after an index")) return false;
  out.offset = static_cast<int64_t>(index.bits);
  out.elements.push_back(std::move(variable));
  return true;
}

// [base+offset], [tex, {x, y}], [map, {x, y}, {a, b}], [a].unified
bool Parser::address(Operand& out) {
  out.kind = Operand::Kind::Address;
  if (!enter_nesting()) return false;
  advance();
  if (!address_base(out)) return false;
  if (accept(',') && !operand_list(out.elements)) return false;
  if (!expect(']', "after an address")) return false;
  leave_nesting();
  if (token_.kind == TokenKind::DotWord && !token_.first_on_line && token_.text.size() <= ShortWord::kLongest) {
    out.component = token_.text.substr(1);
    advance();
  }
  return true;
}

bool Parser::address_base(Operand& out) {
  Operand& base = out.elements.emplace_back();
  if (!primary(base)) return false;
  using Kind = Operand::Kind;
  if (base.kind == Kind::Register && !symbol_offset(out.offset)) return false;
  if (base.kind == Kind::Symbol) std::swap(out.offset, base.offset);
  return true;
}

bool Parser::elements(Operand& out, char close, std::string_view where) {
  if (!enter_nesting()) return false;
  if (!at(close) && !operand_list(out.elements)) return false;
  if (!expect(close, where)) return false;
  leave_nesting();
  return true;
}

// a, b, ... to `out`, behind what is there. They are gathered on a stack, so that each list is allocated once, as large
// as it gets: most of the time and memory of a module is its operands. After an error `out` holds those before it, and
// the one at fault as far as it was read.
bool Parser::operand_list(std::vector<Operand>& out) {
  const size_t first = gathered_.size();
  bool ok = true;
  do {
    Operand next;
    ok = operand(next);
    gathered_.push_back(std::move(next));
  } while (ok && accept(','));
  take_gathered(first, out);
  return ok;
}

void Parser::take_gathered(size_t first, std::vector<Operand>& out) {
  const auto begin = gathered_.begin() + static_cast<std::ptrdiff_t>(first);
  out.insert(out.end(), std::make_move_iterator(begin), std::make_move_iterator(gathered_.end()));
  gathered_.erase(begin, gathered_.end());
}

// Whether '(' starts a list: in calls, and in instructions that nobody knows. Elsewhere it is a constant expression.
bool Parser::takes_lists() const { return opcode_ == "call" || (!opcode_.empty() && !find_opcode(opcode_)); }

bool Parser::constant_operand(Operand& out) {
  Constant value;
  if (!expression(value)) return false;
  const bool is_float = value.type == Constant::Type::F32 || value.type == Constant::Type::F64;
  out.kind = is_float ? Operand::Kind::Float : Operand::Kind::Immediate;
  out.is_f64 = value.type == Constant::Type::F64;
  out.value = value.bits;
  out.negative = value.minus || (value.type == Constant::Type::Signed && static_cast<int64_t>(value.bits) < 0);
  if (value.warp_size) out.name = "WARP_SZ";
  return true;
}

}  // namespace warplens::ptx
