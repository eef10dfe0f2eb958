// A program that compiles its kernel when it runs, with NVIDIA's NVRTC, which needs no GPU.
//
//     c++ -o nvrtc nvrtc.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -L/usr/local/cuda/lib64/stubs -lnvrtc -lcuda
//     warplens run ./nvrtc
//
// It asks for machine code, as programs do; under Warplens it gets PTX, with line information: the lines are those of the
// text below, under the name "scale.cu".
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static const char kSource[] = R"(
extern "C" __global__ void scale(float* data, float factor, int stride, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) data[i] *= factor;
}
)";

static void check(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s failed\n", what);
  exit(1);
}
#define CU(call) check((call) == CUDA_SUCCESS, #call)
#define RTC(call) check((call) == NVRTC_SUCCESS, #call)

static std::string compile() {
  nvrtcProgram program;
  RTC(nvrtcCreateProgram(&program, kSource, "scale.cu", 0, nullptr, nullptr));
  const char* options[] = {"--gpu-architecture=sm_80"};
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) {
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, 0);
    nvrtcGetProgramLog(program, log.data());
    fprintf(stderr, "%s\n", log.c_str());
    exit(1);
  }
  size_t bytes = 0;
  RTC(nvrtcGetCUBINSize(program, &bytes));
  std::string code(bytes, 0);
  RTC(nvrtcGetCUBIN(program, code.data()));
  RTC(nvrtcDestroyProgram(&program));
  return code;
}

int main() {
  std::string ptx = compile();
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CU(cuInit(0));
  CU(cuDeviceGet(&device, 0));
  CU(cuDevicePrimaryCtxRetain(&context, device));
  CU(cuCtxSetCurrent(context));
  CU(cuModuleLoadData(&module, ptx.c_str()));
  CU(cuModuleGetFunction(&scale, module, "scale"));

  int n = 1 << 16, stride = 4;
  float factor = 2;
  std::vector<float> data(n, 1.0f);
  CUdeviceptr memory;
  CU(cuMemAlloc(&memory, n * sizeof(float)));
  CU(cuMemcpyHtoD(memory, data.data(), n * sizeof(float)));
  void* arguments[] = {&memory, &factor, &stride, &n};
  CU(cuLaunchKernel(scale, n / stride / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  CU(cuMemcpyDtoH(data.data(), memory, n * sizeof(float)));
  for (int i = 0; i < n; i++) check(data[i] == (i % stride ? 1.0f : 2.0f), "the result");
  printf("%d elements are right\n", n);
  CU(cuMemFree(memory));
  CU(cuModuleUnload(module));
  CU(cuDevicePrimaryCtxRelease(device));
}
