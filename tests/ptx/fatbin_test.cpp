// Containers made by our writer (stored) and, compressed, by liblz4 and libzstd here.
#include "ptx/fatbin.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

namespace warplens::ptx {
namespace {

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string ptx_text(int sm, const std::string& more = "") {
  return "// made\n.version 8." + std::to_string(sm % 10) + "\n.target sm_" + std::to_string(sm) +
         "\n.address_size 64\n" + more;
}

ImageSource ptx_source(int sm, const std::string& more = "") { return *ptx_image(ptx_text(sm, more)); }

template <typename T>
void put(std::string& out, size_t offset, T value) {
  std::memcpy(out.data() + offset, &value, sizeof value);
}

// A stored container of one image, made a compressed one.
std::string compressed(Compression how, const std::string& text) {
  std::string payload;
  if (how == Compression::Lz4) {
    payload.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    payload.resize(static_cast<size_t>(LZ4_compress_default(text.data(), payload.data(), static_cast<int>(text.size()),
                                                            static_cast<int>(payload.size()))));
  } else {
    payload.resize(ZSTD_compressBound(text.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), text.data(), text.size(), 3));
  }
  const auto exact = static_cast<uint32_t>(payload.size());
  payload.resize((payload.size() + 7) / 8 * 8, '\0');
  ImageSource source;
  source.sm = 80;
  std::string out = write_fatbin(std::span(&source, 1)).substr(0, 16 + 64) + payload;
  put<uint64_t>(out, 8, 64 + payload.size());
  put<uint64_t>(out, 16 + 8, payload.size());
  put<uint32_t>(out, 16 + 16, exact);
  put<uint64_t>(out, 16 + 40, kImage64Bit | (how == Compression::Lz4 ? kImageLz4 : kImageZstd));
  put<uint64_t>(out, 16 + 56, text.size());
  return out;
}

TEST(Fatbin, WhatIsWrittenIsRead) {
  ImageSource cubin;
  cubin.kind = ImageKind::Cubin;
  cubin.sm = 90;
  cubin.payload = std::string("\177ELF\0\1\2", 7);
  ImageSource ptx = ptx_source(80);
  ptx.name = "vector_add.cu";
  ptx.options = "-O2 --generate-line-info";
  ImageSource other;
  other.kind = static_cast<ImageKind>(8);
  const std::vector<ImageSource> sources = {cubin, ptx, other};
  const std::string file = write_fatbin(sources);
  const Result<Container> read = read_fatbin(bytes(file));
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->images.size(), 3u);
  EXPECT_EQ(read->images[0].kind, ImageKind::Cubin);
  EXPECT_EQ(unpack(read->images[0])->substr(0, 7), cubin.payload);
  const Image& image = read->images[1];
  EXPECT_EQ(image.sm, 80u);
  EXPECT_EQ(image.version_major, 8);
  EXPECT_EQ(image.name, "vector_add.cu");
  EXPECT_EQ(image.options, "-O2 --generate-line-info");
  EXPECT_EQ(*unpack(image), ptx.payload);
  EXPECT_EQ(read->images[2].kind, static_cast<ImageKind>(8));
  EXPECT_EQ(newest_ptx(*read), &image);
}

ImageSource image_for(ImageKind kind, uint32_t sm, uint64_t more_flags = 0) {
  ImageSource source;
  source.kind = kind;
  source.sm = sm;
  source.flags |= more_flags;
  source.payload = std::to_string(sm);
  return source;
}

// "sm_86", "sm_90a", "compute_80": what a GPU of that sm takes; "" for nothing.
std::string taken(const std::vector<ImageSource>& sources, uint32_t sm, ImageKind kind = ImageKind::Cubin) {
  const std::string file = write_fatbin(sources);
  const Result<Container> container = read_fatbin(bytes(file));
  const Image* image = kind == ImageKind::Cubin ? machine_code_for(*container, sm) : ptx_for(*container, sm);
  if (image == nullptr) return "";
  return (kind == ImageKind::Cubin ? "sm_" : "compute_") + std::to_string(image->sm) +
         (image->flags & kImageArchSpecific ? "a" : "") + (image->flags & kImageFamily ? "f" : "");
}

TEST(Fatbin, MachineCodeForAGpu) {
  constexpr ImageKind kCubin = ImageKind::Cubin, kPtx = ImageKind::Ptx;
  const std::vector<ImageSource> sources = {image_for(kCubin, 89), image_for(kCubin, 80), image_for(kCubin, 86),
                                            image_for(kPtx, 80),   image_for(kCubin, 75), image_for(kPtx, 90)};
  EXPECT_EQ(taken(sources, 80), "sm_80");
  EXPECT_EQ(taken(sources, 86), "sm_86");
  EXPECT_EQ(taken(sources, 87), "sm_86");
  EXPECT_EQ(taken(sources, 89), "sm_89");
  EXPECT_EQ(taken(sources, 75), "sm_75");
  EXPECT_EQ(taken(sources, 72), "") << "older than any of its major";
  EXPECT_EQ(taken(sources, 90), "") << "code of another major does not run";
  EXPECT_EQ(taken(sources, 120), "");
  EXPECT_EQ(taken(sources, 89, kPtx), "compute_80");
  EXPECT_EQ(taken(sources, 120, kPtx), "compute_90");
  EXPECT_EQ(taken(sources, 75, kPtx), "");
}

TEST(Fatbin, MachineCodeOfOneArchitectureOrFamily) {
  constexpr ImageKind kCubin = ImageKind::Cubin, kPtx = ImageKind::Ptx;
  const std::vector<ImageSource> sources = {
      image_for(kCubin, 90, kImageArchSpecific),  image_for(kCubin, 90),
      image_for(kCubin, 100, kImageArchSpecific), image_for(kCubin, 100, kImageFamily),
      image_for(kPtx, 100, kImageFamily),         image_for(kPtx, 90, kImageArchSpecific)};
  EXPECT_EQ(taken(sources, 90), "sm_90a");
  EXPECT_EQ(taken(sources, 100), "sm_100a");
  EXPECT_EQ(taken(sources, 103), "sm_100f");
  EXPECT_EQ(taken(sources, 90, kPtx), "compute_90a");
  EXPECT_EQ(taken(sources, 103, kPtx), "compute_100f");
  EXPECT_EQ(taken(sources, 120, kPtx), "") << "neither of another major nor of another architecture";
}

TEST(Fatbin, CompressedImages) {
  const std::string text = ptx_text(80, std::string(100000, '\n') + "// end") + '\0';
  for (Compression how : {Compression::Lz4, Compression::Zstd}) {
    const std::string file = compressed(how, text);
    const Result<Container> read = read_fatbin(bytes(file));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->images.at(0).compression, how);
    const Result<std::string> payload = unpack(read->images[0]);
    ASSERT_TRUE(payload) << payload.error().what;
    EXPECT_EQ(*payload, text.substr(0, text.size() - 1)) << "without its NUL";
  }
}

TEST(Fatbin, NewestPtxWins) {
  const std::vector<ImageSource> sources = {ptx_source(75), ptx_source(120), ptx_source(90)};
  const std::string file = write_fatbin(sources);
  EXPECT_EQ(newest_ptx(*read_fatbin(bytes(file)))->sm, 120u);
  EXPECT_EQ(newest_ptx(Container()), nullptr);
}

TEST(Fatbin, DamagedContainersAreErrors) {
  const ImageSource source = ptx_source(80);
  const std::string good = write_fatbin(std::span(&source, 1));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(read_fatbin(bytes(good.substr(0, length)))) << length;
  const auto with = [&](size_t offset, uint64_t value) {
    std::string bad = good;
    put<uint64_t>(bad, offset, value);
    return bad;
  };
  EXPECT_FALSE(read_fatbin(bytes(with(8, ~uint64_t{0}))));
  EXPECT_FALSE(read_fatbin(bytes(with(16 + 8, ~uint64_t{0}))));
  EXPECT_FALSE(read_fatbin(bytes(with(16 + 8, ~uint64_t{0} - 63))));
  EXPECT_FALSE(read_fatbin(bytes(with(0, 0))));
}

TEST(Fatbin, ClaimsOfSizeAreChecked) {
  for (Compression how : {Compression::Lz4, Compression::Zstd}) {
    const std::string good = compressed(how, std::string(5000, 'x'));
    for (uint64_t claim : {uint64_t{4999}, uint64_t{5001}, uint64_t{1} << 29, uint64_t{1} << 40, ~uint64_t{0}}) {
      std::string bad = good;
      put<uint64_t>(bad, 16 + 56, claim);
      const Result<Container> read = read_fatbin(bytes(bad));
      ASSERT_TRUE(read);
      EXPECT_FALSE(unpack(read->images.at(0))) << claim;
    }
    std::string bad = good;
    bad[16 + 64 + 5] ^= 0x55;
    EXPECT_FALSE(unpack(read_fatbin(bytes(bad))->images.at(0)));
  }
}

struct Wrapper {
  uint32_t magic, version;
  const void* data;
  const void* const* units;
};

TEST(Registered, BothVersionsOfTheWrapper) {
  const ImageSource source = ptx_source(80), second = ptx_source(90);
  const std::string a = write_fatbin(std::span(&source, 1)), b = write_fatbin(std::span(&second, 1));
  const Wrapper one = {0x466243B1, 1, a.data(), nullptr};
  const auto single = read_registered(&one);
  ASSERT_TRUE(single) << single.error().what;
  ASSERT_EQ(single->size(), 1u);
  EXPECT_FALSE(single->front().relocatable);
  const void* units[] = {a.data(), b.data(), nullptr};
  const Wrapper linked = {0x466243B1, 2, a.data(), units};
  const auto several = read_registered(&linked);
  ASSERT_TRUE(several) << several.error().what;
  ASSERT_EQ(several->size(), 3u);
  EXPECT_TRUE((*several)[2].relocatable);
  EXPECT_EQ(newest_ptx((*several)[2])->sm, 90u);
}

TEST(Registered, NonsenseIsAnError) {
  const std::string nothing(64, '\0');
  const Wrapper wrong_magic = {1, 1, nothing.data(), nullptr}, wrong_version = {0x466243B1, 3, nothing.data(), nullptr};
  const Wrapper no_data = {0x466243B1, 1, nullptr, nullptr}, no_container = {0x466243B1, 1, nothing.data(), nullptr};
  for (const Wrapper& w : {wrong_magic, wrong_version, no_data, no_container}) EXPECT_FALSE(read_registered(&w));
  EXPECT_FALSE(read_registered(nullptr));
}

// An ELF file with one section of that name and content at an 8-aligned place.
std::string elf_file(const std::string& section, const std::string& content) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  const std::string names = std::string("\0.shstrtab\0", 11) + section + '\0';
  std::string body = std::string(8, '\xAA') + content + names;
  body.resize((body.size() + 7) / 8 * 8, '\0');
  header.e_shoff = sizeof header + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  Elf64_Shdr table[3] = {};
  table[1].sh_name = 1;
  table[1].sh_offset = sizeof header + 8 + content.size();
  table[1].sh_size = names.size();
  table[2].sh_name = 11;
  table[2].sh_offset = sizeof header + 8;
  table[2].sh_size = content.size();
  return std::string(reinterpret_cast<char*>(&header), sizeof header) + body +
         std::string(reinterpret_cast<char*>(table), sizeof table);
}

TEST(Files, SectionsOfElfFiles) {
  const ImageSource source = ptx_source(80);
  const std::string container = write_fatbin(std::span(&source, 1));
  for (const char* name : {".nv_fatbin", "__nv_relfatbin"}) {
    const std::string file = elf_file(name, container + std::string(24, '\0') + container);
    const auto read = read_file_image(bytes(file));
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_EQ(read->size(), 2u) << name;
    EXPECT_EQ((*read)[1].origin, name);
    EXPECT_EQ((*read)[1].relocatable, std::string(name) == "__nv_relfatbin");
    EXPECT_EQ(*unpack((*read)[1].images.at(0)), source.payload);
  }
  const std::string host_only = elf_file(".text", container);
  EXPECT_TRUE(read_file_image(bytes(host_only))->empty());
  std::string damaged = elf_file(".nv_fatbin", container);
  put<uint64_t>(damaged, sizeof(Elf64_Ehdr) + 8 + 8, 1 << 30);
  EXPECT_FALSE(read_file_image(bytes(damaged)));
}

TEST(Files, ElfFilesWithoutSectionHeadersAreScanned) {
  const ImageSource source = ptx_source(80);
  const std::string container = write_fatbin(std::span(&source, 1));
  std::string file = elf_file(".nv_fatbin", container + std::string(8, '\0') + container);
  put<uint64_t>(file, offsetof(Elf64_Ehdr, e_shoff), 0);
  const auto read = read_file_image(bytes(file));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 2u);
}

TEST(Files, BareForms) {
  const std::string text = ptx_text(90);
  const auto ptx = read_file_image(bytes(text));
  ASSERT_TRUE(ptx);
  EXPECT_EQ(ptx->at(0).images.at(0).sm, 90u);
  EXPECT_EQ(*unpack(ptx->at(0).images[0]), text);
  std::string cubin = elf_file(".text", "");
  put<uint16_t>(cubin, offsetof(Elf64_Ehdr, e_machine), 190);
  put<uint32_t>(cubin, offsetof(Elf64_Ehdr, e_flags), 0x6005a04);
  cubin[EI_ABIVERSION] = 8;
  const auto machine_code = read_file_image(bytes(cubin));
  ASSERT_TRUE(machine_code);
  EXPECT_EQ(machine_code->at(0).images.at(0).kind, ImageKind::Cubin);
  EXPECT_EQ(machine_code->at(0).images.at(0).sm, 90u);
  const ImageSource source = ptx_source(80);
  EXPECT_EQ(read_file_image(bytes(write_fatbin(std::span(&source, 1))))->size(), 1u);
  for (const char* other : {"", "#!/bin/sh\n", "hello", ".versions 1"})
    EXPECT_FALSE(read_file_image(bytes(other))) << other;
}

TEST(Files, ModuleImagesInMemory) {
  const ImageSource source = ptx_source(80);
  const std::string container = write_fatbin(std::span(&source, 1)), text = ptx_text(75),
                    junk = "no module at all, I fear";
  EXPECT_EQ(read_module_image(container.data())->images.at(0).sm, 80u);
  EXPECT_EQ(read_module_image(text.c_str())->images.at(0).sm, 75u);
  EXPECT_FALSE(read_module_image(junk.c_str()));
  EXPECT_FALSE(read_module_image("x"));
  EXPECT_FALSE(read_module_image(nullptr));
}

TEST(Writer, WantsVersionAndTarget) {
  EXPECT_FALSE(ptx_image("no PTX"));
  EXPECT_FALSE(ptx_image(".version 8.0\n"));
  EXPECT_EQ(ptx_image(".version 8.3\n.target compute_90a, debug\n")->sm, 90u);
}

}  // namespace
}  // namespace warplens::ptx
