// The numbers of each generator: sums of their bits a line, and some in full. What goes through a logarithm or a sine
// may differ in its last bit, since nvcc's are its own; of those the sums are printed with fewer digits.
#include <curand_kernel.h>

#include <cstdio>

constexpr int kLines = 64, kThreads = 64;

struct See {
  unsigned long long* to;
  unsigned id;
  int at = 0;
  template <typename V>
  __device__ void operator()(V v) {
    unsigned long long bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = (bits ^ id) * 0x9E3779B97F4A7C15ull;
    atomicAdd(to + at++, bits ^ bits >> 31);
  }
};
// About the same: the sum in units of 2^-30.
__device__ void close(See& see, double v) {
  atomicAdd(see.to + kLines + see.at++, static_cast<unsigned long long>(llrint(v * 0x1p30)));
}

template <typename State>
__device__ void all(State& s, See& see) {
  for (int i = 0; i < 3; ++i) see(curand(&s));
  see(curand_uniform(&s));
  see(curand_uniform_double(&s));
  for (int i = 0; i < 3; ++i) close(see, curand_normal(&s));
  for (int i = 0; i < 3; ++i) close(see, curand_normal_double(&s));
  float2 f = curand_normal2(&s);
  double2 d = curand_normal2_double(&s);
  close(see, f.x), close(see, f.y), close(see, d.x), close(see, d.y);
  close(see, curand_log_normal(&s, 1.f, .5f)), close(see, curand_log_normal_double(&s, 1, .5));
  f = curand_log_normal2(&s, .1f, .3f);
  d = curand_log_normal2_double(&s, .1, .3);
  close(see, f.x), close(see, f.y), close(see, d.x), close(see, d.y);
  see(curand_poisson(&s, .5)), see(curand_poisson(&s, 7)), see(curand_poisson(&s, 50)), see(curand_poisson(&s, 5000));
  skipahead(1345, &s);
  see(curand(&s));
  skipahead(7, &s);
  see(curand(&s));
  skipahead(0x1200000000000ull, &s);
  see(curand(&s));
  skipahead_sequence(3, &s);
  see(curand(&s));
  see(sizeof s);
}
__device__ void more(curandStatePhilox4_32_10_t& s, See& see) {
  for (int k = 0; k < 4; ++k) {
    uint4 u = curand4(&s);
    see(u.x), see(u.w);
    float4 f = curand_uniform4(&s), g = curand_normal4(&s);
    see(f.y), see(f.z), close(see, g.x), close(see, g.w);
    double2 d = curand_uniform2_double(&s);
    see(d.x), see(d.y);
    curand(&s);
  }
  auto wide = curand_uniform4_double(&s);
  see(wide.z);
  wide = curand_normal4_double(&s);
  close(see, wide.w);
}
template <typename State>
__device__ void more(State&, See&) {}
__device__ void subsequences(curandStateMRG32k3a_t& s, See& see) {
  skipahead_subsequence(5, &s);
  see(curand(&s));
}
template <typename State>
__device__ void subsequences(State&, See&) {}

template <typename State>
__global__ void run(unsigned long long seed, unsigned long long* out, unsigned* some) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  State s;
  curand_init(seed, id * 0x10001ull, id % 5 ? id * 7 : 0, &s);
  if (id < 8) {
    State t = s;
    some[id] = curand(&t);
  }
  See see{out, id};
  all(s, see);
  subsequences(s, see);
  more(s, see);
}

template <typename State>
void show(const char* name) {
  unsigned long long* out;
  unsigned* some;
  cudaMallocManaged(&out, 2 * kLines * sizeof *out);
  cudaMallocManaged(&some, 8 * sizeof *some);
  for (unsigned long long seed : {0ull, 0xfedcba9876543210ull}) {
    cudaMemset(out, 0, 2 * kLines * sizeof *out);
    run<State><<<kThreads / 32, 32>>>(seed, out, some);
    std::printf("%s %llx: %s\n", name, seed, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 8; ++i) std::printf(" %08x", some[i]);
    std::printf("\n");
    for (int i = 0; i < kLines; ++i)
      if (out[i]) std::printf("%d %016llx\n", i, out[i]);
    for (int i = kLines; i < 2 * kLines; ++i)
      if (out[i]) std::printf("%d about %.5g\n", i, static_cast<double>(static_cast<long long>(out[i])) * 0x1p-30);
  }
}

int main() {
  show<curandStateXORWOW_t>("XORWOW");
  show<curandStatePhilox4_32_10_t>("Philox4_32_10");
  show<curandStateMRG32k3a_t>("MRG32k3a");
}
