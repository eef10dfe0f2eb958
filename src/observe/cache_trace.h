// Watches one launch whose code tells every request (jit::EngineOptions::trace) and keeps what each asks of memory, or
// of a sample of its lines. Each observer's sink is put behind one of these, and sees the same events.
//
//   observe::CacheTrace trace(sites, engine.threads());
//   engine.launch(..., [&](unsigned worker) { return trace.sink(worker, observer.sink(worker)); }, stop);
//   CacheTotals figures = replay_caches(gpu, launch, trace.finish());
//
// The trail is the same however the blocks were spread over the workers.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/dim3.h"
#include "event/event.h"
#include "ir/ir.h"
#include "observe/cache_entry.h"

namespace warplens::observe {

class CacheTrace {
 public:
  // `most`: entries kept, of 8 bytes; where there are more, lines are sampled.
  CacheTrace(std::span<const ir::Site> sites, const Dim3& grid, unsigned workers, uint64_t most = 1 << 20);
  ~CacheTrace();
  event::Sink* sink(unsigned worker, event::Sink* behind);  // `behind` gets every event too
  CacheTrail finish();                                      // once, when no worker runs; it points into this

 private:
  class TraceSink;
  struct Site;
  struct Last;
  struct Shared;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<TraceSink>> sinks_;
};

}  // namespace warplens::observe
