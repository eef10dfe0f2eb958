// Code that is loaded through the runtime, and the driver's functions by name. Prints what is not as documented.
#include <cuda_runtime.h>
#include <stdio.h>

static const char kPtx[] = R"(.version 7.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry bump(.param .u64 out) {
  .reg .b64 %d<3>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [out];
  mov.u64 %d2, counter;
  ld.global.u32 %r1, [%d2];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%d2], %r1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

#define EXPECT(...)                                                 \
  do {                                                              \
    if (!(__VA_ARGS__)) printf("%d: " #__VA_ARGS__ "\n", __LINE__); \
  } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

int main() {
  cudaLibrary_t library;
  cudaKernel_t kernel, listed[2] = {};
  OK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&kernel, library, "bump"));
  EXPECT(cudaLibraryGetKernel(&listed[0], library, "nothing") == cudaErrorSymbolNotFound);
  unsigned count = 0;
  OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT(count == 1);
  OK(cudaLibraryEnumerateKernels(listed, 1, library));
  EXPECT(listed[0] == kernel);
  int *counter = nullptr, *out = nullptr, value = 0;
  size_t bytes = 0;
  OK(cudaLibraryGetGlobal((void**)&counter, &bytes, library, "counter"));
  EXPECT(bytes == 4);
  OK(cudaMalloc(&out, 4));
  void* arguments[] = {&out};
  OK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(1), arguments, 0, 0));
  OK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
  EXPECT(value == 8);
  OK(cudaMemcpy(&value, counter, 4, cudaMemcpyDeviceToHost));
  EXPECT(value == 8);
  OK(cudaLibraryUnload(library));
  EXPECT(cudaLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0) ==
         cudaErrorFileNotFound);

  void* function = nullptr;
  cudaDriverEntryPointQueryResult status;
  OK(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &function, 12000, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointSuccess);
  int devices = 0;
  if (function) EXPECT(((int (*)(int*))function)(&devices) == 0 && devices == 1);
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 12000, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointSymbolNotFound && !function);
  OK(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &function, 11000, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointVersionNotSufficent);
  EXPECT(cudaGetDriverEntryPointByVersion(nullptr, &function, 12000, cudaEnableDefault, &status) ==
         cudaErrorInvalidValue);
  return 0;
}
