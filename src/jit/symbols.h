// The functions that compiled code may call, by name.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace warplens::jit {

struct Symbol {
  std::string name;
  void* address;
};
std::vector<Symbol> runtime_symbols();

}  // namespace warplens::jit
