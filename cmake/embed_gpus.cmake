# Turns data/gpus/*.toml and data/compute_capabilities.toml into a source file: the program needs no data files when it runs.
function(warplens_embed_gpus target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/gpus/*.toml)
  set(ids "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    list(APPEND ids ${id})
  endforeach()
  list(SORT ids)
  set(rows "")
  foreach(id ${ids})
    set(file ${PROJECT_SOURCE_DIR}/data/gpus/${id}.toml)
    file(READ ${file} text)
    string(APPEND rows "    {\"${id}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(capabilities ${PROJECT_SOURCE_DIR}/data/compute_capabilities.toml)
  file(READ ${capabilities} capabilities_text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${capabilities})
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
std::string_view compute_capabilities() {
  return R\"toml(@capabilities_text@)toml\";
}
}  // namespace warplens::model
")
  target_sources(${target} PRIVATE ${source})
endfunction()
