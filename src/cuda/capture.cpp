// Capture: what goes to a stream becomes nodes of a graph instead. Each stream that takes part knows the nodes that its
// next one depends on; a recorded event carries them to the streams that wait for it.
#include <algorithm>
#include <unordered_set>

#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

enum Status : int { kNone = 0, kActive = 1, kInvalidated = 2 };  // cudaStreamCaptureStatus

bool is_default(StreamHandle stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

Error begin(StreamHandle stream, std::shared_ptr<Graph> graph, std::vector<Node*> tips, int mode) {
  static unsigned long long last_id = 0;
  constexpr int kLastMode = 2;  // cudaStreamCaptureModeRelaxed
  if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
  if (mode < 0 || mode > kLastMode) return Error::cudaErrorInvalidValue;
  if (is_default(stream)) return Error::cudaErrorStreamCaptureUnsupported;
  if (stream->capture) return Error::cudaErrorIllegalState;
  stream->capture = std::make_shared<Capture>(Capture{std::move(graph), stream, ++last_id, false});
  stream->tips = std::move(tips);
  return Error::cudaSuccess;
}

// Whether all that was captured in other streams comes before what `origin` has last.
bool is_joined(StreamHandle origin, const Capture& capture) {
  std::unordered_set<const Node*> before;
  std::vector<const Node*> open(origin->tips.begin(), origin->tips.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (before.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  auto streams = streams_of(capture);
  return std::all_of(streams.begin(), streams.end(), [&](StreamHandle stream) {
    return std::all_of(stream->tips.begin(), stream->tips.end(), [&](const Node* n) { return before.contains(n); });
  });
}

Error end(StreamHandle stream, Graph** out) {
  if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
  if (!out) return Error::cudaErrorInvalidValue;
  std::shared_ptr<Capture> capture = capture_of(stream);
  if (!capture) return Error::cudaErrorIllegalState;
  if (capture->origin != stream) {
    capture->invalid = true;
    return Error::cudaErrorStreamCaptureUnmatched;
  }
  bool joined = is_joined(stream, *capture);
  end_capture(capture);
  *out = nullptr;
  if (capture->invalid) return Error::cudaErrorStreamCaptureInvalidated;
  if (!joined) return Error::cudaErrorStreamCaptureUnjoined;
  *out = is_graph(capture->graph.get()) ? capture->graph.get() : keep(capture->graph);
  return Error::cudaSuccess;
}

struct Info {
  int* status;
  unsigned long long* id;
  Graph** graph;
  Node* const** tips;
  const void** edges;
  size_t* count;
};
Error info(StreamHandle stream, const Info& out) {
  return call(Needs::Context, [&](Runtime&) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    if (!out.status) return Error::cudaErrorInvalidValue;
    std::shared_ptr<Capture> capture = capture_of(stream);
    *out.status = !capture ? kNone : capture->invalid ? kInvalidated : kActive;
    if (!capture || capture->invalid) return Error::cudaSuccess;
    if (out.id) *out.id = capture->id;
    if (out.graph) *out.graph = capture->graph.get();
    if (out.tips) *out.tips = stream->tips.data();
    if (out.edges) *out.edges = nullptr;
    if (out.count) *out.count = stream->tips.size();
    return Error::cudaSuccess;
  });
}

Error update(StreamHandle stream, Node* const* nodes, size_t count, unsigned flags) {
  constexpr unsigned kSet = 1;  // cudaStreamSetCaptureDependencies; 0 adds
  return call(Needs::Context, [&](Runtime&) {
    if (!is_valid(stream)) return Error::cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture = capture_of(stream);
    if (!capture) return Error::cudaErrorIllegalState;
    if ((count && !nodes) || flags > kSet) return Error::cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
      if (!capture->graph->owns(nodes[i])) return Error::cudaErrorInvalidValue;
    }
    if (flags == kSet) stream->tips.clear();
    join(stream->tips, {nodes, nodes + count});
    return Error::cudaSuccess;
  });
}

}  // namespace

void join(std::vector<Node*>& tips, const std::vector<Node*>& more) {
  for (Node* node : more) {
    if (!std::count(tips.begin(), tips.end(), node)) tips.push_back(node);
  }
}

void capture_work(StreamHandle stream, NodeType type, Work work, Details details) {
  Node* node = stream->capture->graph->add(type, std::move(work), stream->tips, std::move(details));
  stream->tips = {node};
}

WL_API wl_cudaStreamBeginCapture(StreamHandle stream, int mode) {
  return call(Needs::Context, [&](Runtime&) { return begin(stream, std::make_shared<Graph>(), {}, mode); });
}
WL_API wl_cudaStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, Node* const* after, const void* edges,
                                        size_t count, int mode) {
  return call(Needs::Context, [&](Runtime&) {
    std::shared_ptr<Graph> into = shared_graph(graph);
    if (!into || (count && !after)) return Error::cudaErrorInvalidValue;
    std::vector<Node*> tips(after, after + count);
    bool own = std::all_of(tips.begin(), tips.end(), [&](const Node* node) { return into->owns(node); });
    return own ? begin(stream, into, std::move(tips), mode) : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaStreamEndCapture(StreamHandle stream, Graph** out) {
  return call(Needs::Context, [&](Runtime&) { return end(stream, out); });
}
WL_API wl_cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return info(stream, {status, nullptr, nullptr, nullptr, nullptr, nullptr});
}
// The releases ask for more and more.
WL_API wl_cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id) {
  return info(stream, {status, id, nullptr, nullptr, nullptr, nullptr});
}
WL_API wl_cudaStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                      Node* const** tips, size_t* count) {
  return info(stream, {status, id, graph, tips, nullptr, count});
}
WL_API wl_cudaStreamGetCaptureInfo_v3(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                      Node* const** tips, const void** edges, size_t* count) {
  return info(stream, {status, id, graph, tips, edges, count});
}
WL_API wl_cudaStreamUpdateCaptureDependencies(StreamHandle stream, Node* const* nodes, size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
WL_API wl_cudaStreamUpdateCaptureDependencies_v13(StreamHandle stream, Node* const* nodes, const void* edges,
                                                  size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}

}  // namespace warplens::cuda
