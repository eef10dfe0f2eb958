// The linker. What it makes is not machine code but a fat binary of the PTX that was added, which cuModuleLoadData
// joins; pieces are read when they are added, and names are resolved when the link is completed.
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"
#include "cuda/driver/jit_options.h"

namespace warplens::cuda::driver {

struct LinkState {
  JitOptions options;
  std::vector<session::PtxText> texts;
  std::string linked;
};

namespace {

std::map<const LinkState*, std::unique_ptr<LinkState>>& links() {
  static auto* all = new std::map<const LinkState*, std::unique_ptr<LinkState>>;
  return *all;
}

enum InputType : int { kCubin = 0, kPtx, kFatBinary, kObject, kLibrary, kNvvm };  // CUjitInputType

template <typename Body>
CuResult of(LinkState* link, Body&& body) {
  return serve(Needs::Nothing,
               [&](Runtime& r) { return links().contains(link) ? body(r) : CuResult::CUDA_ERROR_INVALID_HANDLE; });
}

CuResult fail(Runtime& runtime, LinkState& link, CuResult result, const std::string& message) {
  link.options.write({}, message);
  runtime.say(message);
  runtime.session()->record_error(message);
  return result;
}

CuResult add(Runtime& runtime, LinkState& link, int type, std::string_view bytes, const std::string& name) {
  if (type < kCubin || type > kNvvm) return CuResult::CUDA_ERROR_INVALID_VALUE;
  Image image;
  if (type == kPtx) {
    while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
    image = read_text(bytes, name);
  } else if (type == kNvvm) {
    return fail(runtime, link, CuResult::CUDA_ERROR_NOT_SUPPORTED, name + ": linking NVVM code is not supported");
  } else {
    image = read_piece(std::as_bytes(std::span(bytes)), name);
  }
  if (image.result != CuResult::CUDA_SUCCESS) return fail(runtime, link, image.result, image.message);
  for (session::PtxText& text : image.texts) link.texts.push_back(std::move(text));
  return CuResult::CUDA_SUCCESS;
}

}  // namespace

WL_DRIVER_API wl_cuLinkCreate_v2(unsigned count, const int* options, void** values, LinkState** out) {
  return serve(Needs::Context, [&](Runtime&) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    auto link = std::make_unique<LinkState>();
    CuResult result = link->options.read(count, options, values);
    if (result != CuResult::CUDA_SUCCESS) return result;
    *out = link.get();
    links().emplace(*out, std::move(link));
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuLinkAddData_v2(LinkState* link, int type, const void* data, size_t bytes, const char* name, unsigned,
                                  const int*, void**) {
  return of(link, [&](Runtime& r) {
    if (!data || !bytes) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return add(r, *link, type, {static_cast<const char*>(data), bytes}, name && *name ? name : "a piece of a link");
  });
}
WL_DRIVER_API wl_cuLinkAddFile_v2(LinkState* link, int type, const char* path, unsigned, const int*, void**) {
  return of(link, [&](Runtime& r) {
    if (!path) return CuResult::CUDA_ERROR_INVALID_VALUE;
    std::ifstream file(path, std::ios::binary);
    if (!file) return CuResult::CUDA_ERROR_FILE_NOT_FOUND;
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    return add(r, *link, type, bytes, path);
  });
}
WL_DRIVER_API wl_cuLinkComplete(LinkState* link, void** out, size_t* bytes) {
  return of(link, [&](Runtime& r) {
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    // Read once more by whoever loads it: what is wrong must be said here.
    session::Module* module = r.session()->add_ptx(link->texts, "the linked program");
    Status status = r.session()->read(*module);
    link->options.write(r.session()->diagnostics(*module), status ? "" : status.error().what);
    r.session()->remove(module);
    if (!status) return CuResult::CUDA_ERROR_UNKNOWN;  // which is what an H200's driver says
    link->linked = write_linked(link->texts);
    *out = link->linked.data();
    if (bytes) *bytes = link->linked.size();
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuLinkDestroy(LinkState* link) {
  return of(link, [&](Runtime&) {
    links().erase(link);
    return CuResult::CUDA_SUCCESS;
  });
}

}  // namespace warplens::cuda::driver
