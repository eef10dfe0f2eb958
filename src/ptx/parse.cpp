// Tokens, recovery, and everything at module level.
#include "ptx/parse.h"

#include <charconv>

#include "ptx/parser.h"

namespace warplens::ptx {
namespace {

std::string_view without_trailing_nuls(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

bool is_space(std::string_view word) {
  return word == "global" || word == "const" || word == "shared" || word == "local" || word == "param" ||
         word == "reg" || word == "tex" || word == "sreg";
}

}  // namespace

ParseResult parse(std::string_view text, std::string_view file_name) { return Parser(text, file_name).run(); }

Parser::Parser(std::string_view text, std::string_view file_name)
    : reporter_(file_name, diagnostics_), lexer_(without_trailing_nuls(text), reporter_) {}

ParseResult Parser::run() {
  scopes_.enter();
  advance();
  while (!at_end()) {
    nesting_ = 0;
    operand_braces_ = 0;
    opcode_ = {};
    module_item();
  }
  return {std::move(module_), std::move(diagnostics_)};
}

// ---- tokens

bool Parser::accept(char punct) {
  if (!at(punct)) return false;
  advance();
  return true;
}

bool Parser::expect(char punct, std::string_view where) {
  if (accept(punct)) return true;
  return error(std::string("expected '") + punct + "' " + std::string(where) + ", found " + found());
}

bool Parser::error(std::string message) { return error_at(token_.pos, std::move(message)); }

bool Parser::error_at(SourcePos pos, std::string message) {
  reporter_.report(Severity::Error, pos, std::move(message));
  return false;
}

std::string Parser::found() const {
  if (at_end()) return "the end of the text";
  if (token_.kind == TokenKind::Junk && token_.text.size() == 1) {
    const auto byte = static_cast<unsigned char>(token_.text[0]);
    if (byte < 0x20 || byte >= 0x7F) return "byte " + std::to_string(byte);
  }
  constexpr size_t kLongest = 40;
  const bool cut = token_.text.size() > kLongest;
  return "'" + std::string(token_.text.substr(0, kLongest)) + (cut ? "...'" : "'");
}

void Parser::skip_statement(int open_braces) {
  for (int depth = open_braces; !at_end(); advance()) {
    if (at('{')) ++depth;
    if (at('}') && depth-- == 0) return;
    if (at(';')) return advance();
  }
}

bool Parser::expect_name(std::string& out, std::string_view what) {
  if (token_.kind != TokenKind::Word) return error("expected " + std::string(what) + ", found " + found());
  out.assign(token_.text);
  advance();
  return true;
}

bool Parser::expect_unsigned(uint64_t& out, std::string_view what) {
  if (token_.kind != TokenKind::Number && !at('('))
    return error("expected a number " + std::string(what) + ", found " + found());
  const SourcePos pos = token_.pos;
  Constant value;
  if (!unary(value)) return false;
  if (value.type == Constant::Type::F32 || value.type == Constant::Type::F64)
    return error_at(pos, "expected an integer " + std::string(what));
  out = value.bits;
  return true;
}

bool Parser::expect_u32(uint32_t& out, std::string_view what) {
  const SourcePos pos = token_.pos;
  uint64_t value = 0;
  if (!expect_unsigned(value, what)) return false;
  if (value > UINT32_MAX) return error_at(pos, "number too large " + std::string(what));
  out = static_cast<uint32_t>(value);
  return true;
}

// Words of kept text are one blank apart, except around brackets and before commas, so that printed text reads again as
// the same words.
void Parser::append_word(std::string& out) {
  constexpr std::string_view kTight = "()[],";
  const bool tight = out.empty() || out.back() == '(' || out.back() == '[' ||
                     (token_.kind == TokenKind::Punct && kTight.find(token_.punct) != std::string_view::npos);
  if (!tight) out += ' ';
  out += token_.text;
  advance();
}

std::string Parser::balanced_text() {
  std::string text;
  advance();
  for (int depth = 1; !at_end() && !at(';') && !at('{') && !at('}'); append_word(text)) {
    if (at('(')) ++depth;
    if (at(')') && --depth == 0) break;
  }
  expect(')', "after the arguments of an attribute");
  return text;
}

// ---- module level

void Parser::module_item() {
  bool ok = false;
  const auto dot = [this](std::string_view word) { return at_dot(word); };
  if (token_.kind != TokenKind::DotWord) {
    if (accept(';')) return;
    ok = error("expected a directive, found " + found());
  } else if (dot("version")) {
    ok = version();
  } else if (dot("target")) {
    ok = target();
  } else if (dot("address_size")) {
    ok = address_size();
  } else if (dot("file")) {
    ok = file();
  } else if (dot("section")) {
    ok = section();
  } else if (dot("visible") || dot("extern") || dot("weak") || dot("common") || dot("entry") || dot("func") ||
             is_space(token_.text.substr(1))) {
    ok = linked_item();
  } else {
    Directive d;
    d.pos = token_.pos;
    ok = dot("pragma") ? pragma(d) : unknown_directive(d, true);
    add_directive(std::move(d));
  }
  if (ok) return;
  // The next directive at the start of a line goes on too: many directives have no ';'.
  for (int depth = operand_braces_; !at_end(); advance()) {
    if (depth == 0 && token_.kind == TokenKind::DotWord && token_.first_on_line) return;
    if (at('{')) ++depth;
    if ((at('}') && --depth <= 0) || (at(';') && depth == 0)) return advance();
  }
}

void Parser::add_directive(Directive directive) {
  module_.order.push_back({ModuleItem::Kind::Directive, static_cast<uint32_t>(module_.directives.size())});
  module_.directives.push_back(std::move(directive));
}

bool Parser::version() {
  advance();
  const std::string_view text = token_.text;
  const char* end = text.data() + text.size();
  int major = 0, minor = 0;
  auto [stop, code] = std::from_chars(text.data(), end, major);
  bool ok = token_.kind == TokenKind::Number && code == std::errc() && stop != end && *stop == '.';
  if (ok) {
    const auto [last, minor_code] = std::from_chars(stop + 1, end, minor);
    ok = minor_code == std::errc() && last == end && minor >= 0;
  }
  if (!ok) return error("expected a version such as 8.3, found " + found());
  advance();
  module_.version_major = major;
  module_.version_minor = minor;
  return true;
}

bool Parser::target() {
  advance();
  if (!expect_name(module_.target, "a target such as sm_80")) return false;
  module_.target_options.clear();
  while (accept(',')) {
    if (!expect_name(module_.target_options.emplace_back(), "an option of .target")) {
      module_.target_options.pop_back();
      return false;
    }
  }
  return true;
}

bool Parser::address_size() {
  advance();
  const SourcePos pos = token_.pos;
  uint32_t bits = 0;
  if (!expect_u32(bits, "of address bits")) return false;
  if (bits != 32 && bits != 64) return error_at(pos, "an address has 32 or 64 bits");
  module_.address_size = static_cast<int>(bits);
  return true;
}

// .file N "path" [, timestamp, size]; the two-string form of DWARF 5 (directory, name) is joined.
bool Parser::file() {
  advance();
  File f;
  if (!expect_u32(f.index, "as the number of a file")) return false;
  if (token_.kind != TokenKind::String) return error("expected a path, found " + found());
  f.path.assign(token_.text.substr(1, token_.text.size() - 2));
  advance();
  if (token_.kind == TokenKind::String) {
    const std::string_view name = token_.text.substr(1, token_.text.size() - 2);
    f.path = name.starts_with('/') ? std::string(name) : f.path + "/" + std::string(name);
    advance();
  }
  bool ok = true;
  if (accept(',')) {
    f.has_stamp = true;
    ok = expect_unsigned(f.timestamp, "as the timestamp of a file") && expect(',', "after a timestamp") &&
         expect_unsigned(f.size, "as the size of a file");
  }
  module_.order.push_back({ModuleItem::Kind::File, static_cast<uint32_t>(module_.files.size())});
  module_.files.push_back(std::move(f));
  return ok;
}

bool Parser::section() {
  advance();
  if (token_.kind != TokenKind::DotWord && token_.kind != TokenKind::Word)
    return error("expected the name of a section, found " + found());
  Section s{std::string(token_.text), {}};
  advance();
  if (!at('{')) return error("expected '{' after the name of a section, found " + found());
  s.text.assign(lexer_.verbatim_block(token_.pos));
  advance();
  module_.order.push_back({ModuleItem::Kind::Section, static_cast<uint32_t>(module_.sections.size())});
  module_.sections.push_back(std::move(s));
  return true;
}

bool Parser::linked_item() {
  std::string linkage;
  if (!is_space(token_.text.substr(1)) && !at_dot("entry") && !at_dot("func")) {
    linkage.assign(token_.text.substr(1));
    advance();
  }
  if (at_dot("entry") || at_dot("func")) return function(std::move(linkage));
  if (token_.kind != TokenKind::DotWord || !is_space(token_.text.substr(1))) {
    return error("expected a variable or a function, found " + found());
  }
  const size_t first = module_.variables.size();
  const bool ok = variables(std::move(linkage), module_.variables);
  for (size_t i = first; i < module_.variables.size(); ++i) {
    module_.order.push_back({ModuleItem::Kind::Variable, static_cast<uint32_t>(i)});
  }
  return ok;
}

// Current: .pragma. Up to and past the ';'.
bool Parser::pragma(Directive& out) {
  out.name = "pragma";
  advance();
  directive_arguments(out, false);
  return expect(';', "after .pragma");
}

// A directive of no known form: its words up to the ';', the end of the line or a '{', and then a { ... } kept
// verbatim.
bool Parser::unknown_directive(Directive& out, bool block_may_follow_line) {
  out.name.assign(token_.text.substr(1));
  advance();
  directive_arguments(out, true);
  if (at('{') && (block_may_follow_line || !token_.first_on_line)) {
    out.body.assign(lexer_.verbatim_block(token_.pos));
    if (out.body.empty()) out.body = " ";  // "" would say that there was none
    advance();
    return true;
  }
  accept(';');
  return true;
}

void Parser::directive_arguments(Directive& out, bool to_line_end) {
  const auto ends = [&] {
    if (at_end() || at(';') || at('{') || at('}')) return true;
    return to_line_end ? token_.first_on_line : token_.kind == TokenKind::DotWord;
  };
  if (ends()) return;
  int depth = 0;
  out.arguments.emplace_back();
  while (!ends()) {
    if (at('(')) ++depth;
    if (at(')')) --depth;
    if (at(',') && depth <= 0) {
      out.arguments.emplace_back();
      advance();
    } else {
      append_word(out.arguments.back());
    }
  }
}

}  // namespace warplens::ptx
