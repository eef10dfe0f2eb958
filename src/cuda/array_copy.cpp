// The runtime's copies to, from and between arrays. Offsets into an array and widths are in bytes.
#include <algorithm>

#include "cuda/array.h"
#include "cuda/copy.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

ArrayPart of_array(const Array* array, size_t x, size_t y) { return {array, x, y, nullptr, 0}; }
ArrayPart of_memory(const void* memory, size_t pitch) { return {nullptr, 0, 0, const_cast<void*>(memory), pitch}; }

// Copies `bytes` that go on from the end of a row to the start of the next: as many pieces as rows are met.
Error copy_along(Runtime& runtime, const Array* array, size_t x, size_t y, size_t bytes, int kind, bool to_array,
                 const void* memory) {
  if (!is_array(array)) return Error::cudaErrorInvalidResourceHandle;
  size_t start = y * array->row_bytes() + x;
  if (!bytes) return Error::cudaSuccess;
  if (start > array->plane_bytes() || bytes > array->plane_bytes() - start) return Error::cudaErrorInvalidValue;
  y = start / array->row_bytes();  // an offset past a row is one into a later
  x = start % array->row_bytes();
  for (size_t done = 0; done < bytes;) {
    size_t piece = std::min(bytes - done, array->row_bytes() - x);
    ArrayPart inside = of_array(array, x, y), outside = of_memory(static_cast<const char*>(memory) + done, piece);
    Error error = to_array ? copy_rows(runtime, inside, outside, piece, 1, kind)
                           : copy_rows(runtime, outside, inside, piece, 1, kind);
    if (error != Error::cudaSuccess) return error;
    done += piece;
    x = 0;
    y++;
  }
  return Error::cudaSuccess;
}

}  // namespace

WL_API wl_cudaMemcpyToArray(Array* to, size_t x, size_t y, const void* from, size_t bytes, int kind) {
  return call(Needs::Context, [&](Runtime& r) { return copy_along(r, to, x, y, bytes, kind, true, from); });
}
WL_API wl_cudaMemcpyToArrayAsync(Array* to, size_t x, size_t y, const void* from, size_t bytes, int kind,
                                 StreamHandle stream) {
  return submit(stream, NodeType::Memcpy, [=](Runtime& r) { return copy_along(r, to, x, y, bytes, kind, true, from); });
}
WL_API wl_cudaMemcpyFromArray(void* to, const Array* from, size_t x, size_t y, size_t bytes, int kind) {
  return call(Needs::Context, [&](Runtime& r) { return copy_along(r, from, x, y, bytes, kind, false, to); });
}
WL_API wl_cudaMemcpyFromArrayAsync(void* to, const Array* from, size_t x, size_t y, size_t bytes, int kind,
                                   StreamHandle stream) {
  return submit(stream, NodeType::Memcpy,
                [=](Runtime& r) { return copy_along(r, from, x, y, bytes, kind, false, to); });
}
WL_API wl_cudaMemcpyArrayToArray(Array* to, size_t to_x, size_t to_y, const Array* from, size_t x, size_t y,
                                 size_t bytes, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    if (!is_array(to) || !is_array(from)) return Error::cudaErrorInvalidResourceHandle;
    // The rows of the one are a buffer to the other where they lie one after the other, which they do.
    size_t start = y * from->row_bytes() + x;
    if (start > from->plane_bytes() || bytes > from->plane_bytes() - start) return Error::cudaErrorInvalidValue;
    if (kind != DeviceToDevice && kind != Default) return Error::cudaErrorInvalidMemcpyDirection;
    return copy_along(r, to, to_x, to_y, bytes, kind, true, reinterpret_cast<const void*>(from->memory + start));
  });
}

WL_API wl_cudaMemcpy2DToArray(Array* to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                              size_t height, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    return copy_rows(r, of_array(to, x, y), of_memory(from, pitch), width, height, kind);
  });
}
WL_API wl_cudaMemcpy2DToArrayAsync(Array* to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                   size_t height, int kind, StreamHandle stream) {
  return submit(stream, NodeType::Memcpy, [=](Runtime& r) {
    return copy_rows(r, of_array(to, x, y), of_memory(from, pitch), width, height, kind);
  });
}
WL_API wl_cudaMemcpy2DFromArray(void* to, size_t pitch, const Array* from, size_t x, size_t y, size_t width,
                                size_t height, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    return copy_rows(r, of_memory(to, pitch), of_array(from, x, y), width, height, kind);
  });
}
WL_API wl_cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, const Array* from, size_t x, size_t y, size_t width,
                                     size_t height, int kind, StreamHandle stream) {
  return submit(stream, NodeType::Memcpy, [=](Runtime& r) {
    return copy_rows(r, of_memory(to, pitch), of_array(from, x, y), width, height, kind);
  });
}
WL_API wl_cudaMemcpy2DArrayToArray(Array* to, size_t to_x, size_t to_y, const Array* from, size_t x, size_t y,
                                   size_t width, size_t height, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    return copy_rows(r, of_array(to, to_x, to_y), of_array(from, x, y), width, height, kind);
  });
}

}  // namespace warplens::cuda
