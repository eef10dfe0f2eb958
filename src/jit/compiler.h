// LLVM's side: IR to object code for a CPU, object code to callable code.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/plan.h"
#include "exec/grid.h"
#include "ir/ir.h"

namespace warplens::jit {

struct LoadedCode {
  exec::KernelCode code = nullptr;
  size_t frame_bytes = 0;  // of stack that a call takes
};

class Compiler {
 public:
  static Result<std::unique_ptr<Compiler>> create(const std::string& cpu, uint32_t lanes);  // "", 0: this machine's
  ~Compiler();

  const std::string& cpu() const;
  uint32_t vector_lanes() const;  // 32-bit lanes that are computed at once: 16 with AVX-512, else 8
  Result<std::vector<char>> compile(const ir::Function& f, const passes::Specialization& spec,
                                    const codegen::Plan& plan, bool counting);
  Result<LoadedCode> load(std::span<const char> object);

 private:
  Compiler();
  Result<std::vector<char>> make_object(const ir::Function& f, const passes::Specialization& spec,
                                        const codegen::Plan& plan, bool counting);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warplens::jit
