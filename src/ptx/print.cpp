#include "ptx/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace warplens::ptx {
namespace {

// One module on its way to text. Scopes and operands nest at most as deep as parse() lets them.
class Printer {
 public:
  void module(const Module& m);
  void instruction(const Instruction& i);
  void operand(const Operand& o);
  std::string take() { return std::move(out_); }

 private:
  template <typename... T>
  void put(fmt::format_string<T...> format, T&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(arguments)...);
  }
  template <typename List, typename Each>
  void separated(const List& list, Each each) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out_ += ", ";
      first = false;
      each(item);
    }
  }
  void indent() { out_.append(static_cast<size_t>(depth_), '\t'); }

  void item(const Module& m, ModuleItem item);
  void function(const Function& f);
  void parameters(const std::vector<Variable>& list);
  void attributes(const std::vector<std::string>& list);
  void block(const Block& b, const Function& f);
  void statement(const Statement& s, const Function& f);
  void locs_up_to(const Function& f, int32_t loc);
  void loc(const Loc& l);
  void variable(const Variable& v);
  void directive(const Directive& d, bool in_signature);
  void operands(const std::vector<Operand>& list) {
    separated(list, [this](const Operand& o) { operand(o); });
  }
  void symbol(const Operand& o);
  void offset(int64_t value);
  void immediate(const Operand& o);

  std::string out_;
  int depth_ = 0;
  int32_t loc_ = -1;  // of the current function: the last one printed
};

void Printer::offset(int64_t value) {
  if (value != 0) put("+{}", value);
}

// A name, or an address constant: name+4, generic(name)+4, 0xFF(name), 0xFF(generic(name)+4).
void Printer::symbol(const Operand& o) {
  const bool masked = std::string_view(o.component).starts_with("mask");
  const bool generic = o.component == "generic" || o.component == "mask generic";
  if (o.component == "=") {
    put("{} = ", o.name);
    operands(o.elements);
    return;
  }
  if (masked) put("{:#x}(", o.value);
  if (generic) {
    put("generic({})", o.name);
  } else {
    out_ += o.name;
    if (!masked && !o.component.empty()) put(".{}", std::string_view(o.component));
  }
  offset(o.offset);
  if (masked) out_ += ')';
}

void Printer::immediate(const Operand& o) {
  if (!o.name.empty()) {
    out_ += o.name;
  } else if (o.negative) {
    put("-{}", 0 - o.value);
  } else {
    put("{}", o.value);
  }
}

void Printer::operand(const Operand& o) {
  using Kind = Operand::Kind;
  if (o.negated) out_ += '!';
  if (o.negative && (o.kind == Kind::Register || o.kind == Kind::Symbol)) out_ += '-';
  switch (o.kind) {
    case Kind::Register:
      out_ += o.name;
      if (!o.component.empty()) put(".{}", std::string_view(o.component));
      break;
    case Kind::Symbol:
      symbol(o);
      break;
    case Kind::Immediate:
      immediate(o);
      break;
    case Kind::Float:
      o.is_f64 ? put("0d{:016X}", o.value) : put("0f{:08X}", o.value);
      break;
    case Kind::Address:
      out_ += '[';
      for (size_t i = 0; i < o.elements.size(); ++i) {
        if (i != 0) out_ += ", ";
        operand(o.elements[i]);
        if (i == 0) offset(o.offset);
      }
      out_ += ']';
      if (!o.component.empty()) put(".{}", std::string_view(o.component));
      break;
    case Kind::Vector:
      out_ += '{';
      operands(o.elements);
      out_ += '}';
      break;
    case Kind::Pair:
      for (size_t i = 0; i < o.elements.size(); ++i) {
        if (i != 0) out_ += '|';
        operand(o.elements[i]);
      }
      break;
    case Kind::Sink:
      out_ += '_';
      break;
    case Kind::List:
      out_ += '(';
      operands(o.elements);
      out_ += ')';
      break;
    case Kind::Element:
      if (!o.elements.empty()) operand(o.elements[0]);
      put("[{}]", o.offset);
      break;
    case Kind::Unknown:
      out_ += o.name;
      break;
  }
}

void Printer::instruction(const Instruction& i) {
  if (!i.guard.empty()) put("@{}{} ", i.guard_negated ? "!" : "", i.guard);
  out_ += i.opcode;
  for (const std::string& modifier : i.modifiers) put(".{}", modifier);
  if (!i.operands.empty()) out_ += ' ';
  operands(i.operands);
  out_ += ';';
}

void Printer::attributes(const std::vector<std::string>& list) {
  const auto is_attribute = [](const std::string& a) { return !a.starts_with('.'); };  // others are words as written
  if (std::none_of(list.begin(), list.end(), is_attribute)) return;
  out_ += " .attribute(";
  bool first = true;
  for (const std::string& attribute : list) {
    if (!is_attribute(attribute)) continue;
    put("{}.{}", first ? "" : ", ", attribute);
    first = false;
  }
  out_ += ')';
}

void Printer::variable(const Variable& v) {
  if (!v.linkage.empty()) put(".{} ", v.linkage);
  put(".{}", v.space);
  if (v.align != 0) put(" .align {}", v.align);
  attributes(v.attributes);
  if (v.vector != 1) put(" .v{}", v.vector);
  if (!v.type.empty()) put(" .{}", v.type);
  for (const std::string& word : v.attributes) {
    if (word.starts_with('.')) put(" {}", word);
  }
  if (v.pointer) {
    out_ += " .ptr";
    if (!v.pointer_space.empty()) put(" .{}", v.pointer_space);
    if (v.pointer_align != 0) put(" .align {}", v.pointer_align);
  }
  put(" {}", v.name);
  if (v.count_suffix != 0) put("<{}>", v.count_suffix);
  for (uint64_t size : v.dims) size == 0 ? put("[]") : put("[{}]", size);
  if (v.braced) {
    out_ += " = {";
    operands(v.initializer);
    out_ += '}';
  } else if (!v.initializer.empty()) {
    out_ += " = ";
    operand(v.initializer[0]);
  }
}

void Printer::parameters(const std::vector<Variable>& list) {
  out_ += '(';
  separated(list, [this](const Variable& v) { variable(v); });
  out_ += ')';
}

void Printer::directive(const Directive& d, bool in_signature) {
  if (!d.label.empty()) put("{}: ", d.label);
  put(".{}", d.name);
  if (d.name == "callprototype") {
    if (!d.results.empty()) {
      out_ += ' ';
      parameters(d.results);
    }
    out_ += " _ ";
    parameters(d.params);
    for (const std::string& word : d.arguments) put(" {}", word);
    out_ += ';';
    return;
  }
  if (!d.arguments.empty() || !d.operands.empty()) out_ += ' ';
  separated(d.arguments, [this](const std::string& a) { out_ += a; });
  operands(d.operands);
  if (!d.body.empty()) {
    put(" {{{}}}", d.body);
  } else if (!in_signature || d.name == "pragma") {
    out_ += ';';
  }
}

void Printer::loc(const Loc& l) {
  put("\t.loc {} {} {}", l.file, l.line, l.column);
  if (!l.function.empty()) {
    put(", function_name {}", l.function);
    if (l.function_offset != 0) put("+{}", l.function_offset);
  }
  if (l.at_file != 0 || l.at_line != 0 || l.at_column != 0)
    put(", inlined_at {} {} {}", l.at_file, l.at_line, l.at_column);
  out_ += '\n';
}

// A .loc is in force until the next one: all up to the wanted one are printed in turn, also those without instructions.
void Printer::locs_up_to(const Function& f, int32_t wanted) {
  const auto last = std::min<int64_t>(wanted, static_cast<int64_t>(f.locs.size()) - 1);
  while (loc_ < last) loc(f.locs[static_cast<size_t>(++loc_)]);
}

void Printer::statement(const Statement& s, const Function& f) {
  if (const auto* i = std::get_if<Instruction>(&s)) {
    locs_up_to(f, i->loc);
    indent();
    instruction(*i);
  } else if (const auto* label = std::get_if<Label>(&s)) {
    put("{}:", label->name);
  } else if (const auto* v = std::get_if<Variable>(&s)) {
    indent();
    variable(*v);
    out_ += ';';
  } else if (const auto* d = std::get_if<Directive>(&s)) {
    indent();
    directive(*d, false);
  } else {
    block(*std::get<std::shared_ptr<Block>>(s), f);
  }
  out_ += '\n';
}

void Printer::block(const Block& b, const Function& f) {
  indent();
  out_ += "{\n";
  ++depth_;
  for (const Statement& s : b.statements) statement(s, f);
  --depth_;
  if (depth_ == 0) locs_up_to(f, static_cast<int32_t>(f.locs.size()) - 1);
  indent();
  out_ += '}';
}

void Printer::function(const Function& f) {
  if (!f.linkage.empty()) put(".{} ", f.linkage);
  out_ += f.is_kernel ? ".entry" : ".func";
  attributes(f.attributes);
  if (!f.results.empty()) {
    out_ += ' ';
    parameters(f.results);
  }
  put(" {}(", f.name);
  for (size_t i = 0; i < f.params.size(); ++i) {
    out_ += i == 0 ? "\n\t" : ",\n\t";
    variable(f.params[i]);
  }
  out_ += f.params.empty() ? ")\n" : "\n)\n";
  for (const Directive& d : f.directives) {
    directive(d, true);
    out_ += '\n';
  }
  if (f.declaration_only) {
    out_ += ";\n";
    return;
  }
  loc_ = -1;
  block(f.body, f);
  out_ += '\n';
}

void Printer::item(const Module& m, ModuleItem item) {
  using Kind = ModuleItem::Kind;
  switch (item.kind) {
    case Kind::File: {
      const File& f = m.files[item.index];
      put(".file {} \"{}\"", f.index, f.path);
      if (f.has_stamp) put(", {}, {}", f.timestamp, f.size);
      break;
    }
    case Kind::Variable:
      variable(m.variables[item.index]);
      out_ += ';';
      break;
    case Kind::Function:
      function(m.functions[item.index]);
      break;
    case Kind::Directive:
      directive(m.directives[item.index], false);
      break;
    case Kind::Section:
      put(".section {}\n{{{}}}", m.sections[item.index].name, m.sections[item.index].text);
      break;
  }
  out_ += '\n';
}

void Printer::module(const Module& m) {
  if (m.version_major != 0 || m.version_minor != 0) put(".version {}.{}\n", m.version_major, m.version_minor);
  if (!m.target.empty()) {
    put(".target {}", m.target);
    for (const std::string& option : m.target_options) put(", {}", option);
    out_ += '\n';
  }
  put(".address_size {}\n\n", m.address_size);

  using Kind = ModuleItem::Kind;
  const size_t sizes[] = {m.files.size(), m.variables.size(), m.functions.size(), m.directives.size(),
                          m.sections.size()};
  std::vector<bool> printed[5];
  for (size_t kind = 0; kind < 5; ++kind) printed[kind].resize(sizes[kind]);
  const auto once = [&](ModuleItem i) {
    auto& done = printed[static_cast<size_t>(i.kind)];
    if (i.index >= done.size() || done[i.index]) return;
    done[i.index] = true;
    item(m, i);
  };
  for (const ModuleItem& i : m.order) once(i);
  for (size_t kind = 0; kind < 5; ++kind) {
    for (size_t i = 0; i < sizes[kind]; ++i) once({static_cast<Kind>(kind), static_cast<uint32_t>(i)});
  }
}

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.module(module);
  return printer.take();
}

std::string print(const Instruction& instruction) {
  Printer printer;
  printer.instruction(instruction);
  return printer.take();
}

std::string print(const Operand& operand) {
  Printer printer;
  printer.operand(operand);
  return printer.take();
}

}  // namespace warplens::ptx
