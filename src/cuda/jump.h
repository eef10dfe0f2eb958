// For the assembler files of the thin libraries: WL_JUMP(name, target), an exported function that jumps to the core
// library's, and WL_IN_<releases>(x), which is x in the libraries of those releases of CUDA (WL_RELEASE) and nothing in
// the others.
#pragma once

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
#define WL_JUMP(name, target) \
  .globl name;                \
  .type name, % function;     \
  .balign 16;                 \
  name:                       \
  bti c;                      \
  b target;                   \
  .size name, .- name
#else
#define WL_JUMP(name, target) \
  .globl name;                \
  .type name, @function;      \
  .balign 16;                 \
  name:                       \
  endbr64;                    \
  jmp target @PLT;            \
  .size name, .- name
#endif
