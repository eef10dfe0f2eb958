// The algorithms of kernels/*.cu as one would write them in plain C++, to be compiled with -O3 for the machine.
#pragma once
#include <cstddef>

namespace warplens::bench {

// What a kernel works on. Arrays that a kernel does not use are null.
struct Job {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  const int* index = nullptr;
  const int* table = nullptr;
  int* out = nullptr;
  int* trace = nullptr;
  int n = 0;      // elements, or rows and columns; for a histogram, elements of a block
  int limit = 0;  // table size, or most steps
};

// Does elements (rows, for two-dimensional work) begin to end - 1. Sums: c[begin] gets the sum of a[begin..end).
using NativeFunction = void (*)(const Job& job, int begin, int end);

// One compilation of native.cpp.
struct NativeBuild {
  const char* compiler;  // "g++ 12.2.0"
  const char* arch;      // what -march= said
  NativeFunction (*find)(const char* name);
};

}  // namespace warplens::bench
