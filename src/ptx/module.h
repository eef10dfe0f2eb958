// PTX as data: what the text says, nothing more. Built by ptx/parse.h, printed by ptx/print.h; no meaning is attached here.
// The shape is open: an opcode, directive or operand that nobody knows is kept as text and never an error in itself.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"

namespace warplens::ptx {

struct Operand {
  enum class Kind : uint8_t {
    Register,     // %r1, %tid.x (special registers too); `name`
    Symbol,       // variable, function or label; `name`, plus `offset` for name+4
    Immediate,    // integer; `value` holds the bits, `negative` if written with '-'
    Float,        // 0f3F800000, 0d3FF0..., or decimal; `value` holds the bits of the f32 or f64, `is_f64`
    Address,      // [base+offset]: `elements[0]` the base (Register, Symbol or Immediate), `offset`
    Vector,       // {a, b, ...}: `elements`
    Pair,         // a|b: `elements`
    Sink,         // _
    List,         // (a, b): call parameters and results
  };
  Kind kind = Kind::Immediate;
  std::string name;
  bool negated = false;      // !%p
  bool negative = false;
  bool is_f64 = false;
  uint64_t value = 0;
  int64_t offset = 0;
  std::string component;     // ".x" of %v.x, without the dot
  std::vector<Operand> elements;
};

// One frame of a .loc; see ptx/line_info.h for whole inline stacks.
struct Loc {
  uint32_t file = 0, line = 0, column = 0;
  std::string function;      // label of function_name, with +offset kept in function_offset; "" if none
  uint32_t function_offset = 0;
  uint32_t at_file = 0, at_line = 0, at_column = 0;  // inlined_at; at_file 0: none
};

struct Instruction {
  std::string guard;                   // "%p1" of @%p1; "" if none
  bool guard_negated = false;
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // {"global", "nc", "v4", "f32"}: without dots, in order
  std::vector<Operand> operands;
  SourcePos pos;
  int32_t loc = -1;                    // index into Function::locs, -1: none in force
};

struct Label { std::string name; SourcePos pos; };

struct Variable {
  std::string space;                   // "global", "shared", "const", "local", "param", "reg"
  std::string type;                    // "u32", "b8", "f32", "texref"
  int vector = 1;                      // .v2, .v4
  std::string name;
  uint32_t count_suffix = 0;           // %r<8>: 8; 0 if not written
  uint32_t align = 0;                  // 0: not given
  std::vector<uint64_t> dims;          // [16][16]; an empty [] is 0
  bool is_array = false;
  bool pointer = false;                // .ptr on a parameter
  std::string pointer_space;           // "global"
  uint32_t pointer_align = 0;
  std::string linkage;                 // "visible", "extern", "weak", "common", ""
  std::vector<std::string> attributes; // "managed", "unified(...)"
  std::vector<Operand> initializer;    // flat or nested Vector; Symbol (with offset) for addresses; `generic(x)` as Symbol with component "generic", `mask(x)` likewise
  SourcePos pos;
};

struct Directive {                     // kept as written: .pragma "nounroll"; .maxntid 256, 1, 1; .branchtargets, .callprototype ...
  std::string name;                    // without the dot
  std::string label;                   // of "name: .branchtargets a, b"
  std::vector<std::string> arguments;
  std::vector<Operand> operands;       // of .branchtargets/.calltargets
  SourcePos pos;
};

struct Block;
using Statement = std::variant<Instruction, Label, Variable, Directive, std::shared_ptr<Block>>;
struct Block { std::vector<Statement> statements; };  // { ... }: names inside are local to it

struct Function {
  bool is_kernel = false;              // .entry
  std::string name;
  std::string linkage;
  bool declaration_only = false;
  std::vector<Variable> results;       // of .func
  std::vector<Variable> params;
  std::vector<Directive> directives;   // .maxntid, .minnctapersm, .noreturn, ...
  Block body;
  std::vector<Loc> locs;
  SourcePos pos;
};

struct File { uint32_t index = 0; std::string path; };
struct Section { std::string name; std::string text; };   // .section, verbatim

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                  // "sm_80"
  std::vector<std::string> target_options;
  int address_size = 64;
  std::vector<File> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Directive> directives;   // module-level: .alias, .pragma
  std::vector<Section> sections;
};

}  // namespace warplens::ptx
