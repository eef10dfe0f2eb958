#include "lift/lift.h"

#include <algorithm>

#include "lift/lifter.h"

namespace warplens::lift {

Result<ir::Function> lift(const Input& input, const ir::Function& ptx, std::vector<ir::Location> locations) {
  ir::Kernel kernel;
  ir::Function& f = kernel.function;
  f.name = ptx.name;
  f.param_bytes = ptx.param_bytes;
  std::copy(std::begin(ptx.max_ntid), std::end(ptx.max_ntid), std::begin(f.max_ntid));
  f.requires_ntid = ptx.requires_ntid;
  f.dynamic_shared_align = ptx.dynamic_shared_align;
  f.locations = std::move(locations);
  try {
    Lifter lifter(input, kernel);
    f.name = ptx.name;
    lifter.run();
  } catch (const Refused& refused) {
    return Error{refused.what(), ""};
  }
  f.shared_bytes = input.shared_bytes;
  f.reserved_shared_bytes = input.reserved_shared_bytes;
  f.local_bytes = input.frame_bytes;
  widen_pairs(f);
  return std::move(f);
}

}  // namespace warplens::lift
