// libcuda.so.1: every function of api.def as a jump into the core library, which keeps the process's only state.
#include "cuda/jump.h"

#define WL_EXPORT_ONE(symbol, target) WL_JUMP(symbol, target)
#define WL_EXPORT_PTDS(symbol, target) WL_JUMP(symbol, target); WL_JUMP(symbol##_ptds, target)
#define WL_EXPORT_PTSZ(symbol, target) WL_JUMP(symbol, target); WL_JUMP(symbol##_ptsz, target)
#define WL_SERVED(since, name, symbol, streams, implementation) WL_EXPORT_##streams(symbol, implementation)
#define WL_REFUSED(since, name, symbol, streams) WL_EXPORT_##streams(symbol, wl_refused_##symbol)

  .text
#include "cuda/driver/api.def"
  .section .note.GNU-stack,"",%progbits
