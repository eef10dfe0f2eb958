// Occupancy: how many blocks of a kernel an SM holds at once.
//
// Rule.    Each resource allows so many blocks, and the least of these counts:
//            warps          a block takes whole warps: max_warps / warps of a block
//            blocks         max_blocks
//            registers      a warp takes its threads' registers, rounded up to register_granularity. Each of an SM's
//                           sub-partitions has its share of the registers and holds whole warps, so that what is left
//                           over in one helps no other: floor(share / warp's) * sub_partitions / warps of a block
//            shared memory  a block takes its own and shared_bytes_reserved, rounded up to shared_granularity, from
//                           what the SM gives to shared memory
//            barriers       named barriers, where their number is known
//          No block runs if it has over 1024 threads, a thread over 255 registers, its shared memory is over
//          shared_bytes_per_block_optin, or its registers are over registers_per_block. For that last check, warps are
//          rounded up to a multiple of four (also on 6.0, which has two sub-partitions).
// Example. H200, 256 threads of 40 registers, 16384 bytes shared: 64 / 8 = 8 by warps; 32 by blocks; 40 * 32 = 1280
//          registers a warp, floor(16384 / 1280) = 12 in a sub-partition, 48 / 8 = 6 by registers; 233472 / 17408 = 13
//          by shared memory. So 6, 75 %. 1024 threads of 65 registers: 72 * 32 * 32 = 73728 registers are refused.
// Source.  The numbers: data/compute_capabilities.toml. The rule: CUDA C++ Best Practices Guide, Calculating Occupancy;
//          7,000 answers of an H200 (tests/models/h200/occupancy.csv) and its limits under Nsight Compute.
// Not here. Clusters, whose blocks must fit one GPC together. That 5.2 to 6.2 may cache global memory in a way that
//          halves what a block can have, which is off unless asked for.
#include "model/occupancy.h"

#include <algorithm>
#include <cstdlib>

#include "base/dim3.h"

namespace warplens::model {
namespace {

constexpr uint32_t kWarpsTogether = 4;

uint64_t round_up(uint64_t n, uint64_t to) { return to == 0 ? n : (n + to - 1) / to * to; }

uint32_t warps_of(uint32_t threads) { return (threads + kWarpSize - 1) / kWarpSize; }

uint64_t shared_taken(const SmSpec& sm, uint64_t bytes) {
  return round_up(bytes + sm.shared_bytes_reserved, sm.shared_granularity);
}

Refusal refusal_of(const SmSpec& sm, const BlockNeeds& needs, const Occupancy& o) {
  if (needs.threads == 0 || needs.threads > kMaxThreadsPerBlock) return Refusal::Threads;
  if (needs.registers > sm.max_registers_per_thread) return Refusal::RegistersOfThread;
  if (uint64_t{o.registers_per_warp} * round_up(o.warps_per_block, kWarpsTogether) > sm.registers_per_block)
    return Refusal::RegistersOfBlock;
  if (needs.shared_bytes > sm.shared_bytes_per_block_optin) return Refusal::SharedMemory;
  return Refusal::None;
}

uint32_t by_registers(const SmSpec& sm, const Occupancy& o) {
  const uint32_t share = sm.registers_per_sm / sm.sub_partitions;
  return share / o.registers_per_warp * sm.sub_partitions / o.warps_per_block;
}

}  // namespace

std::string_view resource_name(Resource resource) {
  constexpr std::string_view kNames[] = {"warps", "blocks", "registers", "shared memory", "barriers"};
  return kNames[static_cast<int>(resource)];
}

Occupancy occupancy(const SmSpec& sm, const BlockNeeds& needs) {
  Occupancy o;
  o.warps_per_block = std::max(1u, warps_of(needs.threads));
  o.registers_per_warp =
      static_cast<uint32_t>(round_up(uint64_t{needs.registers} * kWarpSize, sm.register_granularity));
  o.shared_bytes_per_block = shared_taken(sm, needs.shared_bytes);
  auto limit = [&](Resource resource, uint64_t blocks) {
    o.limits[static_cast<int>(resource)] = static_cast<uint32_t>(blocks);
  };
  o.refusal = refusal_of(sm, needs, o);
  const bool registers_fit = o.refusal != Refusal::RegistersOfThread && o.refusal != Refusal::RegistersOfBlock;
  limit(Resource::Warps, o.refusal == Refusal::Threads ? 0 : sm.max_warps_per_sm / o.warps_per_block);
  limit(Resource::Blocks, sm.max_blocks_per_sm);
  if (needs.registers) limit(Resource::Registers, registers_fit ? by_registers(sm, o) : 0);
  const uint32_t split = needs.shared_split ? needs.shared_split : sm.shared_bytes_per_sm;
  const bool shared_fits = o.refusal != Refusal::SharedMemory;
  if (o.shared_bytes_per_block) limit(Resource::SharedMemory, shared_fits ? split / o.shared_bytes_per_block : 0);
  if (sm.barriers_per_sm && needs.barriers) limit(Resource::Barriers, sm.barriers_per_sm / needs.barriers);
  o.blocks = sm.max_blocks_per_sm;
  for (const auto& blocks : o.limits) o.blocks = std::min(o.blocks, blocks.value_or(o.blocks));
  return o;
}

double fraction(const SmSpec& sm, const Occupancy& occupancy) {
  return sm.max_warps_per_sm ? double(occupancy.warps()) / sm.max_warps_per_sm : 0;
}

std::optional<uint32_t> registers_for(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks) {
  const uint32_t warps = std::max(1u, warps_of(needs.threads));
  // Of each sub-partition as many warps as the fullest has.
  const uint32_t in_one = (blocks * warps + sm.sub_partitions - 1) / sm.sub_partitions;
  if (in_one == 0) return sm.max_registers_per_thread;
  uint32_t a_warp = sm.registers_per_sm / sm.sub_partitions / in_one;
  a_warp = std::min(a_warp, static_cast<uint32_t>(sm.registers_per_block / round_up(warps, kWarpsTogether)));
  const uint32_t registers = a_warp / sm.register_granularity * sm.register_granularity / kWarpSize;
  if (registers == 0) return std::nullopt;
  return std::min(registers, sm.max_registers_per_thread);
}

std::optional<uint64_t> shared_bytes_for(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks) {
  const uint32_t split = needs.shared_split ? needs.shared_split : sm.shared_bytes_per_sm;
  if (blocks == 0) return sm.shared_bytes_per_block_optin;
  const uint64_t each = split / blocks / sm.shared_granularity * sm.shared_granularity;
  if (each < sm.shared_bytes_reserved) return std::nullopt;
  return std::min<uint64_t>(each - sm.shared_bytes_reserved, sm.shared_bytes_per_block_optin);
}

std::optional<uint64_t> available_dynamic_shared(const SmSpec& sm, const BlockNeeds& needs, uint32_t blocks) {
  if (blocks == 0 || blocks > occupancy(sm, needs).blocks) return std::nullopt;
  const uint64_t each = sm.shared_bytes_per_sm / blocks / sm.shared_granularity * sm.shared_granularity;
  return std::min<uint64_t>(each, sm.shared_bytes_per_block_optin) - needs.shared_bytes;
}

std::optional<NextStep> next_step(const SmSpec& sm, const BlockNeeds& needs) {
  const Occupancy now = occupancy(sm, needs);
  if (now.refusal == Refusal::Threads) return std::nullopt;
  NextStep step;
  step.blocks = now.blocks + 1;
  for (Resource fixed : {Resource::Warps, Resource::Blocks, Resource::Barriers})
    if (now.limit(fixed).value_or(step.blocks) < step.blocks) return std::nullopt;
  const auto registers = registers_for(sm, needs, step.blocks);
  const auto shared = shared_bytes_for(sm, needs, step.blocks);
  if (!registers || !shared) return std::nullopt;
  if (needs.registers > *registers) step.registers = registers;
  if (needs.shared_bytes > *shared) step.shared_bytes = shared;
  return step;
}

uint32_t best_block(const SmSpec& sm, BlockNeeds needs, uint32_t most) {
  constexpr int kUsual = 256;
  uint32_t best = 0, best_warps = 0;
  for (uint32_t threads = kWarpSize; threads <= std::min(most, kMaxThreadsPerBlock); threads += kWarpSize) {
    needs.threads = threads;
    const uint32_t warps = occupancy(sm, needs).warps();
    const auto distance = [](uint32_t n) { return std::abs(static_cast<int>(n) - kUsual); };
    if (warps < best_warps || warps == 0 || (warps == best_warps && distance(threads) >= distance(best))) continue;
    best = threads, best_warps = warps;
  }
  return best;
}

double waves(const GpuSpec& gpu, const Occupancy& occupancy, uint64_t grid_blocks) {
  const uint64_t at_once = uint64_t{occupancy.blocks} * gpu.sm_count;
  return at_once ? double(grid_blocks) / double(at_once) : 0;
}

uint32_t shared_split(const SmSpec& sm, int percent, uint64_t shared_bytes) {
  if (percent < 0) return sm.shared_bytes_per_sm;
  const uint64_t wanted = uint64_t{sm.shared_bytes_per_sm} * static_cast<uint64_t>(percent) / 100;
  const uint64_t block = shared_taken(sm, shared_bytes);
  for (uint32_t bytes : sm.shared_carveouts)
    if (bytes >= wanted && bytes >= block) return bytes;
  return sm.shared_bytes_per_sm;
}

}  // namespace warplens::model
