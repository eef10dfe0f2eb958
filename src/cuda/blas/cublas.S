// One libcublas.so.N or libcublasLt.so.N: every served function of WL_TABLE as a jump into the core library. The refused
// ones are those of refused_library.cc.
#include "cuda/jump.h"

#define WL_IMPLEMENTED(releases, name, implementation) WL_IN_##releases(WL_JUMP(name, implementation))
#define WL_REFUSED(releases, name)

  .text
#include WL_TABLE
  .section .note.GNU-stack,"",%progbits
