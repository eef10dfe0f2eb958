// Little-endian numbers in bytes that nobody has checked. Internal to src/ptx.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace warplens::ptx {

using Bytes = std::span<const std::byte>;

// The T at `offset`; 0 where the bytes end before it. Alignment does not matter.
template <typename T>
T read(Bytes bytes, uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T))
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// bytes[offset, offset + size); empty where that is not all inside.
inline Bytes slice(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The text at `offset` up to its NUL, or the end of the bytes.
inline std::string_view text_at(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view text = as_text(bytes.subspan(offset));
  return text.substr(0, text.find('\0'));
}

template <typename T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace warplens::ptx
