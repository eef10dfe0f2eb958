#include "compare/load.h"

#include "base/file.h"
#include "base/process.h"

namespace warplens::compare {
namespace {

constexpr std::string_view kReportSuffix = ".ncu-rep", kReportMagic("NVR\0", 4);

std::vector<std::string> export_command(const std::string& ncu, const std::string& path, const char* page) {
  return {ncu, "-i", path, "--page", page, "--csv", "--print-units", "base"};
}

Error no_ncu(const std::string& path) {
  const std::string stem = path.ends_with(kReportSuffix) ? path.substr(0, path.size() - kReportSuffix.size()) : path;
  return {"'" + path + "' is a report of Nsight Compute, and there is no ncu here to read it",
          "where there is one: " + shell_quoted(export_command("ncu", path, "raw")) + " > " +
              shell_quoted({stem + ".csv"})};
}

Result<std::vector<NcuExport>> export_report(const std::string& path, const Environment& environment) {
  const std::string ncu = environment.find_program("ncu");
  if (ncu.empty()) return no_ncu(path);
  std::vector<NcuExport> out;
  for (const char* page : {"raw", "source"}) {
    const auto command = export_command(ncu, path, page);
    auto done = run_process(command, environment);
    if (!done) return done.error();
    auto table = read_ncu(done->output);
    if (table) {
      out.push_back(std::move(*table));
      continue;
    }
    if (page == std::string_view("source")) continue;  // nothing of it was collected
    return Error{"ncu could not export '" + path + "': " + (done->errors.empty() ? done->output : done->errors),
                 shell_quoted(command)};
  }
  return out;
}

}  // namespace

Result<std::vector<NcuExport>> load(const std::string& path, const Environment& environment) {
  const auto text = read_file(path);
  if (!text) return Error{"cannot read '" + path + "'", "check the name and the folder"};
  if (text->starts_with(kReportMagic) || path.ends_with(kReportSuffix)) return export_report(path, environment);
  auto table = read_ncu(*text);
  if (!table) return Error{"'" + path + "': " + table.error().what, table.error().hint};
  return std::vector<NcuExport>{std::move(*table)};
}

}  // namespace warplens::compare
