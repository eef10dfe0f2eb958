// One warp; what the L1 counts of stores to local memory and loads of it, and of generic accesses.
#include <cstdint>
#include <cstdio>
template <class T>
__global__ void local_words(uint32_t mask, uint32_t first, uint32_t stride, T* out) {
  T buffer[32];
  const uint32_t lane = threadIdx.x, at = (first + lane * stride) & 31;
  if (mask >> lane & 1) {
    buffer[at] = out[lane];
    asm volatile("" ::: "memory");
    out[lane] = buffer[at ^ (first >> 8)];
  }
}
struct Out {
  uint32_t w[4];
};
template <int Bytes, int Op>
__global__ void generic(uint64_t spaces, uint32_t mask, uint32_t stride, char* global, uint32_t* out) {
  __shared__ __align__(16) char shared[4096];
  __align__(16) char local[256];
  for (int i = 0; i < 256; ++i) local[i ^ (stride >> 16)] = char(i);
  shared[threadIdx.x] = 1;
  __syncthreads();
  const uint32_t lane = threadIdx.x, kind = spaces >> (2 * lane) & 3;
  uint64_t p = kind == 0   ? uint64_t(global) + lane * (stride & 0xffff)
               : kind == 1 ? uint64_t(shared) + (lane * (stride & 0xffff) & 4095)
                           : uint64_t(local) + (lane * (stride & 0xffff) & 127);
  uint32_t a = lane, b = 0, c = 0, d = 0;
  if (mask >> lane & 1) {
    if (Op == 0 && Bytes == 4) asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    if (Op == 0 && Bytes == 8) asm volatile("ld.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    if (Op == 0 && Bytes == 16)
      asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
    if (Op == 1 && Bytes == 4) asm volatile("st.u32 [%1], %0;" ::"r"(a), "l"(p) : "memory");
    if (Op == 1 && Bytes == 8) asm volatile("st.v2.u32 [%2], {%0, %1};" ::"r"(a), "r"(b), "l"(p) : "memory");
    if (Op == 1 && Bytes == 16)
      asm volatile("st.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(a), "r"(b), "r"(c), "r"(d), "l"(p) : "memory");
    if (Op == 2) asm volatile("atom.add.u32 %0, [%1], 3;" : "=r"(a) : "l"(p) : "memory");
    if (Op == 3) asm volatile("red.add.u32 [%0], 3;" ::"l"(p) : "memory");
  }
  out[lane] = a + b + c + d + local[lane] + shared[lane];
}
template <class T>
void locals(char* p) {
  for (uint32_t mask : {0xffffffffu, 0x1u, 0x11111111u})
    for (uint32_t stride : {0u, 1u}) {
      local_words<T><<<1, 32>>>(mask, 5, stride, (T*)p);
      printf("local %d %08x %u\n", int(sizeof(T)), mask, stride);
    }
}
template <int B, int Op>
void generics(char* p) {
  for (uint64_t spaces : {0x0ull, 0x5555555555555555ull, 0xaaaaaaaaaaaaaaaaull, 0x1111111111111111ull,
                          0x2222222222222222ull, 0x9999999999999999ull, 0x5555555500000000ull}) {
    if (Op >= 2 && (spaces & 0xaaaaaaaaaaaaaaaaull)) continue;
    for (uint32_t stride : {uint32_t(B)}) {
      generic<B, Op><<<1, 32>>>(spaces, 0xffffffffu, stride, p, (uint32_t*)(p + 65536));
      printf("generic %d %d %016llx %u\n", B, Op, (unsigned long long)spaces, stride);
    }
  }
}
int main() {
  char* p;
  cudaMalloc(&p, 1 << 20);
  cudaMemset(p, 0, 1 << 20);
  locals<char>(p);
  locals<int>(p);
  locals<long long>(p);
  locals<ulonglong2>(p);
  generics<4, 0>(p);
  generics<8, 0>(p);
  generics<16, 0>(p);
  generics<4, 1>(p);
  generics<8, 1>(p);
  generics<16, 1>(p);
  generics<4, 2>(p);
  generics<4, 3>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
