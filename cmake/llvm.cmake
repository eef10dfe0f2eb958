# warplens_llvm: LLVM for the folders codegen and jit, and for nobody else.
#
# Linked statically: loading libLLVM.so costs tens of milliseconds of relocations at every start, and a user's program
# may bring an LLVM of its own. For that second reason none of LLVM's symbols leaves the library or program that it is
# linked into. Headers come in as SYSTEM, so that our warnings are ours.
find_package(LLVM 19.1 REQUIRED CONFIG)

# The native target only: X86 on x86-64, AArch64 on arm64.
set(LLVM_WANTED core support irreader bitreader bitwriter linker analysis passes orcjit native object)
llvm_map_components_to_libnames(LLVM_LIBRARIES ${LLVM_WANTED})

add_library(warplens_llvm INTERFACE)
target_include_directories(warplens_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(warplens_llvm INTERFACE ${LLVM_LIBRARIES})

# Everything that the components pull in. One --exclude-libs an archive: ALL would hide our own exports too, and mold 1.10
# hangs on a list.
function(warplens_hide_llvm)
  set(todo ${LLVM_LIBRARIES})
  set(seen "")
  while(todo)
    list(POP_FRONT todo library)
    if(NOT library IN_LIST seen)
      list(APPEND seen ${library})
      target_link_options(warplens_llvm INTERFACE "LINKER:--exclude-libs,lib${library}.a")
      get_target_property(needs ${library} INTERFACE_LINK_LIBRARIES)
      list(FILTER needs INCLUDE REGEX "^LLVM")
      list(APPEND todo ${needs})
    endif()
  endwhile()
endfunction()
warplens_hide_llvm()

# Device math as bitcode, for kernels to take in (src/jit/inline_math.cpp): warplens_math_bitcode(TARGET SOURCE).
function(warplens_math_bitcode target source)
  find_program(WARPLENS_CLANG clang++-19 REQUIRED)
  set(bitcode ${CMAKE_CURRENT_BINARY_DIR}/math.bc)
  add_custom_command(OUTPUT ${bitcode}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WARPLENS_CLANG} -std=c++20 -O1 -ffp-contract=off -fno-math-errno
      -fno-trapping-math -fno-exceptions -I${PROJECT_SOURCE_DIR}/src -emit-llvm -MD -MF ${bitcode}.d -c -x c++ ${source} -o ${bitcode}
    DEPENDS ${source} DEPFILE ${bitcode}.d COMMENT "Compiling device math to bitcode")
  set(assembly ${CMAKE_CURRENT_SOURCE_DIR}/jit/math_bitcode.S)
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS ${bitcode}
    COMPILE_DEFINITIONS "WL_BITCODE=\"${bitcode}\"")
  target_sources(${target} PRIVATE ${assembly})
endfunction()
