// The generator of random kernels knows the whole instruction set, but for what is named here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>

#include "engine/kernel_generator.h"
#include "engine/trial.h"
#include "ptx/instructions.h"
#include "ptx/parse.h"

namespace warplens::engine_test {
namespace {

// Opcodes that run and that no random kernel holds, and why.
const std::map<std::string, std::string> kLeftOut = {
    {"trap", "ends the launch"},
    {"brkpt", "ends the launch"},
    {"setmaxnreg", "changes nothing, and needs whole warpgroups"},
    {"stmatrix", "every lane writes for others: the places of a warp are not its own in these kernels (tests/run)"},
    {"tex", "needs texture objects: tests/run/texture_test.cpp has random ones"},
    {"tld4", "as tex"},
    {"txq", "as tex"},
    {"suld", "as tex"},
    {"sust", "as tex"},
    {"sured", "as tex"},
    {"suq", "as tex"},
    {"istypep", "as tex"},
};

void collect(const ptx::Block& block, std::set<std::string>* opcodes) {
  for (const ptx::Statement& s : block.statements)
    if (const auto* i = std::get_if<ptx::Instruction>(&s))
      opcodes->insert(i->opcode);
    else if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&s))
      collect(**inner, opcodes);
}

TEST(Generator, KnowsEveryOpcode) {
  std::set<std::string> generated;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const auto parsed = ptx::parse(generate(seed).text, "generated.ptx");
    for (const ptx::Function& f : parsed.module.functions) collect(f.body, &generated);
  }
  for (const ptx::OpcodeInfo& info : ptx::opcodes()) {
    const std::string name(info.text);
    if (info.status == ptx::Status::Refused)
      EXPECT_FALSE(generated.contains(name)) << name << " is refused";
    else
      EXPECT_NE(generated.contains(name), kLeftOut.contains(name)) << name;
  }
}

TEST(Generator, MakesWhatLowers) {
  exec::DeviceMemory memory(1 << 30);
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const auto program = compile(generate(seed).text, memory);
    EXPECT_TRUE(program) << "seed " << seed << ": " << program.error().what;
  }
}

}  // namespace
}  // namespace warplens::engine_test
