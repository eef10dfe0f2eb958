// One libnvJitLink.so.N: every function of api.def, under its own name and those of each release of CUDA N (WL_RELEASE).
#if defined(__aarch64__)
#define WL_JUMP(name, target) .globl name; .type name, %function; .balign 16; name: bti c; b target; .size name, .-name
#else
#define WL_JUMP(name, target) .globl name; .type name, @function; .balign 16; name: endbr64; jmp target@PLT; .size name, .-name
#endif
#define WL_JOIN(name, release, minor) __nvJitLink##name##_##release##_##minor
#define WL_RELEASED(name, release, minor) WL_JUMP(WL_JOIN(name, release, minor), wl_nvJitLink##name)
#define WL_OF_RELEASE(name, r)                                                                              \
  WL_RELEASED(name, r, 0); WL_RELEASED(name, r, 1); WL_RELEASED(name, r, 2); WL_RELEASED(name, r, 3);       \
  WL_RELEASED(name, r, 4); WL_RELEASED(name, r, 5); WL_RELEASED(name, r, 6); WL_RELEASED(name, r, 7);       \
  WL_RELEASED(name, r, 8); WL_RELEASED(name, r, 9)
#define WL_EXPORT(name, release) WL_JUMP(nvJitLink##name, wl_nvJitLink##name); WL_OF_RELEASE(name, release)
#if WL_RELEASE == 12
#define WL_JIT_LINK(name) WL_EXPORT(name, 12)
#else
#define WL_JIT_LINK(name) WL_EXPORT(name, 13)
#endif

  .text
#include "cuda/jit_link/api.def"
  .section .note.GNU-stack,"",%progbits
