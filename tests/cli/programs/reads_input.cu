// Copies its standard input to its standard output.
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  for (int c; (c = std::getchar()) != EOF;) std::putchar(c);
  return 0;
}
