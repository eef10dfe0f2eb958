// (Not *.cpp: it is compiled once a library, not into the core.)
// A library that holds machine code only, as far as Warplens refuses it: each function of WL_TABLE says so once, by
// name, on stderr and in the record, and returns the library's own code for what cannot be done (WL_STATUS,
// WL_STATUS_NAME). Those of its functions that are served, if any, are in an assembler file.
#include "cuda/libraries/refuse.h"

extern "C" {

#define WL_EXPORTED __attribute__((visibility("default")))
#define WL_IMPLEMENTED(releases, name, implementation)
#define WL_REFUSE(name) \
  WL_EXPORTED int name() { return wl_library_refuse(#name, WL_STATUS_NAME), WL_STATUS; }
#define WL_REFUSED_TEXT(name) \
  WL_EXPORTED const char* name() { return wl_library_refuse(#name, "a text"), "not supported by Warplens"; }
#if WL_WITH_RELEASES
#define WL_REFUSED(releases, name) WL_REFUSE(name)
#else
#define WL_REFUSED(name) WL_REFUSE(name)
#endif
#include WL_TABLE

}  // extern "C"
