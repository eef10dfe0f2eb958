#include "cuda/user_object.h"

#include <climits>
#include <set>

#include "cuda/graph.h"
#include "cuda/runtime.h"
#include "cuda/served.h"

namespace warplens::cuda {
namespace {

// Both under the runtime's lock. They are never destroyed: what a program leaves behind is not destroyed when it ends.
std::set<const UserObject*>& alive() {
  static auto* all = new std::set<const UserObject*>;
  return *all;
}
UserReferences& held_by_program() {
  static auto* references = new UserReferences;
  return *references;
}

bool is_count(unsigned count) { return count >= 1 && count <= INT_MAX; }

// body() -> Error, for an object that is alive.
template <typename Body>
Error with_object(UserObject* object, unsigned count, Body&& body) {
  return call(Needs::Nothing, [&](Runtime&) {
    if (!alive().contains(object) || !is_count(count)) return Error::cudaErrorInvalidValue;
    return body();
  });
}

}  // namespace

UserObject::UserObject(Runtime& runtime, void* data, Destroy destroy)
    : runtime_(runtime), data_(data), destroy_(destroy) {
  alive().insert(this);
}

UserObject::~UserObject() {
  alive().erase(this);
  runtime_.host_queue.push([destroy = destroy_, data = data_] { destroy(data); });
}

void UserReferences::add(UserObject& object, unsigned count) {
  Held& held = held_[&object];
  held.object = object.shared_from_this();
  held.count += count;
}

bool UserReferences::remove(UserObject& object, unsigned count) {
  auto at = held_.find(&object);
  if (at == held_.end() || at->second.count < count) return false;
  at->second.count -= count;
  if (!at->second.count) held_.erase(at);
  return true;
}

WL_API wl_cudaUserObjectCreate(UserObject** out, void* data, UserObject::Destroy destroy, unsigned count,
                               unsigned flags) {
  constexpr unsigned kNoDestructorSync = 1;  // the only flag there is, and it must be given
  return call(Needs::Nothing, [&](Runtime& r) {
    if (!out || !destroy || !is_count(count) || flags != kNoDestructorSync) return Error::cudaErrorInvalidValue;
    auto object = std::make_shared<UserObject>(r, data, destroy);
    held_by_program().add(*object, count);
    *out = object.get();
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaUserObjectRetain(UserObject* object, unsigned count) {
  return with_object(object, count, [&] {
    held_by_program().add(*object, count);
    return Error::cudaSuccess;
  });
}
WL_API wl_cudaUserObjectRelease(UserObject* object, unsigned count) {
  return with_object(object, count, [&] {
    return held_by_program().remove(*object, count) ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  constexpr unsigned kMove = 1;  // the program's own references become the graph's
  return with_object(object, count, [&] {
    if (!is_graph(graph) || flags & ~kMove) return Error::cudaErrorInvalidValue;
    graph->references.add(*object, count);
    if (!(flags & kMove) || held_by_program().remove(*object, count)) return Error::cudaSuccess;
    graph->references.remove(*object, count);
    return Error::cudaErrorInvalidValue;
  });
}
WL_API wl_cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  return with_object(object, count, [&] {
    bool had = is_graph(graph) && graph->references.remove(*object, count);
    return had ? Error::cudaSuccess : Error::cudaErrorInvalidValue;
  });
}

}  // namespace warplens::cuda
