// Streams and events, which are the runtime's own.
#include "cuda/stream.h"

#include <atomic>

#include "cuda/driver/driver.h"
#include "cuda/served.h"

namespace warplens::cuda::driver {

WL_DRIVER_API wl_cuStreamCreate(StreamHandle* out, unsigned flags) {
  return forward([&] { return wl_cudaStreamCreateWithFlags(out, flags); });
}
WL_DRIVER_API wl_cuStreamCreateWithPriority(StreamHandle* out, unsigned flags, int priority) {
  return forward([&] { return wl_cudaStreamCreateWithPriority(out, flags, priority); });
}
WL_DRIVER_API wl_cuStreamDestroy_v2(StreamHandle stream) {
  return forward([&] { return wl_cudaStreamDestroy(stream); });
}
WL_DRIVER_API wl_cuStreamSynchronize(StreamHandle stream) {
  return forward([&] { return wl_cudaStreamSynchronize(stream); });
}
WL_DRIVER_API wl_cuStreamQuery(StreamHandle stream) {
  return forward([&] { return wl_cudaStreamQuery(stream); });
}
WL_DRIVER_API wl_cuStreamGetFlags(StreamHandle stream, unsigned* out) {
  return forward([&] { return wl_cudaStreamGetFlags(stream, out); });
}
WL_DRIVER_API wl_cuStreamGetPriority(StreamHandle stream, int* out) {
  return forward([&] { return wl_cudaStreamGetPriority(stream, out); });
}
WL_DRIVER_API wl_cuStreamGetId(StreamHandle stream, unsigned long long* out) {
  return forward([&] { return wl_cudaStreamGetId(stream, out); });
}
WL_DRIVER_API wl_cuStreamGetDevice(StreamHandle stream, Device* out) {
  return forward([&] { return wl_cudaStreamGetDevice(stream, out); });
}
WL_DRIVER_API wl_cuStreamGetCtx(StreamHandle stream, Context** out) {
  return serve(Needs::Nothing, [&](Runtime&) {
    if (!is_valid(stream)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
    if (!out) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = context_of(stream);
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuStreamGetCtx_v2(StreamHandle stream, Context** out, void** green) {
  CuResult result = wl_cuStreamGetCtx(stream, out);
  if (result == CuResult::CUDA_SUCCESS && green) *green = nullptr;
  return result;
}
WL_DRIVER_API wl_cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags) {
  return forward([&] { return wl_cudaStreamWaitEvent(stream, event, flags); });
}
WL_DRIVER_API wl_cuLaunchHostFunc(StreamHandle stream, void (*function)(void*), void* data) {
  return forward([&] { return wl_cudaLaunchHostFunc(stream, function, data); });
}
WL_DRIVER_API wl_cuStreamAddCallback(StreamHandle stream, void (*function)(StreamHandle, int, void*), void* data,
                                     unsigned flags) {
  return forward([&] { return wl_cudaStreamAddCallback(stream, function, data, flags); });
}
WL_DRIVER_API wl_cuStreamSetAttribute(StreamHandle stream, int attribute, const void* value) {
  return forward([&] { return wl_cudaStreamSetAttribute(stream, attribute, value); });
}
WL_DRIVER_API wl_cuStreamCopyAttributes(StreamHandle target, StreamHandle source) {
  return forward([&] { return wl_cudaStreamCopyAttributes(target, source); });
}

WL_DRIVER_API wl_cuEventCreate(EventHandle* out, unsigned flags) {
  return forward([&] { return wl_cudaEventCreateWithFlags(out, flags); });
}
WL_DRIVER_API wl_cuEventDestroy_v2(EventHandle event) {
  return forward([&] { return wl_cudaEventDestroy(event); });
}
WL_DRIVER_API wl_cuEventRecord(EventHandle event, StreamHandle stream) {
  return forward([&] { return wl_cudaEventRecord(event, stream); });
}
WL_DRIVER_API wl_cuEventRecordWithFlags(EventHandle event, StreamHandle stream, unsigned flags) {
  return flags > 1 ? forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; }) : wl_cuEventRecord(event, stream);
}
WL_DRIVER_API wl_cuEventSynchronize(EventHandle event) {
  return forward([&] { return wl_cudaEventSynchronize(event); });
}
WL_DRIVER_API wl_cuEventQuery(EventHandle event) {
  return forward([&] { return wl_cudaEventQuery(event); });
}
WL_DRIVER_API wl_cuEventElapsedTime_v2(float* milliseconds, EventHandle from, EventHandle to) {
  return forward([&] {
    return milliseconds ? wl_cudaEventElapsedTime(milliseconds, from, to) : Error::cudaErrorInvalidResourceHandle;
  });
}
// All work of a context is done when its calls return, so an event for it is complete when recorded.
WL_DRIVER_API wl_cuCtxRecordEvent(Context*, EventHandle event) { return wl_cuEventRecord(event, nullptr); }
WL_DRIVER_API wl_cuCtxWaitEvent(Context*, EventHandle event) { return wl_cuStreamWaitEvent(nullptr, event, 0); }

// ---- words in memory, written and waited for in stream order

namespace {

enum WaitFlags : unsigned {
  kGreaterOrEqual = 0,
  kEqual = 1,
  kAnd = 2,
  kNor = 3,
  kConditions = 3
};  // CU_STREAM_WAIT_...

template <typename T>
CuResult write_value(StreamHandle stream, DevicePointer address, T value) {
  return forward([&] {
    if (address % sizeof(T)) return Error::cudaErrorInvalidValue;
    return submit(stream, NodeType::Memset, [=](Runtime& r) {
      if (!r.session()->memory().find(address, sizeof(T))) return Error::cudaErrorInvalidValue;
      std::atomic_ref(*reinterpret_cast<T*>(address)).store(value);
      return Error::cudaSuccess;
    });
  });
}

// Everything that was submitted before has happened; a value that is not there yet can only come from the host, or from
// a stream that waits itself.
template <typename T>
CuResult wait_value(StreamHandle stream, DevicePointer address, T wanted, unsigned flags, const char* name) {
  return forward([&] {
    if (address % sizeof(T)) return Error::cudaErrorInvalidValue;
    return submit(stream, NodeType::Empty, [=](Runtime& r) {
      if (!r.session()->memory().find(address, sizeof(T))) return Error::cudaErrorInvalidValue;
      T value = std::atomic_ref(*reinterpret_cast<T*>(address)).load();
      unsigned condition = flags & kConditions;
      bool holds = condition == kEqual ? value == wanted
                   : condition == kAnd ? (value & wanted) != 0
                   : condition == kNor ? static_cast<T>(~(value | wanted)) != 0
                                       : static_cast<std::make_signed_t<T>>(value - wanted) >= 0;
      if (holds) return Error::cudaSuccess;
      r.refuse(std::string(name) + " for a value that is not there when it is called", "CUDA_ERROR_NOT_SUPPORTED");
      return Error::cudaErrorNotSupported;
    });
  });
}

}  // namespace

WL_DRIVER_API wl_cuStreamWriteValue32_v2(StreamHandle stream, DevicePointer address, uint32_t value, unsigned) {
  return write_value(stream, address, value);
}
WL_DRIVER_API wl_cuStreamWriteValue64_v2(StreamHandle stream, DevicePointer address, uint64_t value, unsigned) {
  return write_value(stream, address, value);
}
WL_DRIVER_API wl_cuStreamWaitValue32_v2(StreamHandle stream, DevicePointer address, uint32_t value, unsigned flags) {
  return wait_value(stream, address, value, flags, "cuStreamWaitValue32");
}
WL_DRIVER_API wl_cuStreamWaitValue64_v2(StreamHandle stream, DevicePointer address, uint64_t value, unsigned flags) {
  return wait_value(stream, address, value, flags, "cuStreamWaitValue64");
}

}  // namespace warplens::cuda::driver
