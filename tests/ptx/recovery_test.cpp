// Errors: found, placed, and survived; and inputs made to be expensive.
#include <algorithm>

#include "ptx_test.h"

namespace warplens::ptx {
namespace {

size_t instructions_in(const Block& block) {
  size_t count = 0;
  for (const Statement& s : block.statements) count += std::holds_alternative<Instruction>(s);
  return count;
}

TEST(Recovery, AMissingSemicolonCostsNothing) {
  const ParseResult r =
      parse(".entry k() {\n.reg .b32 %r<4>\nadd.u32 %r1, %r2, %r3\nret;\n}\n.entry l() { ret; }", "k.ptx");
  ASSERT_EQ(r.diagnostics.size(), 2u) << text_of(r.diagnostics);
  EXPECT_EQ(r.diagnostics[0].pos.line, 3u);
  EXPECT_EQ(r.diagnostics[1].pos.line, 4u);
  EXPECT_EQ(to_string(r.diagnostics[1]), "k.ptx:4:1: error: expected ',' or ';' in add, found 'ret'");
  ASSERT_EQ(r.module.functions.size(), 2u);
  EXPECT_EQ(instructions_in(r.module.functions[0].body), 2u);
}

TEST(Recovery, WhatCannotBeReadIsKeptAsUnknown) {
  const ParseResult r = parse(".entry k() {\nmov.b32 {%r1, ?, %r2}, %r3, ];\nadd.u32 %r1, %r2, %r3;\n}", "x");
  EXPECT_EQ(r.diagnostics.size(), 1u) << text_of(r.diagnostics);
  const auto& body = r.module.functions.at(0).body;
  ASSERT_EQ(instructions_in(body), 2u);
  const auto& mov = std::get<Instruction>(body.statements[0]);
  EXPECT_EQ(mov.operands.back().kind, Operand::Kind::Unknown);
  EXPECT_EQ(std::get<Instruction>(body.statements[1]).operands.size(), 3u);
}

TEST(Recovery, FunctionsAfterABadOneAreRead) {
  for (const char* bad : {".entry bad(.param .u64 a .param .u64 b) { ret; }", ".entry bad() { {{ ret; ",
                          ".entry { ret; }", ".func (x) f() { }", ".global .u32 = 5;", "} } ;", "stray words;",
                          ".entry bad()", ".version x", ".file x", ".section 5 { }", ".visible .nothing x;"}) {
    const ParseResult r = parse(std::string(bad) + "\n.entry good() { ret; }", "x");
    EXPECT_FALSE(r.diagnostics.empty()) << bad;
    ASSERT_FALSE(r.module.functions.empty()) << bad;
    EXPECT_EQ(r.module.functions.back().name, "good") << bad;
    EXPECT_EQ(instructions_in(r.module.functions.back().body), 1u) << bad;
  }
}

TEST(Recovery, EveryPrefixOfAModuleIsRead) {
  const std::string text = read_file(WARPLENS_SOURCE_DIR "/tests/ptx/golden/statements.ptx");
  ASSERT_FALSE(text.empty());
  for (size_t length = 0; length < text.size(); length += 7) {
    const ParseResult r = parse(std::string_view(text).substr(0, length), "x");
    (void)print(r.module);
  }
}

std::string repeated(const std::string& text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Limits, NestingIsBounded) {
  constexpr size_t kDeep = 200000;
  for (const char* open :
       {"{", "[", "(", "-", "!", "~", "{[", "1?", "(.s64)", "1+(", "call (", "@p {", "a|", ".global .u32 x = {{"}) {
    const std::string deep = repeated(open, kDeep);
    EXPECT_FALSE(parse(".entry k() { mov.b32 %r1, " + deep, "x").diagnostics.empty()) << open;
    EXPECT_FALSE(parse(".entry k() { " + deep, "x").diagnostics.empty()) << open;
    EXPECT_FALSE(parse(".global .u32 x = " + deep, "x").diagnostics.empty()) << open;
    (void)parse(deep, "x");
  }
}

TEST(Limits, ScopesNestedTooDeeplyStillClose) {
  const std::string text =
      ".entry k() " + repeated("{", 1000) + " ret; " + repeated("}", 1000) + "\n.entry after() { ret; }";
  const ParseResult r = parse(text, "x");
  EXPECT_EQ(r.diagnostics.size(), 1u) << text_of(r.diagnostics);
  ASSERT_EQ(r.module.functions.size(), 2u);
  EXPECT_EQ(r.module.functions[1].name, "after");
}

TEST(Limits, DiagnosticsAreBounded) {
  const ParseResult r = parse(".entry k() {" + repeated("?;\n", 10000) + "}", "x");
  EXPECT_EQ(r.diagnostics.size(), kMaxDiagnostics + 1);
}

TEST(Limits, BytesThatAreNoText) {
  std::string bytes;
  for (int i = 0; i < 1 << 16; ++i) bytes += static_cast<char>(i * 2654435761u >> 13);
  EXPECT_FALSE(parse(bytes, "x").diagnostics.empty());
  EXPECT_TRUE(parse("", "x").diagnostics.empty());
  EXPECT_FALSE(parse("/* no end", "x").diagnostics.empty());
  EXPECT_FALSE(parse(".file 1 \"no end\n", "x").diagnostics.empty());
}

}  // namespace
}  // namespace warplens::ptx
