// A program for the driver API alone: its kernel is PTX text, given to cuModuleLoadData.
//
//     c++ -o vector_add vector_add.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64/stubs -lcuda
//     warplens run ./vector_add
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static const char kPtx[] = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p ret;
  mul.wide.u32 %d4, %r5, 4;
  add.u64 %d5, %d1, %d4;
  add.u64 %d6, %d2, %d4;
  add.u64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d7], %f3;
  ret;
}
)";

static void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(result, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main() {
  constexpr unsigned kCount = 1 << 20;
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (unsigned i = 0; i < kCount; i++) a[i] = i, b[i] = 2 * i;

  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&add, module, "add"));

  CUdeviceptr da, db, dc;
  size_t bytes = kCount * sizeof(float);
  CHECK(cuMemAlloc(&da, bytes));
  CHECK(cuMemAlloc(&db, bytes));
  CHECK(cuMemAlloc(&dc, bytes));
  CHECK(cuMemcpyHtoD(da, a.data(), bytes));
  CHECK(cuMemcpyHtoD(db, b.data(), bytes));
  unsigned n = kCount;
  void* arguments[] = {&da, &db, &dc, &n};
  CHECK(cuLaunchKernel(add, (kCount + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(c.data(), dc, bytes));
  for (unsigned i = 0; i < kCount; i++) {
    if (c[i] != 3.0f * i) return printf("wrong at %u: %g\n", i, c[i]), 1;
  }
  printf("%u sums are right\n", kCount);
  CHECK(cuMemFree(da));
  CHECK(cuMemFree(db));
  CHECK(cuMemFree(dc));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
