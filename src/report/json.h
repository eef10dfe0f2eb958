// The stored form of a Report: versioned JSON, described by docs/report.schema.json.
#pragma once
#include <string>

#include "report/report.h"

namespace warplens::report {

inline constexpr const char* kSchema = "warplens-report/1";

// Keys in a fixed order, counts as exact integers, a trailing newline.
std::string render_json(const Report& report);

}  // namespace warplens::report
