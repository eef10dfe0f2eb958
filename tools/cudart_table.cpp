// Adds releases to data/cudart_static.txt: cudart_table TABLE [RELEASE ARCHIVE]... writes the new table to stdout.
// RELEASE is the toolkit's version ("12.9.79") and ARCHIVE its libcudart_static.a.
#include <cstdio>
#include <iostream>

#include "base/file.h"
#include "elf/build_table.h"

namespace {

const char* const kTop =
    R"(# Where NVIDIA's static CUDA runtime (libcudart_static.a, x86-64) keeps its functions, release by release, and how its
# code is recognised in a program that is stripped. Facts about the libraries, nothing of their code. The format is
# described in src/elf/runtime_table.h; build/tools/cudart_table adds a release.
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace warplens;
  if (argc < 2 || argc % 2 != 0) {
    std::cerr << "usage: cudart_table TABLE [RELEASE ARCHIVE]...\n";
    return 2;
  }
  std::string text = read_file(argv[1]).value_or("");
  for (int i = 2; i < argc; i += 2) {
    elf::RuntimeTable table;
    if (!elf::read_runtime_table(text, table)) {
      std::cerr << argv[1] << ": malformed\n";
      return 1;
    }
    std::string archive = read_file(argv[i + 1]).value_or("");
    auto built = elf::build_release(std::as_bytes(std::span(archive)), argv[i]);
    if (!built) {
      std::cerr << argv[i + 1] << ": " << built.error().what << "\n";
      return 1;
    }
    text = elf::with_release(table, *built);
  }
  std::cout << kTop << text;
}
