#include "ptx/lexer.h"

#include "ptx/parse.h"

namespace warplens::ptx {
namespace {

enum : uint8_t { kBlank = 1, kStart = 2, kWord = 4, kDigit = 8, kPunct = 16 };

constexpr auto kClass = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
    const bool digit = c >= '0' && c <= '9';
    table[c] = static_cast<uint8_t>((letter ? kStart | kWord : 0) | (digit ? kDigit | kWord : 0));
  }
  for (unsigned char c : {' ', '\t', '\r', '\f', '\v'}) table[c] = kBlank;
  for (unsigned char c : std::string_view("{}()[],;:@!|=+-*/%&^<>?~")) table[c] = kPunct;
  return table;
}();

bool is(char c, uint8_t classes) { return (kClass[static_cast<unsigned char>(c)] & classes) != 0; }

}  // namespace

void Reporter::report(Severity severity, SourcePos pos, std::string message, std::string hint) {
  if (out_.size() > kMaxDiagnostics) return;
  if (out_.size() == kMaxDiagnostics) {
    message = "too many problems; the rest is not reported";
    hint.clear();
  }
  out_.push_back({severity, std::string(file_), pos, std::move(message), std::move(hint)});
}

void Lexer::skip_line() {
  const void* end = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
  p_ = end ? static_cast<const char*>(end) : end_;
}

void Lexer::skip_block_comment() {
  const SourcePos start = here();
  for (p_ += 2; p_ < end_; ++p_) {
    if (*p_ == '\n') newline();
    if (*p_ == '*' && p_ + 1 < end_ && p_[1] == '/') {
      p_ += 2;
      return;
    }
  }
  reporter_.report(Severity::Error, start, "comment without an end");
}

void Lexer::skip_blank() {
  while (p_ < end_) {
    const char c = *p_;
    if (is(c, kBlank)) {
      ++p_;
    } else if (c == '\n') {
      newline();
      ++p_;
    } else if (c == '/' && p_ + 1 < end_ && p_[1] == '/') {
      skip_line();
    } else if (c == '/' && p_ + 1 < end_ && p_[1] == '*') {
      skip_block_comment();
    } else if (fresh_line_ && (c == '#' || (c == '@' && p_ + 1 < end_ && p_[1] == '@'))) {
      skip_line();  // #line of a preprocessor; @@DWARF of compilers before PTX 2.0
    } else {
      return;
    }
  }
}

const char* Lexer::skip_string(const char* p, bool& closed) const {
  closed = false;
  while (p < end_ && *p != '\n') {
    if (*p == '"') {
      closed = true;
      return p + 1;
    }
    p += *p == '\\' && p + 1 < end_ && p[1] != '\n' ? 2 : 1;
  }
  return p;
}

const char* Lexer::number_end(const char* p) const {
  const bool hex = p + 1 < end_ && *p == '0' && std::strchr("xXfFdDbB", p[1]) && p[1] != 0;
  while (p < end_ && is(*p, kWord)) {
    const bool exponent = !hex && (*p == 'e' || *p == 'E');
    ++p;
    if (exponent && p < end_ && (*p == '+' || *p == '-')) ++p;
    if (!hex && p < end_ && *p == '.' && !(p + 1 < end_ && is(p[1], kStart))) ++p;  // 1.5, 1. but not 4.b8
  }
  return p;
}

Token Lexer::next() {
  skip_blank();
  Token token;
  token.pos = here();
  token.first_on_line = fresh_line_;
  if (p_ >= end_) return token;
  fresh_line_ = false;
  const char* start = p_;
  const char c = *p_;
  const char after = p_ + 1 < end_ ? p_[1] : 0;
  ++p_;
  if (is(c, kStart) || (c == '%' && is(after, kStart))) {
    token.kind = TokenKind::Word;
    while (p_ < end_ && is(*p_, kWord)) ++p_;
  } else if (c == '.' && is(after, kWord)) {
    token.kind = TokenKind::DotWord;
    while (p_ < end_ && (is(*p_, kWord) || (*p_ == ':' && p_ + 2 < end_ && p_[1] == ':' && is(p_[2], kWord)))) {
      p_ += *p_ == ':' ? 2 : 1;
    }
  } else if (is(c, kDigit)) {
    token.kind = TokenKind::Number;
    p_ = number_end(start);
  } else if (c == '"') {
    bool closed = false;
    p_ = skip_string(p_, closed);
    token.kind = closed ? TokenKind::String : TokenKind::Junk;
    if (!closed) reporter_.report(Severity::Error, token.pos, "string without an end");
  } else if (is(c, kPunct)) {
    token.kind = TokenKind::Punct;
    token.punct = c;
  } else {
    token.kind = TokenKind::Junk;
  }
  token.text = {start, static_cast<size_t>(p_ - start)};
  return token;
}

std::string_view Lexer::verbatim_block(SourcePos opened) {
  const char* start = p_;
  int depth = 1;
  while (true) {
    skip_blank();
    if (p_ >= end_) break;
    fresh_line_ = false;
    const char c = *p_++;
    bool closed = false;
    if (c == '"') p_ = skip_string(p_, closed);
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return {start, static_cast<size_t>(p_ - 1 - start)};
    if (is(c, kWord)) {
      while (p_ < end_ && is(*p_, kWord)) ++p_;
    }
  }
  reporter_.report(Severity::Error, opened, "'{' without its '}'");
  return {start, static_cast<size_t>(p_ - start)};
}

}  // namespace warplens::ptx
