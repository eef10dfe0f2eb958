// The recursive-descent parser behind ptx/parse.h. Internal to src/ptx; its member functions are spread over
//   parse.cpp (the module), parse_function.cpp (functions and statements), parse_variable.cpp, parse_operand.cpp,
//   parse_expression.cpp (constant expressions).
//
// A function that returns bool says false after an error that it has reported; whoever can go on after a ';' or '}'
// does so. Scopes of { } nest on a stack of our own, so that only operands and expressions recurse, at most kMaxNesting
// deep.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/parse.h"
#include "ptx/scopes.h"

namespace warplens::ptx {

// The value of a constant expression, with C's types as PTX has them.
struct Constant {
  enum class Type : uint8_t { Signed, Unsigned, F32, F64 };
  Type type = Type::Signed;
  uint64_t bits = 0;
  bool minus = false;      // written as '-' and a literal
  bool warp_size = false;  // written as WARP_SZ alone
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name);
  ParseResult run();

 private:
  // ---- tokens (parse.cpp)
  void advance() { token_ = lexer_.next(); }
  bool at(char punct) const { return token_.kind == TokenKind::Punct && token_.punct == punct; }
  bool at_word(std::string_view word) const { return token_.kind == TokenKind::Word && token_.text == word; }
  bool at_dot(std::string_view word) const {
    return token_.kind == TokenKind::DotWord && token_.text.substr(1) == word;
  }
  bool at_end() const { return token_.kind == TokenKind::End; }
  bool accept(char punct);
  bool expect(char punct, std::string_view where);
  bool error(std::string message);  // at the current token; always false
  bool error_at(SourcePos pos, std::string message);
  std::string found() const;             // the current token, for messages
  void skip_statement(int open_braces);  // behind the next ';', before the '}' of the enclosing block
  bool expect_name(std::string& out, std::string_view what);
  bool expect_unsigned(uint64_t& out, std::string_view what);
  bool expect_u32(uint32_t& out, std::string_view what);
  void append_word(std::string& out);  // the current token as a word of kept text; advances
  std::string balanced_text();         // current '(': what is inside, up to and past its ')'

  // ---- module level (parse.cpp)
  void module_item();
  bool version();
  bool target();
  bool address_size();
  bool file();
  bool section();
  bool linked_item();  // .visible ... .global | .entry | .func
  bool unknown_directive(Directive& out, bool block_may_follow_line);
  void directive_arguments(Directive& out, bool to_line_end);
  void add_directive(Directive directive);
  bool pragma(Directive& out);

  // ---- functions and statements (parse_function.cpp)
  bool function(std::string linkage);
  bool function_signature(Function& f);
  bool parameters(std::vector<Variable>& out);
  bool attribute_list(std::vector<std::string>& out);
  void function_directives(Function& f);
  void function_body(Function& f);
  bool statement(Function& f);
  bool dot_statement(Function& f);
  bool word_statement(Function& f);
  bool loc(Function& f);
  bool labelled_directive(Directive d);
  bool prototype(Directive& d);
  bool instruction();
  bool operands(Instruction& out);
  void keep_rest_as_unknown(Instruction& out);
  void open_block();
  bool close_block(Function& f);  // false: the function's own
  void finish_block();
  std::vector<Statement>& statements() { return gathered_statements_[blocks_.size() - 1]; }  // of the innermost block

  // ---- variables (parse_variable.cpp)
  bool variables(std::string linkage, std::vector<Variable>& out);  // current: the space; up to and past the ';'
  bool variable_head(Variable& out);                                // space, type and their like
  bool pointer_words(Variable& out);
  bool declarator(Variable& out);
  bool initializer(Variable& out);
  bool initializer_value(Operand& out);
  bool field_value(Operand& out);
  bool masked_address(Operand& out);
  bool address_constant(Operand& out);

  // ---- operands (parse_operand.cpp)
  bool operand(Operand& out);
  bool primary(Operand& out);
  bool word_operand(Operand& out);
  bool element_index(Operand& out);
  bool address(Operand& out);
  bool address_base(Operand& out);
  bool elements(Operand& out, char close, std::string_view where);
  bool operand_list(std::vector<Operand>& out);
  void take_gathered(size_t first, std::vector<Operand>& out);  // what was gathered since, behind what is in `out`
  bool takes_lists() const;
  bool constant_operand(Operand& out);
  bool symbol_offset(int64_t& offset);

  // ---- constant expressions (parse_expression.cpp)
  bool expression(Constant& out);
  bool binary(Constant& out, int lowest);
  bool unary(Constant& out);
  bool literal(Constant& out);
  int binary_operator(int& length) const;
  void advance_operator(int length);

  bool enter_nesting();
  void leave_nesting() { --nesting_; }

  Diagnostics diagnostics_;
  Reporter reporter_;
  Lexer lexer_;
  Token token_;
  Module module_;
  RegisterScopes scopes_;
  std::array<std::vector<Statement>, kMaxNesting> gathered_statements_;  // of each open block
  std::vector<Block*> blocks_;                                           // open { }, outermost first
  int flattened_ = 0;  // { } beyond kMaxNesting, whose statements go to the innermost block kept
  int nesting_ = 0;
  int operand_braces_ = 0;               // open { of operands of the current statement
  int32_t loc_ = -1;                     // in force
  std::string_view opcode_;              // of the instruction being read
  std::vector<Operand> gathered_;        // see operand_list
  std::vector<std::string_view> words_;  // the modifiers of the instruction being read
};

}  // namespace warplens::ptx
