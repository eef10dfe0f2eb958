// The GPUs of data/gpus/ as a table, as text and as JSON.
#pragma once
#include <string>

namespace warplens::occupancy {

std::string render_gpus_text();  // 80 columns
std::string render_gpus_json(const std::string& version);

}  // namespace warplens::occupancy
