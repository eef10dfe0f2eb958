// Writes an ir::Function in SSA form while the PTX is read: registers are variables, and reading one finds the value
// that reaches this place, adding phis where paths join (the on-the-fly construction of Braun et al., CC 2013).
//
// Integer constants fold and copies vanish as they are written. Constants, parameters, special registers and symbol
// addresses all stand once, at the top of the entry block.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace warplens::lower {

using VarId = uint32_t;

class Builder {
 public:
  explicit Builder(ir::Function& function);

  // ---- blocks. A block is sealed once all its predecessors are known.
  ir::BlockId new_block();
  void enter(ir::BlockId block);
  ir::BlockId block() const { return block_; }
  bool ended() const;  // the current block has its last instruction
  void seal(ir::BlockId block);

  // ---- variables
  VarId new_variables(ir::Type type, uint32_t count = 1);  // the first of `count` consecutive ones
  ir::Type variable_type(VarId variable) const { return variables_[variable]; }
  void write(VarId variable, ir::ValueId value);  // value has the variable's type
  ir::ValueId read(VarId variable);

  // ---- calls (placed.cpp). The function that is called uses the same variables, maybe by calling the caller again:
  // what is read after the call is kept on the thread's stack meanwhile. A passed variable is not: calls hand it over.
  VarId new_passed(ir::Type type);
  // `after` comes from the callee's return. `end` says where the stack ends; its new value is returned.
  ir::ValueId begin_call(ir::BlockId after, VarId end);
  void jump_for_call(ir::BlockId after);  // the current block's end is the jump
  void finish_call();                     // at the start of `after`

  // ---- values. Arguments may be any earlier result.
  ir::ValueId constant(ir::Type type, uint64_t bits);
  ir::ValueId undef(ir::Type type);
  ir::ValueId param(ir::Type type, uint32_t offset);
  ir::ValueId special(ir::SpecialRegister which);
  // One that is not known yet, and must be before the end.
  ir::ValueId late_constant(ir::Type type);
  void decide(ir::ValueId late, uint64_t bits);
  ir::ValueId symbol(uint32_t index);
  // A pure operation: folded where it can be.
  ir::ValueId pure(ir::Inst inst);
  ir::ValueId pure(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> args, uint64_t imm = 0);
  // Anything else: emitted as it is.
  ir::ValueId emit(ir::Inst inst);
  // Short forms of pure(). The type is the first argument's.
  ir::ValueId binary(ir::Op op, ir::ValueId a, ir::ValueId b);
  ir::ValueId unary(ir::Op op, ir::ValueId a);
  ir::ValueId icmp(ir::IntCompare compare, ir::ValueId a, ir::ValueId b);
  ir::ValueId select(ir::ValueId condition, ir::ValueId yes, ir::ValueId no);
  // The same bits as `type`: bitcast where the width is equal, else truncated or extended (sign: sign-extended).
  ir::ValueId cast(ir::ValueId value, ir::Type type, bool sign = false);

  // ---- ends of blocks
  void branch(ir::BlockId target, ir::SiteId site = ir::kNone);
  void branch_if(ir::ValueId condition, ir::BlockId yes, ir::BlockId no, ir::SiteId site);
  void end(ir::Inst inst);                      // Exit, Trap
  void end(ir::Inst inst, ir::BlockId target);  // Barrier

  // ---- PTX instructions: what is emitted between these two stands for one of them
  void begin_instruction(uint32_t location);
  void end_instruction();
  uint32_t location() const { return location_; }
  void set_location(uint32_t location) { location_ = location; }  // of what is no instruction's

  // What stands behind an id now: phis that turned out to be trivial are replaced.
  ir::ValueId resolve(ir::ValueId value);
  const ir::Inst& inst(ir::ValueId value) { return function_.insts[resolve(value)]; }
  ir::Type type(ir::ValueId value) { return inst(value).type; }
  bool is_constant(ir::ValueId value, uint64_t* bits = nullptr);

  // Seals what is left, removes unreachable blocks and trivial phis, puts blocks in reverse post-order.
  void finish();

 private:
  using Key = uint64_t;
  static Key key(ir::BlockId block, VarId variable) { return uint64_t{block} << 32 | variable; }
  ir::ValueId add_inst(ir::Inst inst);
  ir::ValueId prologue(ir::Inst inst);
  ir::ValueId read_in(ir::BlockId block, VarId variable, int depth);
  ir::ValueId new_phi(ir::BlockId block, VarId variable);
  ir::ValueId fill_phi(ir::ValueId phi, ir::BlockId block, VarId variable, int depth);
  ir::ValueId remove_if_trivial(ir::ValueId phi);
  void add_edge(ir::BlockId from, ir::BlockId to);
  void seal_everything();
  void fill_postponed();
  ir::ValueId keep(ir::BlockId after, VarId variable);
  bool store_kept();
  std::vector<ir::BlockId> reverse_post_order() const;
  void drop_unreachable_edges(const std::vector<uint32_t>& position);
  void remove_trivial_phis();
  void compact(const std::vector<ir::BlockId>& order, const std::vector<uint32_t>& position);

  ir::Function& function_;
  ir::BlockId block_ = 0;
  uint32_t location_ = ir::kNone;
  uint32_t pending_weight_ = 0;  // PTX instructions of this block that have emitted nothing yet
  std::unordered_map<ir::BlockId, uint32_t> left_pending_;  // the same of blocks that were left and are not ended
  ir::ValueId first_of_instruction_ = 0;
  ir::BlockId block_of_instruction_ = 0;

  std::vector<ir::Type> variables_;
  std::unordered_map<Key, ir::ValueId> definitions_;
  struct Incomplete {
    ir::ValueId phi;
    VarId variable;
  };
  std::vector<std::vector<Incomplete>> incomplete_;  // per block: phis made before it was sealed
  std::vector<Incomplete> postponed_;                // phis of sealed blocks left for the end, to bound recursion
  std::vector<bool> sealed_;
  std::vector<std::vector<ir::ValueId>> phis_;  // per block
  std::vector<ir::ValueId> prologue_;
  std::unordered_map<uint64_t, std::vector<ir::ValueId>> prologue_index_;
  struct Call {
    ir::BlockId before = 0;  // ends with the jump
    VarId end = 0;           // a passed variable
    ir::ValueId stack_before = ir::kNone, stack_after = ir::kNone, frame = ir::kNone;
    size_t loads_at = 0;  // where in `after` the next StackLoad goes
    uint32_t bytes = 0;   // of the frame
  };
  std::unordered_map<ir::BlockId, Call> calls_;  // by the block after
  struct Kept {
    ir::BlockId after;
    VarId variable;
    ir::ValueId load;
  };
  std::vector<Kept> kept_;          // loads whose stores are still to be made
  std::vector<uint8_t> is_passed_;  // per variable
  uint64_t late_constants_ = 0;
  std::vector<ir::ValueId> forward_;  // per value: what replaces it, or kNone
  std::unordered_map<ir::ValueId, std::vector<ir::ValueId>> phi_users_;
};

}  // namespace warplens::lower
