#include "compare/names.h"

#include <gtest/gtest.h>

namespace warplens::compare {
namespace {

size_t distance(const char* ncu, const char* ours) { return closeness(kernel_name(ncu), kernel_name(ours)); }

// On the left what Nsight Compute 2025.3 wrote on its pages, on the right what the C++ library makes of the symbol.
TEST(Names, AreOneKernel) {
  EXPECT_EQ(distance("scale(float *, float)", "scale(float*, float)"), 0u);
  EXPECT_EQ(distance("histogram(const int *, int *, int *, int)", "histogram(int const*, int*, int*, int)"), 0u);
  EXPECT_EQ(distance("shapes::<unnamed>::hidden(unsigned long long *)",
                     "shapes::(anonymous namespace)::hidden(unsigned long long*)"),
            0u);
  EXPECT_EQ(distance("void shapes::strided<float, 1>(const T1 *, T1 *, int)",
                     "void shapes::strided<float, 1>(float const*, float*, int)"),
            1u);
  EXPECT_EQ(distance("void shapes::strided<float, (int)4>(const T1 *, T1 *, int)",
                     "void shapes::strided<float, 4>(float const*, float*, int)"),
            1u);
  EXPECT_EQ(distance("void shapes::apply<main::[lambda(float) (instance 1)]>(float *, int, T1)",
                     "void shapes::apply<main::{lambda(float)#1}>(float*, int, main::{lambda(float)#1})"),
            1u);
  EXPECT_EQ(distance("columns", "columns"), 0u);
  EXPECT_EQ(distance("strided", "void shapes::strided<double, 2>(double const*, double*, int)"), 3u);
  EXPECT_EQ(
      distance("void f<(bool)1, (unsigned int)7, const A<const B> *>(T3)", "void f<true, 7u, A<B const> const*>(int)"),
      1u);
}

TEST(Names, AreDifferentKernels) {
  EXPECT_EQ(distance("scale(double *, double)", "scale(float*, float)"), 1u);  // the exact one is closer
  EXPECT_EQ(distance("void f<(int)1>(int)", "void f<2>(int)"), 3u);
  EXPECT_EQ(distance("f(int)", "g(int)"), kNameForms);
  EXPECT_EQ(distance("", ""), kNameForms);
  EXPECT_EQ(distance("f<const A>(int)", "f<A>(int)"), 3u);
}

TEST(Names, AnyTextWillDo) {
  for (const char* text :
       {"", "(", ")", "<<<", "a(b<c)", "{lambda", "const const", "void", "void (", "(int)", "f((int)-1)"})
    EXPECT_EQ(kernel_name(text).form[0], kernel_name(text).form[0]) << text;
}

}  // namespace
}  // namespace warplens::compare
