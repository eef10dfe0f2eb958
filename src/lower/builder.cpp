#include "lower/builder.h"

#include <utility>

#include "lower/fold.h"

namespace warplens::lower {
namespace {

constexpr int kMaxDepth = 2000;  // of nested phis while reading a variable; deeper ones are filled at the end

uint64_t mask_of(ir::Type type) { return ir::bits(type) >= 64 ? ~uint64_t{0} : (uint64_t{1} << ir::bits(type)) - 1; }

}  // namespace

Builder::Builder(ir::Function& function) : function_(function) {
  new_block();
  sealed_[0] = true;
}

ir::BlockId Builder::new_block() {
  function_.blocks.emplace_back();
  incomplete_.emplace_back();
  phis_.emplace_back();
  sealed_.push_back(false);
  return static_cast<ir::BlockId>(function_.blocks.size() - 1);
}

void Builder::enter(ir::BlockId block) {
  if (!ended() && pending_weight_ != 0) left_pending_[block_] = pending_weight_;
  block_ = block;
  pending_weight_ = 0;
  if (const auto left = left_pending_.find(block); left != left_pending_.end()) {
    pending_weight_ = left->second;
    left_pending_.erase(left);
  }
  first_of_instruction_ = static_cast<ir::ValueId>(function_.insts.size());
  block_of_instruction_ = block;
}

bool Builder::ended() const {
  const auto& insts = function_.blocks[block_].insts;
  return !insts.empty() && ir::info(function_.insts[insts.back()].op).effect == ir::Effect::Ends;
}

void Builder::seal(ir::BlockId block) {
  if (sealed_[block]) return;
  sealed_[block] = true;
  auto waiting = std::move(incomplete_[block]);
  incomplete_[block].clear();
  for (const auto& [phi, variable] : waiting) fill_phi(phi, block, variable, 0);
}

VarId Builder::new_variables(ir::Type type, uint32_t count) {
  const auto first = static_cast<VarId>(variables_.size());
  variables_.insert(variables_.end(), count, type);
  is_passed_.resize(variables_.size());
  return first;
}

VarId Builder::new_passed(ir::Type type) {
  const VarId variable = new_variables(type);
  is_passed_[variable] = 1;
  return variable;
}

void Builder::write(VarId variable, ir::ValueId value) { definitions_[key(block_, variable)] = value; }

ir::ValueId Builder::read(VarId variable) { return resolve(read_in(block_, variable, 0)); }

ir::ValueId Builder::read_in(ir::BlockId block, VarId variable, int depth) {
  const ir::BlockId start = block;
  ir::ValueId value = ir::kNone;
  for (size_t steps = 0;; ++steps) {
    if (const auto it = definitions_.find(key(block, variable)); it != definitions_.end()) {
      value = it->second;
      break;
    }
    if (!calls_.empty() && calls_.contains(block) && !is_passed_[variable]) {
      value = keep(block, variable);
      break;
    }
    const auto& preds = function_.blocks[block].preds;
    if (!sealed_[block] || preds.size() > 1) break;
    if (preds.empty() || steps > function_.blocks.size()) {  // the entry, or a cycle that nothing reaches
      value = undef(variables_[variable]);
      break;
    }
    block = preds[0];
  }
  if (value == ir::kNone) {
    value = new_phi(block, variable);
    definitions_[key(block, variable)] = value;
    if (!sealed_[block]) {
      incomplete_[block].push_back({value, variable});
    } else if (depth > kMaxDepth) {
      postponed_.push_back({value, variable});
    } else {
      value = fill_phi(value, block, variable, depth + 1);
    }
  }
  definitions_[key(start, variable)] = value;
  return value;
}

ir::ValueId Builder::new_phi(ir::BlockId block, VarId variable) {
  ir::Inst inst;
  inst.op = ir::Op::Phi;
  inst.type = variables_[variable];
  inst.block = block;
  inst.weight = 0;
  const ir::ValueId id = add_inst(std::move(inst));
  phis_[block].push_back(id);
  return id;
}

ir::ValueId Builder::fill_phi(ir::ValueId phi, ir::BlockId block, VarId variable, int depth) {
  const auto preds = function_.blocks[block].preds;
  std::vector<ir::ValueId> args;
  for (const ir::BlockId pred : preds) args.push_back(resolve(read_in(pred, variable, depth)));
  for (ir::ValueId& arg : args) {
    arg = resolve(arg);
    if (function_.insts[arg].op == ir::Op::Phi) phi_users_[arg].push_back(phi);
  }
  function_.insts[phi].args = std::move(args);
  return remove_if_trivial(phi);
}

// A phi whose arguments are itself and one other value is that value.
ir::ValueId Builder::remove_if_trivial(ir::ValueId phi) {
  ir::ValueId same = ir::kNone;
  if (function_.insts[phi].args.empty()) return phi;  // not filled yet
  for (ir::ValueId arg : function_.insts[phi].args) {
    arg = resolve(arg);
    if (arg == same || arg == phi) continue;
    if (same != ir::kNone) return phi;
    same = arg;
  }
  if (same == ir::kNone) same = undef(function_.insts[phi].type);  // reached by nothing
  forward_[phi] = same;
  const auto users = std::move(phi_users_[phi]);
  phi_users_.erase(phi);
  for (const ir::ValueId user : users) {
    if (user == phi || forward_[user] != ir::kNone) continue;
    if (function_.insts[same].op == ir::Op::Phi) phi_users_[same].push_back(user);
    remove_if_trivial(user);
  }
  return resolve(same);
}

ir::ValueId Builder::resolve(ir::ValueId value) {
  ir::ValueId root = value;
  while (forward_[root] != ir::kNone) root = forward_[root];
  while (forward_[value] != ir::kNone) value = std::exchange(forward_[value], root);
  return root;
}

ir::ValueId Builder::add_inst(ir::Inst inst) {
  function_.insts.push_back(std::move(inst));
  forward_.push_back(ir::kNone);
  return static_cast<ir::ValueId>(function_.insts.size() - 1);
}

ir::ValueId Builder::prologue(ir::Inst inst) {
  inst.block = 0;
  inst.weight = 0;
  const uint64_t hash = inst.imm * 0x9e3779b97f4a7c15u ^ uint64_t { static_cast<uint8_t>(inst.op) } << 8 ^
                        static_cast<uint8_t>(inst.type);
  auto& candidates = prologue_index_[hash];
  for (const ir::ValueId id : candidates) {
    const ir::Inst& other = function_.insts[id];
    if (other.op == inst.op && other.type == inst.type && other.imm == inst.imm) return id;
  }
  const ir::ValueId id = add_inst(std::move(inst));
  prologue_.push_back(id);
  candidates.push_back(id);
  return id;
}

namespace {
ir::Inst outside(ir::Op op, ir::Type type, uint64_t imm) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.imm = imm;
  return inst;
}
}  // namespace

ir::ValueId Builder::constant(ir::Type type, uint64_t bits) {
  return prologue(outside(ir::Op::Const, type, bits & mask_of(type)));
}
ir::ValueId Builder::undef(ir::Type type) { return prologue(outside(ir::Op::Undef, type, 0)); }
ir::ValueId Builder::param(ir::Type type, uint32_t offset) { return prologue(outside(ir::Op::Param, type, offset)); }
ir::ValueId Builder::symbol(uint32_t index) { return prologue(outside(ir::Op::SymbolAddress, ir::Type::I64, index)); }
ir::ValueId Builder::special(ir::SpecialRegister which) {
  const ir::Type type = which == ir::SpecialRegister::ParamBase ? ir::Type::I64 : ir::Type::I32;
  return prologue(outside(ir::Op::Special, type, static_cast<uint64_t>(which)));
}

ir::ValueId Builder::late_constant(ir::Type type) { return prologue(outside(ir::Op::Undef, type, ++late_constants_)); }

void Builder::decide(ir::ValueId late, uint64_t bits) {
  function_.insts[late].op = ir::Op::Const;
  function_.insts[late].imm = bits & mask_of(function_.insts[late].type);
}

ir::ValueId Builder::pure(ir::Inst inst) {
  for (ir::ValueId& arg : inst.args) arg = resolve(arg);
  if (const auto same = fold(*this, inst)) return *same;
  if (commutes(inst.op) && is_constant(inst.args[0])) std::swap(inst.args[0], inst.args[1]);  // constants stand last
  return emit(std::move(inst));
}

ir::ValueId Builder::pure(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> args, uint64_t imm) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.imm = imm;
  inst.args = args;
  return pure(std::move(inst));
}

ir::ValueId Builder::emit(ir::Inst inst) {
  for (ir::ValueId& arg : inst.args) arg = resolve(arg);
  if (inst.guard != ir::kNone) inst.guard = resolve(inst.guard);
  inst.block = block_;
  inst.location = location_;
  inst.weight = 0;
  if (ir::info(inst.op).effect == ir::Effect::Ends) inst.weight = std::exchange(pending_weight_, 0);
  const ir::ValueId id = add_inst(std::move(inst));
  function_.blocks[block_].insts.push_back(id);
  return id;
}

ir::ValueId Builder::binary(ir::Op op, ir::ValueId a, ir::ValueId b) { return pure(op, type(a), {a, b}); }
ir::ValueId Builder::unary(ir::Op op, ir::ValueId a) { return pure(op, type(a), {a}); }
ir::ValueId Builder::icmp(ir::IntCompare compare, ir::ValueId a, ir::ValueId b) {
  return pure(ir::Op::ICmp, ir::Type::Pred, {a, b}, static_cast<uint64_t>(compare));
}
ir::ValueId Builder::select(ir::ValueId condition, ir::ValueId yes, ir::ValueId no) {
  return pure(ir::Op::Select, type(yes), {condition, yes, no});
}

ir::ValueId Builder::cast(ir::ValueId value, ir::Type to, bool sign) {
  const ir::Type from = type(value);
  if (from == to) return value;
  if (from == ir::Type::Pred) {
    const ir::Type integer = ir::is_float(to) ? (ir::bits(to) == 64 ? ir::Type::I64 : ir::Type::I32) : to;
    return cast(pure(ir::Op::ZExt, integer, {value}), to);
  }
  if (to == ir::Type::Pred) {
    const ir::ValueId bits =
        ir::is_float(from) ? cast(value, from == ir::Type::F64 ? ir::Type::I64 : ir::Type::I32) : value;
    return icmp(ir::IntCompare::Ne, bits, constant(type(bits), 0));
  }
  if (ir::bits(from) == ir::bits(to)) return pure(ir::Op::Bitcast, to, {value});
  if (ir::is_float(from)) return cast(cast(value, from == ir::Type::F64 ? ir::Type::I64 : ir::Type::I32), to, sign);
  if (ir::is_float(to)) return cast(cast(value, to == ir::Type::F64 ? ir::Type::I64 : ir::Type::I32, sign), to);
  if (ir::bits(from) > ir::bits(to)) return pure(ir::Op::Trunc, to, {value});
  return pure(sign ? ir::Op::SExt : ir::Op::ZExt, to, {value});
}

bool Builder::is_constant(ir::ValueId value, uint64_t* bits) {
  const ir::Inst& it = inst(value);
  if (it.op != ir::Op::Const) return false;
  if (bits) *bits = it.imm;
  return true;
}

void Builder::add_edge(ir::BlockId from, ir::BlockId to) {
  function_.blocks[from].succs.push_back(to);
  function_.blocks[to].preds.push_back(from);
}

void Builder::branch(ir::BlockId target, ir::SiteId site) {
  ir::Inst inst;
  inst.op = ir::Op::Br;
  inst.site = site;
  end(std::move(inst), target);
}

void Builder::branch_if(ir::ValueId condition, ir::BlockId yes, ir::BlockId no, ir::SiteId site) {
  ir::Inst inst;
  inst.op = ir::Op::CondBr;
  inst.args = {condition};
  inst.site = site;
  emit(std::move(inst));
  add_edge(block_, yes);
  add_edge(block_, no);
}

void Builder::end(ir::Inst inst) { emit(std::move(inst)); }

void Builder::end(ir::Inst inst, ir::BlockId target) {
  emit(std::move(inst));
  add_edge(block_, target);
}

void Builder::begin_instruction(uint32_t location) {
  location_ = location;
  first_of_instruction_ = static_cast<ir::ValueId>(function_.insts.size());
  block_of_instruction_ = block_;
  ++pending_weight_;
}

// The weight goes to the instruction that does the work: the one with an effect, else the last one.
void Builder::end_instruction() {
  if (pending_weight_ == 0 || block_ != block_of_instruction_) return;
  const auto& insts = function_.blocks[block_].insts;
  ir::ValueId chosen = ir::kNone;
  for (auto it = insts.rbegin(); it != insts.rend() && *it >= first_of_instruction_; ++it) {
    if (chosen == ir::kNone) chosen = *it;
    if (ir::info(function_.insts[*it].op).effect == ir::Effect::Pure) continue;
    chosen = *it;
    break;
  }
  if (chosen != ir::kNone) function_.insts[chosen].weight += std::exchange(pending_weight_, 0);
}

}  // namespace warplens::lower
