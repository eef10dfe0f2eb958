// Context: walking a function's text. Scopes, labels, one instruction after another.
#include <algorithm>
#include <utility>

#include "lower/context.h"
#include "lower/families.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

constexpr uint64_t kMaxInstructions = 1'000'000;  // of one kernel, inlined copies counted each

bool is_branch(const ptx::Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

// How often labels of `scope` are branched to from `body`, blocks inside it included.
void count_references(const ptx::Block& body, const FunctionFacts& facts, const Scope& scope,
                      std::vector<std::string_view>& shadowed, std::vector<Frame::LabelState>& labels) {
  const auto count = [&](const std::string& label) {
    if (std::find(shadowed.begin(), shadowed.end(), label) != shadowed.end()) return;
    const auto it = scope.names.find(label);
    if (it != scope.names.end() && it->second.kind == Name::Kind::Label) ++labels[it->second.index].references;
  };
  for (const ptx::Statement& statement : body.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement); instruction && is_branch(*instruction)) {
      for (const ptx::Operand& operand : instruction->operands) {
        if (operand.kind != ptx::Operand::Kind::Symbol) continue;
        const auto table = facts.branch_tables.find(operand.name);
        if (table == facts.branch_tables.end())
          count(operand.name);
        else
          for (const std::string& label : table->second) count(label);
      }
    } else if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) {
      const size_t before = shadowed.size();
      for (const ptx::Statement& s : (*inner)->statements)
        if (const auto* label = std::get_if<ptx::Label>(&s)) shadowed.push_back(label->name);
      count_references(**inner, facts, scope, shadowed, labels);
      shadowed.resize(before);
    }
  }
}

}  // namespace

void Context::report(Severity severity, const std::string& message, SourcePos pos) {
  // What is refused matters to who launches this kernel; what is malformed, to everybody.
  std::string kernel = severity == Severity::Warning ? ptx_function_.name : "";
  module_.diagnostics.push_back({severity, module_.file_name, pos, message, "", std::move(kernel)});
}

std::string Context::where() const {
  const std::string kernel = "kernel " + ptx_function_.name, line = "line " + std::to_string(pos_.line);
  const std::vector<ir::Location>& locations = kernel_.function.locations;
  if (locations.empty() || locations.back().frames.empty()) return kernel + ", " + line;
  const ir::Frame& frame = locations.back().frames.front();
  return kernel + ", " + module_.ir.files[frame.file] + ":" + std::to_string(frame.pos.line) + " (PTX " + line + ")";
}

void Context::declare_labels(const ptx::Block& body, Scope& scope) {
  for (const ptx::Statement& statement : body.statements) {
    const auto* label = std::get_if<ptx::Label>(&statement);
    if (!label) continue;
    Name name;
    name.kind = Name::Kind::Label;
    name.index = static_cast<uint32_t>(frame_->labels.size());
    if (!scope.names.emplace(label->name, std::move(name)).second) {
      report(Severity::Error, "label " + label->name + " stands twice", label->pos);
      continue;
    }
    frame_->labels.push_back({builder_.new_block(), 0, false, label->name});
  }
  std::vector<std::string_view> shadowed;
  count_references(body, *frame_->facts, scope, shadowed, frame_->labels);
}

void Context::declare(const ptx::Variable& variable, Scope& scope) {
  Name name;
  const auto type = parse_type(variable.type);
  if (variable.space == "reg") {
    name.kind = Name::Kind::Register;
    name.type = type ? register_type(*type) : ir::Type::Void;
    name.count = variable.count_suffix;
    name.components = static_cast<uint32_t>(std::clamp(variable.vector, 1, 8));
    if (name.count > 10'000'000) name.count = 0;
    name.variable = builder_.new_variables(name.type, std::max(name.count, 1u) * name.components);
  } else if (variable.space == "param") {
    name.kind = Name::Kind::Param;
    name.object = make_object(variable, *frame_);
  } else if (variable.space == "local") {
    name.kind = Name::Kind::Local;
    name.element_bytes = element_bytes(variable);
    name.offset = allocate_local(variable_bytes(variable), variable_align(variable));
    local_places_.push_back({variable.name, name.offset, variable_bytes(variable)});
  } else if (const Name* known = lookup(variable.name); known && variable.space != "reg") {
    name = *known;  // .shared, .global and .const variables of a function were laid out before
  } else {
    name.why = "variable " + variable.name + " in ." + variable.space;
  }
  if (!scope.names.emplace(variable.name, std::move(name)).second)
    report(Severity::Error, variable.name + " is declared twice", variable.pos);
}

void Context::place_label(const ptx::Label& label) {
  const Name* name = lookup(label.name);
  if (!name || name->kind != Name::Kind::Label) return;
  Frame::LabelState& state = frame_->labels[name->index];
  if (state.placed) return;
  state.placed = true;
  if (!builder_.ended()) builder_.branch(state.block);
  builder_.enter(state.block);
  if (state.references == 0) builder_.seal(state.block);
}

ir::BlockId Context::branch_target(const std::string& label) {
  const Name* name = lookup(label);
  if (!name || name->kind != Name::Kind::Label) malformed("undefined label " + label);
  return frame_->labels[name->index].block;
}

void Context::branched_to(const std::string& label) {
  const Name* name = lookup(label);
  if (!name || name->kind != Name::Kind::Label) return;
  Frame::LabelState& state = frame_->labels[name->index];
  if (state.references > 0) --state.references;
  if (state.references == 0 && state.placed) builder_.seal(state.block);
}

std::vector<std::string> Context::branch_table(const ptx::Operand& operand) const {
  const auto it = frame_->facts->branch_tables.find(operand.name);
  if (it == frame_->facts->branch_tables.end()) malformed("undefined .branchtargets " + operand.name);
  return it->second;
}

void Context::lower_body(Frame& frame, const ptx::Block& body, Scope& scope) {
  Frame* const outer_frame = std::exchange(frame_, &frame);
  const Scope* const outer_scope = std::exchange(scope_, &scope);
  const uint64_t local_top = activation_->top;
  declare_labels(body, scope);
  for (const ptx::Statement& statement : body.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
      lower_instruction(*instruction);
    else if (const auto* label = std::get_if<ptx::Label>(&statement))
      place_label(*label);
    else if (const auto* variable = std::get_if<ptx::Variable>(&statement))
      declare(*variable, scope);
    else if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) {
      Scope nested{&scope, {}};
      lower_body(frame, **inner, nested);
    }
  }
  activation_->top = local_top;
  frame_ = outer_frame;
  scope_ = outer_scope;
}

void Context::lower_instruction(const ptx::Instruction& text) {
  if (builder_.ended()) {  // nothing leads here before the next label
    builder_.enter(builder_.new_block());
    builder_.seal(builder_.block());
  }
  pos_ = text.pos;
  const Instr instr(text);
  const Instr* const outer = std::exchange(instr_, &instr);
  builder_.begin_instruction(location_of(text));
  guard_ = ir::kNone;
  ir::BlockId around = ir::kNone;
  try {
    if (++lowered_instructions_ > kMaxInstructions) refuse("a kernel of so many instructions is not supported yet");
    const Handler handler = find_handler(text.opcode);
    if (!handler) refuse(instr.full_opcode() + " is not an instruction that Warplens knows");
    check_types(*this, instr);
    if (!text.guard.empty()) {
      guard_ = guard_value(text);
      if (branches_around(text.opcode)) around = branch_around(instr);
    }
    handler(*this, instr);
    follow_place(text);
  } catch (const Refusal& refusal) {
    if (reported_.insert(refusal.reason).second)  // once a kernel: a matrix product would give hundreds
      report(refusal.malformed ? Severity::Error : Severity::Warning, where() + ": " + refusal.reason, text.pos);
    if (!builder_.ended()) {
      if (guard_ != ir::kNone && around == ir::kNone) around = branch_around(instr);
      trap(ir::TrapKind::Unsupported, where() + ": " + refusal.reason);
    }
    if (is_branch(text)) forget_targets(text);
  }
  builder_.end_instruction();
  guard_ = ir::kNone;
  instr_ = outer;
  if (around != ir::kNone) {
    if (!builder_.ended()) builder_.branch(around);
    builder_.enter(around);
    builder_.seal(around);
  }
}

void Context::lower_alone(const ptx::Instruction& text, Frame& frame, const Scope& scope, ir::ValueId guard) {
  const Instr instr(text);
  frame_ = &frame;
  scope_ = &scope;
  instr_ = &instr;
  guard_ = guard;
  const Handler handler = find_handler(text.opcode);
  if (!handler) refuse(instr.full_opcode() + " is not an instruction that Warplens knows");
  check_types(*this, instr);
  handler(*this, instr);
  instr_ = nullptr;
  guard_ = ir::kNone;
}

ir::ValueId Context::guard_value(const ptx::Instruction& text) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::Register;
  operand.name = text.guard;
  operand.negated = text.guard_negated;
  return predicate(operand);
}

// Splits the block: lanes whose guard is false go to the returned block, the others stay.
ir::BlockId Context::branch_around(const Instr& instr) {
  const ir::BlockId inside = builder_.new_block(), after = builder_.new_block();
  builder_.branch_if(std::exchange(guard_, ir::kNone), inside, after, branch_site(instr));
  builder_.enter(inside);
  builder_.seal(inside);
  return after;
}

// A refused branch still counts as one that will not come.
void Context::forget_targets(const ptx::Instruction& text) {
  for (const ptx::Operand& operand : text.operands) {
    if (operand.kind != ptx::Operand::Kind::Symbol) continue;
    const auto table = frame_->facts->branch_tables.find(operand.name);
    if (table == frame_->facts->branch_tables.end())
      branched_to(operand.name);
    else
      for (const std::string& label : table->second) branched_to(label);
  }
}

void Context::trap(ir::TrapKind kind, std::string message) {
  ir::Inst inst;
  inst.op = ir::Op::Trap;
  inst.imm = function().messages.size();
  inst.imm2 = static_cast<uint32_t>(kind);
  function().messages.push_back(std::move(message));
  builder_.end(std::move(inst));
}

namespace {

// A header of CUDA's: /usr/local/cuda-13.0/targets/x86_64-linux/include/...,
// site-packages/nvidia/cuda_runtime/include/...
bool is_toolkit(std::string_view path) {
  const size_t include = path.rfind("/include/");
  if (include == path.npos) return false;
  const std::string_view above = path.substr(0, include);
  return above.find("/targets/") != above.npos || above.find("/cuda") != above.npos ||
         above.find("/nvidia/") != above.npos || above.ends_with("/warplens");
}

}  // namespace

uint32_t Context::location_of(const ptx::Instruction& instruction) {
  ir::Location location;
  location.ptx_line = instruction.pos.line;
  const auto [stack, added] = frame_->stacks.try_emplace(instruction.loc);
  if (added) {
    std::vector<ptx::LineFrame> lines = frame_->facts->lines.stack(instruction.loc);
    std::erase_if(lines, [](const ptx::LineFrame& line) { return line.line == 0; });  // made by the compiler
    // What the toolkit's headers do, such as atomicAdd, is the doing of the line that calls it.
    const auto own = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return !is_toolkit(line.file); });
    if (own != lines.end()) lines.erase(lines.begin(), own);
    for (const ptx::LineFrame& line : lines) stack->second.push_back(module_.frame_of(line));
    stack->second.insert(stack->second.end(), frame_->call_stack.begin(), frame_->call_stack.end());
  }
  location.frames = stack->second;
  function().locations.push_back(std::move(location));
  return static_cast<uint32_t>(function().locations.size() - 1);
}

}  // namespace warplens::lower
