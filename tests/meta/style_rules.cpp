#include "meta/style_rules.h"

#include <regex>
#include <set>

#include "meta/code_text.h"

namespace warplens::meta {
namespace {

std::string at(const File& file, int line) { return file.path + ":" + std::to_string(line) + ": "; }

bool in_source(const File& file) { return !source_folder(file.path).empty() && is_cpp(file.path); }

// Lines of C++ under src/, outside `exempt` folders, that match.
Violations find_lines(std::span<const File> files, const std::set<std::string>& exempt, const std::regex& pattern,
                      const std::string& message) {
  Violations bad;
  for (const File& file : files) {
    if (!in_source(file) || exempt.contains(source_folder(file.path))) continue;
    for_each_line(code_only(file.text), [&](int number, const std::string& line) {
      if (std::regex_search(line, pattern)) bad.push_back(at(file, number) + message);
    });
  }
  return bad;
}

// The statements at namespace scope, each with the line it starts on. A block that is not a namespace's is skipped, so
// that a variable with an initialiser list is seen as "int x {".
struct Statement {
  int line;
  std::string text;
};

class NamespaceScope {
 public:
  explicit NamespaceScope(const std::string& code) {
    for (const char c : code) step(c);
  }
  std::vector<Statement> statements;

 private:
  void step(char c) {
    if (c == '\n') {
      ++line_;
      directive_ = false;
    }
    if (c == '#' && current_.find_first_not_of(" \n") == std::string::npos) directive_ = true;
    if (directive_) return;
    if (c == '{') {
      open();
    } else if (c == '}') {
      if (depth_ > 0) --depth_;
    } else if (depth_ == 0) {
      if (c == ';') {
        finish("");
      } else {
        if (current_.empty() && std::isspace(static_cast<unsigned char>(c))) return;
        if (current_.empty()) start_ = line_;
        current_ += c;
      }
    }
  }
  void open() {
    static const std::regex kTransparent(R"(^\s*(inline\s+)?namespace\b|^\s*extern\s+""?)");
    if (depth_ == 0 && std::regex_search(current_, kTransparent)) {
      current_.clear();  // what is inside is at namespace scope too; its closing brace is ignored at depth 0
      return;
    }
    if (depth_++ == 0) finish(" {");
  }
  void finish(const char* end) {
    if (!current_.empty()) statements.push_back({start_, current_ + end});
    current_.clear();
  }

  int line_ = 1, start_ = 1, depth_ = 0;
  bool directive_ = false;
  std::string current_;
};

// "int x", "static std::vector<int> y = ...", "std::atomic<int> z {": a declaration that has a type and a name, and no
// parameter list before its initialiser.
bool is_mutable_variable(const std::string& statement) {
  static const std::regex kOther(
      R"(^(using|typedef|class|struct|union|enum|template|friend|static_assert|namespace|extern|concept|public|private|return|if|for|while)\b|\boperator\b)");
  static const std::regex kConstant(R"(\b(constexpr|consteval)\b|^(static\s+|inline\s+)*const\s[^*]*$|\*\s*const\b)");
  static const std::regex kVariable(
      R"(^((static|inline|thread_local|constinit)\s+)*[A-Za-z_][\w:]*(<.*>)?[\s*&]+[A-Za-z_]\w*(\s*\[[^\]]*\])*$)");
  if (std::regex_search(statement, kOther)) return false;
  std::string head = statement.substr(0, statement.find('='));
  while (!head.empty() && (std::isspace(static_cast<unsigned char>(head.back())) || head.back() == '{'))
    head.pop_back();
  return !std::regex_search(head, kConstant) && std::regex_search(head, kVariable);
}

}  // namespace

Violations check_llvm_headers(std::span<const File> files) {
  static const std::regex kHeader(R"(^\s*#\s*include\s+[<"](llvm|llvm-c|clang|clang-c|lld)/)");
  Violations bad;
  for (const File& file : files) {
    const std::string folder = source_folder(file.path);
    if (!in_source(file) || folder == "codegen" || folder == "jit") continue;
    for_each_line(without_comments(file.text), [&](int number, const std::string& line) {
      if (std::regex_search(line, kHeader))
        bad.push_back(at(file, number) + "LLVM's headers belong to codegen and jit");
    });
  }
  return bad;
}

Violations check_environment(std::span<const File> files) {
  static const std::regex kCall(R"(\b(secure_getenv|getenv|setenv|unsetenv|putenv|environ)\b)");
  return find_lines(files, {"cli", "cuda", "audit"}, kCall,
                    "the environment is read in cli, cuda and audit only; pass an option");
}

Violations check_globals(std::span<const File> files) {
  // Inside functions and classes: static or thread_local, not constant, and no function (no parenthesis before = { ;).
  static const std::regex kStatic(
      R"(^\s*(inline\s+)?(static|thread_local)\s+(?!.*\b(constexpr|const|consteval)\b)[\w:<>,\s*&]+\s*(=|\{|;|\[))");
  static const std::regex kSeen(R"(^(inline\s+)?(static|thread_local)\b)");
  Violations bad =
      find_lines(files, {"cuda", "audit"}, kStatic, "mutable state of the process belongs to cuda and audit");
  for (const File& file : files) {
    const std::string folder = source_folder(file.path);
    if (!in_source(file) || folder == "cuda" || folder == "audit") continue;
    for (const Statement& statement : NamespaceScope(code_only(file.text)).statements) {
      if (std::regex_search(statement.text, kSeen) || !is_mutable_variable(statement.text)) continue;
      bad.push_back(at(file, statement.line) + "mutable state of the process belongs to cuda and audit");
    }
  }
  return bad;
}

Violations check_intrinsics(std::span<const File> files) {
  static const std::regex kIntrinsics(
      R"(#\s*include\s+[<"](\w*intrin|arm_neon|arm_sve|cpuid)\.h|\b__builtin_ia32_|\b_mm\d*_)");
  std::vector<const File*> users;
  for (const File& file : files) {
    if (in_source(file) && std::regex_search(without_comments(file.text), kIntrinsics)) users.push_back(&file);
  }
  Violations bad;
  for (size_t i = 1; i < users.size(); ++i) {
    bad.push_back(users[i]->path + ": processor intrinsics are in " + users[0]->path +
                  " already; only one file may have them");
  }
  return bad;
}

}  // namespace warplens::meta
