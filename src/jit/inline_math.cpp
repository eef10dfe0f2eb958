#include "jit/inline_math.h"

#include <string>
#include <vector>

#include "base/check.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

extern "C" const char wl_math_bitcode_begin[], wl_math_bitcode_end[];

namespace warplens::jit {
namespace {

// LLVM instructions: of one body (pow has 194 of 16 doubles, of which each becomes two of AVX-512, or four), and of all
// that a kernel takes in. Measured on Zen 4, a call takes 0.36 (fmodf) to 1.07 (erff) of the time, 0.8 in the mean of
// 14 functions, and compiling a kernel 26 ms more; larger bodies (gamma, Bessel functions) were slower than a call.
constexpr unsigned kLargest = 200, kAltogether = 2000;

std::unique_ptr<llvm::Module> bodies_in(llvm::LLVMContext& context) {
  const llvm::StringRef bytes(wl_math_bitcode_begin, wl_math_bitcode_end - wl_math_bitcode_begin);
  auto module = llvm::getLazyBitcodeModule({bytes, "math"}, context);  // bodies are read when they are asked for
  WL_CHECK(module, "the bitcode of device math is readable");
  return std::move(*module);
}

struct Calls {
  llvm::Function* callee;  // NAME_wide
  std::string body;        // NAME_8, NAME_16
  std::vector<llvm::CallInst*> calls;
};
std::vector<Calls> calls_of_math(llvm::Module& kernel, unsigned lanes) {
  std::vector<Calls> all;
  for (llvm::Function& f : kernel) {
    llvm::StringRef name = f.getName();
    if (!f.isDeclaration() || !name.consume_back("_wide")) continue;
    Calls of{&f, name.str() + "_" + std::to_string(lanes), {}};
    for (llvm::User* user : f.users())
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) of.calls.push_back(call);
    all.push_back(std::move(of));
  }
  return all;
}

// call NAME_wide(lanes, results, x, ...)  ->  call NAME_lanes(results, x, ..., nothing)
llvm::CallInst* call_of_body(llvm::CallInst* call, llvm::FunctionCallee body) {
  std::vector<llvm::Value*> arguments(call->arg_begin() + 1, call->arg_end());
  llvm::Type* pointer = llvm::PointerType::getUnqual(call->getContext());
  arguments.resize(body.getFunctionType()->getNumParams(), llvm::PoisonValue::get(pointer));
  llvm::CallInst* instead = llvm::CallInst::Create(body, arguments, "", call->getIterator());
  call->eraseFromParent();
  return instead;
}

}  // namespace

void inline_math(llvm::Module& kernel, unsigned lanes) {
  const std::vector<Calls> all = calls_of_math(kernel, lanes);
  if (all.empty()) return;
  std::unique_ptr<llvm::Module> bodies = bodies_in(kernel.getContext());
  bodies->setDataLayout(kernel.getDataLayout());
  bodies->setTargetTriple(kernel.getTargetTriple());
  std::vector<llvm::CallInst*> calls;
  size_t altogether = 0;
  for (const Calls& of : all) {
    llvm::Function* body = bodies->getFunction(of.body);
    if (!body || llvm::errorToBool(body->materialize())) continue;
    const size_t size = body->getInstructionCount();
    if (size > kLargest || altogether + size * of.calls.size() > kAltogether) continue;
    altogether += size * of.calls.size();
    body->removeFnAttr("target-cpu");  // the kernel's hold where it is taken in
    body->removeFnAttr("target-features");
    body->removeFnAttr("tune-cpu");
    const llvm::FunctionCallee declared = kernel.getOrInsertFunction(of.body, body->getFunctionType());
    for (llvm::CallInst* call : of.calls) calls.push_back(call_of_body(call, declared));
    if (of.callee->use_empty()) of.callee->eraseFromParent();
  }
  if (calls.empty()) return;
  WL_CHECK(!llvm::Linker::linkModules(kernel, std::move(bodies), llvm::Linker::LinkOnlyNeeded),
           "bodies of device math fit the kernel's module");
  for (llvm::CallInst* call : calls) {
    llvm::InlineFunctionInfo info;
    WL_CHECK(llvm::InlineFunction(*call, info).isSuccess(), "bodies of device math can be taken in");
  }
  for (llvm::Function& f : llvm::make_early_inc_range(kernel))
    if (!f.isDeclaration() && f.use_empty() && f.getName() != "kernel") f.eraseFromParent();
}

}  // namespace warplens::jit
