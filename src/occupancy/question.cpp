#include "occupancy/question.h"

#include <algorithm>

namespace warplens::occupancy {

model::BlockNeeds needs_of(const Question& question, const Kernel& kernel, uint32_t threads) {
  model::BlockNeeds needs;
  needs.threads = threads;
  needs.registers = kernel.registers;
  needs.barriers = kernel.barriers;
  needs.shared_bytes = kernel.static_shared_bytes + question.dynamic_shared_bytes;
  needs.shared_split = model::shared_split(question.sm, question.carveout_percent, needs.shared_bytes);
  return needs;
}

uint32_t best_block(const Question& question, const Kernel& kernel) {
  if (kernel.exactly) return kernel.most_threads;
  return model::best_block(question.sm, needs_of(question, kernel, 0), kernel.most_threads);
}

std::vector<uint32_t> blocks_of(const Question& question, const Kernel& kernel) {
  if (!question.blocks.empty()) return question.blocks;
  const uint32_t best = best_block(question, kernel);
  if (kernel.exactly) return {best};
  std::vector<uint32_t> blocks;
  for (uint32_t threads : {64u, 128u, 256u, 512u, 1024u})
    if (threads <= kernel.most_threads) blocks.push_back(threads);
  if (best) blocks.push_back(best);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

namespace {

// From the most blocks to the fewest: `most` says up to how much of it an SM holds so many; beyond `end` there are
// none.
template <typename Most>
std::vector<Step> steps(uint32_t blocks, uint64_t first, uint64_t end, Most most) {
  std::vector<Step> out;
  uint64_t from = first;
  for (; blocks > 0 && from <= end; --blocks) {
    const auto to = most(blocks);
    if (!to || *to < from) continue;
    out.push_back({from, std::min<uint64_t>(*to, end), blocks});
    from = *to + 1;
  }
  if (from <= end) out.push_back({from, end, 0});
  return out;
}

}  // namespace

std::vector<Step> by_registers(const Question& question, model::BlockNeeds needs) {
  needs.registers = 1;
  return steps(model::occupancy(question.sm, needs).blocks, 1, question.sm.max_registers_per_thread,
               [&](uint32_t blocks) { return model::registers_for(question.sm, needs, blocks); });
}

std::vector<Step> by_shared_memory(const Question& question, model::BlockNeeds needs) {
  needs.shared_bytes = 0;
  needs.shared_split = 0;
  return steps(model::occupancy(question.sm, needs).blocks, 0, question.sm.shared_bytes_per_block_optin,
               [&](uint32_t blocks) { return model::shared_bytes_for(question.sm, needs, blocks); });
}

}  // namespace warplens::occupancy
