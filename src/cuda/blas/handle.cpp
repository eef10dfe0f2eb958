#include "cuda/blas/handle.h"

#include <fmt/format.h>

#include <optional>

#include "cuda/driver/driver.h"
#include "cuda/served.h"

namespace warplens::cuda::blas {
namespace {

constexpr const char* kNotSupportedName = "CUBLAS_STATUS_NOT_SUPPORTED";

struct StatusWords {
  int code;
  const char* name;
  const char* text;
};
constexpr StatusWords kStatuses[] = {
#define WL_STATUS(code, name, text) {code, #name, text},
#include "cuda/blas/status.def"
#undef WL_STATUS
};

const StatusWords* find(int code) {
  for (const StatusWords& status : kStatuses)
    if (status.code == code) return &status;
  return nullptr;
}

Status status_of(Error error) {
  if (error == Error::cudaSuccess) return kSuccess;
  if (error == Error::cudaErrorInvalidValue) return kInvalidValue;
  if (error == Error::cudaErrorInitializationError) return kNotInitialized;
  return Status::CUBLAS_STATUS_EXECUTION_FAILED;
}

// Asks the handle for something, or tells it.
template <typename Body>
Status with(Handle* handle, Body&& body) {
  const Status status = check(handle);
  return status == kSuccess ? body(*handle) : status;
}
template <typename T>
Status give(Handle* handle, T* out, T Handle::* member) {
  return with(handle, [&](Handle& h) {
    if (!out) return kInvalidValue;
    *out = h.*member;
    return kSuccess;
  });
}
Status set(Handle* handle, int Handle::* member, int value, int first, int last) {
  return with(handle, [&](Handle& h) {
    if (value < first || value > last) return kInvalidValue;
    h.*member = value;
    return kSuccess;
  });
}

Status property(int which, int* value, int release) {  // libraryPropertyType: MAJOR_VERSION, MINOR_..., PATCH_LEVEL
  static constexpr int kVersions[][3] = {{11, 11, 3}, {12, 6, 4}, {13, 1, 0}};
  if (!value || which < 0 || which > 2) return kInvalidValue;
  *value = kVersions[release - 11][which];
  return kSuccess;
}
int version(int release) {
  int parts[3] = {};
  for (int i = 0; i < 3; i++) property(i, &parts[i], release);
  return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

struct Transfer {
  int kind;
  std::optional<StreamHandle> stream;  // none: the caller waits for it
};

// `count` pieces of memory between host and device, as cudaMemcpy copies it.
Status copy_pieces(const void* source, uint64_t from_distance, void* target, uint64_t to_distance, uint64_t bytes,
                   int64_t count, const Transfer& transfer) {
  driver::KeptLastError kept;
  const char* from = static_cast<const char*>(source);
  char* to = static_cast<char*>(target);
  for (; count > 0; count--, from += from_distance, to += to_distance) {
    const Error error = transfer.stream ? wl_cudaMemcpyAsync(to, from, bytes, transfer.kind, *transfer.stream)
                                        : wl_cudaMemcpy(to, from, bytes, transfer.kind);
    if (error != Error::cudaSuccess) return Status::CUBLAS_STATUS_MAPPING_ERROR;
  }
  return kSuccess;
}

Status copy_vector(int64_t n, int64_t bytes, const void* x, int64_t incx, void* y, int64_t incy,
                   const Transfer& transfer) {
  if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0) return kInvalidValue;
  if (n == 0) return kSuccess;
  if (!x || !y) return kInvalidValue;
  const auto size = static_cast<uint64_t>(bytes);
  if (incx == 1 && incy == 1) return copy_pieces(x, 0, y, 0, size * static_cast<uint64_t>(n), 1, transfer);
  return copy_pieces(x, size * static_cast<uint64_t>(incx), y, size * static_cast<uint64_t>(incy), size, n, transfer);
}

Status copy_matrix(int64_t rows, int64_t columns, int64_t bytes, const void* a, int64_t lda, void* b, int64_t ldb,
                   const Transfer& transfer) {
  if (rows < 0 || columns < 0 || bytes <= 0 || !is_valid_leading(lda, rows) || !is_valid_leading(ldb, rows))
    return kInvalidValue;
  if (rows == 0 || columns == 0) return kSuccess;
  if (!a || !b) return kInvalidValue;
  const auto size = static_cast<uint64_t>(bytes);
  return copy_pieces(a, size * static_cast<uint64_t>(lda), b, size * static_cast<uint64_t>(ldb),
                     size * static_cast<uint64_t>(rows), columns, transfer);
}

}  // namespace

Status check(const Handle* handle) { return handle && handle->mark == Handle::kAlive ? kSuccess : kNotInitialized; }

Status refuse(const std::string& function) {
  Runtime::get().refuse(function, kNotSupportedName);
  return kNotSupported;
}

Status refuse_without_openblas(const char* function) {
  Runtime::get().refuse(function, kNotSupportedName,
                        "it needs OpenBLAS, which is not installed: apt-get install libopenblas0");
  return kNotSupported;
}

bool Device::reaches(const Operand& operand) {
  if (operand.bytes == 0) return true;
  session::Session& session = *runtime_.session();
  const auto at = reinterpret_cast<uint64_t>(operand.pointer);
  if (session.memory().find(at, operand.bytes)) return true;
  const std::string text = fmt::format("{}: out of bounds: {} is {} bytes at {:#x}, {}", function_, operand.name,
                                       operand.bytes, at, session.memory().describe_nearest(at, operand.bytes));
  session.record_error(text);
  if (!session.recording()) runtime_.say(text);
  runtime_.device().pending = Error::cudaErrorIllegalAddress;
  return false;
}

Status submit(StreamHandle stream, const char* function, std::function<void(Device&)> work, Library library) {
  driver::KeptLastError kept;
  return status_of(cuda::submit(stream, NodeType::Kernel, [=, work = std::move(work)](Runtime& runtime) {
    LaunchInProgress in_progress(runtime.stop_page());
    Device device(runtime, function);
    work(device);
    runtime.session()->record_not_observed(library == Library::CuBlas ? "cuBLAS" : "cuBLASLt", function);
    runtime.say_if_record_failed();
    return Error::cudaSuccess;
  }));
}

Status wait_for_result(const Handle& handle, const char* function) {
  if (handle.pointer_mode == kDevicePointers) return kSuccess;
  driver::KeptLastError kept;
  int capturing = 0;
  const Error error = wl_cudaStreamIsCapturing(handle.stream, &capturing);
  if (error != Error::cudaSuccess) return status_of(error);
  return capturing ? refuse(std::string(function) + " with a result on the host in a captured stream") : kSuccess;
}

WL_BLAS_API wl_cublasCreate(Handle** out) {
  if (!out) return kInvalidValue;
  driver::KeptLastError kept;
  const Error error = call(Needs::Context, [](Runtime&) { return Error::cudaSuccess; });
  if (error != Error::cudaSuccess) return kNotInitialized;
  *out = new Handle;
  return kSuccess;
}
WL_BLAS_API wl_cublasDestroy(Handle* handle) {
  return with(handle, [](Handle& h) {
    h.mark = 0;
    delete &h;
    return kSuccess;
  });
}

WL_BLAS_API wl_cublasSetStream(Handle* handle, StreamHandle stream) {
  return with(handle, [&](Handle& h) {
    h.stream = stream;
    return kSuccess;
  });
}
WL_BLAS_API wl_cublasGetStream(Handle* handle, StreamHandle* out) { return give(handle, out, &Handle::stream); }

WL_BLAS_API wl_cublasSetPointerMode(Handle* handle, int mode) { return set(handle, &Handle::pointer_mode, mode, 0, 1); }
WL_BLAS_API wl_cublasGetPointerMode(Handle* handle, int* out) { return give(handle, out, &Handle::pointer_mode); }
// Hints on speed and precision: everything is computed at least as exactly as asked for.
WL_BLAS_API wl_cublasSetAtomicsMode(Handle* handle, int mode) { return set(handle, &Handle::atomics_mode, mode, 0, 1); }
WL_BLAS_API wl_cublasGetAtomicsMode(Handle* handle, int* out) { return give(handle, out, &Handle::atomics_mode); }
WL_BLAS_API wl_cublasSetMathMode(Handle* handle, int mode) {
  constexpr int kAllFlags = 8 + 16 + 7;
  return set(handle, &Handle::math_mode, mode, 0, kAllFlags);
}
WL_BLAS_API wl_cublasGetMathMode(Handle* handle, int* out) { return give(handle, out, &Handle::math_mode); }
WL_BLAS_API wl_cublasSetSmCountTarget(Handle* handle, int count) {
  return set(handle, &Handle::sm_count_target, count, 0, INT32_MAX);
}
WL_BLAS_API wl_cublasGetSmCountTarget(Handle* handle, int* out) { return give(handle, out, &Handle::sm_count_target); }
WL_BLAS_API wl_cublasSetWorkspace(Handle* handle, void* workspace, size_t bytes) {
  return with(handle, [&](Handle&) { return bytes && !workspace ? kInvalidValue : kSuccess; });
}

#define WL_VERSIONS(release)                                                                                 \
  WL_BLAS_API wl_cublasGetVersion_v##release(Handle* handle, int* out) {                                     \
    return with(handle, [&](Handle&) {                                                                       \
      if (!out) return kInvalidValue;                                                                        \
      *out = version(release);                                                                               \
      return kSuccess;                                                                                       \
    });                                                                                                      \
  }                                                                                                          \
  WL_BLAS_API wl_cublasGetProperty_v##release(int which, int* out) { return property(which, out, release); } \
  extern "C" __attribute__((visibility("default"))) size_t wl_cublasVersion_v##release() {                   \
    return static_cast<size_t>(version(release));                                                            \
  }
WL_VERSIONS(11)
WL_VERSIONS(12)
WL_VERSIONS(13)
extern "C" __attribute__((visibility("default"))) size_t wl_cublasGetCudartVersion() { return 13000; }

extern "C" __attribute__((visibility("default"))) const char* wl_cublasGetStatusName(int status) {
  const StatusWords* words = find(status);
  return words ? words->name : "unknown";
}
extern "C" __attribute__((visibility("default"))) const char* wl_cublasGetStatusString(int status) {
  const StatusWords* words = find(status);
  return words ? words->text : "unknown";
}

// Nothing is logged, which is the default.
WL_BLAS_API wl_cublasLoggerConfigure(int, int, int, const char*) { return kSuccess; }
WL_BLAS_API wl_cublasSetLoggerCallback(void*) { return kSuccess; }
WL_BLAS_API wl_cublasGetLoggerCallback(void** out) {
  if (!out) return kInvalidValue;
  *out = nullptr;
  return kSuccess;
}

#define WL_COPIES(suffix, Int)                                                                                         \
  WL_BLAS_API wl_cublasSetVector##suffix(Int n, Int bytes, const void* x, Int incx, void* y, Int incy) {               \
    return copy_vector(n, bytes, x, incx, y, incy, {HostToDevice, {}});                                                \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasGetVector##suffix(Int n, Int bytes, const void* x, Int incx, void* y, Int incy) {               \
    return copy_vector(n, bytes, x, incx, y, incy, {DeviceToHost, {}});                                                \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasSetVectorAsync##suffix(Int n, Int bytes, const void* x, Int incx, void* y, Int incy,            \
                                              StreamHandle stream) {                                                   \
    return copy_vector(n, bytes, x, incx, y, incy, {HostToDevice, stream});                                            \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasGetVectorAsync##suffix(Int n, Int bytes, const void* x, Int incx, void* y, Int incy,            \
                                              StreamHandle stream) {                                                   \
    return copy_vector(n, bytes, x, incx, y, incy, {DeviceToHost, stream});                                            \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasSetMatrix##suffix(Int rows, Int columns, Int bytes, const void* a, Int lda, void* b, Int ldb) { \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, {HostToDevice, {}});                                      \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasGetMatrix##suffix(Int rows, Int columns, Int bytes, const void* a, Int lda, void* b, Int ldb) { \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, {DeviceToHost, {}});                                      \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasSetMatrixAsync##suffix(Int rows, Int columns, Int bytes, const void* a, Int lda, void* b,       \
                                              Int ldb, StreamHandle stream) {                                          \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, {HostToDevice, stream});                                  \
  }                                                                                                                    \
  WL_BLAS_API wl_cublasGetMatrixAsync##suffix(Int rows, Int columns, Int bytes, const void* a, Int lda, void* b,       \
                                              Int ldb, StreamHandle stream) {                                          \
    return copy_matrix(rows, columns, bytes, a, lda, b, ldb, {DeviceToHost, stream});                                  \
  }
WL_COPIES(, int)
WL_COPIES(_64, int64_t)

}  // namespace warplens::cuda::blas
