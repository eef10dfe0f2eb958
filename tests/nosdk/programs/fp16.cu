#include <cuda_fp16.h>
#define T __half
#define T2 __half2
#define RAW __half_raw
#define NAME(before, after) before##half##after
#define NAME2(before, after) before##half2##after
#define PAIR_OF __half2half2
#include "sixteen_bits.cuh"
