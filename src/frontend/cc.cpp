#include "frontend/cc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/process.h"
#include "frontend/compile.h"
#include "frontend/device_link.h"

namespace warplens::frontend {
namespace {
namespace fs = std::filesystem;

// What build systems ask of an nvcc; CMake looks for the words after "place of". The release is the one whose interface
// our headers and runtime have.
constexpr const char* kVersion =
    "warplens cc, over clang, in the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
    "Cuda compilation tools, release 13.0, V13.0.0\n";

constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

std::string architectures(const char* prefix) {
  std::string text;
  for (int sm : kArchitectures) text += fmt::format("{}{}\n", prefix, sm);
  return text;
}

// One command: its inputs compiled one by one, and what became of them linked.
class Driver {
 public:
  Driver(NvccOptions options, const ClangSetup& setup, fs::path scratch, CcOutcome& outcome,
         const Environment& environment)
      : options_(std::move(options)),
        setup_(setup),
        scratch_(std::move(scratch)),
        outcome_(outcome),
        environment_(environment),
        passes_(setup, options_, environment) {}

  Status run() {
    if (options_.verbose || options_.dry_run) outcome_.messages += surroundings();
    Status done = make();
    outcome_.messages += passes_.messages;
    outcome_.output += passes_.output;
    if (!outcome_.exit_code) outcome_.exit_code = passes_.exit_code;
    return done;
  }

 private:
  // The lines by which CMake finds what belongs to an nvcc: LIBRARIES as the link line has it, and for which
  // architecture device code is compiled where nothing is said.
  std::string surroundings() const {
    return fmt::format("#$ _SPACE_= \n#$ TOP={}\n#$ INCLUDES={}  \n#$ LIBRARIES=  {}\n#$ cicc -arch compute_{}\n",
                       setup_.toolkit_dir.string(), shell_quoted({"-I" + setup_.include_dir.string()}),
                       shell_quoted({"-L" + setup_.library_dir.string()}), setup_.sm);
  }

  Status make() {
    const bool one_output =
        options_.stage != Stage::Link && options_.stage != Stage::Archive && options_.stage != Stage::DeviceLink;
    size_t sources = 0;
    for (const auto& input : options_.inputs) sources += input.language != Language::Object;
    if (options_.inputs.empty()) return Error{"no input files", "name a .cu file; 'warplens cc --help' says more"};
    if (one_output && sources > 1 && !options_.output.empty() && options_.stage != Stage::Preprocess &&
        options_.stage != Stage::Dependencies)
      return Error{"-o names one file, and there is more than one to make", "leave -o away, or compile one at a time"};
    for (const auto& input : options_.inputs) {
      if (!fs::exists(input.path) && !options_.dry_run)
        return Error{"no such file: '" + input.path.string() + "'", "check the name and the folder"};
      if (input.language == Language::Object) continue;
      if (Status done = source(input); !done) return done;
      if (!passes_.good()) return Ok{};
    }
    switch (options_.stage) {
      case Stage::Link:
        return link(options_.output.empty() ? "a.out" : options_.output);
      case Stage::DeviceLink:
        return device_link(options_.output.empty() ? "a_dlink.o" : options_.output);
      case Stage::Archive:
        return archive(options_.output.empty() ? "a.a" : options_.output);
      default:
        return Ok{};
    }
  }

  // Where nvcc puts what it makes of a file: in the working folder, with another extension.
  std::string output_of(const fs::path& source, const char* extension) const {
    if (!options_.output.empty()) return options_.output;
    fs::path name = source.filename().replace_extension(extension);
    return options_.output_folder.empty() ? name.string() : (fs::path(options_.output_folder) / name).string();
  }

  // Unlike for each input, also for two of the same name in two folders.
  std::string scratch(const fs::path& source) {
    return (scratch_ / fmt::format("{}-{}", n_++, source.stem().string()));
  }

  Status source(const NvccOptions::Input& input) {
    const bool cuda = input.language == Language::Cuda;
    switch (options_.stage) {
      case Stage::Preprocess:
      case Stage::Dependencies:
        return passes_.preprocess(input, options_.output);
      case Stage::Object: {
        std::string object = output_of(input.path, ".o");
        return cuda ? cuda_object(input.path, object) : passes_.host_object(input, object);
      }
      case Stage::Ptx:
      case Stage::Fatbin:
        return cuda ? device_code(input.path) : Ok{};
      default: {
        std::string object = scratch(input.path) + ".o";
        objects_.push_back(object);
        return cuda ? cuda_object(input.path, object) : passes_.host_object(input, object);
      }
    }
  }

  Status device_code(const fs::path& source) {
    const std::string made = scratch(source);
    if (options_.stage == Stage::Ptx) return passes_.ptx(source, output_of(source, ".ptx"), made);
    Status done = passes_.ptx(source, made + ".ptx", made);
    if (!done || !passes_.good()) return done;
    return passes_.fat_binary(made + ".ptx", output_of(source, ".fatbin"));
  }

  // With -MD alone, and as depfiles name it, the target is the object and the depfile stands beside it.
  std::vector<std::string> dependency_flags(const std::string& object) const {
    std::vector<std::string> flags = options_.dependencies;
    if (flags.empty()) return flags;
    bool named = false;
    for (const std::string& flag : flags) named = named || flag == "-MF";
    if (!named) flags.insert(flags.end(), {"-MF", fs::path(object).replace_extension(".d").string()});
    return flags;
  }

  Status cuda_object(const fs::path& source, const std::string& object) {
    const std::string made = scratch(source);
    Status done = passes_.ptx(source, made + ".ptx", made);
    if (done && passes_.good()) done = passes_.fat_binary(made + ".ptx", made + ".fatbin");
    if (done && passes_.good()) done = passes_.cuda_object(source, made + ".fatbin", object, dependency_flags(object));
    return done;
  }

  // Adds the object that registers relocatable device code, where there is such.
  Status add_registrations(std::vector<std::string>& words, const std::string& object) {
    if (options_.dry_run) return Ok{};
    Result<std::vector<std::string>> missing = missing_registrations(words, environment_);
    if (!missing) return missing.error();
    if (missing->empty() && options_.stage != Stage::DeviceLink) return Ok{};
    fs::path source = scratch_ / "registrations.c";
    std::ofstream file(source);
    if (!missing->empty()) file << registration_source(*missing);
    file.close();
    if (!file) return Error{"cannot write '" + source.string() + "'", "is the disk full?"};
    words.insert(words.begin(), object);  // before the archives, which it asks for objects
    return passes_.compile_c(source, object);
  }

  std::vector<std::string> link_words() const {
    std::vector<std::string> words = objects_;
    words.insert(words.end(), options_.link.begin(), options_.link.end());
    return words;
  }

  Status link(const std::string& program) {
    std::vector<std::string> words = link_words();
    Status done = add_registrations(words, (scratch_ / "registrations.o").string());
    if (!done || !passes_.good()) return done;
    done = passes_.link(words, program);
    if (!done || !passes_.good() || !options_.run || options_.dry_run) return done;
    Result<ProcessOutput> run = run_process({fs::absolute(program).string()}, environment_);
    if (!run) return run.error();
    outcome_.exit_code = run->exit_code, outcome_.output += run->output, outcome_.messages += run->errors;
    return Ok{};
  }

  Status device_link(const std::string& object) {
    std::vector<std::string> words = link_words();
    return add_registrations(words, object);
  }

  Status archive(const std::string& output) {
    std::vector<std::string> command{environment_.find_program("ar"), "rcs", output};
    if (command[0].empty()) return Error{"no program 'ar', which makes libraries", "apt install binutils"};
    for (const std::string& word : link_words()) command.push_back(word);
    if (options_.dry_run) return Ok{};
    Result<ProcessOutput> run = run_process(command, environment_);
    if (!run) return run.error();
    outcome_.exit_code = run->exit_code, outcome_.messages += run->errors;
    return Ok{};
  }

  NvccOptions options_;
  const ClangSetup& setup_;
  fs::path scratch_;
  CcOutcome& outcome_;
  const Environment& environment_;
  ClangPasses passes_;
  std::vector<std::string> objects_;  // made here, for the linker
  int n_ = 0;
};

}  // namespace

Status cc(const std::vector<std::string>& arguments, ClangSetup setup, const std::string& temporary_dir,
          const Environment& environment, CcOutcome& outcome) {
  Result<NvccOptions> options = parse_nvcc_options(arguments);
  if (!options) return options.error();
  if (options->version) outcome.output = kVersion;
  if (options->list_architectures) outcome.output = architectures("compute_");
  if (options->list_codes) outcome.output = architectures("sm_");
  if (!outcome.output.empty()) return Ok{};
  if (setup.clang.empty()) {
    Result<Toolchain> clang = find_toolchain(Compiler::Clang, "", environment);
    if (!clang) return clang.error();
    setup.clang = clang->path;
  }
  std::string scratch = temporary_dir + "/warplens-cc-XXXXXX";
  if (!mkdtemp(scratch.data()))
    return Error{fmt::format("cannot make a folder in '{}': {}", temporary_dir, std::strerror(errno)), "set TMPDIR"};
  Status done = Driver(std::move(*options), setup, scratch, outcome, environment).run();
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  return done;
}

}  // namespace warplens::frontend
