#include "workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/check.h"
#include "exec/texture.h"

namespace warplens::bench {
namespace {

constexpr int kK = 1024;

// A buffer of 4-byte elements; as both sides see memory.
struct Array {
  uint64_t address = 0;
  size_t count = 0;
  float* floats() const { return reinterpret_cast<float*>(address); }
  int* ints() const { return reinterpret_cast<int*>(address); }
};

class Maker {
 public:
  explicit Maker(exec::DeviceMemory& memory) : memory_(memory) {}

  Array array(size_t count) {
    auto address = memory_.allocate(count * 4);
    WL_CHECK(address, "the benchmark's data does not fit in its own memory");
    std::memset(reinterpret_cast<void*>(*address), 0, count * 4);  // touched now, not while it is measured
    return {*address, count};
  }
  Array random_floats(size_t count) {
    Array a = array(count);
    for (size_t i = 0; i < count; i++) a.floats()[i] = float(int(random_() % 2001) - 1000) / 1000.0f;
    return a;
  }
  // Two halves in each element: eighths, whose products and sums are exact.
  Array random_halves(size_t count) {
    Array a = array(count);
    auto* halves = reinterpret_cast<_Float16*>(a.address);
    for (size_t i = 0; i < 2 * count; i++) halves[i] = static_cast<_Float16>(float(int(random_() % 33) - 16) / 8.0f);
    return a;
  }
  // Whole numbers: their sums are exact in any order.
  Array small_floats(size_t count) {
    Array a = array(count);
    for (size_t i = 0; i < count; i++) a.floats()[i] = float(random_() % 8);
    return a;
  }
  Array random_ints(size_t count, unsigned below, int first = 0) {
    Array a = array(count);
    for (size_t i = 0; i < count; i++) a.ints()[i] = first + int(random_() % below);
    return a;
  }
  // An image of floats as a texture: between texels linear, the edge repeated.
  uint64_t texture(Array image, unsigned width) {
    const auto height = static_cast<uint32_t>(image.count / width);
    exec::Texture t;
    t.dimensions = 2;
    t.format = {exec::TexelFormat::Kind::Float, 32, 1};
    t.levels = {{image.address, width, height, 1, 0, uint64_t{width} * 4, image.count * 4}};
    for (auto& mode : t.address) mode = exec::AddressMode::Clamp;
    t.filters = true;
    return memory_.textures().add(std::make_shared<const exec::Texture>(std::move(t)));
  }

 private:
  exec::DeviceMemory& memory_;
  std::mt19937 random_{1};
};

template <typename... Arguments>
std::vector<uint8_t> pack(Arguments... arguments) {
  std::vector<uint8_t> bytes;
  auto add = [&](auto value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  };
  (add(arguments), ...);
  return bytes;
}

std::string difference(size_t i, double got, double wanted) {
  return fmt::format("element {} is {} instead of {}", i, got, wanted);
}

// Both sides wrote an array; they must agree to `tolerance` (relative above 1). Floating point contracts differently.
void compare_floats(Workload& w, Array kernel, Array native, float tolerance) {
  w.clear = [=] {
    std::fill_n(kernel.floats(), kernel.count, -77.0f);
    std::fill_n(native.floats(), native.count, -88.0f);
  };
  w.check = [=]() -> std::string {
    for (size_t i = 0; i < kernel.count; i++) {
      const float got = kernel.floats()[i], wanted = native.floats()[i];
      if (!(std::abs(got - wanted) <= tolerance * std::max(1.0f, std::abs(wanted)))) return difference(i, got, wanted);
    }
    return "";
  };
}

// The same for integers, of which `may_differ` may be wrong.
void compare_ints(Workload& w, Array kernel, Array native, size_t may_differ = 0) {
  w.clear = [=] {
    std::fill_n(kernel.ints(), kernel.count, -77);
    std::fill_n(native.ints(), native.count, -88);
  };
  w.check = [=]() -> std::string {
    size_t wrong = 0;
    for (size_t i = 0; i < kernel.count; i++)
      if (kernel.ints()[i] != native.ints()[i] && wrong++ == may_differ)
        return difference(i, kernel.ints()[i], native.ints()[i]);
    return "";
  };
}

Workload flat(std::string name, std::string kernel, int n, std::vector<const char*> native) {
  Workload w;
  w.name = std::move(name);
  w.file = w.kernel = std::move(kernel);
  w.config = {{unsigned(n) / 256, 1, 1}, {256, 1, 1}, 0};
  w.native = std::move(native);
  w.job.n = n;
  w.size = n;
  w.grain = 1024;
  return w;
}

Workload vadd(Maker& make, std::string name, int n) {
  Workload w = flat(std::move(name), "vadd", n, {"vadd"});
  Array a = make.random_floats(n), b = make.random_floats(n), c = make.array(n), d = make.array(n);
  w.params = pack(a.address, b.address, c.address, n);
  w.job.a = a.floats(), w.job.b = b.floats(), w.job.c = d.floats();
  compare_floats(w, c, d, 0);
  return w;
}

Workload map(Maker& make, std::string name, std::string kernel, int n, float tolerance) {
  Workload w = flat(std::move(name), kernel, n, {});
  Array a = make.random_floats(n), c = make.array(n), d = make.array(n);
  w.params = pack(a.address, c.address, n);
  w.job.a = a.floats(), w.job.c = d.floats();
  compare_floats(w, c, d, tolerance);
  return w;
}

Workload gather(Maker& make) {
  const int n = 64 * kK;
  Workload w = flat("gather 64K random", "gather", n, {"gather"});
  Array a = make.random_floats(n), index = make.random_ints(n, n), c = make.array(n), d = make.array(n);
  w.params = pack(a.address, index.address, c.address, n);
  w.job.a = a.floats(), w.job.index = index.ints(), w.job.c = d.floats();
  compare_floats(w, c, d, 0);
  return w;
}

Workload binary_search(Maker& make) {
  const int n = 64 * kK, size = 16 * kK;
  Workload w = flat("binary search 64K", "binary_search", n, {"bsearch"});
  Array table = make.array(size), query = make.random_ints(n, 3 * size), out = make.array(n), other = make.array(n);
  for (int i = 0; i < size; i++) table.ints()[i] = 3 * i;
  w.params = pack(table.address, query.address, out.address, n, size);
  w.job.table = table.ints(), w.job.index = query.ints(), w.job.out = other.ints(), w.job.limit = size;
  compare_ints(w, out, other);
  return w;
}

Workload matmul(Maker& make, std::string name, std::string kernel, unsigned n, unsigned width, unsigned height) {
  Workload w;
  w.name = std::move(name);
  w.file = w.kernel = std::move(kernel);
  w.config = {{n / width, n / height, 1}, {width, height, 1}, 0};
  // Row by column is 40 times slower than the interchanged loops at 1024, and never the faster.
  w.native = n <= 512 ? std::vector{"matmul ijk", "matmul ikj"} : std::vector{"matmul ikj"};
  Array a = make.random_floats(n * n), b = make.random_floats(n * n), c = make.array(n * n), d = make.array(n * n);
  w.params = pack(a.address, b.address, c.address, int(n));
  w.job.a = a.floats(), w.job.b = b.floats(), w.job.c = d.floats(), w.job.n = int(n);
  w.size = int(n), w.grain = 4;
  compare_floats(w, c, d, 1e-4f);
  return w;
}

Workload axpy_half(Maker& make) {
  const int n = 256 * kK;  // pairs
  Workload w = flat("axpy half2 256K", "axpy_half", n, {"axpy half"});
  Array x = make.random_halves(n), y = make.random_halves(n), out = make.array(n), other = make.array(n);
  w.params = pack(x.address, y.address, out.address, n);
  w.job.a = x.floats(), w.job.b = y.floats(), w.job.c = other.floats();
  compare_ints(w, out, other);
  return w;
}

// On the tensor cores' instructions.
Workload mma(Maker& make) {
  const unsigned n = 256;
  Workload w;
  w.name = "mma half 256";
  w.file = w.kernel = "mma";
  w.config = {{n / 64, n / 16, 1}, {128, 1, 1}, 0};
  w.native = {"matmul half"};
  Array a = make.random_halves(n * n / 2), b = make.random_halves(n * n / 2), c = make.array(n * n),
        d = make.array(n * n);
  w.params = pack(a.address, b.address, c.address, int(n));
  w.job.a = a.floats(), w.job.b = b.floats(), w.job.c = d.floats(), w.job.n = n;
  w.size = n, w.grain = 4;
  compare_floats(w, c, d, 0);
  return w;
}

// Atomics on shared memory. The kernel counts by blocks, C++ by whatever it is split into: the sums must agree.
Workload histogram(Maker& make) {
  const int n = 1024 * kK, blocks = 64;
  Workload w = flat("histogram 1M", "histogram", n, {"histogram", "histogram split"});
  w.config.grid.x = blocks;
  Array values = make.random_ints(n, 256), counts = make.array(blocks * 256), native = make.array(blocks * 256);
  w.params = pack(values.address, counts.address, n / blocks);
  w.job.index = values.ints(), w.job.out = native.ints(), w.job.n = n / blocks;
  w.grain = n / blocks;
  w.clear = [=] { std::fill_n(counts.ints(), counts.count, -77), std::fill_n(native.ints(), native.count, 0); };
  w.check = [=]() -> std::string {
    for (size_t value = 0; value < 256; value++) {
      int got = 0, wanted = 0;
      for (size_t i = value; i < counts.count; i += 256) got += counts.ints()[i], wanted += native.ints()[i];
      if (got != wanted) return difference(value, got, wanted);
    }
    return "";
  };
  return w;
}

// Filtered fetches of a texture, whose weights have 8 bits: the two agree to a 256th of the largest step between
// texels.
Workload rotate(Maker& make) {
  const unsigned n = 512;
  const float turn[2] = {0.8f, 0.6f};
  Workload w;
  w.name = "rotate texture 512";
  w.file = w.kernel = "rotate";
  w.config = {{n / 32, n / 8, 1}, {32, 8, 1}, 0};
  w.native = {"rotate"};
  Array image = make.random_floats(n * n), out = make.array(n * n), other = make.array(n * n), angle = make.array(2);
  std::copy_n(turn, 2, angle.floats());
  w.params = pack(make.texture(image, n), out.address, int(n), turn[0], turn[1]);
  w.job.a = image.floats(), w.job.b = angle.floats(), w.job.c = other.floats(), w.job.n = n;
  w.size = n, w.grain = 4;
  compare_floats(w, out, other, 2.0f / 256);
  return w;
}

Workload transpose(Maker& make, const std::string& kind, const char* native) {
  const unsigned n = 2048;
  Workload w;
  w.name = "transpose " + kind + " 2048";
  w.file = "transpose", w.kernel = "transpose_" + kind;
  w.config = {{n / 32, n / 32, 1}, {32, 8, 1}, 0};
  w.native = {native};
  Array a = make.random_floats(n * n), c = make.array(n * n), d = make.array(n * n);
  w.params = pack(a.address, c.address, int(n));
  w.job.a = a.floats(), w.job.c = d.floats(), w.job.n = n;
  w.size = n, w.grain = 32;
  compare_floats(w, c, d, 0);
  return w;
}

Workload reduction(Maker& make, std::string name, std::string kernel, unsigned blocks) {
  const int n = 256 * kK;
  Workload w = flat(std::move(name), std::move(kernel), n, {"sum"});
  w.config.grid.x = blocks;
  Array a = make.small_floats(n), parts = make.array(blocks), native = make.array(n);
  w.params = pack(a.address, parts.address, n);
  w.job.a = a.floats(), w.job.c = native.floats();
  w.clear = [=] { std::fill_n(parts.floats(), parts.count, -77.0f), std::fill_n(native.floats(), native.count, 0.0f); };
  w.check = [=]() -> std::string {
    double got = 0, wanted = 0;
    for (size_t i = 0; i < parts.count; i++) got += parts.floats()[i];
    for (size_t i = 0; i < native.count; i++) wanted += native.floats()[i];
    return got == wanted ? "" : fmt::format("the sum is {} instead of {}", got, wanted);
  };
  return w;
}

Workload mandel(Maker& make) {
  const unsigned n = 256;
  Workload w;
  w.name = "mandel 256^2 x 256";
  w.file = w.kernel = "mandel";
  w.config = {{n / 32, n / 8, 1}, {32, 8, 1}, 0};
  w.native = {"mandel"};
  Array out = make.array(n * n), other = make.array(n * n);
  w.params = pack(out.address, int(n), int(n), 256);
  w.job.out = other.ints(), w.job.n = n, w.job.limit = 256;
  w.size = n, w.grain = 4;
  compare_ints(w, out, other, n * n / 100);  // chaotic: where the two round differently, points at the edge differ
  return w;
}

Workload collatz(Maker& make) {
  const int n = 32 * kK;
  Workload w = flat("collatz 32K", "collatz", n, {"collatz"});
  Array in = make.random_ints(n, 100000, 1), out = make.array(n), other = make.array(n);
  w.params = pack(in.address, out.address, n);
  w.job.index = in.ints(), w.job.out = other.ints();
  compare_ints(w, out, other);
  return w;
}

Workload irregular(Maker& make) {
  const int n = 32 * kK;
  Workload w = flat("irregular 32K", "irregular", n, {"irregular"});
  Array in = make.random_ints(n, 100000, 1), out = make.array(n), trace = make.array(n), other = make.array(n),
        other_trace = make.array(n);
  w.params = pack(in.address, out.address, trace.address, n);
  w.job.index = in.ints(), w.job.out = other.ints(), w.job.trace = other_trace.ints();
  compare_ints(w, out, other);
  auto outputs = w.check;
  auto clear = w.clear;
  w.clear = [=] {
    clear(), std::fill_n(trace.ints(), n, 0), std::fill_n(other_trace.ints(), n, 0);
  };  // not all are written
  w.check = [=] {
    const bool same = std::equal(trace.ints(), trace.ints() + n, other_trace.ints());
    return same ? outputs() : std::string("the traces differ");
  };
  return w;
}

}  // namespace

std::vector<Workload> make_workloads(exec::DeviceMemory& memory) {
  Maker make(memory);
  std::vector<Workload> all;
  all.push_back(vadd(make, "vadd 4M", 4096 * kK));
  all.push_back(vadd(make, "vadd 16K", 16 * kK));
  all.push_back(map(make, "relu 16K", "relu", 16 * kK, 0));
  all.back().native = {"relu"};
  all.push_back(map(make, "evenodd 64K", "evenodd", 64 * kK, 1e-4f));
  all.back().native = {"evenodd"};
  all.push_back(gather(make));
  all.push_back(binary_search(make));
  all.push_back(matmul(make, "matmul 512 (32x8)", "matmul", 512, 32, 8));
  all.push_back(matmul(make, "matmul 512 (16x16)", "matmul", 512, 16, 16));
  all.push_back(matmul(make, "matmul tiled 512", "matmul_tiled", 512, 16, 16));
  all.push_back(matmul(make, "matmul tiled 1024", "matmul_tiled", 1024, 16, 16));
  all.push_back(axpy_half(make));
  all.push_back(mma(make));
  all.push_back(histogram(make));
  all.push_back(rotate(make));
  all.push_back(transpose(make, "naive", "transpose"));
  all.push_back(transpose(make, "tiled", "transpose blocked"));
  all.push_back(transpose(make, "conflict", "transpose blocked"));
  all.push_back(reduction(make, "reduce shfl 256K", "reduce", 64));
  all.push_back(reduction(make, "reduce tree 256K", "reduce_tree", 1024));
  all.push_back(mandel(make));
  all.push_back(collatz(make));
  all.push_back(irregular(make));
  return all;
}

Workload make_empty() {
  Workload w;
  w.name = "empty launch";
  w.file = w.kernel = "empty";
  w.config = {{1, 1, 1}, {32, 1, 1}, 0};
  w.native = {"nothing"};
  w.clear = [] {};
  w.check = [] { return std::string(); };
  return w;
}

}  // namespace warplens::bench
