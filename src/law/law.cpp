#include "law/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "passes/law.h"
#include "passes/passes.h"

namespace warplens::law {
namespace {

using passes::Factor;
using passes::LawTable;
using passes::Sum;

constexpr uint64_t kAllocation = 256;

std::string special_name(ir::SpecialRegister r) {
  using S = ir::SpecialRegister;
  switch (r) {
    case S::TidX:
      return "threadIdx.x";
    case S::TidY:
      return "threadIdx.y";
    case S::TidZ:
      return "threadIdx.z";
    case S::NtidX:
      return "blockDim.x";
    case S::NtidY:
      return "blockDim.y";
    case S::NtidZ:
      return "blockDim.z";
    case S::CtaidX:
      return "blockIdx.x";
    case S::CtaidY:
      return "blockIdx.y";
    case S::CtaidZ:
      return "blockIdx.z";
    case S::NctaidX:
      return "gridDim.x";
    case S::NctaidY:
      return "gridDim.y";
    case S::NctaidZ:
      return "gridDim.z";
    case S::LaneId:
      return "lane";
    case S::WarpId:
      return "warp";
    default:
      return ir::to_string(r);
  }
}

void add(report::Depends& to, const report::Depends& more) {
  to.thread |= more.thread, to.block |= more.block, to.loop |= more.loop, to.data |= more.data;
}

class Words {
 public:
  Words(const ir::Module& module, const ir::Kernel& kernel, const LawTable& laws)
      : module_(module), kernel_(kernel), laws_(laws), words_(laws.factors.size()) {}

  report::Law law(const Sum& sum, unsigned depth = 0) {
    report::Law out;
    for (const passes::Term& t : sum) {
      report::LawTerm term;
      term.coefficient = t.coefficient;
      for (uint32_t f : t.factors) {
        const Word& w = word(f, depth);
        term.factors.push_back(w.text);
        add(term.depends, w.depends);
      }
      std::stable_sort(term.factors.begin(), term.factors.end(),
                       [](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
      out.push_back(std::move(term));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return out;
  }

  std::string parameter(const Factor& f) const {
    const auto& params = kernel_.params;
    for (size_t i = 0; i < params.size(); ++i)
      if (f.offset >= params[i].offset && f.offset < params[i].offset + params[i].bytes)
        return f.offset == params[i].offset ? fmt::format("${}", i)
                                            : fmt::format("${}+{}", i, f.offset - params[i].offset);
    return fmt::format("parameter byte {}", f.offset);
  }

 private:
  struct Word {
    std::string text;
    report::Depends depends;
    bool known = false;
  };
  // Parameters first, in their order.
  static unsigned long place_of(const std::string& factor) {
    return factor[0] == '$' ? std::strtoul(factor.c_str() + 1, nullptr, 10) : ~0ul;
  }
  static int rank(const report::LawTerm& t) {
    if (t.factors.empty()) return 5;
    if (t.depends.data) return 1;
    if (t.depends.loop) return 4;
    if (t.depends.thread) return 3;
    return t.depends.block ? 2 : 0;
  }

  const Word& word(uint32_t index, unsigned depth) {
    Word& w = words_[index];
    if (!w.known) {
      Word made = make(laws_.factors[index], depth);
      made.known = true;
      words_[index] = std::move(made);
    }
    return words_[index];
  }

  uint32_t line_of(ir::ValueId v) const {
    const auto& locations = kernel_.function.locations;
    const uint32_t at = v < kernel_.function.insts.size() ? kernel_.function.insts[v].location : ir::kNone;
    if (at >= locations.size()) return 0;
    return locations[at].frames.empty() ? locations[at].ptx_line : locations[at].frames.front().pos.line;
  }

  std::string inner(uint32_t index, unsigned depth, report::Depends& depends) {
    const report::Law law = this->law(laws_.inner[index], depth + 1);
    for (const report::LawTerm& t : law) add(depends, t.depends);
    std::string text;
    for (const report::LawTerm& t : law) {
      text += text.empty() ? (t.coefficient == -1 ? "-" : "") : t.coefficient == -1 ? " - " : " + ";
      std::string product =
          t.factors.empty() || (t.coefficient != 1 && t.coefficient != -1) ? fmt::format("{}", t.coefficient) : "";
      for (const std::string& f : t.factors) product += (product.empty() ? "" : " * ") + f;
      text += product;
    }
    if (text.empty()) text = "0";
    return law.size() > 1 ? "(" + text + ")" : text;
  }

  Word make(const Factor& f, unsigned depth) {
    Word w;
    if (depth > kDeepest) return {"...", {true, true, true, true}, false};
    switch (f.kind) {
      case Factor::Kind::Special:
        w.text = special_name(f.special);
        w.depends.thread = w.text.starts_with("threadIdx") || w.text == "lane" || w.text == "warp";
        w.depends.block = w.text.starts_with("blockIdx");
        return w;
      case Factor::Kind::Param:
        w.text = parameter(f);
        return w;
      case Factor::Kind::Variable:
        w.text = f.index < module_.symbols.size() ? module_.symbols[f.index].name : "variable";
        return w;
      case Factor::Kind::Counter:
        w.text = fmt::format("loop{}", line_of(f.value));
        w.depends.loop = true;
        return w;
      case Factor::Kind::Quotient:
      case Factor::Kind::Remainder: {
        const std::string a = inner(f.of[0], depth, w.depends), b = inner(f.of[1], depth, w.depends);
        w.text = fmt::format("({} {} {})", a, f.kind == Factor::Kind::Quotient ? "/" : "%", b);
        return w;
      }
      case Factor::Kind::Loaded: {
        w.depends.data = true;
        const ir::Inst& i = kernel_.function.insts[f.value];
        std::string name = i.site < kernel_.function.sites.size() ? kernel_.function.sites[i.site].operand : "";
        for (size_t k = 0; k < kernel_.params.size(); ++k)  // PTX's name for it; readers know it by its number
          if (kernel_.params[k].name == name) name = fmt::format("${}", k);
        w.text = name.empty() ? fmt::format("loaded{}", line_of(f.value)) : name + "[]";
        return w;
      }
      case Factor::Kind::Computed:
        break;
    }
    std::vector<uint8_t> seen(laws_.factors.size(), 0);
    std::vector<std::string> leaves;
    for (uint32_t k : f.of) gather(k, seen, leaves, w.depends);
    w.text = "f(";
    for (size_t k = 0; k < leaves.size() && k < kMostLeaves; ++k) w.text += (k ? ", " : "") + leaves[k];
    w.text += leaves.size() > kMostLeaves ? ", ...)" : ")";
    return w;
  }

  // What a computed value depends on in the end. Values that depend on each other in a loop are met once.
  void gather(uint32_t index, std::vector<uint8_t>& seen, std::vector<std::string>& leaves, report::Depends& depends) {
    if (seen[index]) return;
    seen[index] = 1;
    const Factor& f = laws_.factors[index];
    const auto in = [&](const Sum& sum) {
      for (const passes::Term& t : sum)
        for (uint32_t k : t.factors) gather(k, seen, leaves, depends);
    };
    if (f.kind == Factor::Kind::Quotient || f.kind == Factor::Kind::Remainder) {
      in(laws_.inner[f.of[0]]);
      in(laws_.inner[f.of[1]]);
    } else if (f.kind == Factor::Kind::Computed) {
      for (uint32_t k : f.of) gather(k, seen, leaves, depends);
    } else {
      const Word& leaf = word(index, 0);
      add(depends, leaf.depends);
      if (std::find(leaves.begin(), leaves.end(), leaf.text) == leaves.end()) leaves.push_back(leaf.text);
    }
  }

  static constexpr unsigned kDeepest = 8;
  static constexpr size_t kMostLeaves = 6;
  const ir::Module& module_;
  const ir::Kernel& kernel_;
  const LawTable& laws_;
  std::vector<Word> words_;
};

}  // namespace

KernelLaws laws_of(const ir::Module& module, const ir::Kernel& lowered) {
  ir::Kernel kernel = lowered;
  passes::prepare(kernel.function);
  const LawTable table = passes::address_laws(kernel.function);
  Words words(module, kernel, table);
  KernelLaws out;
  for (const Sum& sum : table.sites) out.sites.push_back(words.law(sum));
  for (const Factor& f : table.factors) {
    if (f.kind != Factor::Kind::Param) continue;
    UsedParameter used{words.parameter(f), f.offset, f.bytes, false};
    for (const ir::ParamInfo& p : kernel.params) used.pointer |= p.offset == f.offset && p.pointer;
    const bool is_factor = std::any_of(out.sites.begin(), out.sites.end(), [&](const report::Law& law) {
      return std::any_of(law.begin(), law.end(), [&](const report::LawTerm& t) {
        return std::find(t.factors.begin(), t.factors.end(), used.name) != t.factors.end();
      });
    });
    if (is_factor) out.parameters.push_back(std::move(used));
  }
  return out;
}

std::vector<report::Parameter> parameters_of(const ir::Kernel& kernel) {
  std::vector<report::Parameter> out;
  for (const ir::ParamInfo& p : kernel.params) out.push_back({"", p.offset, p.bytes, p.pointer});
  return out;
}

std::vector<std::pair<std::string, int64_t>> values_of(const std::vector<UsedParameter>& parameters,
                                                       std::span<const uint8_t> buffer) {
  std::vector<std::pair<std::string, int64_t>> out;
  for (const UsedParameter& p : parameters) {
    if (p.bytes > 8 || p.offset + p.bytes > buffer.size()) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, buffer.data() + p.offset, p.bytes);
    const unsigned unused = 64 - 8 * p.bytes;
    out.emplace_back(
        p.name, p.pointer ? static_cast<int64_t>(bits % kAllocation) : static_cast<int64_t>(bits << unused) >> unused);
  }
  return out;
}

}  // namespace warplens::law
