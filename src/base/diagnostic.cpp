#include "base/diagnostic.h"

namespace warplens {

std::string to_string(const Diagnostic& d) {
  std::string text = d.file;
  if (d.pos.line != 0) text += ":" + std::to_string(d.pos.line);
  if (d.pos.line != 0 && d.pos.column != 0) text += ":" + std::to_string(d.pos.column);
  if (!text.empty()) text += ": ";
  text += d.severity == Severity::Error ? "error: " : d.severity == Severity::Warning ? "warning: " : "note: ";
  text += d.message;
  if (!d.hint.empty()) text += "\n  hint: " + d.hint;
  return text;
}

}  // namespace warplens
