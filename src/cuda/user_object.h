// cudaUserObject_t: something of the program's that graphs need, with the function that destroys it. It lives until the
// last reference is given back. The program holds references, and so does each graph that was given some, each clone of
// that graph, each executable graph made from it and each graph that has it as a child.
#pragma once
#include <map>
#include <memory>

#include "cuda/abi.h"

namespace warplens::cuda {

class Runtime;

class UserObject : public std::enable_shared_from_this<UserObject> {
 public:
  using Destroy = void (*)(void*);
  UserObject(Runtime& runtime, void* data, Destroy destroy);
  // The program's function is called on the thread of the host functions: it may wait for a lock (Python's, say) that
  // the thread which gives the last reference back holds, and it may not call CUDA.
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

 private:
  Runtime& runtime_;
  void* data_;
  Destroy destroy_;
};

// What one holder has. A copy of it is a holder of its own.
class UserReferences {
 public:
  void add(UserObject& object, unsigned count);
  bool remove(UserObject& object, unsigned count);  // false: there are not so many
 private:
  struct Held {
    std::shared_ptr<UserObject> object;
    size_t count = 0;
  };
  std::map<const UserObject*, Held> held_;
};

}  // namespace warplens::cuda
