#include "base/stop_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warplens {

Result<StopPage> StopPage::open(const std::string& path) {
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* page = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, sizeof(Shared)) == 0)
    page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int failed = errno;
  if (fd >= 0) close(fd);
  if (page == MAP_FAILED) return Error{"cannot use " + path + ": " + std::strerror(failed), ""};
  return StopPage(static_cast<Shared*>(page));
}

StopPage::~StopPage() {
  if (shared_) munmap(shared_, sizeof(Shared));
}

}  // namespace warplens
