#include "cuda/environment.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
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

void end_process() {
  struct sigaction current{};
  sigset_t blocked;
  sigaction(SIGTERM, nullptr, &current);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  const bool handled = current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN;
  if (!handled || sigismember(&blocked, SIGTERM)) {
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  }
  raise(SIGTERM);
}

void open_files(Startup& startup) {
  const std::string spool = variable("WARPLENS_SPOOL"), stop = variable("WARPLENS_STOP");
  if (!spool.empty()) {
    auto writer = report::SpoolWriter::open(spool);
    if (writer)
      startup.options.spool = std::make_shared<report::SpoolWriter>(std::move(*writer));
    else
      startup.problem = writer.error().what;
  }
  if (!stop.empty()) {
    auto page = StopPage::open(stop);
    if (page)
      startup.options.stop = &startup.stop_page.emplace(std::move(*page)).stop();
    else
      startup.problem = page.error().what;
  }
}

}  // namespace

Startup read_environment() {
  Startup startup;
  session::Options& options = startup.options;
  std::string gpu = variable("WARPLENS_GPU");
  if (!gpu.empty()) options.gpu = gpu;
  const unsigned long gpus = strtoul(variable("WARPLENS_GPUS").c_str(), nullptr, 10);
  options.gpus = static_cast<unsigned>(std::clamp(gpus, 1ul, 64ul));
  options.threads = static_cast<unsigned>(strtoul(variable("WARPLENS_THREADS").c_str(), nullptr, 10));
  options.cpu = variable("WARPLENS_CPU");
  options.cache_dir = variable("WARPLENS_CACHE");
  options.machine_code = variable("WARPLENS_CODE") == "sass";
  options.ptxas = variable("WARPLENS_PTXAS");
  options.environment = Environment(environ);
  options.command = command_line();
  open_files(startup);
  return startup;
}

// For `warplens run --cpu`, which asks before it starts a program.
extern "C" __attribute__((visibility("default"))) bool wl_knows_processor(const char* name) {
  return session::knows_processor(name);
}

static thread_local bool is_in_launch = false;
bool LaunchInProgress::inside() { return is_in_launch; }

LaunchInProgress::LaunchInProgress(StopPage* page) : page_(page) {
  is_in_launch = true;
  if (page_) ++page_->launches();
}

LaunchInProgress::~LaunchInProgress() {
  is_in_launch = false;
  if (!page_) return;
  --page_->launches();
  if (page_->stop()) end_process();
}

}  // namespace warplens::cuda
