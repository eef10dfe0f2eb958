// The IR's text form, for golden tests and bug reports. ir/parse.h reads it back.
//
//   kernel "_Z4addPf" {
//     param 0 bytes 8 align 8 pointer "_Z4addPf_param_0"
//     site 0 load global 4 x1 "ld.global.f32" "_Z4addPf_param_0" @2
//   b0:
//     %0 = param.i64 0
//     %1 = load.f32 global [%0 + 16] {#0 @2}
//     %2 = fadd.f32 %1, f32:1.5 {ftz}
//     condbr %3, b1, b2 {#1}
//   b1: <- b0
//
// Constants of weight 0 stand where they are used, as type:value. In braces: rounding (rz, rm, rp, rna), ftz, volatile,
// `if %p` (the guard), wN (weight, if not 1), #N (site), @N (location). `<-` lists the predecessors in order.
#pragma once
#include <string>

#include "ir/ir.h"

namespace warplens::ir {

struct PrintOptions {
  bool locations = true;     // false: leave locations out (what is printed can still be parsed)
  bool raw_numbers = false;  // true: print ValueIds; false: number values in the order of the text
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Module& module, const Kernel& kernel, const PrintOptions& options = {});
// One instruction on a line, with raw numbers: for messages.
std::string print(const Function& function, ValueId inst);

}  // namespace warplens::ir
