// PTX text -> ptx::Module.
//
// Reads PTX ISA 4.2 to 9.0 as nvcc, clang and Triton write it, and hand-written PTX with constant expressions. Every
// input gives a module: an error is a diagnostic, and reading goes on after the next ';' or '}'. Opcodes, directives
// and operands that nobody knows are kept as nodes; refusing them is the business of whoever gives them a meaning.
//
// Costs are linear in the text: no input nests deeper than kMaxNesting in the result, and at most kMaxDiagnostics
// diagnostics are reported.
#pragma once
#include <string_view>

#include "base/diagnostic.h"
#include "ptx/module.h"

namespace warplens::ptx {

inline constexpr int kMaxNesting = 64;  // of { } scopes, and of operands inside operands
inline constexpr size_t kMaxDiagnostics = 100;

struct ParseResult {
  Module module;
  Diagnostics
      diagnostics;  // in the order of the text; a module without an Error among them is exactly what the text says
};

// `file_name` is only what diagnostics call the text. The text need not outlive the call; it may end in NUL bytes, as
// PTX out of a fat binary does.
ParseResult parse(std::string_view text, std::string_view file_name);

}  // namespace warplens::ptx
