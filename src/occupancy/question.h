// What `warplens occupancy` is asked, and its answers as text and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/occupancy.h"
#include "occupancy/kernels.h"

namespace warplens::occupancy {

struct Question {
  model::SmSpec sm;
  std::optional<model::GpuSpec> gpu;  // nothing: a compute capability alone, of any number of SMs
  std::string input, code;            // the file and where its machine code is from; "": figures alone
  std::vector<Kernel> kernels;        // of figures alone: one without a name
  std::vector<uint32_t> blocks;       // threads; none: usual sizes and the best
  uint64_t dynamic_shared_bytes = 0;
  int carveout_percent = -1;     // of shared memory, as the program prefers; -1: no preference
  std::optional<uint64_t> grid;  // blocks
  bool curves = false;           // by block size, registers and shared memory
};

// Of one kernel at one block size.
model::BlockNeeds needs_of(const Question& question, const Kernel& kernel, uint32_t threads);

// The block sizes to tell of: those that are asked for, or usual ones and the best.
std::vector<uint32_t> blocks_of(const Question& question, const Kernel& kernel);
uint32_t best_block(const Question& question, const Kernel& kernel);  // 0: none can be launched

// A step of a curve: up to so much of something an SM holds so many blocks.
struct Step {
  uint64_t from = 0, to = 0;
  uint32_t blocks = 0;
};
std::vector<Step> by_registers(const Question& question, model::BlockNeeds needs);
std::vector<Step> by_shared_memory(const Question& question, model::BlockNeeds needs);  // bytes, static and dynamic

std::string render_text(const Question& question);  // 80 columns
std::string render_json(const Question& question, const std::string& version);

}  // namespace warplens::occupancy
