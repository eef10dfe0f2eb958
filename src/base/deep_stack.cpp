#include "base/deep_stack.h"

#include <pthread.h>

#include <exception>

namespace warplens {

void on_deep_stack(size_t bytes, const std::function<void()>& work) {
  struct Call {
    const std::function<void()>& work;
    std::exception_ptr thrown;
  } call{work, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  const auto body = [](void* argument) -> void* {
    auto* c = static_cast<Call*>(argument);
    try {
      c->work();
    } catch (...) {
      c->thrown = std::current_exception();
    }
    return nullptr;
  };
  const bool started = pthread_create(&thread, &attributes, body, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return work();
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace warplens
