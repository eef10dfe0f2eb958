// Joins the modules of a relocatable program into one, by name.
#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "lower/lower.h"
#include "ptx/line_info.h"

namespace warplens::lower {
namespace {

using ptx::Operand;

// "extern", "visible", "weak" and "common" names belong to the program, the others to their module.
bool is_local(const std::string& linkage) { return linkage.empty(); }
bool is_weak(const std::string& linkage) { return linkage == "weak" || linkage == "common"; }
bool is_declaration(const ptx::Function& f) { return f.declaration_only; }
bool is_declaration(const ptx::Variable& v) { return v.linkage == "extern"; }

void for_each_statement(ptx::Block& block, const std::function<void(ptx::Statement&)>& visit) {
  for (ptx::Statement& statement : block.statements) {
    visit(statement);
    if (auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) for_each_statement(**inner, visit);
  }
}

// ---- names that are local to their module

using Renames = std::unordered_map<std::string, std::string>;

void rename(Operand& operand, const Renames& renames, const std::unordered_set<std::string>& shadowed) {
  const auto it = renames.find(operand.name);
  if (it != renames.end() && !shadowed.contains(operand.name)) operand.name = it->second;
  for (Operand& element : operand.elements) rename(element, renames, shadowed);
}

std::unordered_set<std::string> declared_in(ptx::Function& function) {
  std::unordered_set<std::string> names;
  for (const auto* list : {&function.params, &function.results})
    for (const ptx::Variable& v : *list) names.insert(v.name);
  for_each_statement(function.body, [&](ptx::Statement& statement) {
    if (const auto* v = std::get_if<ptx::Variable>(&statement)) names.insert(v->name);
    if (const auto* label = std::get_if<ptx::Label>(&statement)) names.insert(label->name);
  });
  return names;
}

void rename_locals(ptx::Module& module, const Renames& renames) {
  if (renames.empty()) return;
  const auto own = [&](std::string& name) {
    if (const auto it = renames.find(name); it != renames.end()) name = it->second;
  };
  for (ptx::Variable& v : module.variables) {
    if (is_local(v.linkage)) own(v.name);
    for (Operand& operand : v.initializer) rename(operand, renames, {});
  }
  for (ptx::Function& f : module.functions) {
    if (is_local(f.linkage)) own(f.name);
    const auto shadowed = declared_in(f);
    for_each_statement(f.body, [&](ptx::Statement& statement) {
      if (auto* instruction = std::get_if<ptx::Instruction>(&statement))
        for (Operand& operand : instruction->operands) rename(operand, renames, shadowed);
      if (auto* variable = std::get_if<ptx::Variable>(&statement))
        for (Operand& operand : variable->initializer) rename(operand, renames, shadowed);
    });
  }
}

// Local names that another module uses too get the module's number. Kernels keep theirs: the host asks for them.
Renames local_names(const ptx::Module& module, size_t index, const std::unordered_map<std::string, int>& uses) {
  Renames renames;
  const auto consider = [&](const std::string& name, const std::string& linkage, bool fixed) {
    const auto it = uses.find(name);
    if (is_local(linkage) && !fixed && it != uses.end() && it->second > 1)
      renames[name] = name + "$" + std::to_string(index);
  };
  for (const ptx::Variable& v : module.variables) consider(v.name, v.linkage, false);
  for (const ptx::Function& f : module.functions) consider(f.name, f.linkage, f.is_kernel);
  return renames;
}

// In how many modules a name stands at the top level.
std::unordered_map<std::string, int> count_uses(const std::vector<ptx::Module>& modules) {
  std::unordered_map<std::string, int> uses;
  for (const ptx::Module& module : modules) {
    std::unordered_set<std::string> names;
    for (const ptx::Variable& v : module.variables) names.insert(v.name);
    for (const ptx::Function& f : module.functions) names.insert(f.name);
    for (const std::string& name : names) ++uses[name];
  }
  return uses;
}

// ---- line information

// Files get numbers of their own, and the names of inlined functions labels of their own, in one new section.
class LineMerger {
 public:
  explicit LineMerger(ptx::Module& result) : result_(result) {}

  void add(ptx::Module& module) {
    std::unordered_map<uint32_t, uint32_t> numbers;
    for (const ptx::File& file : module.files) {
      const auto number = static_cast<uint32_t>(result_.files.size() + 1);
      numbers[file.index] = number;
      result_.files.push_back({number, file.path});
    }
    const auto renumber = [&](uint32_t& file) {
      const auto it = numbers.find(file);
      file = it == numbers.end() ? 0 : it->second;
    };
    const ptx::SectionBytes strings = ptx::debug_strings(module);
    for (ptx::Function& function : module.functions)
      for (ptx::Loc& loc : function.locs) {
        renumber(loc.file);
        renumber(loc.at_file);
        if (loc.function.empty()) continue;
        loc.function = label_of(std::string(strings.string_at(loc.function, loc.function_offset)));
        loc.function_offset = 0;
      }
  }

  void finish() {
    if (!text_.empty()) result_.sections.push_back({".debug_str", text_});
  }

 private:
  const std::string& label_of(const std::string& text) {
    auto [it, added] = labels_.try_emplace(text, "$L__linked_string" + std::to_string(labels_.size()));
    if (added) {
      text_ += it->second + ":\n.b8 ";
      for (const char c : text) text_ += std::to_string(static_cast<uint8_t>(c)) + ",";
      text_ += "0\n";
    }
    return it->second;
  }

  ptx::Module& result_;
  std::unordered_map<std::string, std::string> labels_;
  std::string text_;
};

// ---- definitions

// Adds `item` unless a better one of its name is there.
template <typename T>
void add_by_name(std::vector<T>& items, std::unordered_map<std::string, size_t>& index, T item,
                 Diagnostics& diagnostics) {
  const auto [it, added] = index.try_emplace(item.name, items.size());
  if (added) {
    items.push_back(std::move(item));
    return;
  }
  T& known = items[it->second];
  if (is_declaration(item)) return;
  if (is_declaration(known) || (is_weak(known.linkage) && !is_weak(item.linkage))) {
    known = std::move(item);
  } else if (!is_weak(item.linkage)) {
    diagnostics.push_back({Severity::Error, "", item.pos, item.name + " is defined in two modules of one program",
                           "the first definition is used"});
  }
}

bool newer(const ptx::Module& a, const ptx::Module& b) {
  return std::pair(a.version_major, a.version_minor) > std::pair(b.version_major, b.version_minor);
}

}  // namespace

LinkResult link(std::vector<ptx::Module> modules) {
  LinkResult result;
  if (modules.size() == 1) {
    result.module = std::move(modules[0]);
    return result;
  }
  const auto uses = count_uses(modules);
  std::unordered_map<std::string, size_t> functions, variables;
  LineMerger lines(result.module);
  for (size_t i = 0; i < modules.size(); ++i) {
    ptx::Module& module = modules[i];
    rename_locals(module, local_names(module, i, uses));
    lines.add(module);
    if (i == 0 || newer(module, result.module)) {
      result.module.version_major = module.version_major;
      result.module.version_minor = module.version_minor;
      result.module.target = module.target;
      result.module.target_options = module.target_options;
      result.module.address_size = module.address_size;
    }
    for (ptx::Variable& v : module.variables)
      add_by_name(result.module.variables, variables, std::move(v), result.diagnostics);
    for (ptx::Function& f : module.functions)
      add_by_name(result.module.functions, functions, std::move(f), result.diagnostics);
    std::move(module.directives.begin(), module.directives.end(), std::back_inserter(result.module.directives));
  }
  lines.finish();
  return result;
}

}  // namespace warplens::lower
