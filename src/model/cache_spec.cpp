#include "model/cache_spec.h"

#include <limits>
#include <string>
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "model/gpu_files.h"

namespace warplens::model {
namespace {

CacheSpec unknown() {
  CacheSpec spec;
  spec.active_warps = 24;  // as of an H200
  return spec;
}

}  // namespace

Result<CacheSpec> find_cache_spec(std::string_view gpu) {
  for (const GpuFile& file : gpu_files()) {
    if (file.id != gpu) continue;
    const std::string name = std::string(file.id) + ".toml";
    const toml::parse_result parsed = toml::parse(file.text, name);
    if (!parsed) return Error{name + ": " + std::string(parsed.error().description()), ""};
    const auto table = parsed.table()["caches"];
    if (!table) return unknown();
    std::string wrong;
    if (table["source"].value_or(std::string()).empty()) wrong = "source";
    const auto number = [&](const char* key) {
      const auto value = table[key].value<int64_t>();
      const bool fits = value && *value >= 0 && *value <= std::numeric_limits<int32_t>::max();
      if (!fits && wrong.empty()) wrong = key;
      return fits ? static_cast<uint32_t>(*value) : 0;
    };
    CacheSpec spec;
    spec.basis = table["basis"].value_or(std::string());
    if (spec.basis.empty() && wrong.empty()) wrong = "basis";
    spec.l2_partitions = number("l2_partitions");
    spec.l2_set_lines = number("l2_set_lines");
    spec.l2_dirty_percent = number("l2_dirty_percent");
    spec.gpcs = number("gpcs");
    spec.merge_reads = number("merge_reads");
    spec.merge_turns = number("merge_turns");
    spec.active_warps = number("active_warps");
    spec.launch_l2_reads = number("launch_l2_reads");
    spec.launch_l2_writes = number("launch_l2_writes");
    spec.launch_dram_bytes = number("launch_dram_bytes");
    spec.launch_dirty_bytes = number("launch_dirty_bytes");
    if (wrong.empty() &&
        (spec.l2_partitions == 0 || spec.l2_set_lines == 0 || spec.gpcs == 0 || spec.active_warps == 0))
      wrong = "a zero";
    if (!wrong.empty()) return Error{name + ": [caches] " + wrong + " is missing or unfit", ""};
    return spec;
  }
  return Error{"unknown GPU '" + std::string(gpu) + "'", ""};
}

}  // namespace warplens::model
