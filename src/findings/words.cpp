#include "findings/words.h"

#include <fmt/format.h>

#include "report/text.h"
#include "report/words.h"

namespace warplens::findings {

std::string verb(const Access& access) {
  switch (access.site->kind) {
    case report::AccessKind::Load:
      return "read";
    case report::AccessKind::Store:
      return "write";
    default:
      return "update";
  }
}

std::string name(const Access& access) {
  if (!access.law.base.empty()) return "`" + access.law.base + "`";
  const std::string operand = report::operand_words(access.site->operand, access.kernel->parameters);
  if (!operand.empty()) return "`" + operand + "`";
  return access.site->space == report::Space::Shared ? "shared memory" : "global memory";
}

std::string bytes(int64_t n) {
  const uint64_t size = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  return report::grouped(size) + (size == 1 ? " byte" : " bytes");
}

std::string fewer(const char* unit, uint64_t now, uint64_t then, const char* fidelity) {
  return fmt::format("{} {} -> {} [{}]", report::grouped(now), unit, report::grouped(then), fidelity);
}

double per(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

}  // namespace warplens::findings
