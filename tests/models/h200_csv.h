// Tables of readings: lines of fields with commas between them; a field with a comma stands in quotes.
#pragma once
#include <fstream>
#include <string>
#include <vector>

namespace warplens::test {

inline std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        fields.emplace_back();
      else
        fields.back() += c;
    }
    rows.push_back(std::move(fields));
  }
  return rows;
}

}  // namespace warplens::test
