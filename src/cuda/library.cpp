// Code that a program loads by itself through the runtime (CUDA 12.8 and later), and the driver's functions by name:
// both are the driver API's, with the runtime's codes, which have the same numbers.
#include <cstdint>

#include "cuda/driver/entry_points.h"
#include "cuda/driver/module.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

using driver::CuResult;
using driver::KernelHandle;
using driver::LoadedModule;

extern "C" {
CuResult wl_cuLibraryLoadData(LoadedModule** out, const void* code, const int* options, void** values, unsigned count,
                              const int*, void**, unsigned);
CuResult wl_cuLibraryLoadFromFile(LoadedModule** out, const char* path, const int* options, void** values,
                                  unsigned count, const int*, void**, unsigned);
CuResult wl_cuLibraryUnload(LoadedModule* library);
CuResult wl_cuLibraryGetKernel(KernelHandle** out, LoadedModule* library, const char* name);
CuResult wl_cuLibraryGetKernelCount(unsigned* out, LoadedModule* library);
CuResult wl_cuLibraryEnumerateKernels(KernelHandle** out, unsigned count, LoadedModule* library);
CuResult wl_cuLibraryGetGlobal(driver::DevicePointer* address, size_t* bytes, LoadedModule* library, const char* name);
CuResult wl_cuLibraryGetManaged(driver::DevicePointer* address, size_t* bytes, LoadedModule* library, const char* name);
}

namespace {

template <typename Body>
Error served(Body&& body) {
  return call(Needs::Context, [&](Runtime&) { return static_cast<Error>(static_cast<int>(body())); });
}

enum EntryPointStatus : int { kFound = 0, kNotFound = 1, kTooOld = 2 };  // cudaDriverEntryPointQueryResult

Error entry_point(const char* name, void** out, unsigned version, unsigned long long flags, int* status) {
  constexpr unsigned long long kPerThread = 2;  // one function serves both kinds of default stream
  return call(Needs::Nothing, [&](Runtime&) {
    if (!name || !*name || !out || flags > kPerThread) return Error::cudaErrorInvalidValue;
    bool known = false;
    const driver::EntryPoint* found = driver::find_entry_point(name, static_cast<int>(version), known);
    *out = found ? reinterpret_cast<void*>(found->address) : nullptr;
    if (status) *status = found ? kFound : known ? kTooOld : kNotFound;
    return found || status ? Error::cudaSuccess : Error::cudaErrorSymbolNotFound;
  });
}

}  // namespace

WL_API wl_cudaLibraryLoadData(LoadedModule** out, const void* code, const int* options, void** values, unsigned count,
                              const int* library_options, void** library_values, unsigned library_count) {
  return served([&] {
    return wl_cuLibraryLoadData(out, code, options, values, count, library_options, library_values, library_count);
  });
}
WL_API wl_cudaLibraryLoadFromFile(LoadedModule** out, const char* path, const int* options, void** values,
                                  unsigned count, const int* library_options, void** library_values,
                                  unsigned library_count) {
  return served([&] {
    return wl_cuLibraryLoadFromFile(out, path, options, values, count, library_options, library_values, library_count);
  });
}
WL_API wl_cudaLibraryUnload(LoadedModule* library) {
  return served([&] { return wl_cuLibraryUnload(library); });
}
WL_API wl_cudaLibraryGetKernel(KernelHandle** out, LoadedModule* library, const char* name) {
  return served([&] { return wl_cuLibraryGetKernel(out, library, name); });
}
WL_API wl_cudaLibraryGetKernelCount(unsigned* out, LoadedModule* library) {
  return served([&] { return wl_cuLibraryGetKernelCount(out, library); });
}
WL_API wl_cudaLibraryEnumerateKernels(KernelHandle** out, unsigned count, LoadedModule* library) {
  return served([&] { return wl_cuLibraryEnumerateKernels(out, count, library); });
}
WL_API wl_cudaLibraryGetGlobal(driver::DevicePointer* address, size_t* bytes, LoadedModule* library, const char* name) {
  return served([&] { return wl_cuLibraryGetGlobal(address, bytes, library, name); });
}
WL_API wl_cudaLibraryGetManaged(driver::DevicePointer* address, size_t* bytes, LoadedModule* library,
                                const char* name) {
  return served([&] { return wl_cuLibraryGetManaged(address, bytes, library, name); });
}

WL_API wl_cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version, unsigned long long flags,
                                           int* status) {
  return entry_point(name, out, version, flags, status);
}
WL_API wl_cudaGetDriverEntryPoint_v11(const char* name, void** out, unsigned long long flags) {
  return entry_point(name, out, 11080, flags, nullptr);
}
WL_API wl_cudaGetDriverEntryPoint_v12(const char* name, void** out, unsigned long long flags, int* status) {
  return entry_point(name, out, 12090, flags, status);
}
WL_API wl_cudaGetDriverEntryPoint_v13(const char* name, void** out, unsigned long long flags, int* status) {
  return entry_point(name, out, 13000, flags, status);
}

}  // namespace warplens::cuda
