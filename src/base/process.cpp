#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

namespace warplens {
namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0], write_end = ends[1];
    return true;
  }
  void close_write() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
  ~Pipe() {
    close_write();
    if (read_end >= 0) close(read_end);
  }
};

using Clock = std::chrono::steady_clock;

constexpr auto kNever = Clock::time_point::max();

// What poll() takes: milliseconds, -1: without end.
int left_until(Clock::time_point end) {
  if (end == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

// Both pipes at once: a child that fills one while we wait on the other would never end. False: the time was over.
bool drain(int first, std::string& first_text, int second, std::string& second_text, Clock::time_point end) {
  std::array<pollfd, 2> files{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  std::array<std::string*, 2> texts{&first_text, &second_text};
  std::array<char, 65536> buffer;
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const int ready = poll(files.data(), files.size(), left_until(end));
    if (ready < 0 && errno != EINTR) return true;
    if (Clock::now() >= end) return false;
    if (ready < 0) continue;
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      ssize_t got = read(files[i].fd, buffer.data(), buffer.size());
      if (got > 0) texts[i]->append(buffer.data(), static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) files[i].fd = -1;
    }
  }
  return true;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<ProcessOutput> run_process(const std::vector<std::string>& command, const Environment& environment,
                                  std::optional<std::chrono::milliseconds> limit) {
  const Clock::time_point end = limit ? Clock::now() + *limit : kNever;
  Pipe out, err;
  if (!out.open() || !err.open()) return Error{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, 1);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, 2);
  std::vector<std::string> arguments = command, variables = environment.strings();
  pid_t pid = 0;
  int failed =
      posix_spawn(&pid, command[0].c_str(), &actions, nullptr, pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return Error{"cannot start '" + command[0] + "': " + std::strerror(failed), ""};
  out.close_write();
  err.close_write();
  ProcessOutput result;
  result.timed_out = !drain(out.read_end, result.output, err.read_end, result.errors, end);
  if (result.timed_out) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string shell_quoted(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") == word.npos;
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace warplens
