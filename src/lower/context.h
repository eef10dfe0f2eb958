// What the lowering of an instruction needs: where names lead, operands as values, results into registers, refusals.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"
#include "lower/builder.h"
#include "lower/types.h"
#include "ptx/line_info.h"
#include "ptx/module.h"

namespace warplens::lower {

// Thrown while one instruction is lowered, caught by Context::lower_instruction: the instruction becomes a Trap.
struct Refusal {
  std::string reason;      // "tex.2d.v4.f32.s32 is not supported yet", "undeclared register %r9"
  bool malformed = false;  // the PTX is wrong, as opposed to Warplens not being able
};

// A PTX instruction with its type modifiers read.
struct Instr {
  explicit Instr(const ptx::Instruction& instruction);
  const ptx::Instruction& text;
  std::vector<ScalarType> types;
  bool has(std::string_view modifier) const;
  std::string full_opcode() const;                  // "ld.global.nc.v4.f32"
  const ptx::Operand& operand(size_t index) const;  // refuses where there is none
  size_t operand_count() const { return text.operands.size(); }
  ScalarType type(size_t index = 0) const;  // refuses where there is none
  // .rn .rz .rm .rp and their ...i forms, .rna; `otherwise` where none is given.
  ir::Rounding rounding(ir::Rounding otherwise = ir::Rounding::Nearest) const;
};

// A .param variable of a call, or a device function's formal parameter (the same object: parameters go by value and
// nobody writes one after the call has begun). Its bytes are SSA variables, or lie in the thread's local memory where
// some access is not at a fixed place.
struct ParamObject {
  struct Cell {
    uint32_t offset;
    uint32_t bytes;
    VarId variable;
  };
  uint32_t bytes = 0;
  bool in_memory = false;
  uint32_t frame_offset = 0;
  std::vector<Cell> cells;  // sorted, disjoint
};

struct Name {
  enum class Kind : uint8_t { Register, Param, KernelParam, Local, Shared, Symbol, Function, Label, Unusable };
  Kind kind = Kind::Unusable;
  ir::Type type = ir::Type::Void;           // Register
  VarId variable = 0;                       // Register: the first
  uint32_t count = 0;                       // Register: of %r<count>; 0: this very name
  uint32_t components = 1;                  // Register: of a .v2 or .v4 one
  std::shared_ptr<ParamObject> object;      // Param
  uint32_t offset = 0;                      // KernelParam, Local, Shared: bytes
  uint64_t element_bytes = 0;               // Local, Shared, Symbol
  uint32_t index = 0;                       // Symbol: in ir::Module::symbols; Label: in Frame::labels
  ir::Space space = ir::Space::Global;      // Symbol
  const ptx::Function* function = nullptr;  // Function
  std::string why;                          // Unusable: what it is
};

struct Scope {
  const Scope* parent = nullptr;
  std::unordered_map<std::string_view, Name> names;  // keys live in the ptx::Module
};

// What is known of a function before it is lowered, once for all its inlined copies.
struct FunctionFacts {
  FunctionFacts(const ptx::Module& module, const ptx::Function& function, const ptx::SectionBytes& strings)
      : lines(module, function, strings) {}
  ptx::LineTable lines;
  struct Range {
    uint32_t offset;
    uint32_t bytes;
  };
  struct Access {
    std::vector<Range> ranges;
    bool address_taken = false;
  };
  std::map<std::string, Access, std::less<>> param_accesses;  // by name, over the whole body
  struct Passed {
    std::string callee;
    size_t position;
    bool result;
  };
  std::map<std::string, std::vector<Passed>, std::less<>> passed;     // .param variables and the calls they go to
  std::unordered_map<std::string, const ptx::Directive*> prototypes;  // label -> .callprototype or .calltargets
  std::vector<std::string> called;                                    // callees that are named
  std::vector<std::string> called_by;  // of calls through a register: the label of what says how
  bool allocates = false;              // has alloca or its like
  bool reserved_shared = false;        // asks where the reserved shared memory is
  std::unordered_map<std::string, std::vector<std::string>> branch_tables;  // label -> labels, of .branchtargets
  std::vector<std::string> mentioned;                                       // symbols in operands, but for callees
  std::vector<const ptx::Variable*> variables;  // .shared, .global and .const ones of the body
};

// A part of an argument or result: an integer.
struct Piece {
  int64_t offset;  // bytes
  int64_t bytes;   // 1, 2, 4 or 8
  ir::ValueId value;
};

// What stands in one frame on the thread's stack: a kernel, or a function that stands once, with what is inlined there.
struct Activation {
  VarId base = ir::kNone;        // I64: where its variables begin in the thread's local memory; kNone: at 0
  ir::ValueId size = ir::kNone;  // a late constant, I64: of its variables (the kernel's: kernel_frame())
  uint64_t top = 0, bytes = 0;   // of its variables: in use at this place of the text, in all
  VarId allocated = ir::kNone;   // I64: where alloca's part ends; kNone: nothing in the module has an alloca
};

// How functions that stand once are called: all with the same results and parameters are called alike (placed.cpp).
struct Convention {
  struct Word {
    size_t formal;
    int64_t offset, bytes;
    VarId variable;  // passed
  };
  std::vector<Word> arguments, results;
  VarId site;           // passed, I32: which of `sites` the call is
  ir::BlockId returns;  // where all of them return to
  struct Site {
    size_t activation;  // of the caller: 0 the kernel, k the k-th function that stands once
    ir::BlockId after;
  };
  std::vector<Site> sites;
};
struct PlacedFunction {
  const ptx::Function* function;
  Convention* convention;
  ir::BlockId entry;
  const ptx::Instruction* call;  // the first
  uint32_t location;             // of that
};

// One function while it is lowered: the kernel, a function that stands once, or an inlined copy of a device function.
struct Frame {
  const ptx::Function* function = nullptr;
  const FunctionFacts* facts = nullptr;
  std::vector<ir::Frame> call_stack;     // where it was called, innermost call first
  ir::BlockId return_block = ir::kNone;  // kNone: the kernel itself
  struct LabelState {
    ir::BlockId block;
    uint32_t references;
    bool placed;
    std::string_view name;
  };
  std::vector<LabelState> labels;
  std::unordered_map<int32_t, std::vector<ir::Frame>> stacks;  // of each loc, the call stack included
};

// What all kernels of a module share.
struct ModuleContext {
  const ptx::Module& ptx;
  ir::Module& ir;
  Diagnostics& diagnostics;
  std::string file_name;
  std::unordered_map<std::string_view, const ptx::Function*> functions;
  std::unordered_map<std::string_view, Name> function_names;
  std::vector<const ptx::Function*> addressed;         // functions whose address some instruction or initializer takes
  bool allocates = false;                              // some function has an alloca
  std::unordered_map<std::string_view, Name> symbols;  // global and const variables
  std::unordered_map<std::string_view, const ptx::Variable*> shared;  // module-level .shared variables
  std::vector<const ptx::Variable*> shared_order;
  ptx::SectionBytes strings;  // what .loc's function names are in
  std::unordered_map<const ptx::Function*, std::unique_ptr<FunctionFacts>> facts;
  std::unordered_map<std::string, uint32_t> file_index;

  ModuleContext(const ptx::Module& ptx, ir::Module& ir, Diagnostics& diagnostics, std::string_view file_name);
  const FunctionFacts& facts_of(const ptx::Function& function);
  ir::Frame frame_of(const ptx::LineFrame& line);
  // What a pointer to it holds: no place in memory, the same in every kernel of the module.
  uint64_t address_of(const ptx::Function& function) const;
  // What a call by the prototype or list of targets may reach, in the module's order.
  std::vector<const ptx::Function*> targets_of(const ptx::Directive& how);
  bool may_recur(const ptx::Function& function);  // may a call of it lead to a call of it?
  // What it calls, or may call through pointers.
  const std::vector<const ptx::Function*>& callees_of(const ptx::Function& function);

 private:
  std::unordered_map<const ptx::Function*, std::vector<const ptx::Function*>> callees_;
  std::unordered_map<const ptx::Function*, bool> recurs_;
};

// The sizes of results and parameters: what a call and its callee must agree about.
std::string shape_of(const std::vector<ptx::Variable>& results, const std::vector<ptx::Variable>& params);

struct CallOperands {
  const ptx::Operand* results = nullptr;  // a List
  const ptx::Operand* target = nullptr;
  const ptx::Operand* arguments = nullptr;  // a List
  const ptx::Operand* how = nullptr;        // of a call through a register: its prototype or targets
};
CallOperands call_operands(const ptx::Instruction& call);

class Context {
 public:
  Context(ModuleContext& module, ir::Kernel& kernel, const ptx::Function& function);
  void lower_kernel();

  Builder& b() { return builder_; }
  ir::Function& function() { return kernel_.function; }
  ModuleContext& module() { return module_; }

  // ---- refusing
  [[noreturn]] void refuse(std::string reason) const;       // Warplens cannot run this
  [[noreturn]] void malformed(std::string reason) const;    // this is not PTX
  [[noreturn]] void unsupported(const Instr& instr) const;  // refuse "... is not supported yet"

  // ---- operands
  const Name* find(const ptx::Operand& operand) const;  // nullptr: unknown
  struct Register {
    VarId variable;
    ir::Type type;
    uint32_t components;
  };
  std::optional<Register> find_register(const ptx::Operand& operand) const;
  ir::ValueId value(const ptx::Operand& operand, ScalarType type);
  ir::ValueId predicate(const ptx::Operand& operand);
  uint64_t immediate(const ptx::Operand& operand);      // refuses anything else
  ir::Type declared_type(const ptx::Operand& operand);  // of a register; Void for anything else
  // Writes a result. Where the register is wider, the value is extended (by sign: is `type` signed). Under a guard the
  // register keeps its old value in lanes whose guard is false.
  void write(const ptx::Operand& destination, ir::ValueId value, ScalarType type);
  ir::ValueId old_value(const ptx::Operand& destination, ir::Type type);
  ir::ValueId guard() const { return guard_; }  // of the instruction being lowered, or kNone

  // ---- places
  struct Address {
    ir::ValueId base = ir::kNone;  // I64 or (shared) I32
    int64_t offset = 0;
    const Name* name = nullptr;  // where the text names a variable
  };
  Address address(const ptx::Operand& operand);
  ir::ValueId address_of(const Name& name, int64_t offset);  // what `mov %rd, name+offset` yields
  uint32_t allocate_local(uint64_t bytes, uint32_t align);
  ir::ValueId local_address(int64_t offset);  // I64, of what allocate_local() gave
  void allocate_on_stack(const ptx::Operand& destination, ir::ValueId bytes, uint64_t align);  // alloca
  VarId allocated() { return activation_->allocated; }

  // ---- memory and sites
  ir::SiteId new_site(ir::SiteKind kind, const Instr& instr, ir::Space space, ir::Type type, int components);
  // Of the instruction being lowered, where it becomes an access without looking like one (a parameter in memory).
  ir::SiteId new_site(ir::SiteKind kind, ir::Space space, ir::Type type);

  // ---- control
  void lower_instruction(const ptx::Instruction& instruction);
  // One that stands in no function's text (snippet.h). Throws Refusal.
  void lower_alone(const ptx::Instruction& instruction, Frame& frame, const Scope& scope, ir::ValueId guard);
  void lower_body(Frame& frame, const ptx::Block& body, Scope& scope);
  ir::BlockId branch_target(const std::string& label);
  void branched_to(const std::string& label);  // one reference less to come; after the edge was made
  ir::SiteId branch_site(const Instr& instr);
  void trap(ir::TrapKind kind, std::string message);  // ends the block; what follows is unreachable
  void call(const Instr& instr);
  void return_from_function();
  Frame& frame() { return *frame_; }
  std::string where() const;  // "kernel foo, line 12" or "kernel foo, foo.cu:3 (PTX line 12)"
  std::vector<std::string> branch_table(const ptx::Operand& operand) const;

  // ---- .param variables
  std::shared_ptr<ParamObject> make_object(const ptx::Variable& variable, const Frame& frame);
  std::vector<Piece> pieces_of(ParamObject& object);
  void fill(ParamObject& object, const std::vector<Piece>& pieces);
  ir::ValueId piece(const std::vector<Piece>& pieces, int64_t offset, int64_t bytes);  // 0 where there is none
  ir::ValueId load_param(ParamObject& object, int64_t offset, ir::Type type);
  void store_param(ParamObject& object, int64_t offset, ir::ValueId value);

  // The carry of add.cc and its like: a Pred.
  ir::ValueId read_carry() { return builder_.read(carry()); }
  void write_carry(ir::ValueId value);

 private:
  void declare_kernel_params(Scope& scope);
  void lay_out_shared();
  void declare(const ptx::Variable& variable, Scope& scope);
  void declare_labels(const ptx::Block& body, Scope& scope);
  const Name* lookup(std::string_view name) const;
  void place_label(const ptx::Label& label);
  void check_labels();
  ir::ValueId guard_value(const ptx::Instruction& instruction);
  ir::BlockId branch_around(const Instr& instr);
  void forget_targets(const ptx::Instruction& instruction);
  uint32_t location_of(const ptx::Instruction& instruction);
  // `copies`: nobody knows which callee it is, so that each has parameters of its own.
  void inline_call(const ptx::Function& callee, const ptx::Operand* results, const ptx::Operand* arguments,
                   bool copies = false);
  void bind_formal(const ptx::Variable& formal, const ptx::Operand& actual, Scope& scope, const Frame& frame,
                   bool is_result, bool copies);
  void fetch_result(const ptx::Variable& formal, const ptx::Operand& actual, const Scope& scope, bool copies);
  void indirect_call(const CallOperands& parts, ir::ValueId address);
  // Functions that stand once (placed.cpp).
  void call_placed(const std::vector<const ptx::Function*>& targets, ir::ValueId address, const CallOperands& parts);
  Convention& convention_of(const ptx::Function& callee);
  ir::BlockId entry_of(const ptx::Function& callee, Convention& convention);
  void pass_arguments(const Convention& convention, const ptx::Function& callee, const ptx::Operand* arguments);
  void take_results(const Convention& convention, const ptx::Function& callee, const ptx::Operand* results);
  void prepare_placed();
  ir::ValueId end_of_frame();
  ir::ValueId kernel_frame();
  void check_room(ir::ValueId stack_end, ir::ValueId local_end);
  // Where the address is a target's, what `go` makes of it; else a trap.
  void jump_to(const std::vector<const ptx::Function*>& targets, ir::ValueId address,
               const std::function<void(const ptx::Function&)>& go);
  void refusing(const std::function<void()>& lower);  // what is refused becomes a trap
  void lower_placed(size_t index);
  void bind_placed(const PlacedFunction& placed, const Frame& frame, Scope& scope);
  void return_placed(const PlacedFunction& placed, const Scope& scope, VarId site);
  void join_returns();
  void finish_frames();
  ir::ValueId argument(const ptx::Operand* arguments, size_t index, ScalarType type);  // of a call
  std::string assert_message(const ptx::Operand* arguments);
  bool call_known(const std::string& name, const ptx::Operand* results, const ptx::Operand* arguments);
  void give_result(const std::string& name, const ptx::Operand* results, ir::ValueId result, ScalarType type);
  void report(Severity severity, const std::string& message, SourcePos pos);
  void name_sites();
  std::string place_of(const ptx::Operand& operand);
  void follow_place(const ptx::Instruction& instruction);
  void mark_increments();
  VarId carry();

  ModuleContext& module_;
  ir::Kernel& kernel_;
  const ptx::Function& ptx_function_;
  Builder builder_;
  Frame* frame_ = nullptr;
  const Scope* scope_ = nullptr;
  std::vector<const ptx::Function*> active_;  // being inlined, outermost first
  Activation kernel_activation_;
  Activation* activation_ = &kernel_activation_;
  size_t activation_index_ = 0;  // 0: the kernel
  std::vector<PlacedFunction> placed_;
  std::map<std::string, std::unique_ptr<Convention>> conventions_;
  VarId stack_end_ = ir::kNone;            // passed, I32: where StackStore goes on; kNone: no function stands once
  VarId callee_base_ = ir::kNone;          // passed, I64
  ir::ValueId largest_frame_ = ir::kNone;  // late constants, I64: of any function that stands once, ...
  ir::ValueId kernel_frame_ = ir::kNone;   // ... of the kernel
  uint64_t most_frame_ = 0;
  std::unordered_map<std::string_view, Name> shared_;
  struct Placed {
    std::string name;
    uint64_t offset, bytes;
  };
  std::vector<Placed> shared_places_, local_places_;
  std::unordered_map<VarId, std::string> register_places_;  // of shared and local variables, whose address it is from
  ir::ValueId guard_ = ir::kNone;
  const Instr* instr_ = nullptr;  // being lowered
  SourcePos pos_;
  uint64_t lowered_instructions_ = 0;
  std::unordered_set<std::string> reported_;
  VarId carry_ = ir::kNone;
};

}  // namespace warplens::lower
