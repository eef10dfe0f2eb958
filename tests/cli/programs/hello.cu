// Prints what it was given and ends with its first argument as exit code.
#include <cstdio>
#include <cstdlib>

__global__ void twice(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int main(int argc, char** argv) {
  const int n = 256;
  int host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<n / 128, 128>>>(in, out, n);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[1], host[n - 1]);
  for (int i = 1; i < argc; ++i) std::printf("<%s>\n", argv[i]);
  std::fprintf(stderr, "program's own stderr\n");
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
