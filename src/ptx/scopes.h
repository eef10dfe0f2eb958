// Which plain names are registers: inline assembly declares registers without a '%' (".reg .pred p;") inside { }
// scopes, and only the declaration in force tells them from variables. Internal to src/ptx.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warplens::ptx {

class RegisterScopes {
 public:
  void enter() { marks_.push_back(undo_.size()); }
  void leave();

  // .reg name; or, with a count, .reg name<count>; which declares name0 ... name(count-1). The text behind `name` must
  // live on.
  void declare(std::string_view name, uint32_t count);

  bool contains(std::string_view name) const;

 private:
  struct Undo {
    bool range;
    std::string_view name;
    uint32_t before;
  };
  std::unordered_map<std::string_view, uint32_t> names_;   // 1 where declared
  std::unordered_map<std::string_view, uint32_t> ranges_;  // the count
  std::vector<Undo> undo_;
  std::vector<size_t> marks_;
};

}  // namespace warplens::ptx
