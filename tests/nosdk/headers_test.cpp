// Our CUDA headers: complete enough for real programs, one instruction where CUDA has one, and the same binary
// interface as NVIDIA's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "base/process.h"
#include "nosdk/clang.h"

namespace warplens::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Clang : public ::testing::Test {
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "no clang++-19 on this machine";
  }
};

TEST_F(Clang, CompilesTheSeeds) {
  if (seeds().empty()) GTEST_SKIP() << "no ../shared/seeds here";
  for (const fs::path& seed : seeds()) {
    Compiled compiled = compile_with_clang(seed);
    EXPECT_TRUE(compiled.ok) << seed << "\n" << compiled.messages;
    EXPECT_EQ(compiled.messages, "") << seed;
    EXPECT_THAT(compiled.ptx, Not(HasSubstr(".extern .func"))) << seed;
  }
}

TEST_F(Clang, CompilesTheProbes) {
  if (probes().empty()) GTEST_SKIP() << "no ../shared/probes here";
  Compiled compiled = compile_with_clang(probes());
  EXPECT_TRUE(compiled.ok) << compiled.messages;
  EXPECT_EQ(compiled.messages, "");
  EXPECT_THAT(compiled.ptx, Not(HasSubstr("__nv_")));
  EXPECT_THAT(compiled.ptx, HasSubstr("wmma.mma.sync"));
}

TEST_F(Clang, CompilesTheExamples) {
  for (const auto& entry : fs::directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".cu") continue;
    Compiled compiled = compile_with_clang(entry.path());
    EXPECT_TRUE(compiled.ok) << entry.path() << "\n" << compiled.messages;
  }
}

TEST_F(Clang, CompilesEveryHeader) {
  const fs::path folder = fs::path(WARPLENS_SOURCE_DIR) / "include/warplens/cuda";
  std::string source;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file() && name.rfind("warplens/", 0) != 0) source += "#include <" + name + ">\n";
  }
  Compiled compiled = compile_text_with_clang(source);
  EXPECT_TRUE(compiled.ok) << compiled.messages;
  // A header that we lack would be found among NVIDIA's, where those are installed.
  for (const std::string& file : compiled.dependencies) EXPECT_EQ(file.find("/usr/local/"), file.npos) << file;
}

// A device function and the instruction that CUDA promises for it.
struct Promise {
  const char* expression;  // of int i, unsigned u, long long l, float f, double d
  const char* instruction;
};
constexpr Promise kPromises[] = {
    {"sqrtf(f)", "sqrt.rn.f32"},
    {"sqrt(d)", "sqrt.rn.f64"},
    {"rsqrtf(f)", "rsqrt.approx.f32"},
    {"fabsf(f)", "abs.f32"},
    {"fmaf(f, f, 2.f)", "fma.rn.f32"},
    {"fma(d, d, 2.)", "fma.rn.f64"},
    {"fminf(f, 2.f)", "min.f32"},
    {"max(f, 2.f)", "max.f32"},
    {"max(i, 7)", "max.s32"},
    {"min(u, 7u)", "min.u32"},
    {"min(l, 7ll)", "min.s64"},
    {"floorf(f)", "cvt.rmi.f32.f32"},
    {"__fdividef(f, 3.f)", "div.approx.f32"},
    {"__sinf(f)", "sin.approx.f32"},
    {"__expf(f)", "ex2.approx"},
    {"__logf(f)", "lg2.approx"},
    {"__fadd_rz(f, 1.f)", "add.rz.f32"},
    {"__fmul_ru(f, f)", "mul.rp.f32"},
    {"__frcp_rd(f)", "rcp.rm.f32"},
    {"__float2int_rn(f)", "cvt.rni.s32.f32"},
    {"__double2uint_rz(d)", "cvt.rzi.u32.f64"},
    {"__popc(i)", "popc.b32"},
    {"__clz(i)", "clz.b32"},
    {"__brev(u)", "brev.b32"},
    {"__mulhi(i, i)", "mul.hi.s32"},
    {"__umul64hi(l, l)", "mul.hi.u64"},
    {"__byte_perm(u, u, 0x1032)", "prmt.b32"},
    {"__dp4a(i, i, i)", "dp4a.s32.s32"},
    {"__shfl_xor_sync(~0u, f, 4)", "shfl.sync.bfly.b32"},
    {"__ballot_sync(~0u, i)", "vote.sync.ballot.b32"},
    {"__match_any_sync(~0u, i)", "match.any.sync.b32"},
    {"__reduce_add_sync(~0u, u)", "redux.sync.add"},
    {"atomicAdd(out, d)", "atom.global.add.f64"},
    {"atomicCAS((int*)out, i, 3)", "atom.global.cas.b32"},
    {"atomicMax((long long*)out, l)", "atom.global.max.s64"},
    {"__ldg(out + i)", "ld.global.nc.f64"},
    {"__reduce_max_sync(~0u, i)", "redux.sync.max.s32"},
    {"__ldcg((float*)out)", "ld.global.cg.f32"},
    {"__tanhf(f)", "tanh.approx.f32"},
    {"__dp2a_lo(i, i, i)", "dp2a.lo.s32.s32"},
    {"(float)__hadd(__half(f), __half(1.f))", "add.f16"},
    {"__low2float(__hmul2(__float2half2_rn(f), __float2half2_rn(2.f)))", "mul.f16x2"},
    {"(float)__hfma(__half(f), __half(2.f), __half(1.f))", "fma.rn.f16"},
    {"(float)__hmax(__float2bfloat16(f), __float2bfloat16(2.f))", "max.bf16"},
    {"(float)__float2half_rz(f)", "cvt.rz.f16.f32"},
    {"(float)atomicAdd((__half*)out, __half(f))", "atom.add.noftz.f16"},
    {"__nv_atomic_fetch_add((int*)out, i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)", "atom"},
};

TEST_F(Clang, MakesOneInstructionOfAnIntrinsic) {
  std::string source = "#include <cuda_bf16.h>\n";
  for (size_t i = 0; i < std::size(kPromises); ++i)
    source += "extern \"C\" __global__ void k" + std::to_string(i) +
              "(int i, unsigned u, long long l, float f, double d, double* out) { *out = " + kPromises[i].expression +
              "; }\n";
  Compiled compiled = compile_text_with_clang(source);
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  for (size_t i = 0; i < std::size(kPromises); ++i) {
    size_t start = compiled.ptx.find(".entry k" + std::to_string(i) + "(");
    ASSERT_NE(start, compiled.ptx.npos) << kPromises[i].expression;
    std::string kernel = compiled.ptx.substr(start, compiled.ptx.find("\n}", start) - start);
    EXPECT_THAT(kernel, HasSubstr(kPromises[i].instruction)) << kPromises[i].expression;
    EXPECT_THAT(kernel, Not(HasSubstr("call"))) << kPromises[i].expression;
  }
}

// An access inside one of our functions, or clang's, counts for the line that calls it.
TEST_F(Clang, GivesAccessesTheLineOfTheProgram) {
  Compiled compiled = compile_text_with_clang(
      "#include <cuda_fp16.h>\n"
      "#include <cuda_pipeline.h>\n"
      "__global__ void k(const float4* in, float4* out, int* c, const double* d, half* h) {\n"
      "  __shared__ float4 s[32];\n"
      "  __pipeline_memcpy_async(&s[threadIdx.x], in, 16);\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = s[threadIdx.x ^ 1];\n"
      "  atomicAdd(c, 1);\n"
      "  out[1].x = __ldg(d) + __shfl_xor_sync(~0u, c[3], 1);\n"
      "  out[2].y = max(c[4], 3) + sqrtf(in[2].x);\n"
      "  h[1] = __hadd(h[2], h[3]);\n"
      "  if (c[7]) printf(\"%d\", c[8]);\n"
      "}\n");
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  size_t files = 0;
  for (size_t at = 0; (at = compiled.ptx.find("\t.file\t", at)) != compiled.ptx.npos; ++at) ++files;
  EXPECT_EQ(files, 1u) << compiled.ptx.substr(compiled.ptx.rfind("\t.file\t"), 200);
}

TEST_F(Clang, MakesOneAccessOfSixteenBytes) {
  Compiled compiled = compile_text_with_clang(
      "struct __align__(16) Own { int a, b, c, d; };\n"
      "__global__ void vectors(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }\n"
      "__global__ void structs(const Own* in, Own* out) { out[threadIdx.x] = in[threadIdx.x]; }\n"
      "__global__ void zeros(double2* out) { out[threadIdx.x] = make_double2(0, 0); }\n");
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  for (const char* split : {"ld.global.u64", "st.global.u64", "ld.global.u32", "st.global.u32"})
    EXPECT_THAT(compiled.ptx, Not(HasSubstr(split)));
}

// ---- the binary interface

std::string layout_with(const std::string& include_dir, const std::string& source = "layout.cpp") {
  std::string program = (fs::temp_directory_path() / ("warplens-layout-" + std::to_string(getpid()))).string();
  Environment environment(environ);
  std::string compiler = environment.find_program("c++");
  Result<ProcessOutput> built = run_process(
      {compiler.empty() ? environment.find_program("g++") : compiler, "-std=c++17", "-w", "-I" + include_dir, "-x",
       "c++", std::string(WARPLENS_SOURCE_DIR) + "/tests/nosdk/" + source, "-o", program},
      environment);
  EXPECT_TRUE(built && built->exit_code == 0) << (built ? built->errors : built.error().what);
  Result<ProcessOutput> run = run_process({program}, environment);
  fs::remove(program);
  return run ? run->output : "";
}

TEST(Layout, IsThatOfNvidiasHeaders) {
  const char* toolkit = "/usr/local/cuda/include";
  if (!fs::exists(std::string(toolkit) + "/cuda_runtime_api.h")) GTEST_SKIP() << "no CUDA toolkit in /usr/local/cuda";
  std::string ours = layout_with(std::string(WARPLENS_SOURCE_DIR) + "/include/warplens/cuda");
  EXPECT_GT(ours.size(), 1000u);
  EXPECT_EQ(ours, layout_with(toolkit));
}

TEST(Layout, OfTheDriverIsThatOfNvidiasHeader) {
  const char* toolkit = "/usr/local/cuda/include";
  if (!fs::exists(std::string(toolkit) + "/cuda.h")) GTEST_SKIP() << "no CUDA toolkit in /usr/local/cuda";
  std::string ours = layout_with(std::string(WARPLENS_SOURCE_DIR) + "/include/warplens/cuda", "driver_layout.cpp");
  EXPECT_GT(ours.size(), 10000u);
  EXPECT_EQ(ours, layout_with(toolkit, "driver_layout.cpp"));
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(WARPLENS_SOURCE_DIR) + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Headers, DeclareWhateverTheRuntimeServes) {
  const std::string header = text_of("/include/warplens/cuda/cuda_runtime_api.h"), table = text_of("/src/cuda/api.def");
  const std::regex line("WL_IMPLEMENTED\\((ALL|V13|FROM12), (cuda\\w+),");
  for (std::sregex_iterator it(table.begin(), table.end(), line), end; it != end; ++it) {
    const std::string name = (*it)[2].str();
    if (name.find("_pt") == name.npos) EXPECT_NE(header.find(" " + name + "("), header.npos) << name;
  }
}

TEST(Headers, DeclareWhateverTheDriverServes) {
  const std::string header = text_of("/include/warplens/cuda/cuda.h"), table = text_of("/src/cuda/driver/api.def");
  const std::regex line("WL_SERVED\\([0-9]+, (cu\\w+),");
  for (std::sregex_iterator it(table.begin(), table.end(), line), end; it != end; ++it) {
    const std::string name = (*it)[1].str();
    if (name != "cuGetExportTable")  // not documented
      EXPECT_NE(header.find("CUresult " + name + "("), header.npos) << name;
  }
}

TEST(Headers, DeclareOnlyWhatTheRuntimeExports) {
  std::string header = text_of("/include/warplens/cuda/cuda_runtime_api.h"), table = text_of("/src/cuda/api.def");
  std::regex declaration("(cudaError_t|const char\\*) (cuda\\w+)\\(");
  int declared = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it, ++declared)
    EXPECT_TRUE(table.find(", " + (*it)[2].str() + ",") != table.npos ||
                table.find(", " + (*it)[2].str() + ")") != table.npos)  // refused, but there
        << (*it)[2];
  EXPECT_GT(declared, 180);
}

}  // namespace
}  // namespace warplens::test
