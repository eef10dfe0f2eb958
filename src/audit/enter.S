// Where a thunk goes the first time: [rsp] the Redirection, [rsp+8] the function's index, [rsp+16] the caller's return
// address. Keeps every register that may hold an argument, asks for the target, and goes there as if called directly.
#if defined(__x86_64__)
  .text
  .globl wl_audit_enter
  .hidden wl_audit_enter
  .type wl_audit_enter, @function
  .balign 16
wl_audit_enter:
  .cfi_startproc
  .cfi_adjust_cfa_offset 16
  endbr64
  pushq %rax
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $128, %rsp
  .cfi_adjust_cfa_offset 184
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 184(%rsp), %rdi
  movq 192(%rsp), %rsi
  call wl_audit_resolve  // rax: where to go; rdx: the argument instead of the caller's first, or 0
  movq %rax, %r11
  movq %rdx, %r10
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rax
  addq $16, %rsp
  .cfi_adjust_cfa_offset -200
  testq %r10, %r10
  cmovnzq %r10, %rdi
  jmp *%r11
  .cfi_endproc
  .size wl_audit_enter, .-wl_audit_enter
#endif

  .section .note.GNU-stack,"",%progbits
