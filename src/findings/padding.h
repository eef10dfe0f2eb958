// Shared memory with rows of one element more: what a warp's request would take then.
#pragma once
#include "findings/access.h"

namespace warplens::findings {

// Passes over the banks of the block's first warp, all of whose lanes take part; 0 where the law is not known.
uint32_t passes(const LaneLaw& law, const Access& access);
// The law where each row has one element of so many bytes more: steps of more than an element grow by one.
LaneLaw padded(LaneLaw law, uint32_t element);

}  // namespace warplens::findings
