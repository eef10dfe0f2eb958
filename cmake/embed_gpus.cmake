# Turns data/gpus/*.toml into a source file, so that the program needs no data files at run time.
function(warplens_embed_gpus target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/gpus/*.toml)
  list(SORT files)
  set(rows "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${id}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  list(LENGTH files count)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/gpu_files.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made from data/gpus by cmake/embed_gpus.cmake.
#include \"model/gpu_files.h\"

namespace warplens::model {
namespace {
constexpr GpuFile kFiles[] = {
@rows@};
}
std::span<const GpuFile> gpu_files() { return kFiles; }
}  // namespace warplens::model
")
  target_sources(${target} PRIVATE ${source})
endfunction()
