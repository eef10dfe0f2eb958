// (Not *.cpp: it is compiled once a library, not into the core.)
// NVIDIA's compiler at run time, so that what it makes can be run here. Each function hands on to the real library, but
//   - an architecture of machine code (sm_90) becomes the virtual one (compute_90), and whoever asks for the machine
//     code gets the PTX, which the functions that load modules take as well;
//   - line information is asked for.
// The real library is opened under the name "warplens:<our name>", which the audit library (audit/libraries.h) answers
// with the file that the program would have got.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

using Program = void*;
enum Result : int { kInternalError = 11 };  // NVRTC_ERROR_INTERNAL_ERROR

// The function of that name; null where the real library lacks it, which is said.
void* real(const char* name) {
  static void* library = dlopen("warplens:" WL_SONAME, RTLD_NOW | RTLD_LOCAL);
  void* function = library ? dlsym(library, name) : nullptr;
  if (!function) std::fprintf(stderr, "warplens: error: %s: NVIDIA's %s is not found or lacks it\n", name, WL_SONAME);
  return function;
}

struct Asked {
  std::mutex mutex;
  std::set<Program> for_machine_code;  // programs compiled with sm_XX
};
Asked& asked() {
  static Asked* a = new Asked;
  return *a;
}
bool wants_machine_code(Program program) {
  const std::lock_guard lock(asked().mutex);
  return asked().for_machine_code.contains(program);
}

bool is_architecture(const std::string& option) {
  return option.starts_with("--gpu-architecture") || option.starts_with("-arch");
}

// sm_90 -> compute_90 where it is an architecture's name, in the same word or the next. True if there was one.
bool make_virtual(std::vector<std::string>& options) {
  bool changed = false;
  for (size_t i = 0; i < options.size(); ++i) {
    if (!is_architecture(options[i])) continue;
    const bool next = options[i].find('=') == std::string::npos && i + 1 < options.size();
    std::string& word = next ? options[++i] : options[i];
    const size_t at = word.find("sm_");
    if (at == std::string::npos || (at != 0 && word[at - 1] != '=')) continue;
    word.replace(at, 3, "compute_");
    changed = true;
  }
  return changed;
}

bool has(const std::vector<std::string>& options, std::initializer_list<const char*> names) {
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& o) { return std::find(names.begin(), names.end(), o) != names.end(); });
}

}  // namespace

#define WL_EXPORTED extern "C" __attribute__((visibility("default")))
// A function that hands on as it is.
#define WL_FORWARD(result, failed, name, parameters, arguments)           \
  WL_EXPORTED result name parameters {                                    \
    auto* function = reinterpret_cast<result(*) parameters>(real(#name)); \
    return function ? function arguments : failed;                        \
  }

WL_EXPORTED int nvrtcCompileProgram(Program program, int count, const char* const* given) {
  auto* function = reinterpret_cast<int (*)(Program, int, const char* const*)>(real("nvrtcCompileProgram"));
  if (!function) return kInternalError;
  if (count < 0 || (count > 0 && !given) || std::find(given, given + count, nullptr) != given + count)
    return function(program, count, given);
  std::vector<std::string> options(given, given + count);
  // Intermediate code for linking stays what it is: our nvJitLink refuses it by name.
  const bool links_later = has(options, {"-dlto", "--dlink-time-opt"});
  const bool changed = !links_later && make_virtual(options);
  if (!links_later && !has(options, {"-lineinfo", "--generate-line-info", "-G", "--device-debug"}))
    options.push_back("-lineinfo");
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  const int result = function(program, static_cast<int>(words.size()), words.data());
  const std::lock_guard lock(asked().mutex);
  if (changed && result == 0)
    asked().for_machine_code.insert(program);
  else
    asked().for_machine_code.erase(program);
  return result;
}

WL_EXPORTED int nvrtcDestroyProgram(Program* program) {
  auto* function = reinterpret_cast<int (*)(Program*)>(real("nvrtcDestroyProgram"));
  if (!function) return kInternalError;
  if (program) {
    const std::lock_guard lock(asked().mutex);
    asked().for_machine_code.erase(*program);
  }
  return function(program);
}

WL_EXPORTED int nvrtcGetCUBINSize(Program program, size_t* bytes) {
  const char* name = wants_machine_code(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize";
  auto* function = reinterpret_cast<int (*)(Program, size_t*)>(real(name));
  return function ? function(program, bytes) : kInternalError;
}
WL_EXPORTED int nvrtcGetCUBIN(Program program, char* code) {
  const char* name = wants_machine_code(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
  auto* function = reinterpret_cast<int (*)(Program, char*)>(real(name));
  return function ? function(program, code) : kInternalError;
}

WL_FORWARD(const char*, "NVRTC is not found", nvrtcGetErrorString, (int result), (result))
WL_FORWARD(int, kInternalError, nvrtcVersion, (int* major, int* minor), (major, minor))
WL_FORWARD(int, kInternalError, nvrtcGetNumSupportedArchs, (int* count), (count))
WL_FORWARD(int, kInternalError, nvrtcGetSupportedArchs, (int* list), (list))
WL_FORWARD(int, kInternalError, nvrtcCreateProgram,
           (Program * program, const char* source, const char* name, int headers, const char* const* texts,
            const char* const* names),
           (program, source, name, headers, texts, names))
WL_FORWARD(int, kInternalError, nvrtcGetPTXSize, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcGetPTX, (Program program, char* text), (program, text))
WL_FORWARD(int, kInternalError, nvrtcGetNVVMSize, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcGetNVVM, (Program program, char* code), (program, code))
WL_FORWARD(int, kInternalError, nvrtcGetLTOIRSize, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcGetLTOIR, (Program program, char* code), (program, code))
WL_FORWARD(int, kInternalError, nvrtcGetOptiXIRSize, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcGetOptiXIR, (Program program, char* code), (program, code))
WL_FORWARD(int, kInternalError, nvrtcGetProgramLogSize, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcGetProgramLog, (Program program, char* text), (program, text))
WL_FORWARD(int, kInternalError, nvrtcAddNameExpression, (Program program, const char* name), (program, name))
WL_FORWARD(int, kInternalError, nvrtcGetLoweredName, (Program program, const char* name, const char** lowered),
           (program, name, lowered))
WL_FORWARD(int, kInternalError, nvrtcGetPCHHeapSize, (size_t * bytes), (bytes))
WL_FORWARD(int, kInternalError, nvrtcSetPCHHeapSize, (size_t bytes), (bytes))
WL_FORWARD(int, kInternalError, nvrtcGetPCHCreateStatus, (Program program), (program))
WL_FORWARD(int, kInternalError, nvrtcGetPCHHeapSizeRequired, (Program program, size_t* bytes), (program, bytes))
WL_FORWARD(int, kInternalError, nvrtcSetFlowCallback, (Program program, int (*callback)(void*, void*), void* data),
           (program, callback, data))
