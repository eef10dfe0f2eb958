#include "report/parameter_names.h"

#include <algorithm>
#include <cctype>

namespace warplens::report {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Comments and literals become spaces: what stands in them is no code.
std::string code_alone(std::string_view source) {
  std::string out(source);
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < to && i < out.size(); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (size_t i = 0; i < out.size(); ++i) {
    if (out.compare(i, 2, "//") == 0) {
      const size_t end = std::min(out.find('\n', i), out.size());
      blank(i, end);
      i = end;
    } else if (out.compare(i, 2, "/*") == 0) {
      const size_t end = out.find("*/", i + 2);
      blank(i, end == std::string::npos ? out.size() : end + 2);
    } else if (out[i] == '"' || (out[i] == '\'' && (i == 0 || !in_name(out[i - 1])))) {
      size_t end = i + 1;
      while (end < out.size() && out[end] != out[i] && out[end] != '\n') end += out[end] == '\\' ? 2 : 1;
      blank(i, end + 1);
      i = end;
    }
  }
  return out;
}

std::string_view plain_name(std::string_view kernel) {
  // "void ns::copy<int, (Kind)1>(int*)": up to the first '<' or '(' that follows a name, from the last "::" or space.
  size_t end = 0;
  while (end < kernel.size() && kernel[end] != '<' && kernel[end] != '(') ++end;
  kernel = kernel.substr(0, end);
  const size_t from = kernel.find_last_of(": ");
  return from == std::string_view::npos ? kernel : kernel.substr(from + 1);
}

// "const float* __restrict__ in = nullptr" -> "in"; of an array "float a[4]" -> "a".
std::string name_in(std::string_view declaration) {
  declaration = declaration.substr(0, std::min(declaration.find('='), declaration.find('[')));
  size_t end = declaration.size();
  while (end > 0 && !in_name(declaration[end - 1])) --end;
  size_t from = end;
  while (from > 0 && in_name(declaration[from - 1])) --from;
  return std::string(declaration.substr(from, end - from));
}

// What stands between `open` and its partner, cut at commas of that depth; npos for none.
std::vector<std::string> list_at(const std::string& code, size_t open) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (depth == 0) return parts;
    if (c == ',' && depth == 1)
      parts.emplace_back();
    else if (i != open)
      parts.back() += c;
  }
  return {};
}

}  // namespace

std::vector<std::string> parameter_names(std::string_view source, std::string_view kernel, size_t count) {
  const std::string_view name = plain_name(kernel);
  if (name.empty() || count == 0 || source.find("__global__") == std::string_view::npos) return {};
  const std::string code = code_alone(source);
  for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at > 0 && in_name(code[at - 1])) || (end < code.size() && in_name(code[end]))) continue;
    size_t open = end;
    while (open < code.size() && std::isspace(static_cast<unsigned char>(code[open]))) ++open;
    if (open >= code.size() || code[open] != '(') continue;
    // A declaration: __global__ stands between the statement before and the name.
    const size_t before = at == 0 ? std::string::npos : code.find_last_of(";}", at - 1);
    const size_t from = before == std::string::npos ? 0 : before;
    if (code.substr(from, at - from).find("__global__") == std::string::npos) continue;
    const std::vector<std::string> list = list_at(code, open);
    if (list.size() != count) continue;
    std::vector<std::string> names;
    for (const std::string& declaration : list) names.push_back(name_in(declaration));
    return names;
  }
  return {};
}

void name_parameters(Kernel& kernel, SourceText& source) {
  for (const Site& site : kernel.sites) {
    if (site.frames.empty()) continue;
    const std::string& name = kernel.demangled.empty() ? kernel.name : kernel.demangled;
    const std::vector<std::string> names =
        parameter_names(source.all(site.frames.back().file), name, kernel.parameters.size());
    for (size_t i = 0; i < names.size(); ++i) kernel.parameters[i].name = names[i];
    return;
  }
}

}  // namespace warplens::report
