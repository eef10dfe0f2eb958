// Module level: variables, signatures, sections.
#include "ptx_test.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

TEST(Variables, SpaceTypeAlignmentAndLinkage) {
  const Variable v = variables(".visible .const .align 16 .v4 .f32 coeff[4][8];").at(0);
  EXPECT_EQ(v.linkage, "visible");
  EXPECT_EQ(v.space, "const");
  EXPECT_EQ(v.align, 16u);
  EXPECT_EQ(v.vector, 4);
  EXPECT_EQ(v.type, "f32");
  EXPECT_EQ(v.dims, (std::vector<uint64_t>{4, 8}));
  const Variable open = variables(".extern .shared .align 16 .b8 smem[];").at(0);
  EXPECT_TRUE(open.is_array);
  EXPECT_EQ(open.dims, (std::vector<uint64_t>{0}));
  EXPECT_EQ(variables(".common .global .b64 a, b, c[3];").size(), 3u);
  EXPECT_EQ(variables(".global .attribute(.managed, .unified(1, 2)) .b32 m;").at(0).attributes,
            (std::vector<std::string>{"managed", "unified(1, 2)"}));
  EXPECT_EQ(variables(".global .samplerref s;").at(0).type, "samplerref");
}

TEST(Variables, Initialisers) {
  const Variable scalar = variables(".global .u32 counter = 7;").at(0);
  EXPECT_FALSE(scalar.braced);
  EXPECT_EQ(scalar.initializer.at(0).value, 7u);
  const Variable rows = variables(".global .f32 t[2][2] = {{1.0, 2.0}, {3.0}};").at(0);
  EXPECT_TRUE(rows.braced);
  EXPECT_EQ(rows.initializer.at(0).kind, Kind::Vector);
  EXPECT_EQ(rows.initializer.at(1).elements.size(), 1u);
  EXPECT_TRUE(variables(".global .b8 none[4] = {};").at(0).braced);
}

TEST(Variables, InitialisersWithAddresses) {
  const auto list = variables(".global .u64 p[4] = {a, a+4, generic(b), generic(b)+8};").at(0).initializer;
  EXPECT_EQ(list.at(0).kind, Kind::Symbol);
  EXPECT_EQ(list.at(1).offset, 4);
  EXPECT_EQ(list.at(2).component, "generic");
  EXPECT_EQ(list.at(3).offset, 8);
  const auto bytes = variables(".global .u8 p[3] = {0xff(a), 0xff00(a+4), 0xff0000(generic(b))};").at(0).initializer;
  EXPECT_EQ(bytes.at(0).component, "mask");
  EXPECT_EQ(bytes.at(1).value, 0xff00u);
  EXPECT_EQ(bytes.at(1).offset, 4);
  EXPECT_EQ(bytes.at(2).component, "mask generic");
  const auto sampler = variables(".global .samplerref s = {addr_mode_0 = wrap, force_unnormalized_coords = 1};").at(0);
  EXPECT_EQ(sampler.initializer.at(0).component, "=");
  EXPECT_EQ(sampler.initializer.at(1).elements.at(0).value, 1u);
}

TEST(Functions, Parameters) {
  const Module m = parse_clean(
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 s[12], .param .u64 .ptr b, .param "
      ".f32 c)\n"
      ".maxntid 256, 1, 1\n.minnctapersm 2\n{ ret; }");
  const Function& f = m.functions.at(0);
  EXPECT_TRUE(f.is_kernel);
  EXPECT_EQ(f.linkage, "visible");
  ASSERT_EQ(f.params.size(), 4u);
  EXPECT_TRUE(f.params[0].pointer);
  EXPECT_EQ(f.params[0].pointer_space, "global");
  EXPECT_EQ(f.params[0].pointer_align, 16u);
  EXPECT_EQ(f.params[0].align, 0u);
  EXPECT_EQ(f.params[1].align, 4u);
  EXPECT_TRUE(f.params[2].pointer);
  EXPECT_EQ(f.params[3].name, "c");
  ASSERT_EQ(f.directives.size(), 2u);
  EXPECT_EQ(f.directives[0].arguments, (std::vector<std::string>{"256", "1", "1"}));
}

TEST(Functions, DeclarationsAndResults) {
  const Module m = parse_clean(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n;\n"
      ".func dies() .noreturn;\n.weak .func .attribute(.unified(0xAB, 1)) (.reg .f32 r) g(.reg .f32 x) { mov.f32 r, x; "
      "}\n"
      ".entry bare { ret; }");
  ASSERT_EQ(m.functions.size(), 4u);
  EXPECT_TRUE(m.functions[0].declaration_only);
  EXPECT_EQ(m.functions[0].results.at(0).name, "r");
  EXPECT_EQ(m.functions[1].directives.at(0).name, "noreturn");
  EXPECT_EQ(m.functions[2].attributes.at(0), "unified(0xAB, 1)");
  const auto& mov = std::get<Instruction>(m.functions[2].body.statements.at(0));
  EXPECT_EQ(mov.operands.at(0).kind, Kind::Register) << ".reg parameters are registers";
  EXPECT_TRUE(m.functions[3].params.empty());
}

TEST(Module, HeaderFilesAndSections) {
  const Module m = parse_clean(
      ".version 8.5\n.target sm_90a, texmode_independent, debug\n.address_size 64\n"
      ".file 1 \"a.cu\"\n.file 2 \"b.h\", 17, 4711\n.file 3 \"/usr/include\" \"x.h\"\n"
      ".section .debug_str\n{\nL0:\n.b8 95, 0 // }\n}\n.section .debug_macinfo { }");
  EXPECT_EQ(m.version_minor, 5);
  EXPECT_EQ(m.target_options, (std::vector<std::string>{"texmode_independent", "debug"}));
  EXPECT_EQ(m.files.at(1).size, 4711u);
  EXPECT_TRUE(m.files[1].has_stamp);
  EXPECT_EQ(m.files.at(2).path, "/usr/include/x.h");
  EXPECT_EQ(m.sections.at(0).name, ".debug_str");
  EXPECT_EQ(m.sections[0].text, "\nL0:\n.b8 95, 0 // }\n");
}

TEST(Module, DirectivesNobodyKnowsAreKept) {
  const Module m = parse_clean(
      ".alias a, b;\n.pragma \"x\";\n.future 1, two(3, 4)\n.global .u32 v;\n.table\n{ any { thing } ; }\n.empty {}\n");
  ASSERT_EQ(m.directives.size(), 5u);
  EXPECT_EQ(m.directives[0].arguments, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(m.directives[2].arguments, (std::vector<std::string>{"1", "two(3, 4)"}));
  EXPECT_EQ(m.directives[3].body, " any { thing } ; ");
  EXPECT_EQ(m.variables.size(), 1u);
}

TEST(Module, PrintingKeepsTheOrder) {
  const Module m = parse_clean(".global .u32 a;\n.func f();\n.global .u32 b;\n.file 1 \"x\"\n.func f() { ret; }");
  const std::string text = print(m);
  EXPECT_LT(text.find(".u32 a"), text.find(".func f"));
  EXPECT_LT(text.find(".func f"), text.find(".u32 b"));
  EXPECT_LT(text.find(".u32 b"), text.find(".file 1"));
}

TEST(Module, ModulesMadeByHandPrintWithoutAnOrder) {
  Module m;
  m.target = "sm_80";
  m.variables.emplace_back();
  m.variables.back().space = "global";
  m.variables.back().type = "u32";
  m.variables.back().name = "x";
  EXPECT_EQ(parse_clean(print(m)).variables.at(0).name, "x");
}

}  // namespace
}  // namespace warplens::ptx
