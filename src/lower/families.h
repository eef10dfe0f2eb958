// The handlers of the instruction families, one for each opcode of ptx/instructions.def that runs. dispatch.cpp makes
// its table from that file, so that a missing handler does not link.
#pragma once
#include "lower/context.h"

namespace warplens::lower {

using Handler = void (*)(Context&, const Instr&);
#define WL_PTX(name, text, family, status, note) void lower_##name(Context&, const Instr&);
#include "ptx/instructions.def"
#undef WL_PTX

// nullptr: PTX has no such opcode.
Handler find_handler(std::string_view opcode);

// Refuses types that no form of the opcode has.
void check_types(Context& c, const Instr& i);

// Is a guard on it a branch around it? Else its results are selected, or the access itself is guarded.
bool branches_around(std::string_view opcode);

// integer.cpp, float.cpp, half.cpp: the arithmetic opcodes that the type modifier tells apart. Each refuses what it
// has no form for.
void lower_integer_arithmetic(Context& c, const Instr& i);
void lower_float_arithmetic(Context& c, const Instr& i);
void lower_half_arithmetic(Context& c, const Instr& i);

// special_registers.cpp: "%tid.x" as a value; kNone where the name is none.
ir::ValueId special_register(Context& c, const std::string& name);

// half.cpp: one element, I16 <-> F32, exact towards F32.
ir::ValueId widen_half(Context& c, ScalarType type, ir::ValueId half);
ir::ValueId narrow_half(Context& c, ScalarType type, ir::ValueId wide, ir::Rounding rounding = ir::Rounding::Nearest);
ir::ValueId narrow_to_odd(Builder& b, ir::ValueId wide);  // F64 -> F32, so that a further rounding counts as one
ir::ValueId element_of(Context& c, ir::ValueId packed, int index);       // of an I32: an I16
ir::ValueId pack_halves(Context& c, ir::ValueId low, ir::ValueId high);  // I16, I16 -> I32

// integer.cpp: bits [first, first + bits) of `a`, extended to 32.
ir::ValueId slice(Builder& b, ir::ValueId a, unsigned first, unsigned bits, bool sign);

// logic.cpp: any function of three inputs (I32 or Pred): bit (4x + 2y + z) of the table is the result.
ir::ValueId lop3(Builder& b, ir::ValueId x, ir::ValueId y, ir::ValueId z, uint64_t table);

// logic.cpp: bytes of high:low, each picked by bits 0 to 2 of its selector; bit 3 asks for its sign eight times.
ir::ValueId permute_bytes(Builder& b, ir::ValueId low, ir::ValueId high, const ir::ValueId (&selectors)[4]);
ir::ValueId byte_selector(Builder& b, ir::ValueId selectors, unsigned k);  // of the four in a word

// compare.cpp: an f16, as F32, that is subnormal -> signed zero.
ir::ValueId flush_f16(Context& c, ir::ValueId wide);

// float.cpp: subnormal -> signed zero.
ir::ValueId flush(Context& c, ir::ValueId value);
// An operation of F32 or F64 with the instruction's rounding and .ftz.
ir::ValueId float_op(Context& c, const Instr& i, ir::Op op, std::vector<ir::ValueId> args);

// special_registers.cpp: bytes of shared memory that a GPU keeps for itself and for the cooperative groups (an H200).
constexpr uint32_t kReservedShared = 1024;

// memory.cpp
int vector_length(const Instr& i);  // of .v2, .v4, .v8; else 1
// The registers of a vector operand; a single one may stand by itself.
std::vector<const ptx::Operand*> registers_in(const ptx::Operand& operand);
// The same, which must be `count`.
std::vector<const ptx::Operand*> components(Context& c, const ptx::Operand& operand, int count);
// Loaded components into registers; their type is what the opcode says, which decides the extension.
void write_components(Context& c, const ptx::Operand& destination, ScalarType type,
                      const std::vector<ir::ValueId>& values);
struct MemorySpace {
  ir::Space space = ir::Space::Generic;
  bool param = false;
};
MemorySpace memory_space(Context& c, const Instr& i);
bool is_ordered(const Instr& i);  // volatile, relaxed, acquire, ...: never merged or moved
// Address operand in `space`; space may become a narrower one where a generic address is known to lie in it.
ir::ValueId access_address(Context& c, const ptx::Operand& operand, ir::Space* space, int64_t* offset);

// small_float.cpp: cvt with e4m3x2 or e5m2x2.
void convert_small_floats(Context& c, const Instr& i);

// mbarrier.cpp: cp.async.mbarrier.arrive.
void arrive_after_copies(Context& c, const Instr& i);
// `bytes` (I32) that a phase waited for are there.
void complete_bytes(Context& c, const Instr& i, const ptx::Operand& barrier, ir::ValueId bytes);

// bulk_copy.cpp: cp.async.bulk.
void bulk_copy(Context& c, const Instr& i);

}  // namespace warplens::lower
