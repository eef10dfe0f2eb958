#include "cuda/host_queue.h"

namespace warplens::cuda {

void HostQueue::push(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  if (!started_) {
    std::thread thread([this] { run(); });
    thread_ = thread.get_id();
    thread.detach();
    started_ = true;
  }
  changed_.notify_all();
}

bool HostQueue::on_queue_thread() const { return started_ && std::this_thread::get_id() == thread_; }

void HostQueue::wait() {
  std::unique_lock lock(mutex_);
  if (on_queue_thread()) return;
  changed_.wait(lock, [this] { return work_.empty() && !busy_; });
}

void HostQueue::run() {
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
