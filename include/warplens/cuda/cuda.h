// The version of CUDA that these headers stand for. The driver API itself needs NVIDIA's toolkit to compile.
#pragma once
#pragma GCC system_header
#define CUDA_VERSION 13000
