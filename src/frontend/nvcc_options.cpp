#include "frontend/nvcc_options.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <unordered_map>

namespace warplens::frontend {
namespace {
namespace fs = std::filesystem;

enum class ValueKind : uint8_t { None, Value, Joined, Boolean };

enum class Action : uint8_t {
  Ignore,
  MakePtx,
  MakeFatbin,
  MakePreprocessed,
  MakeDependencies,
  MakeObject,
  MakeRelocatable,
  MakeWhole,
  MakeDeviceLink,
  MakeArchive,
  Run,
  Shared,
  Output,
  OutputFolder,
  NoMachineCode,
  Dependency,
  Define,
  Undefine,
  Include,
  SystemInclude,
  PreInclude,
  LibraryPath,
  Library,
  Cudart,
  InputLanguage,
  Standard,
  Optimise,
  HostDebug,
  DeviceDebug,
  Architecture,
  Relocatable,
  FastMath,
  FlushDenormals,
  PreciseDivision,
  PreciseRoot,
  FuseMultiplyAdd,
  DefaultStream,
  RelaxedConstexpr,
  ExtendedLambda,
  NoExceptions,
  HostFlag,
  HostValue,
  HostOptions,
  LinkerOptions,
  NoWarnings,
  WarningsAreErrors,
  Verbose,
  DryRun,
  Version,
  Help,
  ListArchitectures,
  ListCodes,
  OptionsFile
};

struct Option {
  const char* name;
  const char* short_name;
  ValueKind value;
  Action action;
};

constexpr Option kOptions[] = {
#define WL_OPTION(name, short_name, value, action) {name, short_name, ValueKind::value, Action::action},
#include "frontend/nvcc_options.def"
#undef WL_OPTION
};

// Both names of an option are taken with one dash and with two, as nvcc does.
const Option* find_option(std::string_view name) {
  static const auto* const table = [] {
    auto* all = new std::unordered_map<std::string_view, const Option*>;
    for (const Option& option : kOptions) {
      all->emplace(option.name, &option);
      if (*option.short_name) all->emplace(option.short_name, &option);
    }
    return all;
  }();
  auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

int sm_of(std::string_view architecture) {  // "sm_90a", "arch=compute_80,code=sm_80", "all-major", "native"
  size_t digits = architecture.find_first_of("0123456789");
  return digits == architecture.npos ? 0 : std::atoi(std::string(architecture.substr(digits)).c_str());
}

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// An options file holds words as on a command line, with quotes.
std::vector<std::string> words_of_file(std::istream& file) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (char c; file.get(c);) {
    if (quote ? c == quote : (c == '"' || c == '\''))
      quote = quote ? 0 : c, inside = true;
    else if (c == '\\' && file.get(c))
      word += c, inside = true;
    else if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      if (inside) words.push_back(std::move(word));
      word.clear(), inside = false;
    } else
      word += c, inside = true;
  }
  if (inside) words.push_back(word);
  return words;
}

Language language_of(const fs::path& path) {
  std::string extension = path.extension();
  if (extension == ".cu") return Language::Cuda;
  for (const char* host : {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".ii", ".i"})
    if (extension == host) return Language::Host;
  return Language::Object;
}

// The options of one command line, one after the other.
class Parser {
 public:
  Result<NvccOptions> parse(const std::vector<std::string>& arguments) {
    Status done = take_all(arguments, 0);
    if (!done) return done.error();
    if (debug_device_) options_.device_optimise = "-O0";
    return std::move(options_);
  }

 private:
  static constexpr int kMaxDepth = 10;  // of options files that name each other

  Status take_all(const std::vector<std::string>& words, int depth) {
    if (depth > kMaxDepth) return Error{"options files include each other without an end", ""};
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() > 1 && word[0] == '@') {
        if (Status done = take_file(word.substr(1), depth); !done) return done;
      } else if (word.size() < 2 || word[0] != '-') {
        take_input(word);
      } else if (Status done = take_option(words, i, depth); !done) {
        return done;
      }
    }
    return Ok{};
  }

  Status take_file(const std::string& path, int depth) {
    std::ifstream file(path);
    if (!file) return Error{"cannot read the options file '" + path + "'", ""};
    return take_all(words_of_file(file), depth + 1);
  }

  void take_input(const std::string& word) {
    Language language = language_.value_or(language_of(word));
    options_.inputs.push_back({word, language, language == Language::Host ? host_language_ : ""});
    if (language == Language::Object) options_.link.push_back(word);
  }

  // -name, --name, -name=value, --name=value, and -Xvalue for an X of one letter.
  Status take_option(const std::vector<std::string>& words, size_t& index, int depth) {
    const std::string& word = words[index];
    std::string_view body = std::string_view(word).substr(word[1] == '-' ? 2 : 1);
    size_t equals = body.find('=');
    std::string value;
    const Option* option = find_option(body);
    bool has_value = false;
    if (!option && equals != body.npos && (option = find_option(body.substr(0, equals))) != nullptr)
      value = body.substr(equals + 1), has_value = true;
    if (!option && word[1] != '-') {
      const Option* joined = find_option(body.substr(0, 1));
      if (joined && joined->value == ValueKind::Joined) option = joined, value = body.substr(1), has_value = true;
    }
    if (!option) return take_unknown(word), Ok{};
    if (has_value && option->value == ValueKind::None) return take_unknown(word), Ok{};
    if (!has_value && option->value != ValueKind::None) {
      if (option->action == Action::Optimise) return act(*option, word, "2", depth);  // -O alone
      bool optional = option->value == ValueKind::Boolean;
      bool next = index + 1 < words.size() && (!optional || words[index + 1] == "true" || words[index + 1] == "false");
      if (!next && !optional) return Error{"option '" + word + "' needs a value", ""};
      value = next ? words[++index] : "true";
    }
    return act(*option, word, value, depth);
  }

  void take_unknown(const std::string& word) {
    if (word.rfind("-Wl,", 0) == 0 || word == "-static-libstdc++" || word == "-static-libgcc" || word == "-rdynamic")
      options_.link.push_back(word);
    else if (word.rfind("-f", 0) == 0 || word.rfind("-m", 0) == 0 || word == "-pthread")
      options_.host.push_back(word);  // -fPIC, -fopenmp, -march=native: of no meaning for device code
    else
      options_.common.push_back(word);
    if (word == "-fopenmp" || word == "-pthread") options_.link.push_back(word);
  }

  void add(std::vector<std::string>& to, std::initializer_list<std::string> words) { to.insert(to.end(), words); }
  void backend(const char* flag) { add(options_.device_code, {"-mllvm", flag}); }

  Status act(const Option& option, const std::string& word, const std::string& value, int depth) {
    NvccOptions& o = options_;
    const bool on = value != "false";
    switch (option.action) {
      case Action::Ignore:
        break;
      case Action::MakePtx:
        o.stage = Stage::Ptx;
        break;
      case Action::MakeFatbin:
        o.stage = Stage::Fatbin;
        break;
      case Action::MakePreprocessed:
        o.stage = Stage::Preprocess;
        break;
      case Action::MakeDependencies:
        o.stage = Stage::Dependencies;
        o.dependencies.push_back(option.short_name[1] ? "-MM" : "-M");
        break;
      case Action::MakeObject:
        o.stage = Stage::Object;
        break;
      case Action::MakeRelocatable:
        o.stage = Stage::Object, o.relocatable = true;
        break;
      case Action::MakeWhole:
        o.stage = Stage::Object, o.relocatable = false;
        break;
      case Action::MakeDeviceLink:
        o.stage = Stage::DeviceLink;
        break;
      case Action::MakeArchive:
        o.stage = Stage::Archive;
        break;
      case Action::Run:
        o.run = true;
        break;
      case Action::Shared:
        o.shared = true;
        break;
      case Action::Output:
        o.output = value;
        break;
      case Action::OutputFolder:
        o.output_folder = value;
        break;
      case Action::NoMachineCode:
        return Error{"'" + word + "' asks for machine code, and Warplens runs PTX", "make PTX: -ptx, or -fatbin"};
      case Action::Dependency:
        o.dependencies.push_back(std::string("-") + (*option.short_name ? option.short_name : option.name));
        if (option.value != ValueKind::None) o.dependencies.push_back(value);
        break;
      case Action::Define:
        add(o.common, {"-D" + value});
        break;
      case Action::Undefine:
        add(o.common, {"-U" + value});
        break;
      case Action::Include:
        for (const std::string& folder : split(value, ",")) o.common.push_back("-I" + folder);
        break;
      case Action::SystemInclude:
        for (const std::string& folder : split(value, ",")) add(o.common, {"-isystem", folder});
        break;
      case Action::PreInclude:
        for (const std::string& file : split(value, ",")) add(o.common, {"-include", file});
        break;
      case Action::LibraryPath:
        for (const std::string& folder : split(value, ",")) o.link.push_back("-L" + folder);
        break;
      case Action::Library:
        for (const std::string& library : split(value, ",")) take_library(library);
        break;
      case Action::Cudart:
        o.cudart = value == "none" ? "none" : "shared";
        break;
      case Action::InputLanguage:
        return take_language(value);
      case Action::Standard:
        o.standard = "-std=" + value;
        break;
      case Action::Optimise:
        o.host_optimise = "-O" + value;
        break;
      case Action::HostDebug:
        o.host.push_back("-g");
        break;
      case Action::DeviceDebug:
        debug_device_ = true;
        break;
      case Action::Architecture:
        o.sm = std::max(o.sm, sm_of(value));
        break;
      case Action::Relocatable:
        o.relocatable = on;
        break;
      case Action::FastMath:
        fast_division(), fast_root(), flush_denormals();
        o.device.push_back("-fgpu-approx-transcendentals");
        break;
      case Action::FlushDenormals:
        if (on) flush_denormals();
        break;
      case Action::PreciseDivision:
        if (!on) fast_division();
        break;
      case Action::PreciseRoot:
        if (!on) fast_root();
        break;
      case Action::FuseMultiplyAdd:
        if (!on) o.device.push_back("-ffp-contract=off"), o.device_code.push_back("-ffp-contract=off");
        break;
      case Action::DefaultStream:
        if (value == "per-thread")
          add(o.common, {"-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
        break;
      case Action::RelaxedConstexpr:
        o.common.push_back("-D__CUDACC_RELAXED_CONSTEXPR__=1");
        break;
      case Action::ExtendedLambda:
        o.common.push_back("-D__CUDACC_EXTENDED_LAMBDA__=1");
        break;
      case Action::NoExceptions:
        o.host.push_back("-fno-exceptions");
        break;
      case Action::HostFlag:
        o.host.push_back("-" + word.substr(word.find_first_not_of('-')));
        break;
      case Action::HostValue:
        o.common.push_back(std::string("-") + option.name + "=" + value);
        break;
      case Action::HostOptions:
        for (const std::string& flag : split(value, ", \t")) take_host_option(flag);
        break;
      case Action::LinkerOptions:
        for (const std::string& flag : split(value, ", \t")) o.link.push_back("-Wl," + flag);
        break;
      case Action::NoWarnings:
        o.common.push_back("-w");
        break;
      case Action::WarningsAreErrors:
        if (value == "all-warnings") o.common.push_back("-Werror");
        break;
      case Action::Verbose:
        o.verbose = true;
        break;
      case Action::DryRun:
        o.dry_run = true;
        break;
      case Action::Version:
        o.version = true;
        break;
      case Action::Help:
        o.help = true;
        break;
      case Action::ListArchitectures:
        o.list_architectures = true;
        break;
      case Action::ListCodes:
        o.list_codes = true;
        break;
      case Action::OptionsFile:
        for (const std::string& file : split(value, ","))
          if (Status done = take_file(file, depth); !done) return done;
        break;
    }
    return Ok{};
  }

  // Whichever runtime a program asks for, it gets the shared one; our folder of libraries has the rest.
  void take_library(const std::string& library) {
    if (library == "cudart" || library == "cudart_static" || library == "cudadevrt") return;
    options_.link.push_back("-l" + library);
  }

  // Some go to the linker as well: the compiler drives it.
  void take_host_option(const std::string& flag) {
    if (flag.rfind("-Wl,", 0) == 0 || flag == "-rdynamic" || flag == "-static-libstdc++" || flag == "-static-libgcc")
      options_.link.push_back(flag);
    else
      options_.host.push_back(flag);
    if (flag == "-fopenmp" || flag == "-pthread" || flag.rfind("-fsanitize", 0) == 0) options_.link.push_back(flag);
  }

  Status take_language(const std::string& value) {
    if (value == "cu" || value == "cuda")
      language_ = Language::Cuda;
    else if (value == "c" || value == "c++")
      language_ = Language::Host, host_language_ = value;
    else
      return Error{"unknown language '" + value + "' after -x", "nvcc knows c, c++ and cu"};
    return Ok{};
  }

  void fast_division() { backend("-nvptx-prec-divf32=0"); }
  void fast_root() { backend("-nvptx-prec-sqrtf32=0"); }
  void flush_denormals() { options_.device.push_back("-fgpu-flush-denormals-to-zero"); }

  NvccOptions options_;
  std::optional<Language> language_;
  std::string host_language_;
  bool debug_device_ = false;
};

}  // namespace

Result<NvccOptions> parse_nvcc_options(const std::vector<std::string>& arguments) { return Parser().parse(arguments); }

}  // namespace warplens::frontend
