#include "frontend/inline_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

namespace warplens::frontend {
namespace {

constexpr uint32_t kFirst = 0x10000000;  // above the lines of any source
constexpr size_t kDeepest = 64;          // frames of a chain

void each_line(std::string_view text, const std::function<void(std::string_view)>& what) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    what(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// What follows "name: " among the fields of a node.
std::string_view field(std::string_view node, std::string_view name) {
  for (size_t at = node.find(name); at != node.npos; at = node.find(name, at + 1)) {
    const bool starts = at > 0 && (node[at - 1] == '(' || node[at - 1] == ' ');
    if (starts && node.substr(at + name.size()).starts_with(": ")) return node.substr(at + name.size() + 2);
  }
  return {};
}
uint32_t number_field(std::string_view node, std::string_view name) { return number(field(node, name)).value_or(0); }
std::optional<uint32_t> reference(std::string_view node, std::string_view name) {
  const std::string_view value = field(node, name);
  return value.starts_with('!') ? number(value.substr(1)) : std::nullopt;
}

// A string as LLVM writes it: "a\22b" has a quote between its letters.
std::string string_field(std::string_view node, std::string_view name) {
  std::string_view value = field(node, name);
  if (!value.starts_with('"')) return {};
  std::string text;
  for (size_t i = 1; i < value.size() && value[i] != '"'; ++i) {
    unsigned char c = 0;
    const char* digits = value.data() + i + 1;
    if (value[i] == '\\' && i + 2 < value.size() && std::from_chars(digits, digits + 2, c, 16).ec == std::errc())
      i += 2;
    else
      c = static_cast<unsigned char>(value[i]);
    text += static_cast<char>(c);
  }
  return text;
}

// The numbered metadata of a module: "!16 = " and a node.
class Metadata {
 public:
  explicit Metadata(std::string_view ir) {
    each_line(ir, [&](std::string_view line) {
      const size_t equals = line.find(" = ");
      if (!line.starts_with('!') || equals == line.npos) return;
      if (const auto id = number(line.substr(1))) nodes_.emplace(*id, line.substr(equals + 3));
    });
  }
  std::string_view node(std::optional<uint32_t> id) const {
    const auto found = id ? nodes_.find(*id) : nodes_.end();
    return found == nodes_.end() ? std::string_view() : found->second;
  }
  std::string path(std::string_view scope) const {
    const std::string_view file = node(reference(scope, "file"));
    const std::string name = string_field(file, "filename"), folder = string_field(file, "directory");
    return name.starts_with('/') || folder.empty() ? name : folder + "/" + name;
  }
  // The name of the function that the scope is part of.
  std::string function(std::string_view scope) const {
    for (size_t depth = 0; depth < kDeepest && !scope.empty(); ++depth) {
      if (scope.find("!DISubprogram(") != scope.npos) return string_field(scope, "name");
      scope = node(reference(scope, "scope"));
    }
    return {};
  }

 private:
  std::unordered_map<uint32_t, std::string_view> nodes_;
};

}  // namespace

std::string InlineStacks::number_lines(std::string_view ir) {
  const Metadata metadata(ir);
  std::string out;
  out.reserve(ir.size() + ir.size() / 8);
  each_line(ir, [&](std::string_view line) {
    const size_t at = line.find(" = !DILocation(");  // the distinct ones are places of calls
    const std::string_view old = at == line.npos ? std::string_view() : field(line, "line");
    if (!line.starts_with('!') || old.empty() || field(line, "inlinedAt").empty() || number(old).value_or(0) == 0) {
      out += line;
      return;
    }
    std::vector<Frame> chain;
    for (std::string_view place = line; !place.empty() && chain.size() < kDeepest;
         place = metadata.node(reference(place, "inlinedAt"))) {
      const std::string_view scope = metadata.node(reference(place, "scope"));
      chain.push_back(
          {metadata.path(scope), metadata.function(scope), number_field(place, "line"), number_field(place, "column")});
    }
    const auto start = static_cast<size_t>(old.data() - line.data());
    out += line.substr(0, start);
    out += std::to_string(kFirst + chains_.size());
    out += line.substr(start + old.find_first_not_of("0123456789"));
    chains_.push_back(std::move(chain));
  });
  return out;
}

std::string InlineStacks::write_chains(std::string_view ptx) const {
  std::map<std::string, uint32_t> files, names;
  uint32_t last_file = 0;
  each_line(ptx, [&](std::string_view line) {
    const size_t quote = line.find('"');
    if (!line.starts_with("\t.file\t") || quote == line.npos) return;
    const uint32_t index = number(line.substr(7)).value_or(0);
    files.emplace(line.substr(quote + 1, line.rfind('"') - quote - 1), index);
    last_file = std::max(last_file, index);
  });
  std::string added;  // at the end: files and names
  const auto file_of = [&](const std::string& path) {
    const auto [entry, is_new] = files.emplace(path, last_file + 1);
    if (is_new) added += fmt::format("\t.file\t{} \"{}\"\n", ++last_file, path);
    return entry->second;
  };
  std::string out;
  out.reserve(ptx.size() * 2);
  each_line(ptx, [&](std::string_view line) {
    uint32_t place[3] = {};  // file, line, column
    size_t at = line.starts_with("\t.loc\t") ? 6 : line.npos;
    for (size_t k = 0; k < 3 && at != line.npos; ++k) {
      place[k] = number(line.substr(at)).value_or(0);
      at = line.find(' ', at);
      at = at == line.npos ? at : at + 1;
    }
    if (place[1] < kFirst || place[1] - kFirst >= chains_.size()) {
      out += line;
      return;
    }
    const std::vector<Frame>& chain = chains_[place[1] - kFirst];
    std::string caller;
    for (size_t k = chain.size(); k-- > 0;) {
      const std::string here =
          fmt::format("{} {} {}", k == 0 ? place[0] : file_of(chain[k].path), chain[k].line, chain[k].column);
      out += "\t.loc\t" + here;
      if (!caller.empty()) {
        const auto name = names.emplace(chain[k].function, static_cast<uint32_t>(names.size())).first->second;
        out += fmt::format(", function_name $L__warplens_name{}, inlined_at {}", name, caller);
      }
      out += '\n';
      caller = here;
    }
  });
  if (!names.empty()) added += "\t.section\t.debug_str\n\t{\n";
  for (const auto& [name, index] : names) {
    added += fmt::format("$L__warplens_name{}:\n", index);
    for (const char c : name) added += fmt::format("\t.b8 {}\n", static_cast<unsigned char>(c));
    added += "\t.b8 0\n";
  }
  if (!names.empty()) added += "\t}\n";
  return out + added;
}

}  // namespace warplens::frontend
