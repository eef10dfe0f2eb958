// Streams and events, and work on them: done when it is submitted, or kept where the stream is being captured.
#pragma once
#include <chrono>
#include <functional>
#include <memory>

#include "cuda/graph.h"
#include "cuda/runtime.h"

namespace warplens::cuda {

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  driver::Context* context = nullptr;  // of a default stream: null, for it is that of whoever uses it
  std::shared_ptr<Graph> capture;      // what goes to this stream is kept there instead of being done
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  driver::Context* context = nullptr;
  std::weak_ptr<Graph> capture;  // it was recorded in a stream that was being captured
};

bool is_valid(StreamHandle stream);
bool is_valid(EventHandle event);
// The graph that the stream is being captured into; null: none.
std::shared_ptr<Graph> capture_of(StreamHandle stream);
// The context and the device that the stream's work is for.
driver::Context* context_of(StreamHandle stream);
int device_of(StreamHandle stream);
void end_capture(const std::shared_ptr<Graph>& graph);  // for every stream that takes part

// The frame of every call that puts work on a stream. `work` must own what it needs. Kernels go to streams of the
// current device only; copies go to any (CUDA C++ Programming Guide, "Stream and Event Behavior" of several devices).
template <typename Work>
Error submit(StreamHandle stream, NodeType type, Work&& work) {
  return call(Needs::Queue, [&](Runtime& runtime) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (type == NodeType::Kernel && device_of(stream) != current_device()) return Error::cudaErrorInvalidResourceHandle;
    if (auto graph = capture_of(stream)) {
      graph->add(type, std::forward<Work>(work), graph->last());
      return Error::cudaSuccess;
    }
    return work(runtime);
  });
}

}  // namespace warplens::cuda
