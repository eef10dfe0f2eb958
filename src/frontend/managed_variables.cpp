#include "frontend/managed_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::frontend {
namespace {

constexpr std::string_view kSection = R"(, section "warplens_managed")";
constexpr std::string_view kAnnotations = "!nvvm.annotations = !{";

}  // namespace

std::string mark_managed(std::string ir) {
  std::vector<std::string> names;  // "@counter"
  for (size_t at = ir.find(kSection); at != ir.npos; at = ir.find(kSection, at)) {
    const size_t line = ir.rfind('\n', at) + 1;  // npos + 1 is the start
    names.push_back(ir.substr(line, ir.find(" = ", line) - line));
    ir.erase(at, kSection.size());
  }
  if (names.empty()) return ir;

  size_t next = 0;  // the first number that no node has
  for (size_t at = ir.find("\n!"); at != ir.npos; at = ir.find("\n!", at + 1))
    if (ir[at + 2] >= '0' && ir[at + 2] <= '9') next = std::max<size_t>(next, std::stoul(ir.substr(at + 2, 10)) + 1);
  std::string list, nodes;
  for (const std::string& name : names) {
    list += fmt::format("{}!{}", list.empty() ? "" : ", ", next);
    nodes += fmt::format("!{} = !{{ptr addrspace(1) {}, !\"managed\", i32 1}}\n", next++, name);
  }
  const size_t known = ir.find(kAnnotations);
  if (known == ir.npos)
    ir += fmt::format("\n{}{}}}\n", kAnnotations, list);
  else
    ir.insert(known + kAnnotations.size(), list + ", ");
  return ir + "\n" + nodes;
}

}  // namespace warplens::frontend
