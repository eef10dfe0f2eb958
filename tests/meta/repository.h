// The project's own files, as the rules of tests/meta see them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::meta {

struct File {
  std::string path;  // from the top folder, with '/'
  std::string text;
};

// "src/exec/grid.cpp:12: what is wrong"; an empty list is a clean bill.
using Violations = std::vector<std::string>;

// All text files of the working tree, in the order of their paths, without build folders and git's.
std::vector<File> read_repository(const std::string& top);

// "exec" of "src/exec/grid.cpp"; "" of a file outside src/.
std::string source_folder(std::string_view path);
bool is_cpp(std::string_view path);

}  // namespace warplens::meta
