// Any bytes as a file to inspect, as an archive to make a table from, and as a table.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "elf/archive.h"
#include "elf/build_table.h"
#include "elf/static_runtime.h"
#include "inspect/inspect.h"

using namespace warplens;

namespace {

// Small enough for the fuzzer to fulfil: an anchor of 16 bytes of zeros.
constexpr std::string_view kTable =
    "releases 13.0\ntext 13.0 64\nanchor 13.0 0 16 00000000 88201fb960ff6465\n"
    "function __cudaRegisterFatBinary 10\nfunction cudaMalloc 20\n";

void as_file(elf::Bytes bytes) {
  elf::RuntimeTable table;
  if (!elf::read_runtime_table(kTable, table)) std::abort();
  auto found = inspect::inspect(bytes, "file", {&table, 1});
  if (found && found->kind.empty()) std::abort();
  const elf::CodeRange range{0x1000, bytes};
  for (const elf::Entry& entry : elf::find_by_signature({&range, 1}, table).entries)
    if (entry.address < 0x1000 || entry.address >= 0x1000 + bytes.size()) std::abort();
}

void as_archive(elf::Bytes bytes) {
  for (const elf::ArchiveMember& member : elf::archive_members(bytes))
    if (member.bytes.size() > bytes.size()) std::abort();
  auto built = elf::build_release(bytes, "1.0");
  if (!built) return;
  elf::RuntimeTable none, table;
  const std::string text = elf::with_release(none, *built);
  if (!elf::read_runtime_table(text, table) || elf::with_release(none, *built) != text) std::abort();
}

void as_table(std::string_view text) {
  elf::RuntimeTable table;
  if (!elf::read_runtime_table(text, table)) return;
  for (const elf::KnownFunction& function : table.functions)
    if (function.offsets.size() != table.releases.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint64_t> aligned(size / 8 + 1);
  std::memcpy(aligned.data(), data, size);
  const elf::Bytes bytes = std::as_bytes(std::span(aligned)).first(size);
  as_file(bytes);
  as_archive(bytes);
  as_table({reinterpret_cast<const char*>(bytes.data()), size});
  return 0;
}
