#include "ir/print.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "ir/math.h"
#include "ir/matrix.h"

namespace warplens::ir {
namespace {

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

// Reads back to the same bits: a decimal where that is so, else the bits.
std::string float_text(uint64_t bits, Type type) {
  if (type == Type::F32) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(value)) return fmt::format("{}", value);
    return fmt::format("0x{:08x}", bits);
  }
  const double value = std::bit_cast<double>(bits);
  if (std::isfinite(value)) return fmt::format("{}", value);
  return fmt::format("0x{:016x}", bits);
}

std::string constant_text(const Inst& inst) {
  if (is_float(inst.type)) return fmt::format("{}:{}", to_string(inst.type), float_text(inst.imm, inst.type));
  const int shift = 64 - bits(inst.type);
  const int64_t value =
      inst.type == Type::Pred ? static_cast<int64_t>(inst.imm) : static_cast<int64_t>(inst.imm << shift) >> shift;
  return fmt::format("{}:{}", to_string(inst.type), value);
}

bool is_memory(Op op) { return op == Op::Load || op == Op::Store || op == Op::Atomic || op == Op::Reduce; }

bool has_result(const Inst& inst) {
  if (inst.op == Op::Surface) return TextureAccess::unpack(static_cast<uint32_t>(inst.imm)).op == TextureOp::Load;
  return inst.type != Type::Void && inst.op != Op::Store && inst.op != Op::Reduce;
}

class Printer {
 public:
  Printer(const Module* module, const Function& function, const PrintOptions& options)
      : module_(module), function_(function), options_(options), numbers_(function.insts.size(), kNone) {
    uint32_t next = 0;
    for (const Block& block : function.blocks)
      for (const ValueId id : block.insts)
        if (!stands_inline(id) && has_result(function.insts[id])) numbers_[id] = next++;
  }

  std::string inst(ValueId id) const {
    const Inst& it = function_.insts[id];
    std::string text;
    if (has_result(it)) text = name(id) + " = ";
    text += info(it.op).text + suffix(it) + operands(id);
    const std::string extra = attributes(it);
    return extra.empty() ? text : text + " {" + extra + "}";
  }

  std::string body() const {
    std::string text;
    for (BlockId b = 0; b < function_.blocks.size(); ++b) {
      const Block& block = function_.blocks[b];
      text += fmt::format("  b{}:", b);
      for (size_t i = 0; i < block.preds.size(); ++i) text += fmt::format("{} b{}", i ? "," : " <-", block.preds[i]);
      if (block.call != kNone) text += fmt::format(" call b{}", block.call);
      text += "\n";
      for (const ValueId id : block.insts)
        if (!stands_inline(id)) text += "    " + inst(id) + "\n";
    }
    return text;
  }

 private:
  bool stands_inline(ValueId id) const {
    const Inst& it = function_.insts[id];
    return it.op == Op::Const && it.weight == 0;
  }

  std::string name(ValueId id) const {
    if (id >= function_.insts.size()) return "%?";
    if (stands_inline(id)) return constant_text(function_.insts[id]);
    const uint32_t number = options_.raw_numbers ? id : numbers_[id];
    return number == kNone ? "%?" : fmt::format("%{}", number);
  }

  std::string suffix(const Inst& it) const {
    if (it.op == Op::ICmp) return fmt::format(".{}.{}", to_string(static_cast<IntCompare>(it.imm)), argument_type(it));
    if (it.op == Op::FCmp)
      return fmt::format(".{}.{}", to_string(static_cast<FloatCompare>(it.imm)), argument_type(it));
    if (it.op == Op::TestP) return fmt::format(".{}.{}", to_string(static_cast<FloatClass>(it.imm)), argument_type(it));
    if (it.op == Op::Atomic || it.op == Op::Reduce)
      return fmt::format(".{}.{}{}", to_string(static_cast<AtomicOp>(it.imm2)), to_string(it.type),
                         it.count > 1 ? fmt::format("x{}", it.count) : "");
    if (it.op == Op::Shuffle) return fmt::format(".{}", to_string(static_cast<ShuffleMode>(it.imm)));
    if (it.op == Op::Vote) return fmt::format(".{}", to_string(static_cast<VoteMode>(it.imm)));
    if (it.op == Op::Redux) return fmt::format(".{}", to_string(static_cast<AtomicOp>(it.imm)));
    if (it.op == Op::Matrix) return fmt::format(".{}", to_string(unpack_matrix(it.imm)));
    if (it.op == Op::Match) return it.imm ? ".all" : ".any";
    if (it.op == Op::Barrier) return fmt::format(".{}", to_string(static_cast<BarrierMode>(it.imm)));
    if (it.op == Op::Trap) return fmt::format(".{}", to_string(static_cast<TrapKind>(it.imm2)));
    if (it.op == Op::SystemCall) return fmt::format(".{}", to_string(static_cast<SystemCall>(it.imm)));
    if (it.op == Op::Texture || it.op == Op::Surface) {
      const auto access = TextureAccess::unpack(static_cast<uint32_t>(it.imm));
      return fmt::format(".{}.{}.{}.{}x{}", to_string(access.op), to_string(access.shape),
                         access.detail | (access.has_offset ? 256 : 0), to_string(it.type), it.count);
    }
    if (it.type == Type::Void) return "";
    if (is_memory(it.op) && it.count > 1) return fmt::format(".{}x{}", to_string(it.type), it.count);
    return fmt::format(".{}", to_string(it.type));
  }

  const char* argument_type(const Inst& it) const {
    return it.args.empty() || it.args[0] >= function_.insts.size() ? "?" : to_string(function_.insts[it.args[0]].type);
  }

  std::string operands(ValueId id) const {
    const Inst& it = function_.insts[id];
    const Block& block = function_.blocks[it.block];
    const auto succ = [&](size_t i) { return i < block.succs.size() ? fmt::format("b{}", block.succs[i]) : "b?"; };
    switch (it.op) {
      case Op::Const:
        return " " + constant_text(it);
      case Op::Param:
        return fmt::format(" {}", it.imm);
      case Op::Special:
      case Op::Clock:
        return fmt::format(" {}", to_string(static_cast<SpecialRegister>(it.imm)));
      case Op::SymbolAddress:
        if (module_ && it.imm < module_->symbols.size()) return " " + quote(module_->symbols[it.imm].name);
        return fmt::format(" {}", it.imm);
      case Op::Extract:
        return fmt::format(" {}, {}", list(it, 0), it.imm);
      case Op::MathCall:
        return fmt::format(" {}({})", it.imm < math_function_count() ? math_function(it.imm).name : "?", list(it, 0));
      case Op::Load:
      case Op::Store:
      case Op::Atomic:
      case Op::Reduce:
        return fmt::format(" {}{}", to_string(it.space), place(it));
      case Op::StackLoad:
      case Op::StackStore:
        return place(it);
      case Op::ToGeneric:
      case Op::FromGeneric:
      case Op::IsSpace:
        return fmt::format(" {} {}", to_string(it.space), list(it, 0));
      case Op::Br:
        return " " + succ(0);
      case Op::CondBr:
        return fmt::format(" {}, {}, {}", list(it, 0), succ(0), succ(1));
      case Op::Barrier:
        return fmt::format(" {} -> {}", list(it, 0), succ(0));
      case Op::Trap:
        return " " + message(it.imm);
      case Op::Matrix:
        return fmt::format(" {} {}", message(it.imm2), list(it, 0));
      default:
        return it.args.empty() ? "" : " " + list(it, 0);
    }
  }

  std::string message(uint64_t index) const {
    return index < function_.messages.size() ? quote(function_.messages[index]) : "\"?\"";
  }

  std::string place(const Inst& it) const {
    std::string text = fmt::format(" [{}", it.args.empty() ? "%?" : name(it.args[0]));
    const auto offset = static_cast<int64_t>(it.imm);
    if (offset > 0) text += fmt::format(" + {}", offset);
    if (offset < 0) text += fmt::format(" - {}", -static_cast<uint64_t>(offset));
    text += "]";
    if (it.args.size() > 1) text += ", " + list(it, 1);
    return text;
  }

  std::string list(const Inst& it, size_t from) const {
    std::string text;
    for (size_t i = from; i < it.args.size(); ++i) text += (i > from ? ", " : "") + name(it.args[i]);
    return text;
  }

  std::string attributes(const Inst& it) const {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    if (it.rounding != Rounding::Nearest) add(to_string(it.rounding));
    if (it.ftz) add("ftz");
    if (it.is_volatile) add("volatile");
    if (it.guard != kNone) add("if " + name(it.guard));
    if (it.weight != 1 && !is_plain_weight(it)) add(fmt::format("w{}", it.weight));
    if (it.weight == 1 && is_plain_weight(it, true)) add("w1");
    if (it.site != kNone) add(fmt::format("#{}", it.site));
    if (options_.locations && it.location != kNone) add(fmt::format("@{}", it.location));
    return text;
  }

  // Phis and values from outside usually weigh nothing, everything else 1: only what differs is written.
  static bool is_plain_weight(const Inst& it, bool one = false) {
    const bool light = it.op == Op::Phi || it.op == Op::Special || it.op == Op::Param || it.op == Op::SymbolAddress ||
                       it.op == Op::Undef || it.op == Op::Extract;
    return one ? light : light && it.weight == 0;
  }

  const Module* module_;
  const Function& function_;
  const PrintOptions& options_;
  std::vector<uint32_t> numbers_;
};

std::string header(const Kernel& kernel, const PrintOptions& options) {
  const Function& f = kernel.function;
  std::string text = fmt::format("kernel {} {{\n", quote(f.name));
  for (const ParamInfo& p : kernel.params)
    text += fmt::format("  param {} bytes {} align {}{} {}\n", p.offset, p.bytes, p.align, p.pointer ? " pointer" : "",
                        quote(p.name));
  if (f.param_bytes) text += fmt::format("  param_bytes {}\n", f.param_bytes);
  if (f.reserved_shared_bytes) text += fmt::format("  reserved_shared_bytes {}\n", f.reserved_shared_bytes);
  if (f.shared_bytes) text += fmt::format("  shared_bytes {}\n", f.shared_bytes);
  if (f.dynamic_shared_align) text += fmt::format("  dynamic_shared_align {}\n", f.dynamic_shared_align);
  if (f.stack_bytes) text += fmt::format("  stack_bytes {}\n", f.stack_bytes);
  if (f.local_bytes) text += fmt::format("  local_bytes {}\n", f.local_bytes);
  if (f.max_ntid[0])
    text += fmt::format("  {} {} {} {}\n", f.requires_ntid ? "reqntid" : "maxntid", f.max_ntid[0], f.max_ntid[1],
                        f.max_ntid[2]);
  for (size_t i = 0; i < f.sites.size(); ++i) {
    const Site& s = f.sites[i];
    text += fmt::format("  site {} {} {} {} x{} {} {}", i, to_string(s.kind), to_string(s.space), s.bytes_per_lane,
                        s.components, quote(s.opcode), quote(s.operand));
    if (s.unit_increment) text += " increment";
    if (options.locations && s.location != kNone) text += fmt::format(" @{}", s.location);
    text += "\n";
  }
  if (!options.locations) return text;
  for (size_t i = 0; i < f.locations.size(); ++i) {
    text += fmt::format("  location {} {}", i, f.locations[i].ptx_line);
    for (const Frame& frame : f.locations[i].frames)
      text += fmt::format(" {}:{}:{} {}", frame.file == kNone ? "-" : std::to_string(frame.file), frame.pos.line,
                          frame.pos.column, quote(frame.function));
    text += "\n";
  }
  return text;
}

std::string symbol_text(size_t index, const Symbol& s) {
  std::string text =
      fmt::format("symbol {} {} {} bytes {} align {}", index, to_string(s.space), quote(s.name), s.bytes, s.align);
  if (s.managed) text += " managed";
  if (s.external) text += " external";
  if (!s.initial.empty()) {
    text += " initial ";
    for (const uint8_t byte : s.initial) text += fmt::format("{:02x}", byte);
  }
  for (const Symbol::Relocation& r : s.relocations)
    text += fmt::format(" relocation {} {} {}{}", r.offset, r.symbol, r.addend, r.generic ? " generic" : "");
  return text + "\n";
}

}  // namespace

std::string print(const Module& module, const Kernel& kernel, const PrintOptions& options) {
  return header(kernel, options) + Printer(&module, kernel.function, options).body() + "}\n";
}

std::string print(const Module& module, const PrintOptions& options) {
  std::string text = fmt::format("target {}\n", quote(module.target));
  if (options.locations)
    for (size_t i = 0; i < module.files.size(); ++i) text += fmt::format("file {} {}\n", i, quote(module.files[i]));
  for (size_t i = 0; i < module.symbols.size(); ++i) text += symbol_text(i, module.symbols[i]);
  for (const Kernel& kernel : module.kernels) text += print(module, kernel, options);
  return text;
}

std::string print(const Function& function, ValueId inst) {
  return Printer(nullptr, function, {.locations = false, .raw_numbers = true}).inst(inst);
}

}  // namespace warplens::ir
