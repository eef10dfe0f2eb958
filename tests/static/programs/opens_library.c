/* Knows nothing of CUDA: opens libplugin.so beside it and calls the main() in it, whether it is mangled or not. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  char path[PATH_MAX];
  if (!realpath("/proc/self/exe", path)) return 100;
  strcat(dirname(path), "/libplugin.so");
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 101;
  }
  int (*plain)(void) = (int (*)(void))dlsym(library, "_Z11plugin_mainv");
  int (*with_arguments)(int, char **) = (int (*)(int, char **))dlsym(library, "_Z11plugin_mainiPPc");
  return plain ? plain() : with_arguments ? with_arguments(argc, argv) : 102;
}
