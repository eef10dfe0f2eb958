#include "ir/math.h"

#include <iterator>
#include <unordered_map>

namespace warplens::ir {
namespace {

constexpr MathFunction kFunctions[] = {
    {"", ""},  // index 0 names nothing
#define WL_MATH(name, signature) {#name, signature},
#include "ir/math.def"
};

}  // namespace

uint32_t math_function_count() { return static_cast<uint32_t>(std::size(kFunctions)); }
const MathFunction& math_function(uint32_t index) { return kFunctions[index]; }

std::optional<uint32_t> find_math_function(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, uint32_t> table;
    for (uint32_t i = 1; i < std::size(kFunctions); ++i) table.emplace(kFunctions[i].name, i);
    return table;
  }();
  const auto it = kByName.find(name);
  if (it == kByName.end()) return std::nullopt;
  return it->second;
}

}  // namespace warplens::ir
