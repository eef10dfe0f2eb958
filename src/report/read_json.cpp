#include <exception>

#include "report/codec.h"
#include "report/json.h"
#include "report/metrics.h"
#include "report/text.h"

namespace warplens::report {
namespace {

const Json& array_of(const Json& json, const char* key) {
  static const Json kEmpty = Json::array();
  const auto it = json.find(key);
  if (it == json.end()) return kEmpty;
  if (!it->is_array()) throw std::runtime_error(std::string("\"") + key + "\" is no array");
  return *it;
}

Process process_from(const Json& json) {
  return {json.value("pid", 0u), json.value("command", std::vector<std::string>{})};
}

void read_sites(const Json& json, Launch& launch) {
  for (const Json& site : array_of(json, "sites"))
    launch.sites.at(site.at("site").get<size_t>()) = site_counts_from(site);
}

void read_instructions(const Json& json, const Kernel& kernel, Launch& launch) {
  if (const auto it = json.find("branch_targets"); it != json.end()) launch.branch_targets = branch_targets_from(*it);
  for (const Json& counts : array_of(json, "instruction_counts"))
    launch.instruction_counts.push_back(instruction_counts_from(counts));
  if (!launch.instruction_counts.empty() && launch.instruction_counts.size() != kernel.instructions.size())
    throw std::runtime_error("a launch counts instructions that its kernel does not have");
}

Launch launch_from(const Json& json, const std::vector<Kernel>& kernels) {
  Launch launch;
  launch.index = json.value("index", uint64_t{0});
  launch.kernel = json.at("kernel").get<uint32_t>();
  const Kernel& kernel = kernels.at(launch.kernel);
  launch.device = json.value("device", 0u);
  launch.grid = dim_from(json.at("grid"));
  launch.block = dim_from(json.at("block"));
  launch.dynamic_shared_bytes = json.value("dynamic_shared_bytes", 0u);
  launch.complete = json.value("complete", true);
  launch.warps = json.value("warps", uint64_t{0});
  launch.instructions = json.value("instructions", uint64_t{0});
  launch.thread_instructions = json.value("thread_instructions", uint64_t{0});
  launch.thread_instructions_pred_on = json.value("thread_instructions_pred_on", uint64_t{0});
  launch.seconds = json.value("seconds", 0.0);
  launch.compile_seconds = json.value("compile_seconds", 0.0);
  launch.from_cache = json.value("from_cache", false);
  launch.sites.resize(kernel.sites.size());
  read_parameters(json, launch);
  read_sites(json, launch);
  read_instructions(json, kernel, launch);
  launch.metrics = metrics(kernel, launch);
  return launch;
}

Report report_from(const Json& json) {
  Report report;
  report.run = run_from(json.at("run"));
  for (const Json& process : array_of(json, "processes")) report.processes.push_back(process_from(process));
  for (const Json& kernel : array_of(json, "kernels")) {
    report.kernels.push_back(kernel_from(kernel));
    if (Kernel& added = report.kernels.back(); added.demangled.empty()) added.demangled = demangled(added.name);
  }
  for (const Json& launch : array_of(json, "launches")) report.launches.push_back(launch_from(launch, report.kernels));
  for (const Json& fault : array_of(json, "faults")) report.faults.push_back(fault_from(fault));
  for (const Json& calls : array_of(json, "not_observed")) report.not_observed.push_back(library_calls_from(calls));
  for (const Json& note : array_of(json, "notes")) report.notes.push_back(note_from(note));
  return report;
}

}  // namespace

Result<Report> read_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Error no_report{"this is no report of warplens", "warplens run --json FILE writes one"};
  if (json.is_discarded() || !json.is_object() || !json.contains("schema")) return no_report;
  const Json& schema = json["schema"];
  if (!schema.is_string() || !schema.get<std::string>().starts_with("warplens-report/")) return no_report;
  if (schema != kSchema) return Error{"this report is of another version, " + schema.get<std::string>(), "run again"};
  try {
    return report_from(json);
  } catch (const std::exception& e) {
    return Error{std::string("this report is damaged: ") + e.what(), "run again"};
  }
}

}  // namespace warplens::report
