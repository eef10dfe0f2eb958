#include <unordered_map>

#include "lift/families.h"

namespace warplens::lift {

Handler find_handler(std::string_view opcode) {
  static const std::unordered_map<std::string_view, Handler> kTable = {
#define WL_SASS(name, handler) {name, lift_##handler},
#include "lift/instructions.def"
#undef WL_SASS
  };
  const auto it = kTable.find(opcode);
  return it == kTable.end() ? nullptr : it->second;
}

}  // namespace warplens::lift
