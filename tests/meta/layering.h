// Who may include whom. The only statement of the allowed edges is the DEPENDS of src/CMakeLists.txt, which the build
// links by; these rules hold the includes to it, and hold it to the promises of ARCHITECTURE.md.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "meta/repository.h"

namespace warplens::meta {

// folder -> every folder that it may include, itself and the indirect ones too.
using Layers = std::map<std::string, std::set<std::string>>;

Layers read_layers(std::string_view src_cmake_lists);

// A folder that depends on itself through others, or on one that does not exist; edges that ARCHITECTURE.md excludes.
Violations check_layers(const Layers& layers);

// An include of a folder that the including folder does not depend on, or of a header that is none of a folder's.
Violations check_includes(std::span<const File> files, const Layers& layers);

}  // namespace warplens::meta
