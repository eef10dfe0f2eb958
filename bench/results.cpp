#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace warplens::bench {
namespace {

double median(const std::vector<Row>& rows, double Row::* member) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(row.*member);
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

std::string time_text(double ns) {
  if (ns <= 0) return "-";
  if (ns < 1e4) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e7) return fmt::format("{:.1f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

nlohmann::ordered_json to_json(const Comparison& c) {
  return {{"native_ns", c.native_ns},    {"engine_ns", c.engine_ns},      {"ratio", c.ratio},
          {"ratio_quartile_low", c.low}, {"ratio_quartile_high", c.high}, {"pairs", c.pairs}};
}

nlohmann::ordered_json to_json(const Row& row) {
  return {{"name", row.name},
          {"native", row.native},
          {"thread_instructions", row.instructions},
          {"one_thread_cpu_time", to_json(row.one)},
          {"all_cores_wall_time", to_json(row.all)},
          {"uncounted_one_thread_ns", row.uncounted_ns},
          {"compile_ms", row.compile_ms},
          {"cached_ms", row.cached_ms}};
}

nlohmann::ordered_json to_json(const Summary& s) {
  nlohmann::ordered_json json = {
      {"date", s.date},
      {"machine",
       {{"cpu", s.machine.cpu},
        {"vector", s.machine.vector},
        {"cores", s.machine.cores},
        {"kernel", s.machine.kernel},
        {"load_at_start", s.machine.load}}},
      {"engine",
       {{"cpu", s.engine_cpu},
        {"threads", s.threads},
        {"llvm", s.machine.llvm},
        {"compiler", s.machine.compiler},
        {"first_code_ms", s.start_ms}}},
      {"native", s.natives},
      {"geomean", {{"one_thread", s.geomean(&Row::one)}, {"all_cores", s.geomean(&Row::all)}}},
      {"lowest", {{"one_thread", s.lowest(&Row::one)}, {"all_cores", s.lowest(&Row::all)}}},
      {"median_compile_ms", s.median_compile_ms()},
      {"median_cached_ms", s.median_cached_ms()},
      {"empty_launch", to_json(s.empty)},
      {"kernels", nlohmann::ordered_json::array()}};
  for (const Row& row : s.rows) json["kernels"].push_back(to_json(row));
  json["large_kernels"] = nlohmann::ordered_json::array();
  for (const LargeKernel& k : s.large)
    json["large_kernels"].push_back({{"name", k.name},
                                     {"ptx_instructions", k.instructions},
                                     {"compile_seconds", k.seconds},
                                     {"ns_per_instruction", k.ns}});
  return json;
}

}  // namespace

double Summary::geomean(Comparison Row::* mode) const {
  double sum = 0;
  for (const Row& row : rows) sum += std::log((row.*mode).ratio);
  return rows.empty() ? 0 : std::exp(sum / double(rows.size()));
}

double Summary::lowest(Comparison Row::* mode) const {
  double low = rows.empty() ? 0 : INFINITY;
  for (const Row& row : rows) low = std::min(low, (row.*mode).ratio);
  return low;
}

double Summary::median_compile_ms() const { return median(rows, &Row::compile_ms); }
double Summary::median_cached_ms() const { return median(rows, &Row::cached_ms); }

std::string header_line() {
  return "| kernel | native, 1 thread | engine | ratio | quartiles | uncounted | native, all cores | engine | ratio | "
         "compile ms | "
         "cached ms | Gti/s | fastest native |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
}

std::string row_line(const Row& r) {
  return fmt::format(
      "| {} | {} | {} | {:.2f} | {:.2f}-{:.2f} | {} | {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.1f} | {} |\n", r.name,
      time_text(r.one.native_ns), time_text(r.one.engine_ns), r.one.ratio, r.one.low, r.one.high,
      time_text(r.uncounted_ns), time_text(r.all.native_ns), time_text(r.all.engine_ns), r.all.ratio, r.compile_ms,
      r.cached_ms, double(r.instructions) / r.one.engine_ns, r.native);
}

std::string to_markdown(const Summary& s) {
  std::string text = fmt::format("# Engine against C++, {}, {}\n\n", s.engine_cpu, s.date);
  text += fmt::format("Machine: {}, {}, {} cores, {}, load {:.1f} when it began.\n", s.machine.cpu, s.machine.vector,
                      s.machine.cores, s.machine.kernel, s.machine.load);
  text += fmt::format("Engine: code for {} by LLVM {}; built with {}; {} threads.\n", s.engine_cpu, s.machine.llvm,
                      s.machine.compiler, s.threads);
  text += "C++:";
  for (const std::string& native : s.natives) text += " " + native + ";";
  text.back() = '.';
  text +=
      "\nRatio: native time / engine time, median of interleaved pairs; above 1 the engine is faster. 1 thread: CPU "
      "time. All "
      "cores: wall time.\nGti/s: PTX instructions times active lanes, in 1e9 a second.\n\n";
  text += header_line();
  for (const Row& row : s.rows) text += row_line(row);
  text += row_line(s.empty);
  text += fmt::format(
      "\nGeometric mean: {:.2f} on one thread (lowest {:.2f}), {:.2f} on all cores (lowest {:.2f}); the empty launch "
      "is not in it.\n",
      s.geomean(&Row::one), s.lowest(&Row::one), s.geomean(&Row::all), s.lowest(&Row::all));
  text += fmt::format(
      "Compile time, median: {:.1f} ms; from the cache on disk {:.1f} ms. First code of the process: {:.1f} ms.\n",
      s.median_compile_ms(), s.median_cached_ms(), s.start_ms);
  return text + large_markdown(s.large);
}

Result<std::string> write(const Summary& summary, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::string& host = summary.host_cpu;
  const std::string cpu = summary.engine_cpu == host ? host : host + "-as-" + summary.engine_cpu;
  const std::string path = folder + "/" + cpu + "-" + summary.date;
  std::ofstream json(path + ".json"), markdown(path + ".md");
  json << to_json(summary).dump(2) << "\n";
  markdown << to_markdown(summary);
  if (!json || !markdown) return Error{"cannot write " + path + ".json", ""};
  return path + ".json";
}

}  // namespace warplens::bench
