// __device__, __constant__ and __managed__ variables, as host code names them.
#include "cuda/symbol.h"

#include "cuda/copy.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

// The variable behind the address that host code has for it, on a device, which has its own; nullopt: none.
std::optional<session::Variable> find(Runtime& runtime, const void* host, int device) {
  auto found = runtime.symbols.find(host);
  if (found != runtime.symbols.end()) {
    auto variable = runtime.session()->variable(*runtime.module_of(*found->second.binary, device), found->second.name);
    if (variable) return *variable;
    runtime.say(variable.error().what);
    return std::nullopt;
  }
  // Host code names a managed variable by what its slot points to.
  for (const auto& [shadow, symbol] : runtime.symbols) {
    if (symbol.managed_slot && *symbol.managed_slot == host && host) return find(runtime, shadow, device);
  }
  return std::nullopt;
}

}  // namespace

Error symbol_part(Runtime& runtime, int device, const void* host, size_t bytes, size_t offset, char*& out) {
  auto variable = find(runtime, host, device);
  if (!variable) return Error::cudaErrorInvalidSymbol;
  if (offset > variable->bytes || bytes > variable->bytes - offset) return Error::cudaErrorInvalidValue;
  out = reinterpret_cast<char*>(variable->address + offset);
  return Error::cudaSuccess;
}

namespace {

Error copy_to(Runtime& runtime, int device, const void* symbol, const void* source, size_t bytes, size_t offset,
              int kind) {
  if (kind != HostToDevice && kind != DeviceToDevice && kind != Default) return Error::cudaErrorInvalidMemcpyDirection;
  char* at = nullptr;
  Error error = symbol_part(runtime, device, symbol, bytes, offset, at);
  return error != Error::cudaSuccess ? error : copy(runtime, at, source, bytes, kind);
}

Error copy_from(Runtime& runtime, int device, void* target, const void* symbol, size_t bytes, size_t offset, int kind) {
  if (kind != DeviceToHost && kind != DeviceToDevice && kind != Default) return Error::cudaErrorInvalidMemcpyDirection;
  char* at = nullptr;
  Error error = symbol_part(runtime, device, symbol, bytes, offset, at);
  return error != Error::cudaSuccess ? error : copy(runtime, target, at, bytes, kind);
}

}  // namespace

WL_API wl_cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, int kind) {
  return call(Needs::Context,
              [&](Runtime& r) { return copy_to(r, current_device(), symbol, source, bytes, offset, kind); });
}

WL_API wl_cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset, int kind,
                                  StreamHandle stream) {
  int device = current_device();
  return submit(stream, NodeType::Memcpy,
                [=](Runtime& r) { return copy_to(r, device, symbol, source, bytes, offset, kind); });
}

WL_API wl_cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, int kind) {
  return call(Needs::Context,
              [&](Runtime& r) { return copy_from(r, current_device(), target, symbol, bytes, offset, kind); });
}

WL_API wl_cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset, int kind,
                                    StreamHandle stream) {
  int device = current_device();
  return submit(stream, NodeType::Memcpy,
                [=](Runtime& r) { return copy_from(r, device, target, symbol, bytes, offset, kind); });
}

WL_API wl_cudaGetSymbolAddress(void** out, const void* symbol) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    auto variable = find(r, symbol, current_device());
    if (!variable) return Error::cudaErrorInvalidSymbol;
    *out = reinterpret_cast<void*>(variable->address);
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaGetSymbolSize(size_t* out, const void* symbol) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!out) return Error::cudaErrorInvalidValue;
    auto variable = find(r, symbol, current_device());
    if (!variable) return Error::cudaErrorInvalidSymbol;
    *out = variable->bytes;
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
