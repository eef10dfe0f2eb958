/* Stands for NVIDIA's libcudart_static.a: hidden functions in one section of code that is long enough to have a
   signature, with references for the linker to fill in between. FUNCTION_BYTES apart; SEED makes another "release". */
#ifndef SEED
#define SEED 1
#endif
  .text
  .set seed, SEED
  .macro noise words
  .rept \words
  .set seed, (seed * 1103515245 + 12345) & 0x7fffffff
  .long seed
  .endr
  .endm
  .macro entry name
  .globl \name
  .hidden \name
  .type \name, @function
  .balign 16
\name:
  movl $99, %eax
  ret
  noise 40
  call dlsym@PLT
  movq environ@GOTPCREL(%rip), %rax
  .size \name, .-\name
  .endm
  noise 500
  entry __cudaRegisterFatBinary
  entry cudaMalloc
  noise 900
  entry cudaFree
  entry cudaGetErrorString
  entry cudaBrandNew
  noise 300
  call dlopen@PLT
  call pthread_once@PLT
  .section .note.GNU-stack,"",@progbits
