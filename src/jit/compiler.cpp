#include "jit/compiler.h"

#include <cstring>
#include <functional>

#include "base/deep_stack.h"
#include "codegen/emitter.h"
#include "jit/inline_math.h"
#include "jit/symbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace warplens::jit {

namespace orc = llvm::orc;

namespace {

// Code of more instructions than this is made in haste: LLVM's optimizations and its register allocator take time that
// grows faster than the code, and in code of this size (more than a thousand lines of PTX) every second counts more
// than what they bring. Made in haste, it runs at a third of the speed and takes 15 microseconds an instruction.
constexpr unsigned kHasty = 60000;
// Instruction selection takes a basic block at a time, and time that grows with its square.
constexpr size_t kLongBlock = 400;

// LLVM walks expressions by recursion: a kernel of many thousand instructions in one block takes it many thousand
// frames deep, and a program may launch from a thread with little stack. Pages that are not reached cost nothing.
constexpr size_t kStack = size_t{256} << 20;

Error from_llvm(llvm::Error error, const char* doing) {
  return {std::string("cannot ") + doing + ": " + llvm::toString(std::move(error)), ""};
}

// Measured on the kernels of bench/: as fast as -O2's code at two thirds of its time.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager pipeline;
  pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  pipeline.addPass(llvm::SimplifyCFGPass());
  pipeline.addPass(llvm::EarlyCSEPass(true));
  pipeline.addPass(llvm::InstCombinePass());
  pipeline.addPass(llvm::SimplifyCFGPass());
  pipeline.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  pipeline.addPass(llvm::EarlyCSEPass(true));
  pipeline.addPass(llvm::DCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(pipeline)));
  all.run(module, modules);
}

// Cuts long blocks into pieces that no later pass joins again, because an address of theirs is taken.
void split_long_blocks(llvm::Function& function) {
  // What is reserved outside the first block is reserved again each time, and makes the frame's size unknown.
  llvm::BasicBlock& entry = function.getEntryBlock();
  for (llvm::Instruction& i : llvm::make_early_inc_range(entry))
    if (llvm::isa<llvm::AllocaInst>(i)) i.moveBefore(entry, entry.begin());
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& b : function)
    if (b.size() > 2 * kLongBlock) blocks.push_back(&b);
  for (llvm::BasicBlock* b : blocks) {
    std::vector<llvm::Instruction*> starts;
    size_t position = 0;
    for (auto i = b->getFirstInsertionPt(); i != b->end(); ++i)
      if (!llvm::isa<llvm::AllocaInst>(*i) && ++position % kLongBlock == 0 && !i->isTerminator()) starts.push_back(&*i);
    // The last piece first: a split moves all that follows.
    for (; !starts.empty(); starts.pop_back())
      llvm::BlockAddress::get(b->splitBasicBlock(starts.back()->getIterator()));
  }
}

llvm::BitCastInst* mask_of_bits(llvm::Value* v) {
  auto* cast = llvm::dyn_cast<llvm::BitCastInst>(v);
  return cast && cast->getSrcTy()->isIntegerTy() && v->getType()->isVectorTy() ? cast : nullptr;
}

// Logic on masks that come from integers, done on the integers. LLVM 19 compiles
//     or <16 x i1> (bitcast i16 a), (bitcast i16 b)      where both bitcasts are used elsewhere too
// for ever with AVX-512: one of its rules turns this into  bitcast (or i16 a, b),  another turns that back. Neither
// sees through a truncation, so the integers are those of twice 16 bits and more.
void join_masks_as_integers(llvm::Function& function) {
  auto wide = [](llvm::IRBuilder<>& b, llvm::Instruction::BinaryOps op, llvm::Value* x, llvm::Value* y) {
    llvm::Type* narrow = x->getType();
    return b.CreateTrunc(b.CreateBinOp(op, b.CreateZExt(x, b.getInt32Ty()), b.CreateZExt(y, b.getInt32Ty())), narrow);
  };
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
      llvm::IRBuilder<> b(&i);
      if (auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(&i); logic && logic->isBitwiseLogicOp()) {
        auto *x = mask_of_bits(i.getOperand(0)), *y = mask_of_bits(i.getOperand(1));
        if (!x || !y || x->getSrcTy()->getIntegerBitWidth() >= 32) continue;
        i.replaceAllUsesWith(
            b.CreateBitCast(wide(b, logic->getOpcode(), x->getOperand(0), y->getOperand(0)), i.getType()));
        i.eraseFromParent();
      } else if (auto* cast = mask_of_bits(&i); cast && cast->getSrcTy()->getIntegerBitWidth() < 32) {
        auto* bits = llvm::dyn_cast<llvm::BinaryOperator>(cast->getOperand(0));
        if (bits && bits->isBitwiseLogicOp())
          cast->setOperand(0, wide(b, bits->getOpcode(), bits->getOperand(0), bits->getOperand(1)));
      }
    }
  }
}

// What the code's one function takes of the stack: section .stack_sizes holds its address and that size in LEB128.
size_t frame_bytes(std::span<const char> object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "kernel"));
  if (!file) return llvm::consumeError(file.takeError()), 0;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    auto name = section.getName();
    if (!name) llvm::consumeError(name.takeError());
    if (!name || *name != ".stack_sizes") continue;
    auto contents = section.getContents();
    if (!contents) return llvm::consumeError(contents.takeError()), 0;
    if (contents->size() > sizeof(uint64_t)) return llvm::decodeULEB128(contents->bytes_begin() + sizeof(uint64_t));
  }
  return 0;
}

}  // namespace

struct Compiler::Impl {
  std::optional<orc::JITTargetMachineBuilder> builder;
  std::unique_ptr<llvm::TargetMachine> machine, hasty_machine;
  std::unique_ptr<orc::LLJIT> jit;
  std::string cpu;
  bool has_avx512 = false;
  uint32_t lanes = 8;
  unsigned loaded = 0;
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;
const std::string& Compiler::cpu() const { return impl_->cpu; }
uint32_t Compiler::vector_lanes() const { return impl_->lanes; }

Result<std::unique_ptr<Compiler>> Compiler::create(const std::string& cpu, uint32_t lanes) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  std::unique_ptr<Compiler> c(new Compiler);
  Impl& i = *c->impl_;
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host) return from_llvm(host.takeError(), "find out this machine's processor");
  i.builder = std::move(*host);
  i.cpu = i.builder->getCPU();
  if (!cpu.empty()) {
    i.builder = orc::JITTargetMachineBuilder(i.builder->getTargetTriple());
    auto plain = i.builder->createTargetMachine();  // one for a processor that LLVM does not know would complain itself
    if (!plain) return from_llvm(plain.takeError(), "make code for this processor");
    if (!(*plain)->getMCSubtargetInfo()->isCPUStringValid(cpu))
      return Error{"unknown processor '" + cpu + "'",
                   "use an LLVM name such as x86-64, haswell, skylake-avx512 or znver4"};
    i.builder->setCPU(cpu);
    i.cpu = cpu;
  }
  i.builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  i.builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  i.builder->getOptions().EmitStackSizeSection = true;
  auto machine = i.builder->createTargetMachine();
  if (!machine) return from_llvm(machine.takeError(), "make code for this processor");
  i.machine = std::move(*machine);
  auto hasty = *i.builder;
  hasty.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto hasty_machine = hasty.createTargetMachine();
  if (!hasty_machine) return from_llvm(hasty_machine.takeError(), "make code for this processor");
  i.hasty_machine = std::move(*hasty_machine);
  i.has_avx512 = i.machine->getTargetTriple().isX86() &&
                 i.machine->getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512bw,+avx512vl,+avx512dq");
  i.lanes = lanes != 0 ? lanes : i.has_avx512 ? 16 : 8;
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*i.builder).create();
  if (!jit) return from_llvm(jit.takeError(), "start the just-in-time compiler");
  i.jit = std::move(*jit);
  orc::SymbolMap symbols;
  for (const Symbol& s : runtime_symbols())
    symbols[i.jit->mangleAndIntern(s.name)] = {orc::ExecutorAddr::fromPtr(s.address),
                                               llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (auto error = i.jit->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))))
    return from_llvm(std::move(error), "name the run-time functions");
  return c;
}

Result<std::vector<char>> Compiler::compile(const ir::Function& f, const passes::Specialization& spec,
                                            const codegen::Plan& plan, bool counting) {
  Result<std::vector<char>> object = Error{"no code was made", ""};
  on_deep_stack(kStack, [&] { object = make_object(f, spec, plan, counting); });
  return object;
}

Result<std::vector<char>> Compiler::make_object(const ir::Function& f, const passes::Specialization& spec,
                                                const codegen::Plan& plan, bool counting) {
  llvm::LLVMContext context;
  llvm::Module module(f.name, context);
  module.setDataLayout(impl_->machine->createDataLayout());
  module.setTargetTriple(impl_->machine->getTargetTriple().str());
  llvm::Function* function = codegen::KernelEmitter(module, f, spec, plan, counting).run();
  function->addFnAttr("target-cpu", impl_->machine->getTargetCPU());
  function->addFnAttr("target-features", impl_->machine->getTargetFeatureString());
  if (impl_->has_avx512) {
    const char* bits = impl_->lanes == 16 ? "512" : "256";
    function->addFnAttr("prefer-vector-width", bits);
    function->addFnAttr("min-legal-vector-width", bits);
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return Error{"the code made for kernel " + f.name + " is not valid: " + stream.str(),
                 "please report this with the program"};
  const bool hasty = function->getInstructionCount() > kHasty;
  if (!hasty) inline_math(module, impl_->lanes);
  if (!hasty) optimize(module, *impl_->machine);
  if (impl_->has_avx512) join_masks_as_integers(*function);
  split_long_blocks(*function);
  orc::SimpleCompiler compile(hasty ? *impl_->hasty_machine : *impl_->machine);
  auto object = compile(module);
  if (!object) return from_llvm(object.takeError(), "make machine code");
  return std::vector<char>((*object)->getBufferStart(), (*object)->getBufferEnd());
}

Result<LoadedCode> Compiler::load(std::span<const char> object) {
  auto library = impl_->jit->createJITDylib("kernel" + std::to_string(impl_->loaded++));
  if (!library) return from_llvm(library.takeError(), "load machine code");
  library->addToLinkOrder(impl_->jit->getMainJITDylib());
  auto copy = llvm::MemoryBuffer::getMemBufferCopy({object.data(), object.size()}, "kernel");
  if (auto error = impl_->jit->addObjectFile(*library, std::move(copy)))
    return from_llvm(std::move(error), "load machine code");
  auto address = impl_->jit->lookup(*library, "kernel");
  if (!address) return from_llvm(address.takeError(), "load machine code");
  return LoadedCode{address->toPtr<exec::KernelCode>(), frame_bytes(object)};
}

}  // namespace warplens::jit
