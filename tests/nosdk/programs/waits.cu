// Threads that wait for other threads, each way that ends on a GPU. waits.h200.txt is what an H200 printed.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

namespace cg = cooperative_groups;

// A warp for another one of its block.
__global__ void for_a_warp(int* out) {
  __shared__ volatile int flag;
  __shared__ int data;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0) continue;
    __threadfence_block();
    out[threadIdx.x] = data;
  } else if (threadIdx.x == 64) {
    data = 42;
    __threadfence_block();
    flag = 1;
  }
}

// Warps that hand something on in a circle, with a counter in shared memory.
__global__ void in_a_circle(int* out, int rounds) {
  __shared__ volatile int turn;
  __shared__ int total;
  if (threadIdx.x == 0) turn = 0, total = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x % 32 == 0) {
      while (turn != r * warps + warp) continue;
      __threadfence_block();
      total = total * 3 + warp;
      __threadfence_block();
      turn = turn + 1;
    }
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

// A barrier across the grid, made by hand. All blocks must be there.
__device__ unsigned arrived;
__global__ void for_all_blocks(int* out, int* sums) {
  out[blockIdx.x] = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (*(volatile unsigned*)&arrived < gridDim.x) continue;
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += ((volatile int*)out)[i];
    sums[blockIdx.x] = sum;
  }
}
// The same by cooperative groups, three times.
__global__ void cooperative(int* out) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < 3; r++) {
    if (threadIdx.x == 0) {
      int* row = out + r * gridDim.x;
      row[blockIdx.x] = blockIdx.x;
      if (r > 0) row[blockIdx.x] += out[(r - 1) * gridDim.x + (blockIdx.x + 1) % gridDim.x];
    }
    grid.sync();
  }
}

// Each block for the next one, and for the one before.
__global__ void for_the_next_block(volatile int* flags) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  if (blockIdx.x + 1 < gridDim.x) {
    while (flags[blockIdx.x + 1] == 0) continue;
    sum = flags[blockIdx.x + 1];
  }
  flags[blockIdx.x] = sum + 1;
}
__global__ void for_the_block_before(volatile int* flags) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) __nanosleep(20);
      before = flags[blockIdx.x - 1];
    }
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) flags[blockIdx.x] = before + 1;
}

// Each thread takes the one lock.
__device__ int lock;
__global__ void one_lock(int* sum) {
  while (atomicCAS(&lock, 0, 1) != 0) continue;
  __threadfence();
  *(volatile int*)sum = *(volatile int*)sum + 1;
  __threadfence();
  atomicExch(&lock, 0);
}
__global__ void lock_inside(int* sum) {
  bool done = false;
  while (!done) {
    if (atomicExch(&lock, 1) == 0) {
      *(volatile int*)sum = *(volatile int*)sum + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}
__device__ unsigned next_ticket, now_serving;
__global__ void tickets(int* sum) {
  const unsigned mine = atomicAdd(&next_ticket, 1);
  while (*(volatile unsigned*)&now_serving != mine) continue;
  __threadfence();
  *(volatile int*)sum = *(volatile int*)sum + 1;
  __threadfence();
  atomicAdd(&now_serving, 1);
}
// Two locks of many, in the order of their numbers, and lanes that meet afterwards.
__global__ void two_locks(int* locks, int* accounts, int n, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = i * 7 % n, b = (i * 13 + 1) % n;
  const int low = a < b ? a : b, high = a < b ? b : a;
  while (atomicCAS(&locks[low], 0, 1) != 0) continue;
  if (high != low)
    while (atomicCAS(&locks[high], 0, 1) != 0) continue;
  __threadfence();
  *(volatile int*)&accounts[a] = *(volatile int*)&accounts[a] - 1;
  *(volatile int*)&accounts[b] = *(volatile int*)&accounts[b] + 1;
  __threadfence();
  atomicExch(&locks[high], 0);
  if (high != low) atomicExch(&locks[low], 0);
  __syncwarp();
  int sum = i;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const unsigned odd = __ballot_sync(~0u, i % 3 == 0);
  out[i] = sum + __popc(odd);
}

// Lanes for a lane of their warp, and in a chain.
__global__ void for_a_lane(volatile int* flag, int* out) {
  if (threadIdx.x != 31) {
    while (*flag == 0) continue;
    out[threadIdx.x] = *flag + threadIdx.x;
  } else {
    *flag = 5;
    out[31] = 1;
  }
}
__global__ void lane_after_lane(volatile int* flags) {
  if (threadIdx.x > 0)
    while (flags[threadIdx.x - 1] == 0) continue;
  flags[threadIdx.x] = threadIdx.x + 1;
}
__global__ void lane_before_lane(volatile int* flags) {
  if (threadIdx.x < 31)
    while (flags[threadIdx.x + 1] == 0) continue;
  flags[threadIdx.x] = threadIdx.x + 1;
}

static int *d, h[1 << 14];
static void show(const char* what, int n) {
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  long long sum = 0, weighed = 0;
  for (int i = 0; i < n; i++) sum += h[i], weighed += (long long)h[i] * (i + 1);
  printf("%s: %lld %lld %s\n", what, sum, weighed, cudaGetErrorName(error));
  cudaMemset(d, 0, sizeof h);
}

int main() {
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  for_a_warp<<<4, 96>>>(d), show("for a warp", 32);
  in_a_circle<<<6, 256>>>(d, 5), show("in a circle", 6);
  for_all_blocks<<<500, 64>>>(d, d + 1000), show("for all blocks", 1500);
  void* arguments[] = {&d};
  cudaLaunchCooperativeKernel((void*)cooperative, dim3(10, 5, 2), dim3(128), arguments, 0, 0);
  show("cooperative", 300);
  for_the_next_block<<<1500, 64>>>(d), show("for the next block", 1500);
  for_the_block_before<<<10000, 64>>>(d), show("for the block before", 10000);
  one_lock<<<20, 64>>>(d), show("one lock", 1);
  lock_inside<<<20, 64>>>(d), show("lock inside", 1);
  tickets<<<20, 64>>>(d), show("tickets", 1);
  two_locks<<<8, 96>>>(d, d + 1000, 50, d + 2000), show("two locks", 2768);
  for_a_lane<<<1, 32>>>(d + 100, d), show("for a lane", 32);
  lane_after_lane<<<1, 32>>>(d), show("lane after lane", 32);
  lane_before_lane<<<1, 32>>>(d), show("lane before lane", 32);
}
