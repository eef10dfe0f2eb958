// A real GPU as a backend of the instruction tests, where there is one: WARPLENS_TEST_GPU names a file, the tests of
// tests/run then run on the GPU too, are held to the same expectations, and what the table rows printed goes into that
// file. Its result for an H200 is tests/gpu/h200.txt, which every run is compared with (see README.md here).
//
// The GPU works on the tests' own device memory, pinned and mapped at its own address, so that pointers need no
// translation. Module variables live where the driver puts them; they are copied back after the launch.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dim3.h"

namespace warplens::gpu {

bool wanted();  // WARPLENS_TEST_GPU is set

struct Variable {
  std::string name;
  uint64_t host_address = 0;
  uint64_t bytes = 0;
};
struct Launch {
  std::string text;  // PTX
  std::string kernel;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<uint8_t> params;
  uint64_t memory = 0;  // where the tests' device memory begins
  std::vector<Variable> variables;
};
// "" or what went wrong, with the driver's name of the error.
std::string run(const Launch& launch);

// Of a table row's results, in order.
uint64_t hash_of(const std::vector<uint64_t>& results);
void record(const std::string& ptx, uint64_t hash);          // what the GPU computed, into the file
std::optional<uint64_t> reading_of(const std::string& ptx);  // what an H200 computed

}  // namespace warplens::gpu
