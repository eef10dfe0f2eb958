#include "lift/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lift/lift.h"
#include "sass/cubin.h"
#include "sass/decode.h"
#include "sass/line_table.h"

namespace warplens::lift {
namespace {

constexpr uint32_t kInstructionBytes = 16;

// Where parameters would begin in a kernel without any.
uint32_t no_parameters(unsigned sm) { return sm >= 100 ? 0x380 : sm >= 90 ? 0x210 : 0x160; }

class ModuleLifter {
 public:
  ModuleLifter(ir::Module& module, const sass::Cubin& cubin, const sass::LineTable& lines, Diagnostics& diagnostics)
      : module_(module), cubin_(cubin), lines_(lines), diagnostics_(diagnostics) {
    for (uint32_t i = 0; i < module.symbols.size(); ++i) symbols_.emplace(module.symbols[i].name, i);
  }

  void run() {
    for (ir::Kernel& kernel : module_.kernels) {
      const sass::Function* function = cubin_.kernel(kernel.function.name);
      Result<ir::Function> lifted =
          function ? lift_kernel(kernel, *function) : Error{"the machine code has no such kernel", ""};
      if (lifted)
        kernel.function = std::move(*lifted);
      else
        diagnostics_.push_back(
            {Severity::Note, "", {}, "runs as PTX: " + lifted.error().what, "", kernel.function.name});
    }
  }

 private:
  Result<ir::Function> lift_kernel(const ir::Kernel& kernel, const sass::Function& function) {
    Input input;
    input.sm = cubin_.sm;
    input.module = &module_;
    input.param_base = function.parameter_offset ? function.parameter_offset : no_parameters(cubin_.sm);
    input.frame_bytes = std::max(function.frame_bytes, function.stack_bytes);
    input.registers = function.registers;
    input.reserved_shared_bytes = static_cast<uint32_t>(function.reserved_shared);
    input.shared_bytes = static_cast<uint32_t>(function.reserved_shared + function.shared_bytes);
    if (function.offset != 0) return Error{"its code does not begin its section", ""};
    for (uint32_t offset = 0; offset + kInstructionBytes <= function.code.size(); offset += kInstructionBytes) {
      uint64_t words[2];
      memcpy(words, function.code.data() + offset, sizeof words);
      auto instruction = sass::decode(words[0], words[1], offset, cubin_.sm);
      if (!instruction) return instruction.error();
      input.code.push_back(std::move(*instruction));
    }
    add_banks(input, function);
    add_patches(input, function);
    for (const sass::IndirectBranch& branch : function.branches)
      for (const uint32_t target : branch.targets) input.branch_targets.push_back(target);
    std::sort(input.branch_targets.begin(), input.branch_targets.end());
    input.branch_targets.erase(std::unique(input.branch_targets.begin(), input.branch_targets.end()),
                               input.branch_targets.end());
    std::vector<ir::Location> locations;
    add_locations(input, function, kernel.function, locations);
    auto lifted = lift(input, kernel.function, std::move(locations));
    if (lifted) name_operands(*lifted, kernel.function);
    return lifted;
  }

  // ---- what constants and addresses lead to

  uint32_t symbol(std::string_view name) const {
    const auto it = symbols_.find(std::string(name));
    return it == symbols_.end() ? ir::kNone : it->second;
  }

  // The variable at an offset of a section, and how far into it.
  struct Variable {
    uint32_t symbol = ir::kNone;
    int64_t at = 0;
  };
  Variable variable_at(uint32_t section, uint64_t offset) const {
    for (const sass::Symbol& s : cubin_.symbols) {
      if (s.section != section || s.kind != sass::Symbol::Kind::Object) continue;
      if (offset < s.offset || offset >= s.offset + std::max<uint64_t>(s.size, 1)) continue;
      return {symbol(s.name), static_cast<int64_t>(offset - s.offset)};
    }
    return {};
  }

  Variable target_of(const sass::Relocation& relocation, std::span<const uint8_t> bytes) const {
    if (relocation.symbol >= cubin_.symbols.size()) return {};
    const sass::Symbol& s = cubin_.symbols[relocation.symbol];
    int64_t addend = relocation.addend;
    if (addend == 0)
      if (const auto in_place = sass::field(relocation, bytes)) addend = static_cast<int64_t>(*in_place);
    if (s.kind == sass::Symbol::Kind::Section) return variable_at(s.section, s.offset + static_cast<uint64_t>(addend));
    return {symbol(s.name), addend};
  }

  // The function's name, where a relocation leads to one that is not in the cubin.
  std::string outside(const sass::Relocation& relocation) const {
    if (relocation.symbol >= cubin_.symbols.size()) return "";
    const sass::Symbol& s = cubin_.symbols[relocation.symbol];
    static constexpr std::string_view kNames[] = {"vprintf", "malloc", "free", "__assertfail"};
    return s.section == 0 && std::find(std::begin(kNames), std::end(kNames), s.name) != std::end(kNames)
               ? std::string(s.name)
               : "";
  }

  void add_banks(Input& input, const sass::Function& function) {
    if (const sass::Section* constants = cubin_.bank(function, 3)) {
      const auto index = static_cast<uint32_t>(constants - cubin_.sections.data());
      for (const sass::Symbol& s : cubin_.symbols) {
        if (s.section != index || s.kind != sass::Symbol::Kind::Object) continue;
        if (const uint32_t known = symbol(s.name); known != ir::kNone) {
          module_.symbols[known].bank_offset = static_cast<uint32_t>(s.offset);
          input.banks.push_back({3, static_cast<uint32_t>(s.offset), static_cast<uint32_t>(s.size), known, 0, false});
        }
      }
    }
    if (const sass::Section* constants = cubin_.bank(function, 2); constants && !constants->bytes.empty()) {
      const auto index = static_cast<uint32_t>(constants - cubin_.sections.data());
      const auto [it, is_new] = compiler_constants_.try_emplace(index, static_cast<uint32_t>(module_.symbols.size()));
      if (is_new) {
        ir::Symbol made;
        made.name = "." + std::string(constants->name);
        made.space = ir::Space::Const;
        made.bytes = constants->bytes.size();
        made.align = 16;
        made.initial.assign(constants->bytes.begin(), constants->bytes.end());
        module_.symbols.push_back(std::move(made));
      }
      input.banks.push_back({2, 0, static_cast<uint32_t>(constants->bytes.size()), it->second, 0, false});
    }
    if (const sass::Section* addresses = cubin_.bank(function, 4))
      for (const sass::Relocation& r : addresses->relocations) {
        if (r.type->kind == sass::RelocationKind::Other || r.type->kind == sass::RelocationKind::Relative) continue;
        const Variable v = target_of(r, addresses->bytes);
        if (const std::string name = outside(r); !name.empty())
          input.banks.push_back({4, static_cast<uint32_t>(r.offset), 8, ir::kNone, 0, true, name});
        else if (v.symbol != ir::kNone)
          input.banks.push_back({4, static_cast<uint32_t>(r.offset), 8, v.symbol, v.at, true});
      }
  }

  void add_patches(Input& input, const sass::Function& function) {
    const sass::Section* code = cubin_.code(function);
    for (const sass::Relocation& r : code->relocations) {
      Patch patch;
      patch.offset = static_cast<uint32_t>(r.offset / kInstructionBytes * kInstructionBytes);
      if (r.type->kind == sass::RelocationKind::Address || r.type->kind == sass::RelocationKind::GenericAddress) {
        const Variable v = target_of(r, code->bytes);
        patch.symbol = v.symbol;
        patch.addend = v.at;
        patch.high = r.type->part == sass::RelocationPart::High;
      }
      patch.what = r.symbol < cubin_.symbols.size() ? std::string(cubin_.symbols[r.symbol].name) : "";
      input.patches.push_back(std::move(patch));
    }
  }

  // ---- where an instruction comes from

  // The lines of PTX say it best: their places were worked out when the PTX was read.
  void add_locations(Input& input, const sass::Function& function, const ir::Function& ptx,
                     std::vector<ir::Location>& locations) {
    std::unordered_map<uint32_t, const ir::Location*> by_line;
    for (const ir::Location& location : ptx.locations)
      if (location.ptx_line != 0) by_line.try_emplace(location.ptx_line, &location);
    for (const sass::Instruction& i : input.code) {
      const auto line = lines_.ptx_line(function.section, i.offset);
      ir::Location location;
      if (line) location.ptx_line = line->line;
      if (const auto known = by_line.find(location.ptx_line); line && known != by_line.end()) {
        location.frames = known->second->frames;
      } else {
        for (const ptx::LineFrame& frame : lines_.stack(cubin_, function.section, i.offset))
          location.frames.push_back(frame_of(frame));
      }
      locations.push_back(std::move(location));
      input.locations.push_back(static_cast<uint32_t>(locations.size() - 1));
    }
  }

  ir::Frame frame_of(const ptx::LineFrame& line) {
    auto it = std::find(module_.files.begin(), module_.files.end(), line.file);
    if (it == module_.files.end()) it = module_.files.insert(it, std::string(line.file));
    ir::Frame frame;
    frame.file = static_cast<uint32_t>(it - module_.files.begin());
    frame.pos.line = line.line;
    frame.pos.column = line.column;
    frame.function = line.function;
    return frame;
  }

  // The name of what is accessed is that of the access in PTX.
  static void name_operands(ir::Function& lifted, const ir::Function& ptx) {
    std::map<uint32_t, const ir::Site*> by_line;
    for (const ir::Site& site : ptx.sites)
      if (site.location < ptx.locations.size()) by_line.try_emplace(ptx.locations[site.location].ptx_line, &site);
    for (ir::Site& site : lifted.sites) {
      if (site.location >= lifted.locations.size()) continue;
      const auto it = by_line.find(lifted.locations[site.location].ptx_line);
      if (it == by_line.end() || it->second->space != site.space) continue;
      site.operand = it->second->operand;
    }
  }

  ir::Module& module_;
  const sass::Cubin& cubin_;
  const sass::LineTable& lines_;
  Diagnostics& diagnostics_;
  std::map<std::string, uint32_t> symbols_;
  std::map<uint32_t, uint32_t> compiler_constants_;  // by section: the symbol
};

}  // namespace

Status use_machine_code(ir::Module& module, std::span<const uint8_t> bytes, Diagnostics& diagnostics) {
  auto cubin = sass::read_cubin(bytes);
  if (!cubin) return cubin.error();
  auto lines = sass::read_line_table(*cubin);
  if (!lines) return lines.error();
  ModuleLifter(module, *cubin, *lines, diagnostics).run();
  return Ok{};
}

}  // namespace warplens::lift
