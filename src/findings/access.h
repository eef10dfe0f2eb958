// What rules look at: the accesses of a source line, of one kind, in the launches of one kernel with one block shape.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace warplens::findings {

// How an address moves with one index of the thread, in bytes.
struct Step {
  int64_t bytes = 0;
  std::string factor;  // what the index is multiplied by, without the element's size: "n (1024)", "32", "1"
};

// The law of a site in one launch, as far as it tells lanes apart.
struct LaneLaw {
  bool known =
      false;  // address = x.bytes * threadIdx.x + y.bytes * threadIdx.y + z.bytes * threadIdx.z + the same for all
  bool by_data = false;  // it depends on something that was loaded
  Step x, y, z;
  std::string base;  // what all of it is relative to: "in"; "" where that has no name
  const Step& axis(int i) const { return i == 0 ? x : i == 1 ? y : z; }
};

// Sites of one line, kind and space whose lanes do the same. Counts are summed over sites and launches.
struct Access {
  const report::Kernel* kernel = nullptr;
  const report::Launch* launch = nullptr;  // the first of them
  std::vector<uint64_t> launches;          // Launch::index
  std::vector<uint32_t> sites;
  const report::Site* site = nullptr;  // the one with the most excess; its law stands for all
  report::SiteCounts counts;           // without patterns
  LaneLaw law;
};

// Launches of one kernel with one block shape.
struct Group {
  const report::Kernel* kernel = nullptr;
  std::vector<const report::Launch*> launches;
  std::vector<Access> accesses;
  std::vector<Access> branches;
};
std::vector<Group> groups_of(const report::Report& report);

// 0, 1, 2: the index of threadIdx in which adjacent lanes of a block of that shape differ.
int lane_axis(const Dim3& block);
const char* axis_name(int axis);  // "threadIdx.x"

// The address of each lane of the first warp, relative to thread 0; nothing where the law is not known.
std::optional<std::vector<int64_t>> lane_offsets(const LaneLaw& law, const Dim3& block);

}  // namespace warplens::findings
