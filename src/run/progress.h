// One line on the terminal that says how far a long run is; it replaces itself and is gone at the end.
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

namespace warplens::run {

class Progress {
 public:
  Progress(std::filesystem::path spool, std::function<void(std::string_view)> say);
  ~Progress() { clear(); }
  void update(double seconds);
  void clear();

 private:
  void count_new_launches();
  std::ifstream spool_;
  std::function<void(std::string_view)> say_;
  unsigned long launches_ = 0;
  bool shown_ = false;
};

}  // namespace warplens::run
