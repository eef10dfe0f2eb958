// One process, both interfaces: prints a line for each thing that is not as it must be.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using Pointer = unsigned long long;

template <typename... Arguments>
int call_in(const char* library, const char* name, Arguments... arguments) {
  void* handle = dlopen(library, RTLD_NOW);
  void* function = handle ? dlsym(handle, name) : nullptr;
  if (!function) printf("no %s in %s\n", name, library), exit(2);
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}
template <typename... Arguments>
int cu(const char* name, Arguments... arguments) {
  return call_in("libcuda.so.1", name, arguments...);
}
template <typename... Arguments>
int cuda(const char* name, Arguments... arguments) {
  return call_in("libcudart.so.13", name, arguments...);
}

void expect(const char* what, long long got, long long want) {
  if (got != want) printf("%s: %lld, not %lld\n", what, got, want);
}

enum {
  kInvalidValue = 1,
  kNotInitialised = 3,
  kInvalidContext = 201,
  kNoBinary = 209,
  kIllegalAddress = 700,
  kNotPermitted = 800,
  kNotSupported = 801,
  kUnknown = 999
};
enum { kInfoLog = 3, kInfoLogBytes };
enum { kToDevice = 1, kToHost = 2 };

const char kPtx[] = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry add_one(.param .u64 data) {
  .reg .b64 %d<4>; .reg .b32 %r<3>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

int launch(void* f, void* stream, Pointer data) {
  void* arguments[] = {&data};
  return cu("cuLaunchKernel", f, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, arguments, nullptr);
}

std::atomic<int> destroyed = 0;
void destroy(void* data) {
  int device = 0;
  expect("CUDA in a destructor", cuda("cudaGetDevice", &device), kNotPermitted);
  destroyed += *static_cast<int*>(data);
}
// How much of them is destroyed once the thread that does it has done what it was given.
int destroyed_after_waiting() {
  expect("cudaDeviceSynchronize", cuda("cudaDeviceSynchronize"), 0);
  return destroyed;
}

// An object lives while the program, a graph, its clone or its executable graph has a reference.
void user_objects() {
  struct {
    unsigned long long flags;
    void *stream, *node;
    int result;
  } params = {0, nullptr, &params, 5};
  int one = 1, ten = 10;
  auto data = static_cast<void*>(&one), data_10 = static_cast<void*>(&ten);
  void *object = nullptr, *second = nullptr, *graph = nullptr, *clone = nullptr, *exec = nullptr, *node = nullptr;
  expect("without the flag", cu("cuUserObjectCreate", &object, data, &destroy, 1u, 0u), kInvalidValue);
  expect("without references", cu("cuUserObjectCreate", &object, data, &destroy, 0u, 1u), kInvalidValue);
  expect("cuUserObjectCreate", cu("cuUserObjectCreate", &object, data, &destroy, 2u, 1u), 0);
  expect("cudaUserObjectCreate", cuda("cudaUserObjectCreate", &second, data_10, &destroy, 1u, 1u), 0);
  expect("cuGraphCreate", cu("cuGraphCreate", &graph, 0u), 0);
  cu("cuGraphAddEmptyNode", &node, graph, nullptr, size_t{0});
  expect("more than there are", cu("cuGraphRetainUserObject", graph, object, 3u, 1u), kInvalidValue);
  expect("moved", cu("cuGraphRetainUserObject", graph, object, 2u, 1u), 0);
  expect("cudaGraphRetainUserObject", cuda("cudaGraphRetainUserObject", graph, second, 1u, 0u), 0);
  expect("not the program's now", cu("cuUserObjectRelease", object, 1u), kInvalidValue);
  expect("retained again", cuda("cudaUserObjectRetain", object, 1u), 0);
  expect("cudaUserObjectRelease", cuda("cudaUserObjectRelease", object, 1u), 0);
  expect("cuGraphReleaseUserObject", cu("cuGraphReleaseUserObject", graph, object, 1u), 0);
  expect("the graph has one left", destroyed_after_waiting(), 0);
  expect("cuGraphInstantiateWithParams", cu("cuGraphInstantiateWithParams", &exec, graph, &params), 0);
  expect("its result", params.result, 0);
  expect("its node", params.node != nullptr, 0);
  expect("cudaGraphClone", cuda("cudaGraphClone", &clone, graph), 0);
  cu("cuGraphDestroy", graph);
  cu("cuGraphExecDestroy", exec);
  expect("the clone has one", destroyed_after_waiting(), 0);
  cu("cuGraphDestroy", clone);
  expect("the program has the second", destroyed_after_waiting(), 1);
  expect("gone", cu("cuUserObjectRetain", object, 1u), kInvalidValue);
  expect("the last", cu("cuUserObjectRelease", second, 1u), 0);
  expect("both", destroyed_after_waiting(), 11);
}

void shared() {
  void *pointer = nullptr, *context = nullptr, *again = nullptr, *module = nullptr, *f = nullptr, *stream = nullptr;
  // The runtime comes first, and leaves the primary context current; no cuInit was called.
  int device = -1;
  expect("cuCtxGetDevice too early", cu("cuCtxGetDevice", &device), kNotInitialised);
  expect("cudaSetDevice", cuda("cudaSetDevice", 0), 0);
  expect("cuCtxGetDevice", cu("cuCtxGetDevice", &device), 0);
  expect("cudaMalloc", cuda("cudaMalloc", &pointer, size_t{128}), 0);
  expect("cuCtxGetCurrent", cu("cuCtxGetCurrent", &context), 0);
  expect("a context", context != nullptr, 1);
  expect("cuDevicePrimaryCtxRetain", cu("cuDevicePrimaryCtxRetain", &again, 0), 0);
  expect("the primary one", again == context, 1);
  std::thread([] {
    void* none = nullptr;
    Pointer p = 0;
    expect("in a thread without one", cu("cuMemAlloc_v2", &p, size_t{16}), kInvalidContext);
    expect("cudaFree(0)", cuda("cudaFree", nullptr), 0);
    cu("cuCtxGetCurrent", &none);
    expect("the runtime made it current", none != nullptr, 1);
    expect("then", cu("cuMemAlloc_v2", &p, size_t{16}), 0);
    expect("cudaFree of the driver's", cuda("cudaFree", reinterpret_cast<void*>(p)), 0);
  }).join();

  auto data = reinterpret_cast<Pointer>(pointer);
  expect("cuModuleLoadData", cu("cuModuleLoadData", &module, kPtx), 0);
  expect("cuModuleGetFunction", cu("cuModuleGetFunction", &f, module, "add_one"), 0);
  expect("cudaStreamCreate", cuda("cudaStreamCreate", &stream), 0);
  int values[32] = {}, back[32] = {};
  for (int i = 0; i < 32; i++) values[i] = i;
  expect("cudaMemcpy", cuda("cudaMemcpy", pointer, static_cast<const void*>(values), sizeof values, int{kToDevice}), 0);
  expect("the runtime's memory and stream", launch(f, stream, data), 0);
  expect("cuStreamSynchronize", cu("cuStreamSynchronize", stream), 0);
  expect("cuMemcpyDtoH", cu("cuMemcpyDtoH_v2", back, data, sizeof back), 0);
  expect("element 31", back[31], 32);

  // What cuda.h calls cuCtxCreate since CUDA 13, with parameters that ask for nothing.
  struct {
    const void* affinity;
    int affinities;
    const void* graphics;
  } asks = {};
  void* other = nullptr;
  expect("cuCtxCreate_v4", cu("cuCtxCreate_v4", &other, &asks, 0u, 0), 0);
  expect("cuCtxDestroy", cu("cuCtxDestroy_v2", other), 0);
  expect("cuCtxSetCurrent", cu("cuCtxSetCurrent", context), 0);
  asks.affinity = &asks, asks.affinities = 1;
  expect("cuCtxCreate_v4 with an affinity", cu("cuCtxCreate_v4", &other, &asks, 0u, 0), kNotSupported);

  // A log that nothing is written to is empty.
  void* link = nullptr;
  char log[64] = "not written";
  int names[] = {kInfoLog, kInfoLogBytes};
  void* values_of_names[] = {log, reinterpret_cast<void*>(sizeof log)};
  expect("cuLinkCreate", cu("cuLinkCreate_v2", 2u, names, values_of_names, &link), 0);
  expect("its log", log[0], 0);
  expect("cuLinkDestroy", cu("cuLinkDestroy", link), 0);

  // A runtime's event in a driver's stream, and the other way.
  void *event = nullptr, *driver_stream = nullptr;
  cuda("cudaEventCreate", &event);
  cu("cuStreamCreate", &driver_stream, 1u);
  expect("cuEventRecord", cu("cuEventRecord", event, driver_stream), 0);
  expect("cudaStreamWaitEvent", cuda("cudaStreamWaitEvent", stream, event, 0u), 0);
  expect("cudaStreamSynchronize", cuda("cudaStreamSynchronize", driver_stream), 0);

  // The driver's kernel captured in the runtime's stream, launched by the runtime.
  void *graph = nullptr, *exec = nullptr;
  cuda("cudaStreamBeginCapture", stream, 0);
  expect("a captured launch", launch(f, stream, data), 0);
  cuda("cudaStreamEndCapture", stream, &graph);
  expect("cuGraphInstantiate", cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 0);
  expect("cudaGraphLaunch", cuda("cudaGraphLaunch", exec, stream), 0);
  expect("cuGraphLaunch", cu("cuGraphLaunch", exec, stream), 0);
  cuda("cudaMemcpy", static_cast<void*>(back), static_cast<const void*>(pointer), sizeof back, int{kToHost});
  expect("element 31", back[31], 34);

  user_objects();

  // The driver's errors are not the runtime's last one.
  expect("cuMemFree", cu("cuMemFree_v2", data + 4), kInvalidValue);
  expect("cudaGetLastError", cuda("cudaGetLastError"), 0);

  // A fault is one of the process.
  expect("the launch", launch(f, nullptr, 16), 0);
  expect("cuCtxSynchronize", cu("cuCtxSynchronize"), kIllegalAddress);
  expect("cudaDeviceSynchronize", cuda("cudaDeviceSynchronize"), kIllegalAddress);
  expect("cuMemAlloc", cu("cuMemAlloc_v2", &data, size_t{16}), kIllegalAddress);
}

// A member of a static library, as ar writes it.
std::string member(const char* name, std::string text) {
  char header[61];
  snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644u, text.size());
  if (text.size() % 2) text += '\n';
  return header + text;
}

// Of a static library, what is needed is linked, and what that needs; the rest is not even looked at.
void library() {
  const std::string head = ".version 7.0\n.target sm_50\n.address_size 64\n";
  const std::string number = "(.param .b32 out) ";
  const std::string program =
      head + ".extern .func " + number + "seven;\n" + R"(.visible .entry store(.param .u64 out) {
  .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [out];
  { .param .b32 value; call.uni (value), seven; ld.param.b32 %r, [value]; }
  st.global.u32 [%d], %r;
  ret;
}
)";
  // seven() is six() + 1, six() is in another member, and both name a function that nobody has but nobody calls: a
  // system call, and one in a member that is left out.
  const std::string seven = head + ".extern .func " + number + "six;\n.extern .func " + number +
                            "__cuda_syscall_other;\n.visible .func " + number + R"(seven() {
  .reg .b32 %r;
  { .param .b32 value; call.uni (value), six; ld.param.b32 %r, [value]; }
  add.u32 %r, %r, 1;
  st.param.b32 [out], %r;
  ret;
}
.visible .func (.param .b32 out) other() {
  .reg .b32 %r;
  { .param .b32 value; call.uni (value), __cuda_syscall_other; ld.param.b32 %r, [value]; }
  st.param.b32 [out], %r;
  ret;
}
)";
  const std::string six = head + ".visible .func " + number + "six() { st.param.b32 [out], 6; ret; }\n";
  const std::string unused = head + ".extern .func nowhere;\n.visible .func unused() { call.uni nowhere; ret; }\n";
  const std::string archive = "!<arch>\n" + member("six.ptx/", six) + member("notes.txt/", "x") +
                              member("unused.ptx/", unused) + member("seven.ptx/", seven);
  const std::string without_six = "!<arch>\n" + member("seven.ptx/", seven);

  void *context = nullptr, *link = nullptr, *linked = nullptr, *module = nullptr, *f = nullptr;
  Pointer out = 0;
  size_t bytes = 0;
  unsigned value = 0;
  cu("cuInit", 0u);
  cu("cuDevicePrimaryCtxRetain", &context, 0);
  cu("cuCtxSetCurrent", context);
  auto make = [&](const std::string& library) {
    enum { kPtxInput = 1, kLibraryInput = 4 };
    cu("cuLinkCreate_v2", 0u, nullptr, nullptr, &link);
    for (int type : {kPtxInput, kLibraryInput}) {
      const std::string& piece = type == kPtxInput ? program : library;
      expect("cuLinkAddData",
             cu("cuLinkAddData_v2", link, type, piece.data(), piece.size(), "piece", 0u, nullptr, nullptr), 0);
    }
    return cu("cuLinkComplete", link, &linked, &bytes);
  };
  expect("a library that lacks something", make(without_six), kUnknown);
  expect("the whole library", make(archive), 0);
  expect("cuModuleLoadData", cu("cuModuleLoadData", &module, linked), 0);
  expect("cuModuleGetFunction", cu("cuModuleGetFunction", &f, module, "store"), 0);
  cu("cuMemAlloc_v2", &out, sizeof value);
  expect("the launch", launch(f, nullptr, out), 0);
  expect("cuMemcpyDtoH", cu("cuMemcpyDtoH_v2", &value, out, sizeof value), 0);
  expect("what seven gives", value, 7);
}

// The device runtime's barrier across a grid needs no library: each block reads what the next one wrote before it.
void grid_barrier() {
  const char program[] = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry shift(.param .u64 data) {
  .reg .pred %p<3>; .reg .b64 %d<8>; .reg .b32 %r<12>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p1, %r3, 0;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d2, %d1, %d2;
  add.u32 %r4, %r1, 1;
  @!%p1 st.global.u32 [%d2], %r4;
  { .param .b64 handle; .param .b32 scope;
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %d3, [handle]; }
  { .param .b32 error; .param .b64 handle; .param .b32 flags;
    st.param.b64 [handle], %d3;
    st.param.b32 [flags], 0;
    call.uni (error), cudaCGSynchronize, (handle, flags);
    ld.param.b32 %r5, [error]; }
  rem.u32 %r6, %r4, %r2;
  mul.wide.u32 %d4, %r6, 4;
  add.u64 %d4, %d1, %d4;
  ld.global.u32 %r7, [%d4];
  add.u32 %r7, %r7, %r5;
  @!%p1 st.global.u32 [%d2+16], %r7;
  ret;
}
)";
  void *link = nullptr, *linked = nullptr, *module = nullptr, *f = nullptr;
  size_t bytes = 0;
  Pointer data = 0;
  unsigned values[8] = {};
  cu("cuLinkCreate_v2", 0u, nullptr, nullptr, &link);
  expect("cuLinkAddData", cu("cuLinkAddData_v2", link, 1, program, sizeof program, "shift", 0u, nullptr, nullptr), 0);
  expect("cuLinkComplete", cu("cuLinkComplete", link, &linked, &bytes), 0);
  expect("cuModuleLoadData", cu("cuModuleLoadData", &module, linked), 0);
  expect("cuModuleGetFunction", cu("cuModuleGetFunction", &f, module, "shift"), 0);
  cu("cuMemAlloc_v2", &data, sizeof values);
  void* arguments[] = {&data};
  expect("cuLaunchCooperativeKernel",
         cu("cuLaunchCooperativeKernel", f, 4u, 1u, 1u, 64u, 1u, 1u, 0u, nullptr, arguments), 0);
  expect("cuMemcpyDtoH", cu("cuMemcpyDtoH_v2", values, data, sizeof values), 0);
  for (int i = 0; i < 4; i++) expect("what the next block wrote", values[4 + i], (i + 1) % 4 + 1);
  // Without a cooperative launch there is nothing to wait with: cudaErrorUnknown, added to what is there.
  expect("cuLaunchKernel", cu("cuLaunchKernel", f, 1u, 1u, 1u, 32u, 1u, 1u, 0u, nullptr, arguments, nullptr), 0);
  expect("cuMemcpyDtoH", cu("cuMemcpyDtoH_v2", values, data, sizeof values), 0);
  expect("no cooperative launch", values[4], 1000);
}

void refused() {
  void *context = nullptr, *module = nullptr, *memory = nullptr;
  cu("cuInit", 0u);
  cu("cuDevicePrimaryCtxRetain", &context, 0);
  cu("cuCtxSetCurrent", context);
  size_t description[8] = {};
  for (int i = 0; i < 2; i++) {
    expect("cuImportExternalMemory", cu("cuImportExternalMemory", &memory, static_cast<const void*>(description)),
           kNotSupported);
  }
  // The head of an ELF file for a GPU is enough to know it.
  unsigned char cubin[128] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33};
  cubin[16] = 2;
  cubin[18] = 190;
  expect("machine code", cu("cuModuleLoadData", &module, static_cast<const void*>(cubin)), kNoBinary);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "refused")) {
    refused();
  } else if (argc > 1 && !strcmp(argv[1], "library")) {
    library();
    grid_barrier();
  } else {
    shared();
  }
}
