#include "model/gpu_spec.h"

#include <algorithm>
#include <cctype>
#include <limits>
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "model/gpu_files.h"

namespace warplens::model {
namespace {

// Reads numbers out of one table and remembers the first that is missing or unfit.
class Reader {
 public:
  explicit Reader(const toml::table& root) : root_(root) {}

  template <typename T>
  void number(const char* table, const char* key, T& out) {
    const auto value = root_[table][key].value<int64_t>();
    if (!value || *value < 0 || uint64_t(*value) > std::numeric_limits<T>::max())
      fail(table, key, "must be a number that is not negative");
    else
      out = T(*value);
  }
  void numbers(const char* table, const char* key, std::vector<uint32_t>& out) {
    const toml::array* list = root_[table][key].as_array();
    if (!list) return fail(table, key, "must be a list of numbers");
    for (const auto& node : *list) {
      const auto value = node.value<int64_t>();
      if (!value || *value < 0 || *value > int64_t{1} << 31) return fail(table, key, "must be a list of numbers");
      out.push_back(uint32_t(*value));
    }
  }
  void source(const char* table) {
    if (root_[table]["source"].value_or(std::string()).empty())
      fail(table, "source", "must say where the numbers are from");
  }
  const std::string& failure() const { return failure_; }

 private:
  void fail(const char* table, const char* key, const char* why) {
    if (failure_.empty()) failure_ = std::string("[") + table + "] " + key + " " + why;
  }
  const toml::table& root_;
  std::string failure_;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

Result<GpuSpec> parse_gpu_spec(std::string_view text, const std::string& file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const auto& where = parsed.error().source().begin;
    return Error{file + ":" + std::to_string(where.line) + ": " + std::string(parsed.error().description()), ""};
  }
  const toml::table& root = parsed.table();
  GpuSpec gpu;
  gpu.name = root["name"].value_or(std::string());
  if (gpu.name.empty()) return Error{file + ": name is missing", ""};
  Reader r(root);
  for (const char* table : {"device", "memory", "sm", "allocation"}) r.source(table);
  r.number("device", "compute_major", gpu.compute_major);
  r.number("device", "compute_minor", gpu.compute_minor);
  r.number("device", "sm_count", gpu.sm_count);
  r.number("device", "clock_khz", gpu.clock_khz);
  r.number("memory", "bytes", gpu.memory_bytes);
  r.number("memory", "clock_khz", gpu.memory_clock_khz);
  r.number("memory", "bus_bits", gpu.memory_bus_bits);
  r.number("memory", "bytes_per_second", gpu.memory_bytes_per_second);
  r.number("memory", "l2_bytes", gpu.l2_bytes);
  r.number("sm", "l1_shared_bytes", gpu.l1_shared_bytes);
  r.number("sm", "max_threads", gpu.max_threads_per_sm);
  r.number("sm", "max_warps", gpu.max_warps_per_sm);
  r.number("sm", "max_blocks", gpu.max_blocks_per_sm);
  r.number("sm", "registers", gpu.registers_per_sm);
  r.number("sm", "registers_per_block", gpu.registers_per_block);
  r.number("sm", "max_registers_per_thread", gpu.max_registers_per_thread);
  r.number("sm", "shared_bytes", gpu.shared_bytes_per_sm);
  r.number("sm", "shared_bytes_per_block", gpu.shared_bytes_per_block);
  r.number("sm", "shared_bytes_per_block_optin", gpu.shared_bytes_per_block_optin);
  r.numbers("sm", "shared_carveouts", gpu.shared_carveouts);
  r.number("allocation", "register_granularity", gpu.register_granularity);
  r.number("allocation", "sub_partitions", gpu.sub_partitions);
  r.number("allocation", "shared_bytes_reserved", gpu.shared_bytes_reserved);
  r.number("allocation", "shared_granularity", gpu.shared_granularity);
  if (!r.failure().empty()) return Error{file + ": " + r.failure(), "data/gpus/h200.toml shows every key"};
  return gpu;
}

std::vector<std::string> gpu_ids() {
  std::vector<std::string> ids;
  for (const GpuFile& file : gpu_files()) ids.emplace_back(file.id);
  return ids;
}

Result<GpuSpec> find_gpu(std::string_view id) {
  std::string known;
  for (const GpuFile& file : gpu_files()) {
    if (file.id == lower(id)) {
      Result<GpuSpec> gpu = parse_gpu_spec(file.text, std::string(file.id) + ".toml");
      if (gpu) gpu->id = file.id;
      return gpu;
    }
    known += (known.empty() ? "" : ", ") + std::string(file.id);
  }
  return Error{"unknown GPU '" + std::string(id) + "'", "known are: " + known};
}

}  // namespace warplens::model
