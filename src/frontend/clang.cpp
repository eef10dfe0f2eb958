// CUDA without NVIDIA's toolkit, by clang alone: device code to PTX, PTX into a fat binary of our own making, host code
// around it, linked with our CUDA runtime. clang would otherwise call ptxas and fatbinary, which nobody needs here.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/process.h"
#include "frontend/compilers.h"
#include "frontend/wide_copies.h"
#include "ptx/fatbin.h"

namespace warplens::frontend {
namespace {
namespace fs = std::filesystem;

// nvcc's spelling of the user's flags in clang's words. `host` and `device`: flags of one of the two passes only.
struct Flags {
  std::vector<std::string> common, host, link;
  std::string optimise = "-O3", standard = "-std=c++17";
  int sm = 0;
};

bool take_value(const std::string& flag, std::initializer_list<const char*> names, const std::vector<std::string>& all,
                size_t& index, std::string& value) {
  for (const char* name : names) {
    if (flag == name && index + 1 < all.size()) return value = all[++index], true;
    if (flag.rfind(std::string(name) + "=", 0) == 0) return value = flag.substr(flag.find('=') + 1), true;
  }
  return false;
}

void add_split(std::vector<std::string>& out, const std::string& commas) {
  std::istringstream stream(commas);
  for (std::string word; std::getline(stream, word, ',');) out.push_back(word);
}

int sm_of(const std::string& architecture) {
  size_t digits = architecture.find_first_of("0123456789");
  return digits == architecture.npos ? 0 : std::atoi(architecture.c_str() + digits);
}

bool is_nvcc_only(const std::string& flag) {  // clang does it anyway, or it says nothing to clang
  for (const char* name : {"-lineinfo", "--generate-line-info", "--expt-relaxed-constexpr", "-expt-relaxed-constexpr",
                           "--expt-extended-lambda", "-expt-extended-lambda", "--extended-lambda", "-extended-lambda"})
    if (flag == name) return true;
  return false;
}

Flags translate(const std::vector<std::string>& all) {
  Flags flags;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& flag = all[i];
    std::string value;
    if (is_nvcc_only(flag)) continue;
    if (take_value(flag, {"-arch", "--gpu-architecture"}, all, i, value))
      flags.sm = sm_of(value);
    else if (take_value(flag, {"-gencode", "--generate-code"}, all, i, value))
      flags.sm = std::max(flags.sm, sm_of(value));
    else if (take_value(flag, {"-cudart", "--cudart"}, all, i, value))
      continue;
    else if (take_value(flag, {"-Xcompiler", "--compiler-options"}, all, i, value))
      add_split(flags.host, value);
    else if (take_value(flag, {"-Xlinker", "--linker-options"}, all, i, value))
      flags.link.push_back("-Wl," + value);
    else if (take_value(flag, {"-std", "--std"}, all, i, value))
      flags.standard = "-std=" + value;
    else if (flag == "-use_fast_math" || flag == "--use_fast_math")
      flags.common.push_back("-ffast-math");
    else if (flag.rfind("-l", 0) == 0 || flag.rfind("-L", 0) == 0 || flag.rfind("-Wl,", 0) == 0)
      flags.link.push_back(flag);
    else if (flag.rfind("-O", 0) == 0)
      flags.optimise = flag;
    else
      flags.common.push_back(flag);
  }
  return flags;
}

// The passes of one compilation. Each appends what the compiler said; false: it failed.
class ClangRun {
 public:
  ClangRun(const CompileRequest& request, const std::string& clang, const Environment& environment)
      : request_(request), clang_(clang), environment_(environment), flags_(translate(request.flags)) {}

  Result<CompileOutcome> run() {
    fs::path ir = beside(".ll"), ptx = beside(".ptx"), fatbin = beside(".fatbin"), object = beside(".o"),
             device_depfile = beside(".device.d"), host_depfile = beside(".host.d");
    Status done = pass(device_pass(ir, device_depfile));
    if (ok(done)) done = rewrite(ir, ir, [](std::string text) -> Result<std::string> { return widen_copies(text); });
    if (ok(done)) done = pass(code_pass(ir, ptx));
    if (ok(done)) done = rewrite(ptx, fatbin, &ClangRun::fat_binary);
    if (ok(done)) done = pass(host_pass(fatbin, object, host_depfile));
    if (ok(done)) done = pass(link_pass(object));
    for (const fs::path& file : {device_depfile, host_depfile}) {
      std::vector<std::string> read = read_depfile(file);
      outcome_.dependencies.insert(outcome_.dependencies.end(), read.begin(), read.end());
    }
    std::error_code ignored;
    for (const fs::path& file : {ir, fatbin, object, device_depfile, host_depfile}) fs::remove(file, ignored);
    if (!done) return done.error();
    return outcome_;
  }

 private:
  using Command = std::vector<std::string>;

  fs::path beside(const char* extension) const { return request_.program.string() + extension; }
  bool ok(const Status& done) const { return done && outcome_.exit_code == 0; }
  std::string sm() const { return "sm_" + std::to_string(flags_.sm ? flags_.sm : request_.sm); }

  Command cuda_command() const {
    Command command{clang_, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=" + sm(),
                    // Without a toolkit clang assumes the oldest PTX version and the oldest launch interface.
                    "-Xclang", "-target-sdk-version=12.5", "-Wno-unknown-cuda-version",
                    "-I" + request_.include_dir.string(), "-include", "cuda_runtime.h", flags_.standard,
                    flags_.optimise};
    if (request_.color) command.push_back("-fdiagnostics-color=always");
    command.insert(command.end(), flags_.common.begin(), flags_.common.end());
    return command;
  }

  // nvcc leaves a store in each arm of a branch where it stands; sunk below the branch it would be another access, with
  // all lanes active and no divergence left to see.
  Command device_pass(const fs::path& ir, const fs::path& depfile) const {
    Command command = cuda_command();
    command.insert(command.end(), {"--cuda-feature=+ptx83", "-mllvm", "-sink-common-insts=false",
                                   "-gline-directives-only", "--cuda-device-only", "-emit-llvm", "-S", "-MD", "-MF",
                                   depfile.string(), request_.source.string(), "-o", ir.string()});
    return command;
  }
  // The back end alone; the rest is as above, and it may fuse a multiplication and an addition as CUDA does by default.
  Command code_pass(const fs::path& ir, const fs::path& ptx) const {
    return {clang_,
            "-x",
            "ir",
            "--target=nvptx64-nvidia-cuda",
            "-march=" + sm(),
            "--cuda-feature=+ptx83",
            flags_.optimise,
            "-Xclang",
            "-disable-llvm-passes",
            "-ffp-contract=fast",
            "-Wno-unknown-cuda-version",
            "-S",
            ir.string(),
            "-o",
            ptx.string()};
  }
  Command host_pass(const fs::path& fatbin, const fs::path& object, const fs::path& depfile) const {
    Command command = cuda_command();
    command.insert(command.end(), flags_.host.begin(), flags_.host.end());
    command.insert(command.end(),
                   {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin.string(), "-MD", "-MF",
                    depfile.string(), "-c", request_.source.string(), "-o", object.string()});
    return command;
  }
  // What our library needs itself is not the concern of this link.
  Command link_pass(const fs::path& object) const {
    Command command{clang_, object.string(), "-o", request_.program.string()};
    command.insert(command.end(), flags_.link.begin(), flags_.link.end());
    command.insert(command.end(), {"-L" + request_.library_dir.string(), "-Wl,--allow-shlib-undefined",
                                   "-l:libcudart.so.13", "-lpthread"});
    return command;
  }

  // The host pass sees the same source and says much of the same again; a text that was there already is left out.
  Status pass(const Command& command) {
    Result<ProcessOutput> run = run_process(command, environment_);
    if (!run) return run.error();
    outcome_.exit_code = run->exit_code;
    if (outcome_.messages.find(run->errors) == std::string::npos) outcome_.messages += run->errors;
    return Ok{};
  }

  // Reads one file and writes what `change` makes of it to another.
  static Status rewrite(const fs::path& from, const fs::path& to, Result<std::string> (*change)(std::string)) {
    std::ifstream in(from, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    Result<std::string> changed = change(text.str());
    if (!changed) return changed.error();
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    out << *changed;
    out.close();
    if (!in || !out) return Error{"cannot write '" + to.string() + "'", "is the disk full?"};
    return Ok{};
  }
  static Result<std::string> fat_binary(std::string ptx) {
    Result<ptx::ImageSource> image = ptx::ptx_image(std::move(ptx));
    if (!image) return image.error();
    return ptx::write_fatbin({&*image, 1});
  }

  const CompileRequest& request_;
  std::string clang_;
  const Environment& environment_;
  Flags flags_;
  CompileOutcome outcome_;
};

}  // namespace

Result<CompileOutcome> compile_with_clang(const CompileRequest& request, const std::string& clang,
                                          const Environment& environment) {
  return ClangRun(request, clang, environment).run();
}

}  // namespace warplens::frontend
