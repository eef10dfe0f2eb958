#include "base/environment.h"

#include <unistd.h>

#include <sstream>

namespace warplens {

Environment::Environment(const char* const* strings) {
  for (; strings && *strings; ++strings) {
    std::string_view text = *strings;
    size_t equals = text.find('=');
    if (equals != text.npos) variables_.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
}

std::string Environment::get(std::string_view name) const {
  auto found = variables_.find(name);
  return found == variables_.end() ? std::string() : found->second;
}

void Environment::unset(std::string_view name) {
  if (const auto found = variables_.find(name); found != variables_.end()) variables_.erase(found);
}

void Environment::prepend_path(const std::string& name, const std::string& folder) {
  std::string old = get(name);
  set(name, old.empty() ? folder : folder + ":" + old);
}

std::vector<std::string> Environment::strings() const {
  std::vector<std::string> out;
  for (const auto& [name, value] : variables_) out.push_back(name + "=" + value);
  return out;
}

std::string Environment::find_program(const std::string& name) const {
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  std::istringstream folders(get("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

}  // namespace warplens
