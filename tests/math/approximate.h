// PTX's approximate instructions: what PTX ISA promises of each, and how a kernel calls it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warplens::accuracy {

struct Approximate {
  enum class Bound : uint8_t { Ulp, Relative, Absolute, Lg2 };  // Lg2: absolute in (0.5, 2), relative elsewhere
  const char* text;                                             // "ex2.approx.ftz.f32"
  char type;                                                    // f, d, h (f16), b (bf16)
  const char* function;                                         // of exact.h; "rcp" and "div" besides
  Bound bound;
  double largest;
  const char* promise;  // the bound as PTX ISA puts it
  double range = 0;     // of |x|, or of |divisor|; 0: all
};
const std::vector<Approximate>& approximate_instructions();

// A kernel "k" of blocks of 256 that applies it to slots of 8 bytes: parameters result, first and second argument.
std::string kernel_of(const Approximate& instruction);

}  // namespace warplens::accuracy
