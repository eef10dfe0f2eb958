#include <nlohmann/json.hpp>

#include "occupancy/question.h"

namespace warplens::occupancy {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

const char* refusal_word(model::Refusal refusal) {
  switch (refusal) {
    case model::Refusal::None:
      return nullptr;
    case model::Refusal::Threads:
      return "threads of a block";
    case model::Refusal::RegistersOfThread:
      return "registers of a thread";
    case model::Refusal::RegistersOfBlock:
      return "registers of a block";
    case model::Refusal::SharedMemory:
      return "shared memory of a block";
  }
  return nullptr;
}

Json of_block(const Question& q, const Kernel& kernel, uint32_t threads) {
  const model::BlockNeeds needs = needs_of(q, kernel, threads);
  const model::Occupancy o = model::occupancy(q.sm, needs);
  Json json;
  json["threads"] = threads;
  json["shared_bytes"] = needs.shared_bytes;
  json["blocks"] = o.blocks;
  json["warps"] = o.warps();
  json["occupancy"] = model::fraction(q.sm, o);
  Json limited_by = Json::array();
  for (model::Resource resource : model::kResources) {
    json["limits"][std::string(model::resource_name(resource))] = optional(o.limit(resource));
    if (o.limited_by(resource)) limited_by.push_back(model::resource_name(resource));
  }
  json["limited_by"] = limited_by;
  const char* refused = refusal_word(o.refusal);
  json["refused"] = refused ? Json(refused) : Json();
  json["taken"] = {{"registers_per_warp", o.registers_per_warp}, {"shared_bytes_per_block", o.shared_bytes_per_block}};
  const auto step = model::next_step(q.sm, needs);
  if (step)
    json["next"] = {{"blocks", step->blocks},
                    {"registers", optional(step->registers)},
                    {"shared_bytes", optional(step->shared_bytes)}};
  else
    json["next"] = Json();
  if (q.gpu && q.grid) json["waves"] = model::waves(*q.gpu, o, *q.grid);
  return json;
}

Json of_steps(const std::vector<Step>& steps) {
  Json json = Json::array();
  for (const Step& step : steps) json.push_back({{"from", step.from}, {"to", step.to}, {"blocks", step.blocks}});
  return json;
}

Json curves(const Question& q, const Kernel& kernel, uint32_t threads) {
  Json json;
  json["threads"] = Json::array();
  for (uint32_t n = 32; n <= kernel.most_threads; n += 32) {
    const model::Occupancy o = model::occupancy(q.sm, needs_of(q, kernel, n));
    json["threads"].push_back(
        {{"threads", n}, {"blocks", o.blocks}, {"warps", o.warps()}, {"occupancy", model::fraction(q.sm, o)}});
  }
  const model::BlockNeeds needs = needs_of(q, kernel, threads);
  json["at_threads"] = threads;
  json["registers"] = of_steps(by_registers(q, needs));
  json["shared_bytes"] = of_steps(by_shared_memory(q, needs));
  return json;
}

Json of_kernel(const Question& q, const Kernel& kernel) {
  Json json;
  json["name"] = kernel.name.empty() ? Json() : Json(kernel.name);
  json["demangled"] = kernel.name.empty() ? Json() : Json(kernel.demangled);
  json["registers"] = kernel.registers ? Json(kernel.registers) : Json();
  json["static_shared_bytes"] = kernel.static_shared_bytes;
  json["barriers"] = kernel.barriers;
  json["most_threads"] = kernel.most_threads;
  const uint32_t best = best_block(q, kernel);
  json["best_block"] = best ? Json(best) : Json();
  json["blocks"] = Json::array();
  for (uint32_t threads : blocks_of(q, kernel)) json["blocks"].push_back(of_block(q, kernel, threads));
  if (q.curves) json["curves"] = curves(q, kernel, q.blocks.empty() ? best : q.blocks.front());
  return json;
}

}  // namespace

std::string render_json(const Question& q, const std::string& version) {
  Json json;
  json["schema"] = "warplens-occupancy/1";
  json["version"] = version;
  json["fidelity"] = "modelled";
  json["gpu"] = q.gpu ? Json(q.gpu->id) : Json();
  json["compute_capability"] = std::to_string(q.sm.compute_major) + "." + std::to_string(q.sm.compute_minor);
  json["sm_count"] = q.gpu ? Json(q.gpu->sm_count) : Json();
  json["warps_per_sm"] = q.sm.max_warps_per_sm;
  json["dynamic_shared_bytes"] = q.dynamic_shared_bytes;
  json["grid"] = optional(q.grid);
  if (!q.input.empty()) json["file"] = q.input, json["code"] = q.code;
  json["kernels"] = Json::array();
  for (const Kernel& kernel : q.kernels) json["kernels"].push_back(of_kernel(q, kernel));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::occupancy
