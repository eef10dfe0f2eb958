// The commands of warplens. Options and words only: what they do is in run/ and report/.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/environment.h"
#include "cli/cc_command.h"
#include "cli/compare_command.h"
#include "cli/explain_command.h"
#include "cli/inspect_command.h"
#include "cli/law_command.h"
#include "cli/map_command.h"
#include "cli/occupancy_command.h"
#include "cli/run_command.h"
#include "cli/usage.h"
#include "run/exit_codes.h"

namespace {

bool is_option(const std::string& text) {
  const auto is = [&](const char* option) { return text == option; };
  return is("-h") || is("--help") || is("--version");
}

bool is_command(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* c) { return c->get_name() == name; });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace warplens;
  Environment environment(environ);
  // The toolkit folder's nvcc is a link to this program (cmake/toolkit.cmake).
  const std::string_view self = argc > 0 ? argv[0] : "";
  if (self.substr(self.rfind('/') + 1) == "nvcc") return cli::cc_command({argv + 1, argv + argc}, environment);
  if (argc < 2 || !*argv[1]) {
    std::fputs(cli::kShortHelp, stdout);
    return 0;
  }
  if (std::string_view(argv[1]) == "cc") return cli::cc_command({argv + 2, argv + argc}, environment);
  // What follows -- is the program's and is passed on as it is, whatever it looks like.
  int dash = static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
  CLI::App app(cli::kDescription, "warplens");
  app.set_version_flag("--version", cli::version());
  app.require_subcommand(1);
  cli::RunCommand run(app, environment);
  cli::InspectCommand inspect(app, environment);
  cli::CompareCommand compare(app, environment);
  cli::ExplainCommand explain(app);
  cli::LawCommand law(app, environment);
  cli::MapCommand map(app, environment);
  cli::OccupancyCommand occupancy(app, environment);
  cli::GpusCommand gpus(app);
  CLI::App* help = app.add_subcommand("help", "How to use warplens");
  help->allow_extras();  // "help run": everything is said at once
  if (std::string first = argv[1]; !is_option(first) && !is_command(app, first))
    return cli::report_unknown_command(first);
  try {
    app.parse(dash, argv);
  } catch (const CLI::CallForVersion&) {
    std::printf("%s\n", cli::version().c_str());
    return 0;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.get_subcommands().empty() ? cli::kShortHelp : app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return cli::report_usage_error(app, error);
  }
  if (help->parsed()) {
    std::fputs(cli::kShortHelp, stdout);
    std::fputs(run.help().c_str(), stdout);
    return 0;
  }
  if (inspect.chosen()) return inspect.execute();
  if (compare.chosen()) return compare.execute();
  if (explain.chosen()) return explain.execute();
  if (law.chosen()) return law.execute();
  if (map.chosen()) return map.execute();
  if (occupancy.chosen()) return occupancy.execute();
  if (gpus.chosen()) return gpus.execute();
  if (dash == argc) return run.execute(std::nullopt);
  return run.execute(std::vector<std::string>(argv + dash + 1, argv + argc));
}
