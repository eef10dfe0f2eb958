// `ptxas` for programs that call NVIDIA's assembler before they load a kernel (Triton): what it writes is not machine
// code but a fat binary of the PTX, which our libcuda takes like any other. Options that steer machine code are
// ignored.
//
//     ptxas [options] INPUT.ptx -o OUTPUT
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "ptx/fatbin.h"
#include "ptx/parse.h"

namespace {

using namespace warplens;

int fail(const std::string& text) {
  fmt::print(stderr, "ptxas (warplens): {}\n", text);
  return 1;
}

// Options whose value is the next argument unless it follows '='; ptxas's own list.
bool takes_value(const std::string& option) {
  for (const char* name : {"-o", "--output-file", "-arch", "--gpu-name", "-O", "--opt-level", "-maxrregcount",
                           "--maxrregcount", "-m", "--machine", "--regAllocOptLevel", "-opt-level"}) {
    if (option == name) return true;
  }
  return false;
}

struct Arguments {
  std::vector<std::string> inputs;
  std::string output = "elf.o";  // as NVIDIA's
  bool version = false;
};

Arguments read(int count, char** words) {
  Arguments out;
  for (int i = 1; i < count; i++) {
    std::string word = words[i];
    out.version |= word == "--version" || word == "-V";
    if (word[0] != '-') {
      out.inputs.push_back(word);
    } else if (takes_value(word) && i + 1 < count) {
      std::string value = words[++i];
      if (word == "-o" || word == "--output-file") out.output = value;
    } else if (word.starts_with("--output-file=")) {
      out.output = word.substr(word.find('=') + 1);
    }
  }
  return out;
}

// LLVM numbers the lines of inline assembly onwards from the source line that it stands for, so that Triton's loads
// seem to be some lines further down. Only the first line inside is right; the others become empty.
std::string without_inline_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  bool inside = false, known = false;
  for (std::string line; std::getline(lines, line); out += line + "\n") {
    if (line.find("// begin inline asm") != line.npos) inside = true, known = false;
    if (line.find("// end inline asm") != line.npos) inside = false;
    size_t first = line.find_first_not_of(" \t");
    if (!inside || first == line.npos || line.compare(first, 5, ".loc\t") != 0) continue;
    if (known) line.clear();
    known = true;
  }
  return out;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments = read(count, words);
  if (arguments.version) {
    fmt::print("ptxas of Warplens: keeps PTX as it is, release 13.0, V13.0\n");
    return 0;
  }
  if (arguments.inputs.size() != 1) return fail("one file of PTX is wanted");
  const auto text = read_file(arguments.inputs.front());
  if (!text) return fail("cannot read " + arguments.inputs.front());
  for (const Diagnostic& diagnostic : ptx::parse(*text, arguments.inputs.front()).diagnostics) {
    if (diagnostic.severity == Severity::Error) return fail(to_string(diagnostic));
  }
  auto image = ptx::ptx_image(without_inline_lines(*text));
  if (!image) return fail(image.error().what);
  image->name = arguments.inputs.front();
  std::ofstream output(arguments.output, std::ios::binary);
  output << ptx::write_fatbin({&*image, 1});
  return output.flush() ? 0 : fail("cannot write " + arguments.output);
}
