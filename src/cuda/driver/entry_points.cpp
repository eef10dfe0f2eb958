// Of every function of api.def only the address is wanted here, so no declaration has its arguments.
#include "cuda/driver/entry_points.h"

#define WL_SERVED(since, name, symbol, streams, implementation) extern "C" void implementation();
#define WL_REFUSED(since, name, symbol, streams) extern "C" void wl_refused_##symbol();
#include "cuda/driver/api.def"
#undef WL_SERVED
#undef WL_REFUSED

namespace warplens::cuda::driver {
namespace {

constexpr EntryPoint kEntryPoints[] = {
#define WL_SERVED(since, name, symbol, streams, implementation) {#name, since, implementation},
#define WL_REFUSED(since, name, symbol, streams) {#name, since, wl_refused_##symbol},
#include "cuda/driver/api.def"
#undef WL_SERVED
#undef WL_REFUSED
};

}  // namespace

const EntryPoint* find_entry_point(std::string_view name, int version, bool& known) {
  const EntryPoint* best = nullptr;
  known = false;
  for (const EntryPoint& entry : kEntryPoints) {
    if (entry.name != name) continue;
    known = true;
    if (entry.since <= version && (!best || entry.since > best->since)) best = &entry;
  }
  return best;
}

}  // namespace warplens::cuda::driver
