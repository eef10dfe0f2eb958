#include "compare/csv.h"

namespace warplens::compare {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || (text.size() > 1 && text[1] == '\0');
}

// One row after the other, from `at` on.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row = this->row();
      if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  bool at_end_of_line() const { return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  CsvRow row() {
    CsvRow row = {field()};
    while (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      row.push_back(field());
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    return row;
  }

  std::string field() {
    const size_t from = at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    at_ = from;
    while (!at_end_of_line() && text_[at_] != ',') ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  // A quote inside is written twice; what stands between the last quote and the comma is kept.
  std::string quoted() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        out += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out += text_[++at_];
      } else {
        ++at_;
        break;
      }
    }
    const size_t from = at_;
    while (!at_end_of_line() && text_[at_] != ',') ++at_;
    std::string_view rest = text_.substr(from, at_ - from);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
    return out.append(rest);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  if (is_utf16(text)) return Error{"this is UTF-16 text", "write it as UTF-8: Windows PowerShell's > makes UTF-16"};
  if (text.find('\0') != text.npos) return Error{"this is not text", ""};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Reader(text).rows();
}

}  // namespace warplens::compare
