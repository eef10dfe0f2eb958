// Blocks, branches, calls.
//
// A convergence barrier (BSSY, BSYNC) says where lanes meet again. The engine lets them meet at the immediate
// post-dominator, which is where compilers put BSYNC; what is left of it is that each group of lanes that arrives
// executes it, so it stands at the end of each way into its block.
#include <algorithm>

#include "lift/families.h"

namespace warplens::lift {
namespace {

constexpr size_t kMostCalls = 16;             // within each other
constexpr size_t kMostInstructions = 20'000;  // lifted, copies of what is called counted each

bool ends_block(std::string_view opcode) {
  return opcode == "BRA" || opcode == "EXIT" || opcode == "BRX" || opcode == "CALL" || opcode == "RET";
}

const Operand* target_of(const Instruction& i) {
  for (const Operand& o : i.operands)
    if (o.kind == Operand::Kind::Target) return &o;
  return nullptr;
}

}  // namespace

const Instruction& Lifter::at(uint32_t offset) const {
  const size_t index = offset / 16;
  if (offset % 16 != 0 || index >= input_.code.size()) refuse("a branch leads out of the function");
  return input_.code[index];
}

void Lifter::find_leaders() {
  leaders_.assign(input_.code.size() + 1, false);
  leaders_[0] = true;
  const auto mark = [&](int64_t offset) {
    if (offset >= 0 && offset % 16 == 0 && static_cast<size_t>(offset) / 16 < input_.code.size())
      leaders_[static_cast<size_t>(offset) / 16] = true;
  };
  for (const Instruction& i : input_.code) {
    if (!ends_block(i.opcode)) continue;
    mark(i.offset + 16);
    if (const Operand* target = target_of(i)) mark(target->value);
  }
  for (const uint32_t target : input_.branch_targets) mark(target);
}

ir::BlockId Lifter::block_at(const Place& place) {
  const auto [it, is_new] = blocks_.try_emplace(place, ir::kNone);
  if (is_new) {
    at(place.offset);
    it->second = builder_.new_block();
    waiting_.push_back(place);
  }
  return it->second;
}

// The way to a block that begins with BSYNC executes that: by the lanes of `condition` (kNone: by all).
ir::BlockId Lifter::way_to(const Place& place, ValueId condition) {
  const ir::BlockId target = block_at(place);
  if (at(place.offset).opcode != "BSYNC") return target;
  if (condition == ir::kNone) {
    builder_.begin_instruction(builder_.location());
    return target;
  }
  ir::Inst inst;
  inst.op = Op::CountOn;
  inst.args = {condition};
  inst.imm = 1;
  builder_.emit(std::move(inst));
  return target;
}

void Lifter::go(const Place& target, ir::SiteId site) {
  const ir::BlockId block = way_to(target, ir::kNone);
  builder_.branch(block, site);
}

void Lifter::go_if(ValueId condition, const Place& yes, const Place& no, ir::SiteId site) {
  const ir::BlockId y = way_to(yes, condition), n = way_to(no, builder_.unary(Op::Not, condition));
  builder_.branch_if(condition, y, n, site);
}

void Lifter::run() {
  if (input_.code.empty()) refuse("there is no code");
  find_leaders();
  // The entry has no predecessors.
  go({{}, 0});
  while (!waiting_.empty()) {
    const Place place = std::move(waiting_.back());
    waiting_.pop_back();
    lift_block(place, blocks_.at(place));
  }
  instruction_ = nullptr;
  builder_.finish();
}

void Lifter::lift_block(const Place& place, ir::BlockId block) {
  builder_.enter(block);
  place_ = place;
  carries_.clear();
  for (uint32_t offset = place.offset;; offset += 16) {
    if (offset != place.offset && leaders_[offset / 16]) {
      flush_guarded();
      return go({place_.calls, offset});
    }
    const Instruction& i = at(offset);
    if (offset == place.offset && i.opcode == "BSYNC") continue;  // on the ways here
    lift_instruction(i);
    if (builder_.ended()) return;
  }
}

void Lifter::lift_instruction(const Instruction& instruction) {
  instruction_ = &instruction;
  if (++lifted_ > kMostInstructions && lifted_ > 3 * input_.code.size())
    refuse("a function that is called from too many places");
  const size_t index = instruction.offset / 16;
  builder_.begin_instruction(index < input_.locations.size() ? input_.locations[index] : ir::kNone);
  guard_ = ir::kNone;
  if (instruction.guard != sass::kPT || instruction.guard_negated) {
    Operand guard;
    guard.kind = instruction.guard_uniform ? Operand::Kind::UniformPredicate : Operand::Kind::Predicate;
    guard.number = instruction.guard;
    guard.negated = instruction.guard_negated;
    guard_ = predicate(guard);
    uint64_t always = 0;
    if (builder_.is_constant(guard_, &always) && always) guard_ = ir::kNone;
  }
  const auto patch = patches_.find(instruction.offset);
  patch_ = patch == patches_.end() ? nullptr : patch->second;
  const Handler handler = find_handler(instruction.opcode);
  if (!handler) refuse("this machine instruction is not known yet");
  count_guarded(instruction);
  asked_.clear();
  handler(*this);
  check_modifiers(handler);
  if (patch_) refuse("the address of " + patch_->what);
  builder_.end_instruction();
}

// What a handler did not ask for could change what the instruction does: all but these.
void Lifter::check_modifiers(Handler handler) const {
  if (handler == lift_Nothing) return;
  static constexpr std::string_view kSayNothing[] = {
      // how memory is reached and cached, and who must see it
      "E", "CONSTANT", "EF", "EL", "LU", "NA", "SYS", "GPU", "SM", "CTA", "VC", "STRONG", "WEAK", "LTC64B", "LTC128B",
      "LTC256B", "BYPASS", "ACCESS", "U",
      // the usual case
      "AND", "LUT", "RN", "NTZ", "REL", "ABS", "NODEC", "NOINC", "DEFER_BLOCKING", "IDX", "PACK_AB", "ANY",
      // the pipe that computes it, or another name for a form of it
      "MMA", "MOV", "IADD", "SHL", "R"};
  const auto known = [&](std::string_view modifier) {
    return std::find(asked_.begin(), asked_.end(), modifier) != asked_.end() ||
           std::find(std::begin(kSayNothing), std::end(kSayNothing), modifier) != std::end(kSayNothing);
  };
  for (const std::string& modifier : instruction_->modifiers)
    if (!known(modifier)) refuse("modifier ." + modifier + " is not known yet");
  static constexpr std::string_view kWithSuffixes[] = {"F2F",  "F2I",   "I2F",    "I2FP",  "F2FP",  "R2P",
                                                       "P2R",  "FRND",  "HADD2",  "HMUL2", "IMMA",  "HMMA",
                                                       "DMMA", "HFMA2", "HSETP2", "HSET2", "HMNMX2"};
  const bool takes =
      std::find(std::begin(kWithSuffixes), std::end(kWithSuffixes), instruction_->opcode) != std::end(kWithSuffixes);
  for (const Operand& o : instruction_->operands)
    if (!o.suffixes.empty() && !takes && o.kind != Operand::Kind::Memory)
      refuse("." + o.suffixes[0] + " of an operand is not known yet");
}

// Instructions of the block under one guard are counted together, where lanes are off.
void Lifter::count_guarded(const Instruction& instruction) {
  const ValueId guard = instruction.opcode == "BRA" && !has("DIV") ? branch_condition() : guard_;
  if (guard != ir::kNone) {
    if (pending_guard_ != guard) flush_guarded();
    pending_guard_ = guard;
    pending_count_++;
  }
  if (ends_block(instruction.opcode)) flush_guarded();
}

void Lifter::flush_guarded() {
  if (pending_count_ == 0) return;
  ir::Inst inst;
  inst.op = Op::CountOff;
  inst.args = {pending_guard_};
  inst.imm = pending_count_;
  inst.weight = 0;
  builder_.emit(std::move(inst));
  pending_count_ = 0;
  pending_guard_ = ir::kNone;
}

// A second condition may stand before the target, BRA !P1, 0x100: lanes where it is false count as off, as those of the
// guard do (an H200: zoom, bitonic-sort and asmooth of HeCBench).
ValueId Lifter::branch_condition() {
  ValueId condition = guard_;
  for (const Operand& o : instruction_->operands) {
    if (o.kind != Operand::Kind::Predicate && o.kind != Operand::Kind::UniformPredicate) continue;
    const ValueId more = predicate(o);
    condition = condition == ir::kNone ? more : binary(Op::And, condition, more);
  }
  return condition;
}

void Lifter::branch() {
  // BRA.DIV goes a slow way where the lanes that it names are apart. Here they meet first.
  if (has("DIV")) {
    ir::Inst meet;
    meet.op = Op::WarpSync;
    meet.guard = guard_;
    meet.args = {word(operand(0))};
    builder_.emit(std::move(meet));
    return go(next(), branch_site());
  }
  const Operand* target = target_of(*instruction_);
  if (!target) refuse_form();
  const Place to{place_.calls, static_cast<uint32_t>(target->value)};
  const ValueId condition = branch_condition();
  uint64_t bits = 0;
  const ir::SiteId where = branch_site();
  if (condition != ir::kNone && builder_.is_constant(condition, &bits)) return go(bits ? to : next(), where);
  if (condition == ir::kNone) return go(to, where);
  go_if(condition, to, next(), where);
}

void Lifter::end_lane() {
  ir::Inst exit;
  exit.op = Op::Exit;
  if (guard_ == ir::kNone) return builder_.end(std::move(exit));
  const ir::BlockId gone = builder_.new_block(), here = builder_.block();
  builder_.enter(gone);
  exit.weight = 0;
  builder_.end(std::move(exit));
  builder_.enter(here);
  builder_.branch_if(guard_, gone, way_to(next(), builder_.unary(Op::Not, guard_)), ir::kNone);
}

void Lifter::call() {
  if (guard_ != ir::kNone) refuse_form();
  const Operand* target = target_of(*instruction_);
  if (!target || !has("REL")) {
    const Operand& to = operand(operands() - 1);
    const bool is_register = to.kind == Operand::Kind::Register || to.kind == Operand::Kind::Uniform;
    if (is_register && call_outside(wide(to))) {
      if (!builder_.ended()) go(next(), branch_site());
      return;
    }
    refuse("a call of a function outside the kernel");
  }
  Place callee{place_.calls, static_cast<uint32_t>(target->value)};
  if (callee.calls.size() >= kMostCalls) refuse("calls within calls, or recursion");
  callee.calls.push_back(instruction_->offset + 16);
  go(callee, branch_site());
}

void Lifter::return_from_call() {
  if (place_.calls.empty()) refuse("a return without a call");
  Place back = place_;
  back.offset = back.calls.back();
  back.calls.pop_back();
  // The address that it returns to is the one after the call.
  uint64_t address = 0;
  if (builder_.is_constant(raw(operand(0)), &address) && static_cast<uint32_t>(address) != back.offset)
    refuse("a return to another place than where the call stands");
  if (guard_ == ir::kNone) return go(back, branch_site());
  go_if(guard_, back, next(), branch_site());
}

void Lifter::indirect_branch() {
  if (guard_ != ir::kNone || input_.branch_targets.empty()) refuse_form();
  const Operand& to = operand(0);
  ValueId address = raw(to);
  for (size_t k = 1; k < operands(); ++k)
    if (operand(k).kind == Operand::Kind::Target || operand(k).kind == Operand::Kind::Immediate)
      address = binary(Op::Add, address, k32(static_cast<uint64_t>(operand(k).value) & 0xffffffff));
  const uint32_t after = instruction_->offset + 16;
  address = binary(Op::Add, address, k32(after));
  const ir::SiteId where = branch_site();
  for (size_t k = 0; k + 1 < input_.branch_targets.size(); ++k) {
    const Place target{place_.calls, input_.branch_targets[k]};
    const ValueId here = compare(ir::IntCompare::Eq, address, k32(target.offset));
    const ir::BlockId more = builder_.new_block();
    builder_.branch_if(here, way_to(target, here), more, k == 0 ? where : ir::kNone);
    builder_.enter(more);
    builder_.seal(more);
  }
  go({place_.calls, input_.branch_targets.back()});
}

void Lifter::barrier(ir::BarrierMode mode, std::vector<ValueId> args) {
  flush_guarded();
  ir::Inst inst;
  inst.op = Op::Barrier;
  inst.imm = static_cast<uint64_t>(mode);
  inst.args = std::move(args);
  inst.site = site(ir::SiteKind::Barrier, ir::Space::Shared, 0, 1);
  const ir::BlockId after = builder_.new_block();
  builder_.end(std::move(inst), after);
  builder_.enter(after);
  builder_.seal(after);
}

void Lifter::trap(ir::TrapKind kind, std::string message) {
  flush_guarded();
  ir::Inst inst;
  inst.op = Op::Trap;
  inst.imm = function_.messages.size();
  inst.imm2 = static_cast<uint32_t>(kind);
  function_.messages.push_back(std::move(message));
  if (guard_ == ir::kNone) return builder_.end(std::move(inst));
  const ir::BlockId dead = builder_.new_block(), here = builder_.block();
  builder_.enter(dead);
  builder_.end(std::move(inst));
  builder_.enter(here);
  builder_.branch_if(guard_, dead, way_to(next(), builder_.unary(Op::Not, guard_)), ir::kNone);
}

}  // namespace warplens::lift
