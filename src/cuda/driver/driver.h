// What every function of the driver does before its work, and the codes between it and the runtime's.
//
// Both interfaces are one library with one state: streams, events, memory, graphs and kernels are the same objects, and
// most functions here check what only the driver checks and call the runtime's. They never touch the runtime's last
// error.
#pragma once
#include "cuda/driver/abi.h"
#include "cuda/driver/context.h"
#include "cuda/runtime.h"

namespace warplens::cuda::driver {

// The driver's code for the runtime's error: the same number, except for the few that the driver does not have.
CuResult result_of(Error error);

// CUDA_ERROR_NOT_INITIALIZED until cuInit (or the runtime) was called.
CuResult check_initialised();
// The same, and then whether the calling thread has a context that is alive.
CuResult check_context();

inline CuResult as_result(CuResult result) { return result; }
inline CuResult as_result(Error error) { return result_of(error); }

class KeptLastError {  // the runtime's; calls of the driver leave it alone
 public:
  KeptLastError() : kept_(last_error) {}
  ~KeptLastError() { last_error = kept_; }
  KeptLastError(const KeptLastError&) = delete;
  KeptLastError& operator=(const KeptLastError&) = delete;

 private:
  Error kept_;
};

// body() -> CuResult or Error, without a lock: for calls of the runtime's functions, which take it.
template <typename Body>
CuResult forward(Body&& body) {
  CuResult result = check_context();
  if (result != CuResult::CUDA_SUCCESS) return result;
  KeptLastError kept;
  return as_result(body());
}

// body(Runtime&) -> CuResult or Error, in the frame of the runtime's functions: locked, and answered for after a fault.
template <typename Body>
CuResult framed(Needs needs, Body&& body) {
  KeptLastError kept;
  CuResult result = CuResult::CUDA_SUCCESS;
  Error error = call(needs, [&](Runtime& runtime) {
    result = as_result(body(runtime));
    return Error::cudaSuccess;
  });
  return error == Error::cudaSuccess ? result : result_of(error);
}
// With a context ...
template <typename Body>
CuResult serve(Needs needs, Body&& body) {
  CuResult result = check_context();
  return result != CuResult::CUDA_SUCCESS ? result : framed(needs, body);
}
// ... and without one: what asks about the device, and the contexts themselves.
template <typename Body>
CuResult ask(Body&& body) {
  CuResult result = check_initialised();
  return result != CuResult::CUDA_SUCCESS ? result : framed(Needs::Nothing, body);
}

inline CuResult check_device(Device device) {
  return Runtime::get().is_device(device) ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_INVALID_DEVICE;
}

// "x is not supported", once, on stderr and in the record.
CuResult refuse(const char* what);

}  // namespace warplens::cuda::driver
