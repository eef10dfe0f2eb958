// Launching: as the runtime does, with the arguments as one pointer a parameter or as the whole buffer.
#include "cuda/driver/launch.h"

#include <vector>

#include "cuda/driver/driver.h"
#include "cuda/driver/module.h"
#include "cuda/launch.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {
namespace {

// The words of `extra`: a name, then its value; 0 ends them.
struct Buffer {
  char* start = nullptr;
  size_t bytes = 0;
  bool valid = true;
};
Buffer read_extra(void** extra) {
  enum Name : uintptr_t { kEnd = 0, kPointer = 1, kSize = 2 };  // CU_LAUNCH_PARAM_...
  Buffer buffer;
  for (; extra[0] && buffer.valid; extra += 2) {
    auto name = reinterpret_cast<uintptr_t>(extra[0]);
    if (name == kPointer) buffer.start = static_cast<char*>(extra[1]);
    if (name == kSize && extra[1]) buffer.bytes = *static_cast<const size_t*>(extra[1]);
    buffer.valid = name == kPointer || name == kSize;
  }
  buffer.valid &= buffer.start != nullptr || buffer.bytes == 0;
  return buffer;
}

}  // namespace

CuResult arguments_of(Runtime& runtime, const void* handle, void** given, void** extra, std::vector<void*>& out) {
  Function* function = find_function(runtime, handle);
  if (!function) return CuResult::CUDA_ERROR_INVALID_HANDLE;
  auto info = runtime.session()->kernel(*runtime.module_of(*function->binary), function->name);
  if (!info) return CuResult::CUDA_SUCCESS;  // the launch says what is wrong
  const auto& params = info->kernel->params;
  if (given && extra) return CuResult::CUDA_ERROR_INVALID_VALUE;
  if (params.empty()) return CuResult::CUDA_SUCCESS;
  if (!given && !extra) return CuResult::CUDA_ERROR_INVALID_VALUE;
  if (given) {
    out.assign(given, given + params.size());
    return CuResult::CUDA_SUCCESS;
  }
  Buffer buffer = read_extra(extra);
  if (buffer.valid && buffer.bytes > info->kernel->function.param_bytes) {
    return CuResult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  for (const auto& param : params) {
    if (!buffer.valid || param.offset + param.bytes > buffer.bytes) return CuResult::CUDA_ERROR_INVALID_VALUE;
    out.push_back(buffer.start + param.offset);
  }
  return CuResult::CUDA_SUCCESS;
}

namespace {

template <typename Launch>
CuResult launch(const void* function, void** given, void** extra, Launch&& run) {
  CuResult result = check_context();
  if (result != CuResult::CUDA_SUCCESS) return result;
  std::vector<void*> arguments;
  result = framed(Needs::Queue, [&](Runtime& r) { return arguments_of(r, function, given, extra, arguments); });
  if (result != CuResult::CUDA_SUCCESS) return result;
  return forward([&] { return run(arguments.data()); });
}

}  // namespace

WL_DRIVER_API wl_cuLaunchKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                StreamHandle stream, void** given, void** extra) {
  return launch(function, given, extra, [&](void** arguments) {
    return wl_cudaLaunchKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, shared,
                               stream);
  });
}
WL_DRIVER_API wl_cuLaunchCooperativeKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                           StreamHandle stream, void** given) {
  return launch(function, given, nullptr, [&](void** arguments) {
    return wl_cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments,
                                          shared, stream);
  });
}
WL_DRIVER_API wl_cuLaunchKernelEx(const LaunchConfig* config, const void* function, void** given, void** extra) {
  if (!config) return CuResult::CUDA_ERROR_INVALID_VALUE;
  return launch(function, given, extra, [&](void** arguments) {
    LaunchConfigEx runtime_config{config->grid,
                                  config->block,
                                  config->shared_bytes,
                                  config->stream,
                                  const_cast<void*>(config->attributes),
                                  config->attribute_count};
    return wl_cudaLaunchKernelExC(&runtime_config, function, arguments);
  });
}

}  // namespace warplens::cuda::driver
