#include "cuda/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "cuda/environment.h"

namespace warplens::cuda {

thread_local Error last_error = Error::cudaSuccess;
static bool made = false;

Runtime& Runtime::get() {
  static Runtime* runtime = new Runtime;  // never destroyed: programs call CUDA from their own destructors
  return *runtime;
}

int current_device() {
  const driver::Context* context = driver::current_context();
  return context ? context->device : 0;
}

Runtime::Runtime() : startup_(read_environment()) {
  made = true;
  devices.resize(std::max(1u, startup_.options.gpus));
  // A child of fork() has neither the worker threads nor, on a GPU, the context; nor the thread that held the lock.
  pthread_atfork(nullptr, nullptr, [] {
    Runtime& runtime = get();
    new (&runtime.mutex) std::recursive_mutex;
    new (&runtime.news_mutex_) std::mutex;
    if (runtime.opened_) runtime.inherited = true;
  });
}

session::Session* Runtime::session() {
  if (inherited) return nullptr;
  if (opened_) return session_.get();
  opened_ = true;
  if (!startup_.problem.empty()) say(startup_.problem + "; nothing is recorded");
  auto session = session::Session::open(startup_.options);
  if (!session) {
    if (startup_.options.spool)
      startup_.options.spool->note({"error", session.error().what, session.error().hint, "", 0, 1});
    say(session.error().what + (session.error().hint.empty() ? "" : "; " + session.error().hint));
    return nullptr;
  }
  session_ = std::move(*session);
  return session_.get();
}

void Runtime::tell(std::function<void(Runtime&)> news) {
  std::lock_guard lock(news_mutex_);
  news_.push_back(std::move(news));
  has_news_ = true;
}

void Runtime::hear() {
  if (!has_news_ || LaunchInProgress::inside()) return;
  std::vector<std::function<void(Runtime&)>> news;
  {
    std::lock_guard lock(news_mutex_);
    news.swap(news_);
    has_news_ = false;
  }
  for (const auto& what : news) what(*this);
}

void Runtime::say_if_record_failed() {
  if (record_failed_ || !session_->record_failed()) return;
  record_failed_ = true;
  say("the record of this run cannot be written (is the disk full?): the report will lack what comes from here on");
}

session::Module* Runtime::module_of(Binary& binary, int device) {
  if (!binary.module) {
    Dl_info info{};
    bool known = dladdr(binary.wrapper, &info) != 0 && info.dli_fname;
    std::map<std::string, uint64_t> copies;
    if (binary.has_managed_copies)
      for (const auto& [host, symbol] : symbols)
        if (symbol.binary == &binary && !symbol.managed_slot) copies[symbol.name] = reinterpret_cast<uint64_t>(host);
    binary.module = session()->add_fatbin(binary.wrapper, known ? info.dli_fname : "the program", std::move(copies));
  }
  if (device == 0 || binary.only_device >= 0) return binary.module;
  session::Module*& there = binary.elsewhere[device];
  if (!there) there = session()->add_for_device(*binary.module, static_cast<unsigned>(device));
  return there;
}

void Runtime::remove_modules(Binary& binary) {
  if (!session()) return;
  for (auto& [device, module] : binary.elsewhere) session()->remove(module);
  if (binary.module) session()->remove(binary.module);
  binary.elsewhere.clear();
  binary.module = nullptr;
}

bool Runtime::any_pending() const {
  return std::any_of(devices.begin(), devices.end(), [](const Device& d) { return d.pending != Error::cudaSuccess; });
}

int Runtime::device_of(const exec::Allocation& allocation) {
  auto owner = owners.find(allocation.base);
  if (owner != owners.end()) return owner->second.context ? owner->second.context->device : 0;
  return static_cast<int>(session()->device_of_variable(allocation.base).value_or(0));
}

uint64_t Runtime::used(int number) {
  if (devices.size() == 1) return session()->memory().used();
  return device(number).allocated + session()->variable_bytes(static_cast<unsigned>(number));
}

void Runtime::own(uint64_t address, const Owner& owner) {
  owners[address] = owner;
  if (owner.context) device(owner.context->device).allocated += owner.device_bytes;
}

void Runtime::disown(uint64_t address) {
  auto found = owners.find(address);
  if (found == owners.end()) return;
  if (found->second.context) device(found->second.context->device).allocated -= found->second.device_bytes;
  owners.erase(found);
}

Error Runtime::check(Needs needs, int number) {
  if (!session()) return Error::cudaErrorInitializationError;
  Device& asked = device(number);
  if (needs == Needs::Context && asked.pending != Error::cudaSuccess) {
    asked.fault = asked.pending;
    asked.pending = Error::cudaSuccess;
  }
  if (needs == Needs::Context) show_printed();
  return needs == Needs::Nothing ? Error::cudaSuccess : asked.fault;
}

void Runtime::show_printed() {
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  printed.clear();
}

__attribute__((destructor)) void tell_what_was_never_shown() {
  if (!made) return;
  Runtime& runtime = Runtime::get();
  if (runtime.printed.empty() || runtime.inherited) return;
  runtime.say(
      fmt::format("kernels printed {} bytes that nobody saw: as on a GPU, they appear when the program waits for "
                  "the device, and it ended without cudaDeviceSynchronize()",
                  runtime.printed.size()));
}

void Runtime::say(const std::string& text) {
  std::string line = "warplens: " + text + "\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace warplens::cuda
