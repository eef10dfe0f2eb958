// Functions: signature, directives, statements.
#include <iterator>

#include "ptx/parser.h"

namespace warplens::ptx {
namespace {

bool is_variable_space(std::string_view word) {
  return word == "reg" || word == "param" || word == "local" || word == "shared" || word == "global" ||
         word == "const" || word == "tex" || word == "sreg";
}

bool is_linkage(std::string_view word) {
  return word == "visible" || word == "extern" || word == "weak" || word == "common";
}

}  // namespace

// Current: .entry or .func.
bool Parser::function(std::string linkage) {
  const auto index = static_cast<uint32_t>(module_.functions.size());
  module_.order.push_back({ModuleItem::Kind::Function, index});
  Function& f = module_.functions.emplace_back();
  f.linkage = std::move(linkage);
  f.pos = token_.pos;
  f.is_kernel = at_dot("entry");
  scopes_.enter();
  const bool ok = function_signature(f);
  if (ok) function_directives(f);
  if (!ok) {
    while (!at_end() && !at('{') && !at(';') && !at('}')) advance();
  }
  if (accept(';')) {
    f.declaration_only = true;
  } else if (at('{')) {
    function_body(f);
  } else {
    error("expected '{' or ';' after the signature of " + (f.name.empty() ? "a function" : f.name) + ", found " +
          found());
    f.declaration_only = true;
  }
  scopes_.leave();
  return true;
}

// .func .attribute(...) (results) name (parameters)
bool Parser::function_signature(Function& f) {
  advance();
  if (at_dot("attribute")) {
    advance();
    if (!attribute_list(f.attributes)) return false;
  }
  if (at('(') && !parameters(f.results)) return false;
  if (!expect_name(f.name, "the name of a function")) return false;
  return !at('(') || parameters(f.params);
}

// Current: '('. Up to and past the ')'.
bool Parser::parameters(std::vector<Variable>& out) {
  advance();
  if (accept(')')) return true;
  do {
    if (token_.kind != TokenKind::DotWord) return error("expected .param or .reg, found " + found());
    Variable& variable = out.emplace_back();
    variable.pos = token_.pos;
    if (!variable_head(variable)) return false;
    const std::string_view name = token_.text;
    if (!declarator(variable)) return false;
    if (variable.space == "reg") scopes_.declare(name, variable.count_suffix);
  } while (accept(','));
  return expect(')', "after parameters");
}

// Current: what follows .attribute. (.managed, .unified(1, 2)) -> "managed", "unified(1, 2)"
bool Parser::attribute_list(std::vector<std::string>& out) {
  if (!expect('(', "after .attribute")) return false;
  do {
    if (token_.kind != TokenKind::DotWord) return error("expected an attribute, found " + found());
    std::string& attribute = out.emplace_back(token_.text.substr(1));
    advance();
    if (at('(')) attribute += "(" + balanced_text() + ")";
  } while (accept(','));
  return expect(')', "after attributes");
}

// .maxntid 256, 1, 1 .noreturn ... up to the body or the ';'
void Parser::function_directives(Function& f) {
  const auto next_item = [this] {
    return at_dot("entry") || at_dot("func") || is_linkage(token_.text.substr(1)) ||
           is_variable_space(token_.text.substr(1));
  };
  while (token_.kind == TokenKind::DotWord && !next_item()) {
    Directive& d = f.directives.emplace_back();
    d.pos = token_.pos;
    if (at_dot("pragma")) {
      pragma(d);
      continue;
    }
    d.name.assign(token_.text.substr(1));
    advance();
    if (token_.kind != TokenKind::DotWord) directive_arguments(d, false);
  }
}

void Parser::function_body(Function& f) {
  advance();
  blocks_.assign(1, &f.body);
  flattened_ = 0;
  loc_ = -1;
  bool open = true;
  while (open) {
    if (at_end()) {
      error("the text ends inside " + (f.name.empty() ? "a function" : f.name));
      break;
    }
    nesting_ = 0;
    operand_braces_ = 0;
    opcode_ = {};
    if (at('}')) {
      open = close_block(f);
    } else if (at_dot("entry") || at_dot("func")) {
      error("expected '}' before the next function");
      break;
    } else if (!statement(f)) {
      skip_statement(operand_braces_);
    }
  }
  while (!blocks_.empty()) finish_block();  // the inner ones: of a text that ends too early
}

// The innermost open block gets its statements, in memory of their exact size: a module is mostly statements.
void Parser::finish_block() {
  std::vector<Statement>& gathered = statements();
  blocks_.back()->statements.assign(std::make_move_iterator(gathered.begin()), std::make_move_iterator(gathered.end()));
  gathered.clear();
  blocks_.pop_back();
  if (!blocks_.empty()) scopes_.leave();
}

void Parser::open_block() {
  if (blocks_.size() >= kMaxNesting) {
    if (flattened_ == 0) error("scopes nested too deeply; the inner ones are read as one");
    ++flattened_;
  } else {
    auto block = std::make_shared<Block>();
    Block* inner = block.get();
    statements().emplace_back(std::move(block));
    blocks_.push_back(inner);
    scopes_.enter();
  }
  advance();
}

bool Parser::close_block(Function& f) {
  advance();
  if (flattened_ > 0) {
    --flattened_;
    return true;
  }
  if (blocks_.size() == 1) return false;
  finish_block();
  return true;
}

bool Parser::statement(Function& f) {
  switch (token_.kind) {
    case TokenKind::Word:
      return word_statement(f);
    case TokenKind::DotWord:
      return dot_statement(f);
    case TokenKind::Punct:
      if (at('@')) return instruction();
      if (at('{')) return open_block(), true;
      if (accept(';')) return true;
      [[fallthrough]];
    default:
      return error("expected an instruction, found " + found());
  }
}

bool Parser::word_statement(Function& f) {
  if (lexer_.peek() != ':') return instruction();
  Label label{std::string(token_.text), token_.pos};
  advance();
  advance();
  if (at_dot("branchtargets") || at_dot("calltargets") || at_dot("callprototype")) {
    Directive d;
    d.label = std::move(label.name);
    d.pos = label.pos;
    return labelled_directive(std::move(d));
  }
  statements().emplace_back(std::move(label));
  return true;
}

bool Parser::dot_statement(Function& f) {
  const std::string_view word = token_.text.substr(1);
  if (word == "loc") return loc(f);
  if (word == "file") return file();
  std::string linkage;
  if (is_linkage(word)) {
    linkage.assign(word);
    advance();
  }
  if (token_.kind == TokenKind::DotWord && is_variable_space(token_.text.substr(1))) {
    std::vector<Variable> declared;
    const bool ok = variables(std::move(linkage), declared);
    for (Variable& v : declared) statements().emplace_back(std::move(v));
    return ok;
  }
  if (!linkage.empty()) return error("expected a variable after ." + linkage + ", found " + found());
  Directive d;
  d.pos = token_.pos;
  bool ok = true;
  if (word == "pragma") {
    ok = pragma(d);
  } else if (word == "branchtargets" || word == "calltargets" || word == "callprototype") {
    return labelled_directive(std::move(d));
  } else {
    ok = unknown_directive(d, false);
  }
  statements().emplace_back(std::move(d));
  return ok;
}

// .loc FILE LINE COLUMN [, function_name LABEL [+ N]] [, inlined_at FILE LINE COLUMN]
bool Parser::loc(Function& f) {
  advance();
  Loc l;
  if (!expect_u32(l.file, "as the file of .loc") || !expect_u32(l.line, "as its line")) return false;
  if (token_.kind == TokenKind::Number && !expect_u32(l.column, "as its column")) return false;
  while (accept(',')) {
    if (at_word("function_name")) {
      advance();
      if (token_.kind == TokenKind::DotWord) {  // .debug_str+12
        l.function.assign(token_.text);
        advance();
      } else if (!expect_name(l.function, "a label after function_name")) {
        return false;
      }
      if (accept('+') && !expect_u32(l.function_offset, "as an offset")) return false;
    } else if (at_word("inlined_at")) {
      advance();
      if (!expect_u32(l.at_file, "as the file of inlined_at") || !expect_u32(l.at_line, "as its line") ||
          !expect_u32(l.at_column, "as its column")) {
        return false;
      }
    } else {
      return error("expected function_name or inlined_at, found " + found());
    }
  }
  loc_ = static_cast<int32_t>(f.locs.size());
  f.locs.push_back(std::move(l));
  return true;
}

// label: .branchtargets a, b;   label: .callprototype (results) _ (parameters) .noreturn;
bool Parser::labelled_directive(Directive d) {
  d.name.assign(token_.text.substr(1));
  advance();
  bool ok = true;
  if (d.name == "callprototype") {
    scopes_.enter();  // parameters of a prototype declare nothing
    ok = prototype(d);
    scopes_.leave();
  } else if (!at(';')) {
    do {
      ok = operand(d.operands.emplace_back());
    } while (ok && accept(','));
  }
  const std::string name = d.name;
  statements().emplace_back(std::move(d));
  return ok && expect(';', "after ." + name);
}

bool Parser::prototype(Directive& d) {
  std::string name;
  if (at('(') && !parameters(d.results)) return false;
  if (!expect_name(name, "'_' in .callprototype")) return false;
  if (at('(') && !parameters(d.params)) return false;
  while (token_.kind == TokenKind::DotWord) {
    std::string& word = d.arguments.emplace_back();
    append_word(word);
    while (token_.kind == TokenKind::Number) append_word(word);
  }
  return true;
}

// @p opcode.modifiers operands;
bool Parser::instruction() {
  Instruction& out = std::get<Instruction>(statements().emplace_back(std::in_place_type<Instruction>));
  out.pos = token_.pos;
  out.loc = loc_;
  const bool guarded = accept('@');
  if (guarded) out.guard_negated = accept('!');
  if ((guarded && !expect_name(out.guard, "a predicate after '@'")) || !expect_name(out.opcode, "an opcode")) {
    statements().pop_back();
    return false;
  }
  for (words_.clear(); token_.kind == TokenKind::DotWord && !token_.first_on_line; advance()) {
    words_.push_back(token_.text.substr(1));
  }
  out.modifiers.assign(words_.begin(), words_.end());
  if (accept(';')) return true;
  if (operands(out)) return true;
  keep_rest_as_unknown(out);
  return true;
}

bool Parser::operands(Instruction& out) {
  opcode_ = out.opcode;
  if (!operand_list(out.operands)) return false;
  if (accept(';')) return true;
  const bool next_statement = token_.first_on_line && operand_braces_ == 0;
  error("expected ',' or ';' in " + out.opcode + ", found " + found());
  if (next_statement) return true;  // only the ';' is missing
  out.operands.emplace_back();
  return false;
}

// After an error: the operand at fault becomes the rest of the statement, so that nobody takes half of it for the
// whole.
void Parser::keep_rest_as_unknown(Instruction& out) {
  Operand& last = out.operands.back();
  last = Operand{};
  last.kind = Operand::Kind::Unknown;
  for (int depth = operand_braces_; !at_end() && !at(';'); append_word(last.name)) {
    if (at('{')) ++depth;
    if (at('}') && depth-- == 0) break;
  }
  if (last.name.empty()) last.name = "?";
  accept(';');
}

}  // namespace warplens::ptx
