# tinygrad's CUDA backend, which writes PTX itself when it is asked for.
#
#     pip install tinygrad numpy
#     DEV=CUDA:PTX warplens run python3 tinygrad_matmul.py
#
# Its PTX has no line information, so the report names lines of the PTX (DEBUG=5 prints it).
import numpy as np
from tinygrad import Tensor

a = np.random.default_rng(1).random((64, 64), dtype=np.float32)
b = np.random.default_rng(2).random((64, 64), dtype=np.float32)
result = (Tensor(a) @ Tensor(b)).relu().sum(axis=0).numpy()
assert np.allclose(result, np.maximum(a @ b, 0).sum(axis=0), rtol=1e-4)
print("right")
