#include <cuda_bf16.h>
#define T __nv_bfloat16
#define T2 __nv_bfloat162
#define RAW __nv_bfloat16_raw
#define NAME(before, after) before##bfloat16##after
#define NAME2(before, after) before##bfloat162##after
#define PAIR_OF __bfloat162bfloat162
#include "sixteen_bits.cuh"
