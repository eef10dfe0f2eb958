// Constant banks and special registers.
//
// Bank 0 holds what a launch hands to the kernel: the block's and the grid's shape, windows of the address space, and
// from Input::param_base on the parameters. Banks 2 and 3 are constants, of the compiler and of the program; bank 4
// holds addresses of variables. (Observed in cubins of CUDA 11.8 to 13.0; the offsets of bank 0 are also in the public
// reverse engineering of the instruction set.)
#include <unordered_map>

#include "lift/lifter.h"

namespace warplens::lift {
namespace {

using enum ir::SpecialRegister;

std::optional<ir::SpecialRegister> launch_shape(uint32_t offset) {
  switch (offset) {
    case 0x0:
      return NtidX;
    case 0x4:
      return NtidY;
    case 0x8:
      return NtidZ;
    case 0xc:
      return NctaidX;
    case 0x10:
      return NctaidY;
    case 0x14:
      return NctaidZ;
    default:
      return std::nullopt;
  }
}

}  // namespace

ValueId Lifter::window(ir::Space space) {
  ir::Inst inst;
  inst.op = Op::ToGeneric;
  inst.type = Type::I64;
  inst.space = space;
  inst.args = {k64(0)};
  return builder_.pure(std::move(inst));
}

ValueId Lifter::constant_at(uint8_t bank, uint32_t offset, Type type) {
  const auto bytes = static_cast<uint32_t>(ir::bytes(type));
  if (bank == 0) {
    if (offset >= input_.param_base) {
      const uint32_t at = offset - input_.param_base;
      // Padding behind the last parameter may be read along.
      if (at + bytes > (function_.param_bytes + 15) / 16 * 16) refuse("a parameter past the end");
      if (at + bytes > function_.param_bytes) return k32(0);
      return builder_.param(type, at);
    }
    if (type != Type::I32) refuse("a constant of the launch that is not a word");
    if (const auto shape = launch_shape(offset)) return builder_.special(*shape);
    // The two windows of the generic address space, and where a thread's stack begins.
    if (offset == 0x18) return low(window(ir::Space::Shared));
    if (offset == 0x1c) return high(window(ir::Space::Shared));
    if (offset == 0x20) return low(window(ir::Space::Local));
    if (offset == 0x24) return high(window(ir::Space::Local));
    if (offset == 0x28) return k32(input_.frame_bytes);
    // What is there of CUDA's special registers (PTX that reads one, compiled for each architecture, shows its place).
    if (offset == 0x2c) return builder_.special(DynamicSharedSize);
    const bool hopper = input_.sm >= 90;
    if (offset == (hopper ? 0x44u : 0x8cu)) return builder_.special(GridWorkspaceHi);
    if (offset == (hopper ? 0x48u : 0x90u)) return builder_.special(GridWorkspaceLo);
    if (offset == 0x30 && input_.sm < 100) return builder_.special(GridId);
    if (input_.sm == 90 && offset == 0x6c) return k32(0);   // %reserved_smem_offset_1
    if (input_.sm == 90 && offset == 0x144) return k32(1);  // %cluster_nctaid.x
    // The descriptor of global memory, which each access names.
    if (offset == 0x208 || offset == 0x20c || offset == 0x118 || offset == 0x11c || offset == 0x358 || offset == 0x35c)
      return k32(0);
    refuse("a constant of the launch whose meaning is not known");
  }
  for (const BankPart& part : input_.banks) {
    if (part.bank != bank || offset < part.offset || offset + bytes > part.offset + part.bytes) continue;
    if (!part.outside.empty()) {
      const ValueId number = outside(part.outside);
      return type == Type::I64 ? number : offset == part.offset ? low(number) : high(number);
    }
    const ValueId address = builder_.symbol(part.symbol);
    if (part.is_address) {
      ValueId value = part.at ? binary(Op::Add, address, k64(static_cast<uint64_t>(part.at))) : address;
      if (type == Type::I64) return value;
      return offset == part.offset ? low(value) : high(value);
    }
    return load_constant(address, part.at + offset - part.offset, type);
  }
  refuse("a constant that nothing defines");
}

ValueId Lifter::constant(const Operand& o, unsigned k) {
  if (o.kind == Operand::Kind::BoundConstant) refuse("a bound constant bank");
  if (o.base != sass::kRZ || o.uniform != sass::kRZ) refuse_form();
  return constant_at(o.number, static_cast<uint32_t>(o.value) + 4 * k, Type::I32);
}

// c[bank][R + offset]
ValueId Lifter::indexed_constant(const Operand& o, Type type) {
  Operand reg;
  reg.kind = o.uniform != sass::kRZ ? Operand::Kind::Uniform : Operand::Kind::Register;
  reg.number = o.uniform != sass::kRZ ? o.uniform : o.base;
  const ValueId index = raw(reg);
  const auto offset = static_cast<int32_t>(o.value);
  uint64_t fixed = 0;
  if (builder_.is_constant(index, &fixed))
    return constant_at(o.number, static_cast<uint32_t>(offset) + static_cast<uint32_t>(fixed), type);
  const ValueId at = builder_.pure(Op::SExt, Type::I64, {index});
  if (o.number == 0)
    return load_constant(binary(Op::Add, at, builder_.special(ir::SpecialRegister::ParamBase)),
                         int64_t{offset} - input_.param_base, type);
  for (const BankPart& part : input_.banks) {
    if (part.bank != o.number || part.is_address) continue;
    // All of bank 3 is one piece of memory, so that any of its variables leads to all.
    const int64_t into = offset - static_cast<int64_t>(part.offset);
    if (o.number == 3 || (into >= 0 && into < part.bytes))
      return load_constant(binary(Op::Add, at, builder_.symbol(part.symbol)), part.at + into, type);
  }
  refuse("an indexed constant bank that nothing defines");
}

// A load from constant memory, under the guard.
ValueId Lifter::load_constant(ValueId address, int64_t offset, Type type) {
  ir::Inst load;
  load.op = Op::Load;
  load.type = type;
  load.space = ir::Space::Const;
  load.guard = guard_;
  load.args = {address};
  load.imm = static_cast<uint64_t>(offset);
  load.site = site(ir::SiteKind::Load, ir::Space::Const, static_cast<uint32_t>(ir::bytes(type)), 1);
  return builder_.emit(std::move(load));
}

ValueId Lifter::special(const std::string& name) {
  static const std::unordered_map<std::string_view, ir::SpecialRegister> kPlain = {
      {"SR_TID.X", TidX},        {"SR_TID.Y", TidY},
      {"SR_TID.Z", TidZ},        {"SR_CTAID.X", CtaidX},
      {"SR_CTAID.Y", CtaidY},    {"SR_CTAID.Z", CtaidZ},
      {"SR_LANEID", LaneId},     {"SR_EQMASK", LanemaskEq},
      {"SR_LTMASK", LanemaskLt}, {"SR_LEMASK", LanemaskLe},
      {"SR_GTMASK", LanemaskGt}, {"SR_GEMASK", LanemaskGe},
      {"SR_VIRTUALSMID", SmId},  {"SR_SMEMSZ", TotalSharedSize},
  };
  if (name == "SRZ" || name == "SR_CgaCtaId" || name == "SR_CLUSTERID.Y") return k32(0);
  if (const auto it = kPlain.find(name); it != kPlain.end()) return builder_.special(it->second);
  if (name == "SR_TID") {
    const auto part = [&](ir::SpecialRegister which, unsigned by) {
      return binary(Op::Shl, builder_.special(which), k32(by));
    };
    return binary(Op::Or, binary(Op::Or, part(TidX, 0), part(TidY, 16)), part(TidZ, 26));
  }
  if (name == "SR_SWINHI") return high(window(ir::Space::Shared));
  if (name == "SR_LWINHI") return high(window(ir::Space::Local));
  if (name.starts_with("SR_CLOCK") || name.starts_with("SR_GLOBALTIMER")) return clock(name, Type::I32);
  refuse("special register " + name + " is not known yet");
}

ValueId Lifter::clock(const std::string& name, Type type) {
  const bool timer = name.starts_with("SR_GLOBALTIMER"), upper = name.ends_with("HI");
  ir::SpecialRegister which = timer ? (upper ? GlobalTimerHi : GlobalTimerLo) : (upper ? ClockHi : Clock);
  if (type == Type::I64) which = timer ? GlobalTimer : Clock64;
  ir::Inst inst;
  inst.op = Op::Clock;
  inst.type = type;
  inst.imm = static_cast<uint64_t>(which);
  return builder_.emit(std::move(inst));
}

}  // namespace warplens::lift
