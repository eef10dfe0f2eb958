// Ends in the way that its argument says, after one launch and without waiting for it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void once(int* data) { data[threadIdx.x] = 1; }

int main(int argc, char** argv) {
  int* data;
  cudaMalloc(&data, 256);
  once<<<1, 32>>>(data);
  const char* how = argc > 1 ? argv[1] : "";
  if (!std::strcmp(how, "abort")) std::abort();
  if (!std::strcmp(how, "crash")) *static_cast<volatile int*>(nullptr) = 1;
  if (!std::strcmp(how, "exit")) std::exit(3);
  if (!std::strcmp(how, "_exit")) _exit(4);
  if (!std::strcmp(how, "sleep"))
    for (;;) sleep(1);
  return 0;
}
