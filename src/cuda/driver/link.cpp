// The linker. What it makes is not machine code but a fat binary of the PTX that was added, which cuModuleLoadData
// joins; pieces are read when they are added, and names are resolved when the link is completed.
#include "cuda/driver/link.h"

#include <map>
#include <memory>

#include "base/file.h"
#include "cuda/driver/device_runtime.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/jit_options.h"

namespace warplens::cuda::driver {

struct LinkState {
  JitOptions options;
  Link link;
};

namespace {

std::map<const LinkState*, std::unique_ptr<LinkState>>& links() {
  static auto* all = new std::map<const LinkState*, std::unique_ptr<LinkState>>;
  return *all;
}

template <typename Body>
CuResult of(LinkState* state, Body&& body) {
  return serve(Needs::Nothing,
               [&](Runtime& r) { return links().contains(state) ? body(r) : CuResult::CUDA_ERROR_INVALID_HANDLE; });
}

// Whatever went wrong is in the program's buffer, on stderr and in the record.
CuResult tell(Runtime& runtime, const LinkState& state, const Image& image) {
  if (image.result == CuResult::CUDA_SUCCESS) return image.result;
  state.options.write({}, image.message);
  runtime.say(image.message);
  runtime.session()->record_error(image.message);
  return image.result;
}

}  // namespace

Image Link::add(InputType type, std::string_view bytes, const std::string& name) {
  Image image;
  if (type == InputType::Ptx) {
    while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
    image = read_text(bytes, name);
  } else if (type == InputType::Intermediate) {
    image.result = CuResult::CUDA_ERROR_NOT_SUPPORTED;
    image.message = name + ": code for link-time optimisation is not supported, since it is no PTX; make PTX instead";
  } else if (is_library(std::as_bytes(std::span(bytes)))) {
    return read_library(std::as_bytes(std::span(bytes)), name, library_);
  } else {
    image = read_piece(std::as_bytes(std::span(bytes)), name);
  }
  for (session::PtxText& text : image.texts) texts_.push_back(std::move(text));
  image.texts.clear();
  return image;
}

Image Link::complete() {
  library_.texts.insert(library_.texts.begin(), {kDeviceRuntime, "the device runtime"});
  link_from(library_, texts_);
  Image image = check_linked(texts_);
  if (image.result == CuResult::CUDA_SUCCESS) {
    linked_ = write_linked(texts_);
  } else if (!library_.without_ptx.empty()) {
    image.message += "\n" + library_.without_ptx;
  }
  return image;
}

WL_DRIVER_API wl_cuLinkCreate_v2(unsigned count, const int* options, void** values, LinkState** out) {
  return serve(Needs::Context, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    auto state = std::make_unique<LinkState>();
    CuResult result = state->options.read(count, options, values);
    if (result != CuResult::CUDA_SUCCESS) return result;
    state->options.write({}, "");  // linking says nothing, and programs print what is in the buffer
    *out = state.get();
    links().emplace(*out, std::move(state));
    return CuResult::CUDA_SUCCESS;
  });
}

namespace {

CuResult add(Runtime& runtime, LinkState& state, int type, std::string_view bytes, const std::string& name) {
  enum { kCubin = 0, kPtx, kFatBinary, kObject, kLibrary, kNvvm };  // CUjitInputType
  if (type < kCubin || type > kNvvm) return CuResult::CUDA_ERROR_INVALID_VALUE;
  InputType input = type == kPtx ? InputType::Ptx : type == kNvvm ? InputType::Intermediate : InputType::Container;
  return tell(runtime, state, state.link.add(input, bytes, name));
}

}  // namespace

WL_DRIVER_API wl_cuLinkAddData_v2(LinkState* state, int type, const void* data, size_t bytes, const char* name,
                                  unsigned, const int*, void**) {
  return of(state, [&](Runtime& r) {
    if (!data || !bytes) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return add(r, *state, type, {static_cast<const char*>(data), bytes}, name && *name ? name : "a piece of a link");
  });
}
WL_DRIVER_API wl_cuLinkAddFile_v2(LinkState* state, int type, const char* path, unsigned, const int*, void**) {
  return of(state, [&](Runtime& r) {
    if (!path) return CuResult::CUDA_ERROR_INVALID_VALUE;
    const auto bytes = read_file(path);
    return bytes ? add(r, *state, type, *bytes, path) : CuResult::CUDA_ERROR_FILE_NOT_FOUND;
  });
}
WL_DRIVER_API wl_cuLinkComplete(LinkState* state, void** out, size_t* bytes) {
  return of(state, [&](Runtime& r) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    CuResult result = tell(r, *state, state->link.complete());
    if (result != CuResult::CUDA_SUCCESS) return result;
    *out = const_cast<char*>(state->link.linked().data());
    if (bytes) *bytes = state->link.linked().size();
    return result;
  });
}
WL_DRIVER_API wl_cuLinkDestroy(LinkState* state) {
  return of(state, [&](Runtime&) {
    links().erase(state);
    return CuResult::CUDA_SUCCESS;
  });
}

}  // namespace warplens::cuda::driver
