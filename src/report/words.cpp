#include "report/words.h"

#include <fmt/format.h>

#include "report/text.h"

namespace warplens::report {
std::string operand_words(const std::string& operand, const std::vector<Parameter>& parameters) {
  if (operand.starts_with("__local_depot")) return "";  // a compiler's name for a function's stack
  static constexpr std::string_view kParam = "_param_";
  if (const size_t at = operand.rfind(kParam); at != std::string::npos) {
    const std::string digits = operand.substr(at + kParam.size());
    if (!digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos) {
      const auto index = static_cast<size_t>(std::stoi(digits));
      const bool named = index < parameters.size() && !parameters[index].name.empty();
      return named ? parameters[index].name : "argument " + std::to_string(index + 1);
    }
  }
  const std::string name = demangled(operand);
  const size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string place_words(const std::string& opcode, uint32_t ptx_line, std::optional<uint32_t> machine_offset) {
  const std::string where =
      machine_offset ? fmt::format("machine code {:#x}", *machine_offset) : fmt::format("PTX line {}", ptx_line);
  return where + ": " + printable(opcode);
}

std::string kind_words(const AccessRow& row) {
  if (row.kind == AccessKind::Branch) return row.sites > 1 ? fmt::format("{} branches", row.sites) : "branch";
  std::string text = to_string(row.kind);
  if (row.space == Space::Generic || row.space == Space::Texture || row.space == Space::Surface)
    text += std::string(" ") + to_string(row.space);
  text += fmt::format(" {} B", row.bytes_per_lane);
  if (row.components > 1) text += fmt::format(" ({}x{})", row.components, row.bytes_per_lane / row.components);
  return text;
}

std::string name_words(const AccessRow& row) {
  return row.kind == AccessKind::Branch || row.operand.empty() ? "" : printable(row.operand);
}

std::string access_words(const AccessRow& row) {
  const std::string name = name_words(row);
  return kind_words(row) + (name.empty() ? "" : " ") + name;
}

std::string detail_words(const AccessRow& row) {
  std::string text = pattern_words(row.counts);
  if (row.sites > 1 && row.kind != AccessKind::Branch)
    text += fmt::format("{}{} instructions", text.empty() ? "" : "; ", row.sites);
  return text;
}

std::string pattern_words(const SiteCounts& counts) {
  if (counts.patterns.empty()) return "";
  if (counts.patterns.size() == 1) return counts.patterns[0].words;
  uint64_t all = 0;
  for (const PatternCount& p : counts.patterns) all += p.count;
  const auto share = [&](const PatternCount& p) {
    const uint64_t hundredths = all == 0 ? 0 : p.count * 100 / all;  // rounded down: 100 % would deny the others
    return fmt::format("{} {}", p.words, hundredths == 0 ? "<1 %" : fmt::format("{} %", hundredths));
  };
  std::string text = share(counts.patterns[0]) + ", " + share(counts.patterns[1]);
  if (counts.patterns.size() > 2) text += ", ...";
  return text;
}

}  // namespace warplens::report
