#include "sass/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace warplens::test {
namespace {

using namespace sass;

std::string of(const std::optional<Dim3>& dim) { return dim ? fmt::format("{}x{}x{}", dim->x, dim->y, dim->z) : "-"; }

std::string dump_function(const Cubin& cubin, const Function& f) {
  std::string out =
      fmt::format("{} {} +{:#x} {:#x}\n", f.kernel ? "kernel" : "function", f.name, f.offset, f.code.size());
  out += fmt::format("  registers {} frame {} stack {} shared {}+{} barriers {}\n", f.registers, f.frame_bytes,
                     f.stack_bytes, f.reserved_shared, f.shared_bytes, f.barriers);
  if (!f.kernel) return out;
  out += fmt::format("  max threads {} required {} cluster {}\n", of(f.max_threads), of(f.required_threads),
                     of(f.cluster));
  out += fmt::format("  parameters {:#x} {}", f.parameter_offset, f.parameter_bytes);
  for (const Parameter& p : f.parameters) out += fmt::format(" [{} {}]", p.offset, p.size);
  out += fmt::format("\n  exits {:#x}\n", fmt::join(f.exits, " "));
  for (const IndirectBranch& b : f.branches)
    out += fmt::format("  branch {:#x}: {:#x}\n", b.offset, fmt::join(b.targets, " "));
  if (!f.spills.empty()) out += fmt::format("  spills {}, first {:#x}\n", f.spills.size(), f.spills.front());
  for (uint32_t symbol : f.externs) out += fmt::format("  extern {}\n", cubin.symbols.at(symbol).name);
  return out;
}

std::string dump_bank(const Cubin& cubin, const ConstantBank& bank) {
  const Section& section = cubin.sections[bank.section];
  std::string out = fmt::format("bank {} {} {}\n", bank.bank,
                                bank.function ? cubin.sections[bank.function].name : "all", section.size);
  if (bank.bank == 0) return out;
  for (size_t i = 0; i < section.bytes.size(); ++i)
    out += fmt::format("{}{:02x}", i % 32 == 0 ? (i ? "\n  " : "  ") : (i % 4 == 0 ? " " : ""), section.bytes[i]);
  return out + "\n";
}

}  // namespace

std::string dump(const Cubin& cubin) {
  std::string out = fmt::format("sm_{}{}\n", cubin.sm, cubin.relocatable ? " relocatable" : "");
  for (const Function& function : cubin.functions) out += dump_function(cubin, function);
  for (const ConstantBank& bank : cubin.banks) out += dump_bank(cubin, bank);
  for (const Symbol& symbol : cubin.symbols) {
    if (symbol.kind != Symbol::Kind::Object) continue;
    out += fmt::format("object {} {} +{:#x} {}{}{}\n", symbol.name,
                       symbol.section ? cubin.sections[symbol.section].name : "-", symbol.offset, symbol.size,
                       symbol.local ? " local" : "", symbol.managed ? " managed" : "");
  }
  for (const Section& section : cubin.sections) {
    if (section.name.find("debug") != section.name.npos) continue;
    for (const Relocation& r : section.relocations)
      out += fmt::format("relocation {}+{:#x} {} {} {:#x}\n", section.name, r.offset, r.type->name,
                         cubin.symbols[r.symbol].name, r.addend);
  }
  return out;
}

std::string dump_lines(const Cubin& cubin, const LineTable& lines, bool ptx) {
  std::string out;
  for (uint32_t i = 0; i < cubin.sections.size(); ++i) {
    const Section& section = cubin.sections[i];
    if (!section.name.starts_with(".text.")) continue;
    out += fmt::format("{}\n", section.name);
    std::string last;
    for (uint32_t offset = 0; offset < section.size; offset += 16) {
      std::string text;
      if (ptx) {
        if (const auto line = lines.ptx_line(i, offset)) text = fmt::format("{}:{}\n", line->section, line->line);
      } else {
        const auto frames = lines.stack(cubin, i, offset);
        for (size_t f = 0; f < frames.size(); ++f) {
          text += fmt::format("{}:{}", frames[f].file, frames[f].line);
          if (f + 1 < frames.size()) text += fmt::format(" in {}:{}", frames[f + 1].file, frames[f + 1].line);
          text += "\n";
        }
      }
      if (text.empty() || text == last) continue;
      out += fmt::format("{}  +{:#x}\n", text, offset);
      last = text;
    }
  }
  return out;
}

// //## File "/tmp/a.cu", line 9 inlined at "/tmp/a.cu", line 11
std::string lines_of_disassembly(const std::string& text) {
  std::string out, pending, last;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto quoted = [&](size_t from) {
      const size_t start = line.find('"', from) + 1, end = line.find('"', start);
      return fmt::format("{}:{}", line.substr(start, end - start),
                         std::stoul(line.substr(line.find("line ", end) + 5)));
    };
    if (const size_t section = line.find(".section\t.text."); section != line.npos) {
      out += line.substr(section + 9, line.find(',') - section - 9) + "\n";
      last.clear();
    } else if (const size_t file = line.find("//## File"); file != line.npos) {
      pending += quoted(file);
      const size_t inlined = line.find("inlined at");
      if (inlined != line.npos) pending += " in " + quoted(inlined);
      pending += "\n";
    } else if (line.starts_with("        /*") && line.find(";") != line.npos) {
      if (!pending.empty() && pending != last)
        out += fmt::format("{}  +{:#x}\n", pending, std::stoul(line.substr(10), nullptr, 16)), last = pending;
      pending.clear();
    }
  }
  return out;
}

}  // namespace warplens::test
