// __managed__ variables: what the host finds in them before any call, what kernels and the host write, by name and by
// address.
#include <cstdio>

struct Node {
  int value;
  Node* next;
};

__managed__ int counter = 5;
__device__ __managed__ float table[64];
static __managed__ short quiet = 7;
__managed__ Node tail = {2, nullptr};
__managed__ Node head = {1, nullptr};
__managed__ double unused_by_kernels = 2.5;
__device__ int plain = 11;

__global__ void step() {
  atomicAdd(&counter, 1);
  table[threadIdx.x] += threadIdx.x + plain;
  if (threadIdx.x == 0) {
    quiet++;
    for (Node* node = &head; node; node = node->next) node->value *= 10;
  }
}

int main() {
  printf("%d %d %g %g\n", counter, quiet, table[63], unused_by_kernels);
  head.next = &tail;
  counter = 100;
  for (float& x : table) x = 0.5f;
  step<<<1, 64>>>();
  printf("%d\n", cudaDeviceSynchronize());
  printf("%d %d %g %g %d %d\n", counter, quiet, table[0], table[63], head.value, tail.value);
  int* address = nullptr;
  printf("%d", cudaGetSymbolAddress(reinterpret_cast<void**>(&address), counter));
  printf(" %d\n", address == &counter);
  size_t bytes = 0;
  printf("%d", cudaGetSymbolSize(&bytes, table));
  printf(" %zu\n", bytes);
  int seven = 7, read = 0;
  printf("%d", cudaMemcpyToSymbol(counter, &seven, sizeof seven));
  printf(" %d", cudaMemcpyFromSymbol(&read, counter, sizeof read));
  printf(" %d %d\n", counter, read);
  cudaPointerAttributes attributes;
  printf("%d", cudaPointerGetAttributes(&attributes, &counter));
  printf(" %d\n", attributes.type == cudaMemoryTypeManaged);
}
