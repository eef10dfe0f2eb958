// Modules, libraries and their kernels.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "cuda/driver/abi.h"
#include "cuda/driver/context.h"
#include "cuda/runtime.h"

namespace warplens::cuda::driver {

// CUfunction and CUkernel, which are the same here: the runtime knows the kernel by this address, as it knows others by
// the address of their host stub.
struct KernelHandle {
  LoadedModule* module = nullptr;
  std::string name;
};

struct LoadedModule {          // CUmodule and CUlibrary
  Binary binary;               // what the runtime sees
  Context* context = nullptr;  // null: a library, which belongs to none
  std::map<std::string, std::unique_ptr<KernelHandle>, std::less<>> kernels;
};

void unload(Runtime& runtime, LoadedModule* module);

}  // namespace warplens::cuda::driver
