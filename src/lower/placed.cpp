// Functions that stand once in a kernel: those that may call themselves, and those that are called through pointers and
// are many. A call is a jump:
//
//     caller:  what will be read after the call goes to the thread's stack (stack.cpp)
//              arguments, the number of the call, and where the callee's variables lie are passed in variables
//     callee:  runs; passes its results; jumps to where all calls of its convention return to
//     there:   the number of the call chooses where to go on; the caller takes back what it kept
//
// A thread's frame lies in its local memory, at a place known at run time: local variables as in any function. What
// StackStore keeps lies beside it, where the program's pointers do not reach. The control-flow graph then says where
// lanes of a warp meet again, as it does for everything else.
#include <algorithm>

#include "lower/context.h"
#include "lower/layout.h"

namespace warplens::lower {
namespace {

using ir::Op;
using ir::Type;
using ir::ValueId;

constexpr uint64_t kFrameAlign = 16;

const ptx::Operand* element(const ptx::Operand* list, size_t index) {
  return list && index < list->elements.size() ? &list->elements[index] : nullptr;
}

std::vector<Convention::Word> words_of(const std::vector<ptx::Variable>& formals, Builder& builder) {
  std::vector<Convention::Word> words;
  for (size_t k = 0; k < formals.size(); ++k) {
    const auto size = static_cast<int64_t>(std::min<uint64_t>(variable_bytes(formals[k]), 1 << 16));
    for (int64_t at = 0; at < size;) {
      const int64_t bytes = word_at(at, size);
      words.push_back({k, at, bytes, builder.new_passed(int_type(static_cast<int>(bytes) * 8))});
      at += bytes;
    }
  }
  return words;
}

std::vector<Piece> read_words(const std::vector<Convention::Word>& words, size_t formal, Builder& builder) {
  std::vector<Piece> pieces;
  for (const Convention::Word& word : words)
    if (word.formal == formal) pieces.push_back({word.offset, word.bytes, builder.read(word.variable)});
  return pieces;
}

}  // namespace

Convention& Context::convention_of(const ptx::Function& callee) {
  // Only who can be called alike has to return to one place.
  const bool addressed =
      std::find(module_.addressed.begin(), module_.addressed.end(), &callee) != module_.addressed.end();
  const std::string key = addressed ? shape_of(callee.results, callee.params) : callee.name;
  auto& slot = conventions_[key];
  if (!slot) {
    slot = std::make_unique<Convention>();
    slot->arguments = words_of(callee.params, builder_);
    slot->results = words_of(callee.results, builder_);
    slot->site = builder_.new_passed(Type::I32);
    slot->returns = builder_.new_block();
  }
  return *slot;
}

ir::BlockId Context::entry_of(const ptx::Function& callee, Convention& convention) {
  for (const PlacedFunction& placed : placed_)
    if (placed.function == &callee) return placed.entry;
  placed_.push_back({&callee, &convention, builder_.new_block(), &instr_->text, builder_.location()});
  return placed_.back().entry;
}

void Context::prepare_placed() {
  if (stack_end_ != ir::kNone) return;
  stack_end_ = builder_.new_passed(Type::I32);
  callee_base_ = builder_.new_passed(Type::I64);
  largest_frame_ = builder_.late_constant(Type::I64);
}

ValueId Context::kernel_frame() {
  if (kernel_frame_ == ir::kNone) kernel_frame_ = builder_.late_constant(Type::I64);
  return kernel_frame_;
}

// Where the frame of what is called begins.
ValueId Context::end_of_frame() {
  if (activation_->base == ir::kNone) return kernel_frame();
  return builder_.binary(Op::Add, builder_.read(activation_->base), activation_->size);
}

void Context::check_room(ValueId stack_end, ValueId local_end) {
  Builder& b = builder_;
  ValueId over = ir::kNone;
  if (stack_end != ir::kNone) over = b.icmp(ir::IntCompare::GtU, stack_end, b.special(ir::SpecialRegister::StackRoom));
  const ValueId limit = b.cast(b.special(ir::SpecialRegister::StackLimit), Type::I64);
  const ValueId local_over = b.icmp(ir::IntCompare::GtU, local_end, b.binary(Op::Add, kernel_frame(), limit));
  over = over == ir::kNone ? local_over : b.binary(Op::Or, over, local_over);
  const ir::BlockId full = b.new_block(), go_on = b.new_block();
  b.branch_if(over, full, go_on, ir::kNone);
  b.seal(full);
  b.seal(go_on);
  b.enter(full);
  trap(ir::TrapKind::StackOverflow,
       "the stack of a thread is full (cudaDeviceSetLimit(cudaLimitStackSize, ...) makes it larger)");
  b.enter(go_on);
}

void Context::call_placed(const std::vector<const ptx::Function*>& targets, ValueId address,
                          const CallOperands& parts) {
  Builder& b = builder_;
  if (targets.empty()) {  // a pointer to nothing: says so when it is called
    b.end_instruction();
    return jump_to(targets, address, {});
  }
  prepare_placed();
  Convention& convention = convention_of(*targets.front());
  pass_arguments(convention, *targets.front(), parts.arguments);
  b.write(convention.site, b.constant(Type::I32, convention.sites.size()));
  ValueId base = end_of_frame();
  if (activation_->allocated != ir::kNone) {
    const auto number = [&](uint64_t bits) { return b.constant(Type::I64, bits); };
    base = b.binary(Op::And, b.binary(Op::Add, b.read(activation_->allocated), number(kFrameAlign - 1)),
                    number(~(kFrameAlign - 1)));
  }
  b.write(callee_base_, base);
  b.end_instruction();
  const ir::BlockId after = b.new_block();
  convention.sites.push_back({activation_index_, after});
  check_room(b.begin_call(after, stack_end_), b.binary(Op::Add, base, largest_frame_));
  b.jump_for_call(after);
  if (address == ir::kNone)
    b.branch(entry_of(*targets.front(), convention));
  else
    jump_to(targets, address, [&](const ptx::Function& target) { b.branch(entry_of(target, convention_of(target))); });
  b.enter(after);
  b.finish_call();
  guard_ = ir::kNone;
  take_results(convention, *targets.front(), parts.results);
}

void Context::pass_arguments(const Convention& convention, const ptx::Function& callee, const ptx::Operand* arguments) {
  for (size_t k = 0; k < callee.params.size(); ++k) {
    const ptx::Operand* actual = element(arguments, k);
    if (!actual) malformed("a call of " + callee.name + " with too few operands");
    const Name* given = actual->kind == ptx::Operand::Kind::Symbol ? find(*actual) : nullptr;
    std::vector<Piece> pieces;
    if (given && given->kind == Name::Kind::Param) {
      pieces = pieces_of(*given->object);
    } else {
      const auto type = parse_type(callee.params[k].type);
      if (!type || variable_bytes(callee.params[k]) > 8) malformed("an argument of the wrong kind for " + callee.name);
      const auto bytes = static_cast<int64_t>(type->bytes());
      pieces.push_back({0, bytes, builder_.cast(value(*actual, *type), int_type(static_cast<int>(bytes) * 8))});
    }
    for (const Convention::Word& word : convention.arguments)
      if (word.formal == k) builder_.write(word.variable, piece(pieces, word.offset, word.bytes));
  }
}

void Context::take_results(const Convention& convention, const ptx::Function& callee, const ptx::Operand* results) {
  for (size_t k = 0; k < callee.results.size(); ++k) {
    const ptx::Operand* actual = element(results, k);
    if (!actual) malformed("a call of " + callee.name + " with too few operands");
    const std::vector<Piece> pieces = read_words(convention.results, k, builder_);
    const Name* taker = actual->kind == ptx::Operand::Kind::Symbol ? find(*actual) : nullptr;
    if (taker && taker->kind == Name::Kind::Param) {
      fill(*taker->object, pieces);
      continue;
    }
    const auto type = parse_type(callee.results[k].type);
    if (!type || !find_register(*actual)) malformed("a result of the wrong kind for " + callee.name);
    write(*actual, builder_.cast(piece(pieces, 0, static_cast<int64_t>(type->bytes())), ir_type(*type)), *type);
  }
}

void Context::refusing(const std::function<void()>& lower) {
  try {
    lower();
  } catch (const Refusal& refusal) {
    report(refusal.malformed ? Severity::Error : Severity::Warning, where() + ": " + refusal.reason, pos_);
    if (!builder_.ended()) trap(ir::TrapKind::Unsupported, where() + ": " + refusal.reason);
  }
}

void Context::lower_placed(size_t index) {
  const PlacedFunction placed = placed_[index];
  Builder& b = builder_;
  b.enter(placed.entry);
  b.set_location(placed.location);
  const Instr call(*placed.call);  // what copies of arguments that lie in memory are counted as
  instr_ = &call;
  Activation activation;
  activation.base = b.new_variables(Type::I64);
  activation.size = b.late_constant(Type::I64);
  activation_ = &activation;
  activation_index_ = index + 1;
  active_ = {placed.function};
  b.write(activation.base, b.read(callee_base_));
  const VarId site = b.new_variables(Type::I32);
  b.write(site, b.read(placed.convention->site));
  if (module_.allocates) {
    activation.allocated = b.new_variables(Type::I64);
    b.write(activation.allocated, end_of_frame());
  }
  Frame frame;
  frame.function = placed.function;
  frame.facts = &module_.facts_of(*placed.function);
  frame.return_block = b.new_block();
  Scope scope;
  refusing([&] { bind_placed(placed, frame, scope); });
  lower_body(frame, placed.function->body, scope);
  if (!b.ended()) b.branch(frame.return_block);
  b.enter(frame.return_block);
  b.set_location(placed.location);
  instr_ = &call;
  b.seal(frame.return_block);
  refusing([&] { return_placed(placed, scope, site); });
  const uint64_t bytes = (activation.bytes + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
  b.decide(activation.size, bytes);
  most_frame_ = std::max(most_frame_, bytes);
  instr_ = nullptr;
}

void Context::bind_placed(const PlacedFunction& placed, const Frame& frame, Scope& scope) {
  const auto bind = [&](const ptx::Variable& formal, const std::vector<Piece>* given) {
    const auto type = parse_type(formal.type);
    Name name;
    if (formal.space == "param") {
      name.kind = Name::Kind::Param;
      name.object = make_object(formal, frame);
      if (given) fill(*name.object, *given);
    } else {
      if (!type || variable_bytes(formal) > 8) malformed("a parameter of the wrong kind, " + formal.name);
      name.kind = Name::Kind::Register;
      name.type = register_type(*type);
      name.variable = builder_.new_variables(name.type);
      if (given)
        builder_.write(name.variable, builder_.cast(builder_.cast(piece(*given, 0, static_cast<int64_t>(type->bytes())),
                                                                  ir_type(*type)),
                                                    name.type, type->is_signed()));
    }
    scope.names.emplace(formal.name, std::move(name));
  };
  for (size_t k = 0; k < placed.function->params.size(); ++k) {
    const std::vector<Piece> given = read_words(placed.convention->arguments, k, builder_);
    bind(placed.function->params[k], &given);
  }
  for (const ptx::Variable& result : placed.function->results) bind(result, nullptr);
}

void Context::return_placed(const PlacedFunction& placed, const Scope& scope, VarId site) {
  for (size_t k = 0; k < placed.function->results.size(); ++k) {
    const auto found = scope.names.find(placed.function->results[k].name);
    if (found == scope.names.end()) continue;  // its binding was refused
    const Name& name = found->second;
    std::vector<Piece> pieces;
    if (name.kind == Name::Kind::Param) {
      pieces = pieces_of(*name.object);
    } else if (name.kind == Name::Kind::Register) {
      const int bits = ir::bits(name.type);
      pieces.push_back({0, bits / 8, builder_.cast(builder_.read(name.variable), int_type(bits))});
    }
    for (const Convention::Word& word : placed.convention->results)
      if (word.formal == k) builder_.write(word.variable, piece(pieces, word.offset, word.bytes));
  }
  builder_.write(placed.convention->site, builder_.read(site));
  builder_.branch(placed.convention->returns);
}

// The outermost callers are asked first and stand last: lanes that are back there wait for those that are not.
void Context::join_returns() {
  for (const auto& [key, convention] : conventions_) {
    std::vector<size_t> order(convention->sites.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto& sites = convention->sites;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return sites[a].activation != sites[b].activation ? sites[a].activation < sites[b].activation : a > b;
    });
    builder_.enter(convention->returns);
    if (order.empty()) {  // every call of it was refused
      trap(ir::TrapKind::Trap, "a return to nowhere");
      continue;
    }
    for (size_t k = 0; k + 1 < order.size(); ++k) {
      const ValueId here =
          builder_.icmp(ir::IntCompare::Eq, builder_.read(convention->site), builder_.constant(Type::I32, order[k]));
      const ir::BlockId next = builder_.new_block();
      builder_.branch_if(here, sites[order[k]].after, next, ir::kNone);
      builder_.seal(next);
      builder_.enter(next);
    }
    builder_.branch(sites[order.back()].after);
  }
}

void Context::finish_frames() {
  const uint64_t frame = (function().local_bytes + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
  if (kernel_frame_ != ir::kNone) builder_.decide(kernel_frame_, frame);
  if (largest_frame_ != ir::kNone) builder_.decide(largest_frame_, most_frame_);
  if (most_frame_ == 0 && !module_.allocates) return;
  constexpr uint32_t kLine = 64;  // threads' frames start at different places of a cache set
  function().local_bytes = static_cast<uint32_t>(frame);
  const uint32_t all = (function().local_bytes + ir::kMostStack + kLine - 1) / kLine * kLine + kLine;
  function().stack_bytes = all - function().local_bytes;
}

void Context::allocate_on_stack(const ptx::Operand& destination, ValueId bytes, uint64_t align) {
  Builder& b = builder_;
  const auto number = [&](uint64_t bits) { return b.constant(Type::I64, bits); };
  const ValueId at =
      b.binary(Op::And, b.binary(Op::Add, b.read(activation_->allocated), number(align - 1)), number(~(align - 1)));
  const ValueId end = b.binary(Op::Add, at, bytes);
  check_room(ir::kNone, b.binary(Op::MaxU, end, bytes));  // a sum that wrapped is smaller
  b.write(activation_->allocated, end);
  const ValueId result = b.cast(at, declared_type(destination));
  b.write(find_register(destination)->variable, result);
}

}  // namespace warplens::lower
