// The functions of api.def that Warplens does not serve: each says so once, on stderr and in the record, and returns
// cudaErrorNotSupported.
#include "cuda/libraries/refuse.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

void Runtime::refuse(const std::string& function, const char* returns, const std::string& why) {
  std::lock_guard lock(mutex);
  if (!refused.insert(function).second) return;
  say(function + " is not supported; it returns " + returns + (why.empty() ? "" : "; " + why));
  if (session()) session()->record_refused(function, why);
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

// For the libraries that are refused altogether, or in part.
extern "C" __attribute__((visibility("default"))) void wl_library_refuse(const char* function, const char* returns) {
  Runtime::get().refuse(function, returns);
}

// cudaCreateChannelDesc is harmless by itself and returns a struct.
extern "C" __attribute__((visibility("default"))) ChannelDesc wl_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                                       int kind) {
  return {x, y, z, w, kind};
}

}  // namespace warplens::cuda
