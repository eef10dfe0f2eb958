#include "cuda/driver/context.h"

#include <map>
#include <memory>

#include "cuda/driver/driver.h"
#include "cuda/driver/module.h"
#include "cuda/memory.h"
#include "cuda/per_thread.h"

namespace warplens::cuda::driver {
namespace {

bool initialised = false;

// Handles stay known after their end, so that using one then is CUDA_ERROR_CONTEXT_IS_DESTROYED and no crash.
std::vector<std::unique_ptr<Context>>& contexts() {
  static auto* all = new std::vector<std::unique_ptr<Context>>;
  return *all;
}

constexpr unsigned kAllFlags = 0xff;
constexpr unsigned kApiVersion = 3020;  // of the interface with 64-bit sizes; cuCtxCreate_v2 and later

// Everything that takes a context by its handle.
template <typename Body>
CuResult with(Context* context, Body&& body) {
  return ask([&](Runtime& r) {
    if (!context) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (!is_context(context)) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
    return context->alive ? body(r) : CuResult::CUDA_ERROR_CONTEXT_IS_DESTROYED;
  });
}

CuResult create(Context** out, unsigned flags, Device device) {
  return ask([&](Runtime&) {
    if (!out || (flags & ~kAllFlags)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    *out = make_context(flags, device);
    (*out)->references = 1;
    context_stack().push_back(*out);
    return CuResult::CUDA_SUCCESS;
  });
}

CuResult destroy(Runtime& runtime, Context& context) {
  if (context.primary) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
  empty_context(runtime, context);
  context.alive = false;
  auto& stack = context_stack();
  if (!stack.empty() && stack.back() == &context) stack.pop_back();
  return CuResult::CUDA_SUCCESS;
}

}  // namespace

std::vector<Context*>& context_stack() {
  static PerThread<std::vector<Context*>> stack;
  return stack.get();
}

Context* current_context() { return context_stack().empty() ? nullptr : context_stack().back(); }

Context* make_context(unsigned flags, int device) {
  contexts().push_back(std::make_unique<Context>());
  Context* context = contexts().back().get();
  context->flags = flags;
  context->device = device;
  context->id = contexts().size();
  return context;
}

Context* primary_context(int device) {
  static auto* all = new std::map<int, Context*>;
  Context*& primary = (*all)[device];
  if (!primary) {
    primary = make_context(0, device);
    primary->primary = true;
    primary->alive = false;
  }
  return primary;
}

bool is_context(const Context* context) {
  for (const auto& known : contexts()) {
    if (known.get() == context) return true;
  }
  return false;
}

void empty_context(Runtime& runtime, Context& context) {
  while (!context.modules.empty()) unload(runtime, *context.modules.begin());
  std::vector<uint64_t> owned;
  for (const auto& [address, owner] : runtime.owners) {
    if (owner.context == &context && owner.is_ours) owned.push_back(address);
  }
  for (uint64_t address : owned) release_memory(runtime, address);
}

void enter_primary_context(Runtime& runtime) {
  if (Context* current = current_context()) {
    if (current->primary) current->alive = true;
    return;
  }
  std::lock_guard lock(runtime.mutex);
  enter_primary_context_of(0);
}

void enter_primary_context_of(int device) {
  initialised = true;
  primary_context(device)->alive = true;
  auto& stack = context_stack();
  if (stack.empty()) {
    stack.push_back(primary_context(device));
  } else {
    stack.back() = primary_context(device);
  }
}

CuResult check_initialised() {
  std::lock_guard lock(Runtime::get().mutex);
  return initialised ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_NOT_INITIALIZED;
}

CuResult check_context() {
  std::lock_guard lock(Runtime::get().mutex);
  if (!initialised) return CuResult::CUDA_ERROR_NOT_INITIALIZED;
  Context* context = current_context();
  if (!context) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
  return context->alive ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

WL_DRIVER_API wl_cuInit(unsigned flags) {
  if (flags) return CuResult::CUDA_ERROR_INVALID_VALUE;
  KeptLastError kept;
  return result_of(call(Needs::Nothing, [](Runtime&) {
    initialised = true;
    return Error::cudaSuccess;
  }));
}

WL_DRIVER_API wl_cuCtxCreate(Context** out, unsigned flags, Device device) { return create(out, flags, device); }
WL_DRIVER_API wl_cuCtxCreate_v3(Context** out, const void* affinity, int count, unsigned flags, Device device) {
  return affinity || count ? refuse("cuCtxCreate_v3 with an execution affinity") : create(out, flags, device);
}
WL_DRIVER_API wl_cuCtxCreate_v4(Context** out, const ContextParams* params, unsigned flags, Device device) {
  // A structure of zeros, as samples pass it, asks for nothing.
  const bool asks = params && (params->affinity || params->affinities || params->graphics);
  return asks ? refuse("cuCtxCreate_v4 with parameters") : create(out, flags, device);
}

WL_DRIVER_API wl_cuCtxDestroy(Context* context) {
  return with(context, [&](Runtime& r) { return destroy(r, *context); });
}
WL_DRIVER_API wl_cuCtxAttach(Context** out, unsigned flags) {
  if (!out || flags) return CuResult::CUDA_ERROR_INVALID_VALUE;
  return serve(Needs::Nothing, [&](Runtime&) {
    *out = current_context();
    (*out)->references++;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuCtxDetach(Context* context) {
  return with(context, [&](Runtime& r) {
    if (--context->references > 0) return CuResult::CUDA_SUCCESS;
    return destroy(r, *context);
  });
}

WL_DRIVER_API wl_cuCtxPushCurrent(Context* context) {
  return with(context, [&](Runtime&) {
    context_stack().push_back(context);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuCtxPopCurrent(Context** out) {
  return ask([&](Runtime&) {
    if (!current_context()) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
    if (out) *out = current_context();
    context_stack().pop_back();
    return CuResult::CUDA_SUCCESS;
  });
}
// Replaces the top of the stack; null takes it away.
WL_DRIVER_API wl_cuCtxSetCurrent(Context* context) {
  auto set = [&](Runtime&) {
    auto& stack = context_stack();
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(context);
    return CuResult::CUDA_SUCCESS;
  };
  return context ? with(context, set) : ask(set);
}
WL_DRIVER_API wl_cuCtxGetCurrent(Context** out) {
  return ask([&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = current_context();
    return CuResult::CUDA_SUCCESS;
  });
}

namespace {
template <typename T>
CuResult give(T* out, T value) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = value;
    return CuResult::CUDA_SUCCESS;
  });
}
}  // namespace

WL_DRIVER_API wl_cuCtxGetDevice(Device* out) { return give(out, current_device()); }
WL_DRIVER_API wl_cuCtxGetDevice_v2(Device* out, Context* context) {
  if (!context) return wl_cuCtxGetDevice(out);
  return with(context, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = context->device;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuCtxGetFlags(unsigned* out) {
  CuResult result = check_context();
  constexpr unsigned kMapHost = 8;  // always so
  return result != CuResult::CUDA_SUCCESS ? result : give(out, current_context()->flags | kMapHost);
}
WL_DRIVER_API wl_cuCtxSetFlags(unsigned flags) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (flags & ~kAllFlags) return CuResult::CUDA_ERROR_INVALID_VALUE;
    current_context()->flags = flags;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuCtxGetId(Context* context, unsigned long long* out) {
  if (!context) context = current_context();
  if (!context) return check_context();
  return with(context, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = context->id;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuCtxGetApiVersion(Context* context, unsigned* out) {
  if (!context) context = current_context();
  if (!context) return check_context();
  return with(context, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = kApiVersion;
    return CuResult::CUDA_SUCCESS;
  });
}

WL_DRIVER_API wl_cuDevicePrimaryCtxRetain(Context** out, Device device) {
  return ask([&](Runtime&) {
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = primary_context(device);
    (*out)->references++;
    (*out)->alive = true;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDevicePrimaryCtxReset(Device device) {
  return ask([&](Runtime& r) {
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    empty_context(r, *primary_context(device));
    primary_context(device)->alive = false;  // until it is retained again
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDevicePrimaryCtxRelease(Device device) {
  return ask([&](Runtime& r) {
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    Context* primary = primary_context(device);
    if (primary->references == 0) return CuResult::CUDA_ERROR_INVALID_CONTEXT;
    if (--primary->references > 0) return CuResult::CUDA_SUCCESS;
    empty_context(r, *primary);
    primary->alive = false;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDevicePrimaryCtxSetFlags(Device device, unsigned flags) {
  return ask([&](Runtime&) {
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    if (flags & ~kAllFlags) return CuResult::CUDA_ERROR_INVALID_VALUE;
    primary_context(device)->flags = flags;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuDevicePrimaryCtxGetState(Device device, unsigned* flags, int* active) {
  return ask([&](Runtime&) {
    if (check_device(device) != CuResult::CUDA_SUCCESS) return check_device(device);
    if (!flags || !active) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *flags = primary_context(device)->flags;
    *active = primary_context(device)->alive;
    return CuResult::CUDA_SUCCESS;
  });
}

}  // namespace warplens::cuda::driver
