// Copying and filling. All of it is the runtime's; only how a copy is written down differs.
#include "cuda/copy.h"

#include "cuda/array.h"
#include "cuda/driver/copy.h"
#include "cuda/driver/driver.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda::driver {
namespace {

void* pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }

bool is_type(MemoryType type) { return type >= kHostMemory && type <= kUnifiedMemory; }

int kind_of(MemoryType from, MemoryType to) {
  if (from == kUnifiedMemory || to == kUnifiedMemory) return Default;
  if (from == kHostMemory) return to == kHostMemory ? HostToHost : HostToDevice;
  return to == kHostMemory ? DeviceToHost : DeviceToDevice;
}

Memcpy3D as_3d(const Memcpy2D& c) {
  Memcpy3D out{};
  out.source_x = c.source_x;
  out.source_y = c.source_y;
  out.source_type = c.source_type;
  out.source_host = c.source_host;
  out.source_device = c.source_device;
  out.source_array = c.source_array;
  out.source_pitch = c.source_pitch;
  out.target_x = c.target_x;
  out.target_y = c.target_y;
  out.target_type = c.target_type;
  out.target_host = c.target_host;
  out.target_device = c.target_device;
  out.target_array = c.target_array;
  out.target_pitch = c.target_pitch;
  out.width = c.width;
  out.height = c.height;
  out.depth = 1;
  return out;
}

// A row's pitch may be left out where there is but one, and the height where there is but one plane.
PitchedPtr side(void* start, size_t pitch, size_t height, size_t x, size_t y, const Memcpy3D& c) {
  if (!pitch) pitch = x + c.width;
  if (!height) height = y + c.height;
  return {start, pitch, pitch, height};
}

// The driver counts bytes, the runtime the elements of the array that takes part.
CuResult in_elements(const Memcpy3D& c, Memcpy3DParams& out) {
  return framed(Needs::Nothing, [&](Runtime& r) {
    size_t element = 1;
    for (const Array* array : {out.source_array, out.target_array}) {
      if (!array) continue;
      if (!is_array(array)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
      element = array->element_bytes;
    }
    if (c.width % element || c.source_x % element || c.target_x % element) {
      r.refuse("a copy of a part of an array's element", "CUDA_ERROR_NOT_SUPPORTED");
      return CuResult::CUDA_ERROR_NOT_SUPPORTED;
    }
    out.extent.width /= element;
    out.source_pos.x /= element;
    out.target_pos.x /= element;
    return CuResult::CUDA_SUCCESS;
  });
}

CuResult copy_now(const Memcpy3D* c) {
  return forward([&] {
    if (!c) return CuResult::CUDA_ERROR_INVALID_VALUE;
    Memcpy3DParams params;
    CuResult result = as_runtime_copy(*c, params);
    return result == CuResult::CUDA_SUCCESS ? result_of(wl_cudaMemcpy3D(&params)) : result;
  });
}
CuResult copy_later(const Memcpy3D* c, StreamHandle stream) {
  return forward([&] {
    if (!c) return CuResult::CUDA_ERROR_INVALID_VALUE;
    Memcpy3DParams params;
    CuResult result = as_runtime_copy(*c, params);
    return result == CuResult::CUDA_SUCCESS ? result_of(wl_cudaMemcpy3DAsync(&params, stream)) : result;
  });
}

CuResult copy_1d(void* target, const void* source, size_t bytes, int kind) {
  return forward([&] { return wl_cudaMemcpy(target, source, bytes, kind); });
}
CuResult copy_1d(void* target, const void* source, size_t bytes, int kind, StreamHandle stream) {
  return forward([&] { return wl_cudaMemcpyAsync(target, source, bytes, kind, stream); });
}

// `pitch` 0: one row.
CuResult fill(DevicePointer start, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height,
              StreamHandle stream) {
  if (start % element_bytes || pitch % element_bytes || (height > 1 && pitch < width * element_bytes)) {
    return forward([] { return CuResult::CUDA_ERROR_INVALID_VALUE; });
  }
  if (!pitch) pitch = width * element_bytes;
  return forward([&] {
    return submit(stream, NodeType::Memset, [=](Runtime& r) {
      return fill_elements(r, pointer(start), value, element_bytes, pitch, width, height);
    });
  });
}

}  // namespace

CuResult as_runtime_copy(const Memcpy3D& c, Memcpy3DParams& out) {
  if (!is_type(c.source_type) || !is_type(c.target_type)) return CuResult::CUDA_ERROR_INVALID_VALUE;
  if (c.source_lod || c.target_lod) return CuResult::CUDA_ERROR_INVALID_VALUE;
  bool from_array = c.source_type == kArrayMemory, to_array = c.target_type == kArrayMemory;
  if ((!from_array && c.source_pitch && c.source_pitch < c.source_x + c.width) ||
      (!to_array && c.target_pitch && c.target_pitch < c.target_x + c.width)) {
    return CuResult::CUDA_ERROR_INVALID_VALUE;
  }
  out = {};
  out.extent = {c.width, c.height, c.depth};
  out.source_pos = {c.source_x, c.source_y, c.source_z};
  out.target_pos = {c.target_x, c.target_y, c.target_z};
  out.kind = kind_of(c.source_type, c.target_type);
  if (from_array) {
    out.source_array = c.source_array;
  } else {
    void* start = c.source_type == kHostMemory ? const_cast<void*>(c.source_host) : pointer(c.source_device);
    out.source = side(start, c.source_pitch, c.source_height, c.source_x, c.source_y, c);
  }
  if (to_array) {
    out.target_array = c.target_array;
  } else {
    void* start = c.target_type == kHostMemory ? c.target_host : pointer(c.target_device);
    out.target = side(start, c.target_pitch, c.target_height, c.target_x, c.target_y, c);
  }
  if ((from_array && !c.source_array) || (to_array && !c.target_array)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
  return in_elements(c, out);
}

CuResult as_driver_copy(const Memcpy3DParams& p, Memcpy3D& out) {
  return framed(Needs::Nothing, [&](Runtime&) {
    bool known = (!p.source_array || is_array(p.source_array)) && (!p.target_array || is_array(p.target_array));
    if (!known) return CuResult::CUDA_ERROR_INVALID_HANDLE;
    bool from_host = p.kind == HostToHost || p.kind == HostToDevice;
    bool to_host = p.kind == HostToHost || p.kind == DeviceToHost;
    size_t element = 1;
    if (p.source_array) element = p.source_array->element_bytes;
    if (p.target_array) element = p.target_array->element_bytes;
    out = {};
    out.source_type = p.source_array ? kArrayMemory : from_host ? kHostMemory : kDeviceMemory;
    out.target_type = p.target_array ? kArrayMemory : to_host ? kHostMemory : kDeviceMemory;
    if (p.kind == Default && !p.source_array) out.source_type = kUnifiedMemory;
    if (p.kind == Default && !p.target_array) out.target_type = kUnifiedMemory;
    out.source_array = p.source_array;
    out.target_array = p.target_array;
    if (from_host) {
      out.source_host = p.source.ptr;
    } else {
      out.source_device = reinterpret_cast<DevicePointer>(p.source.ptr);
    }
    if (to_host) {
      out.target_host = p.target.ptr;
    } else {
      out.target_device = reinterpret_cast<DevicePointer>(p.target.ptr);
    }
    out.source_x = p.source_pos.x * element, out.source_y = p.source_pos.y, out.source_z = p.source_pos.z;
    out.target_x = p.target_pos.x * element, out.target_y = p.target_pos.y, out.target_z = p.target_pos.z;
    out.source_pitch = p.source.pitch, out.source_height = p.source.ysize;
    out.target_pitch = p.target.pitch, out.target_height = p.target.ysize;
    out.width = p.extent.width * element;
    out.height = p.extent.height, out.depth = p.extent.depth;
    return CuResult::CUDA_SUCCESS;
  });
}

WL_DRIVER_API wl_cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes) {
  return copy_1d(pointer(to), pointer(from), bytes, Default);
}
WL_DRIVER_API wl_cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t bytes) {
  return copy_1d(pointer(to), from, bytes, HostToDevice);
}
WL_DRIVER_API wl_cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t bytes) {
  return copy_1d(to, pointer(from), bytes, DeviceToHost);
}
WL_DRIVER_API wl_cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes) {
  return copy_1d(pointer(to), pointer(from), bytes, DeviceToDevice);
}
WL_DRIVER_API wl_cuMemcpyPeer(DevicePointer to, Context*, DevicePointer from, Context*, size_t bytes) {
  return wl_cuMemcpyDtoD_v2(to, from, bytes);
}
WL_DRIVER_API wl_cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) {
  return copy_1d(pointer(to), pointer(from), bytes, Default, stream);
}
WL_DRIVER_API wl_cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes, StreamHandle stream) {
  return copy_1d(pointer(to), from, bytes, HostToDevice, stream);
}
WL_DRIVER_API wl_cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, StreamHandle stream) {
  return copy_1d(to, pointer(from), bytes, DeviceToHost, stream);
}
WL_DRIVER_API wl_cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) {
  return copy_1d(pointer(to), pointer(from), bytes, DeviceToDevice, stream);
}
WL_DRIVER_API wl_cuMemcpyPeerAsync(DevicePointer to, Context*, DevicePointer from, Context*, size_t bytes,
                                   StreamHandle stream) {
  return wl_cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

WL_DRIVER_API wl_cuMemcpy2D_v2(const Memcpy2D* c) {
  Memcpy3D copy = c ? as_3d(*c) : Memcpy3D{};
  return copy_now(c ? &copy : nullptr);
}
WL_DRIVER_API wl_cuMemcpy2DUnaligned_v2(const Memcpy2D* c) { return wl_cuMemcpy2D_v2(c); }
WL_DRIVER_API wl_cuMemcpy2DAsync_v2(const Memcpy2D* c, StreamHandle stream) {
  Memcpy3D copy = c ? as_3d(*c) : Memcpy3D{};
  return copy_later(c ? &copy : nullptr, stream);
}
WL_DRIVER_API wl_cuMemcpy3D_v2(const Memcpy3D* c) { return copy_now(c); }
WL_DRIVER_API wl_cuMemcpy3DAsync_v2(const Memcpy3D* c, StreamHandle stream) { return copy_later(c, stream); }
WL_DRIVER_API wl_cuMemcpy3DPeer(const Memcpy3D* c) { return copy_now(c); }
WL_DRIVER_API wl_cuMemcpy3DPeerAsync(const Memcpy3D* c, StreamHandle stream) { return copy_later(c, stream); }

WL_DRIVER_API wl_cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count, StreamHandle stream) {
  return fill(to, 0, value, 1, count, 1, stream);
}
WL_DRIVER_API wl_cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count, StreamHandle stream) {
  return fill(to, 0, value, 2, count, 1, stream);
}
WL_DRIVER_API wl_cuMemsetD32Async(DevicePointer to, unsigned value, size_t count, StreamHandle stream) {
  return fill(to, 0, value, 4, count, 1, stream);
}
WL_DRIVER_API wl_cuMemsetD2D8Async(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height,
                                   StreamHandle stream) {
  return fill(to, pitch, value, 1, width, height, stream);
}
WL_DRIVER_API wl_cuMemsetD2D16Async(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height,
                                    StreamHandle stream) {
  return fill(to, pitch, value, 2, width, height, stream);
}
WL_DRIVER_API wl_cuMemsetD2D32Async(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height,
                                    StreamHandle stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}
WL_DRIVER_API wl_cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t count) {
  return fill(to, 0, value, 1, count, 1, nullptr);
}
WL_DRIVER_API wl_cuMemsetD16_v2(DevicePointer to, unsigned short value, size_t count) {
  return fill(to, 0, value, 2, count, 1, nullptr);
}
WL_DRIVER_API wl_cuMemsetD32_v2(DevicePointer to, unsigned value, size_t count) {
  return fill(to, 0, value, 4, count, 1, nullptr);
}
WL_DRIVER_API wl_cuMemsetD2D8_v2(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill(to, pitch, value, 1, width, height, nullptr);
}
WL_DRIVER_API wl_cuMemsetD2D16_v2(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill(to, pitch, value, 2, width, height, nullptr);
}
WL_DRIVER_API wl_cuMemsetD2D32_v2(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill(to, pitch, value, 4, width, height, nullptr);
}

}  // namespace warplens::cuda::driver
