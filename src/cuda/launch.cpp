// Launching kernels: <<<...>>> becomes __cudaPushCallConfiguration, then the kernel's stub, which pops it and launches.
#include "cuda/launch.h"

#include <cstring>

#include "cuda/environment.h"
#include "cuda/occupancy.h"
#include "cuda/per_thread.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

Error code_of(exec::FaultKind kind) {
  switch (kind) {
    case exec::FaultKind::OutOfBounds:
    case exec::FaultKind::SharedOutOfBounds:
    case exec::FaultKind::LocalOutOfBounds:
    case exec::FaultKind::StackOverflow:
    case exec::FaultKind::BadTexture:
      return Error::cudaErrorIllegalAddress;
    case exec::FaultKind::NoFunction:
      return Error::cudaErrorInvalidPc;
    case exec::FaultKind::Misaligned:
      return Error::cudaErrorMisalignedAddress;
    case exec::FaultKind::Assert:
      return Error::cudaErrorAssert;
    case exec::FaultKind::Unsupported:
      return Error::cudaErrorNotSupported;
    case exec::FaultKind::Stopped:
    case exec::FaultKind::Deadlock:
      return Error::cudaErrorLaunchTimeout;
    case exec::FaultKind::Trap:
      break;
  }
  return Error::cudaErrorLaunchFailure;
}

// Launches that cannot be. For a bad shape CUDA 12 and before name what is wrong, 13 says "invalid argument"; for the
// rest they agree. (An H200 with driver 580, programs built for 12.6 and 13.0.)
Error code_of(session::Outcome outcome, int release) {
  switch (outcome) {
    case session::Outcome::InvalidConfiguration:
      return release >= 13 ? Error::cudaErrorInvalidValue : Error::cudaErrorInvalidConfiguration;
    case session::Outcome::OutOfResources:
    case session::Outcome::InvalidValue:
      return Error::cudaErrorInvalidValue;
    case session::Outcome::TooManyRegisters:
      return Error::cudaErrorLaunchOutOfResources;
    case session::Outcome::NoKernelImage:
      return Error::cudaErrorNoKernelImageForDevice;
    case session::Outcome::NoSuchKernel:
      return Error::cudaErrorInvalidDeviceFunction;
    case session::Outcome::Ok:
    case session::Outcome::Fault:
      break;
  }
  return Error::cudaSuccess;
}

// The kernel's parameter buffer, gathered from one pointer a parameter.
std::vector<uint8_t> pack(const ir::Kernel& kernel, void** arguments) {
  std::vector<uint8_t> buffer(kernel.function.param_bytes);
  for (size_t i = 0; i < kernel.params.size(); i++) {
    const ir::ParamInfo& param = kernel.params[i];
    memcpy(buffer.data() + param.offset, arguments[i], param.bytes);
  }
  return buffer;
}

void say_once(Runtime& runtime, Function& function, const std::string& text) {
  if (!function.reported) runtime.say(text);
  function.reported = true;
}

// Runs a grid. A kernel's fault is kept to surface later; what the launch itself got wrong is returned.
Error launch(Runtime& runtime, Function& function, int device, const exec::LaunchConfig& config,
             const std::vector<uint8_t>& params) {
  session::Session& session = *runtime.session();
  LaunchInProgress in_progress(runtime.stop_page());
  session::LaunchReport report = session.launch(*runtime.module_of(*function.binary, device), function.name, config,
                                                params, function.max_dynamic_shared);
  runtime.printed += report.printed;
  runtime.say_if_record_failed();
  if (report.outcome == session::Outcome::Fault) {
    runtime.device(device).pending = code_of(report.fault->kind);
    if (!session.recording()) runtime.say(report.message);
  }
  return code_of(report.outcome, function.binary->release);
}

Function* find(Runtime& runtime, const void* host) {
  auto found = runtime.functions.find(host);
  return found == runtime.functions.end() ? nullptr : &found->second;
}

Error launch_handle(const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared, StreamHandle stream,
                    bool cooperative = false) {
  Work work;
  KernelCall described;
  Error error = call(Needs::Queue, [&](Runtime& r) {
    if (r.device().fault != Error::cudaSuccess) return r.device().fault;
    Error problem = describe_launch(r, handle, grid, block, arguments, shared, described);
    described.cooperative = cooperative;
    return problem == Error::cudaSuccess ? prepare_launch(r, described, work) : problem;
  });
  if (error != Error::cudaSuccess || !work) return error;
  return submit(stream, NodeType::Kernel, std::move(work), [&] { return Details(std::move(described)); });
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  StreamHandle stream;
};
std::vector<Configuration>& configurations() {
  static PerThread<std::vector<Configuration>> pushed;
  return pushed.get();
}

}  // namespace

// cudaKernel_t and cudaFunction_t are pointers to Function; programs may also pass the host stub's address.
Function* find_function(Runtime& runtime, const void* handle) {
  if (Function* function = find(runtime, handle)) return function;
  for (auto& [host, function] : runtime.functions) {
    if (&function == handle) return &function;
  }
  return nullptr;
}

Error describe_launch(Runtime& runtime, const void* handle, dim3 grid, dim3 block, void** arguments, size_t shared,
                      KernelCall& out) {
  if (!handle) return Error::cudaErrorInvalidDeviceFunction;
  Function* function = find_function(runtime, handle);
  if (!function) return runtime.unknown_function();
  int only = function->binary->only_device;
  if (only >= 0 && only != current_device()) return Error::cudaErrorInvalidResourceHandle;
  session::Outcome outcome;
  auto info = runtime.session()->kernel(*runtime.module_of(*function->binary), function->name, &outcome);
  if (!info) {
    say_once(runtime, *function, info.error().what + (info.error().hint.empty() ? "" : "; " + info.error().hint));
    return code_of(outcome, function->binary->release);
  }
  if (shared > UINT32_MAX) return Error::cudaErrorInvalidValue;
  out.function = const_cast<void*>(handle);
  out.grid = grid;
  out.block = block;
  out.shared = static_cast<unsigned>(shared);
  out.buffer = pack(*info->kernel, arguments);
  for (const ir::ParamInfo& param : info->kernel->params) out.offsets.push_back(param.offset);
  return Error::cudaSuccess;
}

Error prepare_launch(Runtime& runtime, const KernelCall& call, Work& work) {
  Function* function = find_function(runtime, call.function);
  if (!function) return runtime.unknown_function();
  exec::LaunchConfig config{{call.grid.x, call.grid.y, call.grid.z},
                            {call.block.x, call.block.y, call.block.z},
                            call.shared,
                            call.cooperative,
                            static_cast<uint32_t>(runtime.device().limits[0])};
  work = [function, device = current_device(), config, params = call.buffer](Runtime& r) {
    return launch(r, *function, device, config, params);
  };
  return Error::cudaSuccess;
}

extern "C" __attribute__((visibility("default"))) unsigned wl___cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                                                          size_t shared,
                                                                                          StreamHandle stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

WL_API wl___cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, StreamHandle* stream) {
  if (configurations().empty()) return returned(Error::cudaErrorMissingConfiguration);
  Configuration c = configurations().back();
  configurations().pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *stream = c.stream;
  return Error::cudaSuccess;
}

// Called once a kernel, before its first launch; a kernel that is not known fails there.
WL_API wl___cudaGetKernel(Function** out, const void* host) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  runtime.hear();
  *out = find(runtime, host);
  return *out ? Error::cudaSuccess : returned(runtime.unknown_function());
}
WL_API wl_cudaGetKernel(Function** out, const void* host) {
  return out ? wl___cudaGetKernel(out, host) : returned(Error::cudaErrorInvalidValue);
}
WL_API wl_cudaGetFuncBySymbol(Function** out, const void* host) { return wl_cudaGetKernel(out, host); }

WL_API wl___cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                             StreamHandle stream) {
  return launch_handle(kernel, grid, block, arguments, shared, stream);
}
WL_API wl_cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** arguments, size_t shared, StreamHandle stream) {
  return launch_handle(f, grid, block, arguments, shared, stream);
}
// All blocks of a cooperative launch must fit the GPU at once.
WL_API wl_cudaLaunchCooperativeKernel(const void* f, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      StreamHandle stream) {
  Error error = call(Needs::Queue, [&](Runtime& r) {
    Function* function = f ? find_function(r, f) : nullptr;
    if (!function) return f ? r.unknown_function() : Error::cudaErrorInvalidDeviceFunction;
    auto info = r.session()->kernel(*r.module_of(*function->binary), function->name);
    Dim3 threads{block.x, block.y, block.z}, blocks{grid.x, grid.y, grid.z};
    if (!info || threads.count() > 1024) return Error::cudaSuccess;  // the launch itself says what is wrong
    const model::GpuSpec& gpu = r.session()->gpu();
    const auto needs = needs_of(gpu, *function, info->kernel->function, threads.count(), shared);
    uint64_t most = uint64_t{model::occupancy(gpu, needs).blocks} * gpu.sm_count;
    return blocks.count() > most ? Error::cudaErrorCooperativeLaunchTooLarge : Error::cudaSuccess;
  });
  return error == Error::cudaSuccess ? launch_handle(f, grid, block, arguments, shared, stream, true) : error;
}

// Attributes of the launch (priorities, clusters of one block, programmatic order) change nothing here, except what
// Warplens cannot run: clusters.
WL_API wl_cudaLaunchKernelExC(const LaunchConfigEx* config, const void* f, void** arguments) {
  if (!config) return returned(Error::cudaErrorInvalidValue);
  constexpr int kCooperative = 2, kClusterDimension = 4;  // cudaLaunchAttributeID
  constexpr size_t kAttributeBytes = 72;                  // id, padding, a 64-byte value
  const char* attribute = static_cast<const char*>(config->attributes);
  bool cooperative = false;
  for (unsigned i = 0; i < config->attribute_count; i++, attribute += kAttributeBytes) {
    int id = *reinterpret_cast<const int*>(attribute);
    const auto* value = reinterpret_cast<const unsigned*>(attribute + 8);
    if (id == kClusterDimension && (value[0] > 1 || value[1] > 1 || value[2] > 1)) {
      Runtime::get().refuse("cudaLaunchKernelExC with clusters");
      return returned(Error::cudaErrorNotSupported);
    }
    cooperative |= id == kCooperative && value[0];
  }
  if (cooperative) {
    return wl_cudaLaunchCooperativeKernel(f, config->grid, config->block, arguments, config->dynamic_shared_bytes,
                                          config->stream);
  }
  return launch_handle(f, config->grid, config->block, arguments, config->dynamic_shared_bytes, config->stream);
}

}  // namespace warplens::cuda
