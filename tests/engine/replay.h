// What a launch's counts must be: the reference interpreter's threads, put together into warps again.
//
// Each thread leaves a trace of the basic blocks it ran and what it accessed there. The lanes of a warp are then
// scheduled by the engine's rule, stated here anew: of the blocks at which lanes stand, the lowest-numbered one runs
// next, with all lanes that stand there; lanes at a barrier wait for the rest of their warp, and where a block begins
// with an operation that names lanes, those that come first wait for the others. Block numbers are those of the
// canonical form, so the interpreter must run that.
#pragma once
#include <memory>
#include <vector>

#include "event/event.h"
#include "ir/ir.h"
#include "reference/interpreter.h"

namespace warplens::engine_test {

struct ExpectedCounts {
  std::vector<event::BlockCount> blocks;  // index = ir::BlockId
  std::vector<event::Branch> branches;    // those with a site, in the order of the blocks
  std::vector<event::Access> accesses;
  std::vector<uint8_t> windowed;  // per site: a generic access met shared or local memory
  uint64_t instructions = 0, guarded_off = 0;
};

class Replay : public reference::Watcher {
 public:
  Replay(const ir::Function& f, const Dim3& block);

  void begin_block(const Dim3& where) override;
  void end_block() override;
  void enter(uint32_t thread, ir::BlockId block) override;
  void access(uint32_t thread, ir::ValueId inst, ir::Space lies_in, uint64_t address) override;
  void guarded_off(uint32_t thread) override;
  void names(uint32_t thread, ir::ValueId inst, uint32_t lanes) override;

  ExpectedCounts take() { return std::move(counts_); }

 private:
  struct Touch {
    ir::ValueId inst;
    uint64_t address;
  };
  struct Step {
    ir::BlockId block;
    size_t first_touch;
    uint32_t named = 0;  // lanes that the block's first operation waits for
  };
  struct Trace {
    std::vector<Step> steps;
    std::vector<Touch> touches;
  };
  void schedule(const Trace* lanes, uint32_t count);
  void execute(const Trace* lanes, const size_t* at, uint32_t mask, ir::BlockId block);

  const ir::Function& f_;
  std::vector<Trace> threads_;
  std::vector<uint64_t> weight_;
  ExpectedCounts counts_;
};

}  // namespace warplens::engine_test
