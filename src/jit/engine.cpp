#include "jit/engine.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "codegen/plan.h"
#include "exec/grid.h"
#include "jit/cache.h"
#include "jit/compiler.h"
#include "passes/passes.h"

namespace warplens::jit {

using codegen::AccessPlan;
using codegen::Plan;
using exec::Fault;
using exec::FaultKind;
using exec::LaunchConfig;
using exec::LaunchResult;
using ir::Op;
using passes::Specialization;

namespace {

// Changes whenever the code made for the same kernel changes: it names the files of the cache.
constexpr const char* kCodeVersion = "warplens-code-61";

constexpr uint64_t kWorkspaceBytes = 256;  // of a cooperative grid; two words are used

// A kernel of more instructions than this is made at most twice a block shape: each time takes a second and more, which
// code for the arguments' alignment does not bring back.
constexpr size_t kLargeKernel = 1200;

// Warp instructions below which a grid runs on the calling thread: some ten microseconds of work.
constexpr uint64_t kSmallGrid = 40000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Code for one block shape and, maybe, fixed arguments.
struct Variant {
  Specialization spec;
  Plan plan;
  exec::KernelTables tables;
  LoadedCode code;
  std::unique_ptr<exec::Grid> grid;
  uint64_t last_instructions = 0;  // executed by the warps of the last launch
};

struct Engine::LoadedKernel {
  std::shared_ptr<const ir::Module> module;
  size_t index = 0;
  std::vector<uint64_t> symbols;
  ir::Function function;  // canonical
  std::vector<std::unique_ptr<Variant>> variants;
  const ir::Kernel& kernel() const { return module->kernels[index]; }
};

struct Engine::Impl {
  EngineOptions options;
  exec::DeviceMemory& memory;
  CodeCache cache;
  std::unique_ptr<Compiler> compiler;
  std::optional<Error> broken;
  std::unique_ptr<exec::ThreadPool> pool;
  std::mutex mutex;  // one launch or compilation at a time

  Impl(EngineOptions o, exec::DeviceMemory& m) : options(std::move(o)), memory(m), cache(options.cache_dir) {}

  Compiler* get_compiler() {
    if (!compiler && !broken) {
      auto made = Compiler::create(options.cpu, options.lanes);
      if (made)
        compiler = std::move(*made);
      else
        broken = made.error();
    }
    return compiler.get();
  }
  unsigned threads() const {
    return options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  }

  // Waking another thread costs more than a small grid does.
  unsigned threads_for(const Variant& v, const LaunchConfig& config) const {
    if (v.last_instructions != 0) return v.last_instructions < kSmallGrid ? 1 : threads();
    uint64_t once = 0;
    for (uint64_t w : v.plan.block_weight) once += w;
    return config.grid.count() * v.plan.warps * once < kSmallGrid && !v.plan.loops ? 1 : threads();
  }

  Result<Variant*> variant_for(LoadedKernel& k, const LaunchConfig& config, std::span<const uint8_t> params,
                               LaunchResult& result);
  exec::KernelTables make_tables(const LoadedKernel& k, const Plan& plan);
};

namespace {

bool matches(const Specialization& s, const LaunchConfig& config, std::span<const uint8_t> params) {
  if (!(s.block == config.block) || (s.grid && !(*s.grid == config.grid))) return false;
  for (size_t k = 0; k < s.param_known.size(); ++k)
    if ((k < params.size() ? params[k] & s.param_known[k] : 0) != s.param_value[k]) return false;
  return true;
}

// How much to fix: the first launch of a kernel fixes its arguments (most programs launch a kernel with the same ones);
// if others come, only what keeps accesses aligned: the low bits of pointers and integers; then nothing but the block.
enum class Level { Arguments, Alignment, Block };

Specialization specialize(Level level, const ir::Kernel& kernel, const LaunchConfig& config,
                          std::span<const uint8_t> params, uint32_t max_groups) {
  Specialization s;
  s.block = config.block;
  s.max_groups = max_groups;
  if (level == Level::Block) return s;
  if (level == Level::Arguments) s.grid = config.grid;
  s.param_known.assign(params.size(), 0);
  for (const ir::ParamInfo& p : kernel.params) {
    if (p.offset + p.bytes > params.size()) continue;
    // Eight bytes may be a pointer: its low bits say how it is aligned, the rest differs from run to run. Structs:
    // words.
    for (uint32_t k = 0; k < p.bytes; ++k) {
      const bool small = p.bytes <= 4;
      const uint32_t word = k % 8;
      if (level == Level::Arguments)
        s.param_known[p.offset + k] = small ? 0xff : word == 0 ? 0xff : 0;
      else
        s.param_known[p.offset + k] = (small ? k == 0 : word == 0) ? 0x7f : 0;
    }
  }
  for (size_t k = 0; k < params.size(); ++k) s.param_value.push_back(params[k] & s.param_known[k]);
  return s;
}

bool uses_stack(const ir::Function& f) {
  return std::any_of(f.insts.begin(), f.insts.end(), [](const ir::Inst& inst) { return inst.op == Op::StackStore; });
}

exec::AccessSpace space_of(ir::Space s) { return static_cast<exec::AccessSpace>(static_cast<int>(s)); }

}  // namespace

exec::KernelTables Engine::Impl::make_tables(const LoadedKernel& k, const Plan& plan) {
  const ir::Function& f = k.function;
  exec::KernelTables t;
  t.access.resize(f.insts.size());
  t.sites = static_cast<uint32_t>(f.sites.size());
  t.recent.assign(f.sites.size(), ~0u);
  t.local_bytes = f.thread_bytes();
  t.param_bytes = f.param_bytes;
  for (const ir::Block& block : f.blocks)
    for (ir::ValueId v : block.insts) {
      const ir::Inst& inst = f.insts[v];
      if (inst.op == Op::Trap) {
        exec::KernelTables::Trap trap;
        const auto kind = static_cast<ir::TrapKind>(inst.imm2);
        trap.kind = kind == ir::TrapKind::Unsupported     ? FaultKind::Unsupported
                    : kind == ir::TrapKind::Assert        ? FaultKind::Assert
                    : kind == ir::TrapKind::StackOverflow ? FaultKind::StackOverflow
                    : kind == ir::TrapKind::NoFunction    ? FaultKind::NoFunction
                                                          : FaultKind::Trap;
        if (inst.imm < f.messages.size()) trap.message = f.messages[inst.imm];
        trap.site = inst.site;
        trap.location = inst.location;
        t.traps.emplace_back(v, std::move(trap));
        continue;
      }
      if (inst.op == Op::Matrix) {  // where lanes of the warp are missing
        exec::KernelTables::Trap trap;
        trap.message = inst.imm2 < f.messages.size() ? f.messages[inst.imm2] : std::string("a matrix instruction");
        trap.message += " needs all 32 threads of the warp; here some have ended or are elsewhere";
        trap.location = inst.location;
        t.traps.emplace_back(v, std::move(trap));
        continue;
      }
      if (inst.op != Op::Load && inst.op != Op::Store && inst.op != Op::Atomic && inst.op != Op::Reduce) continue;
      exec::AccessInfo& a = t.access[v];
      a.site = inst.site;
      a.space = space_of(inst.space);
      a.kind = inst.op == Op::Load     ? exec::AccessKind::Load
               : inst.op == Op::Store  ? exec::AccessKind::Store
               : inst.op == Op::Atomic ? exec::AccessKind::Atomic
                                       : exec::AccessKind::Reduction;
      a.element_bytes = static_cast<uint8_t>(ir::bytes(inst.type));
      a.components = inst.count;
      a.offset = plan.access[v].offset;
      a.atomic = static_cast<exec::AtomicOp>(inst.imm2);
      const AccessPlan& ap = plan.access[v];
      if (ap.way == AccessPlan::Way::General) continue;
      if (ap.count != AccessPlan::Count::Event) {
        a.pattern = ap.pattern.data();
        a.residue = ap.residue;
        a.shift = ap.shift;
        t.recent[inst.site] = v;
      }
      // Per site: the reach of the widest test that looks at its bounds.
      const passes::Lanes& l = plan.lanes.values[inst.args[0]];
      const auto [low, high] = std::minmax_element(l.pattern.begin(), l.pattern.end());
      a.reach = static_cast<uint64_t>(*high - *low) + a.element_bytes * a.components;
      if (ap.leader == v) a.reach = static_cast<uint64_t>(ap.high - ap.low);
    }
  t.followers.resize(f.insts.size());
  for (size_t v = 0; v < f.insts.size(); ++v) t.followers[v].assign(plan.followers[v].begin(), plan.followers[v].end());
  return t;
}

Result<Variant*> Engine::Impl::variant_for(LoadedKernel& k, const LaunchConfig& config, std::span<const uint8_t> params,
                                           LaunchResult& result) {
  size_t of_this_shape = 0;
  for (auto& v : k.variants) {
    if (matches(v->spec, config, params)) return v.get();
    of_this_shape += v->spec.block == config.block;
  }
  const auto start = std::chrono::steady_clock::now();
  Compiler* c = get_compiler();
  if (!c) return *broken;
  auto v = std::make_unique<Variant>();
  const bool large = k.function.insts.size() > kLargeKernel;
  const Level level = of_this_shape == 0             ? Level::Arguments
                      : of_this_shape == 1 && !large ? Level::Alignment
                                                     : Level::Block;
  v->spec = specialize(level, k.kernel(), config, params, kWarpSize / c->vector_lanes());
  v->spec.traced = options.trace;
  v->plan = codegen::make_plan(k.function, v->spec);
  v->tables = make_tables(k, v->plan);
  const std::string key =
      code_key(k.function, v->spec, std::string(kCodeVersion) + " " + c->cpu() + (options.count ? "" : " uncounted"));
  if (auto object = cache.find(key)) {
    if (auto code = c->load(*object)) v->code = *code, result.from_cache = true;
  }
  if (!v->code.code) {
    auto object = c->compile(k.function, v->spec, v->plan, options.count);
    if (!object) return object.error();
    auto code = c->load(*object);
    if (!code) return code.error();
    v->code = *code;
    cache.keep(key, *object);
  }
  result.compile_seconds = seconds_since(start);
  v->grid =
      std::make_unique<exec::Grid>(v->tables, exec::Grid::Shape{v->spec.block, v->plan.counters, v->plan.save_bytes,
                                                                static_cast<uint32_t>(k.function.blocks.size()),
                                                                v->plan.may_stop, uses_stack(k.function)});
  k.variants.push_back(std::move(v));
  return k.variants.back().get();
}

Engine::Engine(EngineOptions options, exec::DeviceMemory& memory)
    : impl_(std::make_unique<Impl>(std::move(options), memory)) {}
Engine::~Engine() = default;
unsigned Engine::threads() const { return impl_->threads(); }
Status Engine::ready() const {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->get_compiler()) return *impl_->broken;
  return Ok{};
}
std::string Engine::cpu() const {
  std::lock_guard lock(impl_->mutex);
  Compiler* c = impl_->get_compiler();
  return c ? c->cpu() : impl_->options.cpu;
}

Engine::KernelHandle Engine::load(std::shared_ptr<const ir::Module> module, size_t kernel_index,
                                  std::vector<uint64_t> symbols) {
  auto k = std::make_shared<LoadedKernel>();
  k->module = std::move(module);
  k->index = kernel_index;
  k->symbols = std::move(symbols);
  k->function = k->kernel().function;
  passes::prepare(k->function);
  return k;
}

namespace {

// Counters -> what they mean.
void read_counters(const ir::Function& f, const Plan& plan, const std::vector<uint64_t>& c, uint64_t warps,
                   LaunchResult& result) {
  exec::LaunchCounts& out = result.counts;
  out.warps = warps;
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    const ir::BlockId n = plan.counted_as[b];
    const uint64_t full = c[plan.full + n], partial = c[plan.partial + n],
                   lanes = full * kWarpSize + c[plan.partial_lanes + n];
    out.blocks.push_back({b, full + partial, lanes});
    out.instructions += (full + partial) * plan.block_weight[b];
    out.thread_instructions += lanes * plan.block_weight[b];
    const ir::Inst& end = f.insts[f.blocks[b].insts.back()];
    for (const ir::ValueId v : f.blocks[b].insts) {
      const ir::Inst& inst = f.insts[v];
      const bool access = inst.op == Op::Load || inst.op == Op::Store || inst.op == Op::Atomic || inst.op == Op::Reduce;
      if (access && inst.site != ir::kNone) out.accesses.push_back({inst.site, full + partial, lanes});
    }
    if ((end.op == Op::CondBr || end.op == Op::Br) && end.site != ir::kNone) {
      const uint64_t divergent = plan.divergent[b] == ir::kNone ? 0 : c[plan.divergent[b]];
      out.branches.push_back({end.site, full + partial, divergent, lanes});
    }
  }
  out.instructions += c[plan.on_edges];
  out.thread_instructions += c[plan.on_edges_lanes];
  out.thread_instructions_pred_on = out.thread_instructions - c[plan.guarded_off];
}

void deliver_patterns(const ir::Function& f, const Plan& plan, const std::vector<uint64_t>& c, event::Sink* sink) {
  if (!sink) return;
  std::vector<event::Pattern> patterns;
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (ir::ValueId v : f.blocks[b].insts) {
      const AccessPlan& a = plan.access[v];
      if (a.way == AccessPlan::Way::None || a.way == AccessPlan::Way::General || a.count == AccessPlan::Count::Event)
        continue;
      for (uint32_t k = 0; k < a.entries; ++k) {
        const uint64_t seen =
            a.count == AccessPlan::Count::Block ? c[plan.full + plan.counted_as[b]] : c[a.counter + k];
        const uint64_t count = seen - std::min(seen, c[a.exceptions + k]);
        if (count != 0) patterns.push_back({f.insts[v].site, ~0u, a.residue + (k << a.shift), count, a.pattern.data()});
      }
    }
  sink->patterns(patterns);
}

}  // namespace

LaunchResult Engine::launch(const KernelHandle& kernel, const LaunchConfig& config, std::span<const uint8_t> params,
                            const std::function<event::Sink*(unsigned worker)>& make_sink,
                            const std::atomic<bool>& stop) {
  std::lock_guard lock(impl_->mutex);
  LaunchResult result;
  auto variant = impl_->variant_for(*kernel, config, params, result);
  if (!variant) {
    Fault f;
    f.kind = FaultKind::Unsupported;
    f.message = variant.error().what;
    result.fault = std::move(f);
    return result;
  }
  Variant& v = **variant;
  if (!impl_->pool) impl_->pool = std::make_unique<exec::ThreadPool>(impl_->threads());
  const auto start = std::chrono::steady_clock::now();
  exec::GridRequest request;
  request.code = v.code.code;
  request.frame_bytes = v.code.frame_bytes;
  request.memory = &impl_->memory;
  request.config = config;
  request.params = params;
  request.symbols = kernel->symbols;
  const ir::Function& f = kernel->function;
  const uint32_t align = std::max(1u, f.dynamic_shared_align);
  request.shared_bytes = config.dynamic_shared_bytes == 0
                             ? f.shared_bytes
                             : (f.shared_bytes + align - 1) / align * align + config.dynamic_shared_bytes;
  request.threads = impl_->threads_for(v, config);
  if (config.cooperative) {
    auto workspace = impl_->memory.allocate(kWorkspaceBytes, exec::Allocation::Kind::Symbol);
    if (workspace) request.workspace = *workspace;
    std::memset(reinterpret_cast<void*>(request.workspace), 0, workspace ? kWorkspaceBytes : 0);
  }
  event::Sink* first = nullptr;
  auto sink = [&](unsigned worker) {
    event::Sink* s = make_sink(worker);
    if (worker == 0) first = s;
    return s;
  };
  exec::GridResult grid = v.grid->run(*impl_->pool, request, sink, stop);
  if (request.workspace) impl_->memory.free(request.workspace);
  result.seconds = seconds_since(start);
  result.fault = std::move(grid.fault);
  result.printed = std::move(grid.printed);
  read_counters(f, v.plan, grid.counters, config.grid.count() * v.plan.warps, result);
  v.last_instructions = result.counts.instructions;
  deliver_patterns(f, v.plan, grid.counters, first);
  return result;
}

}  // namespace warplens::jit
