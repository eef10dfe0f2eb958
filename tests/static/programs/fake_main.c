/* Calls the fake runtime; has functions of its own that only look like the runtime's. */
#include <stdio.h>
__attribute__((visibility("hidden"))) int cudaMalloc(void), cudaFree(void), __cudaRegisterFatBinary(void);
static __attribute__((noinline, used)) int cudaCheckOwn(int x) { return x + 1; }
static __attribute__((noinline, used)) int __cudaRegisterLinkedBinary_12ab(int x) { return x + 2; }
int main(void) {
  printf("%d\n", cudaCheckOwn(cudaMalloc() + cudaFree()) + __cudaRegisterLinkedBinary_12ab(0) +
                     (__cudaRegisterFatBinary() == 0));
}
