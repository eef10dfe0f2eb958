#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/math.h"
#include "ir/matrix.h"
#include "ir/print.h"

namespace warplens::ir {
namespace {

constexpr size_t kMaxComplaints = 50;

// Blocks that dominate each other, by the iterative algorithm of Cooper, Harvey and Kennedy. Blocks need not be in
// order; unreachable ones have no dominator.
class Dominators {
 public:
  explicit Dominators(const Function& function)
      : idom_(function.blocks.size(), kNone), number_(function.blocks.size(), kNone) {
    std::vector<BlockId> order = post_order(function);
    for (size_t i = 0; i < order.size(); ++i) number_[order[i]] = static_cast<uint32_t>(i);
    idom_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (*it == 0) continue;
        BlockId best = kNone;
        for (const BlockId pred : function.blocks[*it].preds)
          if (pred < idom_.size() && idom_[pred] != kNone) best = best == kNone ? pred : common(best, pred);
        if (best != idom_[*it]) {
          idom_[*it] = best;
          changed = true;
        }
      }
    }
  }
  bool reachable(BlockId b) const { return idom_[b] != kNone; }
  bool dominates(BlockId a, BlockId b) const {
    while (number_[b] < number_[a]) b = idom_[b];
    return a == b;
  }

 private:
  static std::vector<BlockId> post_order(const Function& function) {
    std::vector<BlockId> order;
    std::vector<bool> seen(function.blocks.size());
    std::vector<std::pair<BlockId, size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      const auto& succs = function.blocks[block].succs;
      if (next == succs.size()) {
        order.push_back(block);
        stack.pop_back();
      } else if (const BlockId succ = succs[next++]; succ < seen.size() && !seen[succ]) {
        seen[succ] = true;
        stack.push_back({succ, 0});
      }
    }
    return order;
  }
  BlockId common(BlockId a, BlockId b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = idom_[a];
      while (number_[b] < number_[a]) b = idom_[b];
    }
    return a;
  }
  std::vector<BlockId> idom_;
  std::vector<uint32_t> number_;
};

class Verifier {
 public:
  Verifier(const Module& module, const Kernel& kernel)
      : module_(module), kernel_(kernel), function_(kernel.function), position_(function_.insts.size(), kNone) {}

  std::vector<std::string> run() {
    if (function_.blocks.empty()) {
      complaints_.push_back("kernel " + function_.name + ": no blocks");
      return complaints_;
    }
    check_edges();
    check_places();
    if (!complaints_.empty()) return complaints_;  // the rest relies on these
    const Dominators dominators(function_);
    for (BlockId b = 0; b < function_.blocks.size(); ++b) {
      if (!dominators.reachable(b))
        complain(b, kNone, "is unreachable");
      else
        for (const ValueId id : function_.blocks[b].insts) check_inst(dominators, b, id);
    }
    return complaints_;
  }

 private:
  void complain(BlockId block, ValueId id, const std::string& what) {
    if (complaints_.size() >= kMaxComplaints) return;
    std::string text = fmt::format("kernel {}, b{}", function_.name, block);
    if (id != kNone) text += fmt::format(", %{} `{}`", id, print(function_, id));
    complaints_.push_back(text + ": " + what);
  }

  void check_edges() {
    const auto count = [](const std::vector<BlockId>& list, BlockId b) {
      return std::count(list.begin(), list.end(), b);
    };
    const size_t blocks = function_.blocks.size();
    if (!function_.blocks[0].preds.empty()) complain(0, kNone, "the entry has predecessors");
    for (BlockId b = 0; b < blocks; ++b) {
      const Block& block = function_.blocks[b];
      for (const BlockId succ : block.succs)
        if (succ >= blocks || count(function_.blocks[succ].preds, b) != count(block.succs, succ))
          complain(b, kNone, fmt::format("the edge to b{} is not known there", succ));
      for (const BlockId pred : block.preds)
        if (pred >= blocks || count(function_.blocks[pred].succs, b) != count(block.preds, pred))
          complain(b, kNone, fmt::format("the edge from b{} is not known there", pred));
      if (block.call != kNone && block.call >= blocks) complain(b, kNone, "a call from nowhere returns here");
    }
  }

  void check_places() {
    for (BlockId b = 0; b < function_.blocks.size(); ++b) {
      const auto& insts = function_.blocks[b].insts;
      if (insts.empty()) complain(b, kNone, "is empty");
      bool phis = true;
      for (size_t i = 0; i < insts.size(); ++i) {
        if (insts[i] >= function_.insts.size()) {
          complain(b, kNone, "holds an unknown value");
          return;
        }
        const Inst& inst = function_.insts[insts[i]];
        if (position_[insts[i]] != kNone) complain(b, insts[i], "stands twice");
        position_[insts[i]] = static_cast<uint32_t>(i);
        if (inst.block != b) complain(b, insts[i], "names another block");
        if ((info(inst.op).effect == Effect::Ends) != (i + 1 == insts.size()))
          complain(b, insts[i], "ends no block, or stands after one that does");
        if (inst.op == Op::Phi && !phis) complain(b, insts[i], "a phi after other instructions");
        phis &= inst.op == Op::Phi;
      }
    }
  }

  void check_inst(const Dominators& dominators, BlockId b, ValueId id) {
    const Inst& inst = function_.insts[id];
    for (const ValueId arg : inst.args)
      if (arg >= function_.insts.size() || position_[arg] == kNone)
        return complain(b, id, "uses a value that stands nowhere");
    if (inst.guard != kNone && (inst.guard >= function_.insts.size() || position_[inst.guard] == kNone))
      return complain(b, id, "has a guard that stands nowhere");
    const int arguments = info(inst.op).arguments;
    if (arguments >= 0 && inst.args.size() != static_cast<size_t>(arguments))
      return complain(b, id, fmt::format("has {} arguments, needs {}", inst.args.size(), arguments));
    check_dominance(dominators, b, id);
    check_types(b, id);
    check_ends(b, id);
    check_references(b, id);
  }

  void check_dominance(const Dominators& dominators, BlockId b, ValueId id) {
    const Inst& inst = function_.insts[id];
    const auto& preds = function_.blocks[b].preds;
    if (inst.op == Op::Phi) {
      if (inst.args.size() != preds.size()) return complain(b, id, "has not one argument a predecessor");
      for (size_t i = 0; i < preds.size(); ++i)
        if (!dominators.dominates(function_.insts[inst.args[i]].block, preds[i]))
          complain(b, id, fmt::format("argument {} does not reach b{}", i, preds[i]));
      return;
    }
    const auto reaches = [&](ValueId arg) {
      const BlockId at = function_.insts[arg].block;
      return at == b ? position_[arg] < position_[id] : dominators.dominates(at, b);
    };
    for (size_t i = 0; i < inst.args.size(); ++i)
      if (!reaches(inst.args[i])) complain(b, id, fmt::format("argument {} does not reach here", i));
    if (inst.guard != kNone && !reaches(inst.guard)) complain(b, id, "the guard does not reach here");
  }

  Type arg_type(const Inst& inst, size_t i) const {
    return i < inst.args.size() ? function_.insts[inst.args[i]].type : Type::Void;
  }

  void expect(BlockId b, ValueId id, size_t i, Type wanted) {
    const Type found = arg_type(function_.insts[id], i);
    if (found != wanted)
      complain(b, id, fmt::format("argument {} has type {}, expected {}", i, to_string(found), to_string(wanted)));
  }
  void expect_result(BlockId b, ValueId id, bool holds, const char* what) {
    if (!holds) complain(b, id, fmt::format("its type must be {}", what));
  }

  void check_types(BlockId b, ValueId id);
  void check_texture(BlockId b, ValueId id);
  void check_memory(BlockId b, ValueId id);
  void check_conversion(BlockId b, ValueId id);

  void check_ends(BlockId b, ValueId id) {
    const Inst& inst = function_.insts[id];
    if (info(inst.op).effect != Effect::Ends) return;
    const size_t wanted = inst.op == Op::CondBr ? 2 : inst.op == Op::Br || inst.op == Op::Barrier ? 1 : 0;
    if (function_.blocks[b].succs.size() != wanted)
      complain(b, id, fmt::format("needs {} successors, has {}", wanted, function_.blocks[b].succs.size()));
  }

  void check_references(BlockId b, ValueId id) {
    const Inst& inst = function_.insts[id];
    if (inst.site != kNone && inst.site >= function_.sites.size()) complain(b, id, "names no site");
    if (inst.location != kNone && inst.location >= function_.locations.size()) complain(b, id, "names no location");
    if (inst.op == Op::SymbolAddress && inst.imm >= module_.symbols.size()) complain(b, id, "names no symbol");
    if (inst.op == Op::Param && inst.imm + static_cast<uint64_t>(bytes(inst.type)) > function_.param_bytes)
      complain(b, id, "lies past the parameters");
    if (inst.op == Op::Trap && inst.imm >= function_.messages.size()) complain(b, id, "names no message");
    if (inst.op == Op::MathCall && (inst.imm == 0 || inst.imm >= math_function_count()))
      complain(b, id, "names no function");
    if (inst.op == Op::BarrierResult) {
      const auto& preds = function_.blocks[b].preds;
      const bool first = position_[id] == 0 && preds.size() == 1;
      const Op before = first ? function_.insts[function_.blocks[preds[0]].insts.back()].op : Op::Br;
      if (!first || before != Op::Barrier) complain(b, id, "does not follow a barrier");
    }
  }

  const Module& module_;
  const Kernel& kernel_;
  const Function& function_;
  std::vector<uint32_t> position_;
  std::vector<std::string> complaints_;
};

void Verifier::check_types(BlockId b, ValueId id) {
  const Inst& inst = function_.insts[id];
  const Type t = inst.type;
  const auto same = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) expect(b, id, i, t);
  };
  switch (inst.op) {
    case Op::Const:
    case Op::Param:
    case Op::Undef:
      expect_result(b, id, t != Type::Void, "a value's");
      break;
    case Op::Special:
    case Op::Clock:
      expect_result(b, id, t == Type::I32 || t == Type::I64, "i32 or i64");
      break;
    case Op::SymbolAddress:
      expect_result(b, id, t == Type::I64, "i64");
      break;
    case Op::Phi:
      same(inst.args.size());
      break;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::MulHiS:
    case Op::MulHiU:
    case Op::DivS:
    case Op::DivU:
    case Op::RemS:
    case Op::RemU:
    case Op::MinS:
    case Op::MinU:
    case Op::MaxS:
    case Op::MaxU:
    case Op::Brev:
      expect_result(b, id, is_int(t), "an integer's");
      same(inst.args.size());
      break;
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
      expect_result(b, id, is_int(t) || t == Type::Pred, "an integer's or pred");
      same(inst.args.size());
      break;
    case Op::Shl:
    case Op::ShrU:
    case Op::ShrS:
      expect_result(b, id, is_int(t), "an integer's");
      expect(b, id, 0, t);
      expect(b, id, 1, Type::I32);
      break;
    case Op::Popc:
    case Op::Clz:
      expect_result(b, id, t == Type::I32, "i32");
      if (arg_type(inst, 0) != Type::I64) expect(b, id, 0, Type::I32);
      break;
    case Op::FAdd:
    case Op::FSub:
    case Op::FMul:
    case Op::FFma:
    case Op::FDiv:
    case Op::FSqrt:
    case Op::FMin:
    case Op::FMax:
    case Op::FMinNan:
    case Op::FMaxNan:
    case Op::FNeg:
    case Op::FAbs:
    case Op::FCopysign:
    case Op::FRound:
    case Op::FSat:
    case Op::Ex2:
    case Op::Lg2:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Rsqrt:
      expect_result(b, id, is_float(t), "f32 or f64");
      same(inst.args.size());
      break;
    case Op::ICmp:
      expect_result(b, id, t == Type::Pred && is_int(arg_type(inst, 0)), "pred, of integers");
      expect(b, id, 1, arg_type(inst, 0));
      break;
    case Op::FCmp:
    case Op::TestP:
      expect_result(b, id, t == Type::Pred && is_float(arg_type(inst, 0)), "pred, of floats");
      if (inst.op == Op::FCmp) expect(b, id, 1, arg_type(inst, 0));
      break;
    case Op::Select:
      expect(b, id, 0, Type::Pred);
      expect(b, id, 1, t);
      expect(b, id, 2, t);
      break;
    case Op::Load:
    case Op::Store:
    case Op::Atomic:
    case Op::Reduce:
      check_memory(b, id);
      break;
    case Op::StackLoad:
    case Op::StackStore:
      expect_result(b, id, t != Type::Void, "a value's");
      expect(b, id, 0, Type::I32);
      if (inst.op == Op::StackStore) expect(b, id, 1, t);
      break;
    case Op::Texture:
    case Op::Surface:
      check_texture(b, id);
      break;
    case Op::ToGeneric:
    case Op::FromGeneric:
      expect_result(b, id, t == Type::I64, "i64");
      expect(b, id, 0, Type::I64);
      break;
    case Op::IsSpace:
      expect_result(b, id, t == Type::Pred, "pred");
      expect(b, id, 0, Type::I64);
      break;
    case Op::Shuffle:
      expect_result(b, id, t == Type::I32, "i32");
      for (size_t i = 0; i < 4; ++i) expect(b, id, i, Type::I32);
      break;
    case Op::Vote:
      expect(b, id, 0, Type::Pred);
      expect(b, id, 1, Type::I32);
      break;
    case Op::Match:
      expect(b, id, 1, Type::I32);
      break;
    case Op::Redux:
      expect(b, id, 0, Type::I32);
      expect(b, id, 1, Type::I32);
      break;
    case Op::Matrix: {
      const Matrix matrix = unpack_matrix(inst.imm);
      if (!is_valid(matrix)) complain(b, id, "is no operation on matrices");
      if (inst.args.size() != argument_count(matrix)) complain(b, id, "has a wrong number of arguments");
      expect_result(b, id, t == register_type(matrix), to_string(register_type(matrix)));
      same(inst.args.size());
      break;
    }
    case Op::SystemCall: {
      const auto call = static_cast<SystemCall>(inst.imm);
      const Type wanted = call == SystemCall::Printf ? Type::I32 : call == SystemCall::Malloc ? Type::I64 : Type::Void;
      const bool copies = call == SystemCall::Copy || call == SystemCall::CountCopy;
      if (inst.args.size() != (call == SystemCall::Printf ? 2u : copies ? 3u : 1u))
        complain(b, id, "has a wrong number of arguments");
      if (call == SystemCall::CountCopy && inst.site == kNone) complain(b, id, "is an access without a site");
      for (size_t i = 0; i < inst.args.size(); ++i) expect(b, id, i, Type::I64);
      expect_result(b, id, t == wanted, to_string(call));
      break;
    }
    case Op::WarpSync:
      expect(b, id, 0, Type::I32);
      break;
    case Op::CondBr:
      expect(b, id, 0, Type::Pred);
      break;
    default:
      check_conversion(b, id);
  }
  if (inst.guard != kNone && function_.insts[inst.guard].type != Type::Pred) complain(b, id, "the guard is no pred");
}

void Verifier::check_conversion(BlockId b, ValueId id) {
  const Inst& inst = function_.insts[id];
  const Type to = inst.type, from = arg_type(inst, 0);
  bool right = true;
  switch (inst.op) {
    case Op::Trunc:
      right = is_int(to) && is_int(from) && bits(to) < bits(from);
      break;
    case Op::SExt:
      right = is_int(to) && is_int(from) && bits(to) > bits(from);
      break;
    case Op::ZExt:
      right = is_int(to) && (from == Type::Pred || (is_int(from) && bits(to) > bits(from)));
      break;
    case Op::Bitcast:
      right = bits(to) == bits(from) && to != from && is_float(to) != is_float(from);
      break;
    case Op::SIToF:
    case Op::UIToF:
      right = is_float(to) && is_int(from);
      break;
    case Op::FToSI:
    case Op::FToUI:
      right = is_int(to) && is_float(from);
      break;
    case Op::FExt:
      right = to == Type::F64 && from == Type::F32;
      break;
    case Op::FTrunc:
      right = to == Type::F32 && from == Type::F64;
      break;
    case Op::F16ToF32:
    case Op::BF16ToF32:
      right = to == Type::F32 && from == Type::I16;
      break;
    case Op::F32ToF16:
    case Op::F32ToBF16:
      right = to == Type::I16 && from == Type::F32;
      break;
    case Op::F64ToF16:
      right = to == Type::I16 && from == Type::F64;
      break;
    default:
      break;
  }
  if (!right) complain(b, id, fmt::format("does not convert {} to {}", to_string(from), to_string(to)));
}

void Verifier::check_memory(BlockId b, ValueId id) {
  const Inst& inst = function_.insts[id];
  const bool narrow = inst.space == Space::Shared && arg_type(inst, 0) == Type::I32;
  if (inst.args.empty() || (!narrow && arg_type(inst, 0) != Type::I64))
    return complain(b, id, "has no address of 64 bits");
  if (inst.count == 0 || inst.count > 8) complain(b, id, "has an odd number of components");
  if (inst.site == kNone) complain(b, id, "is an access without a site");
  size_t values = 0;
  if (inst.op == Op::Store) values = inst.count;
  if (inst.op == Op::Atomic || inst.op == Op::Reduce)
    values = inst.imm2 == static_cast<uint32_t>(AtomicOp::Cas) ? 2 : inst.count;
  if (inst.args.size() != values + 1)
    return complain(b, id, fmt::format("has {} arguments, needs {}", inst.args.size(), values + 1));
  for (size_t i = 1; i < inst.args.size(); ++i) expect(b, id, i, inst.type);
}

void Verifier::check_texture(BlockId b, ValueId id) {
  const Inst& inst = function_.insts[id];
  const auto access = TextureAccess::unpack(static_cast<uint32_t>(inst.imm));
  const uint32_t n = coordinates(access.shape);
  std::vector<Type> wanted{Type::I64};
  if (access.op != TextureOp::Query) {
    if (has_layers(access.shape)) wanted.push_back(Type::I32);
    const Type coordinate = counts_texels(access.op) ? Type::I32 : Type::F32;
    wanted.insert(wanted.end(), n, coordinate);
    if (access.op == TextureOp::Level || access.op == TextureOp::LevelTexels) wanted.push_back(coordinate);
    if (access.op == TextureOp::Grad) wanted.insert(wanted.end(), 2 * n, Type::F32);
    if (access.has_offset) wanted.push_back(Type::I32);
    if (access.op == TextureOp::Store) wanted.insert(wanted.end(), inst.count, inst.type);
    if (access.op == TextureOp::Reduce) wanted.push_back(inst.type);
  }
  if (is_surface(access.op) != (inst.op == Op::Surface)) complain(b, id, "is of the other kind");
  if (inst.count == 0 || inst.count > 4) complain(b, id, "has an odd number of components");
  if (inst.site == kNone && access.op != TextureOp::Query) complain(b, id, "is an access without a site");
  if (inst.op == Op::Texture) expect_result(b, id, inst.type == Type::I32 || inst.type == Type::F32, "i32 or f32");
  if (inst.args.size() != wanted.size())
    return complain(b, id, fmt::format("has {} arguments, needs {}", inst.args.size(), wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i) expect(b, id, i, wanted[i]);
}

}  // namespace

std::vector<std::string> verify(const Module& module, const Kernel& kernel) { return Verifier(module, kernel).run(); }

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> all;
  for (const Kernel& kernel : module.kernels) {
    const auto some = verify(module, kernel);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace warplens::ir
