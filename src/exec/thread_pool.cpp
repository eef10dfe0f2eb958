#include "exec/thread_pool.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace warplens::exec {

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable start, done;
  const std::function<void(unsigned)>* work = nullptr;
  uint64_t generation = 0;
  unsigned wanted = 0, running = 0;
  bool quit = false;
  std::vector<std::thread> threads;

  void loop(unsigned worker) {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      start.wait(lock, [&] { return quit || (generation != seen && worker < wanted); });
      if (quit) return;
      seen = generation;
      const auto* mine = work;
      lock.unlock();
      (*mine)(worker);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : size_(std::max(1u, threads)), impl_(std::make_unique<Impl>()) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->quit = true;
  }
  impl_->start.notify_all();
  for (std::thread& t : impl_->threads) t.join();
}

void ThreadPool::run(unsigned workers, const std::function<void(unsigned)>& work) {
  workers = std::clamp(workers, 1u, size_);
  if (workers > 1) {
    std::unique_lock lock(impl_->mutex);
    while (impl_->threads.size() + 1 < workers) {
      const unsigned index = static_cast<unsigned>(impl_->threads.size() + 1);
      impl_->threads.emplace_back([this, index] { impl_->loop(index); });
    }
    impl_->work = &work;
    impl_->wanted = workers;
    impl_->running = workers - 1;
    ++impl_->generation;
    impl_->start.notify_all();
  }
  work(0);
  if (workers > 1) {
    std::unique_lock lock(impl_->mutex);
    impl_->done.wait(lock, [&] { return impl_->running == 0; });
    impl_->wanted = 0;
  }
}

}  // namespace warplens::exec
