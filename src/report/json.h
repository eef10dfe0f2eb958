// The stored form of a Report: versioned JSON, described by docs/report.schema.json.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/report.h"

namespace warplens::report {

inline constexpr const char* kSchema = "warplens-report/1";

// Keys in a fixed order, counts as exact integers, a trailing newline.
std::string render_json(const Report& report);

// The Report of such a text, of this or an earlier release: what is missing keeps its default, what is unknown is left
// out, and metrics are derived anew. Error: no JSON, no report, or a report of a later version.
Result<Report> read_json(std::string_view text);

}  // namespace warplens::report
