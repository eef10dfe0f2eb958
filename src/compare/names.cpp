#include "compare/names.h"

#include <algorithm>
#include <cctype>

#include "report/text.h"

namespace warplens::compare {
namespace {

using Tokens = std::vector<std::string>;

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }
bool is_word(const std::string& token) { return !token.empty() && is_word_char(token[0]); }
bool is_number(const std::string& token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token[0]));
}

// What stands for an unnamed namespace.
constexpr std::string_view kUnnamed[] = {"(anonymous namespace)", "<unnamed>", "{anonymous}"};

Tokens tokens_of(std::string_view text) {
  Tokens out;
  while (!text.empty()) {
    const auto unnamed = std::find_if(std::begin(kUnnamed), std::end(kUnnamed),
                                      [&](std::string_view words) { return text.starts_with(words); });
    size_t length = 1;
    if (unnamed != std::end(kUnnamed)) {
      length = unnamed->size();
      out.emplace_back("unnamed$");
    } else if (text.starts_with("::")) {
      length = 2;
      out.emplace_back("::");
    } else if (is_word_char(text[0])) {
      while (length < text.size() && is_word_char(text[length])) ++length;
      out.emplace_back(text.substr(0, length));
    } else if (!std::isspace(static_cast<unsigned char>(text[0]))) {
      out.emplace_back(1, text[0]);
    }
    text.remove_prefix(length);
  }
  return out;
}

char closing(const std::string& open) {
  static constexpr std::string_view kOpen = "(<[{", kClose = ")>]}";
  const size_t at = open.size() == 1 ? kOpen.find(open[0]) : kOpen.npos;
  return at == kOpen.npos ? '\0' : kClose[at];
}

// Behind the bracket that belongs to the one at `at`; the end where there is none. A '>' inside parentheses is an arrow
// or a comparison.
size_t behind_bracket(const Tokens& tokens, size_t at) {
  std::string expected;
  for (; at < tokens.size(); ++at) {
    const std::string& token = tokens[at];
    if (const char close = closing(token)) {
      expected += close;
    } else if (!expected.empty() && token.size() == 1 && token[0] == expected.back()) {
      expected.pop_back();
      if (expected.empty()) return at + 1;
    }
  }
  return at;
}

// "(int)16", "16u", "true", "-1l": 16, 16, 1, -1.
Tokens plain_numbers(const Tokens& tokens) {
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "(") {
      size_t end = i + 1;
      while (end < tokens.size() && (is_word(tokens[end]) || tokens[end] == "::")) ++end;
      const size_t number = end + 1 < tokens.size() && tokens[end + 1] == "-" ? end + 2 : end + 1;
      if (end > i + 1 && end < tokens.size() && tokens[end] == ")" && number < tokens.size() &&
          is_number(tokens[number])) {
        i = end;
        continue;
      }
    }
    std::string token = tokens[i] == "true" ? "1" : tokens[i] == "false" ? "0" : tokens[i];
    if (is_number(token))
      while (token.size() > 1 && std::string_view("uUlL").find(token.back()) != std::string_view::npos)
        token.pop_back();
    out.push_back(std::move(token));
  }
  return out;
}

// "main::[lambda(float) (instance 1)]" and "main::{lambda(float)#1}".
Tokens plain_lambdas(const Tokens& tokens) {
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool opens = (tokens[i] == "[" || tokens[i] == "{") && i + 1 < tokens.size() && tokens[i + 1] == "lambda";
    if (!opens) {
      out.push_back(tokens[i]);
      continue;
    }
    const size_t end = behind_bracket(tokens, i);
    size_t number = end;
    while (number > i && !is_number(tokens[number - 1])) --number;
    out.push_back("lambda$" + (number > i ? tokens[number - 1] : ""));
    i = end - 1;
  }
  return out;
}

bool starts_type(const Tokens& out) {
  return out.empty() || out.back() == "<" || out.back() == "," || out.back() == "(";
}
bool is_qualifier(const std::string& token) { return token == "const" || token == "volatile"; }

// Behind the name of a type: its words, scopes and template arguments.
size_t behind_type(const Tokens& tokens, size_t at) {
  while (at < tokens.size()) {
    if (tokens[at] == "<")
      at = behind_bracket(tokens, at);
    else if ((is_word(tokens[at]) && !is_qualifier(tokens[at])) || tokens[at] == "::")
      ++at;
    else
      break;
  }
  return at;
}

Tokens slice(const Tokens& tokens, size_t from, size_t to) { return {tokens.data() + from, tokens.data() + to}; }

// "const float *" becomes "float const *", and "unsigned" "unsigned int".
Tokens plain_types(const Tokens& tokens) {
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (is_qualifier(tokens[i]) && starts_type(out)) {
      const size_t end = behind_type(tokens, i + 1);
      const Tokens inner = plain_types(slice(tokens, i + 1, end));
      out.insert(out.end(), inner.begin(), inner.end());
      out.push_back(tokens[i]);
      i = end - 1;
      continue;
    }
    out.push_back(tokens[i]);
    static constexpr std::string_view kAfter[] = {"char", "short", "int", "long", "__int128"};
    const bool named =
        i + 1 < tokens.size() && std::find(std::begin(kAfter), std::end(kAfter), tokens[i + 1]) != std::end(kAfter);
    if (tokens[i] == "unsigned" && !named) out.emplace_back("int");
  }
  return out;
}

std::string joined(const Tokens& tokens, size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < to; ++i) {
    if (i > from && is_word(tokens[i - 1]) && is_word(tokens[i])) out += ' ';
    out += tokens[i];
  }
  return out;
}

// Where the parameters begin: at the last parenthesis outside of brackets; the end where there is none.
size_t parameters_at(const Tokens& tokens) {
  size_t found = tokens.size();
  for (size_t i = 0; i < tokens.size();) {
    if (tokens[i] == "(") found = i;
    i = closing(tokens[i]) ? behind_bracket(tokens, i) : i + 1;
  }
  return found;
}

size_t count_parameters(const Tokens& tokens, size_t open) {
  const size_t end = behind_bracket(tokens, open);
  if (end <= open + 2 || (end == open + 3 && tokens[open + 1] == "void")) return 0;
  size_t count = 1;
  for (size_t i = open + 1; i + 1 < end;) {
    count += tokens[i] == ",";
    i = closing(tokens[i]) ? behind_bracket(tokens, i) : i + 1;
  }
  return count;
}

// The function's own name: the last word outside of template arguments.
std::string function_of(const Tokens& tokens, size_t from, size_t to) {
  std::string name;
  for (size_t i = from; i < to;) {
    if (is_word(tokens[i])) name = tokens[i];
    i = closing(tokens[i]) ? behind_bracket(tokens, i) : i + 1;
  }
  return name;
}

}  // namespace

KernelName kernel_name(std::string_view name) {
  constexpr size_t kLongest = 1 << 16;  // of a name worth taking apart
  name = name.substr(0, kLongest);
  Tokens tokens = tokens_of(report::demangled(std::string(name)));
  tokens = plain_types(plain_numbers(plain_lambdas(tokens)));
  const size_t from = !tokens.empty() && tokens[0] == "void" ? 1 : 0;
  const size_t open = std::max(from, parameters_at(tokens));
  const std::string plain = joined(tokens, from, open);
  const bool has_parameters = open < tokens.size();
  return {{joined(tokens, from, tokens.size()),
           has_parameters ? plain + "/" + std::to_string(count_parameters(tokens, open)) : plain, plain,
           function_of(tokens, from, open)}};
}

size_t closeness(const KernelName& a, const KernelName& b) {
  size_t form = 0;
  while (form < kNameForms && (a.form[form].empty() || a.form[form] != b.form[form])) ++form;
  return form;
}

}  // namespace warplens::compare
