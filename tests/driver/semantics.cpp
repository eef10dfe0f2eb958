// Asks libcuda.so.1 one thing after another and prints its answers, one a line; nothing but their codes and facts that
// do not depend on the run. What an H200 printed is semantics.h200.txt. Built by any C++ compiler: functions are called
// by name.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Pointer = unsigned long long;

void* library() {
  static void* handle = dlopen("libcuda.so.1", RTLD_NOW);
  if (!handle) fprintf(stderr, "%s\n", dlerror()), exit(2);
  return handle;
}

template <typename... Arguments>
int cu(const char* name, Arguments... arguments) {
  void* function = dlsym(library(), name);
  if (!function) return -1;
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

const char* name_of(int result) {
  const char* name = nullptr;
  if (result == -1) return "no such function";
  cu("cuGetErrorName", result, &name);
  return name ? name : "(unknown)";
}

void line(const char* what, int result) { printf("%s: %s\n", what, name_of(result)); }
void line(const char* what, int result, long long value) { printf("%s: %s, %lld\n", what, name_of(result), value); }
// The call comes before the value that it writes.
#define say(...) WL_SAY(__VA_ARGS__, WL_SAY_VALUE, WL_SAY_CODE)(__VA_ARGS__)
#define WL_SAY(what, call, value, pick, ...) pick
#define WL_SAY_CODE(what, call) line(what, call)
#define WL_SAY_VALUE(what, call, value) \
  do {                                  \
    int result_ = call;                 \
    line(what, result_, value);         \
  } while (0)
void section(const char* title) { printf("== %s\n", title); }

#define PTX_HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"
const char kPtx[] = PTX_HEAD R"(
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry store(.param .u64 out, .param .u32 value) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [value];
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry nothing() { ret; }
.visible .entry bounded() .maxntid 64, 1, 1 { ret; }
.visible .entry hungry() {
  .shared .align 4 .b8 space[1024]; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  st.shared.u32 [space], %r1;
  ret;
}
.visible .entry trapped() { trap; }
)";
const char kBroken[] = PTX_HEAD ".visible .entry f() {\n  not an instruction at all;\n  ret\n}\n";
const char kCaller[] = PTX_HEAD R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry calls(.param .u64 out) {
  .reg .b64 %d<2>; .reg .b32 %r<2>; .param .b32 x; .param .b32 r;
  ld.param.u64 %d1, [out];
  st.param.b32 [x], 21;
  call (r), twice, (x);
  ld.param.b32 %r1, [r];
  st.global.u32 [%d1], %r1;
  ret;
}
)";
const char kCallee[] = PTX_HEAD R"(
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  shl.b32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
}
)";
const char kTooNew[] = ".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry f() { ret; }\n";

void* context;
void* module;

void* function(const char* name) {
  void* f = nullptr;
  cu("cuModuleGetFunction", &f, module, name);
  return f;
}

int launch(void* f, unsigned grid, unsigned block, unsigned shared, void* stream, void** arguments,
           void** extra = nullptr) {
  return cu("cuLaunchKernel", f, grid, 1u, 1u, block, 1u, 1u, shared, stream, arguments, extra);
}
Pointer allocate(size_t bytes) {
  Pointer out = 0;
  cu("cuMemAlloc_v2", &out, bytes);
  return out;
}

// Before anything else.
void before_init() {
  section("before cuInit");
  int count = 0, version = 0;
  void* p = nullptr;
  Pointer memory = 0;
  say("cuDeviceGetCount", cu("cuDeviceGetCount", &count));
  say("cuCtxGetCurrent", cu("cuCtxGetCurrent", &p));
  say("cuMemAlloc", cu("cuMemAlloc_v2", &memory, size_t{16}));
  say("cuDevicePrimaryCtxRetain", cu("cuDevicePrimaryCtxRetain", &p, 0));
  say("cuDriverGetVersion", cu("cuDriverGetVersion", &version));
  say("cuGetProcAddress", cu("cuGetProcAddress_v2", "cuInit", &p, 12000, 0ull, nullptr));
  say("cuInit(1)", cu("cuInit", 1u));
  say("cuInit(0)", cu("cuInit", 0u));
  say("cuInit(0) again", cu("cuInit", 0u));
}

void devices() {
  section("devices");
  int device = -1, value = 0;
  char text[256] = {};
  size_t bytes = 0;
  say("cuDeviceGet(0)", cu("cuDeviceGet", &device, 0), device);
  say("cuDeviceGet(99)", cu("cuDeviceGet", &device, 99));
  say("cuDeviceGet(-1)", cu("cuDeviceGet", &device, -1));
  say("cuDeviceGet(null)", cu("cuDeviceGet", nullptr, 0));
  say("cuDeviceGetName", cu("cuDeviceGetName", text, 256, 0), static_cast<long long>(strlen(text)));
  say("cuDeviceGetName, little room", cu("cuDeviceGetName", text, 4, 0), static_cast<long long>(strlen(text)));
  say("cuDeviceGetName(99)", cu("cuDeviceGetName", text, 256, 99));
  say("cuDeviceTotalMem(null)", cu("cuDeviceTotalMem_v2", nullptr, 0));
  say("cuDeviceTotalMem(99)", cu("cuDeviceTotalMem_v2", &bytes, 99));
  say("cuDeviceGetAttribute(10)", cu("cuDeviceGetAttribute", &value, 10, 0), value);
  say("cuDeviceGetAttribute(9999)", cu("cuDeviceGetAttribute", &value, 9999, 0));
  say("cuDeviceGetAttribute(0)", cu("cuDeviceGetAttribute", &value, 0, 0));
  say("cuDeviceGetAttribute of device 99", cu("cuDeviceGetAttribute", &value, 10, 99));
}

void contexts() {
  section("contexts");
  void *p = nullptr, *other = nullptr, *third = nullptr;
  unsigned flags = 7, version = 0;
  int active = 7, device = 7;
  Pointer memory = 0;
  size_t limit = 0;
  say("without one: cuMemAlloc", cu("cuMemAlloc_v2", &memory, size_t{16}));
  say("without one: cuCtxGetDevice", cu("cuCtxGetDevice", &device));
  say("without one: cuCtxSynchronize", cu("cuCtxSynchronize"));
  say("without one: cuCtxGetCurrent", cu("cuCtxGetCurrent", &p), p == nullptr);
  say("without one: cuCtxPopCurrent", cu("cuCtxPopCurrent_v2", &p));
  say("without one: cuModuleLoadData", cu("cuModuleLoadData", &p, kPtx));
  say("without one: cuStreamSynchronize(0)", cu("cuStreamSynchronize", nullptr));
  say("cuDevicePrimaryCtxGetState", cu("cuDevicePrimaryCtxGetState", 0, &flags, &active), flags * 10 + active);
  say("cuDevicePrimaryCtxRelease, not retained", cu("cuDevicePrimaryCtxRelease_v2", 0));
  say("cuDevicePrimaryCtxSetFlags", cu("cuDevicePrimaryCtxSetFlags_v2", 0, 4u));
  say("cuDevicePrimaryCtxRetain", cu("cuDevicePrimaryCtxRetain", &context, 0));
  say("cuDevicePrimaryCtxRetain again", cu("cuDevicePrimaryCtxRetain", &p, 0), p == context);
  say("cuDevicePrimaryCtxRetain(99)", cu("cuDevicePrimaryCtxRetain", &p, 99));
  say("cuDevicePrimaryCtxRetain(null)", cu("cuDevicePrimaryCtxRetain", nullptr, 0));
  say("cuDevicePrimaryCtxGetState", cu("cuDevicePrimaryCtxGetState", 0, &flags, &active), flags * 10 + active);
  say("it is not current yet", cu("cuCtxGetCurrent", &p), p == nullptr);
  say("cuCtxSetCurrent", cu("cuCtxSetCurrent", context));
  say("cuCtxGetCurrent", cu("cuCtxGetCurrent", &p), p == context);
  say("cuCtxGetCurrent(null)", cu("cuCtxGetCurrent", nullptr));
  say("cuCtxGetDevice", cu("cuCtxGetDevice", &device), device);
  say("cuCtxGetDevice(null)", cu("cuCtxGetDevice", nullptr));
  say("cuCtxGetFlags", cu("cuCtxGetFlags", &flags), flags);
  say("cuCtxGetApiVersion", cu("cuCtxGetApiVersion", context, &version), version);
  say("cuCtxGetApiVersion of the current", cu("cuCtxGetApiVersion", nullptr, &version), version);
  say("cuCtxDestroy of the primary", cu("cuCtxDestroy_v2", context));
  say("cuCtxDestroy(null)", cu("cuCtxDestroy_v2", nullptr));
  say("cuCtxCreate", cu("cuCtxCreate_v2", &other, 0u, 0));
  say("it is current", cu("cuCtxGetCurrent", &p), p == other);
  say("cuCtxCreate, wrong flags", cu("cuCtxCreate_v2", &third, 0x10000u, 0));
  say("cuCtxCreate, wrong device", cu("cuCtxCreate_v2", &third, 0u, 99));
  say("cuCtxCreate(null)", cu("cuCtxCreate_v2", nullptr, 0u, 0));
  say("cuCtxPushCurrent", cu("cuCtxPushCurrent_v2", context));
  say("cuCtxPopCurrent", cu("cuCtxPopCurrent_v2", &p), p == context);
  say("the one below", cu("cuCtxGetCurrent", &p), p == other);
  say("cuMemAlloc in it", cu("cuMemAlloc_v2", &memory, size_t{1024}));
  std::thread([&] {
    void* q = &q;
    say("another thread has none", cu("cuCtxGetCurrent", &q), q == nullptr);
    say("it takes the first", cu("cuCtxSetCurrent", other));
  }).join();
  say("cuCtxDestroy", cu("cuCtxDestroy_v2", other));
  say("the one below it is current", cu("cuCtxGetCurrent", &p), p == context);
  say("cuMemFree of what was in it", cu("cuMemFree_v2", memory));
  say("cuCtxPopCurrent", cu("cuCtxPopCurrent_v2", &p), p == context);
  say("none is left", cu("cuCtxGetCurrent", &p), p == nullptr);
  say("cuCtxSetCurrent(null)", cu("cuCtxSetCurrent", nullptr));
  say("cuCtxPushCurrent(null)", cu("cuCtxPushCurrent_v2", nullptr));
  cu("cuCtxSetCurrent", context);
  say("cuCtxGetLimit(99)", cu("cuCtxGetLimit", &limit, 99));
  say("cuCtxSetLimit(99)", cu("cuCtxSetLimit", 99, size_t{1}));
  say("cuCtxGetLimit(null)", cu("cuCtxGetLimit", nullptr, 0));
  say("cuCtxGetLimit of the stack", cu("cuCtxGetLimit", &limit, 0), static_cast<long long>(limit));
  say("cuCtxSetFlags", cu("cuCtxSetFlags", 1u));
  say("cuCtxEnablePeerAccess to itself", cu("cuCtxEnablePeerAccess", context, 0u));
  say("cuCtxEnablePeerAccess(null)", cu("cuCtxEnablePeerAccess", nullptr, 0u));
}

void modules() {
  section("modules");
  void *m = nullptr, *f = nullptr, *same = nullptr;
  Pointer address = 0;
  size_t bytes = 0;
  int mode = 0, value = 0;
  unsigned count = 0;
  say("cuModuleLoadData", cu("cuModuleLoadData", &module, kPtx));
  say("cuModuleLoadData(null)", cu("cuModuleLoadData", &m, nullptr));
  say("cuModuleLoadData into null", cu("cuModuleLoadData", nullptr, kPtx));
  say("cuModuleLoadData, not PTX", cu("cuModuleLoadData", &m, "this is no PTX at all"));
  say("cuModuleLoadData, empty", cu("cuModuleLoadData", &m, ""));
  say("cuModuleLoadData, wrong PTX", cu("cuModuleLoadData", &m, kBroken));
  say("cuModuleLoadData, a version to come", cu("cuModuleLoadData", &m, kTooNew));
  say("cuModuleLoadData, a function missing", cu("cuModuleLoadData", &m, kCaller));
  say("cuModuleLoad, no file", cu("cuModuleLoad", &m, "/no/such/file.ptx"));
  say("cuModuleLoad(null)", cu("cuModuleLoad", &m, nullptr));
  say("cuModuleGetLoadingMode", cu("cuModuleGetLoadingMode", &mode));
  say("cuModuleGetFunction", cu("cuModuleGetFunction", &f, module, "store"));
  say("cuModuleGetFunction again", cu("cuModuleGetFunction", &same, module, "store"), f == same);
  say("cuModuleGetFunction of none", cu("cuModuleGetFunction", &f, module, "missing"));
  say("cuModuleGetFunction of a variable", cu("cuModuleGetFunction", &f, module, "counter"));
  say("cuModuleGetFunction(\"\")", cu("cuModuleGetFunction", &f, module, ""));
  say("cuModuleGetFunction(null)", cu("cuModuleGetFunction", &f, module, nullptr));
  say("cuModuleGetFunction into null", cu("cuModuleGetFunction", nullptr, module, "store"));
  say("cuModuleGetFunction of no module", cu("cuModuleGetFunction", &f, nullptr, "store"));
  say("cuModuleGetFunctionCount", cu("cuModuleGetFunctionCount", &count, module), count);
  say("cuModuleGetGlobal", cu("cuModuleGetGlobal_v2", &address, &bytes, module, "counter"),
      static_cast<long long>(bytes));
  cu("cuMemcpyDtoH_v2", &value, address, size_t{4});
  say("its value", 0, value);
  say("cuModuleGetGlobal of a constant", cu("cuModuleGetGlobal_v2", &address, &bytes, module, "table"),
      static_cast<long long>(bytes));
  say("cuModuleGetGlobal of none", cu("cuModuleGetGlobal_v2", &address, &bytes, module, "missing"));
  say("cuModuleGetGlobal of a kernel", cu("cuModuleGetGlobal_v2", &address, &bytes, module, "store"));
  say("cuModuleGetGlobal, its address alone", cu("cuModuleGetGlobal_v2", &address, nullptr, module, "counter"));
  say("cuModuleGetGlobal, its size alone", cu("cuModuleGetGlobal_v2", nullptr, &bytes, module, "counter"));
  say("cuModuleGetGlobal, nothing", cu("cuModuleGetGlobal_v2", nullptr, nullptr, module, "counter"));
  cu("cuModuleLoadData", &m, kPtx);
  say("cuModuleUnload", cu("cuModuleUnload", m));
  say("cuModuleUnload(null)", cu("cuModuleUnload", nullptr));
}

void options() {
  section("options");
  void* m = nullptr;
  char log[512] = {}, info[512] = {};
  enum { kInfo = 3, kInfoBytes, kError, kErrorBytes, kLevel };
  int names[] = {kInfo, kInfoBytes, kError, kErrorBytes, kLevel};
  void* values[] = {info, reinterpret_cast<void*>(512), log, reinterpret_cast<void*>(512), reinterpret_cast<void*>(3)};
  say("good PTX", cu("cuModuleLoadDataEx", &m, kPtx, 5u, names, values));
  say("bytes of errors", 0, reinterpret_cast<long long>(values[3]));
  cu("cuModuleUnload", m);
  values[1] = values[3] = reinterpret_cast<void*>(512);
  say("wrong PTX", cu("cuModuleLoadDataEx", &m, kBroken, 5u, names, values));
  auto written = reinterpret_cast<size_t>(values[3]);
  say("bytes of errors are those of the text, with its NUL", 0, written == strlen(log) + 1);
  say("bytes of errors are those of the text", 0, written == strlen(log));
  say("it names a line", 0, strstr(log, "5") != nullptr);
  memset(log, 'x', sizeof log);
  values[3] = reinterpret_cast<void*>(8);
  say("wrong PTX, little room", cu("cuModuleLoadDataEx", &m, kBroken, 5u, names, values));
  say("bytes written", 0, reinterpret_cast<long long>(values[3]));
  say("it ends in NUL", 0, log[7] == 0);
  int unknown[] = {999};
  say("an option that is none", cu("cuModuleLoadDataEx", &m, kPtx, 1u, unknown, values));
  say("no arrays", cu("cuModuleLoadDataEx", &m, kPtx, 1u, nullptr, nullptr));
}

void links() {
  section("links");
  void *link = nullptr, *image = nullptr, *m = nullptr, *f = nullptr;
  size_t bytes = 0;
  enum { kPtxType = 1 };
  auto add = [&](const char* text, const char* name) {
    return cu("cuLinkAddData_v2", link, kPtxType, const_cast<char*>(text), strlen(text) + 1, name, 0u, nullptr,
              nullptr);
  };
  say("cuLinkCreate", cu("cuLinkCreate_v2", 0u, nullptr, nullptr, &link));
  say("cuLinkAddData", add(kCaller, "caller.ptx"));
  say("cuLinkAddData", add(kCallee, "callee.ptx"));
  say("cuLinkAddFile, none", cu("cuLinkAddFile_v2", link, kPtxType, "/no/such/file.ptx", 0u, nullptr, nullptr));
  say("cuLinkComplete", cu("cuLinkComplete", link, &image, &bytes), bytes > 0);
  say("cuModuleLoadData of it", cu("cuModuleLoadData", &m, image));
  say("cuLinkDestroy", cu("cuLinkDestroy", link));
  say("its kernel", cu("cuModuleGetFunction", &f, m, "calls"));
  Pointer out = allocate(4);
  void* arguments[] = {&out};
  int value = 0;
  say("it runs", launch(f, 1, 1, 0, nullptr, arguments));
  say("and calls", cu("cuMemcpyDtoH_v2", &value, out, size_t{4}), value);
  cu("cuLinkCreate_v2", 0u, nullptr, nullptr, &link);
  say("cuLinkAddData, wrong PTX", add(kBroken, "broken.ptx"));
  cu("cuLinkDestroy", link);
  cu("cuLinkCreate_v2", 0u, nullptr, nullptr, &link);
  say("cuLinkAddData", add(kCaller, "caller.ptx"));
  say("cuLinkComplete, a function missing", cu("cuLinkComplete", link, &image, &bytes));
  cu("cuLinkDestroy", link);
  say("cuLinkCreate into null", cu("cuLinkCreate_v2", 0u, nullptr, nullptr, nullptr));
}

void libraries() {
  section("libraries");
  void *library = nullptr, *kernel = nullptr, *f = nullptr, *m = nullptr, *back = nullptr;
  unsigned count = 0;
  size_t offset = 0, bytes = 0;
  Pointer address = 0;
  const char* name = nullptr;
  int value = 0;
  say("cuLibraryLoadData", cu("cuLibraryLoadData", &library, kPtx, nullptr, nullptr, 0u, nullptr, nullptr, 0u));
  say("cuLibraryGetKernel", cu("cuLibraryGetKernel", &kernel, library, "store"));
  say("cuLibraryGetKernel of none", cu("cuLibraryGetKernel", &f, library, "missing"));
  say("cuLibraryGetKernelCount", cu("cuLibraryGetKernelCount", &count, library), count);
  say("cuLibraryGetModule", cu("cuLibraryGetModule", &m, library), m != nullptr);
  say("cuLibraryGetGlobal", cu("cuLibraryGetGlobal", &address, &bytes, library, "counter"),
      static_cast<long long>(bytes));
  say("cuLibraryGetGlobal of none", cu("cuLibraryGetGlobal", &address, &bytes, library, "missing"));
  say("cuKernelGetFunction", cu("cuKernelGetFunction", &f, kernel), f != nullptr);
  say("cuKernelGetName", cu("cuKernelGetName", &name, kernel), name && !strcmp(name, "store"));
  say("cuKernelGetLibrary", cu("cuKernelGetLibrary", &back, kernel), back == library);
  say("cuKernelGetParamInfo", cu("cuKernelGetParamInfo", kernel, size_t{1}, &offset, &bytes),
      static_cast<long long>(offset * 100 + bytes));
  say("cuKernelGetParamInfo past the last", cu("cuKernelGetParamInfo", kernel, size_t{2}, &offset, &bytes));
  say("cuKernelGetAttribute", cu("cuKernelGetAttribute", &value, 0, kernel, 0), value);
  Pointer out = allocate(4);
  int number = 5;
  void* arguments[] = {&out, &number};
  say("launching the kernel", launch(kernel, 1, 1, 0, nullptr, arguments));
  say("launching its function", launch(f, 1, 1, 0, nullptr, arguments));
  say("cuLibraryUnload", cu("cuLibraryUnload", library));
  say("cuLibraryLoadFromFile, none",
      cu("cuLibraryLoadFromFile", &library, "/no/such", nullptr, nullptr, 0u, nullptr, nullptr, 0u));
}

void functions() {
  section("functions");
  int value = 0, grid = 0, block = 0;
  void *f = function("store"), *m = nullptr;
  const char* name = nullptr;
  size_t offset = 0, bytes = 0;
  say("cuFuncGetAttribute, threads", cu("cuFuncGetAttribute", &value, 0, f), value);
  say("... of bounded", cu("cuFuncGetAttribute", &value, 0, function("bounded")), value);
  say("... shared bytes", cu("cuFuncGetAttribute", &value, 1, function("hungry")), value);
  say("... constant bytes", cu("cuFuncGetAttribute", &value, 2, f));
  say("... local bytes", cu("cuFuncGetAttribute", &value, 3, f), value);
  say("... PTX version", cu("cuFuncGetAttribute", &value, 5, f), value);
  say("... binary version", cu("cuFuncGetAttribute", &value, 6, f), value);
  say("... dynamic shared bytes", cu("cuFuncGetAttribute", &value, 8, f), value);
  say("... 99", cu("cuFuncGetAttribute", &value, 99, f));
  say("... of null", cu("cuFuncGetAttribute", &value, 0, nullptr));
  say("... into null", cu("cuFuncGetAttribute", nullptr, 0, f));
  say("cuFuncSetAttribute, dynamic shared bytes", cu("cuFuncSetAttribute", f, 8, 100 << 10));
  say("... too many", cu("cuFuncSetAttribute", f, 8, 1 << 20));
  say("... threads", cu("cuFuncSetAttribute", f, 0, 64));
  say("... 99", cu("cuFuncSetAttribute", f, 99, 1));
  say("... carveout", cu("cuFuncSetAttribute", f, 9, 50));
  say("... carveout 101", cu("cuFuncSetAttribute", f, 9, 101));
  say("cuFuncSetCacheConfig", cu("cuFuncSetCacheConfig", f, 1));
  say("cuFuncSetCacheConfig(9)", cu("cuFuncSetCacheConfig", f, 9));
  say("cuFuncGetModule", cu("cuFuncGetModule", &m, f), m == module);
  say("cuFuncGetName", cu("cuFuncGetName", &name, f), name && !strcmp(name, "store"));
  say("cuFuncGetParamInfo", cu("cuFuncGetParamInfo", f, size_t{1}, &offset, &bytes),
      static_cast<long long>(offset * 100 + bytes));
  say("cuOccupancyMaxActiveBlocksPerMultiprocessor",
      cu("cuOccupancyMaxActiveBlocksPerMultiprocessor", &value, function("nothing"), 128, size_t{0}), value);
  say("... of 0 threads", cu("cuOccupancyMaxActiveBlocksPerMultiprocessor", &value, function("nothing"), 0, size_t{0}));
  say("... of 2000 threads",
      cu("cuOccupancyMaxActiveBlocksPerMultiprocessor", &value, function("nothing"), 2000, size_t{0}), value);
  say("cuOccupancyMaxPotentialBlockSize",
      cu("cuOccupancyMaxPotentialBlockSize", &grid, &block, function("nothing"), nullptr, size_t{0}, 0),
      grid * 10000 + block);
  say("... limited",
      cu("cuOccupancyMaxPotentialBlockSize", &grid, &block, function("nothing"), nullptr, size_t{0}, 100),
      grid * 10000 + block);
  say("... into null",
      cu("cuOccupancyMaxPotentialBlockSize", nullptr, &block, function("nothing"), nullptr, size_t{0}, 0));
}

void launches() {
  section("launches");
  void *store = function("store"), *nothing = function("nothing");
  Pointer out = allocate(4);
  int number = 42, value = 0;
  void* arguments[] = {&out, &number};
  say("a launch", launch(store, 1, 32, 0, nullptr, arguments));
  say("its result", cu("cuMemcpyDtoH_v2", &value, out, size_t{4}), value);
  struct {
    Pointer out;
    int number;
  } buffer = {out, 43};
  size_t bytes = 12;
  void* extra[] = {reinterpret_cast<void*>(1), &buffer, reinterpret_cast<void*>(2), &bytes, nullptr};
  say("with a buffer", launch(store, 1, 32, 0, nullptr, nullptr, extra));
  say("its result", cu("cuMemcpyDtoH_v2", &value, out, size_t{4}), value);
  bytes = 16;
  say("with a buffer that is too large", launch(store, 1, 32, 0, nullptr, nullptr, extra));
  bytes = 12;
  say("with both", launch(store, 1, 32, 0, nullptr, arguments, extra));
  say("without arguments", launch(store, 1, 32, 0, nullptr, nullptr));
  say("without arguments, where there are none", launch(nothing, 1, 32, 0, nullptr, nullptr));
  say("of null", launch(nullptr, 1, 32, 0, nullptr, nullptr));
  say("grid 0", launch(nothing, 0, 32, 0, nullptr, nullptr));
  say("block 0", launch(nothing, 1, 0, 0, nullptr, nullptr));
  say("block 1025", launch(nothing, 1, 1025, 0, nullptr, nullptr));
  say("grid y 65536", cu("cuLaunchKernel", nothing, 1u, 65536u, 1u, 32u, 1u, 1u, 0u, nullptr, nullptr, nullptr));
  say("block z 65", cu("cuLaunchKernel", nothing, 1u, 1u, 1u, 1u, 1u, 65u, 0u, nullptr, nullptr, nullptr));
  say("65 threads of bounded", launch(function("bounded"), 1, 65, 0, nullptr, nullptr));
  say("48 KiB of shared memory", launch(nothing, 1, 32, 48 << 10, nullptr, nullptr));
  say("49 KiB of shared memory", launch(nothing, 1, 32, 49 << 10, nullptr, nullptr));
  say("48 KiB beside the kernel's own", launch(function("hungry"), 1, 32, 48 << 10, nullptr, nullptr));
  cu("cuFuncSetAttribute", nothing, 8, 100 << 10);
  say("100 KiB once allowed", launch(nothing, 1, 32, 100 << 10, nullptr, nullptr));
  say("in the legacy stream", launch(nothing, 1, 32, 0, reinterpret_cast<void*>(1), nullptr));
  say("in the thread's stream", launch(nothing, 1, 32, 0, reinterpret_cast<void*>(2), nullptr));
  say("cooperative", cu("cuLaunchCooperativeKernel", nothing, 4u, 1u, 1u, 32u, 1u, 1u, 0u, nullptr, nullptr));
  say("cooperative, too many blocks",
      cu("cuLaunchCooperativeKernel", nothing, 1000000u, 1u, 1u, 32u, 1u, 1u, 0u, nullptr, nullptr));
  struct {
    unsigned grid[3], block[3], shared;
    void *stream, *attributes;
    unsigned count;
  } config = {{1, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr, 0};
  say("cuLaunchKernelEx", cu("cuLaunchKernelEx", &config, nothing, nullptr, nullptr));
  say("cuLaunchKernelEx(null)", cu("cuLaunchKernelEx", nullptr, nothing, nullptr, nullptr));
  say("cuCtxSynchronize", cu("cuCtxSynchronize"));
}

void memory() {
  section("memory");
  Pointer p = 0, base = 0;
  size_t bytes = 0, pitch = 0;
  void* host = nullptr;
  unsigned flags = 0;
  char buffer[64] = {};
  say("cuMemAlloc(0)", cu("cuMemAlloc_v2", &p, size_t{0}));
  say("cuMemAlloc into null", cu("cuMemAlloc_v2", nullptr, size_t{16}));
  say("cuMemAlloc, too much", cu("cuMemAlloc_v2", &p, size_t{1} << 50));
  say("cuMemFree(0)", cu("cuMemFree_v2", Pointer{0}));
  p = allocate(1000);
  say("it is aligned to 512", 0, p % 512 == 0);
  say("cuMemFree inside", cu("cuMemFree_v2", p + 16));
  say("cuMemGetAddressRange", cu("cuMemGetAddressRange_v2", &base, &bytes, p + 100),
      static_cast<long long>(base == p ? bytes : 0));
  say("cuMemGetAddressRange of nothing", cu("cuMemGetAddressRange_v2", &base, &bytes, Pointer{16}));
  say("cuMemGetAddressRange of host memory",
      cu("cuMemGetAddressRange_v2", &base, &bytes, reinterpret_cast<Pointer>(buffer)));
  say("cuMemcpyHtoD", cu("cuMemcpyHtoD_v2", p, buffer, size_t{64}));
  say("cuMemcpyHtoD of 0 bytes", cu("cuMemcpyHtoD_v2", p, buffer, size_t{0}));
  say("cuMemcpyHtoD to null", cu("cuMemcpyHtoD_v2", Pointer{0}, buffer, size_t{64}));
  say("cuMemcpyHtoD from null", cu("cuMemcpyHtoD_v2", p, nullptr, size_t{64}));
  say("cuMemcpyHtoD past the end", cu("cuMemcpyHtoD_v2", p + 990, buffer, size_t{64}));
  say("cuMemcpyDtoH", cu("cuMemcpyDtoH_v2", buffer, p, size_t{64}));
  say("cuMemcpyDtoH from host memory", cu("cuMemcpyDtoH_v2", buffer, reinterpret_cast<Pointer>(buffer), size_t{8}));
  say("cuMemcpyDtoD", cu("cuMemcpyDtoD_v2", p + 512, p, size_t{64}));
  say("cuMemcpy host to device", cu("cuMemcpy", p, reinterpret_cast<Pointer>(buffer), size_t{64}));
  say("cuMemcpyHtoDAsync", cu("cuMemcpyHtoDAsync_v2", p, buffer, size_t{64}, nullptr));
  say("cuMemsetD8", cu("cuMemsetD8_v2", p, static_cast<unsigned char>(1), size_t{100}));
  say("cuMemsetD16, odd", cu("cuMemsetD16_v2", p + 1, static_cast<unsigned short>(1), size_t{10}));
  say("cuMemsetD32, odd", cu("cuMemsetD32_v2", p + 2, 1u, size_t{10}));
  say("cuMemsetD32", cu("cuMemsetD32_v2", p, 0x01020304u, size_t{10}));
  say("cuMemsetD32 of none", cu("cuMemsetD32_v2", p, 1u, size_t{0}));
  say("cuMemsetD32 to null", cu("cuMemsetD32_v2", Pointer{0}, 1u, size_t{1}));
  say("cuMemsetD8 past the end", cu("cuMemsetD8_v2", p, static_cast<unsigned char>(1), size_t{1 << 20}));
  say("cuMemsetD2D8", cu("cuMemsetD2D8_v2", p, size_t{100}, static_cast<unsigned char>(1), size_t{10}, size_t{4}));
  say("cuMemsetD2D8, pitch too small",
      cu("cuMemsetD2D8_v2", p, size_t{5}, static_cast<unsigned char>(1), size_t{10}, size_t{4}));
  say("cuMemFree", cu("cuMemFree_v2", p));
  say("cuMemFree twice", cu("cuMemFree_v2", p));
  say("cuMemAllocPitch", cu("cuMemAllocPitch_v2", &p, &pitch, size_t{100}, size_t{10}, 4u),
      static_cast<long long>(pitch));
  cu("cuMemFree_v2", p);
  say("cuMemAllocPitch, elements of 3", cu("cuMemAllocPitch_v2", &p, &pitch, size_t{100}, size_t{10}, 3u));
  say("cuMemAllocPitch, no rows", cu("cuMemAllocPitch_v2", &p, &pitch, size_t{100}, size_t{0}, 4u));
  say("cuMemAllocManaged", cu("cuMemAllocManaged", &p, size_t{100}, 1u));
  cu("cuMemFree_v2", p);
  say("cuMemAllocManaged, no flags", cu("cuMemAllocManaged", &p, size_t{100}, 0u));
  say("cuMemAllocManaged(0)", cu("cuMemAllocManaged", &p, size_t{0}, 1u));
  say("cuMemHostAlloc", cu("cuMemHostAlloc", &host, size_t{100}, 0u));
  say("cuMemHostGetDevicePointer", cu("cuMemHostGetDevicePointer_v2", &p, host, 0u),
      p == reinterpret_cast<Pointer>(host));
  say("cuMemHostGetDevicePointer, flags", cu("cuMemHostGetDevicePointer_v2", &p, host, 1u));
  say("cuMemHostGetFlags", cu("cuMemHostGetFlags", &flags, host), flags);
  say("cuMemFreeHost", cu("cuMemFreeHost", host));
  say("cuMemFreeHost(null)", cu("cuMemFreeHost", nullptr));
  say("cuMemFreeHost of others", cu("cuMemFreeHost", buffer));
  say("cuMemHostAlloc, wrong flags", cu("cuMemHostAlloc", &host, size_t{100}, 64u));
  say("cuMemAllocHost(0)", cu("cuMemAllocHost_v2", &host, size_t{0}));
  void* own = aligned_alloc(4096, 8192);
  say("cuMemHostRegister", cu("cuMemHostRegister_v2", own, size_t{8192}, 0u));
  say("cuMemHostRegister again", cu("cuMemHostRegister_v2", own, size_t{4096}, 0u));
  say("cuMemHostUnregister", cu("cuMemHostUnregister", own));
  say("cuMemHostUnregister again", cu("cuMemHostUnregister", own));
  say("cuMemHostRegister(null)", cu("cuMemHostRegister_v2", nullptr, size_t{8192}, 0u));
  say("cuMemHostRegister of 0 bytes", cu("cuMemHostRegister_v2", own, size_t{0}, 0u));
  free(own);
  say("cuMemGetInfo", cu("cuMemGetInfo_v2", &bytes, &pitch), bytes <= pitch);
}

struct Copy2D {
  size_t source_x = 0, source_y = 0;
  unsigned source_type = 1;
  const void* source_host = nullptr;
  Pointer source_device = 0;
  void* source_array = nullptr;
  size_t source_pitch = 0;
  size_t target_x = 0, target_y = 0;
  unsigned target_type = 2;
  void* target_host = nullptr;
  Pointer target_device = 0;
  void* target_array = nullptr;
  size_t target_pitch = 0;
  size_t width = 0, height = 0;
};

void copies() {
  section("copies of rectangles");
  std::vector<unsigned char> host(4096), back(4096);
  for (size_t i = 0; i < host.size(); i++) host[i] = static_cast<unsigned char>(i * 7);
  Pointer device = 0;
  size_t pitch = 0;
  cu("cuMemAllocPitch_v2", &device, &pitch, size_t{100}, size_t{16}, 4u);
  Copy2D in;
  in.source_host = host.data();
  in.source_pitch = 128;
  in.source_x = 3;
  in.source_y = 2;
  in.target_device = device;
  in.target_pitch = pitch;
  in.target_x = 5;
  in.target_y = 1;
  in.width = 80;
  in.height = 10;
  say("host to device", cu("cuMemcpy2D_v2", &in));
  Copy2D out;
  out.source_type = 2;
  out.source_device = device;
  out.source_pitch = pitch;
  out.source_x = 5;
  out.source_y = 1;
  out.target_type = 1;
  out.target_host = back.data();
  out.target_pitch = 80;
  out.width = 80;
  out.height = 10;
  say("device to host", cu("cuMemcpy2D_v2", &out));
  bool same = true;
  for (size_t y = 0; y < 10; y++) same &= !memcmp(&back[y * 80], &host[(y + 2) * 128 + 3], 80);
  say("they are the same", 0, same);
  out.target_pitch = 79;
  say("pitch too small", cu("cuMemcpy2D_v2", &out));
  out.target_pitch = 0;
  say("no pitch", cu("cuMemcpy2D_v2", &out));
  out.height = 1;
  say("no pitch, one row", cu("cuMemcpy2D_v2", &out));
  out.target_pitch = 80;
  out.width = 0;
  say("no width", cu("cuMemcpy2D_v2", &out));
  out.width = 80;
  out.height = 0;
  say("no height", cu("cuMemcpy2D_v2", &out));
  out.height = 10;
  out.target_type = 9;
  say("no such kind of memory", cu("cuMemcpy2D_v2", &out));
  out.target_type = 1;
  out.source_device = 0;
  say("from null", cu("cuMemcpy2D_v2", &out));
  out.source_device = device;
  out.height = 100;
  out.target_host = nullptr;
  say("to null", cu("cuMemcpy2D_v2", &out));
  out.target_host = back.data();
  out.height = 40;
  say("past the end", cu("cuMemcpy2D_v2", &out));
  say("of null", cu("cuMemcpy2D_v2", nullptr));
  cu("cuMemFree_v2", device);
}

void pointers() {
  section("pointers");
  Pointer device = allocate(100), managed = 0, value = 0;
  void *host = nullptr, *p = nullptr;
  char local = 0;
  cu("cuMemAllocManaged", &managed, size_t{100}, 1u);
  cu("cuMemHostAlloc", &host, size_t{100}, 0u);
  struct {
    const char* name;
    Pointer address;
  } all[] = {{"device", device + 8},
             {"managed", managed},
             {"pinned", reinterpret_cast<Pointer>(host)},
             {"unknown", reinterpret_cast<Pointer>(&local)}};
  for (auto [name, address] : all) {
    printf("%s:\n", name);
    unsigned type = 0;
    int ordinal = 77, is = 0;
    size_t bytes = 0;
    say("  context", cu("cuPointerGetAttribute", &p, 1, address), p == context);
    say("  kind of memory", cu("cuPointerGetAttribute", &type, 2, address), type);
    value = 0;
    say("  device pointer", cu("cuPointerGetAttribute", &value, 3, address), value == address);
    value = 0;
    say("  host pointer", cu("cuPointerGetAttribute", &value, 4, address), value == address);
    say("  managed", cu("cuPointerGetAttribute", &is, 8, address), is & 1);
    say("  device", cu("cuPointerGetAttribute", &ordinal, 9, address), ordinal);
    say("  start", cu("cuPointerGetAttribute", &value, 11, address));
    say("  size", cu("cuPointerGetAttribute", &bytes, 12, address), static_cast<long long>(bytes));
    say("  mapped", cu("cuPointerGetAttribute", &is, 13, address), is & 1);
    say("  sync", cu("cuPointerGetAttribute", &is, 6, address));
    int attributes[] = {2, 9, 8};
    type = 55, ordinal = 55, is = 0;
    void* places[] = {&type, &ordinal, &is};
    say("  several", cu("cuPointerGetAttributes", 3u, attributes, places, address), type * 100 + (ordinal & 15));
  }
  say("attribute 99", cu("cuPointerGetAttribute", &value, 99, device));
  say("attribute 0", cu("cuPointerGetAttribute", &value, 0, device));
  say("into null", cu("cuPointerGetAttribute", nullptr, 2, device));
  cu("cuMemFree_v2", device);
  cu("cuMemFree_v2", managed);
  cu("cuMemFreeHost", host);
}

void streams() {
  section("streams and events");
  void *stream = nullptr, *event = nullptr, *untimed = nullptr, *p = nullptr;
  unsigned flags = 0;
  int priority = 0, low = 9, high = 9;
  float milliseconds = -1;
  unsigned long long id = 0;
  say("cuStreamCreate", cu("cuStreamCreate", &stream, 1u));
  say("cuStreamCreate, wrong flags", cu("cuStreamCreate", &p, 2u));
  say("cuStreamCreate into null", cu("cuStreamCreate", nullptr, 0u));
  say("cuCtxGetStreamPriorityRange", cu("cuCtxGetStreamPriorityRange", &low, &high), low * 100 - high);
  say("cuStreamGetFlags", cu("cuStreamGetFlags", stream, &flags), flags);
  say("cuStreamGetFlags of 0", cu("cuStreamGetFlags", nullptr, &flags), flags);
  say("cuStreamGetPriority", cu("cuStreamGetPriority", stream, &priority), priority);
  say("cuStreamGetPriority into null", cu("cuStreamGetPriority", stream, nullptr));
  say("cuStreamGetCtx", cu("cuStreamGetCtx", stream, &p), p == context);
  say("cuStreamGetId", cu("cuStreamGetId", stream, &id), id != 0);
  say("cuStreamQuery", cu("cuStreamQuery", stream));
  say("cuStreamSynchronize", cu("cuStreamSynchronize", stream));
  say("cuEventCreate", cu("cuEventCreate", &event, 0u));
  say("cuEventCreate, untimed", cu("cuEventCreate", &untimed, 2u));
  say("cuEventCreate, wrong flags", cu("cuEventCreate", &p, 64u));
  say("cuEventQuery, not recorded", cu("cuEventQuery", event));
  say("cuEventElapsedTime, not recorded", cu("cuEventElapsedTime_v2", &milliseconds, event, event));
  say("cuEventRecord", cu("cuEventRecord", event, stream));
  say("cuEventSynchronize", cu("cuEventSynchronize", event));
  say("cuEventElapsedTime", cu("cuEventElapsedTime_v2", &milliseconds, event, event),
      static_cast<long long>(milliseconds));
  say("cuEventElapsedTime, untimed", cu("cuEventElapsedTime_v2", &milliseconds, event, untimed));
  say("cuEventElapsedTime(null)", cu("cuEventElapsedTime_v2", nullptr, event, event));
  say("cuStreamWaitEvent", cu("cuStreamWaitEvent", stream, event, 0u));
  say("cuStreamWaitEvent, none", cu("cuStreamWaitEvent", stream, nullptr, 0u));
  say("cuEventRecord(null)", cu("cuEventRecord", nullptr, stream));
  say("cuEventDestroy", cu("cuEventDestroy_v2", event));
  say("cuEventDestroy(null)", cu("cuEventDestroy_v2", nullptr));
  static int calls = 0;
  say("cuLaunchHostFunc",
      cu("cuLaunchHostFunc", stream, static_cast<void (*)(void*)>([](void* n) { ++*static_cast<int*>(n); }), &calls));
  say("cuStreamAddCallback",
      cu("cuStreamAddCallback", stream,
         static_cast<void (*)(void*, int, void*)>([](void*, int s, void* n) { *static_cast<int*>(n) += 10 + s; }),
         &calls, 0u));
  cu("cuStreamSynchronize", stream);
  say("they were called", 0, calls);
  say("cuLaunchHostFunc(null)", cu("cuLaunchHostFunc", stream, nullptr, nullptr));
  say("cuStreamDestroy", cu("cuStreamDestroy_v2", stream));
  say("cuStreamDestroy(0)", cu("cuStreamDestroy_v2", nullptr));
}

void captures() {
  section("capture and graphs");
  void *stream = nullptr, *graph = nullptr, *exec = nullptr, *node = nullptr;
  int status = 7;
  size_t count = 0;
  cu("cuStreamCreate", &stream, 1u);
  Pointer out = allocate(4);
  int number = 11, value = 0;
  void* arguments[] = {&out, &number};
  say("cuStreamBeginCapture of 0", cu("cuStreamBeginCapture_v2", nullptr, 0));
  say("cuStreamEndCapture, none", cu("cuStreamEndCapture", stream, &graph));
  say("cuStreamBeginCapture", cu("cuStreamBeginCapture_v2", stream, 0));
  say("cuStreamBeginCapture again", cu("cuStreamBeginCapture_v2", stream, 0));
  say("cuStreamIsCapturing", cu("cuStreamIsCapturing", stream, &status), status);
  say("a launch", launch(function("store"), 1, 1, 0, stream, arguments));
  say("cuMemsetD32Async", cu("cuMemsetD32Async", out, 1u, size_t{0}, stream));
  say("cuStreamEndCapture", cu("cuStreamEndCapture", stream, &graph));
  say("cuGraphGetNodes", cu("cuGraphGetNodes", graph, nullptr, &count), count > 0);
  say("cuGraphInstantiate", cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull));
  number = 12;
  cu("cuMemsetD32_v2", out, 0u, size_t{1});
  say("cuGraphLaunch", cu("cuGraphLaunch", exec, stream));
  cu("cuStreamSynchronize", stream);
  cu("cuMemcpyDtoH_v2", &value, out, size_t{4});
  say("it stored what was captured", 0, value);
  say("cuGraphExecDestroy", cu("cuGraphExecDestroy", exec));
  say("cuGraphDestroy", cu("cuGraphDestroy", graph));
  say("cuGraphCreate", cu("cuGraphCreate", &graph, 0u));
  say("cuGraphCreate, flags", cu("cuGraphCreate", &node, 1u));
  struct {
    void* function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
    void *kernel, *context;
  } params = {function("store"), {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
  say("cuGraphAddKernelNode", cu("cuGraphAddKernelNode_v2", &node, graph, nullptr, size_t{0}, &params));
  int type = 9;
  say("cuGraphNodeGetType", cu("cuGraphNodeGetType", node, &type), type);
  say("cuGraphInstantiate", cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull));
  number = 13;
  say("cuGraphExecKernelNodeSetParams", cu("cuGraphExecKernelNodeSetParams_v2", exec, node, &params));
  say("cuGraphLaunch", cu("cuGraphLaunch", exec, stream));
  cu("cuStreamSynchronize", stream);
  cu("cuMemcpyDtoH_v2", &value, out, size_t{4});
  say("it stored the new argument", 0, value);
  cu("cuStreamDestroy_v2", stream);
}

void pools() {
  section("stream-ordered memory");
  void *pool = nullptr, *current = nullptr;
  Pointer p = 0;
  unsigned long long value = 9;
  say("cuDeviceGetDefaultMemPool", cu("cuDeviceGetDefaultMemPool", &pool, 0));
  say("cuDeviceGetMemPool", cu("cuDeviceGetMemPool", &current, 0), pool == current);
  say("cuDeviceGetMemPool(99)", cu("cuDeviceGetMemPool", &current, 99));
  say("cuMemAllocAsync", cu("cuMemAllocAsync", &p, size_t{100}, nullptr));
  say("cuMemFreeAsync", cu("cuMemFreeAsync", p, nullptr));
  say("cuMemFreeAsync(0)", cu("cuMemFreeAsync", Pointer{0}, nullptr));
  say("cuMemAllocAsync(0)", cu("cuMemAllocAsync", &p, size_t{0}, nullptr));
  say("cuMemAllocFromPoolAsync", cu("cuMemAllocFromPoolAsync", &p, size_t{100}, pool, nullptr));
  say("cuMemFree of it", cu("cuMemFree_v2", p));
  say("cuMemPoolGetAttribute, threshold", cu("cuMemPoolGetAttribute", pool, 4, &value), static_cast<long long>(value));
  value = 1 << 20;
  say("cuMemPoolSetAttribute, threshold", cu("cuMemPoolSetAttribute", pool, 4, &value));
  say("cuMemPoolGetAttribute, threshold", cu("cuMemPoolGetAttribute", pool, 4, &value), static_cast<long long>(value));
  say("cuMemPoolGetAttribute(99)", cu("cuMemPoolGetAttribute", pool, 99, &value));
  say("cuMemPoolTrimTo", cu("cuMemPoolTrimTo", pool, size_t{0}));
  say("cuMemPoolDestroy of the default", cu("cuMemPoolDestroy", pool));
}

struct Properties {
  int type = 1, handles = 0, location_type = 1, location = 0;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};
struct Access {
  int location_type = 1, location = 0, flags = 3;
};

void virtual_memory() {
  section("virtual memory");
  Properties properties;
  Access access;
  size_t granularity = 0;
  Pointer address = 0, second = 0;
  unsigned long long handle = 0, flags = 0, retained = 0;
  int value = 0;
  say("cuMemGetAllocationGranularity", cu("cuMemGetAllocationGranularity", &granularity, &properties, 0),
      static_cast<long long>(granularity));
  say("cuMemGetAllocationGranularity, recommended", cu("cuMemGetAllocationGranularity", &granularity, &properties, 1),
      static_cast<long long>(granularity));
  size_t bytes = 2 << 20;
  say("cuMemAddressReserve", cu("cuMemAddressReserve", &address, 2 * bytes, size_t{0}, Pointer{0}, 0ull));
  say("cuMemAddressReserve of an odd size",
      cu("cuMemAddressReserve", &second, size_t{100}, size_t{0}, Pointer{0}, 0ull));
  say("cuMemAddressReserve of 0", cu("cuMemAddressReserve", &second, size_t{0}, size_t{0}, Pointer{0}, 0ull));
  say("cuMemCreate", cu("cuMemCreate", &handle, bytes, &properties, 0ull));
  say("cuMemCreate of an odd size", cu("cuMemCreate", &retained, size_t{100}, &properties, 0ull));
  say("cuMemCreate, no such type", [&] {
    Properties wrong;
    wrong.type = 7;
    return cu("cuMemCreate", &retained, bytes, &wrong, 0ull);
  }());
  say("cuMemMap", cu("cuMemMap", address, bytes, size_t{0}, handle, 0ull));
  say("cuMemMap again", cu("cuMemMap", address, bytes, size_t{0}, handle, 0ull));
  say("cuMemMap, offset", cu("cuMemMap", address + bytes, bytes, size_t{4096}, handle, 0ull));
  say("cuMemSetAccess", cu("cuMemSetAccess", address, bytes, &access, size_t{1}));
  say("cuMemSetAccess where nothing is", cu("cuMemSetAccess", address + bytes, bytes, &access, size_t{1}));
  say("cuMemsetD32", cu("cuMemsetD32_v2", address, 77u, size_t{100}));
  say("cuMemMap a second time", cu("cuMemMap", address + bytes, bytes, size_t{0}, handle, 0ull));
  say("cuMemSetAccess", cu("cuMemSetAccess", address + bytes, bytes, &access, size_t{1}));
  say("the same memory", cu("cuMemcpyDtoH_v2", &value, address + bytes + 4, size_t{4}), value);
  say("a copy over both", cu("cuMemcpyDtoD_v2", address + bytes - 64, address, size_t{128}));
  say("cuMemGetAccess", cu("cuMemGetAccess", &flags, &access, address), static_cast<long long>(flags));
  say("cuMemRetainAllocationHandle", cu("cuMemRetainAllocationHandle", &retained, reinterpret_cast<void*>(address)),
      retained == handle);
  say("cuMemRelease", cu("cuMemRelease", retained));
  say("cuMemRelease", cu("cuMemRelease", handle));
  say("cuMemFree of it", cu("cuMemFree_v2", address));
  say("cuMemUnmap of a part", cu("cuMemUnmap", address, size_t{4096}));
  say("cuMemUnmap", cu("cuMemUnmap", address, bytes));
  say("cuMemUnmap again", cu("cuMemUnmap", address, bytes));
  say("cuMemAddressFree, still mapped", cu("cuMemAddressFree", address, 2 * bytes));
  say("cuMemUnmap", cu("cuMemUnmap", address + bytes, bytes));
  say("cuMemAddressFree of another size", cu("cuMemAddressFree", address, bytes));
  say("cuMemAddressFree", cu("cuMemAddressFree", address, 2 * bytes));
}

void entry_points() {
  section("entry points");
  void *p = nullptr, *old = nullptr, *table = nullptr;
  int status = 9;
  say("cuMemAlloc of 12.0", cu("cuGetProcAddress_v2", "cuMemAlloc", &p, 12000, 0ull, &status), status);
  say("cuMemAlloc of 2.0", cu("cuGetProcAddress_v2", "cuMemAlloc", &old, 2000, 0ull, &status), status);
  say("they differ", 0, p != old);
  say("cuMemAlloc_v2", cu("cuGetProcAddress_v2", "cuMemAlloc_v2", &p, 12000, 0ull, &status), status);
  say("no such function", cu("cuGetProcAddress_v2", "cuNoSuchThing", &p, 12000, 0ull, &status), status);
  say("no such function, not asked", cu("cuGetProcAddress_v2", "cuNoSuchThing", &p, 12000, 0ull, nullptr));
  say("of a later version", cu("cuGetProcAddress_v2", "cuLibraryLoadData", &p, 11000, 0ull, &status), status);
  say("of a later version, not asked", cu("cuGetProcAddress_v2", "cuLibraryLoadData", &p, 11000, 0ull, nullptr));
  say("per thread", cu("cuGetProcAddress_v2", "cuLaunchKernel", &p, 12000, 2ull, &status), status);
  say("wrong flags", cu("cuGetProcAddress_v2", "cuInit", &p, 12000, 64ull, &status));
  say("the old form", cu("cuGetProcAddress", "cuInit", &p, 11030, 0ull));
  say("the old form, no such function", cu("cuGetProcAddress", "cuNoSuchThing", &p, 11030, 0ull));
  (void)table;
}

void errors() {
  section("errors");
  for (int code = 0; code < 1000; code++) {
    const char *name = nullptr, *text = nullptr;
    if (cu("cuGetErrorName", code, &name) != 0) continue;
    cu("cuGetErrorString", code, &text);
    printf("%d %s: %s\n", code, name, text ? text : "(null)");
  }
  const char* name = "x";
  int result = cu("cuGetErrorName", 12345, &name);
  printf("12345: %d, %s\n", result, name ? name : "(null)");
}

void start() {
  cu("cuInit", 0u);
  cu("cuDevicePrimaryCtxRetain", &context, 0);
  cu("cuCtxSetCurrent", context);
  cu("cuModuleLoadData", &module, kPtx);
}

void after_fault(int synchronised) {
  Pointer p = 0;
  void *stream = nullptr, *current = nullptr, *m = nullptr;
  int value = 0;
  say("cuCtxSynchronize", synchronised);
  say("cuCtxSynchronize again", cu("cuCtxSynchronize"));
  say("cuMemAlloc", cu("cuMemAlloc_v2", &p, size_t{16}));
  say("cuLaunchKernel", launch(function("nothing"), 1, 1, 0, nullptr, nullptr));
  say("cuStreamCreate", cu("cuStreamCreate", &stream, 0u));
  say("cuStreamQuery", cu("cuStreamQuery", nullptr));
  say("cuModuleLoadData", cu("cuModuleLoadData", &m, kPtx));
  say("cuModuleGetFunction", cu("cuModuleGetFunction", &stream, module, "nothing"));
  say("cuCtxGetCurrent", cu("cuCtxGetCurrent", &current), current == context);
  say("cuDeviceGetAttribute", cu("cuDeviceGetAttribute", &value, 10, 0), value);
  say("cuMemFree(0)", cu("cuMemFree_v2", Pointer{0}));
  say("cuModuleUnload", cu("cuModuleUnload", module));
  say("cuDevicePrimaryCtxReset", cu("cuDevicePrimaryCtxReset_v2", 0));
}

void faults() {
  void* store = function("store");
  Pointer bad = 16;
  int number = 1;
  void* arguments[] = {&bad, &number};
  section("after an illegal address");
  say("the launch", launch(store, 1, 1, 0, nullptr, arguments));
  after_fault(cu("cuCtxSynchronize"));
}

void traps() {
  section("after a trap");
  say("the launch", launch(function("trapped"), 1, 1, 0, nullptr, nullptr));
  after_fault(cu("cuCtxSynchronize"));
}

void released() {
  section("after the primary context's release");
  void *p = nullptr, *again = nullptr;
  Pointer memory = allocate(100);
  unsigned flags = 0;
  int active = 7;
  say("cuDevicePrimaryCtxRelease", cu("cuDevicePrimaryCtxRelease_v2", 0));
  say("cuDevicePrimaryCtxGetState", cu("cuDevicePrimaryCtxGetState", 0, &flags, &active), active);
  say("cuCtxGetCurrent", cu("cuCtxGetCurrent", &p), p == context);
  say("cuMemAlloc", cu("cuMemAlloc_v2", &memory, size_t{16}));
  say("cuCtxSynchronize", cu("cuCtxSynchronize"));
  say("cuDevicePrimaryCtxRelease again", cu("cuDevicePrimaryCtxRelease_v2", 0));
  say("cuDevicePrimaryCtxRetain", cu("cuDevicePrimaryCtxRetain", &again, 0), again == context);
  say("cuCtxSetCurrent", cu("cuCtxSetCurrent", again));
  say("cuMemAlloc", cu("cuMemAlloc_v2", &memory, size_t{16}));
  say("cuDevicePrimaryCtxReset", cu("cuDevicePrimaryCtxReset_v2", 0));
  say("cuCtxGetCurrent", cu("cuCtxGetCurrent", &p), p == again);
  say("cuMemAlloc", cu("cuMemAlloc_v2", &memory, size_t{16}));
  say("cuDevicePrimaryCtxGetState", cu("cuDevicePrimaryCtxGetState", 0, &flags, &active), active);
}

// What leaves a process unusable runs in one of its own.
void apart(const char* self, const char* part) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, part, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("(ended with %d)\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

}  // namespace

int main(int argc, char** argv) {
  const std::pair<const char*, void (*)()> parts[] = {
      {"modules", modules},        {"options", options},      {"links", links},
      {"libraries", libraries},    {"functions", functions},  {"launches", launches},
      {"memory", memory},          {"copies", copies},        {"pointers", pointers},
      {"streams", streams},        {"captures", captures},    {"pools", pools},
      {"virtual", virtual_memory}, {"entries", entry_points}, {"errors", errors},
      {"faults", faults},          {"traps", traps},          {"released", released}};
  if (argc > 1) {
    start();
    for (auto [name, run] : parts) {
      if (!strcmp(name, argv[1])) run();
    }
    return 0;
  }
  before_init();
  devices();
  contexts();
  for (auto [name, run] : parts) apart(argv[0], name);
}
