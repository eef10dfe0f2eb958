#include "occupancy/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/cache_spec.h"
#include "model/gpu_spec.h"

namespace warplens::occupancy {
namespace {

using Json = nlohmann::ordered_json;

struct Known {
  model::GpuSpec gpu;
  std::string caches;  // CacheSpec::basis
};

// By compute capability, then by name.
std::vector<Known> known() {
  std::vector<Known> all;
  for (const std::string& id : model::gpu_ids()) {
    const auto gpu = model::find_gpu(id);
    const auto caches = model::find_cache_spec(id);
    if (gpu) all.push_back({*gpu, caches ? caches->basis : ""});
  }
  std::stable_sort(all.begin(), all.end(), [](const Known& a, const Known& b) {
    return std::pair(a.gpu.compute_major, a.gpu.compute_minor) < std::pair(b.gpu.compute_major, b.gpu.compute_minor);
  });
  return all;
}

std::string capability(const model::SmSpec& sm) { return fmt::format("{}.{}", sm.compute_major, sm.compute_minor); }

std::string tera(const std::optional<uint32_t>& gflops) {
  return gflops ? fmt::format("{:.{}f}", *gflops / 1e3, *gflops < 99950 ? 1 : 0) : "-";
}

constexpr const char* kRow = "{:<10} {:>4} {:>4} {:>5} {:>5} {:>5} {:>5} {:>4} {:>5} {:>5} {:>6}  {}";

// A line without spaces at its end.
template <typename... Words>
std::string line(const Words&... words) {
  std::string text = fmt::format(fmt::runtime(kRow), words...);
  while (text.ends_with(' ')) text.pop_back();
  return text + "\n";
}

std::string short_number(double value) { return fmt::format("{:.{}f}", value, value == std::floor(value) ? 0 : 1); }

std::string row(const Known& k) {
  const model::GpuSpec& g = k.gpu;
  return line(g.id, capability(g), g.sm_count, g.clock_khz / 1000,
              fmt::format("{:.0f}", double(g.memory_bytes) / (1 << 30)), short_number(double(g.l2_bytes) / (1 << 20)),
              fmt::format("{:.0f}", double(g.memory_bytes_per_second) / 1e9), g.shared_bytes_per_sm / 1024,
              tera(g.rates.fp32_gflops), tera(g.rates.fp64_gflops), tera(g.rates.tensor_fp16_gflops),
              k.caches.empty() ? "-" : k.caches);
}

Json json_of(const Known& k) {
  const model::GpuSpec& g = k.gpu;
  const auto rate = [](const std::optional<uint32_t>& gflops) { return gflops ? Json(*gflops * 1e9) : Json(); };
  Json json;
  json["id"] = g.id;
  json["name"] = g.name;
  json["compute_capability"] = capability(g);
  json["sm_count"] = g.sm_count;
  json["clock_hz"] = uint64_t{g.clock_khz} * 1000;
  json["memory_bytes"] = g.memory_bytes;
  json["memory_bytes_per_second"] = g.memory_bytes_per_second;
  json["l2_bytes"] = g.l2_bytes;
  json["warps_per_sm"] = g.max_warps_per_sm;
  json["blocks_per_sm"] = g.max_blocks_per_sm;
  json["registers_per_sm"] = g.registers_per_sm;
  json["l1_shared_bytes_per_sm"] = g.l1_shared_bytes;
  json["shared_bytes_per_sm"] = g.shared_bytes_per_sm;
  json["shared_bytes_per_block"] = g.shared_bytes_per_block;
  json["shared_bytes_per_block_optin"] = g.shared_bytes_per_block_optin;
  json["peak_fp32_flops"] = rate(g.rates.fp32_gflops);
  json["peak_fp64_flops"] = rate(g.rates.fp64_gflops);
  json["peak_tensor_fp16_flops"] = rate(g.rates.tensor_fp16_gflops);
  json["caches"] = k.caches.empty() ? Json() : Json(k.caches);
  return json;
}

}  // namespace

std::string render_gpus_text() {
  std::string out = line("", "", "", "", "mem", "L2", "mem", "SM", "FP32", "FP64", "tensor", "") +
                    line("--gpu", "cc", "SMs", "MHz", "GiB", "MiB", "GB/s", "KiB", "TF/s", "TF/s", "TF/s", "caches");
  for (const Known& k : known()) out += row(k);
  out +=
      "\nSM: the most shared memory of an SM. Rates are the vendor's peaks; tensor: FP16\n"
      "without sparsity, summed in FP32. caches: what --caches models L1 and L2 from;\n"
      "'-': nothing was measured. 'warplens occupancy' takes compute capabilities, too:\n";
  std::string list;
  for (const std::string& name : model::compute_capability_names()) list += (list.empty() ? "" : " ") + name;
  return out + list + "\n";
}

std::string render_gpus_json(const std::string& version) {
  Json json;
  json["schema"] = "warplens-gpus/1";
  json["version"] = version;
  json["gpus"] = Json::array();
  for (const Known& k : known()) json["gpus"].push_back(json_of(k));
  json["compute_capabilities"] = model::compute_capability_names();
  return json.dump(2) + "\n";
}

}  // namespace warplens::occupancy
