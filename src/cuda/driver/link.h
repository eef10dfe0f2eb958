// Joining pieces of device code: what cuLink... and nvJitLink... do.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver/image.h"

namespace warplens::cuda::driver {

enum class InputType : unsigned char {
  Ptx,
  Container,     // a fat binary, cubin, object or library: whatever PTX is in it
  Intermediate,  // NVVM or link-time optimisation: refused
};

class Link {
 public:
  // Both: Image::result and message say what is wrong; no texts.
  Image add(InputType type, std::string_view bytes, const std::string& name);
  Image complete();
  // Once complete: what cuModuleLoadData takes.
  const std::string& linked() const { return linked_; }
  const std::vector<session::PtxText>& texts() const { return texts_; }

 private:
  std::vector<session::PtxText> texts_;
  Library library_;  // of all that were added
  std::string linked_;
};

}  // namespace warplens::cuda::driver
