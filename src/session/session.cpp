// The whole flow, from a launch to its record:
//
//   fat binary -> PTX -> ptx::Module -> ir::Module      Module::load, on first use
//   variables -> device memory                          Module::load
//   kernel -> compiled code                             Module::loaded, on first launch
//   launch -> events and counts -> site statistics      Session::launch: engine_ and observe::Observer
//   statistics -> spool                                 Impl::record, before launch() returns
#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "jit/compiler.h"
#include "jit/engine.h"
#include "observe/cache_replay.h"
#include "observe/cache_trace.h"
#include "observe/observer.h"
#include "report/spool.h"
#include "report/text.h"
#include "session/check_launch.h"
#include "session/module.h"
#include "session/record.h"

namespace warplens::session {
namespace {

// What a CUDA context takes of the GPU's memory before the program's first allocation (an H200, driver 580).
constexpr uint64_t kContextBytes = 552402944;

}  // namespace

struct Session::Impl {
  Options options;
  model::GpuSpec gpu;
  model::CacheSpec cache_spec;
  exec::DeviceMemory memory;
  jit::Engine engine;
  report::SpoolWriter* spool = nullptr;  // options.spool
  std::optional<MachineCode> machine_code;
  std::vector<std::unique_ptr<Module>> modules;
  std::atomic<bool> never{false};
  std::atomic<bool>& stop;  // ours, if nobody else has one
  uint64_t launches = 0;
  uint32_t kernels = 0;

  Impl(Options o, model::GpuSpec g)
      : options(std::move(o)),
        gpu(std::move(g)),
        memory(per_device() * std::max(1u, options.gpus)),
        engine({options.threads, options.cpu, options.cache_dir, true, 0, options.caches}, memory),
        spool(options.spool.get()),
        stop(options.stop ? *options.stop : never) {
    if (options.machine_code)
      machine_code.emplace(gpu.compute_major * 10 + gpu.compute_minor, options.ptxas, options.cache_dir,
                           options.environment);
  }

  uint64_t per_device() const { return gpu.memory_bytes - std::min(gpu.memory_bytes, kContextBytes); }
  void record_run();
  Status load(Module& module);
  const Module::Loaded& record_once(Module& module, uint32_t kernel, Module::Loaded& loaded);
  Module* add(std::unique_ptr<Module> module);
};

Result<std::unique_ptr<Session>> Session::open(Options options) {
  auto gpu = model::find_gpu(options.gpu);
  if (!gpu) return gpu.error();
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*gpu));
  auto cache_spec = model::find_cache_spec(impl->gpu.id);
  if (!cache_spec) return cache_spec.error();
  impl->cache_spec = *cache_spec;
  if (Status ready = impl->engine.ready(); !ready) return ready.error();
  if (impl->spool) impl->record_run();
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() { impl_->modules.clear(); }

void Session::Impl::record_run() {
  report::Run run;
  const std::vector<std::string>& command = options.command;
  if (!command.empty()) run.program = command.front();
  if (command.size() > 1) run.arguments.assign(command.begin() + 1, command.end());
  run.gpu = gpu.id;
  run.gpu_name = gpu.name;
  run.gpus = options.gpus;
  run.version = WARPLENS_VERSION;
  run.cpu = engine.cpu();
  run.threads = engine.threads();
  spool->run(run);
}

Module* Session::Impl::add(std::unique_ptr<Module> module) {
  modules.push_back(std::move(module));
  return modules.back().get();
}

bool knows_processor(const std::string& name) { return static_cast<bool>(jit::Compiler::create(name, 0)); }

Module* Session::add_fatbin(const void* wrapper, std::string origin, std::map<std::string, uint64_t> host_copies) {
  return impl_->add(std::make_unique<Module>(wrapper, std::move(origin), std::move(host_copies)));
}

Module* Session::add_ptx(std::vector<PtxText> texts, std::string origin, unsigned device) {
  return impl_->add(std::make_unique<Module>(std::move(texts), std::move(origin), device));
}

Module* Session::add_for_device(Module& original, unsigned device) {
  return impl_->add(std::make_unique<Module>(original, device));
}

void Session::remove(Module* module) {
  std::erase_if(impl_->modules, [&](const auto& owned) { return owned.get() == module; });
}

// Reads the module on first use, and records what was wrong with it.
Status Session::Impl::load(Module& module) {
  if (module.original()) {
    if (Status status = load(*module.original()); !status) return status;
  }
  bool first = !module.tried();
  Status status = module.load(memory, machine_code ? &*machine_code : nullptr);
  if (!first || !spool) return status;
  for (const Diagnostic& diagnostic : module.diagnostics())
    if (diagnostic.kernel.empty()) spool->note(record_note(diagnostic));
  if (!status) spool->note({"error", status.error().what, status.error().hint, module.origin(), 0, 1});
  return status;
}

Status Session::read(Module& module) {
  Status status = impl_->load(module);
  if (!status) return status;
  if (!module.well_formed()) return Error{module.origin() + " is not valid PTX", ""};
  if (module.unresolved().empty()) return status;
  return Error{fmt::format("{} calls {}, which is not in it", module.origin(), module.unresolved().front()),
               "link it with the PTX that has it: cuLinkAddData, cuLinkComplete"};
}

const Diagnostics& Session::diagnostics(const Module& module) const { return module.diagnostics(); }

std::vector<std::string> Session::kernels(const Module& module) const {
  std::vector<std::string> names;
  for (const ir::Kernel& kernel : module.ir().kernels) names.push_back(kernel.function.name);
  return names;
}

Result<KernelInfo> Session::kernel(Module& module, std::string_view name, Outcome* outcome) {
  Outcome ignored;
  Outcome& why = outcome ? *outcome : ignored;
  why = Outcome::NoKernelImage;
  Status status = impl_->load(module);
  if (!status) return Error{fmt::format("kernel {}: {}", name, status.error().what), status.error().hint};
  why = Outcome::NoSuchKernel;
  uint32_t index = module.find_kernel(name);
  if (index == ir::kNone) return Error{fmt::format("kernel {} is not in the PTX of {}", name, module.origin()), ""};
  why = Outcome::Ok;
  return KernelInfo{&module.ir().kernels[index], module.const_bytes(), module.ir().target};
}

Result<Variable> Session::variable(Module& module, std::string_view name) {
  Status status = impl_->load(module);
  if (!status) return status.error();
  uint32_t index = module.find_symbol(name);
  if (index == ir::kNone || !module.address_of(index)) {
    return Error{fmt::format("variable {} is not in the PTX of {}", name, module.origin()), ""};
  }
  return Variable{module.address_of(index), module.ir().symbols[index].bytes};
}

LaunchReport Session::launch(Module& module, std::string_view name, const exec::LaunchConfig& config,
                             std::span<const uint8_t> params, uint32_t dynamic_shared_limit) {
  Outcome outcome;
  Result<KernelInfo> info = kernel(module, name, &outcome);
  if (!info) return {outcome, info.error().what, std::nullopt};
  const ir::Function& function = info->kernel->function;
  if (auto refused = check_launch(impl_->gpu, function, config, dynamic_shared_limit)) {
    refused->message = fmt::format("{}: {}", report::demangled(std::string(name)), refused->message);
    if (impl_->spool) impl_->spool->note({"error", refused->message, "", "", 0, 1});
    return *refused;
  }

  uint32_t index = module.find_kernel(name);
  Module::Loaded& loaded = module.loaded(index, impl_->engine);
  observe::Observer observer(function.sites, impl_->engine.threads());
  std::optional<observe::CacheTrace> trace;
  if (impl_->options.caches && impl_->spool) trace.emplace(function.sites, config.grid, impl_->engine.threads());
  auto sink_of = [&](unsigned worker) -> event::Sink* {
    return trace ? trace->sink(worker, observer.sink(worker)) : observer.sink(worker);
  };
  exec::LaunchResult result = impl_->engine.launch(loaded.handle, config, params, sink_of, impl_->stop);
  observer.add_branches(result.counts.branches);
  observer.add_executed(result.counts.accesses);
  std::vector<observe::SiteStats> sites = observer.finish();

  uint64_t number = impl_->launches++;
  if (impl_->spool) {
    const Module::Loaded& recorded = impl_->record_once(module, index, loaded);
    const uint32_t id = recorded.record;
    report::Launch launch = record_launch(id, function, recorded.law_parameters, params, config, result, sites);
    launch.index = number;
    launch.device = module.device();
    if (trace)
      launch.caches = record_caches(observe::replay_caches(
          impl_->gpu, impl_->cache_spec,
          {config.block, function.own_shared_bytes() + config.dynamic_shared_bytes, function.registers},
          trace->finish()));
    impl_->spool->launch(launch);
    if (result.fault) {
      report::Fault fault = record_fault(module.ir(), function, id, number, *result.fault);
      if (result.fault->kind == exec::FaultKind::Stopped) explain_endless_wait(function, sites, fault);
      impl_->spool->fault(fault);
    }
  }
  if (!result.fault) return {Outcome::Ok, "", std::nullopt, std::move(result.printed)};
  return {Outcome::Fault, describe_fault(module.ir(), function, *result.fault), result.fault,
          std::move(result.printed)};
}

const Module::Loaded& Session::Impl::record_once(Module& module, uint32_t kernel, Module::Loaded& loaded) {
  // To a reader it is one kernel, whatever device it ran on.
  if (module.original()) return record_once(*module.original(), kernel, module.original()->loaded(kernel));
  if (loaded.record == ir::kNone) {
    loaded.record = kernels++;
    const ir::Kernel& launched = module.ir().kernels[kernel];
    law::KernelLaws laws = law::laws_of(module.ir(), launched);
    spool->kernel(record_kernel(module.ir(), launched, laws, loaded.record));
    loaded.law_parameters = std::move(laws.parameters);
    // What cannot run of it. Of kernels that nobody launches, that would be noise.
    for (const Diagnostic& diagnostic : module.diagnostics())
      if (diagnostic.kernel == launched.function.name) spool->note(record_note(diagnostic));
  }
  return loaded;
}

void Session::record_refused(std::string_view function, std::string_view hint) {
  if (impl_->spool)
    impl_->spool->note({"refused", fmt::format("{} is not supported", function), std::string(hint), "", 0, 1});
}

void Session::record_not_observed(std::string_view library, std::string_view function) {
  if (impl_->spool) impl_->spool->not_observed({std::string(library), std::string(function), 1});
}

void Session::record_error(std::string_view text) {
  if (impl_->spool) impl_->spool->note({"error", std::string(text), "", "", 0, 1});
}

void Session::record_remark(std::string_view text) {
  if (impl_->spool) impl_->spool->note({"note", std::string(text), "", "", 0, 1});
}

bool Session::recording() const { return impl_->spool; }
bool Session::record_failed() const { return impl_->spool && impl_->spool->failed(); }
const model::GpuSpec& Session::gpu() const { return impl_->gpu; }
exec::DeviceMemory& Session::memory() { return impl_->memory; }
uint64_t Session::memory_per_device() const { return impl_->per_device(); }

std::optional<unsigned> Session::device_of_variable(uint64_t address) const {
  for (const auto& module : impl_->modules)
    if (module->has_variable_at(address)) return module->device();
  return std::nullopt;
}

uint64_t Session::variable_bytes(unsigned device) const {
  uint64_t bytes = 0;
  for (const auto& module : impl_->modules)
    if (module->device() == device) bytes += module->variable_bytes();
  return bytes;
}

}  // namespace warplens::session
