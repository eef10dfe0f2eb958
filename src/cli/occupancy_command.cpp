#include "cli/occupancy_command.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

#include "cli/usage.h"
#include "occupancy/gpus.h"
#include "occupancy/kernels.h"
#include "run/compile.h"
#include "run/exit_codes.h"
#include "run/input.h"
#include "run/install.h"
#include "run/temporary.h"

namespace warplens::cli {
namespace {

using occupancy::Question;

// The number that `text` begins with, which is taken from it; nothing: there is none, or it is out of bounds.
std::optional<uint64_t> take_number(std::string_view& text) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  uint64_t value = 0;
  size_t digits = 0;
  for (; digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) && value < kMost; ++digits)
    value = value * 10 + static_cast<uint64_t>(text[digits] - '0');
  if (digits == 0 || value >= kMost) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

// "256" or "16x16" or "8,8,4"-like shapes with 'x' between: their product.
std::optional<uint64_t> product(std::string_view text) {
  uint64_t all = 1;
  for (int dimension = 0; dimension < 3; ++dimension) {
    const auto n = take_number(text);
    if (!n || (all *= *n) >= uint64_t{1} << 62) return std::nullopt;
    if (text.empty()) return all;
    if (text[0] != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

// "16384", "16K" or "16KiB": of 1024 bytes, as shared memory is counted.
std::optional<uint64_t> bytes(std::string_view text) {
  const auto n = take_number(text);
  if (!n) return std::nullopt;
  if (text.empty() || text == "B") return n;
  return text == "K" || text == "k" || text == "KB" || text == "KiB" ? std::optional(*n * 1024) : std::nullopt;
}

Error wrong(const char* option, const std::string& text, const char* expected) {
  return {fmt::format("{} '{}'", option, text), expected};
}

}  // namespace

OccupancyCommand::OccupancyCommand(CLI::App& app, const Environment& environment) : environment_(environment) {
  command_ = app.add_subcommand("occupancy",
                                "Say how many blocks an SM holds and what limits them: warplens occupancy --block 256 "
                                "--regs 40 --smem 16384, or warplens occupancy app.cu");
  command_->footer(
      "With a file, registers and static shared memory are those of its machine code; --smem is dynamic.\n"
      "Exit code: 0, or 125 wrong usage, 126 a file that cannot be used, 127 no such file; a .cu file\n"
      "that does not compile gives the compiler's.\n");
  command_->add_option("FILE", file_, "A .cu file, program, library, object, .ptx, .cubin or .fatbin");
  command_->add_option("--gpu", gpu_, "GPU model ('warplens gpus' lists them) or compute capability, such as 8.6")
      ->type_name("NAME")
      ->capture_default_str();
  command_->add_option("--block", blocks_, "Threads of a block, such as 256 or 16x16; several with commas between")
      ->type_name("N")
      ->delimiter(',');
  command_->add_option("--regs", registers_, "Registers of a thread")->type_name("N");
  command_->add_option("--smem", shared_, "Bytes of shared memory of a block, such as 16384 or 16K")
      ->type_name("BYTES");
  command_->add_option("--grid", grid_, "Blocks of the grid, such as 4096 or 64x64: how many waves they are")
      ->type_name("N");
  command_
      ->add_option("--carveout", carveout_,
                   "Percent of shared memory that the kernel prefers, as with "
                   "cudaFuncAttributePreferredSharedMemoryCarveout")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 100));
  command_->add_option("--kernel", kernel_, "Only kernels whose names have this in them")->type_name("TEXT");
  command_->add_flag("--curve", curves_, "Also with a file: occupancy by block size, registers and shared memory");
  command_->add_flag("--json", json_, "Write it as JSON");
  command_->add_option("--ptxas", compile_.ptxas, "The ptxas to make machine code with")->type_name("PATH");
  command_->add_option("--compiler", compiler_, "For .cu files: auto, nvcc or clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
  command_->add_option("--nvcc", compile_.compiler_path, "The nvcc, or clang++, to compile with")->type_name("PATH");
  command_->add_option("--cc-flag", compile_.compiler_flags, "One more flag for the compiler; may be repeated")
      ->type_name("FLAG")
      ->allow_extra_args(false)
      ->take_all();
}

Status OccupancyCommand::take_gpu(Question& question) {
  if (auto gpu = model::find_gpu(gpu_)) {
    question.sm = *gpu;
    question.gpu = std::move(*gpu);
    return Ok{};
  } else if (auto sm = model::find_sm_by_name(gpu_)) {
    question.sm = std::move(*sm);
    return Ok{};
  } else {
    return Error{gpu.error().what, gpu.error().hint + "; or a compute capability, such as 8.6 or sm_86"};
  }
}

Status OccupancyCommand::take_figures(Question& question) {
  const model::SmSpec& sm = question.sm;
  for (const std::string& text : blocks_) {
    const auto threads = product(text);
    if (!threads) return wrong("--block", text, "threads, such as 256, 16x16 or 8x8x4; several with commas between");
    if (*threads == 0 || *threads > model::kMaxThreadsPerBlock)
      return Error{fmt::format("a block of {} threads", *threads),
                   fmt::format("1 to {} are possible, on every GPU", model::kMaxThreadsPerBlock)};
    question.blocks.push_back(static_cast<uint32_t>(*threads));
  }
  if (registers_ && (*registers_ == 0 || *registers_ > sm.max_registers_per_thread))
    return Error{fmt::format("{} registers of a thread", *registers_),
                 fmt::format("1 to {} are possible: a compiler keeps what is more in local memory",
                             sm.max_registers_per_thread)};
  if (!shared_.empty()) {
    const auto n = bytes(shared_);
    if (!n) return wrong("--smem", shared_, "bytes, such as 16384 or 16K");
    if (*n > sm.shared_bytes_per_block_optin)
      return Error{fmt::format("{} bytes of shared memory; with compute capability {}.{} a block can have {}", *n,
                               sm.compute_major, sm.compute_minor, sm.shared_bytes_per_block_optin),
                   sm.shared_bytes_per_block_optin == sm.shared_bytes_per_block
                       ? "split the data over more blocks"
                       : fmt::format("{} without, and up to {} with cudaFuncSetAttribute(kernel, "
                                     "cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES)",
                                     sm.shared_bytes_per_block, sm.shared_bytes_per_block_optin)};
    question.dynamic_shared_bytes = *n;
  }
  if (!grid_.empty()) {
    question.grid = product(grid_);
    if (!question.grid || *question.grid == 0) return wrong("--grid", grid_, "blocks, such as 4096 or 64x64");
    if (!question.gpu)
      return Error{"--grid needs a GPU model: a compute capability says nothing of the number of SMs",
                   "'warplens gpus' lists the models"};
  }
  question.carveout_percent = carveout_;
  return Ok{};
}

int OccupancyCommand::ask_file(Question& question) {
  run::Refusal refusal = run::Refusal::None;
  auto input = run::find_input(file_, environment_, refusal);
  std::filesystem::path path = file_;
  const bool is_source = input && input->kind == run::Input::Kind::Source;
  // What cannot be executed, such as a .cubin, is no input of a run.
  if (!input && refusal == run::Refusal::NotFound)
    return complain({"no such file: '" + file_ + "'", "check the name and the folder"}, run::kExitNotFound);
  const std::string temporary_dir = environment_.get("TMPDIR");
  auto temporary = run::TemporaryFolder::make(temporary_dir.empty() ? "/tmp" : temporary_dir);
  if (!temporary) return complain(temporary.error(), run::kExitOwnError);
  compile_.sm = static_cast<int>(question.sm.compute_major * 10 + question.sm.compute_minor);
  compile_.cache_dir = cache_folder(environment_);
  if (compiler_ != "auto")
    compile_.compiler = compiler_ == "nvcc" ? frontend::Compiler::Nvcc : frontend::Compiler::Clang;
  if (is_source) {
    auto install = run::find_install();
    if (!install) return complain(install.error(), run::kExitOwnError);
    auto made = run::compile_source(compile_, input->path, *install, temporary->path(), environment_, false);
    if (!made) return complain(made.error(), run::kExitOwnError);
    write_stderr(made->messages);
    if (made->exit_code != 0) return made->exit_code;
    path = made->program;
  } else if (input) {
    path = input->path;
  }
  occupancy::CodeOptions options;
  options.sm = static_cast<uint32_t>(compile_.sm);
  options.ptxas = compile_.ptxas;
  if (!compile_.cache_dir.empty()) options.cache_dir = compile_.cache_dir / "code";
  auto list = occupancy::kernels_of(path, options, environment_);
  if (!list) return complain(list.error(), run::kExitCannotRun);
  question.input = file_;
  question.code = list->code;
  for (occupancy::Kernel& kernel : list->kernels) {
    if (kernel.demangled.find(kernel_) == std::string::npos && kernel.name.find(kernel_) == std::string::npos) continue;
    if (registers_) kernel.registers = *registers_;
    question.kernels.push_back(std::move(kernel));
  }
  if (question.kernels.empty())
    return complain(
        {fmt::format("no kernel of '{}' has '{}' in its name", file_, kernel_), "without --kernel all are listed"},
        run::kExitOwnError);
  question.curves = curves_;
  return answer(question);
}

int OccupancyCommand::answer(const Question& question) const {
  const std::string text =
      json_ ? occupancy::render_json(question, WARPLENS_VERSION) : occupancy::render_text(question);
  std::fputs(text.c_str(), stdout);
  return 0;
}

int OccupancyCommand::execute() {
  Question question;
  if (Status taken = take_gpu(question); !taken) return complain(taken.error(), run::kExitOwnError);
  if (Status taken = take_figures(question); !taken) return complain(taken.error(), run::kExitOwnError);
  if (!file_.empty()) return ask_file(question);
  if (question.blocks.empty())
    return complain({"neither a file nor --block",
                     "warplens occupancy app.cu, or warplens occupancy --gpu h200 "
                     "--block 256 --regs 40 --smem 16384"},
                    run::kExitOwnError);
  occupancy::Kernel figures;
  figures.registers = registers_.value_or(0);
  question.kernels.push_back(figures);
  question.curves = true;
  return answer(question);
}

GpusCommand::GpusCommand(CLI::App& app) {
  command_ = app.add_subcommand("gpus", "List the GPU models that --gpu takes, with what is known of them");
  command_->add_flag("--json", json_, "Write them as JSON");
}

int GpusCommand::execute() const {
  const std::string text = json_ ? occupancy::render_gpus_json(WARPLENS_VERSION) : occupancy::render_gpus_text();
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace warplens::cli
