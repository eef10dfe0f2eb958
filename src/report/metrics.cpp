// What each total means here, and how sure it is.
//
// Requests, sectors, lines: sums over accesses of the program's PTX of what their addresses demand; Nsight Compute's
// per-instruction counters are the same function of the addresses. Counted. They differ from a GPU's only where the
// assembler joins, splits or drops accesses.
// Wavefronts: the bank rule of model/banks.cpp applied to the same addresses. Modelled.
// Local memory: which variables live there, and how, is the assembler's choice. Estimated.
// Instructions: PTX instructions, of which the assembler makes more or fewer machine instructions. Estimated. So is the
// split of atomics into those that return a value (atom) and those that do not (red): the assembler turns one into the
// other where the value is not used.
#include "report/metrics.h"

namespace warplens::report {
namespace {

struct Sums {
  SiteCounts all, load, store, atomic, reduction;
};

bool is_global(const Site& site) { return site.space == Space::Global || site.space == Space::Generic; }

template <typename Belongs>
Sums sums(const Kernel& kernel, const Launch& launch, Belongs belongs) {
  Sums out;
  const auto add = [](SiteCounts& to, const SiteCounts& from) {
    to.requests += from.requests;
    to.sectors += from.sectors;
    to.sectors_ideal += from.sectors_ideal;
    to.tag_requests += from.tag_requests;
    to.wavefronts += from.wavefronts;
    to.wavefronts_ideal += from.wavefronts_ideal;
  };
  for (size_t i = 0; i < kernel.sites.size() && i < launch.sites.size(); ++i) {
    const Site& site = kernel.sites[i];
    if (!belongs(site)) continue;
    add(out.all, launch.sites[i]);
    switch (site.kind) {
      case AccessKind::Load:
        add(out.load, launch.sites[i]);
        break;
      case AccessKind::Store:
        add(out.store, launch.sites[i]);
        break;
      case AccessKind::Atomic:
        add(out.atomic, launch.sites[i]);
        break;
      case AccessKind::Reduction:
        add(out.reduction, launch.sites[i]);
        break;
      default:
        break;
    }
  }
  return out;
}

}  // namespace

std::vector<Metric> metrics(const Kernel& kernel, const Launch& launch) {
  constexpr Fidelity kCounted = Fidelity::Counted, kModelled = Fidelity::Modelled, kEstimated = Fidelity::Estimated;
  const Sums global = sums(kernel, launch, is_global);
  const Sums shared = sums(kernel, launch, [](const Site& s) { return s.space == Space::Shared; });
  const Sums local = sums(kernel, launch, [](const Site& s) { return s.space == Space::Local; });
  // An asynchronous copy is one instruction, which is a load and a store to the memory and none of them by name.
  const auto is_copy = [](const Site& s) { return s.opcode.starts_with("cp.async"); };
  const uint64_t copies = sums(kernel, launch, is_copy).load.requests;
  std::vector<Metric> out = {
      {"launch__grid_size", launch.grid.count(), kCounted},
      {"launch__block_size", launch.block.count(), kCounted},
      {"launch__shared_mem_per_block_static", kernel.static_shared_bytes, kCounted},
      {"launch__shared_mem_per_block_dynamic", launch.dynamic_shared_bytes, kCounted},
      {"smsp__inst_executed.sum", launch.instructions, kEstimated},
      {"smsp__thread_inst_executed.sum", launch.thread_instructions, kEstimated},
      {"smsp__thread_inst_executed_pred_on.sum", launch.thread_instructions_pred_on, kEstimated},
      {"smsp__inst_executed_op_global_ld.sum", global.load.requests - copies, kCounted},
      {"smsp__inst_executed_op_global_st.sum", global.store.requests, kCounted},
      {"smsp__inst_executed_op_shared_ld.sum", shared.load.requests, kCounted},
      {"smsp__inst_executed_op_shared_st.sum", shared.store.requests - copies, kCounted},
      {"smsp__inst_executed_op_local_ld.sum", local.load.requests, kEstimated},
      {"smsp__inst_executed_op_local_st.sum", local.store.requests, kEstimated},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global.load.requests, kCounted},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", global.store.requests, kCounted},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", global.atomic.requests, kEstimated},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", global.reduction.requests, kEstimated},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global.load.sectors, kCounted},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global.store.sectors, kCounted},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", global.atomic.sectors, kEstimated},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", global.reduction.sectors, kEstimated},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", local.load.sectors, kEstimated},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", local.store.sectors, kEstimated},
      {"memory_l1_tag_requests_global", global.all.tag_requests, kCounted},
      {"memory_l2_theoretical_sectors_global", global.all.sectors, kCounted},
      {"memory_l2_theoretical_sectors_global_ideal", global.all.sectors_ideal, kCounted},
      {"memory_l1_wavefronts_shared", shared.all.wavefronts, kModelled},
      {"memory_l1_wavefronts_shared_ideal", shared.all.wavefronts_ideal, kModelled},
  };
  if (launch.caches) {
    const Caches& c = *launch.caches;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, uint64_t>>{
             {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", c.l1_hits},
             {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", c.l1_local_hits},
             {"lts__t_sectors_op_read.sum", c.l2_reads},
             {"lts__t_sectors_op_write.sum", c.l2_writes},
             {"lts__t_sectors_srcunit_tex_op_read.sum", c.l2_tex_reads},
             {"lts__t_sectors_srcunit_tex_lookup_hit.sum", c.l2_hits},
             {"lts__t_sectors_srcunit_tex_lookup_miss.sum", c.l2_misses},
             {"dram__bytes_read.sum", c.dram_read_bytes},
             {"dram__bytes_write.sum", c.dram_write_bytes}})
      out.push_back({name, value, kModelled});
  }
  if (copies) out.push_back({"smsp__inst_executed_op_ldgsts.sum", copies, kCounted});
  if (kernel.registers) out.insert(out.begin() + 2, {"launch__registers_per_thread", *kernel.registers, kEstimated});
  return out;
}

}  // namespace warplens::report
