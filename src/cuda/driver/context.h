// Contexts. All devices share one memory, so a context is little more than what says on which device a thread calls,
// and whether it may: what was allocated and loaded in it goes when it goes. The runtime shares them: its calls make a
// primary context current.
#pragma once
#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

namespace warplens::cuda {
class Runtime;
}

namespace warplens::cuda::driver {

struct LoadedModule;

struct Context {  // CUcontext
  int device = 0;
  bool primary = false;
  std::atomic<bool> alive{true};
  unsigned flags = 0;
  unsigned long long id = 0;
  int references = 0;  // of the primary: retained and not released; of others: cuCtxAttach
  std::set<LoadedModule*> modules;
};

// Those of the calling thread, the current one last. A null one stands for "no context".
std::vector<Context*>& context_stack();
Context* current_context();

// What each call of the runtime does first: a thread without a context gets device 0's primary one, which becomes
// active.
void enter_primary_context(Runtime& runtime);

// ---- under Runtime::mutex

// The one that the runtime uses. Makes it the thread's current one in place of the last, and active.
void enter_primary_context_of(int device);
Context* primary_context(int device);
bool is_context(const Context* context);  // one that was made; it may be gone since
Context* make_context(unsigned flags, int device);
// Gives back all that belongs to it. The primary one can be used again afterwards.
void empty_context(Runtime& runtime, Context& context);

}  // namespace warplens::cuda::driver
