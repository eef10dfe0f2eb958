// Blocks of 32 x 8 threads, each of which moves a tile of 32 x 32.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PITCH>
__device__ void through_shared_memory(const float* in, float* out, int n) {
  __shared__ float tile[TILE][PITCH];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int n) {
  through_shared_memory<TILE + 1>(in, out, n);
}

// A column of the tile lies in one bank: 32 wavefronts a read.
extern "C" __global__ void transpose_conflict(const float* in, float* out, int n) {
  through_shared_memory<TILE>(in, out, n);
}
