#include "meta/document_rules.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "meta/code_text.h"

namespace warplens::meta {
namespace {

std::string at(const File& file, int line) { return file.path + ":" + std::to_string(line) + ": "; }

// All files and all folders that hold one.
std::set<std::string> known_paths(std::span<const File> files) {
  std::set<std::string> known;
  for (const File& file : files) {
    known.insert(file.path);
    for (size_t slash = file.path.find('/'); slash != std::string::npos; slash = file.path.find('/', slash + 1)) {
      known.insert(file.path.substr(0, slash));
    }
  }
  return known;
}

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().generic_string();
  while (text.ends_with('/')) text.pop_back();
  return text.empty() ? "." : text;
}

// "## Must hold!" -> "must-hold", as GitHub makes it.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
      anchor += static_cast<char>(std::tolower(c));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const File& file) {
  std::set<std::string> anchors;
  for_each_line(file.text, [&](int, const std::string& line) {
    if (line.starts_with("#") && line.find_first_not_of("# ") != std::string::npos) anchors.insert(anchor_of(line));
  });
  return anchors;
}

class LinkChecker {
 public:
  explicit LinkChecker(std::span<const File> files) : files_(files), known_(known_paths(files)) {}

  void check(const File& document) {
    // `src/exec/` but not `src/<folder>/`, `tests/*.cpp` or `build/warplens`.
    static const std::regex kQuoted(R"re(`((?:src|tests|docs|data|cmake|bench|include|examples|lab)/[\w./-]*)`)re");
    static const std::regex kLink(R"re(\]\(([^)\s]+)\))re");
    const std::string folder = document.path.substr(0, document.path.rfind('/') + 1);
    bool fenced = false;
    for_each_line(document.text, [&](int number, const std::string& line) {
      if (line.starts_with("```")) fenced = !fenced;
      if (fenced || line.starts_with("    ")) return;
      for (auto it = std::sregex_iterator(line.begin(), line.end(), kLink); it != std::sregex_iterator(); ++it) {
        check_link(document, number, folder, (*it)[1]);
      }
      for (auto it = std::sregex_iterator(line.begin(), line.end(), kQuoted); it != std::sregex_iterator(); ++it) {
        if (!known_.contains(normal((*it)[1]))) bad.push_back(at(document, number) + "there is no " + (*it)[1].str());
      }
    });
  }
  Violations bad;

 private:
  void check_link(const File& document, int line, const std::string& folder, const std::string& link) {
    if (link.find("://") != std::string::npos || link.starts_with("mailto:")) return;
    const size_t hash = link.find('#');
    const std::string path = hash == 0 ? document.path : normal(folder + link.substr(0, hash));
    if (!known_.contains(path)) {
      bad.push_back(at(document, line) + "the link's target does not exist: " + link);
      return;
    }
    if (hash == std::string::npos) return;
    const auto target = std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.path == path; });
    if (target == files_.end() || !anchors_of(*target).contains(link.substr(hash + 1))) {
      bad.push_back(at(document, line) + "the link's heading does not exist: " + link);
    }
  }

  std::span<const File> files_;
  std::set<std::string> known_;
};

}  // namespace

Violations check_links(std::span<const File> files) {
  LinkChecker checker(files);
  for (const File& file : files) {
    if (file.path.ends_with(".md")) checker.check(file);
  }
  return checker.bad;
}

Violations check_wording(std::span<const File> files) {
  static const std::regex kWorkshop(
      R"(/work/|/tmp/w/|shared/(notes|prototypes|design)|\bprompt(s|ed)?\b|\bA\.?I\.?\b|\bLLMs?\b|language model|\bsub-?agents?\b|\bAs requested\b)");
  Violations bad;
  for (const File& file : files) {
    if (file.path.starts_with("tests/meta/") || file.path == "LICENSE") continue;
    for_each_line(file.text, [&](int number, const std::string& line) {
      std::smatch match;
      if (std::regex_search(line, match, kWorkshop)) {
        bad.push_back(at(file, number) + "\"" + match.str() + "\" has no place in the project");
      }
    });
  }
  return bad;
}

Violations check_instruction_tests(std::span<const File> files) {
  static const std::regex kRow(R"re(^WL_PTX\(\s*\w+\s*,\s*"([^"]+)"\s*,\s*\w+\s*,\s*(Core|Partly)\b)re");
  static const std::regex kInstruction(R"(^\s*(?:\$?\w+:\s*)?(?:@!?%?\w+\s+)?(\w+)[.;\s])");
  std::set<std::string> tested;
  for (const File& file : files) {
    if (!file.path.starts_with("tests/run/")) continue;
    for_each_line(is_cpp(file.path) ? literals_only(file.text) : file.text, [&](int, const std::string& line) {
      std::smatch match;
      if (std::regex_search(line, match, kInstruction)) tested.insert(match[1]);
    });
  }
  Violations bad;
  for (const File& file : files) {
    if (file.path != "src/ptx/instructions.def") continue;
    for_each_line(file.text, [&](int number, const std::string& line) {
      std::smatch row;
      if (std::regex_search(line, row, kRow) && !tested.contains(row[1])) {
        bad.push_back(at(file, number) + "no test in tests/run/ executes " + row[1].str());
      }
    });
  }
  return bad;
}

std::string instruction_coverage(const std::string& instructions_def) {
  static const std::regex kRow(R"re(^WL_PTX\(\s*\w+\s*,\s*"([^"]+)"\s*,\s*\w+\s*,\s*(\w+)\s*,\s*"(.*)"\s*\))re");
  std::string core, partly, refused;
  for_each_line(instructions_def, [&](int, const std::string& line) {
    std::smatch row;
    if (!std::regex_search(line, row, kRow)) return;
    const std::string name = "`" + row[1].str() + "`", note = row[3];
    if (row[2] == "Core") core += (core.empty() ? "" : ", ") + name;
    if (row[2] == "Refused") refused += (refused.empty() ? "" : ", ") + name;
    if (row[2] == "Partly") partly += "- " + name + ": " + note + "\n";
  });
  std::string text = "Run: " + core + ".\n";
  if (!partly.empty()) text += "\nRun in part:\n\n" + partly;
  return text + "\nRefused: " + refused + ".\n";
}

namespace {

std::string listed(const char* title, const std::set<std::string>& names) {
  std::string text = title + (" (" + std::to_string(names.size())) + "):";
  for (const std::string& name : names) text += (name == *names.begin() ? " `" : ", `") + name + "`";
  return text + ".\n";
}

}  // namespace

std::string driver_coverage(const std::string& api_def) {
  static const std::regex kRow(R"(^WL_(SERVED|REFUSED)\(\d+, \w+, (cu\w+),)");
  std::set<std::string> served, refused;
  for_each_line(api_def, [&](int, const std::string& line) {
    std::smatch row;
    if (std::regex_search(line, row, kRow)) (row[1] == "REFUSED" ? refused : served).insert(row[2]);
  });
  return listed("Served", served) + "\n" + listed("Refused", refused);
}

std::string api_coverage(const std::string& api_def) {
  static const std::regex kRow(R"(^WL_(IMPLEMENTED|REFUSED)\(\s*\w+\s*,\s*(cuda\w+))");
  std::set<std::string> served, refused;
  for_each_line(api_def, [&](int, const std::string& line) {
    std::smatch row;
    if (!std::regex_search(line, row, kRow)) return;
    const std::string name = row[2];
    if (name.ends_with("_ptsz") || name.ends_with("_ptds")) return;
    (row[1] == "REFUSED" ? refused : served).insert(name);
  });
  return listed("Served", served) + "\n" + listed("Refused", refused);
}

std::string with_section(const std::string& document, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- " + name + ": begin -->\n", end = "<!-- " + name + ": end -->";
  const size_t from = document.find(begin), to = document.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) return document;
  return document.substr(0, from + begin.size()) + text + document.substr(to);
}

}  // namespace warplens::meta
