// Compiled once for each -march= and compiler that the benchmark knows; BENCH_BUILD is the name that build goes by.
#include "native.h"

#include <cmath>
#include <cstring>

#define NO_ALIAS __restrict__

namespace warplens::bench {
namespace {

void vadd(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  const float* NO_ALIAS b = job.b;
  float* NO_ALIAS c = job.c;
  for (int i = begin; i < end; i++) c[i] = a[i] + b[i];
}

void relu(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  float* NO_ALIAS c = job.c;
  for (int i = begin; i < end; i++) c[i] = a[i] > 0.0f ? a[i] : 0.0f;
}

void evenodd(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  float* NO_ALIAS c = job.c;
  for (int i = begin; i < end; i++) {
    float x = a[i];
    if (i % 2 == 0) {
      for (int k = 0; k < 16; k++) x = x * x - 0.25f;
    } else {
      for (int k = 0; k < 16; k++) x = x * 1.0001f + 0.5f;
    }
    c[i] = x;
  }
}

void gather(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  const int* NO_ALIAS index = job.index;
  float* NO_ALIAS c = job.c;
  for (int i = begin; i < end; i++) c[i] = a[index[i]];
}

void bsearch(const Job& job, int begin, int end) {
  const int* NO_ALIAS table = job.table;
  const int* NO_ALIAS query = job.index;
  int* NO_ALIAS out = job.out;
  for (int i = begin; i < end; i++) {
    int wanted = query[i], low = 0, high = job.limit;
    while (low < high) {
      int middle = (low + high) / 2;
      if (table[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    out[i] = low;
  }
}

// Row by column, as in the kernel.
void matmul_ijk(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  const float* NO_ALIAS b = job.b;
  float* NO_ALIAS c = job.c;
  const int n = job.n;
  for (int i = begin; i < end; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// With the inner loops interchanged, which a compiler can vectorise.
void matmul_ikj(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  const float* NO_ALIAS b = job.b;
  float* NO_ALIAS c = job.c;
  const int n = job.n;
  for (int i = begin; i < end; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0.0f;
    for (int k = 0; k < n; k++) {
      float factor = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

// Halves: products and sums in float, as the tensor cores' are.
void matmul_half(const Job& job, int begin, int end) {
  const auto* NO_ALIAS a = reinterpret_cast<const _Float16*>(job.a);
  const auto* NO_ALIAS b = reinterpret_cast<const _Float16*>(job.b);
  float* NO_ALIAS c = job.c;
  const int n = job.n;
  for (int i = begin; i < end; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0.0f;
    for (int k = 0; k < n; k++) {
      const float factor = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

// Pairs of halves.
void axpy_half(const Job& job, int begin, int end) {
  const auto* NO_ALIAS x = reinterpret_cast<const _Float16*>(job.a);
  const auto* NO_ALIAS y = reinterpret_cast<const _Float16*>(job.b);
  auto* NO_ALIAS out = reinterpret_cast<_Float16*>(job.c);
  for (int i = 2 * begin; i < 2 * end; i++) out[i] = static_cast<_Float16>(0.5f * x[i] + y[i]);
}

void transpose(const Job& job, int begin, int end) {
  const float* NO_ALIAS in = job.a;
  float* NO_ALIAS out = job.c;
  const int n = job.n;
  for (int y = begin; y < end; y++)
    for (int x = 0; x < n; x++) out[x * n + y] = in[y * n + x];
}

void transpose_blocked(const Job& job, int begin, int end) {
  constexpr int kTile = 32;
  const float* NO_ALIAS in = job.a;
  float* NO_ALIAS out = job.c;
  const int n = job.n;
  for (int y0 = begin; y0 < end; y0 += kTile)
    for (int x0 = 0; x0 < n; x0 += kTile)
      for (int x = x0; x < x0 + kTile; x++)
        for (int y = y0; y < y0 + kTile; y++) out[x * n + y] = in[y * n + x];
}

void sum(const Job& job, int begin, int end) {
  const float* NO_ALIAS a = job.a;
  float total = 0.0f;
  for (int i = begin; i < end; i++) total += a[i];
  job.c[begin] = total;
}

void mandel(const Job& job, int begin, int end) {
  int* NO_ALIAS out = job.out;
  const int n = job.n;
  for (int y = begin; y < end; y++)
    for (int x = 0; x < n; x++) {
      float cr = 3.0f * x / n - 2.0f, ci = 3.0f * y / n - 1.5f;
      float zr = 0.0f, zi = 0.0f;
      int steps = 0;
      while (steps < job.limit && zr * zr + zi * zi < 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        steps++;
      }
      out[y * n + x] = steps;
    }
}

void collatz(const Job& job, int begin, int end) {
  const int* NO_ALIAS in = job.index;
  int* NO_ALIAS out = job.out;
  for (int i = begin; i < end; i++) {
    unsigned value = in[i];
    int steps = 0;
    while (value != 1 && steps < 500) {
      value = value % 2 ? 3 * value + 1 : value / 2;
      steps++;
    }
    out[i] = steps;
  }
}

void irregular(const Job& job, int begin, int end) {
  const int* NO_ALIAS in = job.index;
  int* NO_ALIAS out = job.out;
  int* NO_ALIAS trace = job.trace;
  for (int i = begin; i < end; i++) {
    unsigned value = in[i], mix = 0;
    int steps = 0;
    while (value != 1 && steps < 300) {
      if (value % 2) {
        value = 3 * value + 1;
        mix ^= value * 2654435761u;
        mix = mix << 5 | mix >> 27;
        trace[i] = mix;
      } else {
        value /= 2;
        mix += value;
        if (mix % 8 == 3) {
          mix = mix * 1664525u + 1013904223u;
          trace[i] = value;
        }
      }
      steps++;
    }
    out[i] = steps + mix % 2;
  }
}

// Counts of 256 values; those of the whole range lie where its first block's do.
void histogram(const Job& job, int begin, int end) {
  const int* NO_ALIAS values = job.index;
  int bins[256] = {};
  for (int i = begin; i < end; i++) bins[values[i]]++;
  std::memcpy(job.out + begin / job.n * 256, bins, sizeof bins);
}

// Four tables, so that equal neighbours do not wait for each other.
void histogram_split(const Job& job, int begin, int end) {
  const int* NO_ALIAS values = job.index;
  int bins[4][256] = {};
  for (int i = begin; i < end; i += 4)
    for (int k = 0; k < 4; k++) bins[k][values[i + k]]++;
  for (int k = 0; k < 256; k++) job.out[begin / job.n * 256 + k] = bins[0][k] + bins[1][k] + bins[2][k] + bins[3][k];
}

// Bilinear, the edge repeated.
void rotate(const Job& job, int begin, int end) {
  const float* NO_ALIAS image = job.a;
  float* NO_ALIAS out = job.c;
  const int n = job.n;
  const auto inside = [n](int at) { return at < 0 ? 0 : at >= n ? n - 1 : at; };
  for (int y = begin; y < end; y++)
    for (int x = 0; x < n; x++) {
      const float u = x - 0.5f * n, v = y - 0.5f * n;
      const float across = job.b[0] * u - job.b[1] * v + 0.5f * n - 0.5f;
      const float down = job.b[1] * u + job.b[0] * v + 0.5f * n - 0.5f;
      const float left = std::floor(across), top = std::floor(down);
      const float right_part = across - left, low_part = down - top;
      const int x0 = inside(int(left)), x1 = inside(int(left) + 1), y0 = inside(int(top)), y1 = inside(int(top) + 1);
      const float above = image[y0 * n + x0] * (1 - right_part) + image[y0 * n + x1] * right_part;
      const float below = image[y1 * n + x0] * (1 - right_part) + image[y1 * n + x1] * right_part;
      out[y * n + x] = above * (1 - low_part) + below * low_part;
    }
}

void nothing(const Job&, int, int) {}

constexpr struct {
  const char* name;
  NativeFunction function;
} kFunctions[] = {
    {"vadd", vadd},
    {"relu", relu},
    {"evenodd", evenodd},
    {"gather", gather},
    {"bsearch", bsearch},
    {"matmul ijk", matmul_ijk},
    {"matmul ikj", matmul_ikj},
    {"matmul half", matmul_half},
    {"axpy half", axpy_half},
    {"histogram", histogram},
    {"histogram split", histogram_split},
    {"rotate", rotate},
    {"transpose", transpose},
    {"transpose blocked", transpose_blocked},
    {"sum", sum},
    {"mandel", mandel},
    {"collatz", collatz},
    {"irregular", irregular},
    {"nothing", nothing},
};

NativeFunction find(const char* name) {
  for (const auto& entry : kFunctions)
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  return nullptr;
}

#ifdef __clang__
#define COMPILER "clang++ "
#define COMPILER_VERSION __clang_version__
#else
#define COMPILER "g++ "
#define COMPILER_VERSION __VERSION__
#endif

}  // namespace

extern const NativeBuild BENCH_BUILD;
const NativeBuild BENCH_BUILD = {COMPILER COMPILER_VERSION, BENCH_ARCH, find};

}  // namespace warplens::bench
