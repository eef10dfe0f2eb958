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

// A static library: of each member the newest PTX, if it has some.
struct Library {
  std::vector<session::PtxText> texts;
  std::string without_ptx;  // the same message for the last member that holds machine code alone; "" if there is none
};
bool is_library(std::span<const std::byte> bytes);
// Image::result says what is wrong with a member; no texts.
Image read_library(std::span<const std::byte> bytes, const std::string& origin, Library& out);
// Those of the library's texts that define a function which is called and which nothing else has, and what those need
// in turn, leave the library and are added to the program.
void link_from(Library& library, std::vector<session::PtxText>& program);

// Whether the texts, which read_text() took, make one program: every name that is called is in one of them.
Image check_linked(const std::vector<session::PtxText>& texts);
// What cuLinkComplete gives: a fat binary of PTX that read_image() takes.
std::string write_linked(const std::vector<session::PtxText>& texts);

}  // namespace warplens::cuda::driver
