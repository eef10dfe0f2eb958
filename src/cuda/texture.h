// Texture and surface objects: memory or an array, and how kernels read it.
#pragma once
#include <optional>

#include "cuda/array.h"

namespace warplens::cuda {

struct TextureObject {
  bool is_surface = false;
  ResourceDesc resource;
  TextureDesc texture;
  std::optional<ResourceViewDesc> view;
};

// ---- under Runtime::mutex

// What can be made of what is as on an H200 (tests/api/textures.h200.txt).
Error make_texture(Runtime& runtime, const ResourceDesc& resource, const TextureDesc& texture,
                   const ResourceViewDesc* view, uint64_t& handle);
Error make_surface(Runtime& runtime, const ResourceDesc& resource, uint64_t& handle);
Error remove_texture(Runtime& runtime, uint64_t handle);             // or surface; one that is gone: no error
const TextureObject* texture_object(uint64_t handle, bool surface);  // null: there is none

}  // namespace warplens::cuda
