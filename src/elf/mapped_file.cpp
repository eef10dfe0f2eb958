#include "elf/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warplens::elf {

MappedFile::MappedFile(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not hold us up
  struct stat status{};
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_ = static_cast<size_t>(status.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data_ == MAP_FAILED) data_ = nullptr, size_ = 0;
  }
  if (fd >= 0) close(fd);
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

}  // namespace warplens::elf
