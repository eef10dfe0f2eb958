# CuPy: a kernel of one's own (RawKernel; RawModule is the same) and CuPy's own element-wise kernels.
#
#     pip install "cupy-cuda13x[ctk]"
#     warplens run python3 cupy_transpose.py
#
# `warplens run` sets CUPY_COMPILE_WITH_PTX=1, CuPy's own variable for leaving kernels as PTX. -lineinfo lets the report name
# lines of the kernel, counted from the start of its text.
import cupy
import numpy as np

transpose = cupy.RawKernel(
    r"""
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
""",
    "transpose",
    options=("-lineinfo",),
)

n = 256
matrix = np.arange(n * n, dtype=np.float32).reshape(n, n)
source, target = cupy.asarray(matrix), cupy.zeros((n, n), dtype=cupy.float32)
transpose((n // 16, n // 16), (16, 16), (source, target, np.int32(n)))
assert np.array_equal(cupy.asnumpy(target), matrix.T)
assert np.array_equal(cupy.asnumpy(source + target), matrix + matrix.T)
print("right")
