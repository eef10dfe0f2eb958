#include "frontend/device_link.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/process.h"

namespace warplens::frontend {
namespace {

constexpr std::string_view kRegistration = "__cudaRegisterLinkedBinary";

namespace fs = std::filesystem;

bool may_hold_objects(const std::string& file) {
  std::string extension = fs::path(file).extension();
  return (extension == ".o" || extension == ".a" || extension == ".obj") && fs::exists(file);
}

// The objects and archives among the linker's words, those named by -l too.
std::vector<std::string> files_of(const std::vector<std::string>& words) {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  for (const std::string& word : words) {
    if (word.rfind("-L", 0) == 0) folders.push_back(word.substr(2));
    if (may_hold_objects(word)) files.push_back(word);
    if (word.rfind("-l", 0) != 0) continue;
    for (const std::string& folder : folders) {
      fs::path stem = fs::path(folder) / ("lib" + word.substr(2));
      if (fs::exists(stem.string() + ".so")) break;
      if (!fs::exists(stem.string() + ".a")) continue;
      files.push_back(stem.string() + ".a");
      break;
    }
  }
  return files;
}

// The list grows as the files' constructors run, in an order that only the linker knows. So each call registers the
// whole list anew; nothing has been launched by then.
constexpr const char* kSource = R"(
struct wrapper {{ unsigned magic, version; const void *data; const void *const *others; }};
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));
static const unsigned no_machine_code[4] = {{0xba55ed50u, 1u | 16u << 16, 0u, 0u}};
static const void *containers[{0} + 1];
static void (*registers[{0}])(void **);
static unsigned count;
static struct wrapper all = {{0x466243b1u, 2u, no_machine_code, containers}};
static void **handle;
static void leave(void) {{ if (handle) __cudaUnregisterFatBinary(handle); handle = 0; }}
static void add(void (*f)(void **), const struct wrapper *w) {{
  if (!count) atexit(leave);
  if (count < {0}) containers[count] = w->data, registers[count++] = f;
  leave();
  handle = __cudaRegisterFatBinary(&all);
  for (unsigned i = 0; i < count; ++i) registers[i](handle);
  __cudaRegisterFatBinaryEnd(handle);
}}
)";

}  // namespace

Result<std::vector<std::string>> missing_registrations(const std::vector<std::string>& words,
                                                       const Environment& environment) {
  std::vector<std::string> command{environment.find_program("nm"), "-P"};
  for (const std::string& file : files_of(words)) command.push_back(file);
  if (command.size() == 2) return std::vector<std::string>{};
  if (command[0].empty()) return Error{"no program 'nm', which tells what the objects need", "apt install binutils"};
  Result<ProcessOutput> run = run_process(command, environment);
  if (!run) return run.error();
  std::set<std::string> wanted;
  std::set<std::string> there;
  std::istringstream lines(run->output);
  for (std::string line; std::getline(lines, line);) {  // "name U", "name T value size"
    if (line.compare(0, kRegistration.size(), kRegistration) != 0) continue;
    size_t space = line.find(' ');
    if (space == line.npos || space + 1 >= line.size()) continue;
    (line[space + 1] == 'U' ? wanted : there).insert(line.substr(0, space));
  }
  std::vector<std::string> missing;
  for (const std::string& name : wanted)
    if (!there.count(name)) missing.push_back(name);
  return missing;
}

std::string registration_source(const std::vector<std::string>& functions) {
  std::string source = fmt::format(kSource, functions.size());
  for (const std::string& name : functions) {
    // Naming the object's wrapper brings the object in from an archive, as needed as it may be by device code alone.
    std::string wrapper = "__fatbinwrap" + name.substr(kRegistration.size());
    source += fmt::format(
        "extern struct wrapper {1};\nvoid *const __warplens_needs{1} = &{1};\n"
        "__attribute__((visibility(\"hidden\"))) void {0}(void (*f)(void **), struct wrapper *w, void *n, void *c) {{\n"
        "  (void)n, (void)c, add(f, w);\n}}\n",
        name, wrapper);
  }
  return source;
}

}  // namespace warplens::frontend
