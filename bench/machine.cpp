#include "machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

namespace warplens::bench {
namespace {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_name();
  machine.vector = can_run("x86-64-v4") ? "avx512" : can_run("x86-64-v3") ? "avx2" : "none that is known";
  cpu_set_t set;
  machine.cores =
      sched_getaffinity(0, sizeof set, &set) == 0 ? unsigned(CPU_COUNT(&set)) : std::thread::hardware_concurrency();
  utsname name{};
  uname(&name);
  machine.kernel = std::string(name.sysname) + " " + name.release;
#ifdef __clang__
  machine.compiler = "clang++ " __clang_version__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  machine.llvm = BENCH_LLVM_VERSION;
  double load[1] = {};
  if (getloadavg(load, 1) == 1) machine.load = load[0];
  return machine;
}

bool can_run(const std::string& arch) {
#ifdef __x86_64__
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (arch == "x86-64-v3") return v3;
  if (arch == "x86-64-v4") return v4;
#endif
  return arch == "native" || arch == "x86-64";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace warplens::bench
