// cublasHandle_t, and the frame of every call that puts work on a stream.
#pragma once
#include <atomic>
#include <functional>
#include <initializer_list>

#include "cuda/blas/operand.h"
#include "cuda/stream.h"

namespace warplens::cuda::blas {

struct Handle {
  static constexpr uint64_t kAlive = 0x7761'7270'6c65'6e73;
  std::atomic<uint64_t> mark{kAlive};
  StreamHandle stream = nullptr;
  int pointer_mode = kHostPointers;
  int atomics_mode = 0, math_mode = 0, sm_count_target = 0;
};

// NOT_INITIALIZED for what is no handle, or no longer.
Status check(const Handle* handle);

// "name is not supported", once, on stderr and in the record.
Status refuse(const std::string& function);
// The same for want of OpenBLAS, with what to install.
Status refuse_without_openblas(const char* function);

// What the work of a call is given when its turn comes.
class Device {
 public:
  Device(Runtime& runtime, const char* function) : runtime_(runtime), function_(function) {}
  // Whether all of it is memory that a GPU could reach. If not, that is the program's fault: it is said and recorded,
  // and surfaces as a kernel's out-of-bounds access does.
  bool reaches(const Operand& operand);
  template <typename... Rest>
  bool reaches(const Operand& first, const Rest&... rest) {
    return reaches(first) && reaches(rest...);
  }

 private:
  Runtime& runtime_;
  const char* function_;
};

enum class Library : uint8_t { CuBlas, CuBlasLt };

// Runs the work in the stream's order and records that it was not observed. It must own what it needs.
Status submit(StreamHandle stream, const char* function, std::function<void(Device&)> work,
              Library library = Library::CuBlas);

// A call that writes a result to the host waits for the device: a fault of before surfaces, and a stream that is being
// captured cannot be waited for.
Status wait_for_result(const Handle& handle, const char* function);

// alpha, beta and the like: read now in the host's memory, or in the stream's order in the device's.
template <typename T>
class Scalar {
 public:
  Scalar(const Handle& handle, const char* name, const T* pointer)
      : name_(name), pointer_(pointer), on_device_(handle.pointer_mode == kDevicePointers) {
    if (!on_device_ && pointer) value_ = *pointer;
  }
  bool is_null() const { return !pointer_; }
  T get() const { return on_device_ ? *pointer_ : value_; }
  Operand operand() const { return {name_, pointer_, on_device_ ? sizeof(T) : 0}; }

 private:
  const char* name_;
  const T* pointer_;
  bool on_device_;
  T value_{};
};

}  // namespace warplens::cuda::blas
