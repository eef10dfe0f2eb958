#include "ir/ir.h"

namespace warplens::ir {
namespace {

template <typename Enum, size_t N>
const char* name_of(Enum value, const char* const (&names)[N]) {
  const auto index = static_cast<size_t>(value);
  return index < N ? names[index] : "?";
}

}  // namespace

int bits(Type type) {
  switch (type) {
    case Type::Void:
      return 0;
    case Type::Pred:
      return 1;
    case Type::I8:
      return 8;
    case Type::I16:
      return 16;
    case Type::I32:
    case Type::F32:
      return 32;
    case Type::I64:
    case Type::F64:
      return 64;
  }
  return 0;
}

const OpInfo& info(Op op) {
  static constexpr OpInfo kInfo[] = {
#define WL_OP(name, text, arguments, effects) {text, arguments, Effect::effects},
#include "ir/opcodes.def"
  };
  return kInfo[static_cast<size_t>(op)];
}

const char* to_string(Type value) { return name_of(value, {"void", "pred", "i8", "i16", "i32", "i64", "f32", "f64"}); }
const char* to_string(Space value) {
  return name_of(value, {"global", "shared", "local", "const", "generic", "texture", "surface"});
}
const char* to_string(Rounding value) { return name_of(value, {"rn", "rz", "rm", "rp", "rna"}); }
const char* to_string(IntCompare value) {
  return name_of(value, {"eq", "ne", "lt.s", "le.s", "gt.s", "ge.s", "lt.u", "le.u", "gt.u", "ge.u"});
}
const char* to_string(FloatCompare value) {
  return name_of(value, {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
}
const char* to_string(FloatClass value) {
  return name_of(value, {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
}
const char* to_string(AtomicOp value) {
  return name_of(value, {"add",     "min.s",  "min.u",  "max.s",   "max.u",   "and",   "or",   "xor",
                         "exch",    "cas",    "inc",    "dec",     "fadd",    "fmin",  "fmax", "f16add",
                         "bf16add", "f16min", "f16max", "bf16min", "bf16max", "arrive"});
}
const char* to_string(ShuffleMode value) { return name_of(value, {"up", "down", "bfly", "idx"}); }
const char* to_string(VoteMode value) { return name_of(value, {"all", "any", "uni", "ballot"}); }
const char* to_string(BarrierMode value) { return name_of(value, {"sync", "arrive", "red.popc", "red.and", "red.or"}); }
const char* to_string(TrapKind value) {
  return name_of(value, {"trap", "unsupported", "assert", "stack_overflow", "no_function"});
}
const char* to_string(SystemCall value) { return name_of(value, {"printf", "malloc", "free", "copy", "count_copy"}); }
const char* to_string(TextureOp value) {
  return name_of(
      value, {"fetch", "fetch.texels", "level", "level.texels", "grad", "gather", "query", "load", "store", "reduce"});
}
const char* to_string(TextureShape value) { return name_of(value, {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}); }
const char* to_string(SiteKind value) {
  return name_of(value, {"load", "store", "atomic", "reduction", "branch", "barrier"});
}
const char* to_string(SpecialRegister value) {
  return name_of(
      value, {"tid.x",           "tid.y",       "tid.z",       "ntid.x",         "ntid.y",         "ntid.z",
              "ctaid.x",         "ctaid.y",     "ctaid.z",     "nctaid.x",       "nctaid.y",       "nctaid.z",
              "laneid",          "warpid",      "nwarpid",     "smid",           "nsmid",          "gridid",
              "lanemask_eq",     "lanemask_lt", "lanemask_le", "lanemask_gt",    "lanemask_ge",    "clock",
              "clock_hi",        "clock64",     "globaltimer", "globaltimer_lo", "globaltimer_hi", "dynamic_smem_size",
              "total_smem_size", "zero",        "envreg1",     "envreg2",        "param_base",     "stack_limit",
              "stack_room"});
}

ValueId Function::append(BlockId block, Inst inst) {
  inst.block = block;
  insts.push_back(std::move(inst));
  const ValueId id = static_cast<ValueId>(insts.size() - 1);
  blocks[block].insts.push_back(id);
  return id;
}

}  // namespace warplens::ir
