#!/bin/sh
# Makes bench/kernels/*.ptx anew from the .cu files. They are kept in the repository so that the benchmark needs no nvcc.
set -eu
cd "$(dirname "$0")/kernels"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
for source in *.cu; do
  "$nvcc" -ptx -arch=sm_80 -O3 -o "${source%.cu}.ptx" "$source"
done
