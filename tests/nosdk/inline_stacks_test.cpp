// The edit of LLVM IR and PTX that gives clang's line information its inlined calls.
#include "frontend/inline_stacks.h"

#include <gtest/gtest.h>

namespace warplens::frontend {
namespace {

constexpr const char* kIr =
    "  %4 = load float, ptr %3, align 4, !dbg !21\n"
    "!7 = !DIFile(filename: \"k.cu\", directory: \"/src\")\n"
    "!8 = !DIFile(filename: \"/lib/view.h\", directory: \"/src\")\n"
    "!10 = distinct !DISubprogram(name: \"kernel\", scope: !7, file: !7, line: 7, unit: !6)\n"
    "!17 = distinct !DISubprogram(name: \"load\", scope: !8, file: !8, line: 2, unit: !6)\n"
    "!18 = distinct !DILocation(line: 4, column: 10, scope: !19, inlinedAt: !20)\n"
    "!19 = !DILexicalBlock(scope: !23, file: !8, line: 3)\n"
    "!20 = distinct !DILocation(line: 10, column: 12, scope: !10)\n"
    "!21 = !DILocation(line: 2, column: 69, scope: !17, inlinedAt: !18)\n"
    "!22 = !DILocation(line: 11, column: 1, scope: !10)\n"
    "!23 = distinct !DISubprogram(name: \"sum\", scope: !8, file: !8, line: 3, unit: !6)\n";

TEST(InlineStacks, OnlyLinesOfInlinedCodeBecomeNumbers) {
  std::string expected = kIr;
  const std::string line = "!DILocation(line: 2, column: 69";
  expected.replace(expected.find(line), line.size(), "!DILocation(line: 268435456, column: 69");
  EXPECT_EQ(InlineStacks().number_lines(kIr), expected);
}

TEST(InlineStacks, NumbersBecomeChainsOutermostFirst) {
  InlineStacks stacks;
  stacks.number_lines(kIr);
  EXPECT_EQ(stacks.write_chains("\t.loc\t2 268435456 69    // view.h\n\tld.global.f32 %f1, [%rd1];\n"
                                "\t.loc\t1 11 1\n\tret;\n\t.file\t1 \"/src/k.cu\"\n\t.file\t2 \"/lib/view.h\"\n"),
            "\t.loc\t1 10 12\n"
            "\t.loc\t2 4 10, function_name $L__warplens_name0, inlined_at 1 10 12\n"
            "\t.loc\t2 2 69, function_name $L__warplens_name1, inlined_at 2 4 10\n"
            "\tld.global.f32 %f1, [%rd1];\n"
            "\t.loc\t1 11 1\n\tret;\n\t.file\t1 \"/src/k.cu\"\n\t.file\t2 \"/lib/view.h\"\n"
            "\t.section\t.debug_str\n\t{\n"
            "$L__warplens_name1:\n\t.b8 108\n\t.b8 111\n\t.b8 97\n\t.b8 100\n\t.b8 0\n"
            "$L__warplens_name0:\n\t.b8 115\n\t.b8 117\n\t.b8 109\n\t.b8 0\n\t}\n");
}

TEST(InlineStacks, FilesThatOnlyCallersAreInAreAdded) {
  InlineStacks stacks;
  stacks.number_lines(kIr);
  const std::string ptx = stacks.write_chains("\t.loc\t1 268435456 69\n\t.file\t1 \"/lib/view.h\"\n");
  EXPECT_NE(ptx.find("\t.loc\t2 10 12\n"), ptx.npos) << ptx;
  EXPECT_NE(ptx.find("\t.file\t2 \"/src/k.cu\"\n"), ptx.npos) << ptx;
}

TEST(InlineStacks, WhatIsNotUnderstoodStays) {
  InlineStacks stacks;
  for (const char* ir : {"", "!", "!1 = ", "!1 = !DILocation(", "!1 = !DILocation(line: x, inlinedAt: !2)\n",
                         "!1 = !DILocation(line: 0, column: 3, scope: !2, inlinedAt: !3)\n", "no newline at the end"})
    EXPECT_EQ(stacks.number_lines(ir), ir);
  // A place that is inlined into itself ends.
  stacks.number_lines("!1 = !DILocation(line: 5, column: 3, scope: !2, inlinedAt: !1)\n");
  for (const char* ptx : {"", "\t.loc\t", "\t.loc\t1 2 3", "\t.loc\t1 268435999 3\n", "\t.file\t\"\n", "\t.file\t1 \""})
    EXPECT_EQ(stacks.write_chains(ptx), ptx);
}

}  // namespace
}  // namespace warplens::frontend
