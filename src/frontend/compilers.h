// What compile() dispatches to.
#pragma once
#include "frontend/compile.h"

namespace warplens::frontend {

Result<CompileOutcome> compile_with_nvcc(const CompileRequest& request, const std::string& nvcc, const Environment&);
Result<CompileOutcome> compile_with_clang(const CompileRequest& request, const std::string& clang, const Environment&);

// Whether one of the flags starts with one of the prefixes.
bool has_flag(const std::vector<std::string>& flags, std::initializer_list<const char*> prefixes);

// The prerequisites of a make rule, as compilers write them with -MD: spaces in names are escaped.
std::vector<std::string> read_depfile(const std::filesystem::path& path);

}  // namespace warplens::frontend
