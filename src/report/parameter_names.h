// Names of a kernel's parameters, which PTX does not have: read from the source's text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "report/text.h"

namespace warplens::report {

// Of `kernel` ("copy", "ns::copy<int>(int*, int)": without namespaces, arguments and parameters it is looked for) as
// `source` declares it with __global__; one of as many parameters as `count`. Empty: it is not there.
std::vector<std::string> parameter_names(std::string_view source, std::string_view kernel, size_t count);

// Of a kernel whose sites say in which file it stands.
void name_parameters(Kernel& kernel, SourceText& source);

}  // namespace warplens::report
