// The runtime as a host program sees it: linked by name, its device code in a fat binary. Declarations are the test's
// own, as nvcc's generated code would have them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "ptx/fatbin.h"

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
using Stream = void*;
using Event = void*;
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int limit, void*, void*,
                            void*, void*, int*);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int ext, size_t size, int constant,
                       int global);
int cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, Stream stream);
int cudaMalloc(void** out, size_t bytes);
int cudaFree(void* pointer);
int cudaGetDevice(int* device);
int cudaGetDeviceCount(int* count);
int cudaMemcpy(void* target, const void* source, size_t bytes, int kind);
int cudaMemset(void* target, int value, size_t bytes);
int cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, int kind);
int cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, int kind);
int cudaGetSymbolAddress(void** out, const void* symbol);
int cudaDeviceSynchronize();
int cudaGetLastError();
int cudaPeekAtLastError();
int cudaImportExternalSemaphore(void** semaphore, const void* description);
int cudaImportExternalMemory(void** memory, const void* description);
int cudaLaunchHostFunc(Stream stream, void (*function)(void*), void* data);
int cudaStreamSynchronize(Stream stream);
int cudaMemGetInfo(size_t* free_bytes, size_t* total);
}

namespace {

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidDeviceFunction = 98,
  kNoKernelImage = 209,
  kNotSupported = 801,
};
enum Kind : int { kHostToDevice = 1, kDeviceToHost = 2 };

// A registered fat binary, for as long as it lives.
class Program {
 public:
  explicit Program(const warplens::ptx::ImageSource& image) : container_(warplens::ptx::write_fatbin({&image, 1})) {
    wrapper_ = {0x466243B1, 1, container_.data(), nullptr};
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  explicit Program(const char* ptx) : Program(*warplens::ptx::ptx_image(ptx)) {}
  ~Program() { __cudaUnregisterFatBinary(handle_); }
  void function(const void* host, const char* name) {
    __cudaRegisterFunction(handle_, static_cast<const char*>(host), nullptr, name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
  }
  void variable(void* host, const char* name, size_t bytes) {
    __cudaRegisterVar(handle_, static_cast<char*>(host), nullptr, name, 0, bytes, 0, 0);
  }

 private:
  struct Wrapper {
    unsigned magic, version;
    const void* data;
    const void* more;
  } wrapper_;
  std::string container_;
  void** handle_;
};

// What a piece of the test writes to a file descriptor, as text.
template <typename Body>
std::string captured(int descriptor, Body&& body) {
  char name[] = "/tmp/warplens-test-XXXXXX";
  int file = mkstemp(name), saved = dup(descriptor);
  fflush(nullptr);
  dup2(file, descriptor);
  body();
  fflush(nullptr);
  dup2(saved, descriptor);
  std::string text(lseek(file, 0, SEEK_END), '\0');
  [[maybe_unused]] ssize_t got = pread(file, text.data(), text.size(), 0);
  close(file);
  close(saved);
  unlink(name);
  return text;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) n++;
  return n;
}

// out[tid] = a (8 bits) + b (64) + s.x (of a 12-byte struct) + s.z, each widened; counter += 1 by thread 0.
constexpr const char* kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .align 8 .u64 where = counter+4;
.visible .const .align 4 .b8 table[16] = {1, 2, 3, 4};
.visible .entry mix(.param .u8 a, .param .u64 b, .param .align 4 .b8 s[12], .param .u64 out)
{
  .reg .b16 %h<2>;
  .reg .b32 %r<6>;
  .reg .b64 %d<8>;
  ld.param.u8 %h1, [a];
  cvt.u64.u16 %d1, %h1;
  ld.param.u64 %d2, [b];
  ld.param.u32 %r1, [s];
  ld.param.u32 %r2, [s+8];
  cvt.u64.u32 %d3, %r1;
  cvt.u64.u32 %d4, %r2;
  add.u64 %d1, %d1, %d2;
  add.u64 %d1, %d1, %d3;
  add.u64 %d1, %d1, %d4;
  ld.param.u64 %d5, [out];
  cvta.to.global.u64 %d5, %d5;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %d6, %r3, 8;
  add.u64 %d5, %d5, %d6;
  st.global.u64 [%d5], %d1;
  ret;
}
.visible .entry bump()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}
)";

int mix_stub, bump_stub, missing_stub, counter_shadow, where_shadow, table_shadow;

class Runtime : public ::testing::Test {
 protected:
  Runtime() : program_(kPtx) {
    program_.function(&mix_stub, "mix");
    program_.function(&bump_stub, "bump");
    program_.function(&missing_stub, "nobody");
    program_.variable(&counter_shadow, "counter", 4);
    program_.variable(&where_shadow, "where", 8);
    program_.variable(&table_shadow, "table", 16);
    cudaGetLastError();
  }
  Program program_;
};

TEST_F(Runtime, PacksArgumentsAsTheKernelDeclaresThem) {
  void* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, 64 * 8), kSuccess);
  uint8_t a = 200;
  uint64_t b = 1'000'000'000'000;
  uint32_t s[3] = {5, 77, 9};
  void* arguments[] = {&a, &b, s, &out};
  ASSERT_EQ(cudaLaunchKernel(&mix_stub, {1}, {64}, arguments, 0, nullptr), kSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), kSuccess);
  std::array<uint64_t, 64> host{};
  ASSERT_EQ(cudaMemcpy(host.data(), out, sizeof host, kDeviceToHost), kSuccess);
  for (uint64_t value : host) EXPECT_EQ(value, 1'000'000'000'214u);
  EXPECT_EQ(cudaFree(out), kSuccess);
}

TEST_F(Runtime, VariablesAreInitialisedAndKeepTheirValues) {
  uint32_t counter = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, kDeviceToHost), kSuccess);
  EXPECT_EQ(counter, 7u);
  for (int i = 0; i < 3; i++) ASSERT_EQ(cudaLaunchKernel(&bump_stub, {1}, {1}, nullptr, 0, nullptr), kSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, kDeviceToHost), kSuccess);
  EXPECT_EQ(counter, 10u);
  uint8_t table[16];
  ASSERT_EQ(cudaMemcpyFromSymbol(table, &table_shadow, 16, 0, kDeviceToHost), kSuccess);
  EXPECT_EQ(memcmp(table, "\1\2\3\4\0\0\0\0", 8), 0);
}

TEST_F(Runtime, VariablesMayHoldAddressesOfOthers) {
  uint64_t where = 0;
  void* counter = nullptr;
  ASSERT_EQ(cudaMemcpyFromSymbol(&where, &where_shadow, 8, 0, kDeviceToHost), kSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&counter, &counter_shadow), kSuccess);
  EXPECT_EQ(where, reinterpret_cast<uint64_t>(counter) + 4);
}

TEST_F(Runtime, LaunchesFromSeveralThreadsAreSerialised) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([] {
      for (int i = 0; i < 25; i++) EXPECT_EQ(cudaLaunchKernel(&bump_stub, {1}, {1}, nullptr, 0, nullptr), kSuccess);
    });
  }
  for (auto& thread : threads) thread.join();
  uint32_t counter = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, kDeviceToHost), kSuccess);
  EXPECT_EQ(counter, 107u);
}

TEST_F(Runtime, AKernelThatIsNotThereIsAnInvalidFunction) {
  std::string errors = captured(STDERR_FILENO, [] {
    EXPECT_EQ(cudaLaunchKernel(&missing_stub, {1}, {1}, nullptr, 0, nullptr), kInvalidDeviceFunction);
    EXPECT_EQ(cudaLaunchKernel(&missing_stub, {1}, {1}, nullptr, 0, nullptr), kInvalidDeviceFunction);
  });
  EXPECT_EQ(count(errors, "warplens: kernel nobody is not in the PTX"), 1u) << errors;
}

TEST(RuntimeWithoutPtx, SaysHowToRebuild) {
  warplens::ptx::ImageSource machine_code;
  machine_code.kind = warplens::ptx::ImageKind::Cubin;
  machine_code.sm = 90;
  machine_code.payload = std::string(64, 'x');
  Program program(machine_code);
  static int stub;
  program.function(&stub, "kernel");
  std::string errors = captured(
      STDERR_FILENO, [] { EXPECT_EQ(cudaLaunchKernel(&stub, {1}, {1}, nullptr, 0, nullptr), kNoKernelImage); });
  EXPECT_EQ(count(errors, "-gencode arch=compute_80,code=[sm_80,compute_80]"), 1u) << errors;
  EXPECT_EQ(cudaGetLastError(), kNoKernelImage);
  EXPECT_EQ(cudaDeviceSynchronize(), kSuccess);
}

TEST(RuntimeErrors, LastErrorBelongsToAThread) {
  cudaGetLastError();
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(8)), kInvalidValue);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), kSuccess); }).join();
  EXPECT_EQ(cudaGetLastError(), kInvalidValue);
  EXPECT_EQ(cudaGetLastError(), kSuccess);
}

TEST(RuntimeErrors, RefusesByNameOnceAndLeavesStdoutAlone) {
  std::string errors, output = captured(STDOUT_FILENO, [&] {
                        errors = captured(STDERR_FILENO, [] {
                          void* handle = nullptr;
                          EXPECT_EQ(cudaImportExternalSemaphore(&handle, nullptr), kNotSupported);
                          EXPECT_EQ(cudaImportExternalSemaphore(&handle, nullptr), kNotSupported);
                          EXPECT_EQ(cudaImportExternalMemory(&handle, nullptr), kNotSupported);
                        });
                      });
  EXPECT_EQ(output, "");
  EXPECT_EQ(count(errors, "warplens: cudaImportExternalSemaphore is not supported"), 1u) << errors;
  EXPECT_EQ(count(errors, "warplens: cudaImportExternalMemory is not supported"), 1u) << errors;
  EXPECT_EQ(cudaGetLastError(), kNotSupported);
}

TEST(RuntimeMemory, ExhaustionIsAnErrorAndNothingMore) {
  size_t before = 0, now = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), kSuccess);
  std::vector<void*> held;
  void* at = nullptr;
  int code = kSuccess;
  while ((code = cudaMalloc(&at, size_t{4} << 30)) == kSuccess) held.push_back(at);
  EXPECT_EQ(code, kMemoryAllocation);
  EXPECT_EQ(held.size(), before / (size_t{4} << 30));
  EXPECT_EQ(cudaGetLastError(), kMemoryAllocation);
  for (void* pointer : held) EXPECT_EQ(cudaFree(pointer), kSuccess);
  ASSERT_EQ(cudaMemGetInfo(&now, &total), kSuccess);
  EXPECT_EQ(now, before);
}

TEST(RuntimeMemory, ThreadsMayAllocateAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([t] {
      for (int i = 1; i < 200; i++) {
        void* at = nullptr;
        ASSERT_EQ(cudaMalloc(&at, 1000 * i), kSuccess);
        ASSERT_EQ(cudaMemset(at, t, 1000 * i), kSuccess);
        unsigned char last = 0xff;
        ASSERT_EQ(cudaMemcpy(&last, static_cast<char*>(at) + 1000 * i - 1, 1, kDeviceToHost), kSuccess);
        ASSERT_EQ(last, t);
        ASSERT_EQ(cudaFree(at), kSuccess);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// A host function may wait for what its submitter holds, so it must not run inside the call that submits it.
TEST(RuntimeStreams, HostFunctionsRunInOrderOnTheirOwnThread) {
  static std::mutex mutex;
  static std::vector<int> order;
  static int numbers[3] = {0, 1, 2};
  {
    std::lock_guard lock(mutex);
    auto note = [](void* data) {
      std::lock_guard inner(mutex);
      order.push_back(*static_cast<int*>(data));
    };
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, note, &numbers[0]), kSuccess);
  }
  auto note = [](void* data) { order.push_back(*static_cast<int*>(data)); };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, note, &numbers[1]), kSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, note, &numbers[2]), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), kSuccess);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

// As on an H200: only the number of devices may be asked for.
TEST(RuntimeStreams, HostFunctionsMayNotCallCuda) {
  constexpr int kNotPermitted = 800;
  static std::vector<int> codes;
  auto calls = [](void*) {
    void* memory = nullptr;
    int number = 0;
    codes = {cudaMalloc(&memory, 4),         cudaGetLastError(), cudaGetDevice(&number),
             cudaStreamSynchronize(nullptr), cudaFree(nullptr),  cudaGetDeviceCount(&number)};
  };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, calls, nullptr), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), kSuccess);
  EXPECT_EQ(codes,
            (std::vector<int>{kNotPermitted, kNotPermitted, kNotPermitted, kNotPermitted, kNotPermitted, kSuccess}));
  EXPECT_EQ(cudaGetLastError(), kSuccess);
}

// Programs and libraries built for different releases may meet in one process: one device, one memory.
TEST(RuntimeLibraries, ReleasesHaveTheirVersionsAndShareTheDevice) {
  struct Release {
    const char *file, *symbol_version;
    int version;
  };
  for (const Release& release :
       {Release{"libcudart.so.11.0", "libcudart.so.11.0", 11080}, Release{"libcudart.so.12", "libcudart.so.12", 12060},
        Release{"libcudart.so.13", "libcudart.so.13", 13000}}) {
    void* library = dlopen((WARPLENS_BINARY_DIR "/lib/" + std::string(release.file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto find = [&](const char* name) { return dlvsym(library, name, release.symbol_version); };
    ASSERT_NE(find("cudaMalloc"), nullptr);
    EXPECT_EQ(find("cudaGetDeviceProperties_v2") != nullptr, release.version / 1000 == 12);
    EXPECT_EQ(find("wl_cudaMalloc"), nullptr);
    int version = 0;
    reinterpret_cast<int (*)(int*)>(find("cudaRuntimeGetVersion"))(&version);
    EXPECT_EQ(version, release.version);
    void* at = nullptr;
    EXPECT_EQ(reinterpret_cast<int (*)(void**, size_t)>(find("cudaMalloc"))(&at, 100), kSuccess);
    EXPECT_EQ(cudaFree(at), kSuccess);
  }
}

// As on a GPU: a context does not survive fork() in the child, and the parent's is unharmed.
TEST(RuntimeProcess, ForkedChildHasNoContext) {
  void* at = nullptr;
  ASSERT_EQ(cudaMalloc(&at, 100), kSuccess);
  pid_t child = fork();
  if (child == 0) {
    void* inner = nullptr;
    _exit(cudaMalloc(&inner, 100));
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kInitializationError);
  EXPECT_EQ(cudaFree(at), kSuccess);
}

}  // namespace
