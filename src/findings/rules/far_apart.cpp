// WL101: adjacent lanes are further apart than one element, so that each touches a sector of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "findings/rules/global.h"
#include "findings/words.h"

namespace warplens::findings {
namespace {

// Another index of the thread moves by one element.
std::optional<int> unit_axis(const Access& a, int but) {
  for (int i = 0; i < 3; ++i)
    if (i != but && std::abs(a.law.axis(i).bytes) == a.site->bytes_per_lane) return i;
  return std::nullopt;
}

// No access of the kernel has adjacent lanes side by side, but some would have, were two indices swapped.
std::optional<int> axis_to_swap(const Group& group, const Spread& s) {
  std::optional<int> unit;
  for (const Access& other : group.accesses) {
    if (!is_global(other) || !other.law.known) continue;
    if (std::abs(other.law.axis(s.axis).bytes) == other.site->bytes_per_lane) return std::nullopt;
    if (!unit) unit = unit_axis(other, s.axis);
  }
  return unit;
}

// Another access of the kernel walks the other way, so that swapping the indices would only move the trouble.
bool is_transposition(const Group& group, const Spread& s, int unit) {
  return std::any_of(group.accesses.begin(), group.accesses.end(), [&](const Access& other) {
    return is_global(other) && other.law.known && other.law.base != s.access.law.base &&
           std::abs(other.law.axis(s.axis).bytes) == other.site->bytes_per_lane &&
           std::abs(other.law.axis(unit).bytes) > other.site->bytes_per_lane;
  });
}

std::string change_for(const Context& context, const Spread& s) {
  const Access& a = s.access;
  const Dim3& block = a.launch->block;
  const auto unit = unit_axis(a, s.axis);
  const std::string lane = axis_name(s.axis);
  if (std::abs(s.apart) == a.site->bytes_per_lane)
    return fmt::format(
        "The block is only {} threads wide, so a warp takes {} short rows. Make it wider: 32 x {} or so.", block.x,
        32 / std::max(1u, block.x), std::max<uint64_t>(1, block.count() / 32));
  if (block.x == 1 && block.count() > 1)
    return fmt::format(
        "The block is 1 thread wide, so a warp runs along `{}`. Use a block of ({}, 1) and let "
        "`threadIdx.x` be the index of adjacent elements.",
        lane, block.count());
  if (unit && is_transposition(context.group, s, *unit))
    return fmt::format(
        "Reading and writing go across each other here, as in a transposition. Take a tile through "
        "shared memory: {} it along `{}` in rows, and turn it round there (with one element of padding a row).",
        a.site->kind == report::AccessKind::Load ? "read" : "write", lane);
  if (unit)
    return fmt::format("`{}` moves by one element: swap the two, so that `{}` is the index of adjacent elements.",
                       axis_name(*unit), lane);
  if (const auto swapped = axis_to_swap(context.group, s))
    return fmt::format(
        "Swap `{}` and `{}` in this kernel: adjacent lanes differ in the first, and it is the second that moves "
        "by one element elsewhere in it.",
        lane, axis_name(*swapped));
  if (!a.law.axis(s.axis).factor.ends_with(")"))
    return fmt::format(
        "Let `{}` be the index of adjacent elements, or store the array such that its elements are: "
        "what the others skip is fetched and not used.",
        lane);
  return fmt::format(
      "Let `{}` be the index of adjacent elements: what is multiplied by {} should be the same for all "
      "lanes of a warp, as a loop's counter, `threadIdx.y` or `blockIdx` is. Or store the array the other "
      "way round.",
      lane, a.law.axis(s.axis).factor);
}

}  // namespace

void far_apart(const Context& context) {
  for (const Spread& s : spread_accesses(context.group)) {
    const Access& a = s.access;
    if (a.law.by_data) continue;  // WL103
    const bool literal = a.law.known && !a.law.axis(s.axis).factor.ends_with(")");
    if (literal && s.apart != 0 && std::abs(s.apart) > a.site->bytes_per_lane && std::abs(s.apart) <= 64)
      continue;  // WL104
    report::Finding f = about(a, "WL101", severity_of(context.group, s.excess()));
    f.what = fmt::format(
        "Each time that a warp {}s {}, its lanes touch {:.1f} sectors of 32 bytes; their data would fit in "
        "{:.1f}.",
        verb(a), name(a), s.sectors, s.ideal);
    if (s.apart != 0 && std::abs(s.apart) != a.site->bytes_per_lane) {
      f.title = fmt::format("adjacent lanes are {} apart", bytes(s.apart));
      f.what =
          fmt::format("Adjacent lanes {} {} {} apart, because {}. ", verb(a), name(a), bytes(s.apart), because(s)) +
          f.what;
    } else if (s.apart != 0) {
      f.title = "a warp covers short rows";
    } else {
      f.title = "lanes of a warp are far apart";
      f.what += " The address: " + report::law_text(a.site->law, a.kernel->parameters) + ".";
    }
    f.change = s.apart != 0 ? change_for(context, s)
                            : "Let adjacent lanes have adjacent indices: compute the index from `threadIdx.x` by "
                              "adding alone.";
    fill_effect(context, s, f);
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
