// One access of 16 bytes where clang would make two of 8.
//
// A structure of 16 bytes that is aligned to 16, such as float4, is copied or cleared by NVIDIA's compilers with one
// vector access; clang's back end for the GPU splits the llvm.memcpy or llvm.memset that it comes to into pieces of 8
// bytes, which is twice the requests and, in shared memory, another count of wavefronts. So the text of the LLVM IR is
// edited between clang's optimiser and its back end.
#pragma once
#include <string>
#include <string_view>

namespace warplens::frontend {

// Replaces each call of llvm.memcpy and llvm.memset that is not volatile, whose size is a constant multiple of 16 of at
// most 128 and whose pointers are said to be aligned to 16, by loads and stores of <4 x i32>. Everything else, and
// whatever is not understood, stays as it is.
std::string widen_copies(std::string_view llvm_ir);

}  // namespace warplens::frontend
