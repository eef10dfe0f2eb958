#include "meta/code_text.h"

#include <cctype>

namespace warplens::meta {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, bool keep_literals) : in_(text), keep_literals_(keep_literals) {}

  std::string run() {
    while (at_ < in_.size()) {
      if (starts("//")) {
        blank_until("\n", 0);
      } else if (starts("/*")) {
        blank_until("*/", 2);
      } else if (starts("R\"") && !after_word()) {
        raw_string();
      } else if (in_[at_] == '"' || (in_[at_] == '\'' && !after_word())) {  // the ' of 1'000 is no literal
        literal(in_[at_]);
      } else {
        out_ += in_[at_++];
      }
    }
    return out_;
  }

 private:
  bool starts(std::string_view what) const { return in_.substr(at_).starts_with(what); }
  bool after_word() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(in_[at_ - 1])) || in_[at_ - 1] == '_');
  }
  void copy_blank(bool keep) {
    out_ += keep || in_[at_] == '\n' ? in_[at_] : ' ';
    ++at_;
  }
  void blank_until(std::string_view end, size_t past) {
    const size_t found = in_.find(end, at_);
    const size_t stop = found == std::string_view::npos ? in_.size() : found + past;
    while (at_ < stop) copy_blank(false);
  }
  void raw_string() {
    const size_t open = in_.find('(', at_);
    if (open == std::string_view::npos) return copy_blank(true);
    const std::string close = ")" + std::string(in_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const size_t found = in_.find(close, open);
    const size_t stop = found == std::string_view::npos ? in_.size() : found + close.size();
    while (at_ < stop) copy_blank(keep_literals_);
  }
  void literal(char quote) {
    copy_blank(true);
    while (at_ < in_.size() && in_[at_] != quote && in_[at_] != '\n') {
      if (in_[at_] == '\\' && at_ + 1 < in_.size()) copy_blank(keep_literals_);
      copy_blank(keep_literals_);
    }
    if (at_ < in_.size()) copy_blank(true);
  }

  std::string_view in_;
  bool keep_literals_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string code_only(std::string_view text) { return Scanner(text, false).run(); }
std::string without_comments(std::string_view text) { return Scanner(text, true).run(); }

std::string literals_only(std::string_view text) {
  std::string literals = without_comments(text);
  const std::string code = code_only(text);
  for (size_t i = 0; i < code.size(); ++i) {
    if (literals[i] == code[i] && code[i] != '\n') literals[i] = ' ';
  }
  return literals;
}

void for_each_line(std::string_view text, const std::function<void(int, const std::string&)>& visit) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    visit(number, std::string(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace warplens::meta
