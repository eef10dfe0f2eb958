// Any bytes as PTX: parse, print and line info come back, and what was read without an error says the same when
// printed.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ptx/equal.h"
#include "ptx/line_info.h"
#include "ptx/parse.h"
#include "ptx/print.h"

using namespace warplens;

namespace {

bool has_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::Error) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ptx::ParseResult first = ptx::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  const std::string text = ptx::print(first.module);
  const ptx::ParseResult second = ptx::parse(text, "printed");
  if (!has_error(first.diagnostics)) {
    const bool same = !has_error(second.diagnostics) && ptx::equal(first.module, second.module);
    if (!same) {
      std::fprintf(stderr, "not the same when printed:\n%s\n", text.c_str());
      for (const Diagnostic& d : second.diagnostics) std::fprintf(stderr, "%s\n", to_string(d).c_str());
      std::abort();
    }
  }
  const ptx::SectionBytes strings = ptx::debug_strings(first.module);
  for (const ptx::Function& function : first.module.functions) {
    const ptx::LineTable table(first.module, function, strings);
    for (size_t i = 0; i < table.size() && i < 64; ++i) (void)table.stack(static_cast<int64_t>(i));
  }
  return 0;
}
