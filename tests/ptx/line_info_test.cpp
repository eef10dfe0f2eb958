#include "ptx/line_info.h"

#include "ptx_test.h"

namespace warplens::ptx {
namespace {

// What nvcc -lineinfo writes for: kern() calls outer<float>(), which calls inner(); everything inlined.
const std::string kKernel = R"(
.visible .entry _Z4kernPf(.param .u64 p)
{
	nop0;
	.loc 1 15 3
	nop1;
	.loc 1 8 3, function_name $L__info_string0, inlined_at 1 15 3
	nop2;
	.loc 2 4 3, function_name $L__info_string1, inlined_at 1 8 3
	nop3;
	.loc 1 16 3
	nop4;
	.loc 2 4 3, function_name $L__info_string0+17, inlined_at 1 99 9
	nop5;
}
.file 1 "/src/k.cu"
.file 2 "/src/inl.h"
)";

// "_Z5outerIfET_S0_" and "_Z5innerf": bytes on one line, as the sm_80 back end writes them.
const std::string kOneLine = R"(
.section .debug_str
{
$L__info_string0:
.b8 95,90,53,111,117,116,101,114,73,102,69,84,95,83,48,95,0
$L__info_string1:
.b8 95,90,53,105,110,110,101,114,102,0
}
)";

// One byte a line, as the sm_100 back end writes them.
std::string one_a_line() {
  std::string text = ".section .debug_str\n{\n$L__info_string0:\n";
  for (char c : std::string("_Z5outerIfET_S0_\0", 17)) text += ".b8 " + std::to_string(c) + "\n";
  text += "$L__info_string1:\n";
  for (char c : std::string("_Z5innerf\0", 10)) text += ".b8 " + std::to_string(c) + "\n";
  return text + "}\n";
}

TEST(LineInfo, InlineStackInnermostFirst) {
  for (const std::string& section : {kOneLine, one_a_line()}) {
    const Module m = parse_clean(kKernel + section);
    const Function& f = m.functions.at(0);
    const auto stack = inline_stack(m, f, 2);
    const std::vector<LineFrame> expected = {{"/src/inl.h", 4, 3, "inner(float)"},
                                             {"/src/k.cu", 8, 3, "float outer<float>(float)"},
                                             {"/src/k.cu", 15, 3, "kern(float*)"}};
    EXPECT_EQ(stack, expected);
    EXPECT_EQ(inline_stack(m, f, 3), (std::vector<LineFrame>{{"/src/k.cu", 16, 3, "kern(float*)"}}));
  }
}

TEST(LineInfo, ACallPlaceWithoutALocIsAFrameWithoutAName) {
  const Module m = parse_clean(kKernel + kOneLine);
  const auto stack = inline_stack(m, m.functions.at(0), 4);
  const std::vector<LineFrame> expected = {{"/src/inl.h", 4, 3, "inner(float)"}, {"/src/k.cu", 99, 9, ""}};
  EXPECT_EQ(stack, expected) << "function_name counts bytes from its label: +17 is the next string";
}

TEST(LineInfo, TheLatestEarlierLocIsTheCaller) {
  const Module m = parse_clean(
      ".entry k() {\n.loc 1 5 1\na;\n.loc 1 9 1, function_name f, inlined_at 1 5 1\nb;\n.loc 1 5 1\nc;\n"
      ".loc 1 9 1, function_name f, inlined_at 1 5 1\nd;\n}\n.file 1 \"x\"");
  const SectionBytes strings = debug_strings(m);
  const LineTable table(m, m.functions.at(0), strings);
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table.caller(1), 0);
  EXPECT_EQ(table.caller(3), 2);
  EXPECT_EQ(table.caller(0), -1);
  EXPECT_EQ(table.caller(99), -1);
}

TEST(LineInfo, NothingIsKnownWithoutLocs) {
  const Module m = parse_clean(kKernel);
  EXPECT_TRUE(inline_stack(m, m.functions.at(0), -1).empty());
  EXPECT_TRUE(inline_stack(m, m.functions.at(0), 12345).empty());
  EXPECT_EQ(inline_stack(m, m.functions.at(0), 2).at(0).function, "") << "no .debug_str";
  const Module nofile = parse_clean(".entry k() {\n.loc 7 1 1\nnop0;\n}");
  EXPECT_EQ(inline_stack(nofile, nofile.functions.at(0), 0).at(0).file, "");
}

TEST(LineInfo, DeepStacksAreCutAndStayLinear) {
  std::string text = ".entry k() {\n.loc 1 1 1\n";
  constexpr int kDepth = 20000;
  for (int i = 2; i < kDepth; ++i) {
    text += ".loc 1 " + std::to_string(i) + " 1, function_name f, inlined_at 1 " + std::to_string(i - 1) + " 1\n";
  }
  const ParseResult r = parse(text + "nop0; }", "x");
  const SectionBytes strings = debug_strings(r.module);
  const LineTable table(r.module, r.module.functions.at(0), strings);
  EXPECT_EQ(table.stack(kDepth - 2).size(), kMaxInlineDepth);
}

TEST(Sections, DataOfAllWidths) {
  const SectionBytes s =
      decode_section("a:\n.b8 1, 2 // c\n.b16 0x0403\nb:\n.b32 label+4\n.b32 .debug_abbrev\n.b8 -1\n.b64 5");
  EXPECT_EQ(s.bytes, std::string("\1\2\3\4\0\0\0\0\0\0\0\0\377\5\0\0\0\0\0\0\0", 21));
  EXPECT_EQ(s.labels.at("a"), 0u);
  EXPECT_EQ(s.labels.at("b"), 4u);
  EXPECT_EQ(s.string_at("nowhere"), "");
  EXPECT_EQ(s.string_at("a", 1000), "");
  EXPECT_EQ(s.string_at("a", UINT64_MAX), "");
  EXPECT_EQ(s.string_at("a", 1).size(), 3u);
}

TEST(Demangle, OnlyMangledNames) {
  EXPECT_EQ(demangle("_Z4kernPf"), "kern(float*)");
  EXPECT_EQ(demangle("add_kernel"), "add_kernel");
  EXPECT_EQ(demangle("_Zno"), "_Zno");
  EXPECT_EQ(demangle(""), "");
}

}  // namespace
}  // namespace warplens::ptx
