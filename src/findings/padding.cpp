#include "findings/padding.h"

#include <algorithm>
#include <cstdlib>

#include "model/banks.h"

namespace warplens::findings {
namespace {

model::SharedOp op_of(const report::Site& site) {
  return site.kind == report::AccessKind::Load    ? model::SharedOp::Load
         : site.kind == report::AccessKind::Store ? model::SharedOp::Store
                                                  : model::SharedOp::Atomic;
}

}  // namespace

uint32_t passes(const LaneLaw& law, const Access& a) {
  const uint32_t width = a.site->bytes_per_lane;
  if (width == 0 || width > 16 || (width & (width - 1)) != 0) return 0;
  const auto offsets = lane_offsets(law, a.launch->block);
  if (!offsets) return 0;
  int64_t least = 0, pattern[32] = {};
  for (const int64_t o : *offsets) least = std::min(least, o);
  for (size_t l = 0; l < offsets->size(); ++l) pattern[l] = (*offsets)[l] - least;
  const uint32_t mask = offsets->size() >= 32 ? ~0u : (1u << offsets->size()) - 1;
  return model::banks(pattern, mask, 0, a.site->bytes_per_lane, op_of(*a.site)).wavefronts;
}

LaneLaw padded(LaneLaw law, uint32_t element) {
  for (Step* step : {&law.x, &law.y, &law.z})
    if (std::abs(step->bytes) > element) step->bytes += step->bytes < 0 ? -int64_t{element} : int64_t{element};
  return law;
}

}  // namespace warplens::findings
