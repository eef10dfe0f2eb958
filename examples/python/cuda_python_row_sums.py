# cuda-python's bindings of NVRTC and of the driver API.
#
#     pip install cuda-bindings nvidia-cuda-nvrtc numpy
#     warplens run python3 cuda_python_row_sums.py
#
# PTX or machine code may be asked for (compute_90, sm_90); -lineinfo notes lines, and is set where it is missing.
import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""extern "C" __global__ void row_sums(const float* matrix, float* sums, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int column = 0; column < width; column++) {
    sum += matrix[row * width + column];
  }
  sums[row] = sum;
}
"""
HEIGHT, WIDTH = 256, 64


def check(returned):
    error, *values = returned
    assert int(error) == 0, error
    return values[0] if len(values) == 1 else values


def compile_to_ptx(source, name):
    program = check(nvrtc.nvrtcCreateProgram(source, name, 0, [], []))
    options = [b"--gpu-architecture=compute_90", b"-lineinfo"]
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))
module = check(driver.cuModuleLoadData(compile_to_ptx(SOURCE, b"row_sums.cu")))
kernel = check(driver.cuModuleGetFunction(module, b"row_sums"))

matrix = np.random.default_rng(1).random((HEIGHT, WIDTH), dtype=np.float32)
sums = np.empty(HEIGHT, dtype=np.float32)
matrix_on_gpu, sums_on_gpu = check(driver.cuMemAlloc(matrix.nbytes)), check(driver.cuMemAlloc(sums.nbytes))
check(driver.cuMemcpyHtoD(matrix_on_gpu, matrix.ctypes.data, matrix.nbytes))
arguments = (matrix_on_gpu, sums_on_gpu, WIDTH), (None, None, ctypes.c_int)
check(driver.cuLaunchKernel(kernel, HEIGHT // 128, 1, 1, 128, 1, 1, 0, 0, arguments, 0))
check(driver.cuMemcpyDtoH(sums.ctypes.data, sums_on_gpu, sums.nbytes))
check(driver.cuMemFree(matrix_on_gpu))
check(driver.cuMemFree(sums_on_gpu))
assert np.allclose(sums, matrix.sum(axis=1), rtol=1e-5)
print("right")
