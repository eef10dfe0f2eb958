// The threads over which the blocks of grids are spread.
#pragma once
#include <functional>
#include <memory>

namespace warplens::exec {

// Threads that wait for launches; made once, since a program may launch thousands of small grids.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  unsigned size() const { return size_; }
  void run(unsigned workers, const std::function<void(unsigned worker)>& work);  // worker 0 is the caller

 private:
  struct Impl;
  unsigned size_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warplens::exec
