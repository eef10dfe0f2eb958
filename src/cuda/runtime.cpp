#include "cuda/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "cuda/environment.h"

namespace warplens::cuda {

thread_local Error last_error = Error::cudaSuccess;

Runtime& Runtime::get() {
  static Runtime* runtime = new Runtime;  // never destroyed: programs call CUDA from their own destructors
  return *runtime;
}

Runtime::Runtime() : startup_(read_environment()) {
  // A child of fork() has neither the worker threads nor, on a GPU, the context.
  pthread_atfork(nullptr, nullptr, [] {
    Runtime& runtime = get();
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

void Runtime::say_if_record_failed() {
  if (record_failed_ || !session_->record_failed()) return;
  record_failed_ = true;
  say("the record of this run cannot be written (is the disk full?): the report will lack what comes from here on");
}

session::Module* Runtime::module_of(Binary& binary) {
  if (!binary.module) {
    Dl_info info{};
    bool known = dladdr(binary.wrapper, &info) != 0 && info.dli_fname;
    binary.module = session()->add_fatbin(binary.wrapper, known ? info.dli_fname : "the program");
  }
  return binary.module;
}

Error Runtime::check(Needs needs) {
  if (!session()) return Error::cudaErrorInitializationError;
  if (needs == Needs::Context && pending != Error::cudaSuccess) {
    fault = pending;
    pending = Error::cudaSuccess;
  }
  return needs == Needs::Nothing ? Error::cudaSuccess : fault;
}

void Runtime::say(const std::string& text) {
  std::string line = "warplens: " + text + "\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace warplens::cuda
