#include "ptx/scopes.h"

#include <algorithm>
#include <charconv>

namespace warplens::ptx {

void RegisterScopes::declare(std::string_view name, uint32_t count) {
  if (name.empty() || name.front() == '%') return;  // a register by its looks
  const bool range = count != 0;
  uint32_t& slot = (range ? ranges_ : names_)[name];
  undo_.push_back({range, name, slot});
  slot = range ? count : 1;
}

void RegisterScopes::leave() {
  if (marks_.empty()) return;
  for (; undo_.size() > marks_.back(); undo_.pop_back()) {
    const Undo& undo = undo_.back();
    auto& map = undo.range ? ranges_ : names_;
    if (undo.before == 0) {
      map.erase(undo.name);
    } else {
      map[undo.name] = undo.before;
    }
  }
  marks_.pop_back();
}

bool RegisterScopes::contains(std::string_view name) const {
  if (!names_.empty() && names_.count(name)) return true;
  if (ranges_.empty()) return false;
  // Digits at the end may belong to the prefix: r12 is number 12 of r<n> or number 2 of r1<n>.
  const size_t last = name.find_last_not_of("0123456789");
  const char* end = name.data() + name.size();
  size_t split = last == std::string_view::npos ? 1 : last + 1;
  for (split = std::max(split, name.size() - std::min<size_t>(name.size(), 10)); split < name.size(); ++split) {
    if (name[split] == '0' && split + 1 < name.size()) continue;
    const auto found = ranges_.find(name.substr(0, split));
    uint32_t index = 0;
    if (found == ranges_.end()) continue;
    const auto [stop, error] = std::from_chars(name.data() + split, end, index);
    if (error == std::errc() && stop == end && index < found->second) return true;
  }
  return false;
}

}  // namespace warplens::ptx
