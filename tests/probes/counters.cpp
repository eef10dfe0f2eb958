#include "probes/counters.h"

#include <charconv>
#include <fstream>

namespace warplens::test {
namespace {

// The fields of one line; those with commas inside stand in quotes.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::vector<GpuLaunch> read_counters(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<GpuLaunch> launches;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    GpuLaunch launch;
    for (size_t i = 0; i < fields.size() && i < names.size(); ++i) {
      const std::string& field = fields[i];
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (names[i] == "name")
        launch.name = field;
      else if (names[i] == "kernel")
        launch.kernel = field;
      else if (names[i] == "grid")
        launch.grid = field;
      else if (names[i] == "block")
        launch.block = field;
      else if (names[i] == "offset")
        launch.offset = std::stoull(field, nullptr, 16);
      else if (error == std::errc() && end == field.data() + field.size())
        launch.metrics[names[i]] = value;
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace warplens::test
