// Finding a static runtime: by symbols and by signature, on one of our own making, for which no toolkit is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "elf/archive.h"
#include "elf/build_table.h"
#include "elf/known_runtimes.h"
#include "elf/mapped_file.h"
#include "elf/static_runtime.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

using elf::Bytes;
using elf::RuntimeTable;

class FakeRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    make_archive("libone.a", "1");
    make_archive("libtwo.a", "2");
    link("one", "libone.a");
    table_text_ = table_of({"libone.a", "libtwo.a"});
    ASSERT_TRUE(elf::read_runtime_table(table_text_, table_)) << table_text_;
  }
  void make_archive(const std::string& name, const std::string& seed) {
    run_tool({"cc", "-c", "-DSEED=" + seed, "-o", folder_ / (name + ".o"), static_program_path("fake_runtime.S")});
    run_tool({"ar", "rcs", folder_ / name, folder_ / (name + ".o")});
  }
  void link(const std::string& program, const std::string& archive, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command{"cc", "-o", folder_ / program, static_program_path("fake_main.c")};
    command.insert(command.end(), flags.begin(), flags.end());
    command.push_back(folder_ / archive);
    run_tool(command);
    run_tool({"strip", "-s", "-o", folder_ / (program + ".stripped"), folder_ / program});
  }
  std::string table_of(const std::vector<std::string>& archives) {
    std::string text;
    int release = 13;
    for (const std::string& name : archives) {
      RuntimeTable table;
      EXPECT_TRUE(elf::read_runtime_table(text, table));
      elf::MappedFile archive((folder_ / name).c_str());
      std::string number = std::to_string(release++) + ".0";
      auto built = elf::build_release(archive.bytes(), number);
      EXPECT_TRUE(built) << built.error().what;
      if (built) text = elf::with_release(table, *built);
    }
    return text;
  }
  static elf::StaticRuntime by_symbols(Bytes bytes, const RuntimeTable& table) {
    auto view = elf::View::of(bytes);
    return view ? elf::find_by_symbols(*view, table) : elf::StaticRuntime();
  }
  static elf::StaticRuntime by_signature(Bytes bytes, const RuntimeTable& table) {
    std::vector<elf::CodeRange> code;
    for (const Elf64_Phdr& segment : elf::View::of(bytes)->segments())
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
        code.push_back({segment.p_vaddr, bytes.subspan(segment.p_offset, segment.p_filesz)});
    return elf::find_by_signature(code, table);
  }
  static std::map<std::string, uint64_t> addresses(const elf::StaticRuntime& runtime) {
    std::map<std::string, uint64_t> found;
    for (const elf::Entry& entry : runtime.entries) found[std::string(entry.name)] = entry.address;
    return found;
  }

  Folder folder_;
  std::string table_text_;
  RuntimeTable table_;
};

TEST_F(FakeRuntime, IsFoundBySymbols) {
  elf::MappedFile file((folder_ / "one").c_str());
  elf::StaticRuntime found = by_symbols(file.bytes(), table_);
  EXPECT_EQ(found.release, "13.0");
  EXPECT_EQ(found.major, 13);
  auto names = addresses(found);
  EXPECT_EQ(names.size(), 5u);
  EXPECT_TRUE(names.contains("cudaGetErrorString"));
  EXPECT_FALSE(names.contains("cudaCheckOwn"));
  EXPECT_FALSE(names.contains("__cudaRegisterLinkedBinary_12ab"));
}

TEST_F(FakeRuntime, IsFoundByItsCodeAtTheSamePlaces) {
  link("fixed", "libone.a", {"-no-pie"});
  link("other", "libtwo.a");
  for (const char* program : {"one", "fixed", "other"}) {
    SCOPED_TRACE(program);
    elf::MappedFile whole((folder_ / program).c_str());
    elf::MappedFile stripped((folder_ / (std::string(program) + ".stripped")).c_str());
    EXPECT_TRUE(by_symbols(stripped.bytes(), table_).entries.empty());
    elf::StaticRuntime symbols = by_symbols(whole.bytes(), table_), code = by_signature(stripped.bytes(), table_);
    EXPECT_EQ(code.release, std::string(program) == "other" ? "14.0" : "13.0");
    EXPECT_EQ(addresses(code), addresses(symbols));
    EXPECT_EQ(code.entries.size(), 5u);
  }
}

// Names that the table has not lie among those that it has: then they are the runtime's, of a newer release.
TEST_F(FakeRuntime, OfANewerReleaseIsFoundBySymbols) {
  std::string without;
  for (size_t at = 0, end; at < table_text_.size(); at = end + 1) {
    end = table_text_.find('\n', at);
    std::string line = table_text_.substr(at, end - at + 1);
    if (line.find("cudaGetErrorString") == line.npos) without += line;
  }
  RuntimeTable table;
  ASSERT_TRUE(elf::read_runtime_table(without, table));
  elf::MappedFile file((folder_ / "one").c_str());
  elf::StaticRuntime found = by_symbols(file.bytes(), table);
  EXPECT_EQ(found.release, "13.0");  // all that is known is where the table says
  link("other", "libtwo.a");
  RuntimeTable none;
  std::string names_only = "releases 13.7\ntext 13.7 90000\n";
  for (const elf::KnownFunction& f : table.functions) names_only += "function " + std::string(f.name) + " 10\n";
  ASSERT_TRUE(elf::read_runtime_table(names_only, none));
  found = by_symbols(file.bytes(), none);
  EXPECT_EQ(found.release, "");
  EXPECT_TRUE(addresses(found).contains("cudaGetErrorString"));
  EXPECT_FALSE(addresses(found).contains("cudaCheckOwn"));
}

// One changed byte anywhere in the stretches, and it is another library.
TEST_F(FakeRuntime, ChangedCodeIsNotTakenForIt) {
  elf::MappedFile file((folder_ / "one.stripped").c_str());
  elf::StaticRuntime found = by_signature(file.bytes(), table_);
  ASSERT_EQ(found.entries.size(), 5u);
  const elf::Release& release = table_.releases[0];
  uint64_t base = addresses(found)["cudaMalloc"] - table_.find("cudaMalloc")->offsets[0];
  std::vector<elf::Stretch> stretches = release.checks;
  stretches.push_back(release.anchor);
  EXPECT_GE(stretches.size(), 3u);
  uint64_t file_offset = 0;
  for (const Elf64_Phdr& segment : elf::View::of(file.bytes())->segments())
    if (segment.p_flags & PF_X) file_offset = segment.p_offset - segment.p_vaddr;
  for (const elf::Stretch& stretch : stretches) {
    std::vector<std::byte> bytes(file.bytes().begin(), file.bytes().end());
    bytes[base + file_offset + stretch.offset + stretch.bytes / 2] ^= std::byte{1};
    EXPECT_TRUE(by_signature(bytes, table_).entries.empty()) << std::hex << stretch.offset;
  }
}

TEST_F(FakeRuntime, ATableKeepsItsOtherColumns) {
  EXPECT_EQ(table_of({"libone.a", "libtwo.a"}), table_text_);
  elf::MappedFile archive((folder_ / "libone.a").c_str());
  auto again = elf::build_release(archive.bytes(), "13.0");
  ASSERT_TRUE(again);
  EXPECT_EQ(elf::with_release(table_, *again), table_text_);  // the same release once more
}

TEST(Archives, AreReadMemberByMember) {
  Folder folder;
  const std::string longer = "a_name_that_is_longer_than_the_sixteen_characters_of_a_header.txt";
  std::ofstream(folder / "short.txt") << "odd";
  std::ofstream(folder / longer) << "even";
  run_tool({"ar", "rcs", folder / "lib.a", folder / "short.txt", folder / longer});
  elf::MappedFile archive((folder / "lib.a").c_str());
  std::string all;
  for (const elf::ArchiveMember& member : elf::archive_members(archive.bytes()))
    all += std::string(member.name) + "=" +
           std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()) + " ";
  EXPECT_EQ(all, "short.txt=odd " + longer + "=even ");
  for (size_t size = 0; size < archive.bytes().size(); ++size)
    EXPECT_LE(elf::archive_members(archive.bytes().first(size)).size(), 2u);
}

TEST(Archives, ThatHoldNoRuntimeAreRefused) {
  Folder folder;
  EXPECT_FALSE(elf::build_release({}, "1.0"));
  run_tool({"cc", "-c", "-o", folder / "main.o", static_program_path("fake_main.c")});
  run_tool({"ar", "rcs", folder / "lib.a", folder / "main.o"});
  elf::MappedFile archive((folder / "lib.a").c_str());
  EXPECT_FALSE(elf::build_release(archive.bytes(), "1.0"));
}

TEST(Table, MalformedLinesAreFound) {
  const std::string top = "releases 1.0 2.0\ntext 1.0 1000\ntext 2.0 1000\n";
  for (const char* good :
       {"", "# x\n", "\n", "function cudaFree 10 -\n", "check 1.0 20 64 ff\n", "anchor 1.0 20 300 1 2\n"}) {
    RuntimeTable table;
    EXPECT_TRUE(elf::read_runtime_table(top + good, table)) << good;
  }
  for (const char* bad : {"frobnicate\n", "function cudaFree 10\n", "function cudaFree 10 - 30\n", "function\n",
                          "function cudaFree 10 fff\n", "text 3.0 10\n", "text 1.0 x\n", "anchor 1.0 21 300 1 2\n",
                          "anchor 1.0 20 3000 1 2\n", "anchor 1.0 20 8 1 2\n", "check 1.0 ffffffffffffffff 64 1\n",
                          "check 1.0 20\n", "releases 1.0\n"}) {
    RuntimeTable table;
    EXPECT_FALSE(elf::read_runtime_table(top + bad, table)) << bad;
  }
}

TEST(Table, NamesOfTheRuntime) {
  for (const char* yes : {"cudaMalloc", "__cudaInitModule", "cudaMemcpy3D_ptds"})
    EXPECT_TRUE(elf::is_runtime_name(yes));
  for (const char* no : {"cuda", "__cudart1234", "cudaMalloc x", "cuda\n", "_cudaMalloc", "cudamalloc", "",
                         "__cudaRegisterLinkedBinary_12_x_cu"})
    EXPECT_FALSE(elf::is_runtime_name(no)) << no;
}

// What is built in. Whether it is right is shown by programs (ways_test) and by the archives themselves
// (releases_test).
TEST(Table, OfTheKnownReleases) {
  RuntimeTable table = elf::known_runtimes();
  EXPECT_GE(table.releases.size(), 10u);
  for (const elf::Release& release : table.releases) {
    SCOPED_TRACE(release.name);
    EXPECT_GE(RuntimeTable::major_of(release.name), 11);
    EXPECT_GE(release.anchor.bytes, 1000u);
    EXPECT_GE(release.checks.size(), 8u);
  }
  for (size_t column = 0; column < table.releases.size(); ++column)
    for (const char* name : {"__cudaRegisterFatBinary", "__cudaRegisterFunction", "cudaMalloc", "cudaLaunchKernel"})
      EXPECT_NE(table.find(name)->offsets[column], elf::kNoOffset) << name;
  for (const elf::KnownFunction& function : table.functions) EXPECT_TRUE(elf::is_runtime_name(function.name));
  EXPECT_EQ(table.find("cudaNoSuchThing"), nullptr);
}

}  // namespace
}  // namespace warplens::test
