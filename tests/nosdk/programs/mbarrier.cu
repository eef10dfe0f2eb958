// mbarrier in shared memory, as instructions and by what is made of it: cuda::barrier, cuda::pipeline, memcpy_async, and
// groups of several warps. mbarrier.h200.txt is what an H200 printed.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

namespace cg = cooperative_groups;

// ---- the instructions, one after the other
__global__ void instructions(unsigned* out) {
  __shared__ uint64_t bar[2];
  const unsigned a = (unsigned)__cvta_generic_to_shared(bar), b = a + 8;
  int k = 0;
  uint64_t s, t;
  unsigned p;
#define INIT(at, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(n) : "memory")
#define ARRIVE(state, how, at) asm volatile("mbarrier." how ".b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory")
#define ARRIVE_N(state, how, at, n) \
  asm volatile("mbarrier." how ".b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(n) : "memory")
#define PENDING(state)                                                          \
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(p) : "l"(state));    \
  out[k++] = p
#define TEST(how, at, state)                                                                                          \
  asm volatile("{ .reg .pred q; mbarrier." how ".b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(p) : "r"(at), "l"(state) : "memory"); \
  out[k++] = p
#define PARITY(how, at, parity)                                                                                       \
  asm volatile("{ .reg .pred q; mbarrier." how ".b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(p) : "r"(at), "r"(parity) : "memory"); \
  out[k++] = p
  INIT(a, 3);
  PARITY("test_wait.parity.shared", a, 0);
  PARITY("test_wait.parity.shared", a, 1);
  ARRIVE(s, "arrive.shared", a);
  PENDING(s);
  TEST("test_wait.shared", a, s);
  ARRIVE_N(t, "arrive.release.cta.shared::cta", a, 2);
  PENDING(t);
  TEST("test_wait.shared", a, s);
  TEST("try_wait.shared", a, t);
  PARITY("test_wait.parity.acquire.cta.shared::cta", a, 0);
  PARITY("test_wait.parity.shared", a, 1);
  PARITY("try_wait.parity.shared", a, 0);
  ARRIVE(s, "arrive_drop.shared", a);
  PENDING(s);
  ARRIVE_N(s, "arrive.noComplete.shared", a, 1);
  PENDING(s);
  TEST("test_wait.shared", a, s);
  ARRIVE(s, "arrive.shared", a);
  PENDING(s);
  PARITY("test_wait.parity.shared", a, 0);
  PARITY("test_wait.parity.shared", a, 1);
  ARRIVE_N(s, "arrive.shared", a, 2);
  PENDING(s);
  TEST("test_wait.shared", a, s);
  PARITY("test_wait.parity.shared", a, 0);
  // Bytes are part of a phase.
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], 48;" : "=l"(s) : "r"(a) : "memory");
  PENDING(s);
  ARRIVE(t, "arrive.shared", a);
  TEST("test_wait.shared", a, s);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 32;" ::"r"(a) : "memory");
  TEST("test_wait.shared", a, s);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 16;" ::"r"(a) : "memory");
  TEST("test_wait.shared", a, s);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 8;" ::"r"(a) : "memory");
  ARRIVE_N(s, "arrive.shared", a, 2);
  TEST("test_wait.shared", a, s);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%0], 8;" ::"r"(a) : "memory");
  TEST("test_wait.shared", a, s);
  // Copies that arrive.
  INIT(b, 1);
  ARRIVE_N(s, "arrive_drop.noComplete.shared", b, 0);
  PENDING(s);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  do {
    PARITY("try_wait.parity.shared", b, 0);
  } while (out[--k] == 0);
  ++k;
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  PARITY("test_wait.parity.shared", b, 1);
  ARRIVE(s, "arrive.shared", b);
  PENDING(s);
  TEST("test_wait.shared", b, s);
  INIT(b, 1048575);
  ARRIVE_N(s, "arrive.shared", b, 1048574);
  PENDING(s);
  ARRIVE(s, "arrive.shared", b);
  PENDING(s);
  TEST("test_wait.shared", b, s);
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(b) : "memory");
  out[k++] = 77;
}

// ---- many threads, lanes of one warp among them, wait for each other
__global__ void rounds(int* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int data[2][128];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  const int t = threadIdx.x;
  data[0][t] = t;
  for (int r = 0; r < n; r++) {
    auto token = bar.arrive();
    int extra = t;
    for (int i = 0; i < t % 5; i++) extra = extra * 3 + 1;
    bar.wait(std::move(token));
    data[(r + 1) & 1][t] = data[r & 1][(t + 1) % blockDim.x] * 2 + extra % 3;
  }
  bar.arrive_and_wait();
  out[blockIdx.x * blockDim.x + t] = data[n & 1][t];
}

// A producer warp and consumers, with a barrier for each way and fewer and fewer consumers.
__global__ void producer(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  __shared__ int buffer[2][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; k++) init(&full[k], blockDim.x), init(&empty[k], blockDim.x);
  __syncthreads();
  int sum = 0;
  if (warp == 0) {
    for (int i = 0; i < 8; i++) {
      if (i >= 2) empty[i & 1].arrive_and_wait();
      buffer[i & 1][lane] = i * 100 + lane;
      (void)full[i & 1].arrive();
    }
  } else {
    for (int i = 0; i < 8; i++) {
      full[i & 1].arrive_and_wait();
      sum = sum * 7 + buffer[i & 1][(lane + warp) % 32];
      if (i < 6) (void)empty[i & 1].arrive();
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + warps;
}

// ---- copies
__global__ void copies(const int* in, int* out, int n) {
  extern __shared__ __align__(16) int tile[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * n, sizeof(int) * n);
  cg::wait(block);
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += tile[n - 1 - i] * (i + 1);
  block.sync();
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, sizeof(int) * n, bar);
  bar.arrive_and_wait();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum ^= tile[i] + i;
  block.sync();
  cuda::memcpy_async(tile + threadIdx.x * 4, in + threadIdx.x * 4, cuda::aligned_size_t<16>(16), bar);
  bar.arrive_and_wait();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += tile[(i * 5) % (blockDim.x * 4)];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <int Stages>
__global__ void pipelines(const int* in, int* out, int batches) {
  __shared__ int stage[Stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0, next = 0;
  for (int batch = 0; batch < batches; batch++) {
    for (; next < batches && next < batch + Stages; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[next % Stages], in + next * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stage[batch % Stages][(threadIdx.x * 5 + batch) % 64];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void own_pipeline(const int* in, int* out) {
  __shared__ int stage[2][64];
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  for (int batch = 0; batch < 5; batch++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[batch & 1][threadIdx.x], in + batch * 64 + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    sum = sum * 5 + stage[batch & 1][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// ---- groups of several warps
template <int Size>
__global__ void large_tiles(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Size>(block);
  int v = threadIdx.x * 3 + 1;
  v = cg::reduce(tile, v, cg::plus<int>()) + tile.thread_rank();
  v += tile.shfl(v, Size - 1);
  v ^= tile.any(v % 17 == 0) * 5;
  tile.sync();
  out[threadIdx.x] = v + tile.meta_group_rank() + cg::reduce(tile, v & 255, cg::greater<int>());
}
template <int Size>
__global__ void implicit_tiles(int* out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  int v = threadIdx.x * 7 + 3;
  v = cg::reduce(tile, v, cg::plus<int>()) - tile.shfl(v, 1);
  tile.sync();
  out[threadIdx.x] = v;
}

void show(const char* name, const unsigned* data, int count) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < count; i++) hash = (hash ^ data[i]) * 1099511628211u;
  printf("%s: %016llx, %s\n", name, (unsigned long long)hash, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 8192 * 4);
  cudaMallocManaged(&out, 8192 * 4);
  for (int i = 0; i < 8192; i++) in[i] = i * 2654435761u >> 7;
  cudaMemset(out, 0, 8192 * 4);
  instructions<<<1, 1>>>((unsigned*)out);
  printf("instructions: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 50; i++) printf(" %d", out[i]);
  printf("\n");
#define SHOW(name, count, ...)                                         \
  __VA_ARGS__;                                                         \
  cudaDeviceSynchronize();                                             \
  show(name, (unsigned*)out, count)
  SHOW("rounds", 300, (rounds<<<3, 100>>>(out, 17)));
  SHOW("producer", 256, (producer<<<2, 128>>>(out)));
  SHOW("copies", 256, (copies<<<4, 64, 1200 * 4>>>(in, out, 1200)));
  SHOW("copies of an odd size", 192, (copies<<<3, 64, 301 * 4>>>(in + 4, out, 301)));
  SHOW("two stages", 64, (pipelines<2><<<1, 64>>>(in, out, 9)));
  SHOW("four stages", 64, (pipelines<4><<<1, 64>>>(in, out, 23)));
  SHOW("own pipeline", 64, (own_pipeline<<<1, 64>>>(in, out)));
  SHOW("tiles of 64", 256, (large_tiles<64><<<1, 256>>>(out)));
  SHOW("tiles of 128", 256, (large_tiles<128><<<1, 256>>>(out)));
  SHOW("implicit tiles of 64", 256, (implicit_tiles<64><<<1, 256>>>(out)));
  SHOW("implicit tiles of 128", 256, (implicit_tiles<128><<<1, 256>>>(out)));
}
