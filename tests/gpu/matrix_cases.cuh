// Numbers to multiply, the instructions' operands as text, and what is printed: a line a case, with a hash of all that
// was computed. With a file the values themselves are written there, 32 bits each.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

constexpr int kCases = 32;           // warps, each with a case of its own
constexpr int kSlots = 16;           // registers a lane of one operand, 8 bytes each
constexpr int kWords = kCases * 32 * kSlots;

// ---- numbers to compute with

struct Format {
  int bits, exponent, mantissa;  // exponent 0: an integer
};
constexpr Format kF16{16, 5, 10}, kBf16{16, 8, 7}, kF32{32, 8, 23}, kF64{64, 11, 52}, kE4m3{8, 4, 3}, kE5m2{8, 5, 2},
    kInt{32, 0, 0}, kByte{8, 0, 0};

enum Class { Narrow, Wide, Powers, Any, Tiny, Special, Vanishing, kClasses };
static const char* class_name(int c) {
  const char* names[] = {"narrow", "wide", "powers", "any", "tiny", "special", "vanishing"};
  return names[c];
}

__device__ uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// One number of a format. `scale`: an accumulator is as large as a product.
__device__ uint64_t number(Format f, int kind, uint64_t h, int scale) {
  if (f.exponent == 0) {
    if (kind % 2 == 0) return h & (~0ull >> (64 - f.bits));
    const uint64_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x7e, 0x81};
    const uint64_t wide[] = {0x7fffffff, 0x80000000, 0x7ffffff0, 0x80000010, 0, 0xffffffff, 0x7fff0000, 0x80010000};
    return f.bits == 8 ? edges[h & 7] : wide[h & 7];
  }
  const int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
  const uint64_t sign = (h >> 63) << (f.bits - 1);
  uint64_t mantissa = h & ((1ull << f.mantissa) - 1);
  const int r = (h >> 53) & 1023;
  int e = bias;
  if (kind == Narrow) e = bias - r % 2;
  const int span = f.exponent == 4 ? 4 : f.exponent == 5 ? 7 : 13;
  if (kind == Wide) e = bias + scale * (r % (2 * span) - span);
  if (kind == Powers) {
    const int steps[] = {0, 0, 0, -1, -3, -6, -12, 1};
    const int s = steps[r % 8] * (f.exponent == 4 ? 1 : 2) / 2;
    mantissa = 0;
    e = bias + scale * s;
    if ((r >> 3) % 4 == 0) return sign;
  }
  if (kind == Any) e = r % top;
  if (kind == Tiny) e = r % 8 == 0 ? bias + r / 64 % 3 : r % 4;
  if (kind == Special) {
    const int what = r % 64;
    if (what == 0) return sign | (uint64_t)top << f.mantissa;
    if (what == 1 && r > 512) return sign | (uint64_t)top << f.mantissa | mantissa;
    if (what < 6) return sign;
    if (what < 8) return sign | ((uint64_t)top << f.mantissa) - 1;
    e = bias + r / 64 % 4 - 2;
  }
  if (kind == Vanishing) {  // products about as large as the smallest subnormal
    if (scale == 2) return r % 4 ? sign : sign | (mantissa & 3);
    e = bias - (f.exponent == 8 ? 75 : (bias + f.mantissa) / 2) + r % 4 - 2;
  }
  if (e < 0) e = 0;
  if (e >= top) e = top - 1;
  return sign | (uint64_t)e << f.mantissa | mantissa;
}

// A register full of them.
__global__ void fill(uint64_t* slots, Format f, int kind, int seed, int scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int width = f.bits == 64 ? 64 : 32;
  uint64_t word = 0;
  for (int k = 0; k * f.bits < width; k++)
    word |= number(f, kind, mix(mix(i * 8 + k) + seed * 1000 + kind), scale) << (k * f.bits);
  slots[i] = word;
}

// ---- what is printed

static FILE* dump;
static uint64_t hash_of(const uint32_t* words, int n) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (int i = 0; i < n; i++) h = (h ^ words[i]) * 0x100000001b3ull;
  return h;
}
static void print(const char* name, const char* what, const uint32_t* words, int n) {
  printf("%-34s %-8s %016llx\n", name, what, (unsigned long long)hash_of(words, n));
  if (!dump) return;
  fprintf(dump, "%s %s %d\n", name, what, n);
  fwrite(words, 4, n, dump);
}

// Of all lanes of all cases, kSlots registers each. e: the metadata of mma.sp.
struct Operands {
  uint64_t *a, *b, *c, *d, *e;
};
static Operands operands() {
  static Operands o = {};
  if (o.a) return o;
  for (uint64_t** p : {&o.a, &o.b, &o.c, &o.d, &o.e}) cudaMallocManaged(p, kWords * 8);
  return o;
}

// ---- mma.sync: operands from slots to registers and back, as text

template <class Mma>
__global__ void run_mma(Operands o) {
  const int at = (blockIdx.x * 32 + threadIdx.x) * kSlots;
  Mma::run(o.a + at, o.b + at, o.c + at, o.d + at, o.e + at);
}

#define L1(t, x, p) "ld.global." t " " x "0,[" p "];"
#define L2(t, x, p) L1(t, x, p) "ld.global." t " " x "1,[" p "+8];"
#define L4(t, x, p) L2(t, x, p) "ld.global." t " " x "2,[" p "+16];ld.global." t " " x "3,[" p "+24];"
#define L8(t, x, p)                                                                                      \
  L4(t, x, p) "ld.global." t " " x "4,[" p "+32];ld.global." t " " x "5,[" p "+40];ld.global." t " " x   \
              "6,[" p "+48];ld.global." t " " x "7,[" p "+56];"
#define V1(x) "{" x "0}"
#define V2(x) "{" x "0," x "1}"
#define V4(x) "{" x "0," x "1," x "2," x "3}"
#define V8(x) "{" x "0," x "1," x "2," x "3," x "4," x "5," x "6," x "7}"
#define S2(t) "st.global." t " [%3],d0;st.global." t " [%3+8],d1;"
#define S4(t) S2(t) "st.global." t " [%3+16],d2;st.global." t " [%3+24],d3;"
#define S8(t)                                                                                               \
  S4(t) "st.global." t " [%3+32],d4;st.global." t " [%3+40],d5;st.global." t " [%3+48],d6;st.global." t     \
        " [%3+56],d7;"

// Of every class of numbers, or of the first ones only.
template <class Mma>
static void mma(const char* name, Format fa, Format fb, Format fc, int kinds = kClasses) {
  Operands o = operands();
  const bool wide = fc.bits == 64;
  static uint32_t words[kWords];
  for (int kind = 0; kind < (fa.exponent ? kinds : 2); kind++) {
    fill<<<kWords / 256, 256>>>(o.a, fa, kind, 1, 1);
    fill<<<kWords / 256, 256>>>(o.b, fb, kind, 2, 1);
    fill<<<kWords / 256, 256>>>(o.c, fc, kind, 3, 2);
    cudaMemset(o.d, 0, kWords * 8);
    run_mma<Mma><<<kCases, 32>>>(o);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(e)), exit(1);
    int n = 0;
    for (int i = 0; i < kCases * 32; i++)
      for (int r = 0; r < Mma::kRegisters; r++) {
        words[n++] = (uint32_t)o.d[i * kSlots + r];
        if (wide) words[n++] = (uint32_t)(o.d[i * kSlots + r] >> 32);
      }
    print(name, class_name(kind), words, n);
  }
}

