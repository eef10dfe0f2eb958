#include "ptx/instructions.h"

#include <algorithm>
#include <array>

namespace warplens::ptx {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define WL_PTX(name, text, family, status, note) {Opcode::name, text, Family::family, Status::status, note},
#include "ptx/instructions.def"
#undef WL_PTX
};

constexpr auto kByText = [] {
  std::array<OpcodeInfo, std::size(kOpcodes)> sorted;
  std::copy(std::begin(kOpcodes), std::end(kOpcodes), sorted.begin());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.text < b.text; });
  return sorted;
}();

}  // namespace

std::span<const OpcodeInfo> opcodes() { return kOpcodes; }

const OpcodeInfo& info(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)]; }

std::optional<Opcode> find_opcode(std::string_view text) {
  const auto found =
      std::lower_bound(kByText.begin(), kByText.end(), text, [](const auto& op, auto word) { return op.text < word; });
  if (found == kByText.end() || found->text != text) return std::nullopt;
  return found->opcode;
}

}  // namespace warplens::ptx
