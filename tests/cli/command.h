// Runs the built `warplens` as a user would and keeps what came out.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warplens::test {

struct CommandResult {
  int exit_code = 0;
  std::string out, err;
  nlohmann::ordered_json json;  // of --json; null if there was none
};

// A fresh folder for each test; gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// warplens with these arguments. `wrapper`: a command that starts it, such as {"timeout", "-s", "INT", "2"}.
CommandResult warplens(const std::vector<std::string>& arguments, const std::vector<std::string>& wrapper = {});

// warplens run --json FILE OPTIONS PROGRAM -- ARGUMENTS for a file of tests/cli/programs.
CommandResult run_program(const std::string& name, const std::vector<std::string>& arguments = {},
                          const std::vector<std::string>& options = {}, const std::vector<std::string>& wrapper = {});

std::string program_path(const std::string& name);

// A program of tests/cli/programs, compiled by warplens into `folder`; its path.
std::filesystem::path compile(const std::string& name, const Folder& folder);

bool has_nvcc();
bool has_clang();

}  // namespace warplens::test
