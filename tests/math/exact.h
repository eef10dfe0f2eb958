// What the functions of libdevice are, in MPFR.
#pragma once
#include <mpfr.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warplens::accuracy {

// A number of 200 bits, enough that what is left out never shows in 53.
class Real {
 public:
  Real() { mpfr_init2(value_, 200); }
  explicit Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

// The value of "sin" (of "__nv_sin" and "__nv_sinf") at arguments; `result` is what was computed, where the exact one
// is found from it (an inverse function is one step of Newton's method away).
using Exact = std::function<void(Real& out, const std::vector<double>& x, double result)>;
const Exact* exact_function(const std::string& base);

// Distance in units of the last place that a number of that exact value has in a format of `bits` (24 or 53).
double ulps_between(const Real& exact, double result, int bits);

}  // namespace warplens::accuracy
