// Opens the library as Python packages do: by the path of a file that has a hash in its name.
#include <dlfcn.h>

#include <cstdio>

int main() {
  void* library = dlopen("/opt/wheel/libs/libcublas-0a1b2c3d.so.12", RTLD_NOW);
  if (!library) return std::puts(dlerror()), 1;
  auto create = (int (*)(void**))dlsym(library, "cublasCreate_v2");
  auto version = (int (*)(void*, int*))dlsym(library, "cublasGetVersion_v2");
  void* handle = nullptr;
  int number = 0;
  if (!create || !version || create(&handle) || version(handle, &number)) return 1;
  std::printf("%d %d\n", number / 10000, handle != nullptr);
}
