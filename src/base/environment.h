// The environment as a value: cli reads it once, everybody else is handed it, so that a run depends on its arguments
// alone.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warplens {

class Environment {
 public:
  Environment() = default;
  explicit Environment(const char* const* strings);  // like environ: "NAME=value"..., ends with a null pointer

  std::string get(std::string_view name) const;  // "" if not set
  void set(std::string name, std::string value) { variables_[std::move(name)] = std::move(value); }
  void unset(std::string_view name);
  void prepend_path(const std::string& name, const std::string& folder);  // "folder:old", or "folder" alone
  std::vector<std::string> strings() const;                               // "NAME=value"

  // The executable that a shell would run for `name`: itself if it holds a '/', else the first in PATH; "" if none.
  std::string find_program(const std::string& name) const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace warplens
