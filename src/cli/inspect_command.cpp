#include "cli/inspect_command.h"

#include <unistd.h>

#include <cstdio>
#include <limits>

#include "cli/usage.h"
#include "elf/known_runtimes.h"
#include "inspect/render.h"
#include "inspect/user_runtimes.h"
#include "run/exit_codes.h"

namespace warplens::cli {
InspectCommand::InspectCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ = app.add_subcommand("inspect",
                                "Say what is in a program, library, object file, .ptx, .cubin or .fatbin, and what to "
                                "rebuild if it cannot be run");
  command_->footer("Exit code: 0 if Warplens can run what is in it, 126 if not, 127 if there is no such file.\n");
  command_->add_option("FILE", files_, "What to look at; it is never executed")->required();
  command_->add_flag("--json", json_, "Write it as JSON to stdout, an object a file");
  command_->add_flag("--all", all_, "List every kernel, however many there are");
}

int InspectCommand::execute() const {
  std::vector<elf::RuntimeTable> runtimes{elf::known_runtimes()};
  std::string user_runtimes = inspect::user_runtime_table(inspect::find_runtime_archives(environment_), runtimes[0],
                                                          cache_folder(environment_));
  elf::read_runtime_table(user_runtimes, runtimes.emplace_back());
  int worst = 0;
  for (const std::string& file : files_) {
    if (access(file.c_str(), F_OK) != 0) {
      worst = complain({"no such file: '" + file + "'", "check the name and the folder"}, run::kExitNotFound);
      continue;
    }
    auto found = inspect::inspect(std::filesystem::path(file), runtimes);
    if (!found) {
      worst = std::max(worst, complain(found.error(), run::kExitCannotRun));
      continue;
    }
    if (!found->runs()) worst = std::max(worst, run::kExitCannotRun);
    std::string text = json_  ? inspect::render_json(*found)
                       : all_ ? inspect::render_text(*found, std::numeric_limits<size_t>::max())
                              : inspect::render_text(*found);
    std::fputs(text.c_str(), stdout);
  }
  return worst;
}

}  // namespace warplens::cli
