// Statements, instructions and operands.
#include <algorithm>

#include "ptx/instructions.h"
#include "ptx_test.h"

namespace warplens::ptx {
namespace {

using Kind = Operand::Kind;

TEST(Operands, RegistersAndSpecialRegisters) {
  EXPECT_EQ(operand("%r1").kind, Kind::Register);
  EXPECT_EQ(operand("%r1").name, "%r1");
  EXPECT_EQ(operand("%tid.x").name, "%tid.x");
  EXPECT_EQ(operand("%tid.x").component, "");
  EXPECT_EQ(operand("%cluster_nctaid.z").name, "%cluster_nctaid.z");
  EXPECT_EQ(operand("%clock64").name, "%clock64");
  EXPECT_EQ(operand("%v.w").name, "%v");
  EXPECT_EQ(operand("%v.w").component, "w");
  EXPECT_TRUE(operand("!%p").negated);
  EXPECT_TRUE(operand("-%r3.h1").negative);
  EXPECT_EQ(operand("_").kind, Kind::Sink);
}

TEST(Operands, SymbolsWithOffsets) {
  EXPECT_EQ(operand("table").kind, Kind::Symbol);
  EXPECT_EQ(operand("table+8").offset, 8);
  EXPECT_EQ(operand("table-8").offset, -8);
  EXPECT_EQ(operand("table+4*2-1").offset, 7);
  EXPECT_EQ(operand("$L__BB0_1").name, "$L__BB0_1");
  const Operand element = operand("table[2]");
  EXPECT_EQ(element.kind, Kind::Element);
  EXPECT_EQ(element.offset, 2);
  EXPECT_EQ(element.elements.at(0).name, "table");
}

TEST(Operands, Immediates) {
  EXPECT_EQ(operand("42").value, 42u);
  EXPECT_EQ(operand("0x1F").value, 31u);
  EXPECT_EQ(operand("017").value, 15u);
  EXPECT_EQ(operand("0b101").value, 5u);
  EXPECT_EQ(operand("0xFFFFFFFFFFFFFFFFU").value, ~uint64_t{0});
  EXPECT_EQ(operand("-1").value, ~uint64_t{0});
  EXPECT_TRUE(operand("-1").negative);
  EXPECT_FALSE(operand("0").negative);
  EXPECT_FALSE(operand("-0").negative);
  EXPECT_EQ(operand("-9223372036854775808").value, uint64_t{1} << 63);
  EXPECT_EQ(operand("WARP_SZ").value, 32u);
  EXPECT_EQ(operand("WARP_SZ").name, "WARP_SZ");
}

TEST(Operands, Floats) {
  EXPECT_EQ(operand("0f3F800000").kind, Kind::Float);
  EXPECT_EQ(operand("0f3F800000").value, 0x3F800000u);
  EXPECT_FALSE(operand("0f3F800000").is_f64);
  EXPECT_EQ(operand("0F7FC00001").value, 0x7FC00001u);  // NaNs keep their payload
  EXPECT_EQ(operand("0d3FF0000000000000").value, 0x3FF0000000000000u);
  EXPECT_TRUE(operand("0d3FF0000000000000").is_f64);
  EXPECT_EQ(operand("1.0").value, 0x3FF0000000000000u);
  EXPECT_EQ(operand(".5").value, 0x3FE0000000000000u);
  EXPECT_EQ(operand("-2.5e-1").value, 0xBFD0000000000000u);
  EXPECT_EQ(operand("-0f3F800000").value, 0xBF800000u);
  EXPECT_EQ(operand("1e999").value, 0x7FF0000000000000u);
  EXPECT_EQ(operand("1e-999").value, 0u);
}

TEST(Operands, Addresses) {
  const auto address = [](const std::string& text) { return instruction("ld.u32 %r1, " + text + ";").operands.at(1); };
  for (const char* text : {"[%rd1+4]", "[ %rd1 + 4 ]", "[%rd1+8+-4]", "[%rd1+0x4]"}) {
    const Operand a = address(text);
    EXPECT_EQ(a.kind, Kind::Address) << text;
    EXPECT_EQ(a.offset, 4) << text;
    EXPECT_EQ(a.elements.at(0).name, "%rd1") << text;
  }
  EXPECT_EQ(address("[%rd1+-4]").offset, -4);
  EXPECT_EQ(address("[%rd1]").offset, 0);
  EXPECT_EQ(address("[buf+4]").offset, 4);
  EXPECT_EQ(address("[buf+4]").elements.at(0).kind, Kind::Symbol);
  EXPECT_EQ(address("[buf+4]").elements.at(0).offset, 0);
  EXPECT_EQ(address("[256]").elements.at(0).value, 256u);
  EXPECT_EQ(address("[%rd1].unified").component, "unified");
}

TEST(Operands, AddressesOfSeveralElements) {
  const Instruction tex = instruction("tex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [%rd1, %rd2, {%f5, %f6}];");
  EXPECT_EQ(tex.operands.at(0).elements.size(), 4u);
  EXPECT_EQ(tex.operands[0].elements[3].kind, Kind::Sink);
  EXPECT_EQ(tex.operands.at(1).elements.size(), 3u);
  EXPECT_EQ(tex.operands[1].elements[2].kind, Kind::Vector);
  const Instruction tma = instruction(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, "
      "{%r2, "
      "%r3}], [%r4], %rs1;");
  EXPECT_EQ(tma.opcode, "cp");
  EXPECT_EQ(tma.modifiers.at(5), "global");
  EXPECT_EQ(tma.modifiers.at(6), "mbarrier::complete_tx::bytes");
  EXPECT_EQ(tma.operands.size(), 4u);
}

TEST(Operands, Pairs) {
  const Instruction i = instruction("setp.lt.and.s32 %p1|_, %r1, -5, !%p3;");
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_EQ(i.operands[0].kind, Kind::Pair);
  EXPECT_EQ(i.operands[0].elements.at(1).kind, Kind::Sink);
  EXPECT_TRUE(i.operands[3].negated);
}

TEST(Instructions, GuardOpcodeAndModifiers) {
  const Instruction i = instruction("@!%p1 ld.global.nc.L1::evict_last.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];");
  EXPECT_EQ(i.guard, "%p1");
  EXPECT_TRUE(i.guard_negated);
  EXPECT_EQ(i.opcode, "ld");
  EXPECT_EQ(i.modifiers, (std::vector<std::string>{"global", "nc", "L1::evict_last", "L2::128B", "v4", "f32"}));
  EXPECT_EQ(i.pos.line, 6u);
  EXPECT_EQ(i.pos.column, 1u);
  EXPECT_EQ(instruction("tex.3d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}];").modifiers.at(0), "3d");
}

TEST(Instructions, Calls) {
  const Instruction full = instruction("call.uni (retval0), %rd4, (param0, 5), prototype_0;");
  ASSERT_EQ(full.operands.size(), 4u);
  EXPECT_EQ(full.operands[0].kind, Kind::List);
  EXPECT_EQ(full.operands[1].kind, Kind::Register);
  EXPECT_EQ(full.operands[2].elements.at(1).value, 5u);
  EXPECT_EQ(full.operands[3].name, "prototype_0");
  EXPECT_EQ(instruction("call f;").operands.size(), 1u);
  EXPECT_EQ(instruction("call (r), f, ();").operands.at(2).elements.size(), 0u);
}

TEST(Instructions, UnknownOnesAreNodes) {
  const Instruction i = instruction("futuristic.op::new.v9 %r1, (%r2, %r3), {[%rd1]};");
  EXPECT_EQ(i.opcode, "futuristic");
  EXPECT_EQ(i.operands.at(1).kind, Kind::List);
  EXPECT_FALSE(find_opcode(i.opcode));
}

TEST(Scopes, PlainNamesAreRegistersWhereDeclared) {
  const auto list = statements(
      "mov.b32 %r1, lane;\n"
      "{ .reg .b32 lane, r<4>; .reg .pred p; @p mov.b32 %r1, lane; mov.b32 %r1, r3; mov.b32 %r1, r4; mov.b32 %r1, "
      "r03;\n"
      "  { .reg .b32 inner; mov.b32 %r1, lane; } mov.b32 %r1, inner; }\n"
      "mov.b32 %r1, lane;");
  const auto kind = [](const Statement& s) { return std::get<Instruction>(s).operands.at(1).kind; };
  EXPECT_EQ(kind(list.front()), Kind::Symbol);
  EXPECT_EQ(kind(list.back()), Kind::Symbol);
  const auto& scope = std::get<std::shared_ptr<Block>>(list.at(1))->statements;
  EXPECT_EQ(std::get<Variable>(scope.at(1)).count_suffix, 4u);
  EXPECT_EQ(kind(scope.at(3)), Kind::Register);
  EXPECT_EQ(kind(scope.at(4)), Kind::Register);
  EXPECT_EQ(kind(scope.at(5)), Kind::Symbol) << "r<4> is r0 to r3";
  EXPECT_EQ(kind(scope.at(6)), Kind::Symbol) << "r03 is not how number 3 is written";
  const auto& inner = std::get<std::shared_ptr<Block>>(scope.at(7))->statements;
  EXPECT_EQ(kind(inner.at(1)), Kind::Register);
  EXPECT_EQ(kind(scope.at(8)), Kind::Symbol) << "the scope of inner has ended";
}

TEST(Scopes, LabelsAndDirectivesOfFunctions) {
  const auto list = statements(
      "L1: L2: ret;\n"
      "jumps: .branchtargets L1, L2;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 16 .b8 _[32]) .noreturn .abi_preserve 4;\n"
      ".pragma \"nounroll\";");
  EXPECT_EQ(std::get<Label>(list.at(1)).name, "L2");
  const auto& targets = std::get<Directive>(list.at(3));
  EXPECT_EQ(targets.label, "jumps");
  EXPECT_EQ(targets.operands.at(1).name, "L2");
  const auto& proto = std::get<Directive>(list.at(4));
  EXPECT_EQ(proto.results.at(0).type, "b32");
  EXPECT_EQ(proto.params.at(1).dims, (std::vector<uint64_t>{32}));
  EXPECT_EQ(proto.arguments, (std::vector<std::string>{".noreturn", ".abi_preserve 4"}));
  EXPECT_EQ(std::get<Directive>(list.at(5)).arguments.at(0), "\"nounroll\"");
}

TEST(Locs, EachInstructionHasTheOneInForce) {
  const Module m = parse_clean(
      ".entry k() {\nnop0;\n.loc 1 5 2\nnop1; nop2;\n.loc 1 6 1\n.loc 2 7 3, function_name $L__info_string0+12, "
      "inlined_at 1 5 2\n"
      "{ nop3; }\n.loc 1 9 1\n}\n.entry other() { nop4; }");
  const auto& body = m.functions.at(0).body.statements;
  EXPECT_EQ(std::get<Instruction>(body.at(0)).loc, -1);
  EXPECT_EQ(std::get<Instruction>(body.at(1)).loc, 0);
  EXPECT_EQ(std::get<Instruction>(body.at(2)).loc, 0);
  EXPECT_EQ(std::get<Instruction>(std::get<std::shared_ptr<Block>>(body.at(3))->statements.at(0)).loc, 2);
  ASSERT_EQ(m.functions[0].locs.size(), 4u);
  EXPECT_EQ(m.functions[0].locs[2].function, "$L__info_string0");
  EXPECT_EQ(m.functions[0].locs[2].function_offset, 12u);
  EXPECT_EQ(m.functions[0].locs[2].at_line, 5u);
  EXPECT_EQ(std::get<Instruction>(m.functions.at(1).body.statements.at(0)).loc, -1);
}

TEST(Text, CommentsPreprocessorLinesAndTrailingNulsAreNothing) {
  const std::string text("# 1 \"k.ptx\"\n.version 7.0 /* a\n b */ // c\n#line 3\n@@DWARF .byte 1\n.target sm_80\n\0\0",
                         82);
  const Module m = parse_clean(text);
  EXPECT_EQ(m.version_major, 7);
  EXPECT_EQ(m.target, "sm_80");
}

TEST(Opcodes, TableIsSortedOutByName) {
  EXPECT_EQ(find_opcode("ld"), Opcode::Ld);
  EXPECT_EQ(info(Opcode::Wgmma).family, Family::Matrix);
  EXPECT_FALSE(find_opcode("lda"));
  EXPECT_FALSE(find_opcode(""));
  for (const OpcodeInfo& op : opcodes()) EXPECT_EQ(find_opcode(op.text), op.opcode) << op.text;
}

}  // namespace
}  // namespace warplens::ptx
