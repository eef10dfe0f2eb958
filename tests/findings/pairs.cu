// Kernels in pairs, one with a fault of performance and one without. A comment "WLnnn" at a line's end: the finding that this
// line must have; "WLnnn?": a note. No other line may have a warning, and no line of a name that begins with good_ any finding.
#include <cstdio>
#include <cstdlib>

constexpr int kSide = 1024, kTile = 32;

__global__ void bad_rows_by_x(const float* in, float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = in[row * n + column];  // WL101
  out[row * n + column] = x * 2;         // WL101
}
__global__ void good_rows_by_y(const float* in, float* out, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = in[row * n + column];
  out[row * n + column] = x * 2;
}

// A block that is one thread wide: lanes of a warp differ in threadIdx.y.
__global__ void bad_tall_block(const float* in, float* out, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const float x = in[row * n + column];  // WL101
  out[row * n + column] = x * 2;         // WL101
}

__global__ void bad_stride(const float* in, float* out, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i * stride];  // WL101
  out[i] = x * 2;
}

__global__ void bad_column_sums(const float* matrix, float* sums, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += matrix[row * n + k];  // WL101
  sums[row] = sum;
}
__global__ void good_column_sums(const float* matrix, float* sums, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += matrix[k * n + row];
  sums[row] = sum;
}

struct Particle {
  float x, y, z, mass;
};
__global__ void bad_struct_field(const Particle* particles, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float m = particles[i].mass;  // WL104
  out[i] = m * 2;
}
__global__ void good_array_of_field(const float* mass, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = mass[i] * 2;
}

__global__ void bad_offset(const float* in, float* out, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i + offset];  // WL102?
  out[i] = x * 2;
}

__global__ void bad_gather(const int* index, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = index[i];
  const float x = in[from];  // WL103
  out[i] = x * 2;
}

__global__ void bad_transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  const float v = tile[threadIdx.x][threadIdx.y];  // WL201
  out[(blockIdx.x * kTile + threadIdx.y) * n + blockIdx.y * kTile + threadIdx.x] = v;
}
__global__ void good_transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  const float v = tile[threadIdx.x][threadIdx.y];
  out[(blockIdx.x * kTile + threadIdx.y) * n + blockIdx.y * kTile + threadIdx.x] = v;
}
// Four passes for 16 bytes a lane are no conflict.
__global__ void good_wide_shared(const float4* in, float4* out) {
  __shared__ float4 rows[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  rows[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = rows[threadIdx.x ^ 1];
}

__global__ void bad_steps_by_lane(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  const int count = threadIdx.x % 32 * 4;
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.5f + 1;  // WL301
  out[i] = x;
}
__global__ void good_steps_by_warp(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  const int count = threadIdx.x / 32 * 16;
#pragma unroll 1
  for (int k = 0; k < count; ++k) x = x * 0.5f + 1;
  out[i] = x;
}
// A guard parts one warp of the grid.
__global__ void good_guard(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i] * 2;
}

__global__ void bad_histogram(const int* keys, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int key = keys[i] & 1;
  atomicAdd(&bins[key], i);  // WL501
}

__global__ void bad_local_table(const int* index, const float* in, float* out) {
  float table[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) table[k] = in[k] * k + blockIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = index[i] & 63;
  out[i] = table[at];  // WL601
}

// Three sizes: in machine code the parameters of four bytes are loaded two at a time.
__global__ void bad_volume(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int z = 0; z < nz; ++z) {
    const float v = in[(x * ny + y) * nz + z];  // WL101
    out[(z * ny + y) * nx + x] = v;
  }
}
__global__ void copy(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
#pragma unroll 1
  for (int k = 0; k < 64; ++k) x = x * 0.5f + 1;
  out[i] = x;
}
__global__ void good_copy(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void long_sum(const float* in, float* out, int n) {
  float sum = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) sum += in[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  const size_t count = size_t(kSide) * kSide;
  float *in, *out;
  int* index;
  cudaMalloc(&in, count * 4 + 256);
  cudaMalloc(&out, count * 4 + 256);
  cudaMalloc(&index, count * 4);
  cudaMemset(in, 0, count * 4 + 256);
  int* host = (int*)malloc(count * 4);
  unsigned state = 1;
  for (size_t i = 0; i < count; ++i) state = state * 1664525u + 1013904223u, host[i] = state >> 12;
  for (size_t i = 0; i < count; ++i) host[i] %= int(count);
  cudaMemcpy(index, host, count * 4, cudaMemcpyHostToDevice);

  const dim3 square(kTile, kTile), grid(kSide / kTile, kSide / kTile);
  bad_rows_by_x<<<grid, square>>>(in, out, kSide);
  good_rows_by_y<<<grid, square>>>(in, out, kSide);
  bad_tall_block<<<dim3(kSide, 4), dim3(1, 256)>>>(in, out, kSide);
  bad_stride<<<256, 256>>>(in, out, 16);
  bad_column_sums<<<256, 256>>>(in, out, 16);
  good_column_sums<<<256, 256>>>(in, out, 16);
  bad_struct_field<<<256, 256>>>((Particle*)in, out);
  good_array_of_field<<<256, 256>>>(in, out);
  bad_offset<<<256, 256>>>(in, out, 1);
  bad_gather<<<256, 256>>>(index, in, out);
  bad_transpose<<<grid, square>>>(in, out, kSide);
  good_transpose<<<grid, square>>>(in, out, kSide);
  good_wide_shared<<<256, 256>>>((float4*)in, (float4*)out);
  bad_steps_by_lane<<<256, 256>>>(in, out);
  good_steps_by_warp<<<256, 256>>>(in, out);
  good_guard<<<256, 256>>>(in, out, 65500);
  bad_histogram<<<256, 256>>>(index, (int*)out);
  bad_local_table<<<256, 256>>>(index, in, out);
  bad_volume<<<dim3(4, 64), dim3(32, 2)>>>(in, out, 128, 128, 64);
  copy<<<20000, 50>>>(in, out);          // WL401 of the launch
  copy<<<2048, 32>>>(in, out);           // a note: few warps an SM
  good_copy<<<256, 256>>>(in, out);
  long_sum<<<8, 256>>>(in, out, 65536);  // WL402 of the launch
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  free(host);
}
