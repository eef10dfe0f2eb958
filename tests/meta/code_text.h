// C++ text without what the rules must not look at.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace warplens::meta {

// Comments, and the contents of string and character literals, become spaces; line breaks stay.
std::string code_only(std::string_view text);

// Comments become spaces; literals and line breaks stay.
std::string without_comments(std::string_view text);

// The other way round: what string literals hold; all else becomes spaces.
std::string literals_only(std::string_view text);

// Calls visit(line number from 1, line) for each line.
void for_each_line(std::string_view text, const std::function<void(int, const std::string&)>& visit);

}  // namespace warplens::meta
