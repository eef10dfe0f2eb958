// Copies from one device to another. Their memory is one address space, so the devices only have to be there.
#include "cuda/copy.h"
#include "cuda/served.h"
#include "cuda/stream.h"

namespace warplens::cuda {
namespace {

struct Peer3DParams {  // cudaMemcpy3DPeerParms
  Array* source_array;
  Pos source_pos;
  PitchedPtr source;
  int source_device;
  Array* target_array;
  Pos target_pos;
  PitchedPtr target;
  int target_device;
  Extent extent;
};

bool are_devices(int one, int other) { return Runtime::get().is_device(one) && Runtime::get().is_device(other); }

Memcpy3DParams without_devices(const Peer3DParams& p) {
  return {p.source_array, p.source_pos, p.source, p.target_array, p.target_pos, p.target, p.extent, DeviceToDevice};
}

}  // namespace

WL_API wl_cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
  if (!are_devices(target_device, source_device)) return returned(Error::cudaErrorInvalidDevice);
  return wl_cudaMemcpy(target, source, bytes, DeviceToDevice);
}
WL_API wl_cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                              StreamHandle stream) {
  if (!are_devices(target_device, source_device)) return returned(Error::cudaErrorInvalidDevice);
  return wl_cudaMemcpyAsync(target, source, bytes, DeviceToDevice, stream);
}
WL_API wl_cudaMemcpy3DPeer(const Peer3DParams* p) {
  if (!p) return returned(Error::cudaErrorInvalidValue);
  if (!are_devices(p->target_device, p->source_device)) return returned(Error::cudaErrorInvalidDevice);
  Memcpy3DParams copy = without_devices(*p);
  return wl_cudaMemcpy3D(&copy);
}
WL_API wl_cudaMemcpy3DPeerAsync(const Peer3DParams* p, StreamHandle stream) {
  if (!p) return returned(Error::cudaErrorInvalidValue);
  if (!are_devices(p->target_device, p->source_device)) return returned(Error::cudaErrorInvalidDevice);
  Memcpy3DParams copy = without_devices(*p);
  return wl_cudaMemcpy3DAsync(&copy, stream);
}

}  // namespace warplens::cuda
