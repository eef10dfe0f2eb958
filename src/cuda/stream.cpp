// Streams and events. Work is done when it is submitted, so a stream is always idle and an event complete once
// recorded; what is kept are the handles, their flags and the wall times that cudaEventElapsedTime subtracts. Those
// times are Warplens's own run time, not a GPU's.
#include "cuda/stream.h"

#include <algorithm>
#include <unordered_map>

#include "cuda/served.h"

namespace warplens::cuda {

namespace {

constexpr int kLowestPriority = 0, kHighestPriority = -5;  // an H200's
constexpr unsigned kNonBlocking = 1;
constexpr unsigned kDisableTiming = 2, kEventFlags = 7;

template <typename T>
using Owned = std::unordered_map<const T*, std::unique_ptr<T>>;
Owned<Stream>& streams() {
  static auto* all = new Owned<Stream>;
  return *all;
}
Owned<Event>& events() {
  static auto* all = new Owned<Event>;
  return *all;
}

bool is_default(StreamHandle stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }
bool valid(StreamHandle stream) { return is_valid(stream); }
bool valid(EventHandle event) { return is_valid(event); }
Stream described(StreamHandle stream) { return is_default(stream) ? Stream{} : *stream; }

Error create(StreamHandle* out, unsigned flags, int priority) {
  static unsigned long long last_id = 2;
  if (!out || (flags & ~kNonBlocking)) return Error::cudaErrorInvalidValue;
  priority = std::clamp(priority, kHighestPriority, kLowestPriority);
  auto stream = std::make_unique<Stream>(Stream{flags, priority, ++last_id, driver::current_context()});
  *out = stream.get();
  streams().emplace(*out, std::move(stream));
  return Error::cudaSuccess;
}

// The many calls that only ask something of a stream.
template <typename T, typename Get>
Error ask(Needs needs, StreamHandle stream, T* out, Get&& get) {
  return call(needs, [&](Runtime&) {
    if (!valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (!out) return Error::cudaErrorInvalidValue;
    *out = get(described(stream));
    return Error::cudaSuccess;
  });
}

// A fault of the stream's device surfaces, whatever the current device is. What is being captured cannot be waited for.
Error wait_for(StreamHandle stream) {
  return call(Needs::Context, [&](Runtime& r) {
    if (auto capture = valid(stream) ? capture_of(stream) : nullptr) {
      capture->invalid = true;
      return Error::cudaErrorStreamCaptureUnsupported;
    }
    return valid(stream) ? r.check(Needs::Context, device_of(stream)) : Error::cudaErrorInvalidResourceHandle;
  });
}

Error wait_for(EventHandle event) {
  return call(Needs::Context, [&](Runtime& r) {
    return valid(event) ? r.check(Needs::Context, event->context->device) : Error::cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

bool is_valid(StreamHandle stream) { return is_default(stream) || streams().contains(stream); }
bool is_valid(EventHandle event) { return events().contains(event); }

std::shared_ptr<Capture> capture_of(StreamHandle stream) { return is_default(stream) ? nullptr : stream->capture; }

driver::Context* context_of(StreamHandle stream) {
  return is_default(stream) || !stream->context ? driver::current_context() : stream->context;
}
int device_of(StreamHandle stream) {
  return is_default(stream) || !stream->context ? current_device() : stream->context->device;
}

std::vector<StreamHandle> streams_of(const Capture& capture) {
  std::vector<StreamHandle> out;
  for (auto& [handle, stream] : streams()) {
    if (stream->capture.get() == &capture) out.push_back(stream.get());
  }
  return out;
}

void end_capture(const std::shared_ptr<Capture>& capture) {
  for (StreamHandle stream : streams_of(*capture)) {
    stream->capture.reset();
    stream->tips.clear();
  }
  for (auto& [handle, event] : events()) {
    if (event->capture.lock() == capture) event->capture.reset();
  }
}

Error record_now(EventHandle event) {
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return Error::cudaSuccess;
}

WL_API wl_cudaStreamCreate(StreamHandle* out) {
  return call(Needs::Context, [&](Runtime&) { return create(out, 0, 0); });
}
WL_API wl_cudaStreamCreateWithFlags(StreamHandle* out, unsigned flags) {
  return call(Needs::Context, [&](Runtime&) { return create(out, flags, 0); });
}
WL_API wl_cudaStreamCreateWithPriority(StreamHandle* out, unsigned flags, int priority) {
  return call(Needs::Context, [&](Runtime&) { return create(out, flags, priority); });
}
WL_API wl_cudaStreamDestroy(StreamHandle stream) {
  return call(Needs::Context, [&](Runtime&) {
    return streams().erase(stream) ? Error::cudaSuccess : Error::cudaErrorInvalidResourceHandle;
  });
}
WL_API wl_cudaStreamSynchronize(StreamHandle stream) { return wait_for(stream); }
WL_API wl_cudaStreamQuery(StreamHandle stream) { return wait_for(stream); }
WL_API wl_cudaDeviceSynchronize() { return wait_for(StreamHandle{}); }

WL_API wl_cudaStreamGetFlags(StreamHandle stream, unsigned* out) {
  return ask(Needs::Context, stream, out, [](const Stream& s) { return s.flags; });
}
WL_API wl_cudaStreamGetPriority(StreamHandle stream, int* out) {
  return ask(Needs::Context, stream, out, [](const Stream& s) { return s.priority; });
}
WL_API wl_cudaStreamGetId(StreamHandle stream, unsigned long long* out) {
  return ask(Needs::Context, stream, out, [](const Stream& s) { return s.id; });
}
WL_API wl_cudaStreamGetDevice(StreamHandle stream, int* out) {
  return ask(Needs::Context, stream, out, [&](const Stream&) { return device_of(stream); });
}

// Access policies, priorities and the like: hints that change speed on a GPU and nothing here.
WL_API wl_cudaStreamSetAttribute(StreamHandle stream, int, const void* value) {
  return call(Needs::Context, [&](Runtime&) {
    if (!value) return Error::cudaErrorInvalidValue;
    return valid(stream) ? Error::cudaSuccess : Error::cudaErrorInvalidResourceHandle;
  });
}
WL_API wl_cudaStreamCopyAttributes(StreamHandle target, StreamHandle source) {
  return call(Needs::Context, [&](Runtime&) {
    return valid(target) && valid(source) ? Error::cudaSuccess : Error::cudaErrorInvalidResourceHandle;
  });
}
WL_API wl_cudaThreadExchangeStreamCaptureMode(int* mode) {
  thread_local int current = 0;  // cudaStreamCaptureModeGlobal
  return call(Needs::Nothing, [&](Runtime&) {
    if (!mode || *mode < 0 || *mode > 2) return Error::cudaErrorInvalidValue;
    std::swap(*mode, current);
    return Error::cudaSuccess;
  });
}

// An event of a captured stream draws the waiting one into the capture.
WL_API wl_cudaStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags) {
  return call(Needs::Queue, [&](Runtime&) {
    if (!valid(stream) || !valid(event)) return Error::cudaErrorInvalidResourceHandle;
    auto capture = event->capture.lock();
    if (is_default(stream)) return Error::cudaSuccess;
    if (!capture && stream->capture && event->recorded) {  // by work that is no part of the capture
      stream->capture->invalid = true;
      return Error::cudaErrorStreamCaptureIsolation;
    }
    if (!capture) return Error::cudaSuccess;
    if (stream->capture && stream->capture != capture) return Error::cudaErrorStreamCaptureMerge;
    stream->capture = capture;
    join(stream->tips, event->tips);
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaLaunchHostFunc(StreamHandle stream, void (*function)(void*), void* data) {
  if (!function) return returned(Error::cudaErrorInvalidValue);
  auto work = [=](Runtime& r) {
    r.host_queue.push([=] { function(data); });
    return Error::cudaSuccess;
  };
  return submit(stream, NodeType::Host, work, [&] { return Details(HostParams{function, data}); });
}

WL_API wl_cudaStreamAddCallback(StreamHandle stream, void (*function)(StreamHandle, int, void*), void* data,
                                unsigned flags) {
  if (!function || flags) return returned(Error::cudaErrorInvalidValue);
  return submit(stream, NodeType::Host, [=](Runtime& r) {
    r.host_queue.push([=] { function(stream, 0, data); });
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  return call(Needs::Context, [&](Runtime&) {
    if (lowest) *lowest = kLowestPriority;
    if (highest) *highest = kHighestPriority;
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaEventCreateWithFlags(EventHandle* out, unsigned flags) {
  return call(Needs::Context, [&](Runtime&) {
    if (!out || (flags & ~kEventFlags)) return Error::cudaErrorInvalidValue;
    auto event = std::make_unique<Event>(Event{flags, false, {}, driver::current_context()});
    *out = event.get();
    events().emplace(*out, std::move(event));
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaEventCreate(EventHandle* out) { return wl_cudaEventCreateWithFlags(out, 0); }

WL_API wl_cudaEventDestroy(EventHandle event) {
  return call(Needs::Context, [&](Runtime&) {
    return events().erase(event) ? Error::cudaSuccess : Error::cudaErrorInvalidResourceHandle;
  });
}

WL_API wl_cudaEventRecord(EventHandle event, StreamHandle stream) {
  return call(Needs::Queue, [&](Runtime&) {
    if (!valid(event) || !valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (event->context->device != device_of(stream)) return Error::cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture = capture_of(stream);
    event->capture = capture;
    if (!capture) return record_now(event);
    event->tips = stream->tips;
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaEventRecordWithFlags(EventHandle event, StreamHandle stream, unsigned) {
  return wl_cudaEventRecord(event, stream);
}

WL_API wl_cudaEventSynchronize(EventHandle event) { return wait_for(event); }
WL_API wl_cudaEventQuery(EventHandle event) { return wait_for(event); }

// Once, for the reader of the report.
static void say_what_times_are(Runtime& runtime) {
  static bool said = false;
  if (!said) runtime.session()->record_remark("times between CUDA events are wall time on this machine, not a GPU's");
  said = true;
}

WL_API wl_cudaEventElapsedTime(float* milliseconds, EventHandle from, EventHandle to) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!milliseconds) return Error::cudaErrorInvalidValue;
    for (EventHandle event : {from, to}) {
      if (!valid(event) || !event->recorded || (event->flags & kDisableTiming)) {
        return Error::cudaErrorInvalidResourceHandle;
      }
    }
    if (from->context->device != to->context->device) return Error::cudaErrorInvalidResourceHandle;
    say_what_times_are(r);
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return Error::cudaSuccess;
  });
}

}  // namespace warplens::cuda
