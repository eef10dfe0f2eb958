#include "run/run.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>

#include "elf/known_runtimes.h"
#include "inspect/user_runtimes.h"
#include "report/spool.h"
#include "run/child.h"
#include "run/clients.h"
#include "run/compile.h"
#include "run/exit_codes.h"
#include "run/input.h"
#include "run/install.h"
#include "run/progress.h"
#include "run/temporary.h"

namespace warplens::run {
namespace fs = std::filesystem;
namespace {

// Gives every process of the run our CUDA libraries, and puts them in place of those that are linked in (src/audit).
constexpr const char* kAuditLibrary = "libwarplens_audit.so";

// LLVM knows, and that is in the library that programs are given.
bool knows_processor(const fs::path& libraries, const std::string& name) {
  void* library = dlopen((libraries / "libwarplens_runtime.so").c_str(), RTLD_LAZY | RTLD_LOCAL);
  auto* knows = library ? reinterpret_cast<bool (*)(const char*)>(dlsym(library, "wl_knows_processor")) : nullptr;
  return !knows || knows(name.c_str());
}

RunError own_error(const Error& error) { return {error, kExitOwnError}; }

constexpr const char *kSpoolName = "spool", *kStopName = "stop", *kTableName = "cudart_static.txt";

// What the program finds in its environment; src/cuda reads it back.
Environment child_environment(const RunOptions& options, Environment environment, const Install& install,
                              const fs::path& folder) {
  environment.prepend_path("LD_LIBRARY_PATH", install.libraries.string());
  environment.prepend_path("LD_AUDIT", (install.libraries / kAuditLibrary).string());
  keep_ptx(environment, install.libraries);
#ifdef WARPLENS_SANITIZER_RUNTIME  // a build for our own tests; compilers do not get it, some of NVIDIA's crash with it
  environment.prepend_path("LD_PRELOAD", WARPLENS_SANITIZER_RUNTIME);
  // ThreadSanitizer's wants 800 KB of the space for thread-local variables, which is laid out before, for the audit
  // library.
  environment.set("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=1048576");
#endif
  environment.set("WARPLENS_SPOOL", (folder / kSpoolName).string());
  if (fs::exists(folder / kTableName)) environment.set("WARPLENS_CUDART_TABLE", (folder / kTableName).string());
  environment.set("WARPLENS_STOP", (folder / kStopName).string());
  environment.set("WARPLENS_GPU", options.gpu);
  environment.set("WARPLENS_GPUS", std::to_string(options.gpus));
  environment.set("WARPLENS_THREADS", std::to_string(options.threads));
  environment.set("WARPLENS_CPU", options.cpu);
  environment.set("WARPLENS_CODE", options.machine_code ? "sass" : "ptx");
  environment.set("WARPLENS_PTXAS", options.ptxas);
  environment.set("WARPLENS_CACHES", options.caches ? "1" : "");
  environment.set("WARPLENS_CACHE", options.cache_dir.empty() ? "" : (options.cache_dir / "code").string());
  return environment;
}

// How it ended, in the report's words, and what `warplens run` itself ends with.
int finish(report::Run& run, const ChildEnd& end) {
  run.wall_seconds = end.seconds;
  run.exit_code = end.exit_code;
  run.signal = end.signal;
  switch (end.cause) {
    case ChildEnd::Cause::TimedOut:
      run.outcome = "timed out";
      return kExitTimedOut;
    case ChildEnd::Cause::Interrupted:
      run.outcome = "interrupted";
      return 128 + end.signal;
    case ChildEnd::Cause::Itself:
      break;
  }
  run.outcome = end.signal ? "signalled" : "exited";
  return end.signal ? 128 + end.signal : end.exit_code;
}

// Starts `program` and reads what its runtime recorded.
RunOutcome run_program(const RunOptions& options, const fs::path& program, const std::string& name,
                       const Install& install, const fs::path& folder, const Environment& environment) {
  std::vector<elf::RuntimeTable> runtimes{elf::known_runtimes()};
  std::string user_runtimes =
      inspect::user_runtime_table(inspect::find_runtime_archives(environment), runtimes[0], options.cache_dir);
  if (!user_runtimes.empty()) {
    elf::read_runtime_table(user_runtimes, runtimes.emplace_back());
    std::ofstream(folder / kTableName, std::ios::binary) << user_runtimes;
  }
  if (Status served = check_program(program, runtimes); !served) return RunError{served.error(), kExitCannotRun};
  fs::path spool = folder / kSpoolName;
  if (int fd = open(spool.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); fd >= 0) close(fd);

  Result<StopPage> stop_page = StopPage::open((folder / kStopName).string());
  if (!stop_page) return own_error(stop_page.error());

  ChildOptions child;
  child.stop_page = &*stop_page;
  child.program = program;
  child.arguments = {name};
  child.arguments.insert(child.arguments.end(), options.arguments.begin(), options.arguments.end());
  child.environment = child_environment(options, environment, install, folder);
  child.timeout_seconds = options.timeout_seconds;
  Progress progress(spool, options.say);
  if (options.progress) child.tick = [&](double seconds) { progress.update(seconds); };
  Result<ChildEnd> end = run_child(child);
  progress.clear();
  if (!end) return RunError{end.error(), kExitCannotRun};

  Result<report::Report> report = report::read_spool(spool.string());
  if (!report) return own_error(report.error());
  report::Run& run = report->run;
  if (int count = stop_page->launches(); count > 0)
    report->notes.push_back({"note",
                             count == 1 ? "a launch had not ended when its process did: it is not in the figures"
                                        : std::to_string(count) + " launches had not ended when their processes did: "
                                                                  "they are not in the figures",
                             "", "", 0, 1});
  if (run.program.empty()) {
    report->notes.push_back({"note", "neither the program nor one that it started used CUDA", "", "", 0, 1});
    run.gpu_name = options.gpu_name;
    run.version = options.version;
  }
  run.program = options.input;  // as the user named it: the source, not what was made of it, nor what it started
  run.arguments = options.arguments;
  run.gpu = options.gpu;
  run.gpus = options.gpus;
  RunResult result;
  result.exit_code = finish(run, *end);
  result.report = std::move(*report);
  return result;
}

}  // namespace

RunOutcome run(const RunOptions& options, const Environment& environment) {
  Refusal refusal = Refusal::None;
  Result<Input> input = find_input(options.input, environment, refusal);
  if (!input) return RunError{input.error(), refusal == Refusal::NotFound ? kExitNotFound : kExitCannotRun};
  Result<Install> install = find_install();
  if (!install) return own_error(install.error());
  if (!options.cpu.empty() && !knows_processor(install->libraries, options.cpu))
    return own_error({"unknown processor '" + options.cpu + "'",
                      "LLVM's names, such as x86-64, haswell, skylake-avx512 and znver4"});
  Result<TemporaryFolder> temporary = TemporaryFolder::make(options.temporary_dir);
  if (!temporary) return own_error(temporary.error());
  if (input->kind == Input::Kind::Program)
    return run_program(options, input->path, options.input, *install, temporary->path(), environment);

  Result<frontend::CompileOutcome> compiled =
      compile_source(options, input->path, *install, temporary->path(), environment);
  if (!compiled) return own_error(compiled.error());
  options.say(compiled->messages);
  if (compiled->exit_code != 0) return RunResult{compiled->exit_code, std::nullopt};
  fs::path name = input->path;
  return run_program(options, fs::absolute(compiled->program), name.replace_extension().string(), *install,
                     temporary->path(), environment);
}

}  // namespace warplens::run
