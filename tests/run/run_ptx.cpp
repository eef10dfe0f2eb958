#include "run/run_ptx.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/environment.h"
#include "gpu/gpu.h"
#include "ir/verify.h"
#include "lift/module.h"
#include "lower/lower.h"
#include "ptx/parse.h"
#include "reference/interpreter.h"
#include "run/engine_backend.h"
#include "sass/compile.h"

namespace warplens::run {

namespace {

struct Memory {
  exec::DeviceMemory memory{uint64_t{1} << 30};
  uint64_t base = *memory.allocate(1);
};
Memory& memory() {
  static Memory memory;
  return memory;
}

}  // namespace

const char* to_string(Backend backend) {
  switch (backend) {
    case Backend::Reference:
      return "reference";
    case Backend::Engine:
      return "engine";
    case Backend::Machine:
      return "machine code";
    default:
      return "gpu";
  }
}

exec::DeviceMemory& device_memory() { return memory().memory; }

std::string ptx_header() { return ".version 8.8\n.target sm_90\n.address_size 64\n"; }

Program::Program(std::string_view text) : text_(text) {
  const auto parsed = ptx::parse(text, "test.ptx");
  auto lowered = lower::lower(parsed.module, "test.ptx");
  for (const Diagnostic& d : parsed.diagnostics) problems_ += warplens::to_string(d) + "\n";
  for (const Diagnostic& d : lowered.diagnostics) problems_ += warplens::to_string(d) + "\n";
  for (const std::string& violation : ir::verify(lowered.module)) problems_ += "invariant: " + violation + "\n";
  module_ = std::make_shared<ir::Module>(std::move(lowered.module));
  if (problems_.empty() && std::getenv("WARPLENS_TEST_MACHINE_CODE") && text_.find(kNotForAGpu) == text_.npos)
    make_machine_code();
  uint64_t bank = 0, bank_bytes = 0;
  for (const ir::Symbol& s : (machine_ ? machine_ : module_)->symbols)
    if (s.bank_offset != ir::kNone) bank_bytes = std::max(bank_bytes, s.bank_offset + s.bytes);
  if (bank_bytes) bank = *device_memory().allocate(bank_bytes, exec::Allocation::Kind::Symbol);
  for (const ir::Symbol& s : (machine_ ? machine_ : module_)->symbols)
    symbols_.push_back(s.bank_offset != ir::kNone
                           ? bank + s.bank_offset
                           : *device_memory().allocate(std::max<uint64_t>(s.bytes, 1), exec::Allocation::Kind::Symbol));
  reset_symbols();
}

// Says on stderr, once a reason, why a kernel's machine code cannot be run.
void Program::make_machine_code() {
  const Environment environment(environ);
  static const auto ptxas = sass::find_ptxas("", environment);
  if (!ptxas) return;
  const auto assembled = sass::assemble(*ptxas, {{text_}, 90}, environment);
  if (!assembled) return;
  auto module = std::make_shared<ir::Module>(*module_);
  Diagnostics diagnostics;
  const auto* bytes = reinterpret_cast<const uint8_t*>(assembled->cubin.data());
  const Status used = lift::use_machine_code(*module, {bytes, assembled->cubin.size()}, diagnostics);
  static std::set<std::string> said;
  const auto say = [&](const std::string& why) {
    if (said.insert(why).second) std::fprintf(stderr, "not as machine code: %s\n", why.c_str());
  };
  if (!used) return say(used.error().what);
  for (const Diagnostic& d : diagnostics) say(d.message);
  if (!diagnostics.empty()) return;
  for (const std::string& violation : ir::verify(*module))
    problems_ += "invariant of machine code: " + violation + "\n";
  machine_ = std::move(module);
}

Program::~Program() {
  for (const uint64_t address : symbols_) device_memory().free(address);
}

void Program::reset_symbols() {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    const ir::Symbol& s = (machine_ ? machine_ : module_)->symbols[i];
    auto* bytes = reinterpret_cast<uint8_t*>(symbols_[i]);
    std::memset(bytes, 0, s.bytes);
    std::memcpy(bytes, s.initial.data(), s.initial.size());
    for (const ir::Symbol::Relocation& r : s.relocations) {
      const uint64_t address = symbols_[r.symbol] + static_cast<uint64_t>(r.addend);
      std::memcpy(bytes + r.offset, &address, sizeof address);
    }
  }
}

uint64_t Program::add_texture(const exec::Texture& t) {
  const exec::TextureLevel& level = t.levels.at(0);
  reference::Texture r;
  r.dimensions = t.dimensions;
  r.size[0] = level.width, r.size[1] = level.height, r.size[2] = level.depth;
  r.layers = level.layers;
  r.bits = t.format.bits, r.channels = t.format.channels;
  r.floats = t.format.kind == exec::TexelFormat::Kind::Float;
  r.is_signed = t.format.kind == exec::TexelFormat::Kind::Signed;
  r.data = reinterpret_cast<char*>(level.base);
  r.mode = static_cast<reference::Texture::Mode>(t.address[0]);
  r.linear = t.filters, r.normalized = t.normalized_coords, r.fractions = t.reads_normalized;
  std::copy(t.border, t.border + 4, r.border);
  if (t.source == exec::Texture::Source::Linear) r.mode = reference::Texture::Border;  // which is 0 there
  const uint64_t handle = device_memory().textures().add(std::make_shared<const exec::Texture>(t));
  textures_.emplace(handle, r);
  return handle;
}

void* Program::symbol(const std::string& name) {
  for (size_t i = 0; i < module_->symbols.size(); ++i)
    if (module_->symbols[i].name == name) return reinterpret_cast<void*>(symbols_[i]);
  return nullptr;
}

namespace {

const char* kind_of(reference::Stop::Kind kind) {
  switch (kind) {
    case reference::Stop::Kind::Trap:
      return "trap";
    case reference::Stop::Kind::Unsupported:
      return "unsupported";
    case reference::Stop::Kind::Assert:
      return "assert";
    case reference::Stop::Kind::Calls:
      return "call";
    case reference::Stop::Kind::OutOfBounds:
      return "out of bounds";
    case reference::Stop::Kind::Deadlock:
      return "deadlock";
    case reference::Stop::Kind::TooLong:
      return "too long";
  }
  return "?";
}

Program::Result run_reference(const ir::Function& function, const Program::Shape& shape, std::vector<uint8_t> params,
                              const std::vector<uint64_t>& symbols,
                              const std::map<uint64_t, reference::Texture>& textures) {
  const reference::Outcome outcome = reference::run(
      function, {shape.grid, shape.block, shape.dynamic_shared_bytes, std::move(params), symbols, textures});
  Program::Result result;
  result.thread_instructions = outcome.thread_instructions;
  if (outcome.stop) result.error = std::string(kind_of(outcome.stop->kind)) + ": " + outcome.stop->message;
  return result;
}

}  // namespace

std::vector<Backend> Program::backends() const {
  std::vector<Backend> all(std::begin(kBackends), std::end(kBackends));
  const auto has = [&](const char* part) { return text_.find(part) != std::string::npos; };
  if (machine_) all.push_back(Backend::Machine);
  // Math functions are in libdevice, which compilers link and the driver does not.
  if (gpu::wanted() && !has(kNotForAGpu) && !has("__nv_")) all.push_back(Backend::Gpu);
  return all;
}

Program::Result Program::run_gpu(const std::string& kernel, const Shape& shape, const std::vector<uint8_t>& params) {
  if (!engine_result_.error.empty()) return engine_result_;
  gpu::Launch launch{text_, kernel, shape.grid, shape.block, shape.dynamic_shared_bytes, params, memory().base, {}};
  for (size_t i = 0; i < module_->symbols.size(); ++i)
    launch.variables.push_back({module_->symbols[i].name, symbols_[i], module_->symbols[i].bytes});
  return {gpu::run(launch), engine_result_.thread_instructions};
}

Program::Result Program::launch(Backend backend, const std::string& kernel, Shape shape,
                                const std::vector<uint8_t>& params) {
  reset_symbols();
  for (size_t k = 0; k < module_->kernels.size(); ++k) {
    const ir::Function& function = module_->kernels[k].function;
    if (function.name != kernel) continue;
    std::vector<uint8_t> buffer = params;
    buffer.resize(std::max<size_t>(function.param_bytes, params.size()));
    if (backend == Backend::Reference) return run_reference(function, shape, std::move(buffer), symbols_, textures_);
    if (backend == Backend::Gpu) return run_gpu(kernel, shape, buffer);
    if (backend == Backend::Machine) {
      Result result = run_engine(machine_, k, symbols_, shape, buffer);
      result.thread_instructions = engine_result_.thread_instructions;  // of PTX: machine code has others
      return result;
    }
    return engine_result_ = run_engine(module_, k, symbols_, shape, buffer);
  }
  return {"no kernel " + kernel, 0};
}

}  // namespace warplens::run
