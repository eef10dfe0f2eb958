#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "lower/lower.h"
#include "machine.h"
#include "observe/observer.h"
#include "ptx/parse.h"

namespace warplens::bench {
namespace {

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}
double cpu_now() { return now(CLOCK_THREAD_CPUTIME_ID); }
double all_cpu_now() { return now(CLOCK_PROCESS_CPUTIME_ID); }  // what compiles: LLVM has a thread of its own
double wall_now() { return now(CLOCK_MONOTONIC); }

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[size_t(q * double(values.size() - 1) + 0.5)];
}

// Splits a range evenly over threads that wait for work, as the engine's do.
class StaticSplit {
 public:
  explicit StaticSplit(unsigned threads) {
    for (unsigned t = 1; t < threads; t++) threads_.emplace_back([this, t] { loop(t); });
  }
  ~StaticSplit() {
    post(nullptr, true);
    for (std::thread& t : threads_) t.join();
  }
  void run(NativeFunction function, const Workload& w) {
    auto part = [&](unsigned t) {
      const uint64_t grains = uint64_t(w.size) / w.grain, parts = threads_.size() + 1;
      const int begin = int(grains * t / parts) * w.grain, end = int(grains * (t + 1) / parts) * w.grain;
      if (end > begin) function(w.job, begin, end);
    };
    const std::function<void(unsigned)> work = part;
    post(&work, false);
    part(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void post(const std::function<void(unsigned)>* work, bool quit) {
    std::lock_guard lock(mutex_);
    work_ = work, quit_ = quit, running_ = threads_.size(), generation_++;
    start_.notify_all();
  }
  void loop(unsigned index) {
    for (uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (quit_) return;
      const auto* work = work_;
      lock.unlock();
      (*work)(index);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  bool quit_ = false;
  size_t running_ = 0;
  uint64_t generation_ = 0;
};

// One sample is long enough for the clock: calls until about `kSample` seconds.
constexpr double kSample = 2e-3;

template <typename F>
int calls_for_sample(F&& call, double (*clock)()) {
  double best = 1;
  for (int i = 0; i < 3; i++) {
    const double start = clock();
    call();
    best = std::min(best, clock() - start);
  }
  return int(std::clamp(kSample / std::max(best, 1e-8), 1.0, 20000.0));
}

template <typename F>
double sample(F&& call, int calls, double (*clock)()) {
  const double start = clock();
  for (int i = 0; i < calls; i++) call();
  return (clock() - start) / calls * 1e9;
}

// Pairs of samples, which side comes first alternating, so that what disturbs the machine disturbs both.
template <typename Native, typename Engine>
Comparison compare(Native&& native, Engine&& engine, double (*clock)(), const Settings& settings) {
  const int native_calls = calls_for_sample(native, clock), engine_calls = calls_for_sample(engine, clock);
  std::vector<double> natives, engines, ratios;
  const double start = wall_now();
  while (int(ratios.size()) < settings.rounds || (wall_now() - start < settings.seconds && ratios.size() < 200)) {
    double n = 0, e = 0;
    if (ratios.size() % 2 == 0) n = sample(native, native_calls, clock);
    e = sample(engine, engine_calls, clock);
    if (ratios.size() % 2 != 0) n = sample(native, native_calls, clock);
    natives.push_back(n), engines.push_back(e), ratios.push_back(n / e);
  }
  return {quantile(natives, 0.5), quantile(engines, 0.5), quantile(ratios, 0.5),
          quantile(ratios, 0.25), quantile(ratios, 0.75), int(ratios.size())};
}

// FNV-1a over numbers.
struct Digest {
  uint64_t value = 14695981039346656037u;
  void add(uint64_t number) { value = (value ^ number) * 1099511628211u; }
};

uint64_t digest_of(const exec::LaunchCounts& counts, const std::vector<observe::SiteStats>& stats) {
  Digest digest;
  for (uint64_t n : {counts.warps, counts.instructions, counts.thread_instructions, counts.thread_instructions_pred_on})
    digest.add(n);
  for (const observe::SiteStats& s : stats)
    for (uint64_t n : {s.requests, s.lanes, s.sectors, s.sectors_ideal, s.tag_requests, s.wavefronts,
                       s.wavefronts_ideal, s.bytes_used, s.branch_executed, s.branch_divergent, s.branch_lanes})
      digest.add(n);
  return digest.value;
}

}  // namespace

Status EngineSide::load(const Workload& workload) {
  const std::string path = kernels_ + "/" + workload.file + ".ptx";
  const std::string text = read_file(path).value_or("");
  if (text.empty()) return Error{"cannot read " + path, "bench/make_ptx.sh makes it"};
  return load(text, path, workload.kernel);
}

Status EngineSide::load(const std::string& ptx, const std::string& name, const std::string& kernel) {
  ptx::ParseResult parsed = ptx::parse(ptx, name);
  lower::LowerResult lowered = lower::lower(parsed.module, name);
  for (const auto* diagnostics : {&parsed.diagnostics, &lowered.diagnostics})
    for (const Diagnostic& d : *diagnostics)
      if (d.severity == Severity::Error) return Error{to_string(d), ""};
  module_ = std::make_shared<const ir::Module>(std::move(lowered.module));
  for (index_ = 0; index_ < module_->kernels.size(); index_++)
    if (module_->kernels[index_].function.name == kernel) break;
  if (index_ == module_->kernels.size()) return Error{"no kernel " + kernel + " in " + name, ""};
  handle_ = engine_.load(module_, index_, std::vector<uint64_t>(module_->symbols.size()));
  return Ok{};
}

Status EngineSide::launch(const Workload& workload) {
  exec::LaunchResult result;
  std::vector<observe::SiteStats> stats;
  if (counted_) {
    observe::Observer observer(module_->kernels[index_].function.sites, engine_.threads());
    result =
        engine_.launch(handle_, workload.config, workload.params, [&](unsigned w) { return observer.sink(w); }, stop_);
    observer.add_branches(result.counts.branches);
    stats = observer.finish();
  } else {
    result = engine_.launch(handle_, workload.config, workload.params, [](unsigned) { return nullptr; }, stop_);
  }
  if (result.fault) return Error{workload.name + " failed: " + result.fault->message + result.fault->nearest, ""};
  counts_ = digest_of(result.counts, stats);
  instructions_ = result.counts.thread_instructions;
  warp_instructions_ = result.counts.instructions;
  from_cache_ = result.from_cache;
  return Ok{};
}

void EngineSide::make_code(const Workload& workload) {
  stop_ = true;
  (void)bool(launch(workload));
  stop_ = false;
}

Bench::Bench(exec::DeviceMemory& memory, Settings settings)
    : memory_(memory),
      settings_(std::move(settings)),
      one_(memory, settings_.kernels, {1, settings_.cpu, "", true, settings_.lanes}),
      all_(memory, settings_.kernels, {0, settings_.cpu, "", true, settings_.lanes}),
      uncounted_(memory, settings_.kernels, {1, settings_.cpu, "", false, settings_.lanes}) {
  const double start = all_cpu_now();
  const Workload empty = make_empty();
  if (one_.load(empty)) (void)bool(one_.launch(empty));
  start_ms_ = (all_cpu_now() - start) * 1e3;
}

Status Bench::fastest_native(const Workload& w, Row& row) {
  double best = 0;
  for (const NativeBuild* build : kNativeBuilds) {
    if (!can_run(build->arch) || (!settings_.native_arch.empty() && build->arch != settings_.native_arch)) continue;
    for (const char* name : w.native) {
      NativeFunction function = build->find(name);
      auto call = [&] { function(w.job, 0, w.size); };
      const int calls = calls_for_sample(call, cpu_now);
      const double ns =
          std::min({sample(call, calls, cpu_now), sample(call, calls, cpu_now), sample(call, calls, cpu_now)});
      if (row.native.empty() || ns < best) {
        best = ns, native_ = function;
        row.native =
            fmt::format("{}, {}, {}", name, std::string_view(build->compiler).substr(0, 3) == "g++" ? "g++" : "clang++",
                        build->arch);
      }
    }
  }
  return row.native.empty() ? Status(Error{"no C++ build runs on this machine", "see WARPLENS_BENCH_ARCHS"})
                            : Status(Ok{});
}

// One engine that has made code before, so that LLVM's own start does not count; then one that finds it on disk.
Status Bench::compile_times(const Workload& w, Row& row) {
  const Workload empty = make_empty();
  auto timed = [&](EngineSide& side) -> Result<double> {
    const double start = all_cpu_now();
    if (Status s = side.load(w); !s) return s.error();
    side.make_code(w);
    return (all_cpu_now() - start) * 1e3;
  };
  const jit::EngineOptions cached_on_disk{1, settings_.cpu, settings_.cache_dir, true, settings_.lanes};
  EngineSide keeps(memory_, settings_.kernels, cached_on_disk), finds(memory_, settings_.kernels, cached_on_disk);
  std::vector<double> compiled, cached;
  for (int i = 0; i < 3; i++) {
    auto ms = timed(one_);
    if (!ms) return ms.error();
    compiled.push_back(*ms);
  }
  for (EngineSide* side : {&keeps, &finds}) {
    if (Status s = side->load(empty); !s) return s;
    if (Status s = side->launch(empty); !s) return s;
  }
  if (auto ms = timed(keeps); !ms) return ms.error();
  for (int i = 0; i < 3; i++) {
    auto ms = timed(finds);
    if (!ms) return ms.error();
    cached.push_back(*ms);
  }
  row.compile_ms = quantile(compiled, 0.5), row.cached_ms = quantile(cached, 0.5);
  return Ok{};
}

Status Bench::measure(LargeKernel& k) {
  const auto buffer = memory_.allocate(4096);
  if (!buffer) return Error{"no device memory", ""};
  std::memset(reinterpret_cast<void*>(*buffer), 0, 4096);
  Workload w;
  w.name = k.name;
  w.config = {{1, 1, 1}, {32, 1, 1}, 0};
  w.params.resize(8);
  std::memcpy(w.params.data(), &*buffer, 8);
  const double start = all_cpu_now();
  if (Status s = one_.load(k.ptx, k.name, "large"); !s) return s;
  one_.make_code(w);
  k.seconds = all_cpu_now() - start;
  if (Status s = one_.launch(w); !s) return s;
  auto launch = [&] { (void)bool(one_.launch(w)); };
  const int calls = calls_for_sample(launch, cpu_now);
  std::vector<double> samples;
  for (int i = 0; i < settings_.rounds; i++) samples.push_back(sample(launch, calls, cpu_now));
  k.ns = quantile(samples, 0.5) / double(one_.warp_instructions());
  return Ok{};
}

Status Bench::check(const Workload& w, EngineSide& side, const char* mode) {
  w.clear();
  native_(w.job, 0, w.size);
  if (Status s = side.launch(w); !s) return s;
  const std::string wrong = w.check();
  if (!wrong.empty()) return Error{fmt::format("{}, {}: {}", w.name, mode, wrong), ""};
  return Ok{};
}

Result<Row> Bench::run(const Workload& w) {
  Row row;
  row.name = w.name;
  if (Status s = fastest_native(w, row); !s) return s.error();
  if (Status s = compile_times(w, row); !s) return s.error();
  for (EngineSide* side : {&one_, &all_, &uncounted_})
    if (Status s = side->load(w); !s) return s.error();
  if (Status s = check(w, one_, "one thread"); !s) return s.error();
  if (Status s = check(w, all_, "all cores"); !s) return s.error();
  if (one_.counts() != all_.counts()) return Error{w.name + ": the counts depend on the number of threads", ""};
  const uint64_t counts = one_.counts();
  row.instructions = one_.thread_instructions();

  auto native = [&] { native_(w.job, 0, w.size); };
  row.one = compare(native, [&] { (void)bool(one_.launch(w)); }, cpu_now, settings_);
  StaticSplit split(all_.threads());
  row.all = compare([&] { split.run(native_, w); }, [&] { (void)bool(all_.launch(w)); }, wall_now, settings_);
  if (one_.counts() != counts || all_.counts() != counts)
    return Error{w.name + ": the counts differ from launch to launch", ""};
  if (const std::string wrong = w.check(); !wrong.empty())
    return Error{w.name + ", after the measurement: " + wrong, ""};
  if (settings_.uncounted) {
    if (Status s = check(w, uncounted_, "without counting"); !s) return s.error();
    row.uncounted_ns = compare(native, [&] { (void)bool(uncounted_.launch(w)); }, cpu_now, settings_).engine_ns;
  }
  return row;
}

}  // namespace warplens::bench
