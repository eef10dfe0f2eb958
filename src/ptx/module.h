// PTX as data: what the text says, nothing more. Built by ptx/parse.h, printed by ptx/print.h; no meaning is attached
// here. The shape is open: an opcode, directive or operand that nobody knows is kept as text and never an error in
// itself.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"

namespace warplens::ptx {

// A word of at most 15 characters, kept in place: operands are most of a module's memory.
class ShortWord {
 public:
  static constexpr size_t kLongest = 15;
  ShortWord() = default;
  ShortWord(std::string_view word) : size_(static_cast<char>(word.copy(text_, kLongest))) {}
  ShortWord(const char* word) : ShortWord(std::string_view(word)) {}
  operator std::string_view() const { return {text_, static_cast<size_t>(size_)}; }
  bool empty() const { return size_ == 0; }
  friend bool operator==(const ShortWord& a, std::string_view b) { return std::string_view(a) == b; }

 private:
  char text_[kLongest] = {};
  char size_ = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    Register,   // %r1, %tid.x (special registers, with their .x), or any name that a .reg in scope declares; `name`
    Symbol,     // variable, function or label; `name`, plus `offset` for name+4
    Immediate,  // integer; `value` holds the two's complement bits, `negative` if they are of a value below 0; `name`
                // is "WARP_SZ" (value 32) if written so. Constant expressions arrive here with their value.
    Float,      // 0f3F800000 (f32), 0d3FF0... or decimal (f64); `value` holds the bits, `is_f64`
    Address,    // [base+offset]: `elements[0]` the base (Register, Symbol, Immediate; Unknown for a form nobody knows),
              // `offset`; [tex, {a, b}] and the like: what follows the base in elements[1...]; [a].unified: `component`
    Vector,   // {a, b, ...}: `elements`
    Pair,     // a|b: `elements`
    Sink,     // _
    List,     // (a, b): call parameters and results
    Element,  // var[2]: `elements[0]` the variable (Symbol), `offset` the index in elements of its type
    Unknown,  // anything else, as words in `name`; comes with an Error
  };
  Kind kind = Kind::Immediate;
  bool negated = false;   // !%p
  bool negative = false;  // -5; -%r1 of the video instructions
  bool is_f64 = false;    // decimal floats are f64 in PTX, whatever the instruction: it narrows
  std::string name;
  uint64_t value = 0;
  int64_t offset = 0;
  ShortWord component;  // ".x" of %v.x, without the dot: x y z w r g b a
  std::vector<Operand> elements;
};

// One frame of a .loc; see ptx/line_info.h for whole inline stacks.
struct Loc {
  uint32_t file = 0, line = 0, column = 0;
  std::string function;  // label of function_name, with +offset kept in function_offset; "" if none
  uint32_t function_offset = 0;
  uint32_t at_file = 0, at_line = 0, at_column = 0;  // inlined_at; at_file 0: none
};

struct Instruction {
  std::string guard;  // "%p1" of @%p1; "" if none
  bool guard_negated = false;
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // {"global", "nc", "v4", "f32"}: without dots, in order
  std::vector<Operand> operands;
  SourcePos pos;
  int32_t loc = -1;  // index into Function::locs, -1: none in force
};

struct Label {
  std::string name;
  SourcePos pos;
};

struct Variable {
  std::string space;  // "global", "shared", "const", "local", "param", "reg"
  std::string type;   // "u32", "b8", "f32", "texref"
  int vector = 1;     // .v2, .v4
  std::string name;
  uint32_t count_suffix = 0;   // %r<8>: 8; 0 if not written
  uint32_t align = 0;          // 0: not given
  std::vector<uint64_t> dims;  // [16][16]; an empty [] is 0
  bool is_array = false;
  bool pointer = false;       // .ptr on a parameter
  std::string pointer_space;  // "global"
  uint32_t pointer_align = 0;
  std::string linkage;                  // "visible", "extern", "weak", "common", ""
  std::vector<std::string> attributes;  // "managed", "unified(...)"
  std::vector<Operand>
      initializer;      // of `= {a, b}` the elements (rows as nested Vectors), of `= a` that one; Symbol (with
                        // offset) for addresses, generic(x) with component "generic"; 0xFF00(x), a byte of an
                        // address, with component "mask" (or "mask generic") and the mask in `value`;
                        // addr_mode_0 = wrap of a sampler with component "=" and the value in `elements`
  bool braced = false;  // `= {...}`, which only an array or a vector has
  SourcePos pos;
};

struct Directive {    // kept as written: .pragma "nounroll"; .maxntid 256, 1, 1; .branchtargets, .callprototype ...
  std::string name;   // without the dot
  std::string label;  // of "name: .branchtargets a, b"
  std::vector<std::string> arguments;  // what stands between commas; strings with their quotes; of .callprototype what
                                       // follows the parameters: ".noreturn", ".abi_preserve 4"
  std::vector<Operand> operands;       // of .branchtargets/.calltargets
  std::vector<Variable> results;       // of .callprototype; names are usually "_"
  std::vector<Variable> params;        // of .callprototype
  std::string body;                    // { ... } of a directive nobody knows, verbatim; "" if none
  SourcePos pos;
};

struct Block;
using Statement = std::variant<Instruction, Label, Variable, Directive, std::shared_ptr<Block>>;
struct Block {
  std::vector<Statement> statements;
};  // { ... }: names inside are local to it

struct Function {
  bool is_kernel = false;  // .entry
  std::string name;
  std::string linkage;
  bool declaration_only = false;
  std::vector<Variable> results;  // of .func
  std::vector<Variable> params;
  std::vector<std::string> attributes;  // "unified(1, 2)" of .attribute(...)
  std::vector<Directive> directives;    // .maxntid, .minnctapersm, .noreturn, ...
  Block body;
  std::vector<Loc> locs;
  SourcePos pos;
};

struct File {
  uint32_t index = 0;
  std::string path;        // as written: escapes are kept
  bool has_stamp = false;  // .file 1 "a.cu", timestamp, size
  uint64_t timestamp = 0, size = 0;
};
struct Section {
  std::string name;
  std::string text;
};  // .section, verbatim; line_info.h: decode_section

// The order of the text: the next thing is number `index` of the vector that `kind` names.
struct ModuleItem {
  enum class Kind : uint8_t { File, Variable, Function, Directive, Section };
  Kind kind = Kind::File;
  uint32_t index = 0;
  friend bool operator==(const ModuleItem&, const ModuleItem&) = default;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;  // "sm_80", "sm_90a", "compute_80"; "" if the text has no .target
  std::vector<std::string> target_options;
  int address_size = 64;
  std::vector<File> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Directive> directives;  // module-level: .alias, .pragma
  std::vector<Section> sections;
  std::vector<ModuleItem> order;  // for printing; what it does not list is printed last
};

}  // namespace warplens::ptx
