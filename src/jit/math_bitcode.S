// The bitcode of src/ir/math_bitcode.cxx (WL_BITCODE is the file), between two symbols.
  .section .rodata
  .globl wl_math_bitcode_begin, wl_math_bitcode_end
  .hidden wl_math_bitcode_begin, wl_math_bitcode_end
  .balign 16
wl_math_bitcode_begin:
  .incbin WL_BITCODE
wl_math_bitcode_end:
  .section .note.GNU-stack,"",%progbits
