#include "model/gpu_spec.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "model/gpu_files.h"

namespace warplens::model {
namespace {

// Reads numbers out of tables and remembers the first that is missing or unfit.
class Reader {
 public:
  explicit Reader(const toml::table& root) : root_(root) {}

  template <typename T>
  void number(const std::string& table, const char* key, T& out) {
    const auto value = root_[table][key].value<int64_t>();
    if (!value || *value < 0 || uint64_t(*value) > std::numeric_limits<T>::max())
      fail(table, key, "must be a number that is not negative");
    else
      out = T(*value);
  }
  // A number that may be left out.
  void number(const std::string& table, const char* key, std::optional<uint32_t>& out) {
    if (root_[table][key]) number(table, key, out.emplace());
  }
  void numbers(const std::string& table, const char* key, std::vector<uint32_t>& out) {
    const toml::array* list = root_[table][key].as_array();
    if (!list) return fail(table, key, "must be a list of numbers");
    for (const auto& node : *list) {
      const auto value = node.value<int64_t>();
      if (!value || *value < 0 || *value > int64_t{1} << 31) return fail(table, key, "must be a list of numbers");
      out.push_back(uint32_t(*value));
    }
  }
  void source(const std::string& table) {
    if (root_[table]["source"].value_or(std::string()).empty())
      fail(table, "source", "must say where the numbers are from");
  }
  const std::string& failure() const { return failure_; }

 private:
  void fail(const std::string& table, const char* key, const char* why) {
    if (failure_.empty()) failure_ = "[" + table + "] " + key + " " + why;
  }
  const toml::table& root_;
  std::string failure_;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  toml::parse_result parsed = toml::parse(text, file);
  if (parsed) return std::move(parsed).table();
  const auto& where = parsed.error().source().begin;
  return Error{file + ":" + std::to_string(where.line) + ": " + std::string(parsed.error().description()), ""};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void read_sm(Reader& r, const std::string& table, SmSpec& sm) {
  r.source(table);
  r.number(table, "l1_shared_bytes", sm.l1_shared_bytes);
  r.number(table, "max_threads", sm.max_threads_per_sm);
  r.number(table, "max_warps", sm.max_warps_per_sm);
  r.number(table, "max_blocks", sm.max_blocks_per_sm);
  r.number(table, "registers", sm.registers_per_sm);
  r.number(table, "registers_per_block", sm.registers_per_block);
  r.number(table, "max_registers_per_thread", sm.max_registers_per_thread);
  r.number(table, "shared_bytes", sm.shared_bytes_per_sm);
  r.number(table, "shared_bytes_per_block", sm.shared_bytes_per_block);
  r.number(table, "shared_bytes_per_block_optin", sm.shared_bytes_per_block_optin);
  r.numbers(table, "shared_carveouts", sm.shared_carveouts);
  r.number(table, "register_granularity", sm.register_granularity);
  r.number(table, "sub_partitions", sm.sub_partitions);
  r.number(table, "shared_bytes_reserved", sm.shared_bytes_reserved);
  r.number(table, "shared_granularity", sm.shared_granularity);
  r.number(table, "barriers", sm.barriers_per_sm);
}

constexpr const char* kCapabilities = "compute_capabilities.toml";

}  // namespace

std::vector<std::string> compute_capability_names() {
  std::vector<std::string> names;
  const auto root = parse_toml(compute_capabilities(), kCapabilities);
  if (root)
    for (const auto& [key, value] : *root) names.emplace_back(key.str());
  const auto number = [](const std::string& name) { return std::strtod(name.c_str(), nullptr); };
  std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return names;
}

Result<SmSpec> find_sm(uint32_t major, uint32_t minor) {
  const std::string name = std::to_string(major) + "." + std::to_string(minor);
  const auto root = parse_toml(compute_capabilities(), kCapabilities);
  if (!root) return root.error();
  if (!root->contains(name))
    return Error{"unknown compute capability " + name, "known are: " + joined(compute_capability_names())};
  SmSpec sm;
  sm.compute_major = major, sm.compute_minor = minor;
  Reader r(*root);
  read_sm(r, name, sm);
  if (!r.failure().empty()) return Error{std::string(kCapabilities) + ": " + r.failure(), ""};
  return sm;
}

Result<SmSpec> find_sm_by_name(std::string_view name) {
  std::string digits;
  std::string_view rest = name;
  for (const char* prefix : {"sm_", "compute_"})
    if (rest.starts_with(prefix)) rest.remove_prefix(std::string_view(prefix).size());
  while (!rest.empty() && (std::isdigit(static_cast<unsigned char>(rest[0])) || rest[0] == '.')) {
    if (rest[0] != '.') digits += rest[0];
    rest.remove_prefix(1);
  }
  const bool whole = rest.empty() || rest == "a" || rest == "f";
  if (!whole || digits.size() < 2 || digits.size() > 4)
    return Error{"'" + std::string(name) + "' is no compute capability", "such as 9.0 or sm_90"};
  const auto number = static_cast<uint32_t>(std::atoi(digits.c_str()));
  return find_sm(number / 10, number % 10);
}

Result<GpuSpec> parse_gpu_spec(std::string_view text, const std::string& file) {
  const auto root = parse_toml(text, file);
  if (!root) return root.error();
  GpuSpec gpu;
  gpu.name = (*root)["name"].value_or(std::string());
  if (gpu.name.empty()) return Error{file + ": name is missing", ""};
  Reader r(*root);
  for (const char* table : {"device", "memory"}) r.source(table);
  r.number("device", "compute_major", gpu.compute_major);
  r.number("device", "compute_minor", gpu.compute_minor);
  r.number("device", "sm_count", gpu.sm_count);
  r.number("device", "clock_khz", gpu.clock_khz);
  r.number("memory", "bytes", gpu.memory_bytes);
  r.number("memory", "clock_khz", gpu.memory_clock_khz);
  r.number("memory", "bus_bits", gpu.memory_bus_bits);
  r.number("memory", "bytes_per_second", gpu.memory_bytes_per_second);
  r.number("memory", "l2_bytes", gpu.l2_bytes);
  if (root->contains("rates")) r.source("rates");
  r.number("rates", "fp32_gflops", gpu.rates.fp32_gflops);
  r.number("rates", "fp64_gflops", gpu.rates.fp64_gflops);
  r.number("rates", "tensor_fp16_gflops", gpu.rates.tensor_fp16_gflops);
  if (!r.failure().empty()) return Error{file + ": " + r.failure(), "data/gpus/h200.toml shows every key"};
  const auto sm = find_sm(gpu.compute_major, gpu.compute_minor);
  if (!sm) return Error{file + ": " + sm.error().what, sm.error().hint};
  static_cast<SmSpec&>(gpu) = *sm;
  return gpu;
}

std::vector<std::string> gpu_ids() {
  std::vector<std::string> ids;
  for (const GpuFile& file : gpu_files()) ids.emplace_back(file.id);
  return ids;
}

Result<GpuSpec> find_gpu(std::string_view id) {
  for (const GpuFile& file : gpu_files()) {
    if (file.id != lower(id)) continue;
    Result<GpuSpec> gpu = parse_gpu_spec(file.text, std::string(file.id) + ".toml");
    if (gpu) gpu->id = file.id;
    return gpu;
  }
  return Error{"unknown GPU '" + std::string(id) + "'", "known are: " + joined(gpu_ids())};
}

}  // namespace warplens::model
