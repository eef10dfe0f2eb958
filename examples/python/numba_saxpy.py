# Numba's CUDA target.
#
#     pip install "numba-cuda[cu13]"
#     warplens run python3 numba_saxpy.py
#
# lineinfo=True lets the report name lines of this file. Every second element is used: compare the two kernels there.
import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.jit(lineinfo=True)
def saxpy_strided(a, x, y, out):
    i = 2 * cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


n = 1 << 16
x, y = np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)
device_x, device_y = cuda.to_device(x), cuda.to_device(y)
out = cuda.device_array(n, np.float32)
saxpy[n // 256, 256](np.float32(2), device_x, device_y, out)
assert np.array_equal(out.copy_to_host(), 2 * x + y)

out = cuda.to_device(np.zeros(n, dtype=np.float32))
saxpy_strided[n // 512, 256](np.float32(2), device_x, device_y, out)
assert np.array_equal(out.copy_to_host()[::2], (2 * x + y)[::2])
print("right")
