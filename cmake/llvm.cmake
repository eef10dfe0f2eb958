# warplens_llvm: LLVM for the folders codegen and jit, and for nobody else.
#
# Linked statically: loading libLLVM.so costs tens of milliseconds of relocations at every start, and a user's program
# may bring an LLVM of its own. For that second reason none of LLVM's symbols leaves the library or program that it is
# linked into. Headers come in as SYSTEM, so that our warnings are ours.
find_package(LLVM 19.1 REQUIRED CONFIG)

# The native target only: X86 on x86-64, AArch64 on arm64.
set(LLVM_WANTED core support irreader bitwriter analysis passes orcjit native object)
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
