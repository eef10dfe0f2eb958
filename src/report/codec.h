// Report's parts as JSON and back: shared by the spool and the stored report. Keys keep the order in which they are
// written.
#pragma once
#include <nlohmann/json.hpp>

#include "report/report.h"

namespace warplens::report {

using Json = nlohmann::ordered_json;

Json to_json(const Run& run);
Json to_json(const Kernel& kernel);
Json to_json(const Fault& fault);
Json to_json(const Note& note);
Json to_json(const LibraryCalls& calls);
Json to_json(const Caches& caches);
Json to_json(const Dim3& dim);  // [x, y, z]
Json to_json(const BranchTargets& targets);
Json to_json(const InstructionCounts& counts);  // [executed, threads, threads with a true predicate]

Json to_json(const SiteCounts& counts);  // without its patterns
Json to_json(const PatternCount& pattern);

// Missing keys keep their defaults; keys of another type throw nlohmann's exceptions, which the reader of the spool
// catches.
Run run_from(const Json& json);
Kernel kernel_from(const Json& json);
Fault fault_from(const Json& json);
Note note_from(const Json& json);
LibraryCalls library_calls_from(const Json& json);
Caches caches_from(const Json& json);
Dim3 dim_from(const Json& json);
SiteCounts site_counts_from(const Json& json);  // with its patterns
BranchTargets branch_targets_from(const Json& json);
InstructionCounts instruction_counts_from(const Json& json);

// Launch::parameters, under the key "parameters"; none: no key.
void write_parameters(const Launch& launch, Json& json);
void read_parameters(const Json& json, Launch& launch);

}  // namespace warplens::report
