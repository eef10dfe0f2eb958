// A value for each thread, for what needs a destructor: in this library those of thread_local objects never run
// (CMakeLists.txt says why).
#pragma once
#include <pthread.h>

#include <new>

namespace warplens::cuda {

// Made at a thread's first use. Freed at the end of every thread but the main one, after the thread's own thread_local
// objects; a call from a later destructor of a pthread key starts with a new value.
template <typename T>
class PerThread {
 public:
  PerThread() {
    if (pthread_key_create(&key_, [](void* value) { delete static_cast<T*>(value); })) throw std::bad_alloc();
  }

  T& get() {
    auto* value = static_cast<T*>(pthread_getspecific(key_));
    if (!value) {
      value = new T();
      if (pthread_setspecific(key_, value)) {
        delete value;
        throw std::bad_alloc();
      }
    }
    return *value;
  }

 private:
  pthread_key_t key_;
};

}  // namespace warplens::cuda
