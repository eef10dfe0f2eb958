#include "support/cuda_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "report/spool.h"
#include "support/sanitizers.h"

extern char** environ;

namespace warplens::testing {
namespace {

namespace fs = std::filesystem;

fs::path work_folder() {
  fs::path folder = fs::path(WARPLENS_BINARY_DIR) / "test-programs";
  fs::create_directories(folder);
  return folder;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_of(const RunOptions& options, const std::string& spool,
                                        const SanitizerReports& sanitizers) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; entry++) {
    if (strncmp(*entry, "LD_LIBRARY_PATH=", 16) != 0 && strncmp(*entry, "WARPLENS_", 9) != 0) out.push_back(*entry);
  }
  out.push_back(std::string("LD_LIBRARY_PATH=") + WARPLENS_BINARY_DIR + "/lib");
  if (kSanitized) out.push_back(preload_variable());
  out.insert(out.end(), sanitizers.variables().begin(), sanitizers.variables().end());
  if (options.record) out.push_back("WARPLENS_SPOOL=" + spool);
  for (const auto& [name, value] : options.environment) out.push_back(name + "=" + value);
  return out;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string find_nvcc() {
  std::istringstream path(std::string(getenv("PATH") ? getenv("PATH") : "") + ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(path, folder, ':');) {
    if (access((folder + "/nvcc").c_str(), X_OK) == 0) return folder + "/nvcc";
  }
  return "";
}

std::string compile(const std::string& source, const std::vector<std::string>& flags) {
  fs::path input = fs::path(WARPLENS_SOURCE_DIR) / source;
  std::string command = find_nvcc() + " -std=c++17 -lineinfo";
  bool own_runtime = false;
  for (const std::string& flag : flags) {
    command += " " + flag;
    own_runtime |= flag.starts_with("-cudart");
  }
  if (!own_runtime) command += " -cudart shared";
  size_t key = std::hash<std::string>{}(command + read_file(input));
  fs::path program = work_folder() / (input.stem().string() + "-" + std::to_string(key));
  if (fs::exists(program)) return program;
  fs::path unfinished = program.string() + "." + std::to_string(getpid());
  command += " -o " + unfinished.string() + " " + input.string();
  if (system(command.c_str()) != 0) {
    ADD_FAILURE() << "does not compile: " << command;
    return "";
  }
  fs::rename(unfinished, program);
  return program;
}

ProgramResult run(const std::string& program, const RunOptions& options) {
  static int runs = 0;
  SanitizerReports sanitizers;
  std::string prefix = work_folder() / ("run-" + std::to_string(getpid()) + "-" + std::to_string(runs++));
  std::string out = prefix + ".out", err = prefix + ".err", spool = prefix + ".spool";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  std::vector<std::string> arguments{program}, environment = environment_of(options, spool, sanitizers);
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  auto start = std::chrono::steady_clock::now();
  ProgramResult result;
  pid_t pid = 0;
  int failed =
      posix_spawn(&pid, program.c_str(), &files, nullptr, pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed) {
    ADD_FAILURE() << "cannot start " << program << ": " << strerror(failed);
    return result;
  }
  if (options.meanwhile) options.meanwhile(pid);
  int status = 0;
  waitpid(pid, &status, 0);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.output = read_file(out);
  result.errors = read_file(err);
  sanitizers.see(result.errors);
  if (options.record && fs::exists(spool)) {
    auto report = report::read_spool(spool);
    if (report) result.report = std::move(*report);
  }
  for (const std::string& file : {out, err, spool}) fs::remove(file);
  return result;
}

}  // namespace warplens::testing
