// NVIDIA's run-time linker as programs call it. NVIDIA's own makes machine code, which Warplens cannot run; this one
// joins the PTX and gives a fat binary of it back as "the cubin", for cuModuleLoadData and its like.
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "base/file.h"
#include "cuda/driver/link.h"
#include "cuda/runtime.h"

namespace warplens::cuda::jit_link {

enum class Result : int {  // nvJitLinkResult
  Success = 0,
  InvalidInput = 3,
  PtxCompile = 4,
  NullInput = 10,
};

struct Handle {
  driver::Link link;
  bool complete = false;
  std::string errors;
};

namespace {

struct State {
  std::mutex mutex;
  std::map<const Handle*, std::unique_ptr<Handle>> handles;
};
State& state() {
  static auto* one = new State;
  return *one;
}

// body(Handle&) -> Result
template <typename Body>
Result of(const Handle* handle, Body&& body) {
  std::lock_guard lock(state().mutex);
  auto found = state().handles.find(handle);
  return found == state().handles.end() ? Result::InvalidInput : body(*found->second);
}

Result fail(Handle& handle, Result result, const std::string& message) {
  handle.errors += message + "\n";
  Runtime::get().say(message);
  return result;
}

Result add(Handle& handle, int type, std::string_view bytes, const std::string& name) {
  enum { kCubin = 1, kPtx, kIntermediate, kFatBinary, kObject, kLibrary, kIndex, kAny = 10 };  // nvJitLinkInputType
  if (type < kCubin || type > kAny) return Result::InvalidInput;
  driver::InputType input = driver::InputType::Container;  // PTX too, where it is not said
  if (type == kPtx) input = driver::InputType::Ptx;
  if (type == kIntermediate) input = driver::InputType::Intermediate;
  driver::Image image = handle.link.add(input, bytes, name);
  if (image.result == driver::CuResult::CUDA_SUCCESS) return Result::Success;
  return fail(handle, type == kPtx ? Result::PtxCompile : Result::InvalidInput, image.message);
}

Result give(const std::string& text, size_t* bytes) {
  if (!bytes) return Result::NullInput;
  *bytes = text.size() + 1;
  return Result::Success;
}
Result give(const std::string& text, char* out) {
  if (!out) return Result::NullInput;
  memcpy(out, text.c_str(), text.size() + 1);
  return Result::Success;
}

// The one text there is: several are joined only when they are loaded.
const std::string* only_text(const Handle& handle) {
  return handle.complete && handle.link.texts().size() == 1 ? &handle.link.texts().front().text : nullptr;
}

}  // namespace

#define WL_JIT_API extern "C" __attribute__((visibility("default"))) Result

// Options steer NVIDIA's compiler, and change nothing here; code for link-time optimisation is refused where it is
// added.
WL_JIT_API wl_nvJitLinkCreate(Handle** out, uint32_t count, const char** options) {
  if (!out || (count && !options)) return Result::NullInput;
  std::lock_guard lock(state().mutex);
  auto handle = std::make_unique<Handle>();
  *out = handle.get();
  state().handles.emplace(*out, std::move(handle));
  return Result::Success;
}
WL_JIT_API wl_nvJitLinkDestroy(Handle** handle) {
  if (!handle) return Result::NullInput;
  std::lock_guard lock(state().mutex);
  if (!state().handles.erase(*handle)) return Result::InvalidInput;
  *handle = nullptr;
  return Result::Success;
}
WL_JIT_API wl_nvJitLinkAddData(Handle* handle, int type, const void* data, size_t bytes, const char* name) {
  return of(handle, [&](Handle& h) {
    if (!data || !bytes) return Result::NullInput;
    return add(h, type, {static_cast<const char*>(data), bytes}, name && *name ? name : "a piece of a link");
  });
}
WL_JIT_API wl_nvJitLinkAddFile(Handle* handle, int type, const char* path) {
  return of(handle, [&](Handle& h) {
    if (!path) return Result::NullInput;
    const auto bytes = read_file(path);
    return bytes ? add(h, type, *bytes, path) : fail(h, Result::InvalidInput, std::string(path) + " cannot be read");
  });
}
WL_JIT_API wl_nvJitLinkComplete(Handle* handle) {
  return of(handle, [&](Handle& h) {
    driver::Image image = h.link.complete();
    if (image.result != driver::CuResult::CUDA_SUCCESS) return fail(h, Result::PtxCompile, image.message);
    h.complete = true;
    return Result::Success;
  });
}
WL_JIT_API wl_nvJitLinkGetLinkedCubinSize(Handle* handle, size_t* bytes) {
  return of(handle, [&](Handle& h) {
    if (!bytes) return Result::NullInput;
    if (!h.complete) return Result::InvalidInput;
    *bytes = h.link.linked().size();
    return Result::Success;
  });
}
WL_JIT_API wl_nvJitLinkGetLinkedCubin(Handle* handle, void* out) {
  return of(handle, [&](Handle& h) {
    if (!out) return Result::NullInput;
    if (!h.complete) return Result::InvalidInput;
    memcpy(out, h.link.linked().data(), h.link.linked().size());
    return Result::Success;
  });
}
WL_JIT_API wl_nvJitLinkGetLinkedPtxSize(Handle* handle, size_t* bytes) {
  return of(handle, [&](Handle& h) {
    const std::string* text = only_text(h);
    return text ? give(*text, bytes) : fail(h, Result::InvalidInput, "several pieces of PTX are not given as one text");
  });
}
WL_JIT_API wl_nvJitLinkGetLinkedPtx(Handle* handle, char* out) {
  return of(handle, [&](Handle& h) {
    const std::string* text = only_text(h);
    return text ? give(*text, out) : Result::InvalidInput;
  });
}
WL_JIT_API wl_nvJitLinkGetErrorLogSize(Handle* handle, size_t* bytes) {
  return of(handle, [&](Handle& h) { return give(h.errors, bytes); });
}
WL_JIT_API wl_nvJitLinkGetErrorLog(Handle* handle, char* out) {
  return of(handle, [&](Handle& h) { return give(h.errors, out); });
}
WL_JIT_API wl_nvJitLinkGetInfoLogSize(Handle* handle, size_t* bytes) {
  return of(handle, [&](Handle&) { return give("", bytes); });
}
WL_JIT_API wl_nvJitLinkGetInfoLog(Handle* handle, char* out) {
  return of(handle, [&](Handle&) { return give("", out); });
}

}  // namespace warplens::cuda::jit_link
