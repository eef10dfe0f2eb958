// One operation under a rounding mode, for expected values.
#pragma once
#include <cfenv>

namespace warplens::run {

template <typename F>
auto under(int mode, F f) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const volatile auto result = f();
  std::fesetround(before);
  return static_cast<decltype(f())>(result);
}

}  // namespace warplens::run
