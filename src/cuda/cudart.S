// One libcudart.so.N: every function of api.def that release WL_RELEASE has, as a jump into the core library. The core keeps
// the process's only state, so programs and libraries built for different releases share one device.
#define WL_IN_ALL(x) x
#if WL_RELEASE <= 12
#define WL_IN_TO12(x) x
#else
#define WL_IN_TO12(x)
#endif
#if WL_RELEASE >= 12
#define WL_IN_FROM12(x) x
#else
#define WL_IN_FROM12(x)
#endif
#if WL_RELEASE == 11
#define WL_IN_V11(x) x
#else
#define WL_IN_V11(x)
#endif
#if WL_RELEASE == 12
#define WL_IN_V12(x) x
#else
#define WL_IN_V12(x)
#endif
#if WL_RELEASE == 13
#define WL_IN_V13(x) x
#else
#define WL_IN_V13(x)
#endif

#if defined(__aarch64__)
#define WL_JUMP(name, target) .globl name; .type name, %function; .balign 16; name: bti c; b target; .size name, .-name
#else
#define WL_JUMP(name, target) .globl name; .type name, @function; .balign 16; name: endbr64; jmp target@PLT; .size name, .-name
#endif
#define WL_IMPLEMENTED(releases, name, implementation) WL_IN_##releases(WL_JUMP(name, implementation))
#define WL_REFUSED(releases, name) WL_IN_##releases(WL_JUMP(name, wl_refused_##name))

  .text
#include "cuda/api.def"
  .section .note.GNU-stack,"",%progbits
