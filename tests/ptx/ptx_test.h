// What the tests of ptx share.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ptx/equal.h"
#include "ptx/parse.h"
#include "ptx/print.h"

namespace warplens::ptx {

inline std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += to_string(d) + "\n";
  return text;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The module of text that has no errors and says the same when printed.
inline Module parse_clean(const std::string& text) {
  ParseResult result = parse(text, "test.ptx");
  EXPECT_EQ(text_of(result.diagnostics), "") << text.substr(0, 2000);
  const std::string printed = print(result.module);
  const ParseResult again = parse(printed, "printed.ptx");
  EXPECT_EQ(text_of(again.diagnostics), "") << printed.substr(0, 2000);
  EXPECT_TRUE(equal(result.module, again.module)) << printed.substr(0, 2000);
  return std::move(result.module);
}

// The statements of a kernel whose body is `body`.
inline std::vector<Statement> statements(const std::string& body) {
  Module module = parse_clean(".version 8.5\n.target sm_90a\n.address_size 64\n.entry k()\n{\n" + body + "\n}\n");
  return module.functions.size() == 1 ? std::move(module.functions[0].body.statements) : std::vector<Statement>();
}

// The one instruction that `text` is.
inline Instruction instruction(const std::string& text) {
  const std::vector<Statement> list = statements(text);
  EXPECT_EQ(list.size(), 1u) << text;
  const auto* found = list.empty() ? nullptr : std::get_if<Instruction>(&list[0]);
  EXPECT_NE(found, nullptr) << text;
  return found ? *found : Instruction();
}

// The operand of "mov.b64 %rd1, <text>;".
inline Operand operand(const std::string& text) {
  const Instruction i = instruction("mov.b64 %rd1, " + text + ";");
  EXPECT_EQ(i.operands.size(), 2u) << text;
  return i.operands.empty() ? Operand() : i.operands.back();
}

// The variables that `text` declares at module level.
inline std::vector<Variable> variables(const std::string& text) { return parse_clean(text).variables; }

}  // namespace warplens::ptx
