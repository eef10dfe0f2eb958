// One libcudart.so.N: every function of api.def that release WL_RELEASE has, as a jump into the core library. The core keeps
// the process's only state, so programs and libraries built for different releases share one device.
#include "cuda/jump.h"

#define WL_IMPLEMENTED(releases, name, implementation) WL_IN_##releases(WL_JUMP(name, implementation))
#define WL_REFUSED(releases, name) WL_IN_##releases(WL_JUMP(name, wl_refused_##name))

  .text
#include "cuda/api.def"
  .section .note.GNU-stack,"",%progbits
