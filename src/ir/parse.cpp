#include "ir/parse.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>

#include "ir/math.h"
#include "ir/matrix.h"

namespace warplens::ir {
namespace {

struct Problem {
  std::string what;
};

// Reads one line from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) { skip(); }

  bool at_end() const { return text_.empty(); }
  bool accept(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    skip();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) throw Problem{fmt::format("expected '{}' at '{}'", token, text_)};
  }
  // Letters, digits, '_', '.', '-'.
  std::string_view word() {
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_' ||
                                text_[n] == '.' || text_[n] == '-' || text_[n] == '+'))
      ++n;
    if (n == 0) throw Problem{fmt::format("expected a word at '{}'", text_)};
    const std::string_view result = text_.substr(0, n);
    text_.remove_prefix(n);
    skip();
    return result;
  }
  // A whole word, not just the start of one.
  bool accept_word(std::string_view wanted) {
    const std::string_view before = text_;
    if (!text_.starts_with(wanted)) return false;
    if (word() == wanted) return true;
    text_ = before;
    return false;
  }
  template <typename T>
  T number() {
    T value{};
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) throw Problem{fmt::format("expected a number at '{}'", text_)};
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    skip();
    return value;
  }
  std::string quoted() {
    if (!text_.starts_with('"')) throw Problem{fmt::format("expected a string at '{}'", text_)};
    std::string result;
    size_t i = 1;
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] != '\\' || i + 1 == text_.size())
        result += text_[i];
      else
        result += text_[++i] == 'n' ? '\n' : text_[i];
    }
    if (i >= text_.size()) throw Problem{"a string without an end"};
    text_.remove_prefix(i + 1);
    skip();
    return result;
  }
  std::string_view rest() const { return text_; }
  bool starts_with(std::string_view token) const { return text_.starts_with(token); }

 private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\t' || text_[0] == '\r')) text_.remove_prefix(1);
  }
  std::string_view text_;
};

// The enumerator of that name, the longest that matches the start of `text`, which then loses it and a dot after it.
template <typename Enum>
Enum take(std::string_view& text, unsigned count, const char* what) {
  std::optional<Enum> best;
  size_t length = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::string_view name = to_string(static_cast<Enum>(i));
    const bool whole = text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.');
    if (whole && name.size() >= length) {
      best = static_cast<Enum>(i);
      length = name.size();
    }
  }
  if (!best) throw Problem{fmt::format("unknown {} '{}'", what, text)};
  text.remove_prefix(std::min(text.size(), length + 1));
  return *best;
}

template <typename Enum>
Enum whole(std::string_view text, unsigned count, const char* what) {
  const Enum result = take<Enum>(text, count, what);
  if (!text.empty()) throw Problem{fmt::format("unknown {} '{}'", what, text)};
  return result;
}

constexpr unsigned kTypes = 8, kSpaces = 7, kAtomicOps = 22, kSpecials = 37, kSiteKinds = 6;

Type type_named(std::string_view text) { return whole<Type>(text, kTypes, "type"); }
Space space_named(std::string_view text) { return whole<Space>(text, kSpaces, "space"); }

struct OpName {
  Op op;
  std::string_view suffix;
};
OpName op_named(std::string_view text) {
  constexpr unsigned kOps = static_cast<unsigned>(Op::Trap) + 1;
  std::optional<OpName> best;
  size_t length = 0;
  for (unsigned i = 0; i < kOps; ++i) {
    const std::string_view name = info(static_cast<Op>(i)).text;
    if (!text.starts_with(name) || (text.size() > name.size() && text[name.size()] != '.')) continue;
    if (name.size() < length) continue;
    length = name.size();
    best = OpName{static_cast<Op>(i), text.substr(std::min(text.size(), length + 1))};
  }
  if (!best) throw Problem{fmt::format("unknown operation '{}'", text)};
  return *best;
}

class Parser {
 public:
  Module run(std::string_view text) {
    while (!text.empty()) {
      ++line_number_;
      const size_t end = std::min(text.find('\n'), text.size());
      Line line(text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
      if (line.at_end() || line.starts_with("//")) continue;
      if (kernel_)
        kernel_line(line);
      else
        module_line(line);
    }
    if (kernel_) throw Problem{"a kernel without its closing brace"};
    return std::move(module_);
  }
  int line_number() const { return line_number_; }

 private:
  static constexpr ValueId kNamed = 1u << 31;  // set in an argument that is a number of the text, not yet a ValueId

  void module_line(Line& line) {
    if (line.accept_word("target"))
      module_.target = line.quoted();
    else if (line.accept_word("file")) {
      line.number<uint32_t>();
      module_.files.push_back(line.quoted());
    } else if (line.accept_word("symbol"))
      symbol(line);
    else if (line.accept_word("kernel")) {
      kernel_.emplace();
      kernel_->function.name = line.quoted();
      line.expect("{");
      values_.clear();
      constants_.clear();
      current_ = kNone;
    } else
      throw Problem{fmt::format("unknown line '{}'", line.rest())};
  }

  void symbol(Line& line) {
    Symbol s;
    line.number<uint32_t>();
    s.space = space_named(line.word());
    s.name = line.quoted();
    line.expect("bytes");
    s.bytes = line.number<uint64_t>();
    line.expect("align");
    s.align = line.number<uint32_t>();
    s.managed = line.accept_word("managed");
    s.external = line.accept_word("external");
    if (line.accept_word("initial")) {
      const std::string_view digits = line.word();
      for (size_t i = 0; i + 1 < digits.size(); i += 2) {
        uint8_t byte = 0;
        const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        if (error != std::errc()) throw Problem{"initial bytes must be hexadecimal"};
        s.initial.push_back(byte);
      }
    }
    while (line.accept_word("relocation")) {
      Symbol::Relocation r{};
      r.offset = line.number<uint64_t>();
      r.symbol = line.number<uint32_t>();
      r.addend = line.number<int64_t>();
      r.generic = line.accept_word("generic");
      s.relocations.push_back(r);
    }
    module_.symbols.push_back(std::move(s));
  }

  Function& f() { return kernel_->function; }

  void kernel_line(Line& line) {
    if (line.accept("}")) return end_kernel();
    if (line.starts_with("b") && line.rest().find(':') != std::string_view::npos && block_header(line)) return;
    if (current_ == kNone)
      header_line(line);
    else
      instruction(line);
  }

  void header_line(Line& line) {
    if (line.accept_word("param")) {
      ParamInfo p;
      p.offset = line.number<uint32_t>();
      line.expect("bytes");
      p.bytes = line.number<uint32_t>();
      line.expect("align");
      p.align = line.number<uint32_t>();
      p.pointer = line.accept_word("pointer");
      p.name = line.quoted();
      kernel_->params.push_back(std::move(p));
    } else if (line.accept_word("param_bytes"))
      f().param_bytes = line.number<uint32_t>();
    else if (line.accept_word("reserved_shared_bytes"))
      f().reserved_shared_bytes = line.number<uint32_t>();
    else if (line.accept_word("shared_bytes"))
      f().shared_bytes = line.number<uint32_t>();
    else if (line.accept_word("dynamic_shared_align"))
      f().dynamic_shared_align = line.number<uint32_t>();
    else if (line.accept_word("stack_bytes"))
      f().stack_bytes = line.number<uint32_t>();
    else if (line.accept_word("local_bytes"))
      f().local_bytes = line.number<uint32_t>();
    else if (line.starts_with("maxntid") || line.starts_with("reqntid")) {
      f().requires_ntid = line.word() == "reqntid";
      for (uint32_t& n : f().max_ntid) n = line.number<uint32_t>();
    } else if (line.accept_word("site"))
      site(line);
    else if (line.accept_word("location"))
      location(line);
    else
      throw Problem{fmt::format("unknown line '{}'", line.rest())};
  }

  void site(Line& line) {
    Site s;
    line.number<uint32_t>();
    s.kind = whole<SiteKind>(line.word(), kSiteKinds, "kind of site");
    s.space = space_named(line.word());
    s.bytes_per_lane = line.number<uint8_t>();
    line.expect("x");
    s.components = line.number<uint8_t>();
    s.opcode = line.quoted();
    s.operand = line.quoted();
    s.unit_increment = line.accept_word("increment");
    if (line.accept("@")) s.location = line.number<uint32_t>();
    f().sites.push_back(std::move(s));
  }

  void location(Line& line) {
    Location l;
    line.number<uint32_t>();
    l.ptx_line = line.number<uint32_t>();
    while (!line.at_end()) {
      Frame frame;
      if (!line.accept("-")) frame.file = line.number<uint32_t>();
      line.expect(":");
      frame.pos.line = line.number<uint32_t>();
      line.expect(":");
      frame.pos.column = line.number<uint32_t>();
      frame.function = line.quoted();
      l.frames.push_back(std::move(frame));
    }
    f().locations.push_back(std::move(l));
  }

  BlockId block(Line& line) {
    line.expect("b");
    const auto b = line.number<uint32_t>();
    if (b > 10'000'000) throw Problem{"a block number too large"};
    if (b >= f().blocks.size()) f().blocks.resize(b + 1);
    return b;
  }

  bool block_header(Line& line) {
    Line probe = line;
    probe.expect("b");
    if (probe.at_end() || !std::isdigit(static_cast<unsigned char>(probe.rest()[0]))) return false;
    probe.number<uint32_t>();
    if (!probe.accept(":")) return false;
    current_ = block(line);
    line.expect(":");
    std::vector<BlockId> preds;
    if (line.accept("<-")) do
        preds.push_back(block(line));
      while (line.accept(","));
    f().blocks[current_].preds = std::move(preds);
    if (line.accept("call")) {
      const BlockId call = block(line);
      f().blocks[current_].call = call;
    }
    return true;
  }

  ValueId constant(Type type, uint64_t bits) {
    auto [it, added] = constants_.try_emplace({type, bits}, 0);
    if (added) {
      Inst inst;
      inst.op = Op::Const;
      inst.type = type;
      inst.imm = bits;
      inst.weight = 0;
      inst.block = 0;
      f().insts.push_back(std::move(inst));
      it->second = static_cast<ValueId>(f().insts.size() - 1);
      inline_.push_back(it->second);
    }
    return it->second;
  }

  uint64_t constant_bits(Line& line, Type type) {
    const std::string text(line.word());
    const bool hex = text.starts_with("0x");
    if (type == Type::F32 && !hex) return std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr));
    if (type == Type::F64 && !hex) return std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
    const uint64_t bits =
        hex ? std::strtoull(text.c_str(), nullptr, 16) : static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 10));
    return ir::bits(type) >= 64 ? bits : bits & ((uint64_t{1} << ir::bits(type)) - 1);
  }

  ValueId value(Line& line) {
    if (line.accept("%")) {
      const auto number = line.number<uint32_t>();
      if (number >= kNamed) throw Problem{"a value number too large"};
      return number | kNamed;
    }
    const Type type = type_named(line.word());
    line.expect(":");
    return constant(type, constant_bits(line, type));
  }

  void values(Line& line, Inst& inst) {
    if (line.at_end() || line.starts_with("{") || line.starts_with("->")) return;
    do inst.args.push_back(value(line));
    while (line.accept(","));
  }

  void instruction(Line& line) {
    std::optional<uint32_t> name;
    if (line.accept("%")) {
      name = line.number<uint32_t>();
      line.expect("=");
    }
    Inst inst;
    OpName op = op_named(line.word());
    inst.op = op.op;
    suffix(inst, op.suffix);
    inst.weight = inst.op == Op::Phi || inst.op == Op::Special || inst.op == Op::Param ||
                          inst.op == Op::SymbolAddress || inst.op == Op::Undef || inst.op == Op::Extract
                      ? 0
                      : 1;
    operands(inst, line);
    if (line.accept("{")) attributes(inst, line);
    if (!line.at_end()) throw Problem{fmt::format("unexpected '{}'", line.rest())};
    const ValueId id = f().append(current_, std::move(inst));
    if (name && !values_.emplace(*name, id).second) throw Problem{fmt::format("%{} is defined twice", *name)};
  }

  void suffix(Inst& inst, std::string_view& text) {
    switch (inst.op) {
      case Op::ICmp:
        inst.imm = static_cast<uint64_t>(take<IntCompare>(text, 10, "comparison"));
        inst.type = Type::Pred;
        return;
      case Op::FCmp:
        inst.imm = static_cast<uint64_t>(take<FloatCompare>(text, 14, "comparison"));
        inst.type = Type::Pred;
        return;
      case Op::TestP:
        inst.imm = static_cast<uint64_t>(take<FloatClass>(text, 6, "class"));
        inst.type = Type::Pred;
        return;
      case Op::Atomic:
      case Op::Reduce:
        inst.imm2 = static_cast<uint32_t>(take<AtomicOp>(text, kAtomicOps, "atomic"));
        break;
      case Op::Shuffle:
        inst.imm = static_cast<uint64_t>(take<ShuffleMode>(text, 4, "mode"));
        inst.type = Type::I32;
        return;
      case Op::Vote: {
        const VoteMode mode = take<VoteMode>(text, 4, "mode");
        inst.imm = static_cast<uint64_t>(mode);
        inst.type = mode == VoteMode::Ballot ? Type::I32 : Type::Pred;
        return;
      }
      case Op::Redux:
        inst.imm = static_cast<uint64_t>(take<AtomicOp>(text, kAtomicOps, "operation"));
        inst.type = Type::I32;
        return;
      case Op::Matrix: {
        const auto matrix = parse_matrix(text);
        if (!matrix) throw Problem{"unknown matrix operation"};
        inst.imm = pack(*matrix);
        inst.type = register_type(*matrix);
        return;
      }
      case Op::Match:
        inst.imm = text == "all" ? 1 : 0;
        inst.type = Type::I32;
        return;
      case Op::SystemCall: {
        const SystemCall call = take<SystemCall>(text, kSystemCalls, "system call");
        inst.imm = static_cast<uint64_t>(call);
        inst.type = call == SystemCall::Printf ? Type::I32 : call == SystemCall::Malloc ? Type::I64 : Type::Void;
        return;
      }
      case Op::Texture:
      case Op::Surface: {
        TextureAccess access;
        access.op = take<TextureOp>(text, 10, "operation");
        access.shape = take<TextureShape>(text, 7, "shape");
        const size_t dot = std::min(text.find('.'), text.size());
        const unsigned long detail = std::strtoul(std::string(text.substr(0, dot)).c_str(), nullptr, 10);
        access.detail = static_cast<uint8_t>(detail);
        access.has_offset = (detail & 256) != 0;
        text.remove_prefix(std::min(dot + 1, text.size()));
        inst.imm = access.pack();
        break;
      }
      case Op::Barrier:
        inst.imm = static_cast<uint64_t>(take<BarrierMode>(text, 5, "mode"));
        return;
      case Op::Trap:
        inst.imm2 = static_cast<uint32_t>(take<TrapKind>(text, 5, "kind"));
        return;
      default:
        break;
    }
    if (text.empty()) return;
    const size_t x = text.find('x');
    const bool vector = inst.op == Op::Load || inst.op == Op::Store || inst.op == Op::Atomic || inst.op == Op::Reduce ||
                        inst.op == Op::Texture || inst.op == Op::Surface;
    if (vector && x != std::string_view::npos) {
      inst.count = static_cast<uint8_t>(std::strtoul(std::string(text.substr(x + 1)).c_str(), nullptr, 10));
      text = text.substr(0, x);
    }
    inst.type = type_named(text);
  }

  void operands(Inst& inst, Line& line) {
    const auto succ = [&] {
      const BlockId b = block(line);
      f().blocks[current_].succs.push_back(b);
    };
    switch (inst.op) {
      case Op::Const: {
        const Type type = type_named(line.word());
        line.expect(":");
        inst.type = type;
        inst.imm = constant_bits(line, type);
        return;
      }
      case Op::Param:
        inst.imm = line.number<uint64_t>();
        return;
      case Op::Special:
      case Op::Clock:
        inst.imm = static_cast<uint64_t>(whole<SpecialRegister>(line.word(), kSpecials, "special register"));
        return;
      case Op::SymbolAddress:
        inst.imm = symbol_named(line.quoted());
        return;
      case Op::Extract:
        inst.args = {value(line)};
        line.expect(",");
        inst.imm = line.number<uint64_t>();
        return;
      case Op::MathCall: {
        const auto index = find_math_function(line.word());
        if (!index) throw Problem{"unknown math function"};
        inst.imm = *index;
        line.expect("(");
        if (!line.starts_with(")")) values(line, inst);
        line.expect(")");
        return;
      }
      case Op::Load:
      case Op::Store:
      case Op::Atomic:
      case Op::Reduce:
        return memory(inst, line);
      case Op::StackLoad:
      case Op::StackStore:
        place(inst, line);
        if (line.accept(",")) values(line, inst);
        return;
      case Op::ToGeneric:
      case Op::FromGeneric:
      case Op::IsSpace:
        inst.space = space_named(line.word());
        return values(line, inst);
      case Op::Br:
        return succ();
      case Op::CondBr:
        inst.args = {value(line)};
        line.expect(",");
        succ();
        line.expect(",");
        return succ();
      case Op::Barrier:
        values(line, inst);
        line.expect("->");
        return succ();
      case Op::Trap:
        inst.imm = f().messages.size();
        f().messages.push_back(line.quoted());
        return;
      case Op::Matrix:
        inst.imm2 = static_cast<uint32_t>(f().messages.size());
        f().messages.push_back(line.quoted());
        return values(line, inst);
      default:
        return values(line, inst);
    }
  }

  uint64_t symbol_named(const std::string& name) const {
    for (size_t i = 0; i < module_.symbols.size(); ++i)
      if (module_.symbols[i].name == name) return i;
    throw Problem{"unknown symbol " + name};
  }

  void memory(Inst& inst, Line& line) {
    inst.space = space_named(line.word());
    place(inst, line);
    if (line.accept(",")) values(line, inst);
  }

  void place(Inst& inst, Line& line) {
    line.expect("[");
    inst.args.push_back(value(line));
    if (line.accept("+ "))
      inst.imm = line.number<uint64_t>();
    else if (line.accept("- "))
      inst.imm = -line.number<uint64_t>();
    line.expect("]");
  }

  void attributes(Inst& inst, Line& line) {
    while (!line.accept("}")) {
      if (line.accept("#"))
        inst.site = line.number<uint32_t>();
      else if (line.accept("@"))
        inst.location = line.number<uint32_t>();
      else if (line.accept_word("if"))
        inst.guard = value(line);
      else {
        const std::string_view word = line.word();
        if (word == "ftz")
          inst.ftz = true;
        else if (word == "volatile")
          inst.is_volatile = true;
        else if (word.starts_with("w"))
          inst.weight = static_cast<uint32_t>(std::strtoul(std::string(word.substr(1)).c_str(), nullptr, 10));
        else
          inst.rounding = whole<Rounding>(word, 5, "attribute");
      }
    }
  }

  void end_kernel() {
    Function& function = f();
    if (function.blocks.empty()) throw Problem{"a kernel without blocks"};
    auto& first = function.blocks[0].insts;
    first.insert(first.begin(), inline_.begin(), inline_.end());
    inline_.clear();
    const auto resolve = [&](ValueId& id) {
      if (id == kNone || !(id & kNamed)) return;
      const auto it = values_.find(id & ~kNamed);
      if (it == values_.end()) throw Problem{fmt::format("%{} is not defined", id & ~kNamed)};
      id = it->second;
    };
    for (Inst& inst : function.insts) {
      for (ValueId& arg : inst.args) resolve(arg);
      resolve(inst.guard);
    }
    module_.kernels.push_back(std::move(*kernel_));
    kernel_.reset();
  }

  Module module_;
  std::optional<Kernel> kernel_;
  BlockId current_ = kNone;
  std::unordered_map<uint32_t, ValueId> values_;
  std::map<std::pair<Type, uint64_t>, ValueId> constants_;
  std::vector<ValueId> inline_;  // constants that stand where they are used
  int line_number_ = 0;
};

}  // namespace

Result<Module> parse(std::string_view text) {
  Parser parser;
  try {
    return parser.run(text);
  } catch (const Problem& problem) {
    return Error{fmt::format("line {}: {}", parser.line_number(), problem.what), ""};
  }
}

}  // namespace warplens::ir
