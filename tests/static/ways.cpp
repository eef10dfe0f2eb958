#include "static/ways.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process.h"
#include "frontend/compile.h"

namespace warplens::test {
namespace fs = std::filesystem;
void run_tool(std::vector<std::string> command) {
  Environment environment(environ);
  command[0] = environment.find_program(command[0]);
  Result<ProcessOutput> run = run_process(command, environment);
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->exit_code, 0) << shell_quoted(command) << "\n" << run->errors;
}

const char* name_of(Way way) {
  constexpr const char* kNames[] = {"shared", "static", "stripped", "library"};
  return kNames[static_cast<int>(way)];
}

void build(const fs::path& source, const fs::path& program, const std::vector<std::string>& flags) {
  auto nvcc = frontend::find_toolchain(frontend::Compiler::Nvcc, "", Environment(environ));
  ASSERT_TRUE(nvcc) << nvcc.error().what;
  std::vector<std::string> command{nvcc->path,       "-O3",          "-lineinfo", "-arch=sm_80", "-o",
                                   program.string(), source.string()};
  command.insert(command.end(), flags.begin(), flags.end());
  run_tool(command);
}

fs::path build_way(Way way, const fs::path& source, const Folder& folder) {
  fs::path program = folder / name_of(way);
  switch (way) {
    case Way::Shared:
      build(source, program, {"-cudart", "shared"});
      break;
    case Way::Static:
      build(source, program);
      break;
    case Way::Stripped:
      build(source, program);
      run_tool({"strip", "-s", program.string()});
      break;
    case Way::Library:
      build(source, folder / "libplugin.so", {"-shared", "-Xcompiler", "-fPIC", "-Dmain=plugin_main"});
      run_tool({"cc", "-o", program.string(), static_program_path("opens_library.c")});
      break;
  }
  return program;
}

std::vector<nlohmann::ordered_json> launches_without_times(const CommandResult& run) {
  std::vector<nlohmann::ordered_json> launches;
  if (!run.json.contains("launches")) return launches;
  for (nlohmann::ordered_json launch : run.json.at("launches")) {
    for (const char* time : {"seconds", "compile_seconds", "from_cache"}) launch.erase(time);
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::string static_program_path(const std::string& name) {
  return std::string(WARPLENS_SOURCE_DIR) + "/tests/static/programs/" + name;
}

}  // namespace warplens::test
