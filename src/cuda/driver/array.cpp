// Arrays, which are the runtime's own; and copies of a row of one.
#include "cuda/array.h"

#include "cuda/copy.h"
#include "cuda/driver/driver.h"
#include "cuda/stream.h"

namespace warplens::cuda::driver {
namespace {

void* pointer(DevicePointer address) { return reinterpret_cast<void*>(address); }

// An unknown channel format is an invalid value to the driver, and a handle that is no array an invalid one.
CuResult result_for(Error error) {
  return error == Error::cudaErrorInvalidChannelDescriptor ? CuResult::CUDA_ERROR_INVALID_VALUE : result_of(error);
}

CuResult create(Array** out, const ArrayDescriptor3D* d) {
  return serve(Needs::Context, [&](Runtime& r) {
    ChannelDesc desc;
    if (!out || !d || !desc_of(d->format, d->channels, desc)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return result_for(make_array(r, &desc, {d->width, d->height, d->depth}, d->flags, *out));
  });
}

ArrayDescriptor3D described(const Array& array) {
  return {array.extent.width,  array.extent.height, array.extent.depth,
          array.driver_format, array.channels,      array.flags};
}

CuResult describe(const Array* array, ArrayDescriptor3D& out) {
  return serve(Needs::Context, [&](Runtime&) {
    if (!is_array(array)) return CuResult::CUDA_ERROR_INVALID_HANDLE;
    out = described(*array);
    return CuResult::CUDA_SUCCESS;
  });
}

// The first row of an array from a byte on: what is left of 1D copies.
ArrayPart row(const Array* array, size_t offset) { return {array, offset, 0, nullptr, 0}; }
ArrayPart flat(const void* memory, size_t bytes) { return {nullptr, 0, 0, const_cast<void*>(memory), bytes}; }

CuResult copy_now(ArrayPart to, ArrayPart from, size_t bytes, int kind) {
  return serve(Needs::Context, [&](Runtime& r) { return copy_rows(r, to, from, bytes, 1, kind); });
}
CuResult copy_later(ArrayPart to, ArrayPart from, size_t bytes, int kind, StreamHandle stream) {
  return forward([&] {
    return submit(stream, NodeType::Memcpy, [=](Runtime& r) { return copy_rows(r, to, from, bytes, 1, kind); });
  });
}

}  // namespace

WL_DRIVER_API wl_cuArrayCreate_v2(Array** out, const ArrayDescriptor* d) {
  ArrayDescriptor3D full =
      d ? ArrayDescriptor3D{d->width, d->height, 0, d->format, d->channels, 0} : ArrayDescriptor3D{};
  return create(out, d ? &full : nullptr);
}
WL_DRIVER_API wl_cuArray3DCreate_v2(Array** out, const ArrayDescriptor3D* d) { return create(out, d); }
WL_DRIVER_API wl_cuArrayDestroy(Array* array) {
  return serve(Needs::Context, [&](Runtime& r) {
    return is_array(array) ? result_of(free_array(r, array)) : CuResult::CUDA_ERROR_INVALID_HANDLE;
  });
}
WL_DRIVER_API wl_cuArray3DGetDescriptor_v2(ArrayDescriptor3D* out, const Array* array) {
  ArrayDescriptor3D full{};
  CuResult result = out ? describe(array, full) : CuResult::CUDA_ERROR_INVALID_VALUE;
  if (result == CuResult::CUDA_SUCCESS) *out = full;
  return result;
}
WL_DRIVER_API wl_cuArrayGetDescriptor_v2(ArrayDescriptor* out, const Array* array) {
  ArrayDescriptor3D full{};
  CuResult result = out ? describe(array, full) : CuResult::CUDA_ERROR_INVALID_VALUE;
  if (result == CuResult::CUDA_SUCCESS) *out = {full.width, full.height, full.format, full.channels};
  return result;
}
WL_DRIVER_API wl_cuArrayGetPlane(Array** out, const Array* array, unsigned) {
  return serve(Needs::Context, [&](Runtime&) {
    return is_array(array) ? CuResult::CUDA_ERROR_INVALID_VALUE : CuResult::CUDA_ERROR_INVALID_HANDLE;
  });
}

WL_DRIVER_API wl_cuMipmappedArrayCreate(MipmappedArray** out, const ArrayDescriptor3D* d, unsigned levels) {
  return serve(Needs::Context, [&](Runtime& r) {
    ChannelDesc desc;
    if (!out || !d || !desc_of(d->format, d->channels, desc)) return CuResult::CUDA_ERROR_INVALID_VALUE;
    return result_for(make_mipmapped(r, &desc, {d->width, d->height, d->depth}, levels, d->flags, *out));
  });
}
WL_DRIVER_API wl_cuMipmappedArrayGetLevel(Array** out, const MipmappedArray* array, unsigned level) {
  return serve(Needs::Context, [&](Runtime&) {
    Array* found = level_of(array, level);
    if (!out || !found) return CuResult::CUDA_ERROR_INVALID_VALUE;
    *out = found;
    return CuResult::CUDA_SUCCESS;
  });
}
WL_DRIVER_API wl_cuMipmappedArrayDestroy(MipmappedArray* array) {
  return serve(Needs::Context, [&](Runtime& r) {
    Error error = free_mipmapped(r, array);
    return error == Error::cudaSuccess ? CuResult::CUDA_SUCCESS : CuResult::CUDA_ERROR_INVALID_HANDLE;
  });
}

WL_DRIVER_API wl_cuMemcpyHtoA_v2(Array* to, size_t offset, const void* from, size_t bytes) {
  return copy_now(row(to, offset), flat(from, bytes), bytes, HostToDevice);
}
WL_DRIVER_API wl_cuMemcpyAtoH_v2(void* to, const Array* from, size_t offset, size_t bytes) {
  return copy_now(flat(to, bytes), row(from, offset), bytes, DeviceToHost);
}
WL_DRIVER_API wl_cuMemcpyDtoA_v2(Array* to, size_t offset, DevicePointer from, size_t bytes) {
  return copy_now(row(to, offset), flat(pointer(from), bytes), bytes, DeviceToDevice);
}
WL_DRIVER_API wl_cuMemcpyAtoD_v2(DevicePointer to, const Array* from, size_t offset, size_t bytes) {
  return copy_now(flat(pointer(to), bytes), row(from, offset), bytes, DeviceToDevice);
}
WL_DRIVER_API wl_cuMemcpyAtoA_v2(Array* to, size_t to_offset, const Array* from, size_t from_offset, size_t bytes) {
  return copy_now(row(to, to_offset), row(from, from_offset), bytes, DeviceToDevice);
}
WL_DRIVER_API wl_cuMemcpyHtoAAsync_v2(Array* to, size_t offset, const void* from, size_t bytes, StreamHandle stream) {
  return copy_later(row(to, offset), flat(from, bytes), bytes, HostToDevice, stream);
}
WL_DRIVER_API wl_cuMemcpyAtoHAsync_v2(void* to, const Array* from, size_t offset, size_t bytes, StreamHandle stream) {
  return copy_later(flat(to, bytes), row(from, offset), bytes, DeviceToHost, stream);
}

}  // namespace warplens::cuda::driver
