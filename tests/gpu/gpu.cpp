#include "gpu/gpu.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace warplens::gpu {
namespace {

constexpr uint64_t kChunk = 2 << 20;  // device memory becomes readable and writable in such steps

const char* file_to_write() { return std::getenv("WARPLENS_TEST_GPU"); }

// The driver's functions, from the library itself: nothing here links to it.
template <typename F>
F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}
#define WL_DRIVER(name) driver<decltype(name)>(WL_NAME(name))
#define WL_NAME(name) #name  // after cuda.h has expanded it to the versioned one

// What a launch holds; let go in the other order. A fault leaves the context unusable, so each launch that fails ends
// with it.
class Session {
 public:
  ~Session() {
    if (!context_) return;
    for (void* chunk : pinned_) WL_DRIVER(cuMemHostUnregister)(chunk);
    if (module_) WL_DRIVER(cuModuleUnload)(module_);
  }
  std::string run(const Launch& launch) {
    if (!start()) return "gpu: " + problem_;
    if (!pin(launch)) return "gpu: pinning: " + problem_;
    if (!did(WL_DRIVER(cuModuleLoadData)(&module_, launch.text.c_str()))) return "gpu: loading: " + problem_;
    CUfunction function = nullptr;
    if (!did(WL_DRIVER(cuModuleGetFunction)(&function, module_, launch.kernel.c_str()))) return "gpu: " + problem_;
    size_t bytes = launch.params.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<uint8_t*>(launch.params.data()),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    bool fine = did(WL_DRIVER(cuLaunchKernel)(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                                              launch.block.y, launch.block.z, launch.dynamic_shared_bytes, nullptr,
                                              nullptr, extra));
    fine = fine && did(WL_DRIVER(cuCtxSynchronize)());
    if (!fine) {
      reset_ = true;
      return "gpu: " + problem_;
    }
    read_back(launch);
    return "";
  }

 private:
  bool did(CUresult result) {
    const char* name = "?";
    if (result == CUDA_SUCCESS) return true;
    WL_DRIVER(cuGetErrorName)(result, &name);
    problem_ = name ? name : "?";
    return false;
  }
  bool start() {
    static CUcontext kept = nullptr;
    if (reset_ && kept) WL_DRIVER(cuCtxDestroy)(kept), kept = nullptr, reset_ = false;
    if (!kept) {
      CUdevice device = 0;
      if (!WL_DRIVER(cuInit)) return problem_ = "no libcuda.so.1", false;
      if (!did(WL_DRIVER(cuInit)(0)) || !did(WL_DRIVER(cuDeviceGet)(&device, 0))) return false;
      auto* create = driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
      if (!did(create(&kept, CU_CTX_MAP_HOST, device))) return false;
    }
    context_ = kept;
    return true;
  }
  // The device memory that is in use: what lies beyond cannot be read, and so not be pinned.
  bool pin(const Launch& launch) {
    for (uint64_t at = launch.memory;; at += kChunk) {
      void* chunk = reinterpret_cast<void*>(at);
      if (!did(WL_DRIVER(cuMemHostRegister)(chunk, kChunk, CU_MEMHOSTREGISTER_DEVICEMAP))) return !pinned_.empty();
      pinned_.push_back(chunk);
    }
  }
  void read_back(const Launch& launch) {
    for (const Variable& v : launch.variables) {
      CUdeviceptr address = 0;
      size_t bytes = 0;
      if (WL_DRIVER(cuModuleGetGlobal)(&address, &bytes, module_, v.name.c_str()) != CUDA_SUCCESS) continue;
      WL_DRIVER(cuMemcpyDtoH)(reinterpret_cast<void*>(v.host_address), address, std::min<size_t>(bytes, v.bytes));
    }
  }

  static inline bool reset_ = false;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<void*> pinned_;
  std::string problem_;
};

// Rows are a line each: blanks and line ends of the PTX are one blank.
std::string one_line(const std::string& ptx) {
  std::istringstream words(ptx);
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::map<std::string, uint64_t> read_file() {
  std::map<std::string, uint64_t> rows;
  std::ifstream file(WARPLENS_GPU_READINGS);
  for (std::string line; std::getline(file, line);)
    if (line.size() > 17 && line[0] != '#') rows[line.substr(17)] = std::stoull(line.substr(0, 16), nullptr, 16);
  return rows;
}

}  // namespace

bool wanted() { return file_to_write() != nullptr; }

std::string run(const Launch& launch) { return Session().run(launch); }

uint64_t hash_of(const std::vector<uint64_t>& results) {  // FNV-1a over words
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint64_t word : results) {
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

void record(const std::string& ptx, uint64_t hash) {
  std::ofstream(file_to_write(), std::ios::app) << fmt::format("{:016x} {}\n", hash, one_line(ptx));
}

std::optional<uint64_t> reading_of(const std::string& ptx) {
  static const std::map<std::string, uint64_t> rows = read_file();
  const auto row = rows.find(one_line(ptx));
  if (row == rows.end()) return std::nullopt;
  return row->second;
}

}  // namespace warplens::gpu
