# Triton, without PyTorch: memory comes from the driver API itself.
#
#     pip install triton numpy
#     warplens run python3 triton_add.py
#
# `warplens run` sets TRITON_PTXAS_PATH, Triton's own variable, to a ptxas that keeps PTX instead of making machine code.
import ctypes

import numpy as np
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


class DeviceArray:
    """What Triton needs of a tensor: a type and an address."""

    dtype = tl.float32

    def __init__(self, values):
        self.shape = values.shape
        self.address = ctypes.c_uint64()
        size = ctypes.c_size_t(values.nbytes)
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), size) == 0
        assert cuda.cuMemcpyHtoD_v2(self.address, values.ctypes.data_as(ctypes.c_void_p), size) == 0

    def data_ptr(self):
        return self.address.value

    def to_host(self):
        out = np.empty(self.shape, np.float32)
        size = ctypes.c_size_t(out.nbytes)
        assert cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(ctypes.c_void_p), self.address, size) == 0
        return out


n = 10000
triton.runtime.driver.active.get_current_stream(0)  # makes the primary context current
x = np.arange(n, dtype=np.float32)
device_x, device_y, out = DeviceArray(x), DeviceArray(x), DeviceArray(np.zeros(n, np.float32))
add[(triton.cdiv(n, 1024),)](device_x, device_y, out, n, BLOCK=1024)
assert np.array_equal(out.to_host(), 2 * x)
print("right")
