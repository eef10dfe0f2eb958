# The libraries that hold machine code only. cuBLAS is computed by the core library; of the others there is nothing but
# their names, all refused. Each is a thin library with the name that programs ask for.

# warplens_library(TARGET NAME VERSION TABLE STATUS STATUS_NAME [RELEASE]): lib<NAME>.so.<VERSION>, whose functions are
# those of a table of this folder; with RELEASE (11, 12, 13) the table has served ones too.
function(warplens_library target name version table status status_name)
  set(sources ${CMAKE_CURRENT_SOURCE_DIR}/libraries/refused_library.cc)
  set(release 0)
  if(ARGC GREATER 6)
    set(release ${ARGV6})
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/blas/cublas.S)
  endif()
  add_library(${target} SHARED ${sources})
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${table})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE WL_TABLE="cuda/${table}" WL_STATUS=${status} WL_STATUS_NAME="${status_name}"
                             WL_RELEASE=${release} WL_WITH_RELEASES=$<BOOL:${release}>)
  target_link_libraries(${target} PRIVATE warplens_runtime)
  # NVIDIA's symbols have the library's name as their version, but for NCCL's.
  set(soname lib${name}.so.${version})
  set(exported "global: cu*; local: *;")
  set(map "${soname} { ${exported} };\n")
  if(name STREQUAL nccl)
    set(map "{ global: *nccl*; local: *; };\n")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${soname}.map CONTENT "${map}" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/${soname}.map
                      -Wl,-soname,${soname} -Wl,--as-needed)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME lib${name} SUFFIX .so.${version} NO_SONAME ON
                        LINKER_LANGUAGE CXX BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  file(CREATE_LINK ${soname} ${PROJECT_BINARY_DIR}/lib/lib${name}.so SYMBOLIC)  # what -l finds: the last one made
  set_property(GLOBAL APPEND PROPERTY WARPLENS_LIBRARIES ${target})
endfunction()

foreach(release 11 12 13)
  warplens_library(cublas_${release} cublas ${release} blas/api.def 15 CUBLAS_STATUS_NOT_SUPPORTED ${release})
  warplens_library(cublaslt_${release} cublasLt ${release} blas/lt.def 15 CUBLAS_STATUS_NOT_SUPPORTED ${release})
endforeach()
foreach(version 10 11 12)
  warplens_library(cufft_${version} cufft ${version} libraries/cufft.def 16 CUFFT_NOT_SUPPORTED)
endforeach()
foreach(version 11 12)
  warplens_library(cusolver_${version} cusolver ${version} libraries/cusolver.def 9 CUSOLVER_STATUS_NOT_SUPPORTED)
  warplens_library(cusparse_${version} cusparse ${version} libraries/cusparse.def 10 CUSPARSE_STATUS_NOT_SUPPORTED)
endforeach()
warplens_library(cudnn_8 cudnn 8 libraries/cudnn.def 9 CUDNN_STATUS_NOT_SUPPORTED)
warplens_library(cudnn_9 cudnn 9 libraries/cudnn.def 3000 CUDNN_STATUS_NOT_SUPPORTED)
# These have no code of their own for it; the nearest: "GPU does not support requested feature", "a call to CUDA failed".
warplens_library(curand_10 curand 10 libraries/curand.def 204 CURAND_STATUS_ARCH_MISMATCH)
warplens_library(nccl_2 nccl 2 libraries/nccl.def 1 ncclUnhandledCudaError)

# NVIDIA's compiler at run time, between the program and the real one. No search for the real one must end at ours, so
# the files have names of their own.
foreach(version 11.2 12 13)
  string(REGEX MATCH "^[0-9]+" major ${version})
  set(target nvrtc_${major})
  set(soname libnvrtc.so.${version})
  add_library(${target} SHARED nvrtc/nvrtc.cc)
  target_compile_definitions(${target} PRIVATE WL_SONAME="${soname}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${soname}.map CONTENT "${soname} { global: nvrtc*; local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/${soname}.map
                      -Wl,-soname,${soname} -static-libstdc++ -static-libgcc)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libwarplens_nvrtc SUFFIX .so.${version} NO_SONAME ON
                        LINKER_LANGUAGE CXX)
  set_property(GLOBAL APPEND PROPERTY WARPLENS_LIBRARIES ${target})
endforeach()
