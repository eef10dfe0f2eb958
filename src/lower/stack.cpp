// Another part of Builder: what a thread keeps on its stack during a call. Nobody knows at the call which variables are
// read after it, so each is loaded when it is first asked for, and stored once all text has been read.
#include "lower/builder.h"

namespace warplens::lower {
namespace {

ir::Inst stack_access(ir::Op op, ir::Type type, std::vector<ir::ValueId> args, ir::BlockId block) {
  ir::Inst inst;
  inst.op = op;
  inst.type = type;
  inst.args = std::move(args);
  inst.block = block;
  inst.weight = 0;
  return inst;
}

}  // namespace

ir::ValueId Builder::begin_call(ir::BlockId after, VarId end) {
  Call call;
  call.end = end;
  call.frame = late_constant(ir::Type::I32);
  call.stack_before = read(end);
  const ir::ValueId now = binary(ir::Op::Add, call.stack_before, call.frame);
  write(end, now);
  calls_.emplace(after, call);
  return now;
}

void Builder::jump_for_call(ir::BlockId after) { calls_.at(after).before = block_; }

void Builder::finish_call() {
  Call& call = calls_.at(block_);
  call.stack_after = binary(ir::Op::Sub, read(call.end), call.frame);
  write(call.end, call.stack_after);
  call.loads_at = function_.blocks[block_].insts.size();
}

ir::ValueId Builder::keep(ir::BlockId after, VarId variable) {
  Call& call = calls_.at(after);
  const ir::ValueId load = add_inst(stack_access(ir::Op::StackLoad, variables_[variable], {call.stack_after}, after));
  auto& insts = function_.blocks[after].insts;
  insts.insert(insts.begin() + static_cast<std::ptrdiff_t>(call.loads_at++), load);
  kept_.push_back({after, variable, load});
  return load;
}

// The stores of what has been asked for so far, which may ask for more: then true. What the entry block made is there
// without being kept: no thread comes to it twice.
bool Builder::store_kept() {
  if (kept_.empty()) return false;
  while (!kept_.empty()) {
    const Kept kept = kept_.back();
    kept_.pop_back();
    Call& call = calls_.at(kept.after);
    const ir::ValueId value = resolve(read_in(call.before, kept.variable, 0));
    if (function_.insts[value].block == 0) {
      forward_[kept.load] = value;
      continue;
    }
    const uint32_t bytes = ir::bytes(variables_[kept.variable]) == 8 ? 8 : 4;
    const uint32_t at = (call.bytes + bytes - 1) / bytes * bytes;
    call.bytes = at + bytes;
    const ir::ValueId store =
        add_inst(stack_access(ir::Op::StackStore, variables_[kept.variable], {call.stack_before, value}, call.before));
    function_.insts[store].imm = function_.insts[kept.load].imm = at;
    auto& insts = function_.blocks[call.before].insts;
    insts.insert(insts.end() - 1, store);
  }
  return true;
}

}  // namespace warplens::lower
