// The functions of api.def that Warplens does not serve: each says so once, on stderr and in the record, and returns
// cudaErrorNotSupported.
#include "cuda/runtime.h"

namespace warplens::cuda {

void Runtime::refuse(const std::string& function, const char* returns) {
  std::lock_guard lock(mutex);
  if (!refused.insert(function).second) return;
  say(function + " is not supported; it returns " + returns);
  if (session()) session()->record_refused(function);
}

#define WL_IMPLEMENTED(releases, name, implementation)
#define WL_REFUSED(releases, name)                 \
  WL_API wl_refused_##name() {                     \
    Runtime::get().refuse(#name);                  \
    return returned(Error::cudaErrorNotSupported); \
  }
#include "cuda/api.def"

// For a function of the static runtime that is not even in api.def, of a newer release for instance.
extern "C" __attribute__((visibility("default"))) Error wl_refused_by_name(const char* function) {
  Runtime::get().refuse(function);
  return returned(Error::cudaErrorNotSupported);
}

// cudaCreateChannelDesc is harmless by itself and returns a struct.
extern "C" __attribute__((visibility("default"))) ChannelDesc wl_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                                       int kind) {
  return {x, y, z, w, kind};
}

}  // namespace warplens::cuda
