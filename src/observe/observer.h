// Watches one launch: a sink for each worker thread, merged when the launch is over.
//
//   observe::Observer observer(kernel.function.sites, engine.threads());
//   engine.launch(..., [&](unsigned worker) { return observer.sink(worker); }, stop);
//   observer.add_branches(result.counts.branches);
//   std::vector<observe::SiteStats> stats = observer.finish();   // index = ir::SiteId
//
// Every count is exact, and the same however the requests were spread over the workers.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "event/event.h"
#include "ir/ir.h"
#include "observe/site_stats.h"

namespace warplens::observe {

class Observer {
 public:
  Observer(std::span<const ir::Site> sites, unsigned workers);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // worker < workers; the same worker gets the same sink each time. Not for several threads at once.
  event::Sink* sink(unsigned worker);
  void add_branches(std::span<const event::Branch> branches);
  void add_executed(std::span<const event::Executed> accesses);
  std::vector<SiteStats> finish();  // call once, when no worker runs

 private:
  class SiteSink;
  std::vector<std::unique_ptr<SiteSink>> sinks_;
  std::vector<SiteStats> branches_;
};

}  // namespace warplens::observe
