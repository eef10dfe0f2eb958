"""A kernel by the NVRTC that is installed beside this interpreter, asked for machine code as for PTX; then run."""
import ctypes
import pathlib
import sys
from ctypes import byref

SOURCE = b"""extern "C" __global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2 + 1;
}
"""


def done(code):
    assert code == 0, code


def compiled(nvrtc, target, kind):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    done(nvrtc.nvrtcCreateProgram(byref(program), SOURCE, b"twice.cu", 0, None, None))
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=" + target)
    done(nvrtc.nvrtcCompileProgram(program, 1, options))
    done(getattr(nvrtc, f"nvrtcGet{kind}Size")(program, byref(size)))
    image = ctypes.create_string_buffer(size.value)
    done(getattr(nvrtc, f"nvrtcGet{kind}")(program, image))
    return image


def run(cuda, image):
    module, kernel, device, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_int(100)
    done(cuda.cuModuleLoadData(byref(module), image))
    done(cuda.cuModuleGetFunction(byref(kernel), module, b"twice"))
    done(cuda.cuMemAlloc_v2(byref(device), 400))
    host = (ctypes.c_float * 100)(*range(100))
    done(cuda.cuMemcpyHtoD_v2(device, host, ctypes.c_size_t(400)))
    arguments = (ctypes.c_void_p * 2)(*(ctypes.cast(byref(a), ctypes.c_void_p) for a in (device, count)))
    done(cuda.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, None, arguments, None))
    done(cuda.cuMemcpyDtoH_v2(host, device, ctypes.c_size_t(400)))
    assert list(host) == [2 * i + 1 for i in range(100)]


library = next(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.*"))
nvrtc, cuda = ctypes.CDLL(str(library)), ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
done(cuda.cuInit(0))
done(cuda.cuDeviceGet(byref(device), 0))
done(cuda.cuCtxCreate_v2(byref(context), 0, device))
run(cuda, compiled(nvrtc, b"sm_80", "CUBIN"))
run(cuda, compiled(nvrtc, b"compute_80", "PTX"))
print("right")
