// A file's bytes, mapped for reading.
#pragma once
#include "elf/view.h"

namespace warplens::elf {

class MappedFile {
 public:
  explicit MappedFile(const char* path);  // empty if it cannot be read, or is no regular file
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace warplens::elf
