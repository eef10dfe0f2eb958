#include "cli/compare_command.h"

#include <unistd.h>

#include <cstdio>

#include "base/file.h"
#include "cli/usage.h"
#include "compare/compare.h"
#include "compare/load.h"
#include "compare/render.h"
#include "report/json.h"
#include "run/exit_codes.h"

namespace warplens::cli {

CompareCommand::CompareCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ = app.add_subcommand("compare",
                                "Compare a report with what Nsight Compute counted on a GPU: warplens compare RUN.json "
                                "PROFILE.csv...");
  command_->footer(
      "RUN.json is what 'warplens run --json' wrote. A profile's tables are exported by\n"
      "  ncu -i X.ncu-rep --page raw --csv --print-units base > X.csv      and --page source\n"
      "Exit code: 0 if every figure that was counted is equal and every launch of the profile is in\n"
      "the run, 1 if not. 125 wrong usage, 126 a file that cannot be used, 127 no such file.\n");
  command_->add_option("RUN.json", run_, "The report of a run")->required();
  command_->add_option("PROFILE", profiles_, "Tables that Nsight Compute exported of one profile, or its .ncu-rep")
      ->required();
  command_->add_flag("--json", json_, "Write the comparison as JSON to stdout");
  command_->add_flag("--all", all_, "Show the figures that are equal, too");
  command_->add_option("--color", color_, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
}

int CompareCommand::execute() const {
  for (const std::string& path : profiles_)
    if (access(path.c_str(), F_OK) != 0)
      return complain({"no such file: '" + path + "'", "check the name and the folder"}, run::kExitNotFound);
  if (access(run_.c_str(), F_OK) != 0)
    return complain({"no such file: '" + run_ + "'", "check the name and the folder"}, run::kExitNotFound);
  const auto text = read_file(run_);
  if (!text) return complain({"cannot read '" + run_ + "'", "name a file"}, run::kExitCannotRun);
  const auto report = report::read_json(*text);
  if (!report) return complain({"'" + run_ + "': " + report.error().what, report.error().hint}, run::kExitCannotRun);
  std::vector<compare::NcuExport> exports;
  for (const std::string& path : profiles_) {
    auto loaded = compare::load(path, environment_);
    if (!loaded) return complain(loaded.error(), run::kExitCannotRun);
    exports.insert(exports.end(), loaded->begin(), loaded->end());
  }
  const compare::Comparison comparison = compare::compare(*report, exports);
  const bool color =
      color_ == "always" || (color_ == "auto" && isatty(STDOUT_FILENO) && environment_.get("NO_COLOR").empty());
  const std::string out = json_ ? compare::render_json(comparison) : compare::render_text(comparison, {all_, color});
  std::fputs(out.c_str(), stdout);
  if (comparison.tally().equal + comparison.tally().different == 0)
    return complain({"there is nothing to compare: the profile has no figure that the run has",
                     "metrics need their names (ncu --print-metric-name name, or --page raw), and launches a partner"},
                    run::kExitCannotRun);
  return comparison.agrees() ? 0 : 1;
}

}  // namespace warplens::cli
