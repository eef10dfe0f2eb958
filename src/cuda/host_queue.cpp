#include "cuda/host_queue.h"

namespace warplens::cuda {

static thread_local bool is_host_thread = false;

void HostQueue::push(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  if (!started_) {
    std::thread([this] { run(); }).detach();
    started_ = true;
  }
  changed_.notify_all();
}

bool HostQueue::inside() { return is_host_thread; }

void HostQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return work_.empty() && !busy_; });
}

void HostQueue::run() {
  is_host_thread = true;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !work_.empty(); });
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace warplens::cuda
