// Variables: .reg, .param, .local, .shared, .const, .global, .tex, at every level, with initialisers.
#include <algorithm>
#include <iterator>

#include "ptx/parser.h"

namespace warplens::ptx {
namespace {

bool is_pointer_space(std::string_view word) {
  static constexpr std::string_view kSpaces[] = {"global", "const", "local", "shared", "param", "generic"};
  return std::find(std::begin(kSpaces), std::end(kSpaces), word) != std::end(kSpaces);
}

// The N of "vN"; 0 if it is no such word.
int vector_width(std::string_view word) {
  if (word.size() != 2 || word[0] != 'v' || word[1] < '1' || word[1] > '9') return 0;
  return word[1] - '0';
}

bool is_plain_symbol(const Operand& operand) {
  return operand.kind == Operand::Kind::Symbol && operand.component.empty() && !operand.negated && !operand.negative;
}

}  // namespace

bool Parser::variables(std::string linkage, std::vector<Variable>& out) {
  Variable head;
  head.linkage = std::move(linkage);
  head.pos = token_.pos;
  if (!variable_head(head)) return false;
  do {
    Variable& variable = out.emplace_back(head);
    variable.pos = token_.pos;
    const std::string_view name = token_.text;
    if (!declarator(variable)) {
      if (variable.name.empty()) out.pop_back();
      return false;
    }
    if (variable.space == "reg") scopes_.declare(name, variable.count_suffix);
  } while (accept(','));
  if (accept(';')) return true;
  const bool next_statement = token_.first_on_line;
  error("expected ';' after a declaration, found " + found());
  return next_statement;  // only the ';' is missing
}

bool Parser::variable_head(Variable& out) {
  out.space.assign(token_.text.substr(1));
  advance();
  while (token_.kind == TokenKind::DotWord) {
    const std::string_view word = token_.text.substr(1);
    const int width = vector_width(word);
    if (word == "align") {
      advance();
      if (!expect_u32(out.align, "after .align")) return false;
      continue;
    }
    if (word == "ptr") {
      advance();
      if (!pointer_words(out)) return false;
      continue;
    }
    if (word == "attribute") {
      advance();
      if (!attribute_list(out.attributes)) return false;
      continue;
    }
    if (width != 0) {
      out.vector = width;
    } else if (out.type.empty()) {
      out.type.assign(word);
    } else {
      out.attributes.emplace_back(token_.text);  // a word nobody knows, kept with its dot
    }
    advance();
  }
  return true;
}

// .ptr .global .align 16
bool Parser::pointer_words(Variable& out) {
  out.pointer = true;
  while (token_.kind == TokenKind::DotWord) {
    const std::string_view word = token_.text.substr(1);
    if (word == "align") {
      advance();
      if (!expect_u32(out.pointer_align, "after .align")) return false;
    } else if (is_pointer_space(word)) {
      out.pointer_space.assign(word);
      advance();
    } else {
      return true;
    }
  }
  return true;
}

// name, name<8>, name[4][4] = {...}
bool Parser::declarator(Variable& out) {
  if (!expect_name(out.name, "a name in a declaration")) return false;
  if (accept('<')) {
    if (!expect_u32(out.count_suffix, "as the number of registers") || !expect('>', "after it")) return false;
  }
  while (accept('[')) {
    out.is_array = true;
    uint64_t& size = out.dims.emplace_back(0);
    if (accept(']')) continue;
    Constant value;
    if (!expression(value) || !expect(']', "after an array size")) return false;
    size = value.bits;
  }
  return !accept('=') || initializer(out);
}

bool Parser::initializer(Variable& out) {
  if (!at('{')) return initializer_value(out.initializer.emplace_back());
  Operand list;
  if (!initializer_value(list)) return false;
  out.braced = true;
  out.initializer = std::move(list.elements);
  return true;
}

// A value, or { ... } of values.
bool Parser::initializer_value(Operand& out) {
  if (!at('{'))
    return token_.kind == TokenKind::Number && lexer_.peek() == '(' ? masked_address(out) : address_constant(out);
  if (!enter_nesting()) return false;
  out.kind = Operand::Kind::Vector;
  ++operand_braces_;
  advance();
  const size_t first = gathered_.size();
  bool ok = true;
  if (!at('}')) {
    do {
      Operand next;
      ok = initializer_value(next) && field_value(next);
      gathered_.push_back(std::move(next));
    } while (ok && accept(',') && !at('}'));
  }
  take_gathered(first, out.elements);
  if (!ok || !expect('}', "in an initialiser")) return false;
  --operand_braces_;
  leave_nesting();
  return true;
}

// addr_mode_0 = clamp_to_edge, a field of a sampler: the name has been read.
bool Parser::field_value(Operand& out) {
  if (!at('=')) return true;
  if (!is_plain_symbol(out) || out.offset != 0) return error("expected a field of a sampler or texture before '='");
  advance();
  out.component = "=";
  return operand(out.elements.emplace_back());
}

// 0xFF00(symbol): one byte of an address, for packed tables of addresses.
bool Parser::masked_address(Operand& out) {
  Constant mask;
  if (!literal(mask) || !expect('(', "after a mask") || !address_constant(out)) return false;
  if (!is_plain_symbol(out) && out.component != "generic")
    return error("a mask is for the address of a variable or function");
  out.value = mask.bits;
  out.component = out.component.empty() ? "mask" : "mask generic";
  return expect(')', "after a masked address");
}

// symbol+4, generic(symbol)+4, or a constant
bool Parser::address_constant(Operand& out) {
  if (!(at_word("generic") && lexer_.peek() == '(')) return operand(out);
  advance();
  advance();
  if (!operand(out)) return false;
  if (!is_plain_symbol(out)) return error("generic() is for the address of a variable");
  out.component = "generic";
  return expect(')', "after generic(") && symbol_offset(out.offset);
}

}  // namespace warplens::ptx
