// How `warplens run` asks the program's processes to end the kernel that runs: a page of memory that all of them share,
// a file beside the spool. A signal would not do: the program may block it, ignore it, or use it for something else.
#pragma once
#include <atomic>
#include <string>
#include <utility>

#include "base/result.h"

namespace warplens {

class StopPage {
 public:
  static Result<StopPage> open(const std::string& path);  // makes the file if it is not there
  StopPage(StopPage&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  StopPage& operator=(StopPage&& other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~StopPage();

  std::atomic<bool>& stop() const { return shared_->stop; }
  // Launches that run now, in all processes. One that was killed in the middle of a launch stays counted.
  std::atomic<int>& launches() const { return shared_->launches; }

 private:
  struct Shared {  // a new file is all zero
    std::atomic<bool> stop;
    std::atomic<int> launches;
  };
  explicit StopPage(Shared* shared) : shared_(shared) {}
  Shared* shared_ = nullptr;
};

}  // namespace warplens
