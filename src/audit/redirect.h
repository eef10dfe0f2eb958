// Sending the calls of a statically linked CUDA runtime to ours, inside a program that has just been loaded.
//
// Each function's entry is overwritten with a jump, of five bytes, to a thunk that lies within its reach (2 GiB). The
// thunk jumps through a slot. At first all slots lead to one routine that loads our libcudart on the first call and
// looks the function up, as a dynamic linker's lazy binding does: a process that never calls CUDA never loads us, and a
// program's first call comes when the C library and all else is ready.
#pragma once
#include <link.h>

#include <atomic>
#include <string>

#include "elf/static_runtime.h"

namespace warplens::audit {

// The thunks of one object's runtime.
class Redirection {
 public:
  // `base`: what the loader added to the object's addresses. Null: it cannot be done; said on stderr and in the record.
  static Redirection* install(const elf::View& file, uintptr_t base, const std::string& path,
                              const elf::StaticRuntime& runtime);
  ~Redirection();

  struct Target {
    void* function;
    const char* refused;  // the function's name if it is not served: `function` then says so, and takes this
  };
  Target resolve(size_t index);

 private:
  Redirection() = default;
  bool make_thunks(uintptr_t lowest, uintptr_t highest);

  std::string path_;
  int major_ = 0;
  std::vector<std::pair<std::string, uintptr_t>> entries_;  // name, address
  unsigned char* thunks_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<void*>* slots_ = nullptr;
};

}  // namespace warplens::audit
