#include "audit/libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <string_view>

#include "audit/messages.h"

namespace warplens::audit {
namespace {

// This library's own folder holds the others too.
const std::string& folder() {
  static const std::string* path = [] {
    Dl_info info{};
    bool known = dladdr(reinterpret_cast<void*>(&load_runtime), &info) != 0 && info.dli_fname;
    std::string file = known ? info.dli_fname : "";
    return new std::string(file.substr(0, file.rfind('/') + 1));
  }();
  return *path;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// RTLD_LOCAL: the program resolves no symbol of its own against it. Each call of dlmopen for a library that is there
// gives the same handle, so no lock is needed, and none could be held here: the loader has its own.
void* load(const std::string& path) { return dlmopen(LM_ID_BASE, path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

std::string runtime_name(int major) {
  return major == 11 ? "libcudart.so.11.0" : "libcudart.so." + std::to_string(major);
}

int not_supported(const char* function) {  // where not even the core library can be loaded
  constexpr int kInitializationError = 3;
  return function ? kInitializationError : 0;
}

// "libcublas" of "libcublas.so.12" and of a wheel's "libcublas-0a1b2c3d.so.12"; "" if it is none of those libraries.
std::string_view machine_code_library(std::string_view name) {
  static constexpr std::string_view kLibraries[] = {"libcublas",   "libcublasLt", "libcufft", "libcusolver",
                                                    "libcusparse", "libcurand",   "libcudnn", "libnccl"};
  std::string_view stem = name.substr(0, name.find_first_of("-."));
  if (name.find(".so") == name.npos) return "";
  for (std::string_view library : kLibraries)
    if (stem == library) return library;
  return "";
}

}  // namespace

std::string stand_in_for(const char* path) {
  std::string_view name = base_name(path);
  std::string ours;
  if (name.starts_with("libcudart") && name.find(".so") != name.npos) {
    // Wheels carry copies under names such as libcudart-d0da41ae.so.11.0.
    std::string_view version = name.substr(name.find(".so"));
    ours = "libcudart" + std::string(version == ".so" ? ".so.13" : version);
  } else if (name == "libcuda.so" || name == "libcuda.so.1") {
    ours = "libcuda.so.1";
  } else if (name.starts_with("libnvJitLink.so")) {
    ours = name == "libnvJitLink.so" ? "libnvJitLink.so.13" : name;
  } else if (std::string_view library = machine_code_library(name); !library.empty()) {
    ours = std::string(library) + std::string(name.substr(name.find(".so")));  // "lib<name>.so" is a link to the newest
  }
  if (ours.empty()) return "";
  ours = folder() + ours;
  return access(ours.c_str(), R_OK) == 0 ? ours : "";
}

namespace {

// By the SONAME of ours. The loader calls with its lock held.
std::map<std::string, std::string>& nvrtc_files() {
  static auto* files = new std::map<std::string, std::string>;
  return *files;
}
constexpr std::string_view kAsksForReal = "warplens:";

}  // namespace

std::string nvrtc_in_place_of(const char* path) {
  const std::string_view asked = base_name(path);
  const bool wanted = asked.starts_with("libnvrtc.so") || asked.starts_with("libnvrtc-");  // not its builtins
  if (!wanted || asked.starts_with("libnvrtc-builtins") || asked.size() == std::string_view(path).size()) return "";
  char* file = realpath(path, nullptr);
  if (!file) return "";
  const std::string real = file;
  std::free(file);
  const std::string_view name = base_name(real);
  const size_t version = name.find(".so.");
  if (version == name.npos || is_own(real)) return "";
  const std::string_view major = name.substr(version + 4, name.find('.', version + 4) - version - 4);
  const std::string release = major == "11" ? std::string("11.2") : std::string(major);
  const std::string ours = folder() + "libwarplens_nvrtc.so." + release;
  if (access(ours.c_str(), R_OK) != 0) return "";
  nvrtc_files()["libnvrtc.so." + release] = real;
  return ours;
}

std::string real_nvrtc(const char* name) {
  const std::string_view asked = name;
  if (!asked.starts_with(kAsksForReal)) return "";
  const auto found = nvrtc_files().find(std::string(asked.substr(kAsksForReal.size())));
  return found == nvrtc_files().end() ? "" : found->second;
}

bool is_own(const std::string& path) {
  return path.starts_with(folder()) && path.find('/', folder().size()) == path.npos;
}

void* load_runtime(int major) {
  static std::atomic<void*> loaded[32] = {};
  static std::atomic<bool> said{false};
  if (major < 0 || major >= 32) return nullptr;
  if (void* handle = loaded[major]) return handle;
  std::string path = folder() + runtime_name(major);
  void* handle = load(path);
  if (!handle && !said.exchange(true)) {
    const char* why = dlerror();
    say_error("cannot load " + path + (why ? std::string(": ") + why : ""), "install Warplens again");
  }
  loaded[major] = handle;
  return handle;
}

void* refusal() {
  void* core = load(folder() + "libwarplens_runtime.so");
  void* function = core ? dlsym(core, "wl_refused_by_name") : nullptr;
  return function ? function : reinterpret_cast<void*>(&not_supported);
}

}  // namespace warplens::audit
