// A kernel for one function of libdevice.
#pragma once
#include <string>

namespace warplens::accuracy {

const char* width_of(char letter);  // of a signature: "b32" or "b64"

// A kernel "k" of blocks of 256 that calls `name` once per thread; thread t's slots of 8 bytes lie t * 8 bytes into
// each of its eight parameters array0 to array7: the result, what pointers lead to (1, 2), and the arguments from
// array3 on. `signature` is that of lower::libdevice_signature.
std::string call_kernel(const std::string& name, const std::string& signature);

}  // namespace warplens::accuracy
