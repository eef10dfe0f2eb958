#include "report/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace warplens::report {
namespace {

std::string name_of(size_t index, const std::string& rest, const std::vector<Parameter>& parameters) {
  const bool has_name = index < parameters.size() && !parameters[index].name.empty();
  std::string name = has_name ? parameters[index].name : fmt::format("param{}", index + 1);
  return rest.empty() ? name : fmt::format("({}{})", name, rest);
}

std::optional<int64_t> value_of(const std::string& factor, const LawValues& v) {
  const std::pair<const char*, uint64_t> sizes[] = {
      {"blockDim.x", v.block.x}, {"blockDim.y", v.block.y}, {"blockDim.z", v.block.z},
      {"gridDim.x", v.grid.x},   {"gridDim.y", v.grid.y},   {"gridDim.z", v.grid.z},
  };
  for (const auto& [name, value] : sizes)
    if (factor == name) return static_cast<int64_t>(value);
  for (const auto& [name, value] : v.parameters)
    if (factor == name) return value;
  return std::nullopt;
}

}  // namespace

std::string factor_text(const std::string& factor, const std::vector<Parameter>& parameters) {
  std::string out;
  for (size_t i = 0; i < factor.size(); ++i) {
    if (factor[i] != '$') {
      out += factor[i];
      continue;
    }
    size_t index = 0;
    while (i + 1 < factor.size() && std::isdigit(static_cast<unsigned char>(factor[i + 1])) && index < 100000)
      index = index * 10 + static_cast<size_t>(factor[++i] - '0');
    std::string rest;
    if (i + 2 < factor.size() && factor[i + 1] == '+' && std::isdigit(static_cast<unsigned char>(factor[i + 2]))) {
      rest = "+";
      for (++i; i + 1 < factor.size() && std::isdigit(static_cast<unsigned char>(factor[i + 1]));) rest += factor[++i];
    }
    out += name_of(index, rest, parameters);
  }
  return out;
}

namespace {

// Without one of each of `factors`; nothing where one is missing.
std::optional<std::vector<std::string>> without(std::vector<std::string> of,
                                                std::initializer_list<std::string> factors) {
  for (const std::string& factor : factors) {
    const auto it = std::find(of.begin(), of.end(), factor);
    if (it == of.end()) return std::nullopt;
    of.erase(it);
  }
  std::sort(of.begin(), of.end());
  return of;
}

// a * blockIdx.x * blockDim.x + a * threadIdx.x  ->  a * (blockIdx.x * blockDim.x + threadIdx.x)
Law with_thread_numbers(Law law) {
  for (const char* axis : {"x", "y", "z"}) {
    const std::string thread = fmt::format("threadIdx.{}", axis), block = fmt::format("blockIdx.{}", axis),
                      size = fmt::format("blockDim.{}", axis);
    for (size_t t = 0; t < law.size(); ++t) {
      const auto rest = without(law[t].factors, {thread});
      if (!rest) continue;
      for (size_t b = 0; b < law.size(); ++b) {
        if (law[b].coefficient != law[t].coefficient || without(law[b].factors, {block, size}) != rest) continue;
        law[t].factors = *rest;
        law[t].factors.push_back(fmt::format("({} * {} + {})", block, size, thread));
        law.erase(law.begin() + static_cast<ptrdiff_t>(b));
        break;
      }
    }
  }
  return law;
}

}  // namespace

std::string law_text(const Law& terms, const std::vector<Parameter>& parameters) {
  std::string out;
  for (const LawTerm& term : with_thread_numbers(terms)) {
    const bool negative = term.coefficient < 0;
    const uint64_t size =
        negative ? 0 - static_cast<uint64_t>(term.coefficient) : static_cast<uint64_t>(term.coefficient);
    out += out.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    std::string product = size != 1 || term.factors.empty() ? fmt::format("{}", size) : "";
    for (const std::string& factor : term.factors)
      product += (product.empty() ? "" : " * ") + factor_text(factor, parameters);
    out += product;
  }
  return out.empty() ? "0" : out;
}

int64_t coefficient_of(const LawTerm& term, const LawValues& values, std::vector<std::string>* rest) {
  auto product = static_cast<uint64_t>(term.coefficient);
  for (const std::string& factor : term.factors) {
    if (const auto value = value_of(factor, values))
      product *= static_cast<uint64_t>(*value);
    else if (rest)
      rest->push_back(factor);
  }
  return static_cast<int64_t>(product);
}

}  // namespace warplens::report
