#include "frontend/wide_copies.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

namespace warplens::frontend {
namespace {

constexpr uint64_t kPieceBytes = 16;
constexpr uint64_t kMaxBytes = 128;  // larger ones become loops in the back end

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Call {
  std::vector<std::string_view> arguments;  // "ptr noundef align 16 %7", "i8 0", ...
  std::string_view debug;                   // "!dbg !22", or nothing
};

// The call of `function` in `line`: its arguments are what the commas outside of inner brackets separate.
std::optional<Call> parse_call(std::string_view line, std::string_view function) {
  size_t name = line.find(function);
  if (name == line.npos || line.find("call void") > name) return std::nullopt;
  size_t open = line.find('(', name);
  if (open == line.npos) return std::nullopt;
  Call call;
  int depth = 0;
  size_t start = open + 1, at = open;
  for (; at < line.size(); ++at) {
    if (line[at] == '(') ++depth;
    if (line[at] == ')') --depth;
    if (!(depth == 1 && line[at] == ',') && depth != 0) continue;
    call.arguments.push_back(trimmed(line.substr(start, at - start)));
    start = at + 1;
    if (depth == 0) break;
  }
  if (at == line.size()) return std::nullopt;
  if (size_t debug = line.find("!dbg !", at); debug != line.npos)
    call.debug = line.substr(debug, line.find_first_not_of("0123456789", debug + 6) - debug);
  return call;
}

std::optional<uint64_t> number_after(std::string_view text, std::string_view word) {
  size_t at = text.find(word);
  if (at == text.npos) return std::nullopt;
  uint64_t value = 0;
  const char* begin = text.data() + at + word.size();
  auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// "ptr addrspace(3) noundef align 16 %7": type and value, if it is a register or global aligned well enough.
struct Pointer {
  std::string_view type, value;
};
std::optional<Pointer> aligned_pointer(std::string_view argument) {
  size_t space = argument.rfind(' ');
  if (!argument.starts_with("ptr") || space == argument.npos) return std::nullopt;
  std::string_view value = argument.substr(space + 1);
  if (!value.starts_with('%') && !value.starts_with('@')) return std::nullopt;  // a constant expression
  if (value.find(')') != value.npos) return std::nullopt;
  std::optional<uint64_t> alignment = number_after(argument, " align ");
  if (!alignment || *alignment % kPieceBytes != 0) return std::nullopt;
  std::string_view type = argument.starts_with("ptr addrspace(") ? argument.substr(0, argument.find(')') + 1) : "ptr";
  return Pointer{type, value};
}

// The constant size of the copy, if it is one that becomes whole pieces.
uint64_t pieces_of(const Call& call) {
  if (call.arguments.size() != 4 || call.arguments[3] != "i1 false") return 0;
  std::optional<uint64_t> bytes = number_after(call.arguments[2], "i64 ");
  if (!bytes || fmt::format("i64 {}", *bytes) != call.arguments[2]) return 0;
  return *bytes % kPieceBytes == 0 && *bytes <= kMaxBytes ? *bytes / kPieceBytes : 0;
}

class Writer {
 public:
  explicit Writer(unsigned copy) : prefix_(fmt::format("%warplens.{}.", copy)) {}

  // The address of piece `index` of `pointer`.
  std::string piece(const Pointer& pointer, uint64_t index) {
    if (index == 0) return std::string(pointer.value);
    std::string name = fresh();
    text += fmt::format("  {} = getelementptr inbounds i8, {} {}, i64 {}\n", name, pointer.type, pointer.value,
                        index * kPieceBytes);
    return name;
  }
  std::string fresh() { return prefix_ + std::to_string(next_++); }
  std::string text;

 private:
  std::string prefix_;
  unsigned next_ = 0;
};

std::string suffix_of(const Call& call) { return call.debug.empty() ? "\n" : fmt::format(", {}\n", call.debug); }

std::optional<std::string> widen_memcpy(std::string_view line, unsigned number) {
  std::optional<Call> call = parse_call(line, "@llvm.memcpy.p");
  uint64_t pieces = call ? pieces_of(*call) : 0;
  if (pieces == 0) return std::nullopt;
  std::optional<Pointer> target = aligned_pointer(call->arguments[0]), source = aligned_pointer(call->arguments[1]);
  if (!target || !source) return std::nullopt;
  Writer out(number);
  std::vector<std::string> values;  // all loads first: source and target may be the same
  for (uint64_t i = 0; i < pieces; ++i) {
    std::string address = out.piece(*source, i);
    values.push_back(out.fresh());
    out.text +=
        fmt::format("  {} = load <4 x i32>, {} {}, align 16{}", values.back(), source->type, address, suffix_of(*call));
  }
  for (uint64_t i = 0; i < pieces; ++i) {
    std::string address = out.piece(*target, i);
    out.text +=
        fmt::format("  store <4 x i32> {}, {} {}, align 16{}", values[i], target->type, address, suffix_of(*call));
  }
  return out.text;
}

std::optional<std::string> widen_memset(std::string_view line, unsigned number) {
  std::optional<Call> call = parse_call(line, "@llvm.memset.p");
  uint64_t pieces = call ? pieces_of(*call) : 0;
  if (pieces == 0 || call->arguments[1] != "i8 0") return std::nullopt;
  std::optional<Pointer> target = aligned_pointer(call->arguments[0]);
  if (!target) return std::nullopt;
  Writer out(number);
  for (uint64_t i = 0; i < pieces; ++i) {
    std::string address = out.piece(*target, i);
    out.text +=
        fmt::format("  store <4 x i32> zeroinitializer, {} {}, align 16{}", target->type, address, suffix_of(*call));
  }
  return out.text;
}

}  // namespace

std::string widen_copies(std::string_view llvm_ir) {
  std::string out;
  out.reserve(llvm_ir.size());
  unsigned copies = 0;
  while (!llvm_ir.empty()) {
    size_t end = llvm_ir.find('\n');
    std::string_view line = llvm_ir.substr(0, end);
    llvm_ir.remove_prefix(end == llvm_ir.npos ? llvm_ir.size() : end + 1);
    std::optional<std::string> wide = widen_memcpy(line, copies);
    if (!wide) wide = widen_memset(line, copies);
    copies += wide.has_value();
    out += wide ? *wide : std::string(line) + "\n";
  }
  return out;
}

}  // namespace warplens::frontend
