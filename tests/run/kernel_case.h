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

}  // namespace warplens::run
