#include "inspect/remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warplens::inspect {
namespace {

constexpr int kFirstMajor = 11, kLastMajor = 13;  // of the runtimes that src/cuda stands in for

const Ptx* chosen_of(const Unit& unit) {
  return unit.chosen < 0 ? nullptr : &unit.ptx[static_cast<size_t>(unit.chosen)];
}

// The same of many units is said once.
void add(Remark remark, Inspection& out) {
  auto known = std::find_if(out.remarks.begin(), out.remarks.end(), [&](const Remark& other) {
    return other.what == remark.what && other.hint == remark.hint;
  });
  if (known == out.remarks.end())
    out.remarks.push_back(std::move(remark));
  else
    ++known->count;
}

void remark_on_unit(const Unit& unit, bool in_pieces, Inspection& out) {
  if (in_pieces && !unit.relocatable) return;  // nvlink's machine code of all the pieces
  const Ptx* ptx = chosen_of(unit);
  if (!ptx) {
    auto with_code = std::find_if(unit.machine_code.begin(), unit.machine_code.end(),
                                  [](const MachineCode& code) { return !code.functions.empty(); });
    if (with_code == unit.machine_code.end()) return;
    std::set<uint32_t> targets;
    for (const MachineCode& code : unit.machine_code) targets.insert(code.sm);
    add({true,
         fmt::format("{} holds machine code for sm_{} alone, and Warplens runs PTX", unit.origin,
                     fmt::join(targets, ", sm_")),
         fmt::format("rebuild with -gencode arch=compute_{0},code=[sm_{0},compute_{0}]", *targets.rbegin())},
        out);
    return;
  }
  if (ptx->errors)
    add({true, fmt::format("the PTX of {} is damaged: {}", unit.origin, ptx->first_error), "rebuild it"}, out);
}

void remark_on_refused(Inspection& out) {
  std::map<std::string, std::vector<std::string>> by_kernel;
  for (const Unit& unit : out.units) {
    const Ptx* ptx = chosen_of(unit);
    if (!ptx) continue;
    for (const Kernel& kernel : ptx->kernels)
      if (!kernel.refused.empty())
        by_kernel[fmt::format("{}", fmt::join(kernel.refused, ", "))].push_back(kernel.demangled);
  }
  for (const auto& [opcodes, kernels] : by_kernel)
    out.remarks.push_back(
        {false,
         fmt::format("{}{} uses instructions that Warplens does not execute: {}", kernels[0],
                     kernels.size() > 1 ? fmt::format(" (and {} more)", kernels.size() - 1) : "", opcodes),
         "a launch of it is refused when it gets there"});
}

void remark_on_lines(Inspection& out) {
  bool any = false, all_blind = true;
  for (const Unit& unit : out.units)
    if (const Ptx* ptx = chosen_of(unit))
      for (const Kernel& kernel : ptx->kernels) any = true, all_blind &= !kernel.has_lines;
  if (any && all_blind)
    out.remarks.push_back({false, "no source lines are in it", "rebuild with -lineinfo (clang: -gline-tables-only)"});
}

}  // namespace

std::optional<Remark> linkage_problem(const Linkage& linkage) {
  using Runtime = Linkage::Runtime;
  if (linkage.damaged) return Remark{true, "it is damaged: parts of it are missing", "build it again"};
  if (!linkage.native) return Remark{true, "it is built for another kind of processor", "build it for this one"};
  bool uses_cuda = linkage.has_device_code || linkage.runtime != Runtime::None;
  if (linkage.executable && uses_cuda && !linkage.has_interpreter && linkage.needed.empty())
    return Remark{true, "it is linked with -static, so no library can be put in place of its CUDA runtime",
                  "link it without -static; the CUDA runtime itself may be the static one"};
  if (linkage.runtime == Runtime::Unknown)
    return Remark{
        true, "it is stripped, and has a CUDA runtime inside that Warplens does not recognise",
        "leave its symbols in (no strip, no -s), or build it with '-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY "
        "Shared)"};
  if (linkage.runtime == Runtime::Shared && !linkage.library.empty()) {
    int major =
        elf::RuntimeTable::major_of(std::string_view(linkage.library).substr(std::string_view("libcudart.so.").size()));
    if (major < kFirstMajor || major > kLastMajor)
      return Remark{true, "it needs " + linkage.library + ", a CUDA runtime that Warplens does not stand in for",
                    "rebuild it with CUDA 13"};
  }
  return std::nullopt;
}

void add_remarks(Inspection& out) {
  if (out.is_elf && out.linkage.executable)
    if (auto problem = linkage_problem(out.linkage)) out.remarks.push_back(*problem);
  bool in_pieces = std::any_of(out.units.begin(), out.units.end(), [](const Unit& unit) { return unit.relocatable; });
  for (const Unit& unit : out.units) remark_on_unit(unit, in_pieces, out);
  remark_on_refused(out);
  remark_on_lines(out);
}

}  // namespace warplens::inspect
