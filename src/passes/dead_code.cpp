#include "passes/passes.h"

namespace warplens::passes {

using ir::Effect;
using ir::Function;
using ir::Inst;
using ir::kNone;
using ir::ValueId;

void remove_dead_code(Function& f) {
  std::vector<uint8_t> used(f.insts.size(), 0);
  std::vector<ValueId> work;
  auto use = [&](ValueId v) {
    if (v != kNone && !used[v]) used[v] = 1, work.push_back(v);
  };
  for (const ir::Block& block : f.blocks)
    for (ValueId v : block.insts) {
      const Effect effect = ir::info(f.insts[v].op).effect;
      if (effect != Effect::Pure) use(v);  // loads stay: the program made them, so they are counted
    }
  while (!work.empty()) {
    const Inst& inst = f.insts[work.back()];
    work.pop_back();
    for (ValueId a : inst.args) use(a);
    use(inst.guard);
  }
  for (ir::Block& block : f.blocks) {
    uint32_t lost = 0;
    std::erase_if(block.insts, [&](ValueId v) {
      if (used[v]) return false;
      lost += f.insts[v].weight;
      return true;
    });
    f.insts[block.insts.back()].weight += lost;
  }
}

}  // namespace warplens::passes
