#include "clients/environment.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/environment.h"
#include "base/process.h"

namespace warplens::clients {
namespace fs = std::filesystem;
namespace {

fs::path cache() {
  Environment environment(environ);
  std::string cache = environment.get("XDG_CACHE_HOME");
  if (cache.empty()) cache = environment.get("HOME") + "/.cache";
  return fs::path(cache) / "warplens-tests";
}

std::string last_line(const std::string& text) {
  size_t end = text.find_last_not_of('\n');
  if (end == text.npos) return "it said nothing";
  size_t start = text.rfind('\n', end);
  return text.substr(start == text.npos ? 0 : start + 1, end - (start == text.npos ? -1 : start));
}

// "" or what went wrong.
std::string run(const std::vector<std::string>& command) {
  Result<ProcessOutput> result = run_process(command, Environment(environ));
  if (!result) return result.error().what;
  return result->exit_code == 0 ? "" : command.front() + ": " + last_line(result->errors + "\n" + result->output);
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

PythonEnvironment environment_with(const std::string& name, const std::vector<std::string>& packages) {
  std::string wanted;
  for (const std::string& package : packages) wanted += package + "\n";
  fs::path folder = cache() / name, stamp = folder / "packages.txt";
  std::string python = (folder / "bin/python").string();
  if (contents(stamp) == wanted) return {python, ""};

  std::error_code failed;
  fs::remove_all(folder, failed);
  fs::create_directories(folder, failed);
  std::string system = Environment(environ).find_program("python3");
  if (system.empty()) return {"", "there is no python3"};
  if (std::string problem = run({system, "-m", "venv", folder.string()}); !problem.empty()) return {"", problem};
  std::vector<std::string> install{python,      "-m", "pip",       "install", "--quiet",
                                   "--timeout", "15", "--retries", "1",       "--disable-pip-version-check"};
  install.insert(install.end(), packages.begin(), packages.end());
  if (std::string problem = run(install); !problem.empty()) return {"", "PyPI: " + problem};
  std::ofstream(stamp) << wanted;
  return {python, ""};
}

}  // namespace warplens::clients
