// WL104: lanes go from struct to struct and take a part of each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "findings/rules/global.h"
#include "findings/words.h"

namespace warplens::findings {
namespace {

int64_t constant_of(const report::Law& law) {
  for (const report::LawTerm& t : law)
    if (t.factors.empty()) return t.coefficient;
  return 0;
}

// Bytes of each struct that the kernel's accesses take, together.
uint64_t used_bytes(const Group& group, const Spread& s) {
  std::set<int64_t> used;
  for (const Access& other : group.accesses) {
    if (!is_global(other) || !other.law.known || other.law.base != s.access.law.base) continue;
    if (other.law.axis(s.axis).bytes != s.access.law.axis(s.axis).bytes) continue;
    for (uint32_t site : other.sites) {
      const int64_t size = std::abs(s.apart),
                    first = ((constant_of(group.kernel->sites[site].law) % size) + size) % size;
      for (uint32_t b = 0; b < other.site->bytes_per_lane; ++b) used.insert((first + b) % size);
    }
  }
  return used.size();
}

}  // namespace

void fields_of_structs(const Context& context) {
  for (const Spread& s : spread_accesses(context.group)) {
    const Access& a = s.access;
    const int64_t size = std::abs(s.apart);
    if (!a.law.known || size <= a.site->bytes_per_lane || size > 64 || a.law.axis(s.axis).factor.ends_with(")"))
      continue;
    const uint64_t used = used_bytes(context.group, s);
    const bool all = used >= static_cast<uint64_t>(size);
    report::Finding f = about(a, "WL104", all ? "note" : severity_of(context.group, s.excess()));
    f.title = fmt::format("{} of every {} are taken", bytes(a.site->bytes_per_lane), bytes(size));
    f.what = fmt::format(
        "Adjacent lanes {} {} {} apart and take {} of each: elements of {}, such as structs. A request touches {:.1f} "
        "sectors of 32 bytes; its data would fit in {:.1f}. The kernel uses {} of each {}.",
        verb(a), name(a), bytes(size), bytes(a.site->bytes_per_lane), bytes(size), s.sectors, s.ideal, used,
        bytes(size));
    f.change = all ? fmt::format(
                         "All of the struct is used, so L1 serves most of the rest: DRAM moves no more than it must. "
                         "{}, or an array for each field, would ask L1 less often.",
                         size % 16 == 0 ? "Loads of 16 bytes (float4)" : "Taking rows of structs through shared memory")
                   : "Store an array for each field (struct of arrays), or keep the fields that are used together in a "
                     "struct of their own.";
    fill_effect(context, s, f);
    if (all) f.gain = "little expected: L1 keeps what the other fields' accesses need [estimated]";
    context.findings.push_back(std::move(f));
  }
}

}  // namespace warplens::findings
