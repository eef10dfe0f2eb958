#include "frontend/static_variables.h"

#include <cctype>
#include <string_view>

namespace warplens::frontend {
namespace {

bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }

void rename(std::string& ir, const std::string& from, const std::string& to) {
  for (size_t at = ir.find(from); at != ir.npos; at = ir.find(from, at)) {
    const size_t end = at + from.size();
    if (end < ir.size() && goes_on(ir[end])) {
      at = end;
      continue;
    }
    ir.replace(at, from.size(), to);
    at += to.size();
  }
}

}  // namespace

std::string join_static_variables(std::string ir) {
  constexpr std::string_view kMark = "__static__";
  for (size_t at = ir.find(kMark); at != ir.npos; at = ir.find(kMark, at + 1)) {
    const size_t line = ir.rfind('\n', at) + 1, equals = ir.find(" = ", line);  // npos + 1 is the start
    if (ir[line] != '@' || equals == ir.npos || equals < at) continue;          // no definition
    const std::string name = ir.substr(line, equals - line), plain = ir.substr(line, at - line);
    const size_t declared = ir.find("\n" + plain + " = external ");
    if (declared == ir.npos) continue;
    ir.erase(declared, ir.find('\n', declared + 1) - declared);
    rename(ir, plain, name);
  }
  return ir;
}

}  // namespace warplens::frontend
