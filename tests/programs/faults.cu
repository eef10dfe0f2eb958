// One kernel that fails as argv[1] says; then what the program sees.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <cassert>

__global__ void out_of_bounds(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = n;  // fault: out of bounds
}
__global__ void misaligned(char* base) {
  *(int*)(base + threadIdx.x * 6) = 1;  // fault: misaligned
}
__global__ void null_read(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // fault: null read
}
__global__ void freed(int* data) {
  data[threadIdx.x] = 1;  // fault: freed
}
__global__ void traps(int n) {
  if (threadIdx.x == n) __trap();  // fault: trap
}
__global__ void asserts(int n) {
  assert(threadIdx.x < n);  // fault: assert
}
__global__ void shared_past_end(int* out, int i) {
  __shared__ int tile[32];
  tile[threadIdx.x + i] = 1;  // fault: shared
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void heap_past_end() {
  int* data = (int*)malloc(4 * sizeof(int));
  data[threadIdx.x] = 1;  // fault: heap
  free(data);
}
__global__ void frees_twice() {
  void* data = malloc(8);
  free(data);
  free(data);  // fault: free
}
__global__ void never_told(volatile int* flag) {
  if (threadIdx.x == 3)
    while (*flag == 0) continue;  // fault: deadlock
  __syncthreads();
}

__global__ void no_texture(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 1);  // fault: no texture
}
__global__ void texture_freed(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 1);  // fault: texture freed
}
__global__ void surface_outside(cudaSurfaceObject_t surface, float* out) {
  surf2Dwrite(out[threadIdx.x], surface, threadIdx.x * 4, 3);  // fault: surface outside
}

// 16 x 8 floats as a texture or as a surface.
static unsigned long long object(const char* how) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  unsigned long long handle = 0;
  cudaMallocArray(&resource.res.array.array, &format, 16, 8, cudaArraySurfaceLoadStore);
  if (!strcmp(how, "surface_outside")) {
    cudaCreateSurfaceObject(&handle, &resource);
  } else {
    cudaCreateTextureObject(&handle, &resource, &texture, nullptr);
    if (!strcmp(how, "no_texture")) cudaDestroyTextureObject(handle);
    if (!strcmp(how, "texture_freed")) cudaFreeArray(resource.res.array.array);
  }
  return handle;
}

int main(int, char** argv) {
  float* d;
  int* freed_data;
  cudaMalloc(&d, 1000 * sizeof(float));
  cudaMalloc(&freed_data, 128);
  cudaFree(freed_data);
  if (!strcmp(argv[1], "out_of_bounds")) out_of_bounds<<<8, 128>>>(d, 5);
  if (!strcmp(argv[1], "misaligned")) misaligned<<<1, 32>>>((char*)d);
  if (!strcmp(argv[1], "null_read")) null_read<<<1, 32>>>(0, (int*)d);
  if (!strcmp(argv[1], "freed")) freed<<<1, 32>>>(freed_data);
  if (!strcmp(argv[1], "traps")) traps<<<1, 64>>>(37);
  if (!strcmp(argv[1], "asserts")) asserts<<<1, 64>>>(37);
  if (!strcmp(argv[1], "shared_past_end")) shared_past_end<<<1, 32>>>((int*)d, 1 << 20);
  if (!strcmp(argv[1], "heap_past_end")) heap_past_end<<<1, 8>>>();
  if (!strcmp(argv[1], "frees_twice")) frees_twice<<<1, 1>>>();
  if (!strcmp(argv[1], "never_told")) cudaMemset(d, 0, 4), never_told<<<40, 64>>>((int*)d);
  if (!strcmp(argv[1], "no_texture")) no_texture<<<1, 32>>>(object(argv[1]), d);
  if (!strcmp(argv[1], "texture_freed")) texture_freed<<<1, 32>>>(object(argv[1]), d);
  if (!strcmp(argv[1], "surface_outside")) surface_outside<<<1, 32>>>(object(argv[1]), d);
  if (!strcmp(argv[1], "never_told_by_the_host")) {
    int* flag;
    cudaMallocHost(&flag, 4);
    *flag = 0;
    never_told<<<1, 64>>>(flag);
    *flag = 1;
  }
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("afterwards: %s\n", cudaGetErrorName(cudaMalloc(&d, 16)));
}
