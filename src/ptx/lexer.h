// PTX text as tokens, on demand. Internal to src/ptx.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/diagnostic.h"

namespace warplens::ptx {

enum class TokenKind : uint8_t {
  End,
  Word,     // ld, %r1, $L__BB0_1, _
  DotWord,  // .global, .v4, .3d, .L2::cache_hint; `text` with the dot
  Number,   // 12, 0x1F, 0f3F800000, 1.5e-3, 7U
  String,   // "nounroll"; `text` with the quotes
  Punct,    // one character, `punct`
  Junk,     // a byte that PTX has no use for
};

struct Token {
  TokenKind kind = TokenKind::End;
  char punct = 0;
  bool first_on_line = false;
  std::string_view text;  // lies in the source: its address is its position
  SourcePos pos;
};

// Collects diagnostics, up to kMaxDiagnostics of them and a last one that says that there are more.
class Reporter {
 public:
  Reporter(std::string_view file, Diagnostics& out) : file_(file), out_(out) {}
  void report(Severity severity, SourcePos pos, std::string message, std::string hint = {});

 private:
  std::string_view file_;
  Diagnostics& out_;
};

class Lexer {
 public:
  Lexer(std::string_view text, Reporter& reporter)
      : p_(text.data()), end_(text.data() + text.size()), line_start_(p_), reporter_(reporter) {}

  Token next();

  // The character that the next token starts with; 0 at the end.
  char peek() {
    skip_blank();
    return p_ < end_ ? *p_ : 0;
  }
  // The character right behind the last token, blank or not; 0 at the end.
  char adjacent() const { return p_ < end_ ? *p_ : 0; }

  // For text that is kept as it stands: everything up to the '}' that closes an already read '{', which is consumed
  // too. Braces in comments and strings do not count. Without such a '}' the rest of the text, and an error.
  std::string_view verbatim_block(SourcePos opened);

 private:
  void skip_blank();
  void skip_line();
  void skip_block_comment();
  // p: behind the opening quote; result: behind the closing one, or the end of the line where there is none.
  const char* skip_string(const char* p, bool& closed) const;
  const char* number_end(const char* p) const;
  SourcePos here() const { return {line_, static_cast<uint32_t>(p_ - line_start_ + 1)}; }
  void newline() {
    ++line_;
    line_start_ = p_ + 1;
    fresh_line_ = true;
  }

  const char* p_;
  const char* end_;
  const char* line_start_;
  uint32_t line_ = 1;
  bool fresh_line_ = true;  // nothing but blanks on this line so far
  Reporter& reporter_;
};

}  // namespace warplens::ptx
