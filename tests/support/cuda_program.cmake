# cuda_program_test(NAME ...): a warplens_test that runs CUDA programs on our runtime (cuda_program.h).
function(cuda_program_test name)
  cmake_parse_arguments(A "" "" "SOURCES" ${ARGN})
  warplens_test(${name} SOURCES ${A_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/cuda_program.cpp LIBS warplens_report)
  add_dependencies(${name} cudart_11 cudart_12 cudart_13)
endfunction()
