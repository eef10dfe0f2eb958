// What the functions of warp_env.h need to know of each memory instruction: the program text's part of an access.
#pragma once
#include <cstdint>

namespace warplens::exec {

enum class AccessSpace : uint8_t { Global, Shared, Local, Const, Generic };
enum class AccessKind : uint8_t { Load, Store, Atomic, Reduction };
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
  F16Add,
  BF16Add,
  F16Min,
  F16Max,
  BF16Min,
  BF16Max,
  Arrive
};  // as ir::AtomicOp

struct AccessInfo {
  uint32_t site = ~0u;
  AccessKind kind = AccessKind::Load;
  AccessSpace space = AccessSpace::Global;
  uint8_t element_bytes = 0;  // 1, 2, 4, 8
  uint8_t components = 1;
  AtomicOp atomic = AtomicOp::Add;
  uint64_t reach = 0;                // bytes that the short way tests at once, from `low` on; 0: there is no short way
  int64_t offset = 0;                // the instruction's immediate offset
  const int64_t* pattern = nullptr;  // of the short way, 32 entries
  uint32_t residue = 0, shift = 0;   // the base modulo 128 is residue + (index << shift)
};

}  // namespace warplens::exec
