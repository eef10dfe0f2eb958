# NVIDIA Warp.
#
#     pip install warp-lang
#     warplens run python3 warp_saxpy.py
#
# cuda_output asks for PTX, where Warp otherwise compiles down to machine code; lineinfo lets the report name lines.
import numpy as np
import warp as wp

wp.config.cuda_output = "ptx"
wp.config.lineinfo = True
wp.init()


@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


n = 4096
values = np.arange(n, dtype=np.float32)
x, y = wp.array(values, device="cuda:0"), wp.zeros(n, dtype=float, device="cuda:0")
wp.launch(saxpy, dim=n, inputs=[2.0, x, y], device="cuda:0")
assert np.array_equal(y.numpy(), 2 * values)
print("right")
