#include "cli/map_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cli/run_command.h"
#include "cli/usage.h"
#include "findings/picture.h"
#include "report/text.h"
#include "run/exit_codes.h"

namespace warplens::cli {
namespace {

struct Place {
  std::string file;
  uint32_t line = 0;
};
std::optional<Place> place_of(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || text.size() - colon > 8) return std::nullopt;
  const std::string digits = text.substr(colon + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return Place{text.substr(0, colon), static_cast<uint32_t>(std::stoul(digits))};
}

// "dir/app.cu" is "/home/me/dir/app.cu".
bool same_file(const std::string& full, const std::string& given) {
  if (full == given) return true;
  return full.size() > given.size() && full.ends_with(given) && full[full.size() - given.size() - 1] == '/';
}

std::string shape(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

}  // namespace

MapCommand::MapCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ = app.add_subcommand(
      "map", "Draw the accesses of a line, lane by lane: warplens map FILE.cu:LINE [PROGRAM [ARGUMENTS...]]");
  command_->footer(
      "Without PROGRAM the file is compiled and run. The pictures go to stdout, after the program's own output.\n");
  command_->prefix_command();
  command_->add_option("--gpu", options_.gpu, "GPU model: its properties and limits")
      ->type_name("NAME")
      ->capture_default_str();
}

int MapCommand::execute() {
  const std::vector<std::string> words = command_->remaining();
  if (words.empty())
    return complain({"no FILE.cu:LINE to draw", "such as: warplens map app.cu:42"}, run::kExitOwnError);
  const auto place = place_of(words[0]);
  if (!place)
    return complain({"'" + words[0] + "' is no FILE.cu:LINE", "such as: warplens map app.cu:42"}, run::kExitOwnError);
  options_.input = words.size() > 1 ? words[1] : place->file;
  if (words.size() > 2) options_.arguments.assign(words.begin() + 2, words.end());
  take_environment(options_, environment_);
  if (!take_gpu(options_)) return run::kExitOwnError;
  run::RunOutcome outcome = run::run(options_, environment_);
  if (auto* failed = std::get_if<run::RunError>(&outcome)) return complain(failed->error, failed->exit_code);
  const run::RunResult& result = std::get<run::RunResult>(outcome);
  if (!result.report) return result.exit_code;

  const int width = wanted_width(environment_, isatty(STDOUT_FILENO));
  std::set<uint32_t> lines;
  unsigned drawn = 0;
  for (const findings::Group& group : findings::groups_of(*result.report)) {
    for (const findings::Access& a : group.accesses) {
      if (a.site->frames.empty() || !same_file(a.site->frames[0].file, place->file)) continue;
      lines.insert(a.site->frames[0].line);
      if (a.site->frames[0].line != place->line) continue;
      ++drawn;
      std::printf("%s, block %s: %s %s of %u bytes a lane, %s requests\n%s\n", group.kernel->demangled.c_str(),
                  shape(a.launch->block).c_str(), report::to_string(a.site->space), report::to_string(a.site->kind),
                  a.site->bytes_per_lane, report::grouped(a.counts.requests).c_str(),
                  findings::picture(a, width).c_str());
    }
  }
  if (drawn != 0) return 0;
  std::string near;
  for (const uint32_t line : lines) near += (near.empty() ? "" : ", ") + std::to_string(line);
  return complain({fmt::format("no access was made in {}:{}", place->file, place->line),
                   near.empty() ? "no line of that file made one; is it the program's source, compiled with -lineinfo?"
                                : "lines that made one: " + near},
                  run::kExitOwnError);
}

}  // namespace warplens::cli
