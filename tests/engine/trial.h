// Runs one PTX kernel on the engine and on the reference interpreter and says where they differ.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/replay.h"
#include "exec/memory.h"
#include "ir/ir.h"
#include "jit/engine.h"
#include "observe/site_stats.h"

namespace warplens::engine_test {

// The one kernel of a text, with a copy in the canonical form whose blocks the engine counts.
struct Program {
  std::shared_ptr<const ir::Module> module;
  ir::Function canonical;
  std::vector<uint64_t> symbols;  // where its variables lie
};
Result<Program> compile(const std::string& text,
                        exec::DeviceMemory& memory);  // fails on any diagnostic that is an error

// Memory that a launch may change, with what it holds before each launch.
struct Region {
  uint64_t base = 0;
  std::vector<uint8_t> initial;
  void reset() const;
  std::vector<uint8_t> now() const;
};

// What a launch of a kernel must do, from the reference interpreter.
struct Expected {
  std::vector<std::vector<uint8_t>> memory;  // of each region
  std::vector<observe::SiteStats> stats;
  ExpectedCounts counts;
  uint64_t thread_instructions = 0;
};
Result<Expected> expect(const Program& program, const exec::LaunchConfig& config, const std::vector<uint8_t>& params,
                        const std::vector<Region>& regions);

// Launches on an engine and compares; "" where everything is as expected. Tests are to launch each kernel several
// times: the engine makes different code for the first arguments, for aligned ones, and for any.
std::string compare(jit::Engine& engine, const jit::Engine::KernelHandle& kernel, const Program& program,
                    const exec::LaunchConfig& config, const std::vector<uint8_t>& params,
                    const std::vector<Region>& regions, const Expected& expected, bool counts_too = true);

// The engine may not know how far the rows of a warp are apart, and what PatternTally puts under one name depends on
// that.
bool same_patterns(const observe::PatternTally& is, const observe::PatternTally& should);

std::string describe_fault(const exec::Fault& fault);

}  // namespace warplens::engine_test
