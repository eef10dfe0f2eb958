// Constant expressions have C's precedence and 64-bit types.
#include "ptx_test.h"

namespace warplens::ptx {
namespace {

int64_t value(const std::string& text) { return static_cast<int64_t>(operand(text).value); }

TEST(Expressions, Precedence) {
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("1 << 4 | 3"), 19);
  EXPECT_EQ(value("6 & 3 == 3"), 0);
  EXPECT_EQ(value("1 ? 2 : 3"), 2);
  EXPECT_EQ(value("0 || 2 && 3"), 1);
  EXPECT_EQ(value("WARP_SZ - 1"), 31);
  EXPECT_EQ(value("~5"), -6);
  EXPECT_EQ(value("!5"), 0);
  EXPECT_EQ(value("- -5"), 5);
  EXPECT_EQ(value("7 % 4 ^ 1"), 2);
}

TEST(Expressions, SignedAndUnsigned) {
  EXPECT_EQ(value("-7 / 2"), -3);
  EXPECT_EQ(value("-7 % 2"), -1);
  EXPECT_EQ(value("-8 >> 1"), -4);
  EXPECT_EQ(value("(.u64)-8 >> 60"), 15);
  EXPECT_EQ(value("-1 < 0"), 1);
  EXPECT_EQ(value("-1 < 0U"), 0);
  EXPECT_EQ(value("-8U >> 60"), 15);
  EXPECT_EQ(value("1 << 64"), 0);
  EXPECT_EQ(value("-1 >> 100"), -1);
  EXPECT_EQ(value("-9223372036854775807 - 1"), INT64_MIN);
  EXPECT_EQ(value("(-9223372036854775807 - 1) / -1"), INT64_MIN);
}

TEST(Expressions, Floats) {
  EXPECT_EQ(operand("1.5 * 2").value, 0x4008000000000000u);
  EXPECT_EQ(value("1.5 < 2"), 1);
  EXPECT_EQ(operand("0f3F800000 + 1").value, 0x4000000000000000u);
}

TEST(Expressions, ErrorsAreErrors) {
  for (const char* text : {"1 / 0", "1 % 0", "1.0 % 2", "08", "0xZZ", "0f123", "0d1", "1 +", "(1", "((((", "1 ? 2",
                           "12abc", "~1.5", "99999999999999999999"}) {
    const ParseResult r = parse(std::string(".entry k() {\nmov.b32 %r1, ") + text + ";\n}", "x");
    EXPECT_EQ(r.diagnostics.size(), 1u) << text << "\n" << text_of(r.diagnostics);
    ASSERT_EQ(r.module.functions.size(), 1u);
    EXPECT_EQ(r.module.functions[0].body.statements.size(), 1u) << "the instruction is kept: " << text;
  }
}

}  // namespace
}  // namespace warplens::ptx
