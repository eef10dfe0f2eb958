// Control flow: bra brx ret exit trap, and what has no effect here.
#include <utility>

#include "lower/families.h"

namespace warplens::lower {
namespace {

void exit_lanes(Context& c) {
  ir::Inst inst;
  inst.op = ir::Op::Exit;
  c.b().end(std::move(inst));
}

}  // namespace

void lower_Bra(Context& c, const Instr& i) {
  const std::string& label = i.operand(0).name;
  const ir::BlockId target = c.branch_target(label);
  if (c.guard() == ir::kNone) {
    c.b().branch(target);
  } else {
    const ir::BlockId next = c.b().new_block();
    c.b().branch_if(c.guard(), target, next, c.branch_site(i));
    c.b().enter(next);
    c.b().seal(next);
  }
  c.branched_to(label);
}

// A jump table: a chain of comparisons. An index past its end is undefined; here it takes the last label.
void lower_Brx(Context& c, const Instr& i) {
  const ir::ValueId index = c.value(i.operand(0), kU32);
  const std::vector<std::string> labels = c.branch_table(i.operand(1));
  if (labels.empty()) c.malformed("an empty .branchtargets");
  std::vector<ir::BlockId> targets;
  for (const std::string& label : labels) targets.push_back(c.branch_target(label));
  ir::SiteId site = c.branch_site(i);
  for (size_t k = 0; k + 1 < targets.size(); ++k) {
    const ir::ValueId here = c.b().icmp(ir::IntCompare::Eq, index, c.b().constant(ir::Type::I32, k));
    const ir::BlockId next = c.b().new_block();
    c.b().branch_if(here, targets[k], next, std::exchange(site, ir::kNone));
    c.b().enter(next);
    c.b().seal(next);
  }
  c.b().branch(targets.back());
  for (const std::string& label : labels) c.branched_to(label);
}

void lower_Ret(Context& c, const Instr& i) {
  if (c.frame().return_block == ir::kNone)
    exit_lanes(c);
  else
    c.b().branch(c.frame().return_block);
}

void lower_Exit(Context& c, const Instr& i) { exit_lanes(c); }

void lower_Trap(Context& c, const Instr& i) { c.trap(ir::TrapKind::Trap, "trap"); }

// A breakpoint without a debugger stops the kernel, as trap does.
void lower_Brkpt(Context& c, const Instr& i) { c.trap(ir::TrapKind::Trap, "brkpt"); }

// Hints and waits without a result.
void lower_Nanosleep(Context& c, const Instr& i) {}
void lower_Pmevent(Context& c, const Instr& i) {}
void lower_Setmaxnreg(Context& c, const Instr& i) {}
// Kernels run one after another here: what a dependent launch waits for has happened.
void lower_Griddepcontrol(Context& c, const Instr& i) {}

void lower_Call(Context& c, const Instr& i) { c.call(i); }

}  // namespace warplens::lower
