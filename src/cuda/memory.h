#pragma once
#include "cuda/runtime.h"

namespace warplens::cuda {

// ---- under Runtime::mutex

// Memory of the current device, which goes with the current context. Zero bytes give a null address.
Error allocate(Runtime& runtime, void** out, size_t bytes, exec::Allocation::Kind kind);
Error allocate(Runtime& runtime, void** out, size_t bytes, exec::Allocation::Kind kind, driver::Context* context);
driver::Context* context_of(const Pool* pool);  // null: it is gone
// Gives back what allocate() gave; false: it is gone already.
bool release_memory(Runtime& runtime, uint64_t base);

}  // namespace warplens::cuda
