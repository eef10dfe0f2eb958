// One registered binary: its PTX, once read; its variables in device memory; its kernels, once loaded.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "exec/memory.h"
#include "ir/ir.h"
#include "jit/engine.h"
#include "law/law.h"
#include "session/machine_code.h"
#include "session/session.h"

namespace warplens::session {

class Module {
 public:
  Module(const void* fatbin, std::string origin, std::map<std::string, uint64_t> host_copies);
  Module(std::vector<PtxText> texts, std::string origin, unsigned device);
  // The same on another device. `original` must be loaded first and outlive it.
  Module(Module& original, unsigned device);
  ~Module();

  // Reads the PTX and places the variables, the first time. An Error stays: NoKernelImage. `machine_code`: kernels run
  // as that where they can; null: as PTX.
  Status load(exec::DeviceMemory& memory, MachineCode* machine_code);
  bool tried() const { return tried_; }
  bool well_formed() const { return well_formed_; }  // the PTX parsed without an error
  const std::vector<std::string>& unresolved() const {
    return unresolved_;
  }  // functions that are called and are nowhere
  const std::string& origin() const { return origin_; }
  unsigned device() const { return device_; }
  Module* original() const { return original_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // After load(). ir::kNone: there is none of that name.
  uint32_t find_kernel(std::string_view name) const;
  uint32_t find_symbol(std::string_view name) const;
  const ir::Module& ir() const { return *ir_; }
  uint64_t address_of(uint32_t symbol) const { return addresses_[symbol]; }
  uint64_t const_bytes() const;
  bool has_variable_at(uint64_t address) const;  // the start of one
  uint64_t variable_bytes() const;

  struct Loaded {
    jit::Engine::KernelHandle handle;
    uint32_t record = ir::kNone;                     // report::Kernel::id, once it was recorded
    std::vector<law::UsedParameter> law_parameters;  // likewise
  };
  Loaded& loaded(uint32_t kernel) { return loaded_[kernel]; }
  Loaded& loaded(uint32_t kernel, jit::Engine& engine);

 private:
  Status read(MachineCode* machine_code);
  void use_machine_code(MachineCode& machine_code, const std::vector<ptx::Container>& containers,
                        const std::vector<PtxText>& sources, ir::Module& module);
  void note(const Diagnostics& diagnostics);
  Status place_variables();
  Status place(size_t symbol);
  Result<uint64_t> constants();
  Result<uint64_t> room_for(const ir::Symbol& symbol);
  bool is_shared(size_t symbol) const { return original_ && ir_->symbols[symbol].managed; }

  Module* original_ = nullptr;
  unsigned device_ = 0;
  const void* fatbin_ = nullptr;
  std::map<std::string, uint64_t> host_copies_;
  std::vector<PtxText> texts_;
  std::string origin_;
  bool tried_ = false, well_formed_ = true;
  std::vector<std::string> unresolved_;
  std::optional<Error> failure_;
  Diagnostics diagnostics_;
  std::shared_ptr<const ir::Module> ir_;
  exec::DeviceMemory* memory_ = nullptr;
  std::vector<uint64_t> addresses_;  // index: ir::Module::symbols; 0 for what is no variable in memory
  uint64_t constants_ = 0;           // where variables with a bank_offset lie; 0: not yet, or there are none
  std::map<uint32_t, Loaded> loaded_;
};

}  // namespace warplens::session
