// The functions of api.def that Warplens does not serve: each says so once, on stderr and in the record.
#include "cuda/driver/driver.h"

namespace warplens::cuda::driver {

CuResult refuse(const char* what) {
  Runtime::get().refuse(what, "CUDA_ERROR_NOT_SUPPORTED");
  return CuResult::CUDA_ERROR_NOT_SUPPORTED;
}

#define WL_SERVED(since, name, symbol, streams, implementation)
#define WL_REFUSED(since, name, symbol, streams) \
  WL_DRIVER_API wl_refused_##symbol() { return refuse(#symbol); }
#include "cuda/driver/api.def"

}  // namespace warplens::cuda::driver
