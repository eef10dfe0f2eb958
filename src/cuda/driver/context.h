// Contexts. There is one device and one memory, so a context is little more than what says whether a thread may call:
// what was allocated and loaded in it goes when it goes. The runtime shares them: its calls make the primary context
// current.
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

// What each call of the runtime does first: a thread without a context gets the primary one, which becomes active.
void enter_primary_context(Runtime& runtime);

// ---- under Runtime::mutex

Context* primary_context();
bool is_context(const Context* context);  // one that was made; it may be gone since
Context* make_context(unsigned flags);
// Gives back all that belongs to it. The primary one can be used again afterwards.
void empty_context(Runtime& runtime, Context& context);

}  // namespace warplens::cuda::driver
