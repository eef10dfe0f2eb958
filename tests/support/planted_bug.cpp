// A process with the bug that its argument names, which ends as if nothing were wrong.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace {

int past_the_end(int n) {
  auto bytes = std::make_unique<char[]>(static_cast<size_t>(n));
  return bytes.get()[n];
}

int overflow(int n) { return n + 2147483647; }

int race(int n) {
  int shared = 0;
  std::thread other([&] { shared += n; });
  shared += n;
  other.join();
  return shared;
}

}  // namespace

int main(int, char** argv) {
  const char* kind = argv[1];
  int result = 0;
  if (!std::strcmp(kind, "address")) result = past_the_end(3);
  if (!std::strcmp(kind, "undefined")) result = overflow(3);
  if (!std::strcmp(kind, "thread")) result = race(3);
  std::printf("%d\n", result);
  std::fflush(stdout);
  _exit(0);
}
