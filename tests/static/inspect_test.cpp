// `warplens inspect`: what it says of each kind of file, and that no file of any content harms it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include "elf/known_runtimes.h"
#include "elf/mapped_file.h"
#include "frontend/compile.h"
#include "inspect/remarks.h"
#include "inspect/render.h"
#include "static/ways.h"

namespace warplens::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Json inspected(const std::filesystem::path& file) {
  CommandResult run = warplens({"inspect", "--json", file});
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out, nullptr, false);
}

const std::string kDemo = static_program_path("two_kernels.cu");

// Every kernel of every unit, with whether it has lines.
std::string kernels_of(const Json& json) {
  std::string out;
  for (const Json& unit : json["units"])
    for (const Json& ptx : unit["ptx"])
      for (const Json& kernel : ptx["kernels"])
        out += kernel["demangled"].get<std::string>() + (kernel["source_lines"].get<bool>() ? " lines\n" : "\n");
  return out;
}

const std::string kDemoKernels = "scale(float*, float) lines\nvoid add<5>(float*) lines\n";

TEST(Inspect, AStaticProgram) {
  WL_NEEDS_NVCC();
  Folder folder;
  for (Way way : {Way::Static, Way::Stripped, Way::Shared}) {
    std::filesystem::path program = build_way(way, kDemo, folder);
    Json json = inspected(program);
    EXPECT_EQ(json["kind"], "program");
    EXPECT_EQ(json["runs"], true);
    EXPECT_EQ(json["cuda"]["runtime"], way == Way::Shared ? "shared" : "static");
    EXPECT_EQ(kernels_of(json), kDemoKernels);
    EXPECT_EQ(json["remarks"].dump(), "[]");
    CommandResult text = warplens({"inspect", program});
    EXPECT_THAT(text.out, AllOf(HasSubstr("scale(float*, float)"), HasSubstr("for sm_80"),
                                HasSubstr("Warplens runs it: warplens run ")));
    EXPECT_EQ(json["cuda"]["stripped"], way == Way::Stripped);
    if (way == Way::Shared) continue;
    EXPECT_EQ(json["cuda"]["found_by"], way == Way::Stripped ? "signature" : "symbols");
  }
}

TEST(Inspect, EveryForm) {
  WL_NEEDS_NVCC();
  Folder folder;
  const std::pair<const char*, const char*> kForms[] = {
      {"-c", "object file"}, {"-ptx", "PTX"}, {"-fatbin", "fat binary"}, {"-cubin", "cubin"}};
  for (const auto& [flag, kind] : kForms) {
    SCOPED_TRACE(kind);
    std::filesystem::path file = folder / ("demo" + std::string(flag));
    build(kDemo, file, {flag});
    CommandResult run = warplens({"inspect", "--json", file});
    Json json = Json::parse(run.out, nullptr, false);
    EXPECT_EQ(json["kind"], kind);
    bool machine_code = std::string(flag) == "-cubin";
    EXPECT_EQ(json["runs"], !machine_code);
    EXPECT_EQ(run.exit_code, machine_code ? 126 : 0);
    if (machine_code)
      EXPECT_THAT(json.dump(), AllOf(HasSubstr("void add<5>(float*)"), HasSubstr("code=[sm_80,compute_80]")));
    else
      EXPECT_EQ(kernels_of(json), kDemoKernels);
  }
  run_tool({"ar", "rcs", folder / "libdemo.a", folder / "demo-c"});
  Json json = inspected(folder / "libdemo.a");
  EXPECT_EQ(json["kind"], "static library");
  EXPECT_EQ(kernels_of(json), kDemoKernels);
  EXPECT_EQ(json["units"][0]["origin"], ".nv_fatbin of demo-c");
}

TEST(Inspect, WhatToRebuild) {
  WL_NEEDS_NVCC();
  Folder folder;
  std::string nvcc = frontend::find_toolchain(frontend::Compiler::Nvcc, "", Environment(environ))->path;
  run_tool({nvcc, "-gencode", "arch=compute_90,code=sm_90", "-o", folder / "sass", kDemo});
  CommandResult run = warplens({"inspect", folder / "sass"});
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_THAT(run.out, AllOf(HasSubstr("machine code for sm_90 alone"), HasSubstr("code=[sm_90,compute_90]"),
                             HasSubstr("cannot run it")));
  run_tool({nvcc, "-o", folder / "blind", kDemo});
  EXPECT_THAT(warplens({"inspect", folder / "blind"}).out, AllOf(HasSubstr("no source lines"), HasSubstr("-lineinfo")));
}

TEST(Inspect, FilesThatAreNothing) {
  Folder folder;
  EXPECT_EQ(warplens({"inspect", "/no/such/file"}).exit_code, 127);
  CommandResult folder_itself = warplens({"inspect", "/usr"});
  EXPECT_EQ(folder_itself.exit_code, 126);
  EXPECT_THAT(folder_itself.err, HasSubstr("is a folder"));
  CommandResult source = warplens({"inspect", kDemo});
  EXPECT_EQ(source.exit_code, 126);
  EXPECT_THAT(source.err, HasSubstr("warplens run " + kDemo));
  std::ofstream(folder / "text") << "nothing\n";
  CommandResult run = warplens({"inspect", folder / "text"});
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_THAT(run.err, AllOf(HasSubstr("neither a program nor device code"), HasSubstr("hint: ")));
  EXPECT_EQ(warplens({"inspect", "/bin/ls"}).exit_code, 0);
  EXPECT_EQ(warplens({"inspect"}).exit_code, 125);
  // One bad file does not hide the others.
  run = warplens({"inspect", folder / "text", "/bin/ls"});
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_THAT(run.out, HasSubstr("/bin/ls: program"));
}

// A library of hundreds of files' device code is told in a page.
TEST(Inspect, MuchIsCounted) {
  inspect::Inspection found;
  found.path = "libmany.so";
  inspect::Unit unit{".nv_fatbin", false, {}, -1, {{80, 100, {}}, {90, 100, {}}}};
  for (int i = 0; i < 30; ++i) unit.machine_code[0].functions.push_back("k" + std::to_string(i));
  unit.machine_code[1].functions = unit.machine_code[0].functions;
  found.units.assign(300, unit);
  inspect::add_remarks(found);
  const std::string text = inspect::render_text(found);
  EXPECT_LT(std::ranges::count(text, '\n'), 60) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("and 298 more like these, with 8940 kernels"),
                          HasSubstr("machine code for sm_80, sm_90 alone, and Warplens runs PTX  (300 times)"),
                          HasSubstr("code=[sm_90,compute_90]")));
}

// PTX names may hold anything; a terminal must not act on it.
TEST(Inspect, NamesAreMadePrintable) {
  const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k\x1b[2J() { ret; }\n";
  auto found = inspect::inspect(std::as_bytes(std::span(text)), "x\x1b.ptx", {});
  ASSERT_TRUE(found);
  EXPECT_THAT(inspect::render_text(*found), Not(HasSubstr("\x1b")));
}

class DamagedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    Folder folder;
    run_tool(
        {"cc", "-o", folder / "program", static_program_path("fake_main.c"), static_program_path("fake_runtime.S")});
    elf::MappedFile file((folder / "program").c_str());
    bytes_.assign(file.bytes().begin(), file.bytes().end());
    ASSERT_GT(bytes_.size(), 4096u);
  }
  // It may be refused or understood; it must come back, and soon.
  void look_at(const std::vector<std::byte>& bytes) {
    auto found = inspect::inspect(bytes, "file", {&table_, 1});
    if (!found) {
      EXPECT_NE(found.error().what, "");
      return;
    }
    EXPECT_NE(inspect::render_text(*found), "");
    EXPECT_FALSE(Json::parse(inspect::render_json(*found), nullptr, false).is_discarded());
  }
  std::vector<std::byte> bytes_;
  elf::RuntimeTable table_ = elf::known_runtimes();
};

TEST_F(DamagedFiles, CutAtAnyPlace) {
  for (size_t size = 0; size < bytes_.size(); size += size < 512 ? 1 : 97)
    look_at({bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size)});
}

TEST_F(DamagedFiles, HugeTables) {
  auto put = [&](std::vector<std::byte>& bytes, size_t at, auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  for (uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{0x7fffffffffffffff}, ~uint64_t{0}, uint64_t{bytes_.size()}})
    for (size_t at : {offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_phoff)}) {
      std::vector<std::byte> bytes = bytes_;
      put(bytes, at, value);
      look_at(bytes);
      put(bytes, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0});
      put(bytes, offsetof(Elf64_Ehdr, e_phnum), uint16_t{0xffff});
      look_at(bytes);
    }
  uint64_t sections = 0;
  std::memcpy(&sections, bytes_.data() + offsetof(Elf64_Ehdr, e_shoff), sizeof sections);
  for (size_t at = sections; at + 8 <= bytes_.size(); at += 8)
    for (uint64_t value : {~uint64_t{0}, uint64_t{0xffffffff00000010}}) {
      std::vector<std::byte> bytes = bytes_;
      put(bytes, at, value);
      look_at(bytes);
    }
}

TEST_F(DamagedFiles, RandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes = bytes_;
    for (int i = 0; i < 1 + round % 40; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    look_at(bytes);
    std::vector<std::byte> noise(random() % 4096);
    for (std::byte& b : noise) b = static_cast<std::byte>(random());
    if (noise.size() > 64 && round % 2) std::copy_n(bytes_.begin(), 64, noise.begin());
    look_at(noise);
  }
}

}  // namespace
}  // namespace warplens::test
