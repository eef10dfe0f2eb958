// Each function of cuBLAS exists for four kinds of numbers, a letter each, and with 32-bit and 64-bit sizes: what a
// file writes once as M(letter, type, suffix, size type) becomes all of them.
#pragma once

#define WL_IN_BOTH_SIZES(M, ...) M(__VA_ARGS__, , int) M(__VA_ARGS__, _64, int64_t)
#define WL_REAL_NUMBERS(M) WL_IN_BOTH_SIZES(M, S, float) WL_IN_BOTH_SIZES(M, D, double)
#define WL_COMPLEX_NUMBERS(M) WL_IN_BOTH_SIZES(M, C, Complex) WL_IN_BOTH_SIZES(M, Z, DoubleComplex)
#define WL_ALL_NUMBERS(M) WL_REAL_NUMBERS(M) WL_COMPLEX_NUMBERS(M)
