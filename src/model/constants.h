// Constant memory: what one indexed load asks of the constant cache, as a pure function of lane addresses. The rule,
// its source and its limits: constants.cpp.
#pragma once
#include <cstdint>

namespace warplens::model {

struct ConstantCost {
  uint32_t lanes = 0;     // active lanes
  uint32_t requests = 0;  // idc__requests: one after the other
  // sm__idc_divergent_instruction_replays; the instruction counts as divergent (sm__idc_divergent_instructions) if any
  uint32_t replays() const { return requests == 0 ? 0 : requests - 1; }
  friend bool operator==(const ConstantCost&, const ConstantCost&) = default;
};

// `address`: 32 addresses; those in `mask` matter. The width of the access does not.
ConstantCost constant_load(const uint64_t* address, uint32_t mask);

}  // namespace warplens::model
