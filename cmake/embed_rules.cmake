# Turns docs/rules/*.md into a source file, so that `warplens explain` needs no files at run time.
function(warplens_embed_rules target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/rules/WL*.md)
  list(SORT files)
  set(rows "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${id}\", R\"page(${text})page\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/rule_pages.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made from docs/rules by cmake/embed_rules.cmake.
#include \"findings/pages.h\"

namespace warplens::findings {
namespace {
constexpr Page kPages[] = {
@rows@};
}
std::span<const Page> pages() { return kPages; }
}  // namespace warplens::findings
")
  target_sources(${target} PRIVATE ${source})
endfunction()
