// Compiled code on disk: one file a kernel variant, named by a hash of everything that the code depends on.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "passes/lanes.h"

namespace warplens::jit {

// 32 hexadecimal digits. `maker`: version of the code generator and processor name.
std::string code_key(const ir::Function& f, const passes::Specialization& spec, const std::string& maker);

class CodeCache {
 public:
  explicit CodeCache(std::string directory) : directory_(std::move(directory)) {}  // "": keeps nothing
  std::optional<std::vector<char>> find(const std::string& key) const;
  void keep(const std::string& key, std::span<const char> object) const;  // failure to write is not an error

 private:
  std::string directory_;
};

}  // namespace warplens::jit
