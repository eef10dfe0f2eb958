// Any bytes as the source of a kernel, whose parameters' names are read from it, and as the factors of a law.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "report/law.h"
#include "report/parameter_names.h"

using namespace warplens;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const size_t count : {0, 1, 3}) {
    const auto names = report::parameter_names(text, "void ns::f<int>(int*, int)", count);
    if (!names.empty() && names.size() != count) std::abort();
    report::parameter_names("__global__ void f(int a, int b) {}", text, count);
  }
  report::law_text({{4, {std::string(text), "threadIdx.x"}, {}}}, {{"in", 0, 8, true}});
  return 0;
}
