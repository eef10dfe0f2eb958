#include "cli/command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/process.h"
#include "frontend/compile.h"
#include "support/sanitizers.h"

namespace warplens::test {
namespace fs = std::filesystem;
namespace {

// The user's cache is not the tests': programs are compiled once a build tree.
Environment environment(const testing::SanitizerReports& sanitizers) {
  Environment result(environ);
  for (const std::string& variable : sanitizers.variables()) {
    const size_t equals = variable.find('=');
    result.set(variable.substr(0, equals), variable.substr(equals + 1));
  }
  result.set("XDG_CACHE_HOME", std::string(WARPLENS_BINARY_DIR) + "/tests/cli/cache");
  return result;
}

bool has(frontend::Compiler compiler) {
  return static_cast<bool>(frontend::find_toolchain(compiler, "", Environment(environ)));
}

}  // namespace

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "warplens-test-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

CommandResult warplens(const std::vector<std::string>& arguments, const std::vector<std::string>& wrapper) {
  std::vector<std::string> command = wrapper;
  if (!command.empty()) command[0] = Environment(environ).find_program(command[0]);
  command.push_back(std::string(WARPLENS_BINARY_DIR) + "/warplens");
  command.insert(command.end(), arguments.begin(), arguments.end());
  testing::SanitizerReports sanitizers;
  Result<ProcessOutput> run = run_process(command, environment(sanitizers));
  CommandResult result;
  if (!run) {
    ADD_FAILURE() << run.error().what;
    return result;
  }
  result.exit_code = run->exit_code;
  result.out = run->output;
  result.err = run->errors;
  sanitizers.see(run->errors);
  return result;
}

CommandResult run_program(const std::string& name, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& options, const std::vector<std::string>& wrapper) {
  Folder folder;
  std::string json = folder / "report.json";
  std::vector<std::string> words{"run", "--json", json};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(fs::path(name).is_absolute() ? name : program_path(name));
  words.push_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  CommandResult result = warplens(words, wrapper);
  std::ifstream file(json);
  if (file.peek() != std::ifstream::traits_type::eof())
    result.json = nlohmann::ordered_json::parse(file, nullptr, false);
  return result;
}

std::string program_path(const std::string& name) {
  return std::string(WARPLENS_SOURCE_DIR) + "/tests/cli/programs/" + name;
}

fs::path compile(const std::string& name, const Folder& folder) {
  run_program(name, {}, {"--keep", folder.path().string()});
  return folder / fs::path(name).stem().string();
}

bool has_nvcc() { return has(frontend::Compiler::Nvcc); }
bool has_clang() { return has(frontend::Compiler::Clang); }

}  // namespace warplens::test
