// nvcc's command line, read for another compiler: what it asks for, with the host compiler's flags in clang's words.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace warplens::frontend {

enum class Language : uint8_t { Cuda, Host, Object };  // Host: C or C++ without device code; Object: for the linker

// What is made of the inputs; each stage ends the compilation there.
enum class Stage : uint8_t {
  Link,         // a program or library
  Object,       // -c, -dc, -dw
  DeviceLink,   // -dlink: the object that registers the device code of all the others
  Archive,      // -lib
  Ptx,          // -ptx
  Fatbin,       // -fatbin
  Preprocess,   // -E
  Dependencies  // -M, -MM
};

struct NvccOptions {
  struct Input {
    std::filesystem::path path;
    Language language = Language::Object;
    std::string host_language;  // clang's -x for Language::Host: "c", "c++"; "": as the name says
  };
  Stage stage = Stage::Link;
  std::vector<Input> inputs;
  std::string output;         // "": named after the input, as nvcc does
  std::string output_folder;  // -odir

  std::vector<std::string> common;        // for both passes over a .cu file, and for host files: -I, -D, -W...
  std::vector<std::string> host;          // for host code only
  std::vector<std::string> device;        // for device code's front end and optimiser only
  std::vector<std::string> device_code;   // for the PTX back end only
  std::vector<std::string> dependencies;  // -MD and its like
  std::vector<std::string> link;          // in order; the inputs of the linker are among them
  std::string host_optimise = "-O3", device_optimise = "-O3", standard = "-std=c++17";
  std::string cudart = "shared";  // or "none"; a static runtime is the shared one here
  int sm = 0;                     // 10 * compute capability; 0: not said
  bool relocatable = false;       // -rdc=true: device code that is linked across files
  bool shared = false;            // -shared
  bool verbose = false, dry_run = false, run = false;
  bool version = false, help = false, list_architectures = false, list_codes = false;
};

// Errors: an option that nvcc has and this compiler cannot do, named with the reason; a value that is missing. What
// nvcc does not know is the host compiler's. @file and --options-file are read in place.
Result<NvccOptions> parse_nvcc_options(const std::vector<std::string>& arguments);

}  // namespace warplens::frontend
