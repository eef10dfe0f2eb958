// One kernel on every backend.
#pragma once
#include <gtest/gtest.h>

#include "run/run_ptx.h"

namespace warplens::run {

// Launches kernel `k` of `text` on each backend, after `before`, and hands the outcome to `check`.
template <typename Before, typename Check>
void on_every_backend(const std::string& text, Program::Shape shape, const std::vector<uint8_t>& params, Before before,
                      Check check) {
  Program program(ptx_header() + text);
  ASSERT_EQ(program.problems(), "");
  for (const Backend backend : program.backends()) {
    SCOPED_TRACE(to_string(backend));
    before();
    const Program::Result result = program.launch(backend, "k", shape, params);
    check(result);
  }
}

// The same where the kernel must run to its end and leave `expected` in `out`.
template <typename T>
void expect_output(const std::string& text, Program::Shape shape, const std::vector<uint8_t>& params, Buffer<T>& out,
                   const std::vector<T>& expected) {
  const std::vector<T> fresh = out.values();
  on_every_backend(
      text, shape, params, [&] { out.fill(fresh); },
      [&](const Program::Result& result) {
        EXPECT_EQ(result.error, "");
        EXPECT_EQ(out.values(), expected);
      });
}

// After `functions`, a kernel k of one parameter, an array of words: %r0 is the thread, and what `body` leaves in %r1
// goes to its place there. %h, %r, %rd, %p are free.
inline std::string kernel_with(const std::string& functions, const std::string& body) {
  return functions + R"(
.visible .entry k(.param .u64 out)
{
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .reg .pred %p<8>;
    mov.u32 %r0, %tid.x;
)" + body +
         R"(
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r0, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";
}

// Thread t of such a kernel must give f(t).
template <typename F>
void expect_threads(const std::string& text, uint32_t threads, F f) {
  Buffer<uint32_t> out(threads, 0);
  std::vector<uint32_t> expected;
  for (uint32_t t = 0; t < threads; ++t) expected.push_back(f(t));
  expect_output(text, {{1}, {threads}}, Params().add(out), out, expected);
}

}  // namespace warplens::run
