// Comma-separated values as other programs write them (RFC 4180), and as people's shells and editors leave them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warplens::compare {

using CsvRow = std::vector<std::string>;

// Rows of fields. A byte order mark, carriage returns, blank lines and spaces around quotes are left out; a quote that
// is never closed ends with the text. Rows may differ in length. Error: UTF-16 (as PowerShell redirects), or not text.
Result<std::vector<CsvRow>> parse_csv(std::string_view text);

}  // namespace warplens::compare
