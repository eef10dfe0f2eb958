#include "elf/runtime_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

namespace warplens::elf {
namespace {

class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    size_t from = std::min(rest_.find_first_not_of(' '), rest_.size());
    size_t to = std::min(rest_.find(' ', from), rest_.size());
    std::string_view word = rest_.substr(from, to - from);
    rest_.remove_prefix(to);
    return word;
  }
  bool number(uint64_t& value, int base) {
    std::string_view word = next();
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size();
  }
  bool stretch(Stretch& s) { return number(s.offset, 16) && number(s.bytes, 10); }

 private:
  std::string_view rest_;
};

Release* release_named(RuntimeTable& table, std::string_view name) {
  auto it =
      std::find_if(table.releases.begin(), table.releases.end(), [&](const Release& r) { return r.name == name; });
  return it == table.releases.end() ? nullptr : &*it;
}

bool within(const Release& release, const Stretch& s) {
  return s.bytes >= kQuickBytes && s.offset <= release.text_bytes && s.bytes <= release.text_bytes - s.offset;
}

bool read_anchor(Words& words, Release& release) {
  uint64_t start = 0;
  if (!words.stretch(release.anchor) || !words.number(start, 16) || !words.number(release.anchor.hash, 16))
    return false;
  release.anchor_start = static_cast<uint32_t>(start);
  return release.anchor.offset % 16 == 0 && within(release, release.anchor);
}

bool read_function(Words& words, RuntimeTable& table) {
  KnownFunction function;
  function.name = words.next();
  if (function.name.empty()) return false;
  for (const Release& release : table.releases) {
    Words ahead = words;
    uint64_t offset = kNoOffset;
    if (ahead.next() != "-" && (!words.number(offset, 16) || offset >= release.text_bytes)) return false;
    if (offset == kNoOffset) words = ahead;
    function.offsets.push_back(offset);
  }
  table.functions.push_back(std::move(function));
  return words.next().empty();
}

bool read_line(std::string_view line, RuntimeTable& table) {
  Words words(line);
  std::string_view kind = words.next();
  if (kind.empty() || kind[0] == '#') return true;
  if (kind == "releases") {
    if (!table.releases.empty() || !table.functions.empty()) return false;  // functions list as many places
    for (std::string_view name = words.next(); !name.empty(); name = words.next()) {
      table.releases.emplace_back();
      table.releases.back().name = name;
    }
    return !table.releases.empty();
  }
  if (kind == "function") return read_function(words, table);
  Release* release = release_named(table, words.next());
  if (!release) return false;
  if (kind == "text") return words.number(release->text_bytes, 10);
  if (kind == "anchor") return read_anchor(words, *release);
  if (kind != "check") return false;
  Stretch& check = release->checks.emplace_back();
  return words.stretch(check) && words.number(check.hash, 16) && within(*release, check);
}

}  // namespace

const KnownFunction* RuntimeTable::find(std::string_view name) const {
  auto it = std::lower_bound(functions.begin(), functions.end(), name,
                             [](const KnownFunction& f, std::string_view n) { return f.name < n; });
  return it != functions.end() && it->name == name ? &*it : nullptr;
}

int RuntimeTable::major_of(std::string_view release) {
  int major = 0;
  std::from_chars(release.data(), release.data() + release.size(), major);
  return major;
}

bool read_runtime_table(std::string_view text, RuntimeTable& table) {
  bool good = true;
  while (good && !text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    good = read_line(text.substr(0, end), table);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(table.functions.begin(), table.functions.end(),
            [](const KnownFunction& a, const KnownFunction& b) { return a.name < b.name; });
  return good;
}

bool is_runtime_name(std::string_view name) {
  if (name.starts_with("__cudaRegisterLinkedBinary_")) return false;
  if (name.starts_with("__")) name.remove_prefix(2);
  bool word = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return word && name.size() > 4 && name.starts_with("cuda") && std::isupper(static_cast<unsigned char>(name[4]));
}

uint64_t hash(Bytes bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (std::byte b : bytes) h = (h ^ static_cast<uint64_t>(b)) * 0x100000001b3;
  return h;
}

uint32_t quick_hash(const std::byte* at) {
  uint64_t a, b;
  std::memcpy(&a, at, 8);
  std::memcpy(&b, at + 8, 8);
  uint64_t h = (a * 0x9e3779b97f4a7c15) ^ ((b + (a >> 32)) * 0xc2b2ae3d27d4eb4f);
  return static_cast<uint32_t>(h >> 32);
}

}  // namespace warplens::elf
