#include "frontend/clang.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/process.h"
#include "frontend/compilers.h"
#include "frontend/inline_stacks.h"
#include "frontend/managed_variables.h"
#include "frontend/static_variables.h"
#include "frontend/wide_copies.h"
#include "ptx/fatbin.h"
#include "ptx/line_info.h"
#include "ptx/parse.h"

namespace warplens::frontend {
namespace {
namespace fs = std::filesystem;

constexpr int kNewestSm = 90, kOldestSm = 50;  // of those that clang-19 and PTX 8.3 have, and that CUDA 12 still had

void append(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

// Reads one file and writes what `change` makes of it to another.
Status rewrite(const fs::path& from, const fs::path& to,
               const std::function<Result<std::string>(std::string)>& change) {
  auto text = read_file(from);
  if (!text) return Error{"cannot read '" + from.string() + "'", ""};
  Result<std::string> changed = change(std::move(*text));
  if (!changed) return changed.error();
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out << *changed;
  out.close();
  if (!out) return Error{"cannot write '" + to.string() + "'", "is the disk full?"};
  return Ok{};
}

}  // namespace

std::string ClangPasses::sm() const {
  return "sm_" + std::to_string(std::clamp(options_.sm ? options_.sm : setup_.sm, kOldestSm, kNewestSm));
}

ClangPasses::Command ClangPasses::cuda_command() const {
  Command command{setup_.clang, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=" + sm(),
                  // Without a toolkit clang assumes the oldest PTX version and the oldest launch interface.
                  "-Xclang", "-target-sdk-version=12.5", "-Wno-unknown-cuda-version",
                  // f(...) is how templates ask for what a type can do, in device code too.
                  "-Xclang", "-fcuda-allow-variadic-functions", "-I" + setup_.include_dir.string(), "-include",
                  "cuda_runtime.h", options_.standard};
  if (options_.relocatable) append(command, {"-fgpu-rdc", "-fuse-cuid=none", "-D__CUDACC_RDC__=1"});
  if (setup_.color) command.push_back("-fdiagnostics-color=always");
  append(command, options_.common);
  return command;
}

// nvcc leaves a store in each arm of a branch where it stands; sunk below the branch it would be another access, with
// all lanes active and no divergence left to see. The back end runs alone; it may fuse a multiplication and an
// addition, as CUDA does by default.
Status ClangPasses::ptx(const fs::path& source, const fs::path& ptx, const std::string& scratch) {
  const std::string ir = scratch + ".ll", depfile = scratch + ".device.d";
  Command front = cuda_command();
  append(front, options_.device);
  append(front, {options_.device_optimise, "--cuda-feature=+ptx83", "-mllvm", "-sink-common-insts=false",
                 "-gline-directives-only", "--cuda-device-only", "-emit-llvm", "-S", "-MD", "-MF", depfile,
                 source.string(), "-o", ir});
  Command back{setup_.clang,
               "-x",
               "ir",
               "--target=nvptx64-nvidia-cuda",
               "-march=" + sm(),
               "--cuda-feature=+ptx83",
               options_.device_optimise,
               "-Xclang",
               "-disable-llvm-passes",
               "-ffp-contract=fast",
               "-Wno-unknown-cuda-version"};
  append(back, options_.device_code);
  append(back, {"-S", ir, "-o", ptx.string()});

  Status done = run(front);
  if (done && good()) {
    append(dependencies, read_depfile(depfile));
    InlineStacks stacks;
    done = rewrite(ir, ir, [&](std::string text) -> Result<std::string> {
      return stacks.number_lines(widen_copies(mark_managed(join_static_variables(std::move(text)))));
    });
    if (done) done = run(back);
    if (done && good())
      done = rewrite(ptx, ptx, [&](std::string text) -> Result<std::string> { return stacks.write_chains(text); });
  }
  std::error_code ignored;
  for (const std::string& file : {ir, depfile}) fs::remove(file, ignored);
  return done;
}

namespace {

std::vector<std::string> undefined_functions(const std::string& text) {
  const ptx::Module module = ptx::parse(text, "").module;
  std::set<std::string> declared, defined;
  for (const ptx::Function& function : module.functions) {
    if (!function.declaration_only)
      defined.insert(function.name);
    else if (function.name.rfind("_Z", 0) == 0)  // what C++ names; the others are CUDA's own, and known when it runs
      declared.insert(function.name);
  }
  std::vector<std::string> missing;
  for (const std::string& name : declared)
    if (!defined.count(name)) missing.push_back(ptx::demangle(name));
  return missing;
}

// What to do about a header of NVIDIA's that is none of ours, or a library of clang's that is not installed; or "".
std::string hint_of(const std::string& errors) {
  const auto has = [&](const char* text) { return errors.find(text) != errors.npos; };
  if (has("cannot find -lomp") || has("unable to find library -lomp") || has("'omp.h' file not found"))
    return "hint: clang's OpenMP is a package of its own: apt install libomp-19-dev\n";
  const size_t end = errors.find("' file not found");
  if (end == errors.npos || end == 0) return "";
  const size_t start = errors.rfind('\'', end - 1) + 1;
  const std::string header = errors.substr(start, end - start);
  const auto is_of = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return header.starts_with(name); });
  };
  if (is_of({"thrust/", "cub/", "cuda/", "nv/target"}))
    return fmt::format(
        "hint: '{}' is of NVIDIA's CCCL, which is on PyPI: pip download --no-deps nvidia-cuda-cccl && unzip "
        "nvidia_cuda_cccl-*.whl, then add -I$PWD/nvidia/cu13/include/cccl (to warplens run: --cc-flag=-I...)\n",
        header);
  if (is_of({"cufft", "curand.h", "cusparse", "cusolver", "cudnn", "nccl", "npp", "nvjpeg", "nvrtc", "nvml"}))
    return fmt::format(
        "hint: '{}' is of a library of NVIDIA's: add -I with the folder of its headers, from a toolkit or from its "
        "package on PyPI\n",
        header);
  return "";
}

}  // namespace

Status ClangPasses::fat_binary(const fs::path& ptx, const fs::path& fatbin) {
  if (options_.dry_run) return Ok{};
  std::string text;
  Status done = rewrite(ptx, fatbin, [&](std::string made) -> Result<std::string> {
    text = made;
    Result<ptx::ImageSource> image = ptx::ptx_image(std::move(made));
    if (!image) return image.error();
    return ptx::write_fatbin({&*image, 1});
  });
  if (!done || options_.relocatable) return done;
  for (const std::string& name : undefined_functions(text)) {
    messages +=
        "error: device code calls " + name + ", which this file does not define; -rdc=true links across files\n";
    exit_code = 1;
  }
  return done;
}

Status ClangPasses::cuda_object(const fs::path& source, const fs::path& fatbin, const fs::path& object,
                                const std::vector<std::string>& dependency) {
  Command command = cuda_command();
  command.push_back(options_.host_optimise);
  append(command, options_.host);
  append(command, {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin.string()});
  append(command, dependency);
  append(command, {"-c", source.string(), "-o", object.string()});
  return run(command);
}

namespace {

bool is_cxx(const NvccOptions::Input& input) {
  if (!input.host_language.empty()) return input.host_language == "c++";
  return input.path.extension() != ".c" && input.path.extension() != ".i";
}

}  // namespace

// Host files see our headers too, as nvcc's do its own.
Status ClangPasses::host_object(const NvccOptions::Input& input, const fs::path& object) {
  Command command{setup_.clang, "-x", is_cxx(input) ? "c++" : "c", "-I" + setup_.include_dir.string(),
                  options_.host_optimise};
  if (is_cxx(input)) command.push_back(options_.standard);
  if (setup_.color) command.push_back("-fdiagnostics-color=always");
  append(command, options_.common);
  append(command, options_.host);
  append(command, options_.dependencies);
  append(command, {"-c", input.path.string(), "-o", object.string()});
  return run(command);
}

Status ClangPasses::preprocess(const NvccOptions::Input& input, const fs::path& output_file) {
  Command command = cuda_command();
  if (input.language == Language::Cuda)
    command.push_back("--cuda-host-only");
  else
    command = {setup_.clang, "-x", is_cxx(input) ? "c++" : "c", "-I" + setup_.include_dir.string()},
    append(command, options_.common);
  append(command, options_.host);
  append(command, options_.dependencies);
  append(command, {"-E", input.path.string()});
  if (!output_file.empty()) append(command, {"-o", output_file.string()});
  return run(command);
}

// What our library needs itself is not the concern of this link.
Status ClangPasses::link(const std::vector<std::string>& words, const fs::path& program) {
  Command command{setup_.clang, "-o", program.string()};
  if (options_.shared) command.push_back("-shared");
  append(command, words);
  append(command, {"-L" + setup_.library_dir.string(), "-Wl,--allow-shlib-undefined"});
  if (options_.cudart != "none") command.push_back("-lcudart");
  append(command, {"-lpthread", "-ldl", "-lrt"});
  return run(command);
}

Status ClangPasses::compile_c(const fs::path& source, const fs::path& object) {
  return run({setup_.clang, "-x", "c", "-O2", "-fPIC", "-c", source.string(), "-o", object.string()});
}

// The host pass sees the same source and says much of the same again; a text that was there already is left out.
Status ClangPasses::run(const Command& command) {
  if (options_.verbose || options_.dry_run) messages += "#$ " + shell_quoted(command) + "\n";
  if (options_.dry_run) return Ok{};
  Result<ProcessOutput> ran = run_process(command, environment_);
  if (!ran) return ran.error();
  exit_code = ran->exit_code;
  output += ran->output;
  if (messages.find(ran->errors) == std::string::npos) messages += ran->errors + hint_of(ran->errors);
  return Ok{};
}

// ---- `warplens run x.cu`

Result<CompileOutcome> compile_with_clang(const CompileRequest& request, const std::string& clang,
                                          const Environment& environment) {
  Result<NvccOptions> options = parse_nvcc_options(request.flags);
  if (!options) return options.error();
  const std::string program = request.program.string();
  const fs::path ptx = program + ".ptx", fatbin = program + ".fatbin", object = program + ".o",
                 depfile = program + ".host.d";
  ClangSetup setup{clang, request.include_dir, request.library_dir, {}, request.sm, request.color};
  ClangPasses passes(std::move(setup), *options, environment);
  Status done = passes.ptx(request.source, ptx, program);
  if (done && passes.good()) done = passes.fat_binary(ptx, fatbin);
  if (done && passes.good())
    done = passes.cuda_object(request.source, fatbin, object, {"-MD", "-MF", depfile.string()});
  std::vector<std::string> words{object.string()};
  append(words, options->link);
  std::error_code ignored;
  if (done && passes.good()) {
    if (request.link)
      done = passes.link(words, request.program);
    else
      fs::rename(object, request.program, ignored);
  }
  CompileOutcome outcome;
  outcome.exit_code = passes.exit_code;
  outcome.messages = passes.messages;
  outcome.dependencies = passes.dependencies;
  append(outcome.dependencies, read_depfile(depfile));
  for (const fs::path& file : {fatbin, object, depfile}) fs::remove(file, ignored);
  if (!done) return done.error();
  return outcome;
}

}  // namespace warplens::frontend
