// Five jobs, each done in two or three ways that compute the same and treat memory differently. Run it with
//   warplens run examples/demo.cu
// and compare the rows of a job: the sectors that a request needs, and the wavefronts of shared memory.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));           \
      return 1;                                                                            \
    }                                                                                      \
  } while (0)

constexpr int kSide = 512;  // matrices are kSide x kSide
constexpr int kCount = kSide * kSide;
constexpr int kTile = 32;
constexpr int kStride = 32;

// ---- Copy. Adjacent lanes on adjacent elements: 4 sectors of 32 bytes serve a whole warp.
__global__ void copy_coalesced(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i];
}

// The same elements in another order: adjacent lanes are 128 bytes apart, so each needs a sector of its own.
__global__ void copy_strided(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = kCount / kStride;
  const int i = (t % rows) * kStride + t / rows;
  if (t < kCount) out[i] = in[i];
}

// ---- Transpose. One of the two sides walks down a column.
__global__ void transpose_naive(const float* in, float* out) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int y = blockIdx.y * kTile + threadIdx.y; y < (blockIdx.y + 1) * kTile; y += blockDim.y) {
    out[x * kSide + y] = in[y * kSide + x];
  }
}

// Both sides along rows, through shared memory; but a column of the tile lies in a single bank.
__global__ void transpose_tiled(const float* in, float* out) {
  __shared__ float tile[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile;
  for (int r = threadIdx.y; r < kTile; r += blockDim.y) tile[r][threadIdx.x] = in[(y + r) * kSide + x];
  __syncthreads();
  const int tx = blockIdx.y * kTile + threadIdx.x, ty = blockIdx.x * kTile;
  for (int r = threadIdx.y; r < kTile; r += blockDim.y) out[(ty + r) * kSide + tx] = tile[threadIdx.x][r];
}

// One unused column turns the column walk into 32 different banks.
__global__ void transpose_padded(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile;
  for (int r = threadIdx.y; r < kTile; r += blockDim.y) tile[r][threadIdx.x] = in[(y + r) * kSide + x];
  __syncthreads();
  const int tx = blockIdx.y * kTile + threadIdx.x, ty = blockIdx.x * kTile;
  for (int r = threadIdx.y; r < kTile; r += blockDim.y) out[(ty + r) * kSide + tx] = tile[threadIdx.x][r];
}

// ---- Matrix product. threadIdx.x chooses the row: adjacent lanes read, and write, a whole row apart.
__global__ void matmul_swapped(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kSide; ++k) sum += a[row * kSide + k] * b[k * kSide + column];
  c[row * kSide + column] = sum;
}

// Coalesced, and each element is still fetched kSide times.
__global__ void matmul_naive(const float* a, const float* b, float* c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kSide; ++k) sum += a[row * kSide + k] * b[k * kSide + column];
  c[row * kSide + column] = sum;
}

// A tile in shared memory is fetched once a block.
__global__ void matmul_tiled(const float* a, const float* b, float* c) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < kSide; k += 16) {
    tile_a[ty][tx] = a[row * kSide + k + tx];
    tile_b[ty][tx] = b[(k + ty) * kSide + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  c[row * kSide + column] = sum;
}

// ---- One field of many. In an array of structs a warp fetches the other fields too.
struct Particle {
  float x, y, z, mass;
};

__global__ void mass_of_structs(const Particle* particles, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount / 4) out[i] = particles[i].mass * 2;
}

__global__ void mass_of_arrays(const float* masses, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount / 4) out[i] = masses[i] * 2;
}

// ---- Divergence. Neighbours need different numbers of steps: a warp takes as many as its slowest lane.
__device__ float steps(float x, int count) {
  for (int k = 0; k < count; ++k) x = x * 0.5f + 1;
  return x;
}

__global__ void steps_by_lane(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = steps(in[i], i % 32);
}

// The same work, dealt out so that the lanes of a warp need the same number.
__global__ void steps_by_warp(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = steps(in[i], i / 32 % 32);
}

static bool close(float a, float b) { return std::fabs(a - b) <= 1e-3f * (1 + std::fabs(b)); }

// Prints one line a kernel; the exit status tells whether all were right.
static bool all_right = true;
template <class Expected>
static int verify(const char* name, const float* device, int count, Expected expected) {
  std::vector<float> host(count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < count; i += 7) wrong += !close(host[i], expected(i));
  std::printf("%-18s %s\n", name, wrong == 0 ? "ok" : "WRONG");
  all_right = all_right && wrong == 0;
  return cudaMemset(const_cast<float*>(device), 0, count * sizeof(float)) != cudaSuccess;
}

int main() {
  std::vector<float> a(kCount), b(kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = static_cast<float>(i % 17) / 8;
    b[i] = static_cast<float>(i % 13) / 4;
  }
  float *da, *db, *dc;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&da), kCount * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&db), kCount * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&dc), kCount * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));

  const auto same = [&](int i) { return a[i]; };
  copy_coalesced<<<kCount / 256, 256>>>(da, dc);
  verify("copy_coalesced", dc, kCount, same);
  copy_strided<<<kCount / 256, 256>>>(da, dc);
  verify("copy_strided", dc, kCount, same);

  const auto transposed = [&](int i) { return a[i % kSide * kSide + i / kSide]; };
  const dim3 tiles(kSide / kTile, kSide / kTile), tile_threads(kTile, 8);
  transpose_naive<<<tiles, tile_threads>>>(da, dc);
  verify("transpose_naive", dc, kCount, transposed);
  transpose_tiled<<<tiles, tile_threads>>>(da, dc);
  verify("transpose_tiled", dc, kCount, transposed);
  transpose_padded<<<tiles, tile_threads>>>(da, dc);
  verify("transpose_padded", dc, kCount, transposed);

  const auto product = [&](int i) {
    float sum = 0;
    for (int k = 0; k < kSide; ++k) sum += a[i / kSide * kSide + k] * b[k * kSide + i % kSide];
    return sum;
  };
  const dim3 blocks(kSide / 16, kSide / 16), threads(16, 16);
  matmul_swapped<<<blocks, threads>>>(da, db, dc);
  verify("matmul_swapped", dc, kCount, product);
  matmul_naive<<<blocks, threads>>>(da, db, dc);
  verify("matmul_naive", dc, kCount, product);
  matmul_tiled<<<blocks, threads>>>(da, db, dc);
  verify("matmul_tiled", dc, kCount, product);

  mass_of_structs<<<kCount / 4 / 256, 256>>>(reinterpret_cast<const Particle*>(da), dc);
  verify("mass_of_structs", dc, kCount / 4, [&](int i) { return a[i * 4 + 3] * 2; });
  mass_of_arrays<<<kCount / 4 / 256, 256>>>(da, dc);
  verify("mass_of_arrays", dc, kCount / 4, [&](int i) { return a[i] * 2; });

  const auto stepped = [&](int i, int count) {
    float x = a[i];
    for (int k = 0; k < count; ++k) x = x * 0.5f + 1;
    return x;
  };
  steps_by_lane<<<kCount / 256, 256>>>(da, dc);
  verify("steps_by_lane", dc, kCount, [&](int i) { return stepped(i, i % 32); });
  steps_by_warp<<<kCount / 256, 256>>>(da, dc);
  verify("steps_by_warp", dc, kCount, [&](int i) { return stepped(i, i / 32 % 32); });

  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return all_right ? 0 : 1;
}
