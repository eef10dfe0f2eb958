// Streams and events, and work on them: done when it is submitted, or kept where the stream is being captured.
#pragma once
#include <chrono>
#include <functional>
#include <memory>

#include "cuda/graph.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

struct Capture {
  std::shared_ptr<Graph> graph;
  StreamHandle origin = nullptr;  // where it began and must end
  unsigned long long id = 0;
  bool invalid = false;  // something was asked that no graph can hold
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  driver::Context* context = nullptr;          // of a default stream: null, for it is that of whoever uses it
  std::shared_ptr<Capture> capture = nullptr;  // what goes to this stream is kept there instead of being done
  std::vector<Node*> tips = {};                // what the next captured node depends on
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  driver::Context* context = nullptr;
  std::weak_ptr<Capture> capture = {};  // it was recorded in a stream that was being captured,
  std::vector<Node*> tips = {};         // after these
};

bool is_valid(StreamHandle stream);
bool is_valid(EventHandle event);
Error record_now(EventHandle event);
// That which the stream takes part in; null: none.
std::shared_ptr<Capture> capture_of(StreamHandle stream);
std::vector<StreamHandle> streams_of(const Capture& capture);
void join(std::vector<Node*>& tips, const std::vector<Node*>& more);
void capture_work(StreamHandle stream, NodeType type, Work work, Details details);
// The context and the device that the stream's work is for.
driver::Context* context_of(StreamHandle stream);
int device_of(StreamHandle stream);
void end_capture(const std::shared_ptr<Capture>& capture);  // for every stream that takes part

// The frame of every call that puts work on a stream. `work` must own what it needs. Kernels go to streams of the
// current device only; copies go to any (CUDA C++ Programming Guide, "Stream and Event Behavior" of several devices).
// `describe`: the Details of a captured node.
template <typename Work, typename Describe>
Error submit(StreamHandle stream, NodeType type, Work&& work, Describe&& describe) {
  return call(Needs::Queue, [&](Runtime& runtime) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (type == NodeType::Kernel && device_of(stream) != current_device()) return Error::cudaErrorInvalidResourceHandle;
    if (auto capture = capture_of(stream)) {
      if (capture->invalid) return Error::cudaErrorStreamCaptureInvalidated;
      capture_work(stream, type, std::forward<Work>(work), describe());
      return Error::cudaSuccess;
    }
    return work(runtime);
  });
}
template <typename Work>
Error submit(StreamHandle stream, NodeType type, Work&& work) {
  return submit(stream, type, std::forward<Work>(work), [] { return Details(); });
}

}  // namespace warplens::cuda
