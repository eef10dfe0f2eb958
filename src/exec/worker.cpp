// The long way of an access: every active lane's address is checked against the exact bounds of what it may touch, the
// request is reported, and the data moves lane by lane.
#include "exec/worker.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>

namespace warplens::exec {

namespace {
constexpr size_t kTold = 64;  // patterns handed over at once
}  // namespace

Worker::Worker(const KernelTables& tables, const Dim3& block) : tables_(tables), block_(block) {
  env.worker = this;
  env.event_end = batch_.data() + batch_.size();
  env.kind_end = log_.data() + log_.size();
}

void Worker::begin(DeviceMemory& memory, event::Sink* sink, uint64_t param_bytes) {
  param_bytes_ = param_bytes;
  memory_ = &memory;
  sink_ = sink;
  fault.reset();
  printed.clear();
  arrivals = {};
  textures_.clear();
  kinds_.clear();  // made when it is needed
  env.event = batch_.data();
  env.kind = log_.data();
}

void Worker::flush() {
  if (sink_ && env.event != batch_.data())
    sink_->accesses({batch_.data(), static_cast<size_t>(env.event - batch_.data())});
  env.event = batch_.data();
}

void Worker::report(uint32_t site, uint32_t mask) {
  if (!sink_ || mask == 0) return;
  env.event->site = site;
  env.event->mask = mask;
  std::copy_n(env.block, 3, env.event->block);
  env.event->warp = env.warp;
  if (++env.event == env.event_end) flush();
}

void Worker::deliver(const KindCount& k) {
  const AccessInfo& info = tables_.access[k.inst];
  const auto mask = static_cast<uint32_t>(k.counted.key);
  if (!sink_ || k.counted.count == 0 || mask == 0) return;
  const auto index = static_cast<uint32_t>(k.counted.key >> 32);
  told_.push_back({info.site, mask, info.residue + (index << info.shift), k.counted.count, info.pattern});
  if (told_.size() == kTold) tell();
}

void Worker::tell() {
  if (!told_.empty()) sink_->patterns(told_);
  told_.clear();
}

void Worker::kinds() {
  if (kinds_.empty()) kinds_.resize(kKinds);
  for (const KindCount* k = log_.data(); k != env.kind; ++k) {
    const uint64_t hash = (k->counted.key + k->inst * 0x632be59bd9b4e019u) * 0x9e3779b97f4a7c15u;
    KindCount& place = kinds_[hash >> 56];
    static_assert(kKinds == 256);
    if (place.counted.key == k->counted.key && place.inst == k->inst) {
      place.counted.count += k->counted.count;
    } else {
      deliver(place);
      place = *k;
    }
  }
  env.kind = log_.data();
}

void Worker::finish() {
  flush();
  if (env.kind != log_.data()) kinds();
  for (const KindCount& k : kinds_) deliver(k);
  for (uint32_t site = 0; site < tables_.sites; ++site)
    if (tables_.recent[site] != ~0u) deliver({env.recent[site], tables_.recent[site]});
  tell();
}

Dim3 Worker::thread_at(uint32_t linear) const {
  return {linear % block_.x, linear / block_.x % block_.y, linear / block_.x / block_.y};
}

Dim3 Worker::thread_of(uint32_t lane) const { return thread_at(env.warp * kWarpSize + lane); }

uint32_t Worker::record(Fault f) {
  f.block = {env.block[0], env.block[1], env.block[2]};
  if (!fault) fault = std::move(f);
  return 1;
}

uint32_t Worker::fail(const AccessInfo& info, FaultKind kind, uint32_t lane, uint64_t address) {
  Fault f;
  f.kind = kind;
  f.site = info.site;
  f.thread = thread_of(lane);
  f.address = address;
  f.bytes = info.element_bytes * info.components;
  if (kind == FaultKind::OutOfBounds) f.nearest = memory_->describe_nearest(address, f.bytes);
  if (kind == FaultKind::SharedOutOfBounds)
    f.nearest = "the block's shared memory has " + std::to_string(env.shared_bytes) + " bytes";
  if (kind == FaultKind::LocalOutOfBounds)
    f.nearest = "the thread's local memory has " + std::to_string(tables_.local_bytes) + " bytes";
  return record(std::move(f));
}

// A generic address, or one that is not where the site's last ones were.
bool Worker::resolve_lane(const AccessInfo& info, uint32_t lane, uint8_t** pointer) {
  const uint64_t address = env.event->address[lane], width = info.element_bytes * info.components;
  if (address % width != 0) return fail(info, FaultKind::Misaligned, lane, address), false;
  if (info.space == AccessSpace::Generic) {
    const uint64_t in_shared = address - reinterpret_cast<uint64_t>(env.shared);
    if (in_shared < env.shared_bytes) {
      if (in_shared + width > env.shared_bytes) return fail(info, FaultKind::SharedOutOfBounds, lane, in_shared), false;
      *pointer = reinterpret_cast<uint8_t*>(address);
      return true;
    }
    const uint64_t threads = uint64_t{warps()} * kWarpSize;
    const uint64_t in_local = address - reinterpret_cast<uint64_t>(env.local);
    if (in_local < threads * tables_.local_bytes) {
      *pointer = reinterpret_cast<uint8_t*>(address);
      return true;
    }
  }
  // A parameter whose address was taken: the parameter buffer is constant memory.
  const uint64_t in_params = address - reinterpret_cast<uint64_t>(env.params);
  if (info.kind == AccessKind::Load && in_params < tables_.param_bytes && in_params + width <= tables_.param_bytes) {
    *pointer = reinterpret_cast<uint8_t*>(address);
    return true;
  }
  std::optional<Allocation> allocation;
  const auto params = reinterpret_cast<uint64_t>(env.params);
  const bool may_be_parameter = info.space == AccessSpace::Const || info.space == AccessSpace::Generic;
  if (may_be_parameter && address - params < param_bytes_ && width <= param_bytes_ - (address - params))
    allocation = Allocation{params, param_bytes_};  // an array among the parameters, indexed at run time
  else
    allocation = memory_->find(address, width);
  if (!allocation) return fail(info, FaultKind::OutOfBounds, lane, address), false;
  // Remember it: the next access of this site most likely stays inside.
  const uint64_t reach = std::max(info.reach, width);
  if (allocation->bytes >= reach && info.space != AccessSpace::Generic)
    env.bounds[info.site] = {allocation->base, allocation->bytes - reach};
  *pointer = reinterpret_cast<uint8_t*>(address);
  return true;
}

// Shared and local accesses: offsets in a window.
bool Worker::resolve_window(const AccessInfo& info, uint32_t mask, uint8_t* pointers[kWarpSize]) {
  const bool shared = info.space == AccessSpace::Shared;
  const uint64_t size = shared ? env.shared_bytes : tables_.local_bytes;
  const uint64_t width = info.element_bytes * info.components;  // a power of two
  const uint64_t* offset = env.event->address;
  // All lanes, which is quicker than to choose: those that take no part get pointers that nobody follows.
  const auto base = reinterpret_cast<uint64_t>(
      shared ? env.shared : env.local + uint64_t{env.warp} * kWarpSize * tables_.local_bytes);
  const uint64_t distance = shared ? 0 : tables_.local_bytes;
  const uint64_t last = size - width;
  uint64_t wrong = size < width ? 1 : 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) {
    pointers[l] = reinterpret_cast<uint8_t*>(base + l * distance + offset[l]);
    wrong |= (uint64_t{offset[l] > last} | (offset[l] & (width - 1))) & (0 - uint64_t{mask >> l & 1});
  }
  if (wrong == 0) return true;
  for (uint32_t rest = mask;; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    if (size < width || offset[l] > last)
      return fail(info, shared ? FaultKind::SharedOutOfBounds : FaultKind::LocalOutOfBounds, l,
                  shared ? offset[l] & 0xffffffff : offset[l]),
             false;
    if (offset[l] % width != 0) return fail(info, FaultKind::Misaligned, l, offset[l]), false;
  }
}

bool Worker::resolve(const AccessInfo& info, uint32_t mask, bool count, uint8_t* pointers[kWarpSize]) {
  if (info.space == AccessSpace::Shared || info.space == AccessSpace::Local) {
    if (!resolve_window(info, mask, pointers)) return false;
  } else {
    const uint64_t width = info.element_bytes * info.components;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const uint32_t lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint64_t address = env.event->address[lane];
      const Bounds& cached = env.bounds[info.site];
      // `room` was computed for the site's reach, which is at least one lane's width.
      if (address - cached.low <= cached.room && (address & (width - 1)) == 0) {
        pointers[lane] = reinterpret_cast<uint8_t*>(address);
        continue;
      }
      if (!resolve_lane(info, lane, &pointers[lane])) return false;
    }
  }
  if (count) report(info.site, mask);
  return true;
}

namespace {

// What a kernel's threads read and write at the same time is the program's business, not ThreadSanitizer's.
#define WL_MAY_RACE __attribute__((no_sanitize("thread")))

template <typename T>
WL_MAY_RACE void gather(uint8_t* const pointers[kWarpSize], uint32_t mask, uint32_t component, uint8_t* out) {
  T lanes[kWarpSize];
  if (mask == ~0u) {
    for (uint32_t l = 0; l < kWarpSize; ++l) std::memcpy(&lanes[l], pointers[l] + component * sizeof(T), sizeof(T));
  } else {
    std::memset(lanes, 0, sizeof lanes);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
      std::memcpy(&lanes[l], pointers[l] + component * sizeof(T), sizeof(T));
    }
  }
  std::memcpy(out + component * sizeof lanes, lanes, sizeof lanes);
}

template <typename T>
WL_MAY_RACE void scatter(uint8_t* const pointers[kWarpSize], uint32_t mask, uint32_t component, const uint8_t* in) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    std::memcpy(pointers[l] + component * sizeof(T), in + (component * kWarpSize + l) * sizeof(T), sizeof(T));
  }
}

// A lane's vector in one piece, as hardware moves it: CUB's look-back stores a value and its state with one store of 16
// bytes, and reads both with one load. A copy of constant size up to 16 is one instruction.
WL_MAY_RACE void copy_piece(void* to, const void* from, size_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

constexpr uint32_t kMostComponents = 8, kWidest = 32;  // bytes

template <typename T>
WL_MAY_RACE void gather_pieces(uint8_t* const pointers[kWarpSize], uint32_t mask, uint32_t components, uint8_t* out) {
  T lanes[kMostComponents][kWarpSize] = {};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    alignas(kWidest) uint8_t piece[kWidest];
    copy_piece(piece, pointers[l], components * sizeof(T));
    for (uint32_t e = 0; e < components; ++e) std::memcpy(&lanes[e][l], piece + e * sizeof(T), sizeof(T));
  }
  std::memcpy(out, lanes, components * sizeof lanes[0]);
}

template <typename T>
WL_MAY_RACE void scatter_pieces(uint8_t* const pointers[kWarpSize], uint32_t mask, uint32_t components,
                                const uint8_t* in) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint32_t l = static_cast<uint32_t>(std::countr_zero(rest));
    alignas(kWidest) uint8_t piece[kWidest];
    for (uint32_t e = 0; e < components; ++e)
      std::memcpy(piece + e * sizeof(T), in + (e * kWarpSize + l) * sizeof(T), sizeof(T));
    copy_piece(pointers[l], piece, components * sizeof(T));
  }
}

template <typename F>
void with_width(uint32_t bytes, F f) {
  switch (bytes) {
    case 1:
      f(uint8_t{});
      break;
    case 2:
      f(uint16_t{});
      break;
    case 4:
      f(uint32_t{});
      break;
    default:
      f(uint64_t{});
      break;
  }
}

}  // namespace

uint32_t Worker::load(uint32_t inst, uint32_t mask, bool count) {
  const AccessInfo& info = tables_.access[inst];
  uint8_t* pointers[kWarpSize];
  if (!resolve(info, mask, count, pointers)) return 1;
  with_width(info.element_bytes, [&](auto t) {
    if (info.components == 1)
      gather<decltype(t)>(pointers, mask, 0, env.values);
    else
      gather_pieces<decltype(t)>(pointers, mask, info.components, env.values);
  });
  return 0;
}

uint32_t Worker::store(uint32_t inst, uint32_t mask, bool count) {
  const AccessInfo& info = tables_.access[inst];
  uint8_t* pointers[kWarpSize];
  if (!resolve(info, mask, count, pointers)) return 1;
  with_width(info.element_bytes, [&](auto t) {
    if (info.components == 1)
      scatter<decltype(t)>(pointers, mask, 0, env.values);
    else
      scatter_pieces<decltype(t)>(pointers, mask, info.components, env.values);
  });
  return 0;
}

uint32_t Worker::test(uint32_t inst) {
  const AccessInfo& first = tables_.access[inst];
  uint64_t base[kWarpSize];
  for (uint32_t l = 0; l < kWarpSize; ++l) base[l] = env.event->address[l] - static_cast<uint64_t>(first.offset);
  uint8_t* pointers[kWarpSize];
  for (uint32_t follower : tables_.followers[inst]) {
    const AccessInfo& info = tables_.access[follower];
    for (uint32_t l = 0; l < kWarpSize; ++l) env.event->address[l] = base[l] + static_cast<uint64_t>(info.offset);
    if (!resolve(info, ~0u, false, pointers)) return 1;
  }
  return 0;
}

uint32_t Worker::trap(uint32_t inst, uint32_t mask) {
  Fault f;
  for (const auto& [at, t] : tables_.traps)
    if (at == inst) f.kind = t.kind, f.message = t.message, f.site = t.site, f.location = t.location;
  f.thread = thread_of(static_cast<uint32_t>(std::countr_zero(mask | 1u << 31)));
  return record(std::move(f));
}

uint32_t Worker::stopped() {
  Fault f;
  f.kind = FaultKind::Stopped;
  return record(std::move(f));
}

uint64_t Worker::clock(uint32_t special_register) {
  (void)special_register;
  // A steady count that grows with work done; no claim about a GPU's cycles.
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  ticks_ = std::max<uint64_t>(ticks_ + 1,
                              static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
  return ticks_;
}

extern "C" {
uint32_t wl_load(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count) {
  return static_cast<Worker*>(env->worker)->load(inst, mask, count != 0);
}
uint32_t wl_store(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count) {
  return static_cast<Worker*>(env->worker)->store(inst, mask, count != 0);
}
uint32_t wl_atomic(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count) {
  return static_cast<Worker*>(env->worker)->atomic(inst, mask, count != 0);
}
uint32_t wl_trap(WarpEnv* env, uint32_t inst, uint32_t mask) {
  return static_cast<Worker*>(env->worker)->trap(inst, mask);
}
uint32_t wl_stopped(WarpEnv* env) { return static_cast<Worker*>(env->worker)->stopped(); }
void wl_arrive(WarpEnv* env, uint32_t id, uint32_t expected) {
  static_cast<Worker*>(env->worker)->arrive(id, expected);
}
uint32_t wl_barrier(WarpEnv* env) { return static_cast<Worker*>(env->worker)->barrier(); }
uint32_t wl_test(WarpEnv* env, uint32_t inst) { return static_cast<Worker*>(env->worker)->test(inst); }
void wl_report(WarpEnv* env, uint32_t inst) { static_cast<Worker*>(env->worker)->report_full(inst); }
void wl_flush(WarpEnv* env) { static_cast<Worker*>(env->worker)->flush(); }
void wl_kinds(WarpEnv* env) { static_cast<Worker*>(env->worker)->kinds(); }
uint32_t wl_system_call(WarpEnv* env, uint32_t call, uint32_t location, uint32_t mask) {
  return static_cast<Worker*>(env->worker)->system_call(call, location, mask);
}
uint32_t wl_texture(WarpEnv* env, uint32_t access, uint32_t element, uint32_t site, uint32_t mask) {
  return static_cast<Worker*>(env->worker)->texture(access, element, site, mask);
}
uint64_t wl_clock(WarpEnv* env, uint32_t special_register) {
  return static_cast<Worker*>(env->worker)->clock(special_register);
}
uint32_t wl_any_of(const uint32_t* masks, uint32_t count) {
  return std::accumulate(masks, masks + count, uint32_t{0}, std::bit_or());
}
}

}  // namespace warplens::exec
