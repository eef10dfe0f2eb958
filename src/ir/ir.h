// The small typed SSA form between PTX and machine code: one Function a kernel, device functions inlined or standing in
// it once (lower/placed.cpp).
//
// Values are per lane: a warp computes 32 of each. Nothing here knows about warps, masks or vectors; that is what
// passes/ (which values are the same, or a constant pattern, across lanes) and codegen/ add.
// Invariants (ir/verify.h): every use is dominated by its definition; block 0 is the entry and has no predecessors;
// a block ends with exactly one instruction whose effect is Ends; phis come first.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/texture_access.h"

namespace warplens::ir {

using ValueId = uint32_t;  // index into Function::insts; an instruction and its result are the same thing
using BlockId = uint32_t;
using SiteId = uint32_t;
inline constexpr uint32_t kNone = ~0u;
inline constexpr uint32_t kMostStack = 512 << 10;  // bytes of local memory that CUDA allows a thread

enum class Type : uint8_t { Void, Pred, I8, I16, I32, I64, F32, F64 };
int bits(Type type);  // Pred is 1, Void 0
inline int bytes(Type type) { return (bits(type) + 7) / 8; }
inline bool is_float(Type t) { return t == Type::F32 || t == Type::F64; }
inline bool is_int(Type t) { return t >= Type::I8 && t <= Type::I64; }

enum class Op : uint8_t {
#define WL_OP(name, text, arguments, effects) name,
#include "ir/opcodes.def"
};
enum class Effect : uint8_t { Pure, Reads, Writes, Ends };
struct OpInfo {
  const char* text;
  int arguments;
  Effect effect;
};
const OpInfo& info(Op op);
// Its last argument is a mask of lanes of the warp, which take part together.
inline bool names_lanes(Op op) {
  return op == Op::Shuffle || op == Op::Vote || op == Op::Match || op == Op::Redux || op == Op::WarpSync;
}

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };
enum class Space : uint8_t { Global, Shared, Local, Const, Generic, Texture, Surface };  // the last two: of sites
enum class IntCompare : uint8_t { Eq, Ne, LtS, LeS, GtS, GeS, LtU, LeU, GtU, GeU };
enum class FloatCompare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};  // ..u: true on NaN
enum class FloatClass : uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
enum class AtomicOp : uint8_t {
  Add,
  MinS,
  MinU,
  MaxS,
  MaxU,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec,
  FAdd,
  FMin,
  FMax,
  F16Add,  // these six on an I16, or on both halves of an I32
  BF16Add,
  F16Min,
  F16Max,
  BF16Min,
  BF16Max,
  Arrive,  // at an mbarrier (lower/mbarrier.cpp): bits 0 to 19 arrivals, 20 to 39 fewer of each later phase, from 40 on
           // more bytes, signed
};
enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };
enum class VoteMode : uint8_t { All, Any, Uni, Ballot };
enum class BarrierMode : uint8_t { Sync, Arrive, RedPopc, RedAnd, RedOr };
// What a kernel may call though no module defines it (PTX Interoperability, "System Calls"). Arguments:
//   Printf: generic addresses of the format and of the packed arguments; gives how many arguments were printed
//   Malloc: bytes; gives a generic address, 0 where the heap is full
//   Free: what Malloc gave
//   Copy: generic addresses of where to and where from, bytes: cp.async.bulk, which is no system call but as large a
//   thing
//   CountCopy: offsets in shared memory where to, addresses where from, 1 in lanes that read: moves nothing, and tells
//   what the wavefronts of an asynchronous copy depend on (model/banks.h); its site is that of the copy's store
enum class SystemCall : uint8_t { Printf, Malloc, Free, Copy, CountCopy };
inline constexpr int kSystemCalls = 5;
enum class TrapKind : uint8_t {
  Trap,
  Unsupported,  // Warplens cannot run what stood here
  Assert,
  StackOverflow,
  NoFunction,  // a call through a pointer that leads to no function
};
enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  DynamicSharedSize,
  TotalSharedSize,
  Zero,
  GridWorkspaceHi,  // where the barrier of a cooperative grid lies: %envreg1 and 2, by the driver's convention
  GridWorkspaceLo,
  ParamBase,   // I64: where the parameter buffer lies, for a Load with Space::Const at an offset known only at run time
  StackLimit,  // bytes of local memory that the calls of a thread may take: cudaLimitStackSize
  StackRoom,   // bytes for StackStore, by thread
};
const char* to_string(Type);
const char* to_string(Space);
const char* to_string(Rounding);
const char* to_string(IntCompare);
const char* to_string(FloatCompare);
const char* to_string(AtomicOp);
const char* to_string(SpecialRegister);
const char* to_string(FloatClass);
const char* to_string(ShuffleMode);
const char* to_string(VoteMode);
const char* to_string(BarrierMode);
const char* to_string(TrapKind);
const char* to_string(SystemCall);
const char* to_string(TextureOp);
const char* to_string(TextureShape);

struct Inst {
  Op op = Op::Undef;
  Type type = Type::Void;
  Rounding rounding = Rounding::Nearest;
  bool ftz = false;
  bool is_volatile = false;  // memory: volatile, relaxed, acquire, release: never merged, moved or assumed unchanged
  Space space = Space::Global;
  uint8_t count = 1;      // components of a memory access
  ValueId guard = kNone;  // memory and warp instructions under @p: a Pred
  uint64_t imm = 0;       // see opcodes.def; memory: the byte offset, signed
  uint32_t imm2 = 0;
  SiteId site = kNone;        // memory (always), branches, barriers: index into Function::sites
  BlockId block = kNone;      // where it stands
  uint32_t location = kNone;  // index into Function::locations
  uint32_t weight = 1;        // PTX instructions this one stands for when instructions are counted (0 for by-products)
  std::vector<ValueId> args;
};

struct Block {
  std::vector<ValueId> insts;  // phis first, the one that Ends last
  std::vector<BlockId> preds;  // a predecessor that branches here twice stands twice
  std::vector<BlockId> succs;
  // Where a call that returns here jumps away, of a function that stands once in the kernel (its caller goes on here,
  // and nowhere else); kNone: no call returns here.
  BlockId call = kNone;
};

// Where an instruction comes from: innermost frame first.
struct Frame {
  uint32_t file = kNone;  // index into Module::files
  SourcePos pos;
  std::string function;  // demangled where known, else as PTX has it
};
struct Location {
  std::vector<Frame> frames;  // empty without line information
  uint32_t ptx_line = 0;      // line in the PTX text, from 1
};

enum class SiteKind : uint8_t { Load, Store, Atomic, Reduction, Branch, Barrier };
const char* to_string(SiteKind);
// One record per access, branch and barrier in the program text: the unit that everything is counted by.
struct Site {
  SiteKind kind = SiteKind::Load;
  Space space = Space::Global;
  uint8_t bytes_per_lane = 0;  // of the whole access: element size * components
  uint8_t components = 1;
  std::string opcode;           // as PTX has it: "ld.global.nc.v4.f32"
  std::string operand;          // what names the address: a parameter or variable where traceable, else ""
  bool unit_increment = false;  // an atomic that adds 1 to a 32-bit integer and whose old value nobody uses
  uint32_t location = kNone;
  uint32_t machine_offset = kNone;  // of machine code: bytes from the kernel's start; `opcode` is its text
};

struct Function {
  std::string name;  // as PTX has it (mangled)
  std::vector<Inst> insts;
  std::vector<Block> blocks;  // in reverse post-order, loops contiguous, after passes::canonicalize
  std::vector<Site> sites;
  std::vector<Location> locations;
  std::vector<std::string> messages;
  uint32_t param_bytes = 0;
  uint32_t shared_bytes = 0;           // static; dynamic shared memory starts at the next multiple of its alignment
  uint32_t reserved_shared_bytes = 0;  // of these, what a GPU has besides: %reserved_smem_offset_1 leads there
  uint32_t dynamic_shared_align = 0;   // 0: none declared
  uint32_t local_bytes = 0;            // frame a thread
  uint32_t stack_bytes = 0;          // of local memory behind the frame, for those of functions that stand once; alloca
  uint32_t machine_sm = 0;           // of machine code: 90 for sm_90; 0: from PTX
  uint32_t registers = 0;            // a thread's, of machine code
  uint32_t max_ntid[3] = {0, 0, 0};  // .maxntid / .reqntid, 0: not given
  bool requires_ntid = false;

  ValueId append(BlockId block, Inst inst);                                           // returns the new value's id
  uint32_t own_shared_bytes() const { return shared_bytes - reserved_shared_bytes; }  // of its variables
  uint32_t thread_bytes() const { return local_bytes + stack_bytes; }                 // local memory of a thread
};

// A module-level variable: memory that outlives a launch (global, const, managed), or a name for a shared/local offset.
struct Symbol {
  std::string name;
  Space space = Space::Global;
  bool managed = false;
  bool external = false;
  uint64_t bytes = 0;
  uint32_t align = 1;
  // Of machine code, which finds its constants by their place in one piece of memory: bytes from that one's start.
  uint32_t bank_offset = kNone;
  std::vector<uint8_t> initial;  // shorter than bytes: the rest is zero
  struct Relocation {
    uint64_t offset;
    uint32_t symbol;
    int64_t addend;
    bool generic;
  };
  std::vector<Relocation> relocations;
};

struct ParamInfo {
  std::string name;
  uint32_t offset = 0, bytes = 0, align = 1;
  bool pointer = false;  // .ptr, or used as an address
};
struct Kernel {
  Function function;
  std::vector<ParamInfo> params;
};

struct Module {
  std::vector<std::string> files;
  std::vector<Symbol> symbols;
  std::vector<Kernel> kernels;
  std::string target;  // "sm_80"
};

}  // namespace warplens::ir
