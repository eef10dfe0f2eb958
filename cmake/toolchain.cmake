# Warnings, ccache and mold where they are installed, and the sanitizers of WARPLENS_SANITIZE.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
# LLVM's archives hold a section a function: what nobody calls is left out.
add_link_options("LINKER:--gc-sections")

if(WARPLENS_SANITIZE)
  # A wrong value must fail the test that saw it, not only print a line.
  add_compile_options(-fsanitize=${WARPLENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${WARPLENS_SANITIZE})
  # A program that was built without sanitizers must load their runtime first for our libraries in it.
  set(runtime libtsan.so)
  if(WARPLENS_SANITIZE MATCHES "address")
    set(runtime libasan.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  # AddressSanitizer looks for the function that throws when it starts, which is too early in a program in C that opens
  # its first library in C++ later.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6
    OUTPUT_VARIABLE libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(WARPLENS_SANITIZER_RUNTIME ${runtime}:${libstdcxx})
endif()
