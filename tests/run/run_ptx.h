// Runs PTX text: parse, lower, verify, then execute on the scalar reference or on the engine. Both use one
// DeviceMemory, so that a pointer means the same to both.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/dim3.h"
#include "exec/memory.h"
#include "exec/texture.h"
#include "ir/ir.h"
#include "reference/texture.h"

namespace warplens::run {

// Machine: the engine, with the machine code that ptxas makes of the PTX.
enum class Backend : uint8_t { Reference, Engine, Machine, Gpu };
inline constexpr Backend kBackends[] = {Backend::Reference, Backend::Engine};

// A comment in PTX that only Warplens need take: its result is left open, or it is for another target.
inline constexpr char kNotForAGpu[] = "\n// not for a GPU\n";
const char* to_string(Backend backend);

// A module ready to run. Problems of its text are in `problems`: parse and lowering errors, violated invariants.
class Program {
 public:
  explicit Program(std::string_view text);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  const ir::Module& module() const { return *module_; }
  const std::string& problems() const { return problems_; }

  struct Result {
    std::string error;  // "" or what stopped the launch: "unsupported: kernel k, line 9: ..."
    uint64_t thread_instructions = 0;
  };
  struct Shape {
    Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
  };
  Result launch(Backend backend, const std::string& kernel, Shape shape, const std::vector<uint8_t>& params);

  // kBackends; machine code, where WARPLENS_TEST_MACHINE_CODE is set and ptxas takes the text; and a real GPU where it
  // is asked for (tests/gpu/gpu.h) and takes the text. That comes last: what the engine stops with an error does not
  // run on it, but counts as done there with the same error.
  std::vector<Backend> backends() const;

  // Both kinds of object find the same texels. Returns the handle, which works on every backend but a GPU.
  uint64_t add_texture(const exec::Texture& texture);

  // Where a module variable lives. Its initial bytes are there again before each launch.
  void* symbol(const std::string& name);

 private:
  void reset_symbols();
  void make_machine_code();
  Result run_gpu(const std::string& kernel, const Shape& shape, const std::vector<uint8_t>& params);
  std::string text_;
  std::shared_ptr<ir::Module> module_;
  std::shared_ptr<ir::Module> machine_;  // with machine code where that can be run; null: not wanted, or not to be had
  Result engine_result_;
  std::string problems_;
  std::vector<uint64_t> symbols_;
  std::map<uint64_t, reference::Texture> textures_;
};

// One for the whole test program.
exec::DeviceMemory& device_memory();

// Device memory for the length of a test.
template <typename T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T>& values) : count_(values.size()) {
    address_ = *device_memory().allocate(std::max<size_t>(count_, 1) * sizeof(T));
    fill(values);
  }
  explicit Buffer(size_t count, T value = {}) : Buffer(std::vector<T>(count, value)) {}
  ~Buffer() { device_memory().free(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() { return reinterpret_cast<T*>(address_); }
  T& operator[](size_t i) { return data()[i]; }
  size_t size() const { return count_; }
  uint64_t address() const { return address_; }
  std::vector<T> values() { return {data(), data() + count_}; }
  void fill(const std::vector<T>& values) { std::memcpy(data(), values.data(), values.size() * sizeof(T)); }

 private:
  size_t count_;
  uint64_t address_ = 0;
};

// A parameter buffer, each value at its own alignment: Params().add(pointer).add(n).
class Params {
 public:
  template <typename T>
  Params& add(const T& value) {
    while (bytes_.size() % alignof(T)) bytes_.push_back(0);
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
    return *this;
  }
  template <typename T>
  Params& add(const Buffer<T>& buffer) {
    return add(buffer.address());
  }
  operator const std::vector<uint8_t>&() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// ".version" and the rest that a module starts with.
std::string ptx_header();

}  // namespace warplens::run
