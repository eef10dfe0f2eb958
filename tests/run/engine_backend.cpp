#include "run/engine_backend.h"

#include <atomic>

#include "jit/engine.h"

namespace warplens::run {
namespace {

const char* kind_of(exec::FaultKind kind) {
  switch (kind) {
    case exec::FaultKind::Trap:
      return "trap";
    case exec::FaultKind::Unsupported:
      return "unsupported";
    case exec::FaultKind::Assert:
      return "assert";
    case exec::FaultKind::StackOverflow:
    case exec::FaultKind::NoFunction:
      return "call";
    case exec::FaultKind::Deadlock:
      return "deadlock";
    case exec::FaultKind::Stopped:
      return "too long";
    case exec::FaultKind::Misaligned:
      return "misaligned";
    default:
      return "out of bounds";
  }
}

class Nothing : public event::Sink {
  void accesses(std::span<const event::Access>) override {}
  void patterns(std::span<const event::Pattern>) override {}
};

}  // namespace

Program::Result run_engine(std::shared_ptr<const ir::Module> module, size_t kernel,
                           const std::vector<uint64_t>& symbols, const Program::Shape& shape,
                           const std::vector<uint8_t>& params) {
  static jit::Engine engine({.threads = 1, .cpu = "", .cache_dir = "", .count = true}, device_memory());
  static Nothing nothing;
  const std::atomic<bool> stop = false;
  const auto handle = engine.load(std::move(module), kernel, symbols);
  const exec::LaunchResult launched = engine.launch(
      handle, {shape.grid, shape.block, shape.dynamic_shared_bytes}, params,
      [](unsigned) -> event::Sink* { return &nothing; }, stop);
  Program::Result result;
  result.thread_instructions = launched.counts.thread_instructions;
  if (launched.fault) result.error = std::string(kind_of(launched.fault->kind)) + ": " + launched.fault->message;
  return result;
}

}  // namespace warplens::run
