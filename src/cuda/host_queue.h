// Functions that a program asks the runtime to call in stream order (cudaLaunchHostFunc, cudaStreamAddCallback). They
// run on a thread of their own, as CUDA's do, so that one may wait for a lock that its submitter holds. They may not
// call CUDA: nearly every function gives cudaErrorNotPermitted there (an H200, driver 580).
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace warplens::cuda {

class HostQueue {
 public:
  void push(std::function<void()> work);
  void wait();           // until all that was pushed has run
  static bool inside();  // the calling thread runs such a function now

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool started_ = false, busy_ = false;
};

}  // namespace warplens::cuda
