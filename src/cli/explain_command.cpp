#include "cli/explain_command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "cli/usage.h"
#include "findings/findings.h"
#include "findings/pages.h"
#include "run/exit_codes.h"

namespace warplens::cli {

ExplainCommand::ExplainCommand(CLI::App& app) {
  command_ =
      app.add_subcommand("explain", "Say what a rule of the findings means, and what to do: warplens explain WL101");
  command_->add_option("RULE", rule_, "Its number; none: a list of all rules");
}

int ExplainCommand::execute() const {
  if (rule_.empty()) {
    for (const findings::Rule& rule : findings::rules()) std::printf("%s  %s\n", rule.id, rule.title);
    return 0;
  }
  std::string wanted = rule_;
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const findings::Page& page : findings::pages()) {
    if (wanted != page.id) continue;
    std::fputs(page.text, stdout);
    return 0;
  }
  return complain({"there is no rule '" + rule_ + "'", "'warplens explain' lists all rules"}, run::kExitOwnError);
}

}  // namespace warplens::cli
