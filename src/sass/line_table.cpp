#include "sass/line_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace warplens::sass {
namespace {

using Bytes = std::span<const uint8_t>;

// Numbers and strings, one after the other; after the end there are zeros, and ok() is false.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  template <typename T>
  T fixed() {
    T value{};
    if (!take(sizeof value)) return value;
    std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
    return value;
  }

  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }

  std::string_view string() {
    const void* end = at_ < bytes_.size() ? std::memchr(bytes_.data() + at_, 0, bytes_.size() - at_) : nullptr;
    if (end == nullptr) {
      take(bytes_.size() - at_ + 1);
      return {};
    }
    const size_t start = at_;
    at_ = static_cast<size_t>(static_cast<const uint8_t*>(end) - bytes_.data()) + 1;
    return {reinterpret_cast<const char*>(bytes_.data()) + start, at_ - 1 - start};
  }

  void skip_to(size_t offset) {
    if (offset < at_ || offset > bytes_.size())
      ok_ = false, at_ = bytes_.size();
    else
      at_ = offset;
  }

  size_t at() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  bool take(size_t size) {
    if (size > bytes_.size() - at_) {
      ok_ = false;
      at_ = bytes_.size();
      return false;
    }
    at_ += size;
    return true;
  }

  Bytes bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

constexpr size_t kMaxUnits = 1 << 16;  // line programs in a section: nvlink keeps one for each of its files

}  // namespace

// Runs the line programs of one section.
class LineProgramReader {
 public:
  LineProgramReader(const Cubin& cubin, const Section& section, LineTable::Program& out)
      : cubin_(cubin), section_(section), in_(section.bytes), out_(out) {
    for (const Relocation& relocation : section.relocations) addresses_.emplace(relocation.offset, &relocation);
  }

  // "": all is well.
  std::string read() {
    for (size_t unit = 0; !in_.at_end() && failure_.empty(); ++unit) {
      if (unit == kMaxUnits) return "has too many parts";
      read_unit();
    }
    if (failure_.empty() && !in_.ok()) failure_ = "is cut short";
    finish();
    return failure_;
  }

 private:
  struct Header {
    uint8_t instruction_bytes, line_range, opcode_base;
    int8_t line_base;
    std::vector<uint8_t> operands;  // of the standard opcodes, how many
  };
  // The registers of the line machine.
  struct State {
    uint32_t section = 0;  // 0: where the code is was not said
    uint64_t address = 0;
    uint64_t file = 1;
    int64_t line = 1;
    uint64_t context = 0, function = 0;
  };

  void read_unit() {
    const size_t start = in_.at();
    const auto size = in_.fixed<uint32_t>();
    const auto version = in_.fixed<uint16_t>();
    const size_t end = start + 4 + size;
    if (!in_.ok() || size < 2 || end > section_.bytes.size()) {
      failure_ = "is cut short";
      return;
    }
    if (version < 2 || version > 4) {
      failure_ = fmt::format("is of DWARF version {}", version);
      return;
    }
    const auto header_size = in_.fixed<uint32_t>();
    const size_t program = in_.at() + header_size;
    Header header = read_header(version);
    if (header.line_range == 0 || header.opcode_base == 0) failure_ = "has a line range of zero";
    read_files(end);
    in_.skip_to(program);
    if (failure_.empty()) run(header, end);
  }

  Header read_header(uint16_t version) {
    Header header;
    header.instruction_bytes = in_.fixed<uint8_t>();
    if (version >= 4) in_.fixed<uint8_t>();  // operations in an instruction: of VLIW machines
    in_.fixed<uint8_t>();                    // whether rows begin statements
    header.line_base = in_.fixed<int8_t>();
    header.line_range = in_.fixed<uint8_t>();
    header.opcode_base = in_.fixed<uint8_t>();
    for (int i = 1; i < header.opcode_base; ++i) header.operands.push_back(in_.fixed<uint8_t>());
    return header;
  }

  void read_files(size_t end) {
    std::vector<std::string_view> folders = {""};
    for (;;) {
      const std::string_view name = in_.string();
      if (name.empty()) break;
      folders.push_back(name);
    }
    first_file_ = out_.files.size();
    while (in_.ok() && in_.at() < end) {
      const std::string_view name = in_.string();
      if (name.empty()) break;
      const uint64_t folder = in_.uleb();
      in_.uleb();  // when it was changed
      in_.uleb();  // its size
      const bool whole = name.front() == '/' || folder == 0 || folder >= folders.size();
      out_.files.push_back(whole ? std::string(name) : fmt::format("{}/{}", folders[folder], name));
    }
    files_ = out_.files.size() - first_file_;
  }

  void run(const Header& header, size_t end) {
    state_ = State();
    sequence_ = out_.rows.size();
    while (in_.ok() && in_.at() < end && failure_.empty()) {
      const auto opcode = in_.fixed<uint8_t>();
      if (opcode >= header.opcode_base) {
        const int step = opcode - header.opcode_base;
        state_.address += static_cast<uint64_t>(step / header.line_range) * header.instruction_bytes;
        state_.line += header.line_base + step % header.line_range;
        add_row();
      } else if (opcode == 0) {
        extended();
      } else {
        standard(opcode, header);
      }
    }
  }

  void standard(uint8_t opcode, const Header& header) {
    enum {
      kCopy = 1,
      kAdvanceAddress,
      kAdvanceLine,
      kSetFile,
      kSetColumn,
      kNegateStatement,
      kBasicBlock,
      kAddConstant,
      kFixedAdvance
    };
    switch (opcode) {
      case kCopy:
        add_row();
        break;
      case kAdvanceAddress:
        state_.address += in_.uleb() * header.instruction_bytes;
        break;
      case kAdvanceLine:
        state_.line = static_cast<int64_t>(static_cast<uint64_t>(state_.line) + static_cast<uint64_t>(in_.sleb()));
        break;
      case kSetFile:
        state_.file = in_.uleb();
        break;
      case kAddConstant:
        state_.address +=
            static_cast<uint64_t>((255 - header.opcode_base) / header.line_range) * header.instruction_bytes;
        break;
      case kFixedAdvance:
        state_.address += in_.fixed<uint16_t>();
        break;
      default:
        for (uint8_t i = 0; i < header.operands[opcode - 1u]; ++i) in_.uleb();
    }
  }

  void extended() {
    enum { kEndSequence = 1, kSetAddress = 2, kInlinedCall = 0x90 };
    const uint64_t size = in_.uleb();
    const size_t start = in_.at();
    if (size == 0 || size > section_.bytes.size() - start) {
      failure_ = "has an operation beyond its end";
      return;
    }
    switch (in_.fixed<uint8_t>()) {
      case kEndSequence:
        if (state_.section != 0) out_.starts.push_back({state_.section, low(state_.address), -1});
        state_ = State();
        sequence_ = out_.rows.size();
        break;
      case kSetAddress:
        set_address(start + 1, size == 9 ? in_.fixed<uint64_t>() : in_.fixed<uint32_t>());
        break;
      case kInlinedCall:
        state_.context = in_.uleb();
        state_.function = in_.uleb();
        break;
      default:
        break;
    }
    in_.skip_to(start + size);
  }

  // The address itself is zero: the relocation there says by a symbol where the code is.
  void set_address(size_t place, uint64_t address) {
    const auto found = addresses_.find(place);
    if (found == addresses_.end()) {
      state_.section = 0;
      state_.address = address;
      return;
    }
    const Symbol& symbol = cubin_.symbols[found->second->symbol];
    state_.section = symbol.section;
    state_.address = symbol.offset + static_cast<uint64_t>(found->second->addend);
  }

  static uint32_t low(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }

  void add_row() {
    LineRow row;
    row.address = low(state_.address);
    row.file = state_.file >= 1 && state_.file <= files_ ? static_cast<uint32_t>(first_file_ + state_.file - 1) : 0;
    row.line = state_.line > 0 ? low(static_cast<uint64_t>(state_.line)) : 0;
    const size_t own = out_.rows.size();
    if (state_.context != 0 && state_.context <= own - sequence_) {  // earlier rows only: no circles
      row.caller = static_cast<int32_t>(sequence_ + state_.context - 1);
      row.function = low(state_.function);
    }
    if (state_.section != 0) out_.starts.push_back({state_.section, row.address, static_cast<int32_t>(own)});
    out_.rows.push_back(row);
  }

  // Of rows at one address the last holds; the end of a sequence gives way to the start of the next.
  void finish() {
    std::stable_sort(out_.starts.begin(), out_.starts.end(), [](const LineTable::Start& a, const LineTable::Start& b) {
      return std::tuple(a.section, a.address, a.row >= 0) < std::tuple(b.section, b.address, b.row >= 0);
    });
  }

  const Cubin& cubin_;
  const Section& section_;
  Reader in_;
  LineTable::Program& out_;
  std::unordered_map<uint64_t, const Relocation*> addresses_;  // by offset in the section
  size_t first_file_ = 0, files_ = 0;                          // of this unit, in out_.files
  size_t sequence_ = 0;                                        // its first row
  State state_;
  std::string failure_;
};

const LineRow* LineTable::Program::at(uint32_t section, uint32_t offset) const {
  const auto after = std::upper_bound(
      starts.begin(), starts.end(), std::pair(section, offset),
      [](const auto& wanted, const Start& start) { return wanted < std::pair(start.section, start.address); });
  if (after == starts.begin()) return nullptr;
  const Start& found = *std::prev(after);
  return found.section == section && found.row >= 0 ? &rows[static_cast<size_t>(found.row)] : nullptr;
}

std::vector<ptx::LineFrame> LineTable::stack(const Cubin& cubin, uint32_t section, uint32_t offset) const {
  std::vector<ptx::LineFrame> frames;
  const LineRow* row = source_.at(section, offset);
  while (row != nullptr && frames.size() < ptx::kMaxInlineDepth) {
    ptx::LineFrame frame;
    frame.file = source_.files[row->file];
    frame.line = row->line;
    if (row->caller >= 0) {
      const std::string_view rest = names_.substr(std::min<size_t>(row->function, names_.size()));
      frame.function = ptx::demangle(rest.substr(0, rest.find('\0')));
    } else if (const Function* function = cubin.function_at(section, offset)) {
      frame.function = ptx::demangle(function->name);
    }
    frames.push_back(std::move(frame));
    row = row->caller >= 0 ? &source_.rows[static_cast<size_t>(row->caller)] : nullptr;
  }
  return frames;
}

std::optional<PtxLine> LineTable::ptx_line(uint32_t section, uint32_t offset) const {
  const LineRow* row = ptx_.at(section, offset);
  if (row == nullptr || row->line == 0) return std::nullopt;
  const std::string& file = ptx_.files[row->file];
  return PtxLine{file.empty() ? std::string_view(".nv_debug_ptx_txt") : std::string_view(file), row->line};
}

Result<LineTable> read_line_table(const Cubin& cubin) {
  LineTable out;
  const auto read = [&](std::string_view name, LineTable::Program& program) {
    const Section* section = cubin.section(name);
    return section ? LineProgramReader(cubin, *section, program).read() : std::string();
  };
  for (const auto& [name, program] : {std::pair(".debug_line", &out.source_), {".nv_debug_line_sass", &out.ptx_}}) {
    const std::string failure = read(name, *program);
    if (!failure.empty())
      return Error{fmt::format("the line table of the machine code {} ({})", failure, name), "build the program again"};
  }
  if (const Section* names = cubin.section(".debug_str"))
    out.names_ = {reinterpret_cast<const char*>(names->bytes.data()), names->bytes.size()};
  return out;
}

std::string ptx_text(const Cubin& cubin, std::string_view name) {
  const Section* section = cubin.section(name);
  if (section == nullptr) return {};
  std::string text(section->bytes.begin(), section->bytes.end());
  std::replace(text.begin(), text.end(), '\0', '\n');
  return text;
}

}  // namespace warplens::sass
