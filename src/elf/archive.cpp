#include "elf/archive.h"

#include <ar.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace warplens::elf {
namespace {

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  return field;
}

bool number_in(std::string_view field, uint64_t& value) {
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size();
}

// "name/", or "/123": at that place of the table of long names.
std::string_view name_of(std::string_view field, std::string_view long_names) {
  uint64_t offset = 0;
  if (field.starts_with('/') && number_in(field.substr(1), offset)) {
    if (offset >= long_names.size()) return {};
    field = long_names.substr(offset);
    field = field.substr(0, std::min(field.find('\n'), field.size()));
  }
  if (field.ends_with('/')) field.remove_suffix(1);
  return field;
}

}  // namespace

bool is_archive(Bytes bytes) { return text_of(bytes).starts_with(std::string_view(ARMAG, SARMAG)); }

std::vector<ArchiveMember> archive_members(Bytes bytes) {
  std::vector<ArchiveMember> members;
  if (!is_archive(bytes)) return members;
  std::string_view long_names;
  for (size_t at = SARMAG; at <= bytes.size() && bytes.size() - at >= sizeof(ar_hdr);) {
    // All characters, hence no alignment; names stay within `bytes`.
    const ar_hdr& header = *reinterpret_cast<const ar_hdr*>(bytes.data() + at);
    at += sizeof header;
    uint64_t size = 0;
    std::string_view digits = trimmed({header.ar_size, sizeof header.ar_size});
    if (std::memcmp(header.ar_fmag, ARFMAG, 2) != 0 || !number_in(digits, size) || size > bytes.size() - at) break;
    std::string_view name = trimmed({header.ar_name, sizeof header.ar_name});
    Bytes contents = bytes.subspan(at, size);
    if (name == "//")
      long_names = text_of(contents);
    else if (name != "/" && name != "/SYM64/")
      members.push_back({name_of(name, long_names), contents});
    at += size + size % 2;
  }
  return members;
}

}  // namespace warplens::elf
