#include "lift/lift.h"

#include <algorithm>

#include "lift/lifter.h"
#include "passes/cfg.h"
#include "passes/passes.h"

namespace warplens::lift {

namespace {

// The upper word of the shared window must have vanished into whole addresses.
std::string window_misused(const ir::Function& f) {
  for (const ir::Block& block : f.blocks)
    for (const ValueId v : block.insts)
      for (const ValueId arg : f.insts[v].args)
        if (upper_of_window(f, arg)) return "an address of shared memory whose halves go apart";
  return "";
}

}  // namespace

void keep_repeated_loads(ir::Function& f) {
  const passes::LoopNest nest = passes::find_loops(f);
  std::vector<ir::BlockId> block_of(f.insts.size(), ir::kNone);
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (const ValueId v : f.blocks[b].insts) block_of[v] = b;
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    if (nest.innermost[b] == ir::kNone) continue;
    for (const ValueId v : f.blocks[b].insts) {
      ir::Inst& load = f.insts[v];
      if (load.op != Op::Load || load.space == ir::Space::Const || load.space == ir::Space::Local) continue;
      const ir::BlockId from = block_of[load.args[0]];
      load.is_volatile |= from == ir::kNone || !nest.contains(nest.innermost[b], from);
    }
  }
}

Result<ir::Function> lift(const Input& input, const ir::Function& ptx, std::vector<ir::Location> locations) {
  ir::Kernel kernel;
  ir::Function& f = kernel.function;
  f.name = ptx.name;
  f.param_bytes = ptx.param_bytes;
  std::copy(std::begin(ptx.max_ntid), std::end(ptx.max_ntid), std::begin(f.max_ntid));
  f.requires_ntid = ptx.requires_ntid;
  f.dynamic_shared_align = ptx.dynamic_shared_align;
  f.locations = std::move(locations);
  try {
    Lifter(input, kernel).run();
  } catch (const Refused& refused) {
    return Error{refused.what(), ""};
  }
  f.shared_bytes = input.shared_bytes;
  f.reserved_shared_bytes = input.reserved_shared_bytes;
  f.local_bytes = input.frame_bytes;
  f.machine_sm = input.sm;
  f.registers = input.registers;
  widen_pairs(f);
  keep_repeated_loads(f);
  passes::remove_dead_code(f);
  if (const std::string why = window_misused(f); !why.empty()) return Error{why, ""};
  return std::move(f);
}

}  // namespace warplens::lift
