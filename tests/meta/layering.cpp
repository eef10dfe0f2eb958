#include "meta/layering.h"

#include <iterator>
#include <regex>
#include <sstream>

#include "meta/code_text.h"

namespace warplens::meta {

static std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Who may include LLVM is a rule of its own (style_rules.h).
static bool is_llvm(const std::string& target) { return target == "llvm" || target == "clang"; }

static std::set<std::string> reachable(const Layers& direct, const std::string& from) {
  std::set<std::string> seen;
  std::set<std::string> todo = direct.at(from);
  while (!todo.empty()) {
    const std::string folder = *todo.begin();
    todo.erase(todo.begin());
    if (!seen.insert(folder).second) continue;
    const auto next = direct.find(folder);
    if (next != direct.end()) todo.insert(next->second.begin(), next->second.end());
  }
  return seen;
}

Layers read_layers(std::string_view src_cmake_lists) {
  static const std::regex kFolder(R"(warplens_folder\(\s*(\w+)([^)]*)\))");
  static const std::regex kDepends(R"(DEPENDS\s+([a-z_\s]+))");
  Layers direct;
  std::string text;
  for_each_line(src_cmake_lists, [&](int, const std::string& line) { text += line.substr(0, line.find('#')) + "\n"; });
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kFolder); it != std::sregex_iterator(); ++it) {
    const std::string arguments = (*it)[2];
    std::smatch depends;
    direct[(*it)[1]] = std::regex_search(arguments, depends, kDepends) ? words_of(depends[1]) : std::set<std::string>{};
  }
  Layers layers;
  for (const auto& [folder, edges] : direct) layers[folder] = reachable(direct, folder);
  return layers;
}

Violations check_layers(const Layers& layers) {
  // Running knows nothing of watching, watching nothing of judging; a report is a value that anything can render; and
  // only what a user starts holds a whole run.
  static const std::pair<const char*, const char*> kExcluded[] = {
      {"exec", "observe"}, {"observe", "findings"}, {"report", "session"}, {"report", "findings"}, {"report", "ir"},
      {"exec", "ir"},      {"model", "event"},      {"ptx", "ir"},         {"passes", "codegen"},
  };
  Violations bad;
  for (const auto& [folder, edges] : layers) {
    if (edges.contains(folder)) bad.push_back("src/CMakeLists.txt: " + folder + " depends on itself");
    for (const std::string& edge : edges) {
      if (!layers.contains(edge))
        bad.push_back("src/CMakeLists.txt: " + folder + " depends on " + edge + ", which is no folder");
    }
    if (edges.contains("session") && folder != "cuda" && folder != "cli") {
      bad.push_back("src/CMakeLists.txt: " + folder + " depends on session; only cuda and cli may");
    }
  }
  for (const auto& [from, to] : kExcluded) {
    const auto it = layers.find(from);
    if (it != layers.end() && it->second.contains(to)) {
      bad.push_back(std::string("src/CMakeLists.txt: ") + from + " must never depend on " + to);
    }
  }
  return bad;
}

Violations check_includes(std::span<const File> files, const Layers& layers) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s+"([^"/]+)/[^"]+")re");
  Violations bad;
  for (const File& file : files) {
    const std::string folder = source_folder(file.path);
    if (folder.empty()) continue;
    if (!layers.contains(folder)) {
      bad.push_back(file.path + ": src/" + folder + " is not declared in src/CMakeLists.txt");
      continue;
    }
    for_each_line(without_comments(file.text), [&](int number, const std::string& line) {
      std::smatch include;
      if (!std::regex_search(line, include, kInclude)) return;
      const std::string target = include[1];
      if (target == folder || layers.at(folder).contains(target) || is_llvm(target)) return;
      bad.push_back(file.path + ":" + std::to_string(number) + ": " + folder + " may not include " + target +
                    " (see DEPENDS in src/CMakeLists.txt)");
    });
  }
  return bad;
}

}  // namespace warplens::meta
