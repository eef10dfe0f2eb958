// Fat binaries: the containers in which nvcc and clang put device code into a host program.
//
// A program registers a 24-byte wrapper (section .nvFatBinSegment) that points to a container (section .nv_fatbin):
//
//   wrapper    u32 magic 0x466243B1, u32 version, pointer to a container, pointer
//              version 1: one container (the last pointer is a file name or null)
//              version 2 (nvcc -rdc=true): a container of linked machine code, and the last pointer is a null-ended
//              array of pointers to one container a translation unit (section __nv_relfatbin); only those hold PTX, to
//              be linked
//   container  u32 magic 0xBA55ED50, u16 version 1, u16 header size 16, u64 bytes after the header; then entries
//   entry      +0 u16 kind (1 PTX, 2 cubin)  +2 u16 0x0101  +4 u32 header size (64 and strings)  +8 u64 payload size,
//   padded to 8
//              +16 u32 compressed size (0: stored)  +20 u32 where in the header {u32 offset, u32 length} of the options
//              is +24 u16 minor, u16 major  +28 u32 sm  +32 u32 name offset, u32 name length  +40 u64 flags +48 u64 0
//              +56 u64 uncompressed size (0 where stored)
//
// The layout is not documented; it was found by comparing what CUDA 11 to 13 and clang write. By default nvcc 13
// compresses PTX with ZSTD and stores cubins; other --compress-mode settings and older releases use LZ4 or nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warplens::ptx {

// Other numbers occur (intermediate forms of link-time optimisation) and are kept as they are.
enum class ImageKind : uint16_t { Ptx = 1, Cubin = 2 };

enum class Compression : uint8_t { None, Lz4, Zstd };

inline constexpr uint64_t kImage64Bit = 0x1, kImageDebug = 0x2, kImageLinux = 0x10, kImageLz4 = 0x2000,
                          kImageZstd = 0x8000;
inline constexpr uint64_t kImageArchSpecific = 0x100000;         // sm_90a and its like: that one architecture alone
inline constexpr uint64_t kImageFamily = 0x200000;               // sm_100f and its like: later ones of the same major
inline constexpr uint64_t kMaxUnpackedSize = uint64_t{1} << 30;  // of one image; larger claims are refused

// One image of a container. `stored` refers to the bytes that were read: they must outlive it. Unpacking is left to
// unpack(), since a program may carry many megabytes of machine code that nobody asks for.
struct Image {
  ImageKind kind = ImageKind::Ptx;
  uint32_t sm = 0;                           // 80 for sm_80 and for compute_80
  int version_major = 0, version_minor = 0;  // of the PTX ISA; of a cubin's own format
  uint64_t flags = 0;
  std::string options;  // for ptxas, as "-O2 --generate-line-info"; "" if none
  std::string name;     // of the source file; "" if not given
  Compression compression = Compression::None;
  uint64_t unpacked_size = 0;  // in bytes; of stored images with their padding
  std::span<const std::byte> stored;
};

struct Container {
  std::string origin;        // the section or form that it came from: ".nv_fatbin", "__nv_relfatbin", "PTX text", ...
  bool relocatable = false;  // one translation unit of a -rdc program: PTX that needs the others
  std::vector<Image> images;
};

// The container that starts at the front of `bytes`; what follows it is ignored.
Result<Container> read_fatbin(std::span<const std::byte> bytes);

// Every container of what __cudaRegisterFatBinary was given. The memory holds what the headers in it claim; that is all
// that can be known about its end.
Result<std::vector<Container>> read_registered(const void* wrapper);

// What cuModuleLoadData is given: a container, PTX text that ends in NUL, or a cubin.
Result<Container> read_module_image(const void* image);

// Every container of a file: a program, library or object (also without section headers), a .fatbin, a .cubin, or PTX
// text. A file of another sort is an Error; a host program without device code gives an empty list.
Result<std::vector<Container>> read_file_image(std::span<const std::byte> bytes);

// The PTX to run: of the highest sm, of those the highest ISA version, of those the last. Null where there is none.
const Image* newest_ptx(const Container& container);

// The machine code that a GPU of sm_XY takes: of the same major, of the highest minor that is not above its own; of
// several, the one made for that architecture alone, then for its family (CUDA C++ Programming Guide, "Binary
// Compatibility", "Architecture-Specific" and "Family-Specific Features"). Null where there is none: then PTX is
// compiled.
const Image* machine_code_for(const Container& container, uint32_t sm);

// The PTX that the driver would compile for a GPU of sm_XY: of the highest sm that is not above. Null where there is
// none.
const Image* ptx_for(const Container& container, uint32_t sm);

// What an image holds, decompressed; PTX without the NULs at its end.
Result<std::string> unpack(const Image& image);

// ---- writing

struct ImageSource {
  ImageKind kind = ImageKind::Ptx;
  uint32_t sm = 0;
  int version_major = 0, version_minor = 0;
  uint64_t flags = kImage64Bit | kImageLinux;
  std::string options;
  std::string name;
  std::string payload;  // of PTX without a NUL at the end, which the writer adds
};

// An image of PTX text, with sm and version as its .target and .version say. An Error if it has none.
Result<ImageSource> ptx_image(std::string text);

// A container of them, uncompressed: what `clang -Xclang -fcuda-include-gpubinary` takes.
std::string write_fatbin(std::span<const ImageSource> images);

}  // namespace warplens::ptx
