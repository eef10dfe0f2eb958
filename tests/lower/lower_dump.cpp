// lower_dump FILE.ptx: prints the IR of a PTX file, then diagnostics and violated invariants on stderr.
#include <fstream>
#include <iostream>
#include <sstream>

#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ptx/parse.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: lower_dump FILE.ptx\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const auto parsed = warplens::ptx::parse(text.str(), argv[1]);
  const auto lowered = warplens::lower::lower(parsed.module, argv[1]);
  std::cout << warplens::ir::print(lowered.module);
  for (const auto& diagnostic : parsed.diagnostics) std::cerr << warplens::to_string(diagnostic) << "\n";
  for (const auto& diagnostic : lowered.diagnostics) std::cerr << warplens::to_string(diagnostic) << "\n";
  const auto violations = warplens::ir::verify(lowered.module);
  for (const auto& violation : violations) std::cerr << "invariant: " << violation << "\n";
  return violations.empty() ? 0 : 1;
}
