// The law of an address: which sum of products of thread indices, block indices, parameters and loop counters it is.
//
//     in[(blockIdx.y * blockDim.y + threadIdx.y) * n + threadIdx.x]   is
//     in + 4 n blockDim.y blockIdx.y + 4 n threadIdx.y + 4 threadIdx.x
//
// Laws are of the program as written: they say what an address is while no sum wraps, whatever the block's shape and
// the parameters are. (passes/lanes.h says what is true of one shape, bit by bit.) A loop's counter is how often it
// went round. What is no such sum is a factor of its own: a quotient, a remainder, a value that was loaded.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace warplens::passes {

struct Factor {
  enum class Kind : uint8_t {
    Special,    // threadIdx.x and its like: `special`
    Param,      // bytes `offset` to `offset + bytes` of the parameters
    Variable,   // the address of symbol `index` of the module
    Counter,    // how often a loop went round; `value` is its last branch
    Quotient,   // terms(0) / terms(1), cut off
    Remainder,  // terms(0) % terms(1)
    Computed,   // by `value`, of what its operands' laws hold: `of` has one term for each factor that it depends on
    Loaded,     // from memory, or given by another thread, by `value`
  };
  Kind kind = Kind::Computed;
  ir::SpecialRegister special = ir::SpecialRegister::Zero;
  uint32_t offset = 0, bytes = 0, index = 0;
  ir::ValueId value = ir::kNone;
  std::vector<uint32_t> of;  // Quotient, Remainder: indices of the two laws in LawTable::inner; Computed: factors
  friend bool operator==(const Factor&, const Factor&) = default;
};

struct Term {
  int64_t coefficient = 0;
  std::vector<uint32_t> factors;  // indices in LawTable::factors, sorted; the same one twice is its square
  friend bool operator==(const Term&, const Term&) = default;
};
using Sum = std::vector<Term>;  // sorted by factors, no coefficient 0

struct LawTable {
  std::vector<Factor> factors;
  std::vector<Sum> inner;  // of quotients and remainders
  std::vector<Sum> sites;  // per site of the function: the byte address in its space; empty: no access, or not known
};

// `f` is canonical (passes::prepare).
LawTable address_laws(const ir::Function& f);

// Whether the factor, or anything that it is computed of, is of that kind.
bool depends_on(const LawTable& laws, uint32_t factor, Factor::Kind kind);
bool depends_on(const LawTable& laws, uint32_t factor, ir::SpecialRegister special);

}  // namespace warplens::passes
