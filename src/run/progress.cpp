#include "run/progress.h"

#include <fmt/format.h>

#include <string>

namespace warplens::run {

constexpr double kQuietSeconds = 2;
constexpr std::string_view kLaunchRecord = "{\"launch\"";

Progress::Progress(std::filesystem::path spool, std::function<void(std::string_view)> say)
    : spool_(spool), say_(std::move(say)) {}

// Only whole lines count: the last one may still be on its way, and is read again next time.
void Progress::count_new_launches() {
  spool_.clear();
  auto whole = spool_.tellg();
  for (std::string line; std::getline(spool_, line) && !spool_.eof(); whole = spool_.tellg())
    launches_ += line.compare(0, kLaunchRecord.size(), kLaunchRecord) == 0;
  spool_.clear();
  spool_.seekg(whole);
}

void Progress::update(double seconds) {
  if (seconds < kQuietSeconds) return;
  count_new_launches();
  say_(fmt::format("\r\x1b[Kwarplens: {:.0f} s, {} {} done", seconds, launches_,
                   launches_ == 1 ? "launch" : "launches"));
  shown_ = true;
}

void Progress::clear() {
  if (shown_) say_("\r\x1b[K");
  shown_ = false;
}

}  // namespace warplens::run
