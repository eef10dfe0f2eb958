// The page of each rule: docs/rules/*.md, built into the program.
#pragma once
#include <span>

namespace warplens::findings {

struct Page {
  const char* id;    // "WL101"
  const char* text;  // Markdown
};
std::span<const Page> pages();

}  // namespace warplens::findings
