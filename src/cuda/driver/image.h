// What programs hand to the driver as device code, as the PTX in it.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver/abi.h"
#include "session/session.h"

namespace warplens::cuda::driver {

struct Image {
  CuResult result = CuResult::CUDA_SUCCESS;
  std::string message;                  // what is wrong with it, and what to do
  std::vector<session::PtxText> texts;  // several where it was linked of several
};

// What cuModuleLoadData is given: PTX that ends in NUL, a fat binary (or the wrapper that nvcc puts around it), or
// machine code, which is refused. `origin` is what messages call it.
Image read_image(const void* image, const std::string& origin);
// PTX text, which is read here to see whether it is that.
Image read_text(std::string_view text, const std::string& origin);
// The same for a piece of a link, of which the size is known, and which may be an object or a program.
Image read_piece(std::span<const std::byte> bytes, const std::string& origin);

// Whether the texts, which read_text() took, make one program: every name that is called is in one of them.
Image check_linked(const std::vector<session::PtxText>& texts);
// What cuLinkComplete gives: a fat binary of PTX that read_image() takes.
std::string write_linked(const std::vector<session::PtxText>& texts);

}  // namespace warplens::cuda::driver
