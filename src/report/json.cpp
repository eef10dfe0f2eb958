#include "report/json.h"

#include <algorithm>
#include <map>

#include "report/codec.h"
#include "report/metrics.h"

namespace warplens::report {
namespace {

Json site_json(size_t index, const SiteCounts& counts) {
  Json json = {{"site", index}};
  json.update(to_json(counts));
  Json patterns = Json::array();
  for (const PatternCount& p : counts.patterns) patterns.push_back(to_json(p));
  json["patterns"] = std::move(patterns);
  return json;
}

struct LineCounts {
  SiteCounts counts;
  uint64_t local_sectors = 0;  // kept apart: they are estimated, those of global memory are not
};

// Sites added up by source line, in the order of file and line; sites without line information are in no line.
Json lines_json(const Kernel& kernel, const Launch& launch) {
  std::map<std::pair<std::string, uint32_t>, LineCounts> lines;
  for (size_t i = 0; i < launch.sites.size() && i < kernel.sites.size(); ++i) {
    const Site& site = kernel.sites[i];
    if (site.frames.empty() || launch.sites[i].empty()) continue;
    SiteCounts counts = launch.sites[i];
    counts.patterns.clear();
    LineCounts& line = lines[{site.frames[0].file, site.frames[0].line}];
    if (site.space == Space::Local) {
      line.local_sectors += counts.sectors;
      counts.sectors = counts.sectors_ideal = counts.tag_requests = 0;
    }
    line.counts.add(counts);
  }
  Json out = Json::array();
  for (const auto& [place, sums] : lines) {
    Json line = {{"file", place.first}, {"line", place.second}};
    line.update(to_json(sums.counts));
    line["local_sectors"] = sums.local_sectors;
    out.push_back(std::move(line));
  }
  return out;
}

Json metric_json(const Metric& metric) {
  Json json = {{"value", metric.value}, {"fidelity", to_string(metric.fidelity)}};
  if (metric.per != 0) json["value"] = value_of(metric);
  if (metric.as_ptx) json["as_ptx"] = true;
  return json;
}

Json launch_json(const Report& report, const Launch& launch) {
  const Kernel* kernel = launch.kernel < report.kernels.size() ? &report.kernels[launch.kernel] : nullptr;
  Json metrics = Json::object();
  for (const Metric& m : launch.metrics) metrics[m.name] = metric_json(m);
  Json sites = Json::array();
  for (size_t i = 0; i < launch.sites.size(); ++i)
    if (!launch.sites[i].empty()) sites.push_back(site_json(i, launch.sites[i]));
  Json json = {{"index", launch.index},
               {"process", kernel ? kernel->process : 0},
               {"kernel", launch.kernel},
               {"name", kernel ? kernel->demangled : ""},
               {"grid", to_json(launch.grid)},
               {"block", to_json(launch.block)},
               {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
               {"complete", launch.complete},
               {"warps", launch.warps},
               {"instructions", launch.instructions},
               {"thread_instructions", launch.thread_instructions},
               {"thread_instructions_pred_on", launch.thread_instructions_pred_on},
               {"seconds", launch.seconds},
               {"compile_seconds", launch.compile_seconds},
               {"from_cache", launch.from_cache},
               {"metrics", metrics},
               {"lines", kernel ? lines_json(*kernel, launch) : Json::array()},
               {"sites", sites}};
  if (report.run.gpus > 1) json["device"] = launch.device;
  write_parameters(launch, json);
  if (launch.branch_targets) json["branch_targets"] = to_json(*launch.branch_targets);
  for (const InstructionCounts& counts : launch.instruction_counts)
    json["instruction_counts"].push_back(to_json(counts));
  return json;
}

// How sure each of a site's figures is; see metrics.cpp. Local memory is the assembler's choice.
Json fidelity_json(Code code) {
  return {{"requests", "counted"},
          {"lanes", "counted"},
          {"sectors", "counted"},
          {"sectors_ideal", "counted"},
          {"tag_requests", "counted"},
          {"wavefronts", "modelled"},
          {"wavefronts_ideal", "modelled"},
          {"bytes_used", "counted"},
          {"branch_executed", "counted"},
          {"branch_divergent", "counted"},
          {"branch_lanes", "counted"},
          {"patterns", "counted"},
          {"local_sectors", code == Code::Sass ? "counted" : "estimated"}};
}

Json run_json(const Report& report) {
  double compile = 0, kernels = 0;
  uint64_t instructions = 0;
  for (const Launch& launch : report.launches) {
    compile += launch.compile_seconds;
    kernels += launch.seconds;
    instructions += launch.instructions;
  }
  Json json = to_json(report.run);
  json["compile_seconds"] = compile;
  json["kernel_seconds"] = kernels;
  json["instructions_per_second"] = kernels > 0 ? double(instructions) / kernels : 0.0;
  return json;
}

Json finding_json(const Report& report, const Finding& f) {
  return {
      {"rule", f.rule},         {"severity", f.severity},
      {"kernel", f.kernel},     {"name", f.kernel < report.kernels.size() ? report.kernels[f.kernel].demangled : ""},
      {"launches", f.launches}, {"sites", f.sites},
      {"file", f.file},         {"line", f.line},
      {"title", f.title},       {"what", f.what},
      {"change", f.change},     {"effect", f.effect},
      {"gain", f.gain},         {"weight", f.weight}};
}

std::string text_of(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace); }

// The array's text, at the depth of a member of the report. A program may make a hundred thousand launches: as one tree
// they would take gigabytes, so each becomes text by itself.
std::string launches_text(const Report& report) {
  std::string text = "[";
  for (const Launch& launch : report.launches) {
    text += &launch == report.launches.data() ? "\n  " : ",\n  ";
    for (char c : text_of(launch_json(report, launch))) {
      text += c;
      if (c == '\n') text += "  ";  // within strings it is escaped
    }
  }
  return text + (report.launches.empty() ? "]" : "\n ]");
}

}  // namespace

std::string render_json(const Report& report) {
  Json json = {{"schema", kSchema}, {"run", run_json(report)}, {"site_fidelity", fidelity_json(Code::Ptx)}};
  if (std::any_of(report.kernels.begin(), report.kernels.end(), [](const Kernel& k) { return k.code == Code::Sass; }))
    json["machine_site_fidelity"] = fidelity_json(Code::Sass);
  json["processes"] = Json::array();
  for (const Process& p : report.processes) json["processes"].push_back({{"pid", p.pid}, {"command", p.command}});
  for (const char* key : {"kernels", "launches", "faults", "not_observed", "findings", "notes"})
    json[key] = Json::array();
  for (const Kernel& kernel : report.kernels) json["kernels"].push_back(to_json(kernel));
  for (const Fault& fault : report.faults) json["faults"].push_back(to_json(fault));
  for (const LibraryCalls& calls : report.not_observed) json["not_observed"].push_back(to_json(calls));
  for (const Finding& finding : report.findings) json["findings"].push_back(finding_json(report, finding));
  for (const Note& note : report.notes) json["notes"].push_back(to_json(note));
  std::string text = text_of(json) + "\n";
  constexpr std::string_view kEmpty = "\n \"launches\": []";
  const size_t at = text.find(kEmpty) + kEmpty.size() - 2;
  return text.replace(at, 2, launches_text(report));
}

}  // namespace warplens::report
