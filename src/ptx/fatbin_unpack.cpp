// Decompression. Sizes come from the file: they are checked against what the data can hold before memory is spent on
// them.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "ptx/bytes.h"
#include "ptx/fatbin.h"

namespace warplens::ptx {
namespace {

Error damaged(const char* what) {
  return {std::string("cannot unpack an image of a fat binary: ") + what, "the file may be damaged"};
}

Result<std::string> unpack_lz4(const Image& image) {
  constexpr uint64_t kBestRatio = 256;  // one byte of LZ4 stands for 255 at most
  if (image.stored.size() > INT32_MAX || image.unpacked_size / kBestRatio > image.stored.size())
    return damaged("no LZ4 data is that small");
  std::string out(image.unpacked_size, '\0');
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(image.stored.data()), out.data(),
                                       static_cast<int>(image.stored.size()), static_cast<int>(out.size()));
  if (size < 0) return damaged("bad LZ4 data");
  out.resize(static_cast<size_t>(size));
  return out;
}

// In steps, so that memory follows what is really there and not what the header claims.
Result<std::string> unpack_zstd(const Image& image) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return damaged("out of memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 27);
  ZSTD_inBuffer in{image.stored.data(), image.stored.size(), 0};
  std::string out;
  for (size_t left = 1; left != 0 && in.pos < in.size;) {
    const size_t before = out.size();
    constexpr uint64_t kStep = 1 << 20;
    const uint64_t step = std::min<uint64_t>(std::max<uint64_t>(kStep, before), image.unpacked_size - before + 1);
    out.resize(before + step);
    ZSTD_outBuffer to{out.data() + before, step, 0};
    left = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(left)) return damaged(ZSTD_getErrorName(left));
    out.resize(before + to.pos);
    if (out.size() > image.unpacked_size) return damaged("more ZSTD data than its header says");
    if (to.pos == 0 && in.pos == in.size && left != 0) break;
  }
  return out;
}

}  // namespace

Result<std::string> unpack(const Image& image) {
  if (image.unpacked_size > kMaxUnpackedSize) return damaged("it claims more than 1 GiB");
  Result<std::string> out = std::string();
  switch (image.compression) {
    case Compression::None:
      out = std::string(as_text(image.stored));
      break;
    case Compression::Lz4:
      out = unpack_lz4(image);
      break;
    case Compression::Zstd:
      out = unpack_zstd(image);
      break;
  }
  if (!out) return out;
  if (out->size() != image.unpacked_size) return damaged("its data ends too early");
  if (image.kind == ImageKind::Ptx) {
    while (!out->empty() && out->back() == '\0') out->pop_back();
  }
  return out;
}

}  // namespace warplens::ptx
