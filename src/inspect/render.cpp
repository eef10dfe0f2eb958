#include "inspect/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warplens::inspect {
namespace {

using Json = nlohmann::ordered_json;
using Runtime = Linkage::Runtime;

// Names come from the file: nothing in them may move a terminal's cursor.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

std::string release_of(const Linkage& linkage) {
  return linkage.release.empty() ? fmt::format("{}, of a release that Warplens does not know by number", linkage.major)
                                 : linkage.release;
}

std::string runtime_words(const Linkage& linkage) {
  switch (linkage.runtime) {
    case Runtime::Shared:
      return linkage.library.empty() ? "shared, brought by another object" : "shared, " + linkage.library;
    case Runtime::Static:
      return fmt::format("static, CUDA {}; {} functions found by {}", release_of(linkage), linkage.functions,
                         linkage.by_signature ? "their code (it is stripped)" : "their symbols");
    case Runtime::Unknown:
      return "static, of a release that Warplens does not recognise (it is stripped)";
    case Runtime::None:
      break;
  }
  return linkage.uses_driver ? "none: it uses the driver, libcuda.so.1" : "none";
}

std::string ptx_words(const Ptx& ptx) {
  std::string text =
      fmt::format("PTX {}.{} for {}, {} bytes", ptx.version_major, ptx.version_minor, ptx.target, ptx.bytes);
  if (!ptx.source.empty()) text += ", of " + printable(ptx.source);
  return text;
}

std::string kernel_words(const Kernel& kernel) {
  std::string text = printable(kernel.demangled);
  if (!kernel.has_lines) text += "  [no source lines]";
  if (!kernel.refused.empty()) text += fmt::format("  [not executed: {}]", fmt::join(kernel.refused, ", "));
  return text;
}

bool is_empty(const Unit& unit) {
  return unit.ptx.empty() && std::all_of(unit.machine_code.begin(), unit.machine_code.end(),
                                         [](const MachineCode& code) { return code.functions.empty(); });
}

// Lists `left` names at most, and leaves the rest of that number there.
template <typename Names, typename Words>
std::string listed(const Names& names, const char* what, size_t& left, Words&& words) {
  std::string out;
  const size_t shown = std::min(left, names.size());
  for (size_t i = 0; i < shown; ++i) out += "    " + words(names[i]) + "\n";
  if (shown < names.size()) out += fmt::format("    and {} more {}\n", names.size() - shown, what);
  left -= shown;
  return out;
}

std::string unit_text(const Unit& unit, size_t& left) {
  std::string out = printable(unit.origin) + (unit.relocatable ? ", to be linked with others" : "") + "\n";
  for (size_t i = 0; i < unit.ptx.size(); ++i) {
    const Ptx& ptx = unit.ptx[i];
    bool runs = static_cast<int>(i) == unit.chosen;
    out += "  " + ptx_words(ptx) + (unit.ptx.size() > 1 && runs ? "  <- this one runs\n" : "\n");
    if (!runs) continue;
    out += listed(ptx.kernels, "kernels", left, kernel_words);
    if (ptx.kernels.empty()) out += "    no kernels\n";
  }
  const std::vector<std::string>* before = nullptr;  // one function for several GPUs is listed once
  for (const MachineCode& code : unit.machine_code) {
    out += fmt::format("  machine code for sm_{}, {} bytes\n", code.sm, code.bytes);
    if (before && *before == code.functions) continue;
    before = &code.functions;
    out += listed(code.functions, "functions", left, printable);
  }
  return out;
}

// As far as `kernels` reach, which all units share.
std::string units_text(const std::vector<Unit>& units, size_t kernels) {
  std::string out;
  size_t more = 0, names = 0;
  for (const Unit& unit : units) {
    if (is_empty(unit)) continue;
    if (kernels > 0) {
      out += unit_text(unit, kernels);
      continue;
    }
    ++more;
    if (unit.chosen >= 0)
      names += unit.ptx[static_cast<size_t>(unit.chosen)].kernels.size();
    else if (!unit.machine_code.empty())
      names += unit.machine_code.back().functions.size();
  }
  if (more > 0) out += fmt::format("and {} more like these, with {} kernels (--all lists them)\n", more, names);
  return out;
}

std::string verdict(const Inspection& in) {
  bool complete = in.kind == "program" || in.kind == "script" || in.kind == "library";
  if (!in.runs()) return "Warplens cannot run it as it is.\n";
  if (in.units.empty() && in.linkage.runtime == Runtime::None && !in.linkage.uses_driver)
    return complete ? "It holds no device code; what it starts or loads may.\n" : "It holds no device code.\n";
  if (in.kind == "program") return fmt::format("Warplens runs it: warplens run {}\n", printable(in.path));
  return "Warplens can run what is in it.\n";
}

Json json_of(const Linkage& linkage) {
  static constexpr const char* kNames[] = {"none", "shared", "static", "unknown"};
  Json json{{"runtime", kNames[static_cast<int>(linkage.runtime)]}};
  if (!linkage.library.empty()) json["library"] = linkage.library;
  if (linkage.runtime == Runtime::Static) {
    json["major"] = linkage.major;
    json["release"] = linkage.release;
    json["found_by"] = linkage.by_signature ? "signature" : "symbols";
    json["functions"] = linkage.functions;
  }
  json["driver"] = linkage.uses_driver;
  json["stripped"] = linkage.stripped;
  json["needed"] = linkage.needed;
  return json;
}

Json json_of(const Ptx& ptx, bool runs) {
  Json kernels = Json::array();
  for (const Kernel& k : ptx.kernels)
    kernels.push_back({{"name", k.name},
                       {"demangled", k.demangled},
                       {"parameters", k.parameters},
                       {"source_lines", k.has_lines},
                       {"refused_instructions", k.refused}});
  return {{"version", fmt::format("{}.{}", ptx.version_major, ptx.version_minor)},
          {"target", ptx.target},
          {"source", ptx.source},
          {"bytes", ptx.bytes},
          {"errors", ptx.errors},
          {"runs", runs},
          {"device_functions", ptx.functions},
          {"kernels", kernels}};
}

Json json_of(const Unit& unit) {
  Json ptx = Json::array(), code = Json::array();
  for (size_t i = 0; i < unit.ptx.size(); ++i) ptx.push_back(json_of(unit.ptx[i], static_cast<int>(i) == unit.chosen));
  for (const MachineCode& c : unit.machine_code)
    code.push_back({{"sm", c.sm}, {"bytes", c.bytes}, {"functions", c.functions}});
  return {{"origin", unit.origin}, {"relocatable", unit.relocatable}, {"ptx", ptx}, {"machine_code", code}};
}

}  // namespace

std::string render_text(const Inspection& in, size_t kernels) {
  std::string out = fmt::format("{}: {}\n", printable(in.path), in.kind);
  if (in.is_elf && in.linkage.executable) out += "CUDA runtime: " + printable(runtime_words(in.linkage)) + "\n";
  out += units_text(in.units, kernels);
  out += verdict(in);
  for (const Remark& remark : in.remarks) {
    out += (remark.prevents ? "error: " : "note: ") + printable(remark.what);
    out += remark.count > 1 ? fmt::format("  ({} times)\n", remark.count) : "\n";
    if (!remark.hint.empty()) out += "  hint: " + printable(remark.hint) + "\n";
  }
  return out;
}

std::string render_json(const Inspection& in) {
  Json units = Json::array(), remarks = Json::array();
  for (const Unit& unit : in.units) units.push_back(json_of(unit));
  for (const Remark& r : in.remarks)
    remarks.push_back({{"prevents", r.prevents}, {"message", r.what}, {"hint", r.hint}, {"count", r.count}});
  Json json{{"file", in.path}, {"kind", in.kind}, {"runs", in.runs()}};
  if (in.is_elf && in.linkage.executable) json["cuda"] = json_of(in.linkage);
  json["units"] = units;
  json["remarks"] = remarks;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::inspect
