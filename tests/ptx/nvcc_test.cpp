// What nvcc writes, where there is one: every PTX reads without a diagnostic and says the same when printed; every form
// of fat binary opens. Skipped with a message where nvcc or the inputs are absent.
#include <cstdlib>
#include <filesystem>

#include "ptx/fatbin.h"
#include "ptx/line_info.h"
#include "ptx_test.h"

namespace warplens::ptx {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = fs::path(WARPLENS_SOURCE_DIR).parent_path() / "shared";

std::string find_nvcc() {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  std::stringstream folders(path + ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(folder + "/nvcc")) return folder + "/nvcc";
  }
  return "";
}

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    nvcc_ = find_nvcc();
    if (nvcc_.empty()) GTEST_SKIP() << "no nvcc on this machine";
    folder_ = fs::path(testing::TempDir()) / ("warplens_nvcc_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // The path of what nvcc makes of the source; "" and a failure if it makes nothing.
  std::string compile(const fs::path& source, const std::string& options, const std::string& name) {
    const std::string out = (folder_ / name).string(), log = out + ".log";
    const std::string command =
        nvcc_ + " -std=c++17 " + options + " -o '" + out + "' '" + source.string() + "' >'" + log + "' 2>&1";
    const bool ok = std::system(command.c_str()) == 0;
    EXPECT_TRUE(ok) << command << "\n" << read_file(log);
    return ok ? out : "";
  }

  fs::path source(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }

  std::string nvcc_;
  fs::path folder_;
};

std::vector<fs::path> shared_sources() {
  std::vector<fs::path> list;
  if (fs::exists(kShared / "probes/probes.cu")) list.push_back(kShared / "probes/probes.cu");
  if (!fs::exists(kShared / "seeds")) return list;
  for (const auto& entry : fs::directory_iterator(kShared / "seeds")) {
    if (entry.path().extension() == ".cu") list.push_back(entry.path());
  }
  return list;
}

TEST_F(Nvcc, PtxOfRealProgramsReadsAndPrints) {
  const std::vector<fs::path> sources = shared_sources();
  if (sources.empty()) GTEST_SKIP() << "no sources in " << kShared;
  for (const char* options : {"-arch=compute_75 -lineinfo", "-arch=compute_80 -G", "-arch=compute_90a",
                              "-arch=compute_90 -lineinfo", "-arch=compute_100 -lineinfo", "-arch=compute_100 -G"}) {
    for (const fs::path& file : sources) {
      SCOPED_TRACE(file.string() + " " + options);
      const std::string out = compile(file, std::string("-ptx ") + options, "k.ptx");
      if (out.empty()) continue;
      EXPECT_FALSE(parse_clean(read_file(out)).functions.empty());
    }
  }
}

// One of everything that the shared programs lack.
constexpr const char* kFeatures = R"cuda(
#include <cstdio>
#include <cassert>
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__managed__ double managed = 1.5;
__device__ int* pointer = &counter;
struct Base { __device__ virtual int f(int) { return 1; } };
struct Derived : Base { __device__ int f(int x) override { return x + counter; } };
__device__ __noinline__ float4 make(float4 a, double b) { a.x += b; return a; }
using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ Function table[2] = {twice, nullptr};
struct Params { float a[7]; char c; };
__global__ void __launch_bounds__(128, 2) everything(float* out, const float4* __restrict__ in, Params p, cudaTextureObject_t tex, cudaSurfaceObject_t surf, int which) {
  extern __shared__ float dynamic[];
  __shared__ float fixed[32][33];
  int i = threadIdx.x;
  fixed[i % 32][i / 32] = p.a[i % 7] + p.c;
  dynamic[i] = weights[i & 3];
  __syncthreads();
  float4 v = make(in[i], managed);
  v.y += tex2D<float>(tex, i, 2.0f) + surf1Dread<float>(surf, i * 4);
  asm volatile("{ .reg .pred p; .reg .b32 t<2>; setp.ne.s32 p, %1, 0; mov.b32 t1, %1; @p add.s32 %0, t1, WARP_SZ-1; }" : "=r"(which) : "r"(which));
  switch (which) { case 0: v.x = 1; break; case 1: v.x = sinf(v.y); break; case 2: v.x = expf(v.z); break; case 3: v.x *= 3; break; case 4: v.x = v.w / 3; break; case 5: v.z = 9; break; }
  Base* b = which > 3 ? new Derived : new Base;
  v.z += b->f(i) + __shfl_xor_sync(~0u, v.x, 16) + __popc(__ballot_sync(~0u, v.y > 0)) + table[which & 1](v.w);
  atomicAdd(pointer, i);
  if (i == 5) printf("%d %f\n", i, v.x);
  assert(v.x < 1e9f);
  out[i] = v.x + v.y + v.z + dynamic[i ^ 1] + fixed[i / 32][i % 32];
}
)cuda";

TEST_F(Nvcc, PtxOfManyFeaturesReadsAndPrints) {
  const fs::path file = source("features.cu", kFeatures);
  for (const char* options : {"-arch=compute_75", "-arch=compute_80 -lineinfo", "-arch=compute_90 -G",
                              "-arch=compute_100 -rdc=true -lineinfo"}) {
    SCOPED_TRACE(options);
    const std::string out = compile(file, std::string("-ptx ") + options, "k.ptx");
    if (out.empty()) continue;
    const Module m = parse_clean(read_file(out));
    EXPECT_GT(m.functions.size(), 2u);
    EXPECT_GT(m.variables.size(), 4u);
  }
}

constexpr const char* kInlined = R"cuda(
__device__ __forceinline__ float inner(const float* p, int i) {
  return p[i * 2];
}
template <typename T> __device__ __forceinline__ T outer(const T* p, int i) {
  return inner(p, i) + 1;
}
__global__ void kern(float* out, const float* in) {
  out[threadIdx.x] = outer(in, threadIdx.x);
}
)cuda";

TEST_F(Nvcc, InlineStacksAreWhole) {
  const fs::path file = source("inl.cu", kInlined);
  for (const char* arch : {"-arch=compute_80", "-arch=compute_100"}) {
    SCOPED_TRACE(arch);
    const std::string out = compile(file, std::string("-ptx -lineinfo ") + arch, "k.ptx");
    if (out.empty()) continue;
    const Module m = parse_clean(read_file(out));
    const Function& f = m.functions.at(0);
    size_t loads = 0;
    for (const Statement& s : f.body.statements) {
      const auto* i = std::get_if<Instruction>(&s);
      if (i == nullptr || i->opcode != "ld" || i->modifiers.at(0) == "param") continue;
      ++loads;
      const auto stack = inline_stack(m, f, i->loc);
      ASSERT_EQ(stack.size(), 3u);
      EXPECT_EQ(stack[0].line, 3u);
      EXPECT_EQ(stack[1].line, 6u);
      EXPECT_EQ(stack[2].line, 9u);
      EXPECT_EQ(stack[0].function, "inner(float const*, int)");
      EXPECT_EQ(stack[1].function, "float outer<float>(float const*, int)");
      EXPECT_EQ(stack[2].function, "kern(float*, float const*)");
      EXPECT_EQ(fs::path(stack[0].file).filename(), "inl.cu");
    }
    EXPECT_EQ(loads, 1u);
  }
}

TEST_F(Nvcc, FatBinariesOfEveryForm) {
  const fs::path file = source("inl.cu", std::string(kInlined) + "int main() { kern<<<1, 32>>>(nullptr, nullptr); }\n");
  struct Form {
    const char* options;
    size_t ptx_images;
    uint32_t newest;
  };
  for (const Form& form :
       {Form{"--compress-mode=none", 1, 75},
        {"--compress-mode=speed", 1, 75},
        {"--compress-mode=balance -lineinfo", 1, 75},
        {"--compress-mode=size -arch=sm_90", 1, 90},
        {"-G", 1, 75},
        {"-rdc=true", 1, 75},
        {"-gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=[sm_90,compute_90]", 2, 90},
        {"-gencode arch=compute_80,code=sm_80", 0, 0}}) {
    SCOPED_TRACE(form.options);
    const std::string out = compile(file, form.options, "program");
    if (out.empty()) continue;
    const std::string program = read_file(out);
    const auto read = read_file_image(std::as_bytes(std::span(program)));
    ASSERT_TRUE(read) << read.error().what;
    size_t ptx_images = 0, kernels = 0;
    uint32_t newest = 0;
    for (const Container& container : *read) {
      for (const Image& image : container.images) ptx_images += image.kind == ImageKind::Ptx;
      for (const Image& image : container.images) EXPECT_TRUE(unpack(image));
      const Image* best = newest_ptx(container);
      if (best == nullptr) continue;
      newest = std::max(newest, best->sm);
      for (const Function& f : parse_clean(*unpack(*best)).functions) kernels += f.is_kernel;
      EXPECT_EQ(container.relocatable, std::string(form.options) == "-rdc=true");
    }
    EXPECT_EQ(ptx_images, form.ptx_images);
    EXPECT_EQ(newest, form.newest);
    EXPECT_EQ(kernels, form.ptx_images != 0 ? 1u : 0u);
  }
}

}  // namespace
}  // namespace warplens::ptx
