// The words of the command line.
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/result.h"

namespace warplens::cli {

inline constexpr const char* kDescription =
    "Warplens runs CUDA programs without a GPU and says, line by line, what they do to memory.";

extern const char* const kShortHelp;
extern const char* const kExitCodes;

std::string version();

void write_stderr(std::string_view text);

// Where compiled code and the like is kept from run to run; empty: nowhere.
std::filesystem::path cache_folder(const Environment& environment);

// "warplens: error: what" and the hint, on stderr; gives `exit_code`.
int complain(const Error& error, int exit_code);

// "warplens: what" and what to do, on stderr; gives kExitOwnError.
int report_unknown_command(const std::string& command);
int report_usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace warplens::cli
