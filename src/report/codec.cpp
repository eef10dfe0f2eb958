#include "report/codec.h"

#include <array>
#include <stdexcept>

namespace warplens::report {
namespace {

constexpr std::array kKinds = {AccessKind::Load,      AccessKind::Store,  AccessKind::Atomic,
                               AccessKind::Reduction, AccessKind::Branch, AccessKind::Barrier};
constexpr std::array kCodes = {Code::Ptx, Code::Sass};
constexpr std::array kSpaces = {Space::Global,  Space::Shared,  Space::Local,  Space::Const,
                                Space::Generic, Space::Texture, Space::Surface};

template <typename Values>
auto named(const Values& values, const std::string& text) {
  for (const auto value : values)
    if (text == to_string(value)) return value;
  throw std::runtime_error("unknown word '" + text + "'");
}

template <typename T>
void get(const Json& json, const char* key, T& out) {
  if (const auto it = json.find(key); it != json.end() && !it->is_null()) out = it->get<T>();
}

template <typename T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
void get(const Json& json, const char* key, std::optional<T>& out) {
  if (const auto it = json.find(key); it != json.end() && !it->is_null()) out = it->get<T>();
}

Json to_json(const Frame& frame) {
  return {{"file", frame.file}, {"line", frame.line}, {"column", frame.column}, {"function", frame.function}};
}

Frame frame_from(const Json& json) {
  Frame frame;
  get(json, "file", frame.file);
  get(json, "line", frame.line);
  get(json, "column", frame.column);
  get(json, "function", frame.function);
  return frame;
}

Json frames_json(const std::vector<Frame>& frames) {
  Json out = Json::array();
  for (const Frame& frame : frames) out.push_back(to_json(frame));
  return out;
}

std::vector<Frame> frames_from(const Json& json) {
  std::vector<Frame> frames;
  if (const auto it = json.find("frames"); it != json.end())
    for (const Json& frame : *it) frames.push_back(frame_from(frame));
  return frames;
}

Json to_json(const LawTerm& term) {
  std::string depends;
  const std::pair<bool, const char*> kinds[] = {{term.depends.thread, "thread"},
                                                {term.depends.block, "block"},
                                                {term.depends.loop, "loop"},
                                                {term.depends.data, "data"}};
  Json on = Json::array();
  for (const auto& [is, word] : kinds)
    if (is) on.push_back(word);
  return {{"coefficient", term.coefficient}, {"factors", term.factors}, {"depends_on", on}};
}

LawTerm law_term_from(const Json& json) {
  LawTerm term;
  get(json, "coefficient", term.coefficient);
  get(json, "factors", term.factors);
  if (const auto it = json.find("depends_on"); it != json.end())
    for (const Json& word : *it) {
      term.depends.thread |= word == "thread", term.depends.block |= word == "block";
      term.depends.loop |= word == "loop", term.depends.data |= word == "data";
    }
  return term;
}

Json to_json(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"offset", parameter.offset},
          {"bytes", parameter.bytes},
          {"pointer", parameter.pointer}};
}

Parameter parameter_from(const Json& json) {
  Parameter parameter;
  get(json, "name", parameter.name);
  get(json, "offset", parameter.offset);
  get(json, "bytes", parameter.bytes);
  get(json, "pointer", parameter.pointer);
  return parameter;
}

Json to_json(const Site& site) {
  Json json = {{"kind", to_string(site.kind)},
               {"space", to_string(site.space)},
               {"bytes_per_lane", site.bytes_per_lane},
               {"components", site.components},
               {"opcode", site.opcode},
               {"operand", site.operand},
               {"ptx_line", site.ptx_line},
               {"frames", frames_json(site.frames)}};
  if (site.machine_offset) json["machine_offset"] = *site.machine_offset;
  for (const LawTerm& term : site.law) json["law"].push_back(to_json(term));
  return json;
}

Json to_json(const Instruction& instruction) {
  return {{"offset", instruction.offset}, {"text", instruction.text}, {"frames", frames_json(instruction.frames)}};
}

Instruction instruction_from(const Json& json) {
  Instruction instruction;
  get(json, "offset", instruction.offset);
  get(json, "text", instruction.text);
  instruction.frames = frames_from(json);
  return instruction;
}

Site site_from(const Json& json) {
  Site site;
  site.kind = named(kKinds, json.value("kind", "load"));
  site.space = named(kSpaces, json.value("space", "global"));
  get(json, "bytes_per_lane", site.bytes_per_lane);
  get(json, "components", site.components);
  get(json, "opcode", site.opcode);
  get(json, "operand", site.operand);
  get(json, "ptx_line", site.ptx_line);
  get(json, "machine_offset", site.machine_offset);
  site.frames = frames_from(json);
  if (const auto it = json.find("law"); it != json.end())
    for (const Json& term : *it) site.law.push_back(law_term_from(term));
  return site;
}

}  // namespace

Json to_json(const Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }
namespace {
constexpr std::pair<const char*, uint64_t Caches::*> kCaches[] = {
    {"l1_sectors", &Caches::l1_sectors},
    {"l1_hits", &Caches::l1_hits},
    {"l1_local_sectors", &Caches::l1_local_sectors},
    {"l1_local_hits", &Caches::l1_local_hits},
    {"l2_reads", &Caches::l2_reads},
    {"l2_writes", &Caches::l2_writes},
    {"l2_tex_reads", &Caches::l2_tex_reads},
    {"l2_hits", &Caches::l2_hits},
    {"l2_misses", &Caches::l2_misses},
    {"dram_read_bytes", &Caches::dram_read_bytes},
    {"dram_write_bytes", &Caches::dram_write_bytes},
};
}  // namespace

Json to_json(const Caches& caches) {
  Json json = Json::object();
  for (const auto& [key, member] : kCaches) json[key] = caches.*member;
  return json;
}

Caches caches_from(const Json& json) {
  Caches caches;
  for (const auto& [key, member] : kCaches) caches.*member = json.value(key, uint64_t{0});
  return caches;
}

Dim3 dim_from(const Json& json) {
  return {json.at(0).get<uint32_t>(), json.at(1).get<uint32_t>(), json.at(2).get<uint32_t>()};
}

Json to_json(const BranchTargets& targets) { return {{"uniform", targets.uniform}, {"divergent", targets.divergent}}; }
BranchTargets branch_targets_from(const Json& json) {
  return {json.at("uniform").get<uint64_t>(), json.at("divergent").get<uint64_t>()};
}

Json to_json(const InstructionCounts& counts) {
  return Json::array({counts.executed, counts.threads, counts.threads_pred_on});
}
InstructionCounts instruction_counts_from(const Json& json) {
  return {json.at(0).get<uint64_t>(), json.at(1).get<uint64_t>(), json.at(2).get<uint64_t>()};
}

// The figures of a site or line, by their names in JSON.
struct CountKey {
  const char* key;
  uint64_t SiteCounts::* member;
};
constexpr CountKey kCounts[] = {
    {"requests", &SiteCounts::requests},
    {"lanes", &SiteCounts::lanes},
    {"sectors", &SiteCounts::sectors},
    {"sectors_ideal", &SiteCounts::sectors_ideal},
    {"tag_requests", &SiteCounts::tag_requests},
    {"wavefronts", &SiteCounts::wavefronts},
    {"wavefronts_ideal", &SiteCounts::wavefronts_ideal},
    {"bytes_used", &SiteCounts::bytes_used},
    {"branch_executed", &SiteCounts::branch_executed},
    {"branch_divergent", &SiteCounts::branch_divergent},
    {"branch_lanes", &SiteCounts::branch_lanes},
};

Json to_json(const SiteCounts& counts) {
  Json json = Json::object();
  for (const CountKey& count : kCounts) json[count.key] = counts.*count.member;
  // Only where some warp executed the access with all its lanes' guards false, or some lane's.
  if (counts.executed > counts.requests || counts.executed_lanes > counts.lanes) {
    json["executed"] = counts.executed;
    json["executed_lanes"] = counts.executed_lanes;
  }
  return json;
}

Json to_json(const PatternCount& pattern) { return {{"words", pattern.words}, {"count", pattern.count}}; }

SiteCounts site_counts_from(const Json& json) {
  SiteCounts counts;
  for (const CountKey& count : kCounts) get(json, count.key, counts.*count.member);
  get(json, "executed", counts.executed);
  get(json, "executed_lanes", counts.executed_lanes);
  if (const auto it = json.find("patterns"); it != json.end())
    for (const Json& pattern : *it) {
      PatternCount& added = counts.patterns.emplace_back();
      get(pattern, "words", added.words);
      get(pattern, "count", added.count);
    }
  return counts;
}

Json to_json(const Run& run) {
  Json json = {{"program", run.program}, {"arguments", run.arguments},
               {"gpu", run.gpu},         {"gpu_name", run.gpu_name},
               {"version", run.version}, {"cpu", run.cpu},
               {"threads", run.threads}, {"wall_seconds", run.wall_seconds},
               {"outcome", run.outcome}, {"exit_code", run.exit_code},
               {"signal", run.signal}};
  if (run.gpus > 1) json["gpus"] = run.gpus;
  return json;
}

Run run_from(const Json& json) {
  Run run;
  get(json, "program", run.program);
  get(json, "arguments", run.arguments);
  get(json, "gpu", run.gpu);
  get(json, "gpu_name", run.gpu_name);
  get(json, "gpus", run.gpus);
  get(json, "version", run.version);
  get(json, "cpu", run.cpu);
  get(json, "threads", run.threads);
  get(json, "wall_seconds", run.wall_seconds);
  get(json, "outcome", run.outcome);
  get(json, "exit_code", run.exit_code);
  get(json, "signal", run.signal);
  return run;
}

Json to_json(const Kernel& kernel) {
  Json sites = Json::array();
  for (const Site& site : kernel.sites) sites.push_back(to_json(site));
  Json json = {{"id", kernel.id},
               {"name", kernel.name},
               {"demangled", kernel.demangled},
               {"code", to_string(kernel.code)},
               {"target", kernel.target},
               {"registers", optional(kernel.registers)},
               {"static_shared_bytes", kernel.static_shared_bytes},
               {"local_bytes", kernel.local_bytes}};
  if (kernel.spill_load_bytes) json["spill_load_bytes"] = *kernel.spill_load_bytes;
  if (kernel.spill_store_bytes) json["spill_store_bytes"] = *kernel.spill_store_bytes;
  for (const Parameter& parameter : kernel.parameters) json["parameters"].push_back(to_json(parameter));
  json["sites"] = std::move(sites);
  for (const Instruction& instruction : kernel.instructions) json["instructions"].push_back(to_json(instruction));
  return json;
}

Kernel kernel_from(const Json& json) {
  Kernel kernel;
  get(json, "id", kernel.id);
  get(json, "name", kernel.name);
  get(json, "demangled", kernel.demangled);
  kernel.code = named(kCodes, json.value("code", "ptx"));
  get(json, "target", kernel.target);
  get(json, "registers", kernel.registers);
  get(json, "spill_load_bytes", kernel.spill_load_bytes);
  get(json, "spill_store_bytes", kernel.spill_store_bytes);
  get(json, "static_shared_bytes", kernel.static_shared_bytes);
  get(json, "local_bytes", kernel.local_bytes);
  if (const auto it = json.find("parameters"); it != json.end())
    for (const Json& parameter : *it) kernel.parameters.push_back(parameter_from(parameter));
  if (const auto it = json.find("sites"); it != json.end())
    for (const Json& site : *it) kernel.sites.push_back(site_from(site));
  if (const auto it = json.find("instructions"); it != json.end())
    for (const Json& instruction : *it) kernel.instructions.push_back(instruction_from(instruction));
  return kernel;
}

void write_parameters(const Launch& launch, Json& json) {
  for (const auto& [name, value] : launch.parameters) json["parameters"][name] = value;
}
void read_parameters(const Json& json, Launch& launch) {
  const auto it = json.find("parameters");
  if (it == json.end()) return;
  for (const auto& [name, value] : it->items()) launch.parameters.emplace_back(name, value.get<int64_t>());
}

Json to_json(const Fault& fault) {
  return {{"kind", fault.kind},           {"verdict", fault.verdict},      {"kernel", fault.kernel},
          {"launch", fault.launch},       {"block", to_json(fault.block)}, {"thread", to_json(fault.thread)},
          {"site", optional(fault.site)}, {"address", fault.address},      {"bytes", fault.bytes},
          {"nearest", fault.nearest},     {"message", fault.message}};
}

Fault fault_from(const Json& json) {
  Fault fault;
  get(json, "kind", fault.kind);
  get(json, "verdict", fault.verdict);
  get(json, "kernel", fault.kernel);
  get(json, "launch", fault.launch);
  if (json.contains("block")) fault.block = dim_from(json["block"]);
  if (json.contains("thread")) fault.thread = dim_from(json["thread"]);
  get(json, "site", fault.site);
  get(json, "address", fault.address);
  get(json, "bytes", fault.bytes);
  get(json, "nearest", fault.nearest);
  get(json, "message", fault.message);
  return fault;
}

Json to_json(const Note& note) {
  return {{"kind", note.kind}, {"message", note.message}, {"hint", note.hint},
          {"file", note.file}, {"line", note.line},       {"count", note.count}};
}

Note note_from(const Json& json) {
  Note note;
  get(json, "kind", note.kind);
  get(json, "message", note.message);
  get(json, "hint", note.hint);
  get(json, "file", note.file);
  get(json, "line", note.line);
  get(json, "count", note.count);
  return note;
}

Json to_json(const LibraryCalls& calls) {
  return {{"library", calls.library}, {"function", calls.function}, {"calls", calls.calls}};
}

LibraryCalls library_calls_from(const Json& json) {
  LibraryCalls calls;
  get(json, "library", calls.library);
  get(json, "function", calls.function);
  get(json, "calls", calls.calls);
  return calls;
}

}  // namespace warplens::report
