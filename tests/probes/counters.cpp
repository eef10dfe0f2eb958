#include "probes/counters.h"

#include <charconv>

#include "support/csv.h"

namespace warplens::test {
std::vector<GpuLaunch> read_counters(const std::filesystem::path& csv) {
  const std::vector<compare::CsvRow> rows = read_csv(csv.string());
  std::vector<GpuLaunch> launches;
  for (size_t r = 1; r < rows.size(); ++r) {
    const compare::CsvRow &names = rows[0], &fields = rows[r];
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
