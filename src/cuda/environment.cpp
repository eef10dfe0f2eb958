#include "cuda/environment.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace warplens::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

constexpr int kStopSignal = SIGUSR1;
std::atomic<bool>* stop_flag = nullptr;
std::atomic<int> launches_running{0};

void end_process() {
  signal(kStopSignal, SIG_DFL);
  raise(kStopSignal);
}

void on_stop(int) {  // async-signal-safe: atomics, signal and raise
  if (launches_running > 0) {
    *stop_flag = true;
  } else {
    end_process();
  }
}

}  // namespace

session::Options options_from_environment() {
  session::Options options;
  std::string gpu = variable("WARPLENS_GPU");
  if (!gpu.empty()) options.gpu = gpu;
  options.threads = static_cast<unsigned>(strtoul(variable("WARPLENS_THREADS").c_str(), nullptr, 10));
  options.cpu = variable("WARPLENS_CPU");
  options.cache_dir = variable("WARPLENS_CACHE");
  options.spool = variable("WARPLENS_SPOOL");
  options.command = command_line();
  return options;
}

void install_stop_handler(std::atomic<bool>& stop) {
  stop_flag = &stop;
  struct sigaction current;
  if (sigaction(kStopSignal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  struct sigaction ours{};
  ours.sa_handler = on_stop;
  ours.sa_flags = SA_RESTART;
  sigaction(kStopSignal, &ours, nullptr);
}

LaunchInProgress::LaunchInProgress() { ++launches_running; }

LaunchInProgress::~LaunchInProgress() {
  --launches_running;
  if (stop_flag && *stop_flag) end_process();
}

}  // namespace warplens::cuda
