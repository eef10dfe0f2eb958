// Small kernels whose lanes part and meet again, for execution of machine code to be held against: how often each
// instruction ran, and for how many lanes, is in divergence.csv; what each kernel wrote, in divergence.out. See README.md.
//
// All are launched with 2 blocks of 80 threads (the last warp has 16) on words that hash() makes, and each writes one word a
// thread. `volatile` and __noinline__ keep the compiler from turning branches into predicates.
#include <cooperative_groups.h>
#include <stdint.h>
#include <stdio.h>

constexpr int kBlocks = 2, kThreads = 80, kWords = kBlocks * kThreads;

__host__ __device__ uint32_t hash(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}

#define KERNEL(name) \
  extern "C" __global__ void name(const uint32_t* __restrict__ in, volatile uint32_t* out, uint32_t n, uint32_t* scratch)
#define INDEX const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x

__device__ __noinline__ uint32_t collatz(uint32_t x) {
  uint32_t steps = 0;
  for (; x > 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}
__device__ __noinline__ uint32_t mix(uint32_t x, uint32_t y) {
  for (uint32_t k = 0; k < y; ++k) x = hash(x) + k;
  return x;
}
__device__ __noinline__ uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

KERNEL(if_else) {
  INDEX;
  const uint32_t x = in[i];
  if (x & 1) {
    out[i] = x / 7;
    out[i] = x * 3 + out[i];
  } else {
    out[i] = x % 11;
    out[i] = x + 5 - out[i];
  }
  out[i] = out[i] + 1;
}

KERNEL(nested) {
  INDEX;
  const uint32_t x = in[i];
  uint32_t r = 0;
  if (x & 1) {
    out[i] = x;
    if (x & 2) {
      r = mix(x, 2);
      if (x & 4) r += mix(r, 3);
    } else {
      r = mix(x, 4);
    }
    out[i] = r;
  } else if (x & 8) {
    r = mix(x, 5);
  }
  out[i] = r + 1;
}

KERNEL(loop_by_data) {
  INDEX;
  uint32_t sum = 0;
  for (uint32_t k = in[i] % 13; k != 0; --k) {
    sum = hash(sum + k);
    out[i] = sum;
  }
  out[i] = sum;
}

KERNEL(loops_nested) {
  INDEX;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < in[i] % 5; ++k) {
    for (uint32_t j = in[i] >> 8; j % 7 != 0; ++j) {
      sum += hash(j);
      out[i] = sum;
    }
    sum ^= k;
  }
  out[i] = sum;
}

KERNEL(break_and_continue) {
  INDEX;
  uint32_t x = in[i], sum = 0;
  for (uint32_t k = 0; k < 24; ++k) {
    x = hash(x);
    if (x % 4 == 0) continue;
    out[i] = x;
    if (x % 16 == 1) break;
    sum += mix(x, x % 3);
  }
  out[i] = sum;
}

KERNEL(early_exit) {
  INDEX;
  const uint32_t x = in[i];
  if (x % 5 == 0) return;
  out[i] = x;
  const uint32_t y = mix(x, 3);
  if (y % 3 == 0) return;
  for (uint32_t k = 0; k < 10; ++k) {
    out[i] = k;
    if (hash(y + k) % 8 == 0) return;
  }
  out[i] = y;
}

KERNEL(exit_of_the_rest) {
  INDEX;
  if (i >= n) return;
  out[i] = in[i] + n;
}

KERNEL(switch_of_many) {
  INDEX;
  const uint32_t x = in[i];
  uint32_t r = x;
  switch (x % 9) {
    case 0: r = mix(x, 1); break;
    case 1: out[i] = 7; r = x / 3; break;
    case 2: r = collatz(x % 100); break;
    case 3: out[i] = x; [[fallthrough]];
    case 4: r = __popc(x) + out[i]; break;
    case 5: r = mix(r, x % 4); break;
    case 6: out[i] = 0; return;
    case 7: r = fib(x % 6); break;
  }
  out[i] = r;
}

#define CASE(k) \
  case k: out[i] = x * (2 * k + 1); r = hash(r ^ k) / (k + 3); break;
KERNEL(switch_by_table) {
  INDEX;
  const uint32_t x = in[i];
  uint32_t r = x;
  switch (x % 20) {
    CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
    CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16)
    case 17: return;
    default: r = mix(x, 2);
  }
  out[i] = r;
}

KERNEL(jump_table) {
  INDEX;
  uint32_t x = in[i];
  for (uint32_t k = 0; k < 3; ++k) {
    asm volatile(
        "{\n"
        "places: .branchtargets P0, P1, P2, P3, P4;\n"
        "brx.idx %1, places;\n"
        "P0: add.u32 %0, %0, 11; xor.b32 %0, %0, 5; bra OUT;\n"
        "P1: mul.lo.u32 %0, %0, 3; bra OUT;\n"
        "P2: sub.u32 %0, %0, 1;\n"
        "P3: shl.b32 %0, %0, 1; shr.u32 %0, %0, 3; bra OUT;\n"
        "P4: exit;\n"
        "OUT:\n"
        "}"
        : "+r"(x)
        : "r"(x % 9 < 5 ? x % 9 : x % 4)
        : "memory");
    out[i] = x;
    x = hash(x);
  }
  out[i] = x;
}

KERNEL(short_circuit) {
  INDEX;
  const uint32_t a = in[i];
  if ((a & 1) && in[(i + 1) % kWords] % 3 && (in[(i + 2) % kWords] & 4))
    out[i] = mix(a, 2);
  else if ((a & 2) || in[(i + 3) % kWords] % 7 == 0 || (in[(i + 4) % kWords] & 8))
    out[i] = mix(a, 3);
  else
    out[i] = 1;
}

KERNEL(calls_from_both_sides) {
  INDEX;
  const uint32_t x = in[i];
  uint32_t r;
  if (x & 1) {
    out[i] = x;
    r = mix(x, x % 5);
  } else {
    r = mix(x + 1, x % 6) + 1;
  }
  out[i] = r + collatz(x % 50 + 1);
}

KERNEL(recursion) {
  INDEX;
  out[i] = fib(in[i] % 7);
}

typedef uint32_t (*Function)(uint32_t);
__device__ __noinline__ uint32_t add_one(uint32_t x) { return x + 1; }
__device__ __noinline__ uint32_t halves(uint32_t x) {
  uint32_t n = 0;
  while (x >>= 1) ++n;
  return n;
}
__device__ Function const kFunctions[] = {add_one, halves, collatz, hash};
KERNEL(calls_by_pointer) {
  INDEX;
  const uint32_t x = in[i] % 1000 + 1;
  out[i] = kFunctions[in[i] >> 20 & 3](x);
}

KERNEL(votes) {
  INDEX;
  const uint32_t x = in[i];
  uint32_t r = __ballot_sync(__activemask(), x & 1);
  if (x & 2) {
    const uint32_t on = __activemask();
    r += __popc(on) + __any_sync(on, x & 4) + __all_sync(on, x & 8);
    out[i] = r;
    if (x & 16) r += __shfl_xor_sync(__activemask(), x, 1) & 0xff;
    r += __match_any_sync(on, x >> 5 & 3);
    r += __reduce_add_sync(on, x & 0xff);
  } else {
    out[i] = __activemask();
    r ^= __activemask();
  }
  out[i] = r + __popc(__activemask());
}

KERNEL(syncwarp) {
  INDEX;
  __shared__ uint32_t s[kThreads];
  const uint32_t t = threadIdx.x, all = __activemask(), lane = t % 32;
  s[t] = in[i];
  __syncwarp(all);
  uint32_t sum = s[t ^ 1];
  if (in[i] & 1) {
    out[i] = sum;
    sum += mix(sum, 2);
  }
  __syncwarp(all);
  s[t] = sum;
  __syncwarp(all);
  for (uint32_t d = 8; d != 0; d /= 2) {
    if ((lane & 15) < d) s[t] += s[t + d];
    __syncwarp(all);
  }
  if (lane < 8) {
    __syncwarp(0xff);
    s[t] += s[t ^ 2];
    __syncwarp(0xff);
  }
  out[i] = s[t];
}

KERNEL(syncthreads) {
  INDEX;
  __shared__ uint32_t s[kThreads];
  s[threadIdx.x] = in[i];
  if (in[i] & 1) s[threadIdx.x] += mix(i, in[i] % 4);
  __syncthreads();
  uint32_t x = s[kThreads - 1 - threadIdx.x];
  for (uint32_t k = 0; k < 3; ++k) {
    if (x & 1) x = collatz(x % 64);
    __syncthreads();
    s[threadIdx.x] = x;
    __syncthreads();
    x += s[(threadIdx.x + k) % kThreads];
  }
  out[i] = x + __syncthreads_count(x & 1);
}

KERNEL(uniform_loop) {
  INDEX;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < n; ++k) {
    if (k % 3 == blockIdx.x) sum += in[k];
    if (n - k < 5) out[i] = sum;
    sum = sum * 5 + scratch[k];
  }
  out[i] = sum;
}

KERNEL(irreducible) {
  INDEX;
  uint32_t x = in[i];
  if (x & 1) goto middle;
again:
  x = hash(x + 1);
  out[i] = x;
middle:
  x = x / 3;
  out[i] = x + 1;
  if (x % 5 > 1) goto again;
  out[i] = x;
}

KERNEL(local_array) {
  INDEX;
  uint32_t a[24];
  for (uint32_t k = 0; k < 24; ++k) a[k] = k * i;
  uint32_t x = in[i];
  for (uint32_t k = 0; k < x % 9; ++k) {
    a[hash(x + k) % 24] += k;
    if (a[(x + k) % 24] & 1) a[k] = out[i] + a[x / 2 % 24];
  }
  out[i] = a[x % 24] + a[(x + 5) % 24];
}

KERNEL(atomics) {
  INDEX;
  const uint32_t x = in[i];
  if (x & 1) {
    atomicAdd(&scratch[x % 8], x);
    out[i] = 1;
  }
  if (x % 3) atomicMax(&scratch[16 + (x & 1)], x);
  uint32_t r = 0;
  if (x & 4) r = atomicAdd(&scratch[32 + i], i);
  out[i] = r + i;
}

KERNEL(coalesced_group) {
  INDEX;
  namespace cg = cooperative_groups;
  uint32_t r = 0;
  if (in[i] % 3) {
    auto group = cg::coalesced_threads();
    r = group.thread_rank() + group.size();
    r += group.shfl(in[i], 0) & 0xff;
    out[i] = r;
  }
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (in[i / 8] & 1) {
    for (int k = 4; k > 0; k /= 2) r += tile.shfl_down(r, k);
    tile.sync();
  }
  out[i] = r;
}

KERNEL(lanes_that_wait) {  // each warp's lanes pass a token on in a loop: some wait for others of their own warp
  INDEX;
  volatile uint32_t* token = scratch + 64 + threadIdx.x / 32 * 4 + blockIdx.x * 64;
  const uint32_t lane = threadIdx.x % 32;
  bool done = false;
  while (!done) {
    if (*token == lane) {
      out[i] = hash(lane);
      __threadfence();
      *token = lane + 1;
      done = true;
    }
    __syncwarp(__activemask());
  }
}

int main(int argc, char** argv) {
  uint32_t *in, *out, *scratch;
  cudaMallocManaged(&in, 4 * kWords);
  cudaMallocManaged(&out, 4 * kWords);
  cudaMallocManaged(&scratch, 4 * 256);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
#define RUN(name)                                                                                          \
  {                                                                                                        \
    for (int i = 0; i < kWords; ++i) in[i] = hash(i), out[i] = 0;                                          \
    for (int i = 0; i < 256; ++i) scratch[i] = 0;                                                          \
    name<<<kBlocks, kThreads>>>(in, out, 37, scratch);                                                     \
    const cudaError_t e = cudaDeviceSynchronize();                                                         \
    if (e != cudaSuccess) return fprintf(stderr, #name ": %s\n", cudaGetErrorString(e)), 1;                \
    printf(#name);                                                                                         \
    for (int i = 0; i < kWords; ++i) printf(" %x", out[i]);                                                \
    printf("\n");                                                                                          \
  }
  RUN(if_else)
  RUN(nested)
  RUN(loop_by_data)
  RUN(loops_nested)
  RUN(break_and_continue)
  RUN(early_exit)
  RUN(exit_of_the_rest)
  RUN(switch_of_many)
  RUN(switch_by_table)
  RUN(jump_table)
  RUN(short_circuit)
  RUN(calls_from_both_sides)
  RUN(recursion)
  RUN(calls_by_pointer)
  RUN(votes)
  RUN(syncwarp)
  RUN(syncthreads)
  RUN(uniform_loop)
  RUN(irreducible)
  RUN(local_array)
  RUN(atomics)
  RUN(coalesced_group)
  if (argc > 1) RUN(lanes_that_wait)
  return 0;
}
