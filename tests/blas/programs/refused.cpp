// One call of each library that is refused, one of them twice.
#include <cstdio>

extern "C" {
int cufftPlan1d(int* plan, int n, int type, int batch);
int curandCreateGenerator(void** generator, int type);
int cusparseCreate(void** handle);
int cusolverDnCreate(void** handle);
int cudnnCreate(void** handle);
int ncclCommInitAll(void** communicators, int count, const int* devices);
int cublasXtCreate(void** handle);
}

int main() {
  int plan = 0;
  void* handle = nullptr;
  std::printf("%d ", cufftPlan1d(&plan, 8, 0x29, 1));
  std::printf("%d ", cufftPlan1d(&plan, 8, 0x29, 1));
  std::printf("%d ", curandCreateGenerator(&handle, 100));
  std::printf("%d ", cusparseCreate(&handle));
  std::printf("%d ", cusolverDnCreate(&handle));
  std::printf("%d ", cudnnCreate(&handle));
  std::printf("%d ", ncclCommInitAll(&handle, 1, nullptr));
  std::printf("%d\n", cublasXtCreate(&handle));
}
