// The law of an address, as far as a reader of reports needs it (how it is found: src/passes/law.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dim3.h"

namespace warplens::report {

// What a term changes with. Nothing: it is the same in the whole launch.
struct Depends {
  bool thread = false, block = false, loop = false, data = false;  // data: on what was loaded, or another thread gave
  friend bool operator==(const Depends&, const Depends&) = default;
};

struct LawTerm {
  int64_t coefficient = 1;  // bytes
  // "threadIdx.x", "blockIdx.y", "blockDim.x", "gridDim.x", a variable's name; "$2": the third parameter (bytes of a
  // larger one: "$2+8"); "loop12": how often the loop of line 12 went round; "(a / b)", "(a % b)", "f(a, b)", "idx[]"
  // (something that was loaded through idx).
  std::vector<std::string> factors;
  Depends depends;
  friend bool operator==(const LawTerm&, const LawTerm&) = default;
};

// address = sum of the terms; empty: not known.
using Law = std::vector<LawTerm>;

struct Parameter {
  std::string name;  // the source's, where it could be read; else ""
  uint32_t offset = 0, bytes = 0;
  bool pointer = false;
};

// "in + 4 * n * threadIdx.x + 4 * blockIdx.x": names of parameters in the place of "$2", "parameter 3" where they have
// none.
std::string law_text(const Law& law, const std::vector<Parameter>& parameters);
std::string factor_text(const std::string& factor, const std::vector<Parameter>& parameters);

// What is known of a launch: values of parameters by "$2", of blockDim and gridDim.
struct LawValues {
  Dim3 grid, block;
  std::vector<std::pair<std::string, int64_t>> parameters;
};
// The coefficient times all factors that have a value; the factors that have none are in `rest`. No value where it does
// not fit 64 bits.
int64_t coefficient_of(const LawTerm& term, const LawValues& values, std::vector<std::string>* rest = nullptr);

}  // namespace warplens::report
