// Single PTX instructions lowered into a function that is built by somebody else: other front ends use what is known of
// PTX's instructions without writing PTX themselves.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "lower/builder.h"

namespace warplens::lower {

class Snippets {
 public:
  explicit Snippets(ir::Kernel& kernel);
  ~Snippets();
  Snippets(const Snippets&) = delete;
  Snippets& operator=(const Snippets&) = delete;

  Builder& builder();

  // `text`: one instruction, without a guard: "fma.rn.f16x2 %r0, %r1, %r2, %r3;". Its registers are %r<32> (32 bits),
  // %h<32> (16), %d<32> (64), %f<32> (f32), %e<32> (f64), %p<32>; `arguments` gives those that it reads their values.
  // `guard`: of memory accesses and operations of warps. Throws Error where the instruction cannot be lowered.
  struct Argument {
    std::string name;
    ir::ValueId value;
  };
  void run(const std::string& text, const std::vector<Argument>& arguments, ir::ValueId guard = ir::kNone);
  ir::ValueId result(std::string_view name);  // what the register holds after that
  struct Error {
    std::string reason;
  };

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warplens::lower
