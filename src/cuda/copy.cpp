// Copying and filling. Which arguments are refused, and how, is what an H200 answered
// (tests/api/error_semantics.h200.txt).
#include "cuda/copy.h"

#include <cstring>

#include "cuda/array.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

// Whether all of it is memory that the runtime gave or registered; host memory that it does not know is `false`.
bool known(Runtime& runtime, const void* pointer, size_t bytes) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  const exec::DeviceMemory& memory = runtime.session()->memory();
  // Allocations have gaps between them; only what cuMemMap put side by side goes on in the next.
  for (auto found = memory.find(address); found; found = memory.find(address)) {
    uint64_t left = found->base + found->bytes - address;
    if (bytes <= left) return true;
    bytes -= left;
    address += left;
  }
  return false;
}
// Known at its first byte, yet not whole: past the end of an allocation.
bool cut_short(Runtime& runtime, const void* pointer, size_t bytes) {
  return known(runtime, pointer, 1) && !known(runtime, pointer, bytes);
}

Error check(Runtime& runtime, const void* target, const void* source, size_t target_bytes, size_t source_bytes,
            int kind) {
  if (kind < HostToHost || kind > Default) return Error::cudaErrorInvalidMemcpyDirection;
  if (!target || !source) return Error::cudaErrorInvalidValue;
  bool to_device = kind == HostToDevice || kind == DeviceToDevice;
  bool from_device = kind == DeviceToHost || kind == DeviceToDevice;
  if (to_device && !known(runtime, target, target_bytes)) return Error::cudaErrorInvalidValue;
  if (from_device && !known(runtime, source, source_bytes)) return Error::cudaErrorInvalidValue;
  if (cut_short(runtime, target, target_bytes) || cut_short(runtime, source, source_bytes)) {
    return Error::cudaErrorInvalidValue;
  }
  return Error::cudaSuccess;
}

size_t span(size_t pitch, size_t width, size_t height) { return pitch * (height - 1) + width; }

struct Rows {
  char* start;
  size_t pitch;
};

Error copy_2d(Runtime& runtime, Rows target, Rows source, size_t width, size_t height, int kind) {
  if (width > target.pitch || width > source.pitch) return Error::cudaErrorInvalidPitchValue;
  if (!width || !height) return Error::cudaSuccess;
  Error error = check(runtime, target.start, source.start, span(target.pitch, width, height),
                      span(source.pitch, width, height), kind);
  if (error != Error::cudaSuccess) return error;
  for (size_t y = 0; y < height; y++) memmove(target.start + y * target.pitch, source.start + y * source.pitch, width);
  return Error::cudaSuccess;
}

char* plane(const PitchedPtr& memory, const Pos& pos, size_t z) {
  return static_cast<char*>(memory.ptr) + ((pos.z + z) * memory.ysize + pos.y) * memory.pitch + pos.x;
}

// One side of a copy of planes.
struct Planes {
  char* start;
  size_t pitch, plane_bytes;
  const Array* array = nullptr;
  Rows at(size_t z) const { return {start + z * plane_bytes, pitch}; }
};

// `extent`: in elements of the array.
Error array_side(const Array* array, const Pos& pos, const Extent& extent, Planes& out) {
  if (!is_array(array)) return Error::cudaErrorInvalidResourceHandle;
  auto within = [](size_t from, size_t count, size_t all) { return from <= all && count <= all - from; };
  if (!within(pos.x, extent.width, array->extent.width) || !within(pos.y, extent.height, array->rows()) ||
      !within(pos.z, extent.depth, array->planes())) {
    return Error::cudaErrorInvalidValue;
  }
  size_t offset = pos.z * array->plane_bytes() + pos.y * array->row_bytes() + pos.x * array->element_bytes;
  out = {reinterpret_cast<char*>(array->memory + offset), array->row_bytes(), array->plane_bytes(), array};
  return Error::cudaSuccess;
}

// `element`: of the array that takes part, 1 without one. An H200 counts the position in memory in it too, whatever the
// documentation says (tests/api/arrays.h200.txt).
Error side(const Array* array, Pos pos, const PitchedPtr& memory, const Extent& extent, size_t element, Planes& out) {
  if (array) return memory.ptr ? Error::cudaErrorInvalidValue : array_side(array, pos, extent, out);
  if (!memory.ptr) return Error::cudaErrorInvalidValue;
  pos.x *= element;
  out = {plane(memory, pos, 0), memory.pitch, memory.ysize * memory.pitch};
  return Error::cudaSuccess;
}

// An array is the device's.
bool contradicts(const Planes& target, const Planes& source, int kind) {
  bool to_host = kind == HostToHost || kind == DeviceToHost, from_host = kind == HostToHost || kind == HostToDevice;
  return (target.array && to_host) || (source.array && from_host);
}

Error fill(Runtime& runtime, void* target, int value, size_t pitch, size_t width, size_t height) {
  if (width > pitch && height > 1) return Error::cudaErrorInvalidValue;
  if (!width || !height) return Error::cudaSuccess;
  if (!known(runtime, target, span(pitch, width, height))) return Error::cudaErrorInvalidValue;
  for (size_t y = 0; y < height; y++) memset(static_cast<char*>(target) + y * pitch, value, width);
  return Error::cudaSuccess;
}

}  // namespace

Error copy(Runtime& runtime, void* target, const void* source, size_t bytes, int kind) {
  if (bytes == 0) return Error::cudaSuccess;
  Error error = check(runtime, target, source, bytes, bytes, kind);
  if (error == Error::cudaSuccess) memmove(target, source, bytes);
  return error;
}

Error copy_3d(Runtime& runtime, const Memcpy3DParams* p) {
  if (!p) return Error::cudaErrorInvalidValue;
  if (!p->extent.width || !p->extent.height || !p->extent.depth) return Error::cudaSuccess;
  const Array* arrays[] = {p->target_array, p->source_array};
  size_t element = 1;
  for (const Array* array : arrays) {
    if (!array) continue;
    if (!is_array(array)) return Error::cudaErrorInvalidResourceHandle;
    element = array->element_bytes;
  }
  if (arrays[0] && arrays[1] && arrays[0]->element_bytes != arrays[1]->element_bytes) {
    return Error::cudaErrorInvalidValue;
  }
  Planes target{}, source{};
  Error error = side(p->target_array, p->target_pos, p->target, p->extent, element, target);
  if (error == Error::cudaSuccess) {
    error = side(p->source_array, p->source_pos, p->source, p->extent, element, source);
  }
  if (error != Error::cudaSuccess) return error;
  if (contradicts(target, source, p->kind)) return Error::cudaErrorInvalidValue;
  size_t width = p->extent.width * element;
  for (size_t z = 0; z < p->extent.depth; z++) {
    error = copy_2d(runtime, target.at(z), source.at(z), width, p->extent.height, p->kind);
    if (error != Error::cudaSuccess) return error;
  }
  return Error::cudaSuccess;
}

Error copy_rows(Runtime& runtime, const ArrayPart& target, const ArrayPart& source, size_t width, size_t height,
                int kind) {
  if (!target.array && !source.array) return Error::cudaErrorInvalidResourceHandle;
  Planes sides[2];
  const ArrayPart* parts[] = {&target, &source};
  for (int i = 0; i < 2; i++) {
    const ArrayPart& part = *parts[i];
    if (!part.array) {
      sides[i] = {static_cast<char*>(part.memory), part.pitch, 0};
      if (width > part.pitch && height) return Error::cudaErrorInvalidValue;
      continue;
    }
    if (!is_array(part.array)) return Error::cudaErrorInvalidResourceHandle;
    size_t element = part.array->element_bytes;
    if (part.x % element || width % element) {
      runtime.refuse("a copy of a part of an array's element");
      return Error::cudaErrorNotSupported;
    }
    Error error = array_side(part.array, {part.x / element, part.y, 0}, {width / element, height, 1}, sides[i]);
    if (error != Error::cudaSuccess) return error;
  }
  if (contradicts(sides[0], sides[1], kind)) return Error::cudaErrorInvalidMemcpyDirection;
  return copy_2d(runtime, sides[0].at(0), sides[1].at(0), width, height, kind);
}

Error fill_elements(Runtime& runtime, void* target, unsigned value, unsigned element_bytes, size_t pitch, size_t width,
                    size_t height) {
  if (element_bytes == 1) return fill(runtime, target, static_cast<int>(value), pitch, width, height);
  if (!width || !height) return Error::cudaSuccess;
  size_t row_bytes = width * element_bytes;
  if (height == 1) pitch = row_bytes;
  if (!known(runtime, target, span(pitch, row_bytes, height))) return Error::cudaErrorInvalidValue;
  for (size_t y = 0; y < height; y++) {
    char* row = static_cast<char*>(target) + y * pitch;
    for (size_t x = 0; x < row_bytes; x += element_bytes) memcpy(row + x, &value, element_bytes);
  }
  return Error::cudaSuccess;
}

WL_API wl_cudaMemcpy(void* target, const void* source, size_t bytes, int kind) {
  return call(Needs::Context, [&](Runtime& r) { return copy(r, target, source, bytes, kind); });
}

WL_API wl_cudaMemcpyAsync(void* target, const void* source, size_t bytes, int kind, StreamHandle stream) {
  return submit(
      stream, NodeType::Memcpy, [=](Runtime& r) { return copy(r, target, source, bytes, kind); },
      [&] { return Details(row_copy(target, source, bytes, kind)); });
}

WL_API wl_cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                       size_t height, int kind) {
  return call(Needs::Context, [&](Runtime& r) {
    Rows from{static_cast<char*>(const_cast<void*>(source)), source_pitch};
    return copy_2d(r, {static_cast<char*>(target), target_pitch}, from, width, height, kind);
  });
}

WL_API wl_cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                            size_t height, int kind, StreamHandle stream) {
  void* from = const_cast<void*>(source);
  auto work = [=](Runtime& r) {
    Rows rows{static_cast<char*>(from), source_pitch};
    return copy_2d(r, {static_cast<char*>(target), target_pitch}, rows, width, height, kind);
  };
  return submit(stream, NodeType::Memcpy, work, [&] {
    Memcpy3DParams p{};
    p.source = {from, source_pitch, width, height};
    p.target = {target, target_pitch, width, height};
    p.extent = {width, height, 1};
    p.kind = kind;
    return Details(p);
  });
}

WL_API wl_cudaMemcpy3D(const Memcpy3DParams* p) {
  return call(Needs::Context, [&](Runtime& r) { return copy_3d(r, p); });
}

WL_API wl_cudaMemcpy3DAsync(const Memcpy3DParams* p, StreamHandle stream) {
  if (!p) return returned(Error::cudaErrorInvalidValue);
  return submit(stream, NodeType::Memcpy, [p = *p](Runtime& r) { return copy_3d(r, &p); }, [&] { return Details(*p); });
}

WL_API wl_cudaMemset(void* target, int value, size_t bytes) {
  return call(Needs::Queue, [&](Runtime& r) { return fill(r, target, value, bytes, bytes, 1); });
}

WL_API wl_cudaMemsetAsync(void* target, int value, size_t bytes, StreamHandle stream) {
  return submit(
      stream, NodeType::Memset, [=](Runtime& r) { return fill(r, target, value, bytes, bytes, 1); },
      [&] { return Details(MemsetParams{target, 0, static_cast<unsigned char>(value), 1, bytes, 1}); });
}

WL_API wl_cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, StreamHandle stream) {
  return submit(stream, NodeType::Memset, [=](Runtime& r) { return fill(r, target, value, pitch, width, height); });
}

WL_API wl_cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  return wl_cudaMemset2DAsync(target, pitch, value, width, height, nullptr);
}

WL_API wl_cudaMemset3DAsync(PitchedPtr target, int value, Extent extent, StreamHandle stream) {
  return submit(stream, NodeType::Memset, [=](Runtime& r) {
    for (size_t z = 0; z < extent.depth; z++) {
      Error error = fill(r, plane(target, {}, z), value, target.pitch, extent.width, extent.height);
      if (error != Error::cudaSuccess) return error;
    }
    return Error::cudaSuccess;
  });
}

WL_API wl_cudaMemset3D(PitchedPtr target, int value, Extent extent) {
  return wl_cudaMemset3DAsync(target, value, extent, nullptr);
}

}  // namespace warplens::cuda
