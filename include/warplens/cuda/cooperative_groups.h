// Groups of threads that synchronise and exchange values, as the CUDA C++ Programming Guide describes them (Cooperative
// Groups): the block, tiles of it, the lanes that happen to be together, the grid.
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "warplens/cg/coalesced.h"
#include "warplens/cg/grid.h"
#include "warplens/cg/tile.h"

namespace cooperative_groups {
namespace __v1 {

// One thread of the group calls the function; the others get its result, if they ask for one.
template <typename Group, typename Function, typename... Arguments>
WARPLENS_DEVICE_MEMBER void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <typename Group, typename Function, typename... Arguments>
WARPLENS_DEVICE_MEMBER auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> warplens::plain<decltype(function(static_cast<Arguments&&>(arguments)...))> {
  warplens::plain<decltype(function(static_cast<Arguments&&>(arguments)...))> result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace __v1
}  // namespace cooperative_groups
#endif
