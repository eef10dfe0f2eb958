#include "jit/cache.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace warplens::jit {

namespace {

class Hasher {
 public:
  void bytes(const void* data, size_t size) {
    sha_.update(llvm::ArrayRef<uint8_t>(static_cast<const uint8_t*>(data), size));
  }
  template <typename T>
  void value(T v) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    bytes(&v, sizeof v);
  }
  void text(const std::string& s) {
    value(s.size());
    bytes(s.data(), s.size());
  }
  template <typename T>
  void list(const std::vector<T>& v) {
    value(v.size());
    bytes(v.data(), v.size() * sizeof(T));
  }
  std::string hex() { return llvm::toHex(llvm::ArrayRef<uint8_t>(sha_.final()).take_front(16), true); }

 private:
  llvm::SHA256 sha_;
};

}  // namespace

std::string code_key(const ir::Function& f, const passes::Specialization& spec, const std::string& maker) {
  Hasher h;
  h.text(maker);
  h.value(f.shared_bytes);
  h.value(f.thread_bytes());
  h.value(f.machine_sm != 0);
  h.value(f.blocks.size());
  for (const ir::Block& b : f.blocks) {
    h.list(b.preds);
    h.list(b.succs);
    h.value(b.call);
    h.value(b.insts.size());
    for (ir::ValueId v : b.insts) {
      const ir::Inst& i = f.insts[v];
      h.value(v);
      h.value(i.op);
      h.value(i.type);
      h.value(i.rounding);
      h.value(i.ftz);
      h.value(i.is_volatile);
      h.value(i.space);
      h.value(i.count);
      h.value(i.guard);
      h.value(i.imm);
      h.value(i.imm2);
      h.value(i.site);
      h.list(i.args);
    }
  }
  for (const Dim3& d : {spec.block, spec.grid.value_or(Dim3{0, 0, 0})}) h.value(d.x), h.value(d.y), h.value(d.z);
  h.list(spec.param_known);
  h.list(spec.param_value);
  h.value(spec.max_groups);
  h.value(spec.traced);
  return h.hex();
}

std::optional<std::vector<char>> CodeCache::find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream in(directory_ + "/" + key + ".o", std::ios::binary);
  if (!in) return std::nullopt;
  return std::vector<char>(std::istreambuf_iterator<char>(in), {});
}

void CodeCache::keep(const std::string& key, std::span<const char> object) const {
  if (directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(directory_, ignored);
  // Written aside and renamed, so that another process never reads half a file.
  const std::string path = directory_ + "/" + key + ".o", aside = path + "." + std::to_string(getpid());
  {
    std::ofstream out(aside, std::ios::binary);
    if (!out.write(object.data(), static_cast<std::streamsize>(object.size()))) {
      std::remove(aside.c_str());
      return;
    }
  }
  std::rename(aside.c_str(), path.c_str());
}

}  // namespace warplens::jit
