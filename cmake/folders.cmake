# Each folder of src/ is one static library warplens_<folder> made of all its *.cpp: adding a file needs no CMake edit.
# DEPENDS lists what it may include, which is the dependency rule of ARCHITECTURE.md; tests/meta checks it.
function(warplens_folder name)
  cmake_parse_arguments(A "" "" "DEPENDS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  list(TRANSFORM A_DEPENDS PREPEND warplens_)
  if(sources)
    add_library(warplens_${name} STATIC ${sources})
    target_include_directories(warplens_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(warplens_${name} PUBLIC ${A_DEPENDS} ${A_LIBS})
  else()
    add_library(warplens_${name} INTERFACE)
    target_include_directories(warplens_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(warplens_${name} INTERFACE ${A_DEPENDS} ${A_LIBS})
  endif()
endfunction()

# A GoogleTest program from files: warplens_test(NAME SOURCES files... LIBS libraries...)
function(warplens_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Sanitize>:-O0>)  # compiled in half the time, and most of it runs once
  target_link_libraries(${name} PRIVATE ${A_LIBS} test_support GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE WARPLENS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WARPLENS_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  # Tests of the PTX path, with and without a toolkit alike; those of machine code ask for that.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "WARPLENS_CODE=ptx")
endfunction()
