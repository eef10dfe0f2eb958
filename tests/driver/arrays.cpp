// Arrays and graphs of the driver API, one line an answer. tests/driver/arrays.h200.txt holds what an H200 with driver
// 580 printed; Warplens must print the same. Functions are called by name, so any C++ compiler builds it.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Pointer = unsigned long long;

template <typename... Arguments>
int cu(const char* name, Arguments... arguments) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* function = library ? dlsym(library, name) : nullptr;
  return function ? reinterpret_cast<int (*)(Arguments...)>(function)(arguments...) : -1;
}
void say(const char* what, int result) {
  const char* name = nullptr;
  cu("cuGetErrorName", result, &name);
  printf("%s: %s\n", what, name ? name : "(unknown)");
}
void show(const char* what, long long value) { printf("  %s: %lld\n", what, value); }

struct Descriptor {
  size_t width, height;
  int format;
  unsigned channels;
};
struct Descriptor3D {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct Copy3D {
  size_t source_x, source_y, source_z, source_lod;
  int source_type;
  const void* source_host;
  Pointer source_device;
  void* source_array;
  void* reserved0;
  size_t source_pitch, source_height;
  size_t target_x, target_y, target_z, target_lod;
  int target_type;
  void* target_host;
  Pointer target_device;
  void* target_array;
  void* reserved1;
  size_t target_pitch, target_height;
  size_t width, height, depth;
};
struct KernelNode {
  void* function;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  void *kernel, *context;
};
constexpr int kHost = 1, kDevice = 2, kArray = 3, kFloat = 0x20, kByte = 1;

void descriptors() {
  void* a = nullptr;
  Descriptor d{8, 4, kFloat, 4};
  say("create", cu("cuArrayCreate_v2", &a, &d));
  Descriptor got{};
  say("describe", cu("cuArrayGetDescriptor_v2", &got, a));
  show("width", static_cast<long long>(got.width));
  show("format", got.format);
  show("channels", got.channels);
  Descriptor3D got3{};
  say("describe in 3D", cu("cuArray3DGetDescriptor_v2", &got3, a));
  show("depth", static_cast<long long>(got3.depth));
  show("flags", got3.flags);
  say("destroy", cu("cuArrayDestroy", a));
  d.channels = 3;
  say("three channels", cu("cuArrayCreate_v2", &a, &d));
  d = {8, 4, 0x77, 1};
  say("no such format", cu("cuArrayCreate_v2", &a, &d));
  d = {0, 4, kFloat, 1};
  say("no width", cu("cuArrayCreate_v2", &a, &d));
  say("no array", cu("cuArrayCreate_v2", static_cast<void**>(nullptr), &d));
  Descriptor3D d3{5, 4, 3, kByte, 2, 0};
  say("create in 3D", cu("cuArray3DCreate_v2", &a, &d3));
  say("describe in 3D", cu("cuArray3DGetDescriptor_v2", &got3, a));
  show("depth", static_cast<long long>(got3.depth));
  say("destroy", cu("cuArrayDestroy", a));
}

void copies() {
  void *a = nullptr, *b = nullptr;
  Descriptor d{8, 4, kFloat, 1};
  cu("cuArrayCreate_v2", &a, &d);
  cu("cuArrayCreate_v2", &b, &d);
  float in[32], out[32] = {};
  for (int i = 0; i < 32; i++) in[i] = static_cast<float>(i);
  Copy3D c{};
  c.source_type = kHost;
  c.source_host = in;
  c.source_pitch = 32;
  c.target_type = kArray;
  c.target_array = a;
  c.width = 32, c.height = 4, c.depth = 1;
  say("host to array", cu("cuMemcpy3D_v2", &c));
  c.width = 32, c.target_x = 4;
  say("past the row", cu("cuMemcpy3D_v2", &c));
  c.target_x = 0, c.target_y = 1;
  say("past the last row", cu("cuMemcpy3D_v2", &c));
  say("array to array", cu("cuMemcpyAtoA_v2", b, size_t{4}, a, size_t{8}, size_t{16}));
  say("array to host", cu("cuMemcpyAtoH_v2", static_cast<void*>(out), b, size_t{4}, size_t{16}));
  show("out[3]", static_cast<long long>(out[3]));
  say("host to array", cu("cuMemcpyHtoA_v2", b, size_t{0}, static_cast<const void*>(in + 20), size_t{16}));
  Pointer device = 0;
  cu("cuMemAlloc_v2", &device, size_t{128});
  say("array to device", cu("cuMemcpyAtoD_v2", device, b, size_t{0}, size_t{16}));
  say("device to array", cu("cuMemcpyDtoA_v2", a, size_t{16}, device, size_t{16}));
  say("array to host", cu("cuMemcpyAtoH_v2", static_cast<void*>(out), a, size_t{16}, size_t{16}));
  show("out[0]", static_cast<long long>(out[0]));
  say("past the row", cu("cuMemcpyAtoH_v2", static_cast<void*>(out), a, size_t{24}, size_t{16}));
  Copy3D back{};
  back.source_type = kArray;
  back.source_array = a;
  back.source_x = 8, back.source_y = 1;
  back.target_type = kDevice;
  back.target_device = device;
  back.target_pitch = 16;
  back.width = 16, back.height = 2, back.depth = 1;
  say("array to device", cu("cuMemcpy3D_v2", &back));
  cu("cuMemcpyDtoH_v2", static_cast<void*>(out), device, size_t{32});
  show("out[7]", static_cast<long long>(out[7]));
  say("destroy", cu("cuArrayDestroy", a));
  say("destroy", cu("cuArrayDestroy", b));
}

void levels() {
  void *m = nullptr, *level = nullptr;
  Descriptor3D d{8, 4, 0, kFloat, 1, 0}, got{};
  say("mipmapped", cu("cuMipmappedArrayCreate", &m, &d, 3u));
  say("level 2", cu("cuMipmappedArrayGetLevel", &level, m, 2u));
  say("its descriptor", cu("cuArray3DGetDescriptor_v2", &got, level));
  show("width", static_cast<long long>(got.width));
  say("level 3", cu("cuMipmappedArrayGetLevel", &level, m, 3u));
  say("destroy", cu("cuMipmappedArrayDestroy", m));
}

const char kPtx[] = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 value) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [value];
  st.global.u32 [%d1], %r1;
  ret;
}
)";

void graphs() {
  void *module = nullptr, *store = nullptr, *graph = nullptr, *node = nullptr, *copy_node = nullptr, *exec = nullptr;
  cu("cuModuleLoadData", &module, static_cast<const void*>(kPtx));
  cu("cuModuleGetFunction", &store, module, "store");
  Pointer data = 0;
  unsigned value = 7, out = 0;
  cu("cuMemAlloc_v2", &data, size_t{64});
  void* arguments[] = {&data, &value};
  say("graph", cu("cuGraphCreate", &graph, 0u));
  // CUgraphNodeParams: a type, three words, 232 bytes of a union, eight more.
  struct {
    int type = 0, reserved[3] = {};
    KernelNode kernel{};
    char rest[232 - sizeof(KernelNode)] = {};
    long long last = 0;
  } any;
  any.kernel = {store, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
  say("any node", cu("cuGraphAddNode_v2", &node, graph, static_cast<void*>(nullptr), static_cast<void*>(nullptr),
                     size_t{0}, static_cast<void*>(&any)));
  KernelNode got{};
  say("its parameters", cu("cuGraphKernelNodeGetParams_v2", node, &got));
  show("the function", got.function == store);
  show("block", got.block[0]);
  if (got.arguments) show("value", *static_cast<unsigned*>(got.arguments[1]));
  Copy3D c{};
  c.source_type = kDevice;
  c.source_device = data;
  c.source_pitch = 4;
  c.target_type = kHost;
  c.target_host = &out;
  c.target_pitch = 4;
  c.width = 4, c.height = 1, c.depth = 1;
  void* context = nullptr;
  cu("cuCtxGetCurrent", &context);
  say("a copy", cu("cuGraphAddMemcpyNode", &copy_node, graph, static_cast<void*>(&node), size_t{1},
                   static_cast<void*>(&c), context));
  Copy3D c2{};
  say("its parameters", cu("cuGraphMemcpyNodeGetParams", copy_node, &c2));
  show("width", static_cast<long long>(c2.width));
  show("types", c2.source_type * 10 + c2.target_type);
  show("addresses", c2.source_device == data && c2.target_host == &out);
  say("instantiate", cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull));
  say("launch", cu("cuGraphLaunch", exec, static_cast<void*>(nullptr)));
  say("wait", cu("cuCtxSynchronize"));
  show("out", out);
  value = 12;
  say("other parameters", cu("cuGraphExecNodeSetParams", exec, node, static_cast<void*>(&any)));
  say("launch", cu("cuGraphLaunch", exec, static_cast<void*>(nullptr)));
  say("wait", cu("cuCtxSynchronize"));
  show("out", out);
  size_t n = 0;
  say("edges", cu("cuGraphGetEdges", graph, static_cast<void*>(nullptr), static_cast<void*>(nullptr), &n));
  show("n", static_cast<long long>(n));
  void* object = nullptr;
  static int ended = 0;
  void (*destroy)(void*) = [](void* what) { ++*static_cast<int*>(what); };
  say("object", cu("cuUserObjectCreate", &object, static_cast<void*>(&ended), destroy, 1u, 1u));
  say("retain", cu("cuGraphRetainUserObject", graph, object, 1u, 1u));
  say("destroy the node", cu("cuGraphDestroyNode", copy_node));
  say("destroy", cu("cuGraphDestroy", graph));
  say("destroy", cu("cuGraphExecDestroy", exec));
}

}  // namespace

int main() {
  void* context = nullptr;
  cu("cuInit", 0u);
  cu("cuDevicePrimaryCtxRetain", &context, 0);
  cu("cuCtxSetCurrent", context);
  descriptors();
  copies();
  levels();
  graphs();
  return 0;
}
