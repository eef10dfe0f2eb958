// %tid and its like. Without clusters every block is a cluster of its own.
#include <unordered_map>

#include "lower/families.h"

namespace warplens::lower {
namespace {

using ir::SpecialRegister;
using enum ir::SpecialRegister;

const std::unordered_map<std::string_view, SpecialRegister>& plain() {
  static const std::unordered_map<std::string_view, SpecialRegister> kTable = {
      {"%tid.x", TidX},
      {"%tid.y", TidY},
      {"%tid.z", TidZ},
      {"%ntid.x", NtidX},
      {"%ntid.y", NtidY},
      {"%ntid.z", NtidZ},
      {"%ctaid.x", CtaidX},
      {"%ctaid.y", CtaidY},
      {"%ctaid.z", CtaidZ},
      {"%nctaid.x", NctaidX},
      {"%nctaid.y", NctaidY},
      {"%nctaid.z", NctaidZ},
      {"%clusterid.x", CtaidX},
      {"%clusterid.y", CtaidY},
      {"%clusterid.z", CtaidZ},
      {"%nclusterid.x", NctaidX},
      {"%nclusterid.y", NctaidY},
      {"%nclusterid.z", NctaidZ},
      {"%laneid", LaneId},
      {"%warpid", WarpId},
      {"%nwarpid", NwarpId},
      {"%smid", SmId},
      {"%nsmid", NsmId},
      {"%gridid", GridId},
      {"%lanemask_eq", LanemaskEq},
      {"%lanemask_lt", LanemaskLt},
      {"%lanemask_le", LanemaskLe},
      {"%lanemask_gt", LanemaskGt},
      {"%lanemask_ge", LanemaskGe},
      {"%dynamic_smem_size", DynamicSharedSize},
      {"%envreg1", GridWorkspaceHi},
      {"%envreg2", GridWorkspaceLo},
  };
  return kTable;
}

// Change while a kernel runs: read where they stand.
const std::unordered_map<std::string_view, SpecialRegister>& clocks() {
  static const std::unordered_map<std::string_view, SpecialRegister> kTable = {
      {"%clock", Clock},
      {"%clock_hi", ClockHi},
      {"%clock64", Clock64},
      {"%globaltimer", GlobalTimer},
      {"%globaltimer_lo", GlobalTimerLo},
      {"%globaltimer_hi", GlobalTimerHi},
  };
  return kTable;
}

// Always the same value here.
const std::unordered_map<std::string_view, uint32_t>& fixed() {
  static const std::unordered_map<std::string_view, uint32_t> kTable = {
      {"WARP_SZ", 32},
      {"%tid.w", 0},
      {"%ntid.w", 1},
      {"%ctaid.w", 0},
      {"%nctaid.w", 1},
      {"%cluster_ctaid.x", 0},
      {"%cluster_ctaid.y", 0},
      {"%cluster_ctaid.z", 0},
      {"%cluster_nctaid.x", 1},
      {"%cluster_nctaid.y", 1},
      {"%cluster_nctaid.z", 1},
      {"%cluster_ctarank", 0},
      {"%cluster_nctarank", 1},
      {"%reserved_smem_offset_begin", 0},
      {"%reserved_smem_offset_end", 288},
      {"%reserved_smem_offset_cap", kReservedShared},
      {"%reserved_smem_offset_0", 0},
      {"%reserved_smem_offset_1", 0},
  };
  return kTable;
}

}  // namespace

namespace {

// Of the kernel's own shared memory: rounded up to 128 bytes, or with what a GPU reserves (an H200 gives both so).
ir::ValueId shared_size(Context& c, bool with_reserved) {
  Builder& b = c.b();
  const auto plus = [&](ir::ValueId x, uint64_t y) { return b.binary(ir::Op::Add, x, b.constant(ir::Type::I32, y)); };
  const ir::ValueId own = plus(b.special(TotalSharedSize), 0u - uint64_t{c.function().reserved_shared_bytes});
  if (with_reserved) return plus(own, kReservedShared);
  return b.binary(ir::Op::And, plus(own, 127), b.constant(ir::Type::I32, ~127u));
}

}  // namespace

ir::ValueId special_register(Context& c, const std::string& name) {
  if (name == "%total_smem_size" || name == "%aggr_smem_size") return shared_size(c, name == "%aggr_smem_size");
  if (const auto it = plain().find(name); it != plain().end()) return c.b().special(it->second);
  if (const auto it = fixed().find(name); it != fixed().end()) return c.b().constant(ir::Type::I32, it->second);
  if (name == "%is_explicit_cluster") return c.b().constant(ir::Type::Pred, 0);
  if (const auto it = clocks().find(name); it != clocks().end()) {
    const bool wide = it->second == Clock64 || it->second == GlobalTimer;
    ir::Inst inst;
    inst.op = ir::Op::Clock;
    inst.type = wide ? ir::Type::I64 : ir::Type::I32;
    inst.imm = static_cast<uint64_t>(it->second);
    return c.b().emit(std::move(inst));
  }
  if (name.starts_with("%envreg") || name.starts_with("%pm"))
    c.refuse("special register " + name + " is not supported yet");
  return ir::kNone;
}

}  // namespace warplens::lower
