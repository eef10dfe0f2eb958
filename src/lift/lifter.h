// One kernel while it is lifted. Registers are variables of lower::Builder, 32 bits each; a pair of registers is joined
// to a value of 64 bits where one is used (pairs.cpp).
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lift/lift.h"
#include "lower/builder.h"
#include "lower/snippet.h"

namespace warplens::lift {

using ir::Op;
using ir::Type;
using ir::ValueId;
using lower::VarId;
using sass::Instruction;
using sass::Operand;

// What cannot be lifted: the whole kernel is given up.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Lifter;
using Handler = void (*)(Lifter&);

class Lifter {
 public:
  Lifter(const Input& input, ir::Kernel& kernel);
  void run();

  lower::Builder& b() { return builder_; }
  const Input& input() const { return input_; }
  ir::Function& function() { return function_; }
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_form() const;  // this form of the instruction is not known

  // ---- operands of the instruction being lifted
  const Operand& operand(size_t k) const;
  size_t operands() const { return instruction_->operands.size(); }
  ValueId word(const Operand& o);                 // I32 with the operand's minus, ~ and absolute as of an integer
  ValueId raw(const Operand& o, unsigned k = 0);  // I32 without them: word k of a register group or constant
  ValueId wide(const Operand& o);                 // I64: a pair, with the operand's minus
  ValueId f32(const Operand& o);                  // with minus and absolute
  ValueId f64(const Operand& o);
  ValueId predicate(const Operand& o);
  ValueId carry_of(const Operand& o);  // a predicate as 0 or 1

  // Writes under the guard: lanes that are off keep what they had.
  void set(const Operand& o, ValueId value, unsigned k = 0);  // I32 or F32, into register number + k
  void set_wide(const Operand& o, ValueId value);             // I64 or F64
  void set_predicate(const Operand& o, ValueId value);
  ValueId guard() const { return guard_; }
  ValueId barrier_result = ir::kNone;  // of the last reducing barrier

  // ---- values
  ValueId k32(uint64_t value) { return builder_.constant(Type::I32, value); }
  ValueId k64(uint64_t value) { return builder_.constant(Type::I64, value); }
  ValueId join(ValueId low, ValueId high);  // I32, I32 -> I64
  ValueId low(ValueId wide);
  ValueId high(ValueId wide);
  ValueId binary(Op op, ValueId a, ValueId b) { return builder_.binary(op, a, b); }
  ValueId compare(ir::IntCompare how, ValueId a, ValueId b) { return builder_.icmp(how, a, b); }
  ValueId float_op(Op op, std::vector<ValueId> args);              // with the instruction's rounding and .FTZ
  ValueId logic(ValueId x, ValueId y, ValueId z, unsigned table);  // I32 or Pred: bit 4x + 2y + z of the table
  ir::Rounding rounding() const;
  // Asking for a modifier says that the handler knows it. One that nobody asked for refuses the instruction.
  bool has(std::string_view modifier) const {
    asked_.push_back(modifier);
    return instruction_->has(modifier);
  }
  // These may be there and change nothing here, or are asked for where they do.
  void allow(std::initializer_list<std::string_view> modifiers) const {
    asked_.insert(asked_.end(), modifiers.begin(), modifiers.end());
  }

  // A sum whose low word was written with a carry out: what the instruction for the high word joins.
  struct Sum {
    ValueId low = ir::kNone, guard = ir::kNone;
    std::vector<std::pair<ValueId, bool>> terms;  // low words; true: subtracted
    ValueId source = ir::kNone;                   // LEA: the first term is this, shifted by ...
    unsigned shift = 0;
  };
  void remember_carry(const Operand& predicate, Sum sum) {
    sum.guard = guard_;
    if (predicate.number != sass::kPT) carries_[carry_key(predicate)] = std::move(sum);
  }
  const Sum* carry(const Operand& predicate) const;
  void remember_pair(ValueId low, ValueId high, ValueId whole) {
    joined_[{builder_.resolve(low), builder_.resolve(high)}] = whole;
  }

  // ---- PTX (lower/snippet.h): what an instruction does that is one of PTX's
  void ptx(const std::string& text, const std::vector<lower::Snippets::Argument>& arguments);
  // The same for an access or an operation of the warp: under the guard, its sites being this instruction's.
  void ptx_access(const std::string& text, const std::vector<lower::Snippets::Argument>& arguments);
  ValueId ptx_result(std::string_view name) { return snippets_.result(name); }

  // ---- memory
  ValueId address(const Operand& o, ir::Space space);  // memory.cpp

  // ---- constants and special registers (constants.cpp)
  ValueId constant(const Operand& o, unsigned k = 0);  // word k of c[..][..]
  ValueId constant_at(uint8_t bank, uint32_t offset, Type type);
  ValueId indexed_constant(const Operand& o, Type type);
  ValueId special(const std::string& name);
  ValueId clock(const std::string& name, Type type);
  ValueId load_constant(ValueId address, int64_t offset, Type type);

  // ---- sites
  ir::SiteId site(ir::SiteKind kind, ir::Space space, uint32_t bytes, uint32_t components);
  ValueId window(ir::Space space);  // where it begins in the generic address space (I64)
  const Instruction& instruction() const { return *instruction_; }
  std::string opcode_text() const;  // with modifiers, without operands

  // ---- control flow (flow.cpp)
  void barrier(ir::BarrierMode mode, std::vector<ValueId> args);
  void trap(ir::TrapKind kind, std::string message);
  void end_lane();  // EXIT under the guard
  ValueId branch_condition();
  void branch();                             // BRA
  void indirect_branch();                    // BRX
  void call();                               // CALL
  ValueId outside(const std::string& name);  // the address of a function that is nowhere in the cubin
  bool call_outside(ValueId target);
  void return_from_call();  // RET

 private:
  // A place in the code as it is reached through these calls: each call has a copy of what it calls.
  struct Place {
    std::vector<uint32_t> calls;  // where each returns to
    uint32_t offset = 0;
    auto operator<=>(const Place&) const = default;
  };
  void find_leaders();
  ir::BlockId block_at(const Place& place);
  ir::BlockId way_to(const Place& place, ValueId condition);
  void lift_block(const Place& place, ir::BlockId block);
  ir::SiteId branch_site() { return site(ir::SiteKind::Branch, ir::Space::Global, 0, 1); }
  void lift_instruction(const Instruction& instruction);
  void count_guarded(const Instruction& instruction);
  void flush_guarded();
  void go(const Place& target, ir::SiteId site = ir::kNone);
  void go_if(ValueId condition, const Place& yes, const Place& no, ir::SiteId site);
  Place next() const { return {place_.calls, instruction_->offset + 16}; }
  const Instruction& at(uint32_t offset) const;
  VarId variable(const Operand& o, unsigned k) const;
  static uint32_t carry_key(const Operand& o) {
    return o.number + (o.kind == Operand::Kind::UniformPredicate ? 8u : 0u);
  }
  void forget_carry(const Operand& o) { carries_.erase(carry_key(o)); }

  const Input& input_;
  ir::Function& function_;
  lower::Snippets snippets_;
  lower::Builder& builder_;
  VarId registers_, uniforms_, predicates_, uniform_predicates_;
  std::vector<std::string> outside_;
  size_t lifted_ = 0;          // instructions, copies of what is called counted each
  std::vector<bool> leaders_;  // by instruction
  std::map<Place, ir::BlockId> blocks_;
  std::vector<Place> waiting_;
  Place place_;
  const Instruction* instruction_ = nullptr;
  std::unordered_map<uint32_t, const Patch*> patches_;  // by instruction
  const Patch* patch_ = nullptr;                        // of the instruction, until an operand has taken it
  mutable std::vector<std::string_view> asked_;         // modifiers, by the handler of the instruction
  void check_modifiers(Handler handler) const;
  ValueId guard_ = ir::kNone;
  std::map<uint32_t, Sum> carries_;    // by predicate, of the current block
  ValueId pending_guard_ = ir::kNone;  // of the instructions whose lanes that are off are still to be counted ...
  uint32_t pending_count_ = 0;         // ... and how many they are
  std::map<std::pair<ValueId, ValueId>, ValueId> joined_;  // what these two words are the halves of
};

// How a comparison is combined with its predicate: .AND, .OR, .XOR.
Op combination(Lifter& l);
// Writes both results of a comparison (operands 0 and 1), `with` being the predicate that it is combined with.
void set_comparison(Lifter& l, ValueId result, const Operand& with);

Handler find_handler(std::string_view opcode);  // dispatch.cpp; nullptr: not known

// The space whose window in the generic address space `value` is the upper word of.
std::optional<ir::Space> upper_of_window(const ir::Function& f, ValueId value);

// What a loop reads again and again at one place may be changed by others while it does: it stays a read.
void keep_repeated_loads(ir::Function& f);

// pairs.cpp: a loop that carries a pair of registers carries one value of 64 bits where they are joined.
void widen_pairs(ir::Function& f);

}  // namespace warplens::lift
