#include "report/text.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

TEST(Text, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(short_number(999999), "999,999");
  EXPECT_EQ(short_number(1000000), "1.000 M");
  EXPECT_EQ(short_number(134217728), "134.2 M");
  EXPECT_EQ(short_number(999999999), "1.000 G");
  EXPECT_EQ(short_number(~uint64_t{0}), "18.45 E");
  EXPECT_EQ(short_bytes(999), "999 B");
  EXPECT_EQ(short_bytes(4096), "4.096 kB");
  EXPECT_EQ(ratio(1, 0), "-");
  EXPECT_EQ(ratio(65, 2), "32.5");
  EXPECT_EQ(percent(0, 5), "0 %");
  EXPECT_EQ(percent(1, 100000), "<0.1 %");
  EXPECT_EQ(percent(31, 1000), "3.1 %");
  EXPECT_EQ(percent(31, 32), "97 %");
  EXPECT_EQ(percent(0, 0), "-");
  EXPECT_EQ(seconds(0.0123), "12.3 ms");
  EXPECT_EQ(seconds(0.25), "250 ms");
  EXPECT_EQ(seconds(2), "2.00 s");
}

TEST(Text, Demangled) {
  EXPECT_EQ(demangled("_Z4pokePi"), "poke(int*)");
  EXPECT_EQ(demangled("y"), "y");
  EXPECT_EQ(demangled("__nv_static_22__7dfe75a9_5_st_cu_main__Z4kernPi"), "kern(int*)");
  EXPECT_EQ(demangled("__nv_static_22__7dfe75a9_5_st_cu_main_plain"), "plain");
  EXPECT_EQ(demangled("__nv_static_99__short"), "__nv_static_99__short");
  EXPECT_EQ(demangled("_Znonsense!"), "_Znonsense!");
}

TEST(Text, Fitting) {
  EXPECT_EQ(fit("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(fit("abcdefghijk", 10), "abcdefg...");
  EXPECT_EQ(fit("äöüäöüäöüä!", 10), "äöüäöüä...");
  EXPECT_EQ(fit("abcdef", 3), "abc");
  EXPECT_EQ(columns("äöü"), 3u);
  EXPECT_EQ(pad_left("ä", 3), "  ä");
  EXPECT_EQ(pad_right("ä", 3), "ä  ");
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("incomprehensible word", 5), (std::vector<std::string>{"incomprehensible", "word"}));
  EXPECT_EQ(wrap("about " + glued("97 %"), 8), (std::vector<std::string>{"about", "97 %"}));
  EXPECT_TRUE(wrap("", 5).empty());
}

}  // namespace
}  // namespace warplens::report
