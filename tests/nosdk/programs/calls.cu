// Calls that are not inlined: recursion, functions called through pointers, virtual functions, callbacks, alloca.
// calls.h200.txt is what an H200 printed.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

// ---- recursion
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ int is_odd(int n);
__device__ __noinline__ int is_even(int n) { return n == 0 ? 1 : 3 * is_odd(n - 1) % 7; }
__device__ __noinline__ int is_odd(int n) { return n == 0 ? 0 : 1 + is_even(n - 1); }
__device__ __noinline__ double power(double x, int n) {
  if (n == 0) return 1;
  const double half = power(x, n / 2);
  return n % 2 ? x * half * half : half * half;
}
__device__ __noinline__ long long hanoi(int n, int from, int to, int over, int* moves) {
  if (n == 0) return 0;
  long long sum = hanoi(n - 1, from, over, to, moves);
  ++*moves;
  sum = sum * 31 + from * 3 + to;
  return sum ^ hanoi(n - 1, over, to, from, moves);
}
// Arrays in every frame.
__device__ __noinline__ int digits(int n, int* out) {
  int mine[4];
  for (int i = 0; i < 4; i++) mine[i] = (n + i) % 10;
  if (n < 10) {
    *out = mine[n & 3];
    return 1;
  }
  int below = 0;
  const int count = digits(n / 10, &below);
  mine[n & 3] += below;
  *out = mine[(n >> 1) & 3] + mine[0];
  return count + 1;
}
struct Vector { float x, y, z; int tag; };
__device__ __noinline__ Vector mix(Vector a, Vector b, int n) {
  if (n == 0) return a;
  const Vector c = {a.y + 1, a.z * 0.5f, b.x, a.tag + b.tag};
  Vector r = mix(b, c, n - 1);
  r.x += a.x;
  r.tag ^= n;
  return r;
}
__device__ __noinline__ void quicksort(int* data, int low, int high) {
  if (low >= high) return;
  const int pivot = data[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (data[i] < pivot) i++;
    while (data[j] > pivot) j--;
    if (i <= j) {
      const int t = data[i];
      data[i++] = data[j];
      data[j--] = t;
    }
  }
  quicksort(data, low, j);
  quicksort(data, i, high);
}
__global__ void recursion(long long* out, int* scratch) {
  const int t = threadIdx.x;
  long long* mine = out + t * 10;
  mine[0] = fibonacci(t % 13);
  mine[1] = ackermann(t % 3, t % 4);
  mine[2] = is_even(t) * 100 + is_odd(t / 2);
  mine[3] = (long long)(power(1.5, t % 20) * 1000);
  int moves = 0;
  mine[4] = hanoi(t % 6, 1, 2, 3, &moves);
  mine[5] = moves;
  int last = 0;
  mine[6] = digits(t * t * 977, &last);
  mine[7] = last;
  const Vector v = mix({1.0f * t, 2, 3, t}, {0.5f, t * 0.25f, 4, 7}, t % 5);
  mine[8] = (long long)(v.x * 64) + (long long)(v.y * 32) + (long long)(v.z * 16) + v.tag;
  int* data = scratch + t * 20;
  for (int i = 0; i < 20; i++) data[i] = (i * 7919 + t * 104729) % 1000;
  quicksort(data, 0, t % 20);
  long long hash = 0;
  for (int i = 0; i < 20; i++) hash = hash * 31 + data[i];
  mine[9] = hash;
}

// Lanes that come back from different depths shuffle together, in the function and behind it.
__device__ __noinline__ int tree_sum(int depth, int lane) {
  if (depth == 0) return lane;
  int sum = tree_sum(depth - 1, lane * 2) + tree_sum(depth - 1, lane * 2 + 1);
  return sum;
}
__global__ void together(int* out) {
  const int lane = threadIdx.x & 31;
  int value = tree_sum(lane % 6, lane);
  value += __shfl_xor_sync(~0u, value, 16);
  value += __shfl_down_sync(~0u, value, 3);
  __shared__ int all[64];
  all[threadIdx.x] = value;
  __syncthreads();
  out[threadIdx.x] = all[63 - threadIdx.x] + __popc(__ballot_sync(~0u, value & 4));
}

// ---- through pointers
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
__device__ int min_of(int a, int b) { return a < b ? a : b; }
__device__ int max_of(int a, int b) { return a > b ? a : b; }
__device__ Op table[6] = {add, sub, mul, gcd, min_of, max_of};
__constant__ Op fixed[3] = {max_of, mul, add};
__device__ Op chosen = sub;
__global__ void pointers(Op given, int* out) {
  const int t = threadIdx.x;
  int r = table[t % 6](t, 7);
  r = r * 31 + fixed[t % 3](t, 2);
  r = r * 31 + given(r & 255, t);
  Op local[2] = {add, chosen};
  for (int i = 0; i < t % 4; i++) r += local[(i + t) & 1](r, i);
  out[t] = r;
}
// Another type of function, of which there are two.
typedef float (*Unary)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ Unary unary[2] = {twice, square};
template <typename F>
__device__ float apply(F f, float x, int n) {
  for (int i = 0; i < n; i++) x = f(x) + 1;
  return x;
}
__global__ void callbacks(float* out) {
  const int t = threadIdx.x;
  out[t] = apply(unary[t & 1], 0.5f, t % 5) + apply([t](float x) { return x - t; }, 1.0f, 3);
}

// ---- virtual functions
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int scaled(int by) const { return area() * by; }
};
struct Square : Shape {
  int side;
  __device__ Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Shape {
  int a, b;
  __device__ Box(int x, int y) : a(x), b(y) {}
  __device__ int area() const override { return a * b; }
  __device__ int scaled(int by) const override { return a * by * b * by; }
};
struct Group : Shape {  // of shapes, maybe groups
  Shape* parts[2];
  __device__ Group(Shape* x, Shape* y) { parts[0] = x, parts[1] = y; }
  __device__ ~Group() override { delete parts[0]; delete parts[1]; }
  __device__ int area() const override { return parts[0]->area() + parts[1]->area(); }
};
__device__ Shape* make(int depth, int seed) {
  if (depth == 0) return seed & 1 ? (Shape*)new Square(seed % 11) : new Box(seed % 5, seed % 7);
  return new Group(make(depth - 1, seed * 3 + 1), make(seed % 2 ? 0 : depth - 1, seed * 5 + 2));
}
__global__ void build(Shape** shapes) { shapes[threadIdx.x] = make(threadIdx.x % 4, threadIdx.x); }
__global__ void measure(Shape** shapes, int* out) {
  out[threadIdx.x] = shapes[threadIdx.x]->area() * 10 + shapes[threadIdx.x]->scaled(2);
}
__global__ void destroy(Shape** shapes) { delete shapes[threadIdx.x]; }

// ---- memory of a size that is known at run time
__device__ __noinline__ int reversed(int n, int depth) {
  int* a = (int*)__builtin_alloca(n * sizeof(int));
  for (int i = 0; i < n; i++) a[i] = i * depth;
  int sum = depth > 0 ? reversed(n / 2 + 1, depth - 1) : 0;
  for (int i = n - 1; i >= 0; i--) sum = sum * 3 + a[i];
  return sum;
}
__global__ void allocas(int* out) {
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += reversed(threadIdx.x % 7 + i, threadIdx.x % 3);
  out[threadIdx.x] = sum;
}

template <typename T>
void show(const char* name, const T* data, int count) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, data + i, sizeof(T));
    hash = (hash ^ bits) * 1099511628211u;
  }
  printf("%s: %016llx, %s\n", name, (unsigned long long)hash, cudaGetErrorString(cudaGetLastError()));
}

int main() {
  long long* wide;
  int* scratch;
  Shape** shapes;
  cudaMallocManaged(&wide, 64 * 10 * 8);
  cudaMalloc(&scratch, 64 * 20 * 4);
  cudaMalloc(&shapes, 64 * 8);
  int* out = (int*)wide;
  cudaDeviceSetLimit(cudaLimitStackSize, 8192);

  recursion<<<1, 64>>>(wide, scratch);
  cudaDeviceSynchronize();
  show("recursion", wide, 640);
  for (int i = 0; i < 10; i++) printf(" %lld", wide[37 * 10 + i]);
  printf("\n");
  together<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  show("together", out, 64);
  Op given;
  cudaMemcpyFromSymbol(&given, table, sizeof given, 3 * sizeof given);
  pointers<<<1, 64>>>(given, out);
  cudaDeviceSynchronize();
  show("pointers", out, 64);
  callbacks<<<1, 50>>>((float*)out);
  cudaDeviceSynchronize();
  show("callbacks", (float*)out, 50);
  build<<<1, 64>>>(shapes);
  measure<<<1, 64>>>(shapes, out);
  destroy<<<1, 64>>>(shapes);
  cudaDeviceSynchronize();
  show("virtual functions", out, 64);
  allocas<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  show("alloca", out, 64);
}
