// The meaning of the IR, as plainly as possible: one thread at a time, one instruction at a time. Tests hold the engine
// against it. Slow, and sequential: an access happens when its thread gets there.
//
// Threads run until they need their peers: at a warp operation a lane waits for the lanes of its member mask, at a
// barrier for its block. Global memory is this process's memory: addresses are host pointers. So are generic addresses
// of shared and local memory.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "ir/ir.h"
#include "reference/texture.h"

namespace warplens::reference {

struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> params;                // the parameter buffer
  std::vector<uint64_t> symbols;              // where ir::Module::symbols live
  std::map<uint64_t, Texture> textures = {};  // and surfaces, by handle
};

struct Stop {
  // Calls: a stack overflow, or a call of no function.
  enum class Kind : uint8_t { Trap, Unsupported, Assert, Calls, OutOfBounds, Deadlock, TooLong } kind = Kind::Trap;
  std::string message;
  Dim3 block{0, 0, 0};
  uint32_t thread = 0;  // linear, in the block
};

struct Outcome {
  std::optional<Stop> stop;          // nothing: the grid ran to its end
  uint64_t thread_instructions = 0;  // PTX instructions, lane by lane (the sum of Inst::weight)
};

// Looks on. Threads of a block are told apart by their linear index; what one thread does comes in its own order, what
// several do comes interleaved. Blocks of the grid come one after the other.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void begin_block(const Dim3& where) = 0;
  virtual void end_block() = 0;
  virtual void enter(uint32_t thread, ir::BlockId block) = 0;
  // `address`: of the event (event/event.h), not of this process. `lies_in`: what a generic address turned out to be.
  virtual void access(uint32_t thread, ir::ValueId inst, ir::Space lies_in, uint64_t address) = 0;
  virtual void guarded_off(uint32_t thread) = 0;
  // The thread takes part in an operation that names these lanes of its warp.
  virtual void names(uint32_t thread, ir::ValueId inst, uint32_t lanes) = 0;
};

Outcome run(const ir::Function& function, const Launch& launch, Watcher* watcher = nullptr);

}  // namespace warplens::reference
