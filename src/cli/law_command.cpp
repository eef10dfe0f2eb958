#include "cli/law_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cli/run_command.h"
#include "cli/usage.h"
#include "elf/mapped_file.h"
#include "findings/picture.h"
#include "law/kernels.h"
#include "report/parameter_names.h"
#include "run/compile.h"
#include "run/exit_codes.h"
#include "run/input.h"
#include "run/install.h"
#include "run/temporary.h"

namespace warplens::cli {

LawCommand::LawCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ =
      app.add_subcommand("law",
                         "Write each address of a kernel as a sum over threadIdx, blockIdx, parameters and loops, "
                         "without running it");
  command_->add_option("FILE", file_, "A .cu file, or what holds PTX: .ptx, program, library, object, .fatbin")
      ->required();
  command_->add_option("--kernel", kernel_, "Only kernels whose name holds this")->type_name("TEXT");
  command_->add_option("--block", block_, "Threads of a block, such as 16x16, to draw the first warp for")
      ->capture_default_str();
  command_->add_option("--set", set_, "A parameter's value, such as n=1024; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

bool LawCommand::read_shape(Dim3& block) const {
  uint32_t sizes[3] = {1, 1, 1};
  std::stringstream text(block_);
  std::string part;
  size_t n = 0;
  for (; std::getline(text, part, 'x'); ++n) {
    const bool number = !part.empty() && part.size() < 5 && part.find_first_not_of("0123456789") == std::string::npos;
    if (n >= 3 || !number || (sizes[n] = static_cast<uint32_t>(std::stoul(part))) == 0) return false;
  }
  block = {sizes[0], sizes[1], sizes[2]};
  return n > 0 && block_.back() != 'x' && block.count() <= 1024;
}

bool LawCommand::read_values(const std::vector<report::Kernel>& kernels) {
  for (const std::string& text : set_) {
    const size_t at = text.find('=');
    char* end = nullptr;
    const std::string name = text.substr(0, at), digits = at == std::string::npos ? "" : text.substr(at + 1);
    const int64_t value = std::strtoll(digits.c_str(), &end, 0);
    if (digits.empty() || *end != 0) {
      complain({"'" + text + "' is no NAME=VALUE with a whole number", "such as: --set n=1024"}, 0);
      return false;
    }
    const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const report::Kernel& k) {
      return std::any_of(k.parameters.begin(), k.parameters.end(), [&](const report::Parameter& p) {
        return p.name == name || name == fmt::format("param{}", &p - k.parameters.data() + 1);
      });
    });
    if (!known) {
      complain({"no kernel has a parameter '" + name + "'", "the laws name them; param3 is the third"}, 0);
      return false;
    }
    values_.emplace_back(name, value);
  }
  return true;
}

int LawCommand::read(std::vector<report::Kernel>& kernels) {
  if (access(file_.c_str(), F_OK) != 0)
    return complain({"no such file: '" + file_ + "'", "check the name and the folder"}, run::kExitNotFound);
  auto temporary = run::TemporaryFolder::make(options_.temporary_dir);
  if (!temporary) return complain(temporary.error(), run::kExitOwnError);
  std::filesystem::path path = file_;
  if (path.extension() == ".cu") {
    auto install = run::find_install();
    if (!install) return complain(install.error(), run::kExitOwnError);
    auto made = run::compile_source(options_, path, *install, temporary->path(), environment_, false);
    if (!made) return complain(made.error(), run::kExitOwnError);
    write_stderr(made->messages);
    if (made->exit_code != 0) return made->exit_code;
    path = made->program;
  }
  const elf::MappedFile file(path.c_str());
  auto found = law::kernels_of(file.bytes(), file_);
  if (!found) return complain(found.error(), run::kExitCannotRun);
  kernels = std::move(*found);
  report::SourceText source("");
  for (report::Kernel& k : kernels) {
    k.demangled = report::demangled(k.name);
    report::name_parameters(k, source);
  }
  std::erase_if(kernels, [&](const report::Kernel& k) { return k.demangled.find(kernel_) == std::string::npos; });
  for (size_t i = 0; i < kernels.size(); ++i) kernels[i].id = static_cast<uint32_t>(i);
  if (kernels.empty())
    return complain(
        {kernel_.empty() ? "there is no kernel in '" + file_ + "'" : "no kernel's name holds '" + kernel_ + "'", ""},
        run::kExitCannotRun);
  return 0;
}

// One launch a kernel, in which every access was made once.
report::Report LawCommand::as_report(std::vector<report::Kernel> kernels, const Dim3& block) const {
  report::Report report;
  report.kernels = std::move(kernels);
  for (const report::Kernel& k : report.kernels) {
    report::Launch& launch = report.launches.emplace_back();
    launch.kernel = k.id;
    launch.block = block;
    for (size_t p = 0; p < k.parameters.size(); ++p) {
      if (k.parameters[p].pointer)
        launch.parameters.emplace_back(fmt::format("${}", p), 0);  // as cudaMalloc aligns them
      for (const auto& [name, value] : values_)
        if (name == k.parameters[p].name || name == fmt::format("param{}", p + 1))
          launch.parameters.emplace_back(fmt::format("${}", p), value);
    }
    launch.sites.resize(k.sites.size());
    for (report::SiteCounts& counts : launch.sites) counts.requests = 1;
  }
  return report;
}

int LawCommand::execute() {
  take_environment(options_, environment_);
  if (!take_gpu(options_)) return run::kExitOwnError;
  Dim3 block;
  if (!read_shape(block))
    return complain({"'" + block_ + "' is no shape of a block", "such as 256, 16x16 or 8x8x4; at most 1024 threads"},
                    run::kExitOwnError);
  std::vector<report::Kernel> kernels;
  if (const int code = read(kernels); code != 0) return code;
  if (!read_values(kernels)) return run::kExitOwnError;
  const report::Report report = as_report(std::move(kernels), block);
  const int width = wanted_width(environment_, isatty(STDOUT_FILENO));
  for (const findings::Group& group : findings::groups_of(report)) {
    std::printf("%s, block (%u, %u, %u)\n\n", group.kernel->demangled.c_str(), block.x, block.y, block.z);
    for (const findings::Access& a : group.accesses) {
      if (a.site->law.empty()) continue;
      const std::string place = a.site->frames.empty()
                                    ? fmt::format("PTX line {}", a.site->ptx_line)
                                    : fmt::format("{}:{}", a.site->frames[0].file, a.site->frames[0].line);
      std::printf("%s: %s %s of %u bytes a lane\n%s\n", place.c_str(), report::to_string(a.site->space),
                  report::to_string(a.site->kind), a.site->bytes_per_lane, findings::picture(a, width).c_str());
    }
  }
  return 0;
}

}  // namespace warplens::cli
