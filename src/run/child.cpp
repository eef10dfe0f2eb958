#include "run/child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

namespace warplens::run {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kGraceSeconds = 2;      // from the request to stop until SIGTERM: a running kernel ends well within it
constexpr double kTerminateSeconds = 1;  // from SIGTERM until SIGKILL
constexpr double kTickSeconds = 0.5;
constexpr double kEchoSeconds = 0.5;  // a second Ctrl-C this soon is the same one: timeout(1) and shells send it twice

// Signals that we wait for instead of being hit by: no handlers, no global state.
class WaitedSignals {
 public:
  WaitedSignals() {
    sigemptyset(&set_);
    for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, &old_);
    // A shell without job control starts background commands with SIGINT ignored; whoever sends it to us means it.
    signal(SIGINT, SIG_DFL);
  }
  ~WaitedSignals() {
    while (wait(0) != 0) {  // one that is still pending would end us before the report is out
    }
    sigprocmask(SIG_SETMASK, &old_, nullptr);
  }
  WaitedSignals(const WaitedSignals&) = delete;
  WaitedSignals& operator=(const WaitedSignals&) = delete;

  const sigset_t& old_mask() const { return old_; }
  int wait(double seconds) const {  // 0: time is up
    seconds = std::clamp(seconds, 0.0, 3600.0);
    timespec limit{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
    int number = sigtimedwait(&set_, nullptr, &limit);
    return number > 0 ? number : 0;
  }

 private:
  sigset_t set_, old_;
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

class Child {
 public:
  // On a terminal the program stays in our process group, or it could not read what the user types; Ctrl-C must then
  // reach us alone, so it starts with SIGINT ignored. Elsewhere it gets a group of its own, which can be killed whole.
  static Result<Child> start(const ChildOptions& options, const WaitedSignals& signals) {
    Child child;
    child.own_group_ = !isatty(STDIN_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &signals.old_mask());
    posix_spawnattr_setpgroup(&attributes, 0);
    short flags = POSIX_SPAWN_SETSIGMASK;
    if (child.own_group_) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes, flags);
    std::vector<std::string> arguments = options.arguments, variables = options.environment.strings();
    if (!child.own_group_) signal(SIGINT, SIG_IGN);
    int failed = posix_spawn(&child.pid_, options.program.c_str(), nullptr, &attributes, pointers(arguments).data(),
                             pointers(variables).data());
    if (!child.own_group_) signal(SIGINT, SIG_DFL);
    posix_spawnattr_destroy(&attributes);
    if (failed) return Error{"cannot start '" + options.program.string() + "': " + std::strerror(failed), ""};
    return child;
  }
  void send(int number) const { kill(pid_, number); }
  void send_to_all(int number) const { kill(own_group_ ? -pid_ : pid_, number); }
  bool ended(int& status) const { return waitpid(pid_, &status, WNOHANG) == pid_; }

 private:
  pid_t pid_ = 0;
  bool own_group_ = false;
};

// The steps from running to dead: each has a time by which the next one is due.
class Stopper {
 public:
  Stopper(const Child& child, const ChildOptions& options) : child_(child), page_(options.stop_page) {
    if (options.timeout_seconds > 0) due_ = options.timeout_seconds;
  }
  double due() const { return due_; }
  ChildEnd::Cause cause() const { return cause_; }

  void interrupt(double now) {  // a second one does not wait
    if (step_ == Step::Running) cause_ = ChildEnd::Cause::Interrupted;
    if (now < interrupted_ + kEchoSeconds) return;
    interrupted_ = now;
    advance(now);
  }
  void check(double now) {
    if (now < due_) return;
    if (step_ == Step::Running) cause_ = ChildEnd::Cause::TimedOut;
    advance(now);
  }

 private:
  enum class Step : uint8_t { Running, Asked, Terminated, Killed };
  void advance(double now) {
    switch (step_) {
      case Step::Running:
        if (ask()) {
          due_ = now + kGraceSeconds, step_ = Step::Asked;
          break;
        }
        [[fallthrough]];
      case Step::Asked:
        child_.send_to_all(SIGTERM), due_ = now + kTerminateSeconds, step_ = Step::Terminated;
        break;
      default:
        child_.send_to_all(SIGKILL), due_ = now + kTerminateSeconds, step_ = Step::Killed;
        break;
    }
  }
  // A kernel that runs now is left to write its record and end the process. One that starts later sees the request.
  bool ask() const {
    if (!page_) return false;
    page_->stop() = true;
    return page_->launches() > 0;
  }

  const Child& child_;
  const StopPage* page_;
  Step step_ = Step::Running;
  ChildEnd::Cause cause_ = ChildEnd::Cause::Itself;
  double due_ = HUGE_VAL, interrupted_ = -HUGE_VAL;
};

}  // namespace

Result<ChildEnd> run_child(const ChildOptions& options) {
  WaitedSignals signals;
  Clock::time_point start = Clock::now();
  auto elapsed = [&] { return Seconds(Clock::now() - start).count(); };
  Result<Child> child = Child::start(options, signals);
  if (!child) return child.error();
  Stopper stopper(*child, options);
  ChildEnd end;
  int status = 0;
  while (!child->ended(status)) {
    double now = elapsed();
    int number = signals.wait(std::min(stopper.due() - now, options.tick ? kTickSeconds : HUGE_VAL));
    if (number == SIGQUIT) child->send(number);
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) end.signal = number, stopper.interrupt(elapsed());
    stopper.check(elapsed());
    if (options.tick) options.tick(elapsed());
  }
  end.seconds = elapsed();
  end.cause = stopper.cause();
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status) && end.cause == ChildEnd::Cause::Itself) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace warplens::run
