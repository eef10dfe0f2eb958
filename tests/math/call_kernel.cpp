#include "math/call_kernel.h"

#include <fmt/format.h>

#include "run/run_ptx.h"

namespace warplens::accuracy {

const char* width_of(char letter) { return letter == 'i' || letter == 'f' ? "b32" : "b64"; }

std::string call_kernel(const std::string& name, const std::string& signature) {
  std::string formals, body, list;
  unsigned pointers = 0;
  for (size_t i = 1; i < signature.size(); ++i) {
    const char* width = width_of(signature[i]);
    const char* comma = i > 1 ? ", " : "";
    formals += fmt::format("{}.param .{} p{}", comma, width, i);
    list += fmt::format("{}a{}", comma, i);
    const std::string slot = fmt::format("ld.param.u64 %rd1, [array{}]; add.s64 %rd1, %rd1, %rd0;\n",
                                         signature[i] == 'p' ? ++pointers : i + 2);
    body += slot;
    if (signature[i] == 'p')
      body += fmt::format(".param .b64 a{0}; st.param.b64 [a{0}], %rd1;\n", i);
    else
      body += fmt::format("ld.global.{1} %{2}1, [%rd1]; .param .{1} a{0}; st.param.{1} [a{0}], %{2}1;\n", i, width,
                          width[1] == '3' ? "w" : "v");
  }
  const bool has_result = signature[0] != 'v';
  const char* width = width_of(signature[0]);
  const char* reg = width[1] == '3' ? "w" : "v";
  std::string text = run::ptx_header();
  text += has_result ? fmt::format(".extern .func (.param .{} r) {}({});\n", width, name, formals)
                     : fmt::format(".extern .func {}({});\n", name, formals);
  text += ".visible .entry k(";
  for (unsigned i = 0; i < 8; ++i) text += fmt::format("{}.param .u64 array{}", i ? ", " : "", i);
  text +=
      ")\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b32 %w<2>; .reg .b64 %v<2>;\n"
      "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.s32 %r0, %r0, 256, %r1; mul.wide.u32 %rd0, %r0, 8;\n{\n" +
      body;
  if (has_result)
    text += fmt::format(".param .{0} r; call.uni (r), {1}, ({2}); ld.param.{0} %{3}0, [r];\n", width, name, list, reg);
  else
    text += fmt::format("call.uni {}, ({});\n", name, list);
  text += "}\n";
  if (has_result)
    text +=
        fmt::format("ld.param.u64 %rd1, [array0]; add.s64 %rd1, %rd1, %rd0; st.global.{} [%rd1], %{}0;\n", width, reg);
  return text + "ret;\n}\n";
}

}  // namespace warplens::accuracy
