#pragma once
#include "cuda/runtime.h"

namespace warplens::cuda {

// Where `bytes` from `offset` on of a variable are on a device, by the address that host code has for it.
Error symbol_part(Runtime& runtime, int device, const void* symbol, size_t bytes, size_t offset, char*& out);

}  // namespace warplens::cuda
