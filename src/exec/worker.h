// One worker thread's side of a launch: what the functions of warp_env.h work on.
#pragma once
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "event/event.h"
#include "exec/access_info.h"
#include "exec/fault.h"
#include "exec/memory.h"
#include "exec/printed.h"
#include "exec/texture.h"
#include "exec/warp_env.h"

namespace warplens::exec {

// The kernel's tables, by ir::ValueId; made once for each kernel.
struct KernelTables {
  std::vector<AccessInfo> access;
  std::vector<std::vector<uint32_t>> followers;  // by instruction: accesses that are tested with it
  std::vector<uint32_t> recent;                  // instruction whose partial-warp accesses a site's Recent entry counts
  struct Trap {
    FaultKind kind = FaultKind::Trap;
    std::string message;
    uint32_t site = ~0u;
    uint32_t location = ~0u;
  };
  std::vector<std::pair<uint32_t, Trap>> traps;  // by instruction
  uint32_t sites = 0;
  uint32_t local_bytes = 0;
  uint32_t param_bytes = 0;
};

class Worker {
 public:
  Worker(const KernelTables& tables, const Dim3& block);
  void begin(DeviceMemory& memory, event::Sink* sink, uint64_t param_bytes);  // of a launch

  WarpEnv env;
  std::optional<Fault> fault;
  Printed printed;  // by this worker's blocks, in this launch
  // Of each barrier of the block: threads that arrived without waiting, and how many it is for.
  struct Arrivals {
    struct Barrier {
      uint32_t threads = 0, expected = 0;
    };
    std::array<Barrier, 16> of{};
    bool any = false;
  };
  Arrivals arrivals;

  // The functions of warp_env.h.
  uint32_t load(uint32_t inst, uint32_t mask, bool count);
  uint32_t store(uint32_t inst, uint32_t mask, bool count);
  uint32_t atomic(uint32_t inst, uint32_t mask, bool count);
  uint32_t trap(uint32_t inst, uint32_t mask);
  uint32_t stopped();
  uint32_t barrier();
  uint64_t standstill() const;
  uint32_t deadlock();  // records that the block will never go on
  void arrive(uint32_t id, uint32_t expected);
  uint32_t system_call(uint32_t call, uint32_t location, uint32_t mask);
  uint32_t texture(uint32_t access, uint32_t element, uint32_t site, uint32_t mask);
  uint64_t clock(uint32_t special_register);
  uint32_t test(uint32_t inst);
  void report_full(uint32_t inst) { report(tables_.access[inst].site, ~0u); }
  void flush();   // hands the batched events to the sink
  void kinds();   // empties the log of ended kinds
  void finish();  // everything not yet delivered

 private:
  // Turns lane addresses into pointers after checking them; false: a fault was recorded.
  bool resolve(const AccessInfo& info, uint32_t mask, bool count, uint8_t* pointers[kWarpSize]);
  bool resolve_window(const AccessInfo& info, uint32_t mask, uint8_t* pointers[kWarpSize]);
  bool resolve_lane(const AccessInfo& info, uint32_t lane, uint8_t** pointer);
  // Operands at env.values, old values behind them, as wl_atomic has them. Lanes that did what must not be.
  uint32_t update(const AccessInfo& info, uint32_t mask, uint8_t* const pointers[kWarpSize]);
  void report(uint32_t site, uint32_t mask);
  uint32_t fail(const AccessInfo& info, FaultKind kind, uint32_t lane, uint64_t address);
  Dim3 thread_of(uint32_t lane) const;  // of the warp that runs
  Dim3 thread_at(uint32_t linear) const;
  uint32_t warps() const {
    return static_cast<uint32_t>((block_.count() + kWarpSize - 1) / kWarpSize);
  }  // of the block
  uint32_t record(Fault f);  // keeps the launch's first, of the block that runs; 1
  uint32_t print(uint32_t location, uint32_t mask);
  uint32_t copy(uint32_t location, uint32_t mask);
  uint32_t count_copy(uint32_t site, uint32_t mask);
  std::optional<std::string> text_at(uint64_t address) const;
  uint64_t readable(uint64_t address) const;  // bytes from a generic address on that a load may touch; 0: none
  uint32_t fail_call(FaultKind kind, uint32_t location, uint32_t lane, std::string message);
  // texture_call.cpp
  const Texture* texture_of(uint64_t handle, bool surface);
  uint32_t fetch_texels(const Texture& texture, TextureRequest& request, uint32_t element, uint32_t site);
  uint32_t touch_surface(const Texture& surface, const TextureRequest& request, uint32_t element, uint32_t site);
  bool resolve_surface(const Texture& surface, const TextureRequest& request, uint32_t bytes, uint32_t site,
                       uint8_t* pointers[kWarpSize]);
  void query_texture(const TextureRequest& request, uint64_t handle);
  uint32_t fail_texture(FaultKind kind, uint32_t site, uint32_t lane, std::string message);
  uint32_t fail_texel(uint32_t site, uint32_t lane, uint64_t address, uint32_t bytes);
  bool complete_barrier(uint32_t id, uint32_t live_threads);

  const KernelTables& tables_;
  DeviceMemory* memory_ = nullptr;
  event::Sink* sink_ = nullptr;
  uint64_t param_bytes_ = 0;
  Dim3 block_;
  static constexpr size_t kBatch = 32;  // 8 KB: written and read again before it leaves the first-level cache
  std::array<event::Access, kBatch> batch_;
  // Partial-warp requests of known patterns. Compiled code counts the last kind of each site and logs it when another
  // comes. Masks come back, so the log's entries are added up in a small table; what loses its place there is told to
  // the sink.
  static constexpr size_t kLog = 128, kKinds = 256;
  void deliver(const KindCount& k);
  void tell();
  std::array<KindCount, kLog> log_;
  std::vector<KindCount> kinds_;
  std::vector<event::Pattern> told_;
  uint64_t ticks_ = 0;
  std::deque<std::pair<uint64_t, Texture>> textures_;  // met in this launch, by handle
};

}  // namespace warplens::exec
