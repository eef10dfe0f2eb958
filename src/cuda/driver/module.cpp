// Loading device code. It is read at once, so that what is wrong with it is said by the call that loads it.
#include "cuda/driver/module.h"

#include <cstring>

#include "base/file.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"
#include "cuda/driver/jit_options.h"
#include "cuda/launch.h"

namespace warplens::cuda::driver {
namespace {

std::map<const LoadedModule*, std::unique_ptr<LoadedModule>>& modules() {
  static auto* all = new std::map<const LoadedModule*, std::unique_ptr<LoadedModule>>;
  return *all;
}
bool is_module(const LoadedModule* module) { return modules().contains(module); }

// Reads the texts into a module; `out` is null where that fails.
CuResult load_texts(Runtime& runtime, std::vector<session::PtxText> texts, const std::string& origin,
                    const JitOptions& options, Context* context, LoadedModule*& out) {
  session::Session& session = *runtime.session();
  int device = context ? context->device : 0;
  session::Module* module = session.add_ptx(std::move(texts), origin, static_cast<unsigned>(device));
  Status status = session.read(*module);
  options.write(session.diagnostics(*module), status ? "" : status.error().what);
  if (!status) {
    for (const Diagnostic& diagnostic : session.diagnostics(*module)) {
      if (diagnostic.severity == Severity::Error && !session.recording()) runtime.say(to_string(diagnostic));
    }
    session.remove(module);
    return CuResult::CUDA_ERROR_INVALID_PTX;
  }
  auto loaded = std::make_unique<LoadedModule>();
  loaded->binary.module = module;
  loaded->context = context;
  if (context) loaded->binary.only_device = device;
  if (context) context->modules.insert(loaded.get());
  out = loaded.get();
  modules().emplace(out, std::move(loaded));
  return CuResult::CUDA_SUCCESS;
}

CuResult load_image(Runtime& runtime, const void* code, const std::string& origin, const JitOptions& options,
                    Context* context, LoadedModule*& out) {
  Image image = read_image(code, origin);
  if (image.result == CuResult::CUDA_SUCCESS) {
    return load_texts(runtime, std::move(image.texts), origin, options, context, out);
  }
  options.write({}, image.message);
  runtime.say(image.message);
  runtime.session()->record_error(image.message);
  return image.result;
}

CuResult load(LoadedModule** out, const void* code, const char* origin, unsigned count, const int* options,
              void** values, bool library) {
  return serve(Needs::Context, [&](Runtime& r) {
    if (!out || !code) return CuResult::CUDA_ERROR_INVALID_VALUE;
    JitOptions jit;
    CuResult result = jit.read(count, options, values);
    if (result != CuResult::CUDA_SUCCESS) return result;
    return load_image(r, code, origin, jit, library ? nullptr : current_context(), *out);
  });
}

CuResult load_file(LoadedModule** out, const char* path, unsigned count, const int* options, void** values,
                   bool library) {
  CuResult result = check_context();
  if (result != CuResult::CUDA_SUCCESS) return result;
  if (!out || !path) return CuResult::CUDA_ERROR_INVALID_VALUE;
  const auto code = read_file(path);
  if (!code) return CuResult::CUDA_ERROR_FILE_NOT_FOUND;
  return load(out, code->c_str(), path, count, options, values, library);
}

// The frame of what is asked of a module.
template <typename Body>
CuResult of(LoadedModule* module, Body&& body) {
  return serve(Needs::Context,
               [&](Runtime& r) { return is_module(module) ? body(r) : CuResult::CUDA_ERROR_INVALID_HANDLE; });
}

CuResult get_kernel(Runtime& runtime, KernelHandle** out, LoadedModule& module, const char* name) {
  if (!out || !name) return CuResult::CUDA_ERROR_INVALID_VALUE;
  if (!*name) return CuResult::CUDA_ERROR_INVALID_VALUE;
  auto known = module.kernels.find(name);
  if (known == module.kernels.end()) {
    if (!runtime.session()->kernel(*module.binary.module, name)) return CuResult::CUDA_ERROR_NOT_FOUND;
    auto handle = std::make_unique<KernelHandle>(KernelHandle{&module, name});
    runtime.functions[handle.get()] = Function{&module.binary, name};
    known = module.kernels.emplace(name, std::move(handle)).first;
  }
  *out = known->second.get();
  return CuResult::CUDA_SUCCESS;
}

CuResult enumerate(Runtime& runtime, KernelHandle** out, unsigned count, LoadedModule& module) {
  if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
  for (const std::string& name : runtime.session()->kernels(*module.binary.module)) {
    if (count-- == 0) break;
    CuResult result = get_kernel(runtime, out++, module, name.c_str());
    if (result != CuResult::CUDA_SUCCESS) return result;
  }
  return CuResult::CUDA_SUCCESS;
}

template <typename T>
CuResult give(T* out, T value) {
  if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CuResult::CUDA_SUCCESS;
}

}  // namespace

void unload(Runtime& runtime, LoadedModule* module) {
  for (const auto& [name, handle] : module->kernels) runtime.functions.erase(handle.get());
  if (module->context) module->context->modules.erase(module);
  runtime.remove_modules(module->binary);
  modules().erase(module);
}

WL_DRIVER_API wl_cuModuleLoadDataEx(LoadedModule** out, const void* image, unsigned count, const int* options,
                                    void** values) {
  return load(out, image, "the image given to cuModuleLoadData", count, options, values, false);
}
WL_DRIVER_API wl_cuModuleLoadData(LoadedModule** out, const void* image) {
  return wl_cuModuleLoadDataEx(out, image, 0, nullptr, nullptr);
}
WL_DRIVER_API wl_cuModuleLoadFatBinary(LoadedModule** out, const void* image) {
  return load(out, image, "the fat binary given to cuModuleLoadFatBinary", 0, nullptr, nullptr, false);
}
WL_DRIVER_API wl_cuModuleLoad(LoadedModule** out, const char* path) {
  return load_file(out, path, 0, nullptr, nullptr, false);
}
WL_DRIVER_API wl_cuModuleUnload(LoadedModule* module) {
  return of(module, [&](Runtime& r) {
    if (!module->context) return CuResult::CUDA_ERROR_NOT_PERMITTED;  // a library's
    unload(r, module);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuModuleGetLoadingMode(int* out) {
  constexpr int kEager = 1;  // CU_MODULE_EAGER_LOADING
  return ask([&](Runtime&) { return give(out, kEager); });
}
WL_DRIVER_API wl_cuModuleGetFunction(KernelHandle** out, LoadedModule* module, const char* name) {
  return of(module, [&](Runtime& r) { return get_kernel(r, out, *module, name); });
}
WL_DRIVER_API wl_cuModuleGetFunctionCount(unsigned* out, LoadedModule* module) {
  return of(module, [&](Runtime& r) {
    return give(out, static_cast<unsigned>(r.session()->kernels(*module->binary.module).size()));
  });
}
WL_DRIVER_API wl_cuModuleEnumerateFunctions(KernelHandle** out, unsigned count, LoadedModule* module) {
  return of(module, [&](Runtime& r) { return enumerate(r, out, count, *module); });
}
WL_DRIVER_API wl_cuModuleGetGlobal_v2(DevicePointer* address, size_t* bytes, LoadedModule* module, const char* name) {
  return of(module, [&](Runtime& r) {
    if (!name || (!address && !bytes)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    auto variable = r.session()->variable(*r.module_of(module->binary), name);
    if (!variable) {
      bool is_kernel = static_cast<bool>(r.session()->kernel(*module->binary.module, name));
      return is_kernel ? CuResult::CUDA_ERROR_INVALID_VALUE : CuResult::CUDA_ERROR_NOT_FOUND;
    }
    if (address) *address = variable->address;
    if (bytes) *bytes = variable->bytes;
    return CuResult::CUDA_SUCCESS;
  });
}

// ---- libraries: modules of no context

WL_DRIVER_API wl_cuLibraryLoadData(LoadedModule** out, const void* code, const int* options, void** values,
                                   unsigned count, const int*, void**, unsigned) {
  return load(out, code, "the image given to cuLibraryLoadData", count, options, values, true);
}
WL_DRIVER_API wl_cuLibraryLoadFromFile(LoadedModule** out, const char* path, const int* options, void** values,
                                       unsigned count, const int*, void**, unsigned) {
  return load_file(out, path, count, options, values, true);
}
WL_DRIVER_API wl_cuLibraryUnload(LoadedModule* library) {
  return of(library, [&](Runtime& r) {
    unload(r, library);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuLibraryGetKernel(KernelHandle** out, LoadedModule* library, const char* name) {
  return wl_cuModuleGetFunction(out, library, name);
}
WL_DRIVER_API wl_cuLibraryGetKernelCount(unsigned* out, LoadedModule* library) {
  return wl_cuModuleGetFunctionCount(out, library);
}
WL_DRIVER_API wl_cuLibraryEnumerateKernels(KernelHandle** out, unsigned count, LoadedModule* library) {
  return wl_cuModuleEnumerateFunctions(out, count, library);
}
WL_DRIVER_API wl_cuLibraryGetModule(LoadedModule** out, LoadedModule* library) {
  return of(library, [&](Runtime&) { return give(out, library); });
}
WL_DRIVER_API wl_cuLibraryGetGlobal(DevicePointer* address, size_t* bytes, LoadedModule* library, const char* name) {
  return wl_cuModuleGetGlobal_v2(address, bytes, library, name);
}
WL_DRIVER_API wl_cuLibraryGetManaged(DevicePointer* address, size_t* bytes, LoadedModule* library, const char* name) {
  return wl_cuModuleGetGlobal_v2(address, bytes, library, name);
}

// ---- what a kernel belongs to

namespace {
template <typename T>
CuResult give_of(KernelHandle* kernel, T* out, T (*get)(const KernelHandle&)) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    if (!r.functions.contains(kernel)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
    return give(out, get(*kernel));
  });
}
LoadedModule* module_of(const KernelHandle& kernel) { return kernel.module; }
}  // namespace

WL_DRIVER_API wl_cuFuncGetModule(LoadedModule** out, KernelHandle* kernel) { return give_of(kernel, out, module_of); }
WL_DRIVER_API wl_cuKernelGetLibrary(LoadedModule** out, KernelHandle* kernel) {
  return give_of(kernel, out, module_of);
}
WL_DRIVER_API wl_cuKernelGetFunction(KernelHandle** out, KernelHandle* kernel) {
  return serve(Needs::Nothing, [&](Runtime& r) {
    return r.functions.contains(kernel) ? give(out, kernel) : CuResult::CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace warplens::cuda::driver
