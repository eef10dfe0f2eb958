#include "reference/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>

#include "ir/matrix.h"
#include "reference/values.h"

namespace warplens::reference {
namespace {

using ir::Op;
using ir::Space;
using ir::Type;
using ir::ValueId;

// Components of what a warp operation gives.
uint32_t result_components(const ir::Inst& inst) {
  if (inst.op == Op::Matrix) return ir::result_count(ir::unpack_matrix(inst.imm));
  return inst.op == Op::Shuffle || inst.op == Op::Match ? 2 : 1;
}

constexpr uint64_t kMaxSteps = 200'000'000;  // of one launch

enum class State : uint8_t { Runs, AtWarpOperation, AtBarrier, Done };

struct Thread {
  uint32_t index = 0;  // linear, in the block
  State state = State::Runs;
  ir::BlockId block = 0, previous = ir::kNone;
  size_t next = 0;               // in Block::insts
  std::vector<uint64_t> values;  // by slot
  std::vector<uint8_t> local, stack;
  uint64_t barrier_result = 0;
};

struct Barrier {
  uint64_t arrived = 0;  // threads, waiting ones included
  std::vector<Thread*> waiting;
  uint64_t yes = 0, asked = 0;  // of a reducing barrier: how many gave true, how many gave anything
  uint64_t expected = 0;        // 0: all threads of the block
};

class BlockRun {
 public:
  BlockRun(const ir::Function& function, const Launch& launch, const std::vector<uint32_t>& slots, uint32_t slot_count,
           Dim3 where, uint64_t* steps, Watcher* watcher)
      : f_(function), launch_(launch), slots_(slots), where_(where), steps_(steps), watcher_(watcher) {
    const uint64_t align = std::max<uint32_t>(function.dynamic_shared_align, 1);
    shared_.resize((function.shared_bytes + align - 1) / align * align + launch.dynamic_shared_bytes);
    threads_.resize(launch.block.count());
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      threads_[t].index = t;
      threads_[t].values.resize(slot_count);
      threads_[t].local.resize(function.thread_bytes());
      if (watcher_) watcher_->enter(t, 0);
    }
  }

  std::optional<Stop> run() {
    while (!stop_) {
      bool progress = false;
      for (Thread& thread : threads_)
        if (thread.state == State::Runs) {
          run_thread(thread);
          progress = true;
          if (stop_) return stop_;
        }
      if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::Done; }))
        return {};
      progress |= resolve_warp_operations(true);
      if (!progress) progress |= resolve_warp_operations(false);
      if (!progress) progress |= resolve_barriers();
      if (!progress) stop(Stop::Kind::Deadlock, threads_[0], "threads wait for others that never come");
    }
    return stop_;
  }

  uint64_t instructions() const { return instructions_; }

 private:
  void stop(Stop::Kind kind, const Thread& thread, std::string message) {
    if (!stop_) stop_ = Stop{kind, std::move(message), where_, thread.index};
  }

  uint64_t get(const Thread& thread, ValueId id, uint32_t component = 0) const {
    return thread.values[slots_[id] + component];
  }
  void set(Thread& thread, ValueId id, uint64_t value, uint32_t component = 0) {
    thread.values[slots_[id] + component] = value;
  }
  void tell_guarded_off(const Thread& thread) {
    if (watcher_ && !f_.machine_sm) watcher_->guarded_off(thread.index);  // machine code has CountOff
  }
  bool guarded_off(const Thread& thread, const ir::Inst& inst) const {
    return inst.guard != ir::kNone && !get(thread, inst.guard);
  }

  void run_thread(Thread& thread) {
    while (thread.state == State::Runs && !stop_) {
      const ValueId id = f_.blocks[thread.block].insts[thread.next];
      const ir::Inst& inst = f_.insts[id];
      if (++*steps_ > kMaxSteps) return stop(Stop::Kind::TooLong, thread, "the launch takes too many steps");
      if (is_warp_operation(inst.op) && !guarded_off(thread, inst)) {
        thread.state = State::AtWarpOperation;
        return;
      }
      instructions_ += inst.weight;
      if (ir::info(inst.op).effect == ir::Effect::Ends)
        leave(thread, inst);
      else
        step(thread, id, inst);
    }
  }

  static bool is_warp_operation(Op op) {
    return op == Op::Shuffle || op == Op::Vote || op == Op::Match || op == Op::Redux || op == Op::ActiveMask ||
           op == Op::WarpSync || op == Op::Matrix;
  }

  void step(Thread& thread, ValueId id, const ir::Inst& inst) {
    ++thread.next;
    switch (inst.op) {
      case Op::Phi:
        return enter_block(thread);
      case Op::Const:
        return set(thread, id, inst.imm);
      case Op::Undef:
        return set(thread, id, 0);
      case Op::Special:
      case Op::Clock:
        return set(thread, id, special(thread, static_cast<ir::SpecialRegister>(inst.imm)) & mask_of(inst.type));
      case Op::Param:
        return set(thread, id, read_bytes(launch_.params.data() + inst.imm, ir::bytes(inst.type)));
      case Op::SymbolAddress:
        return set(thread, id, launch_.symbols.at(inst.imm));
      case Op::Extract:
        return set(thread, id, get(thread, inst.args[0], static_cast<uint32_t>(inst.imm)));
      case Op::Load:
      case Op::Store:
      case Op::Atomic:
      case Op::Reduce:
        return access(thread, id, inst);
      case Op::StackLoad:
        return set(thread, id, read_bytes(on_stack(thread, inst), ir::bytes(inst.type)) & mask_of(inst.type));
      case Op::StackStore: {
        const uint64_t value = get(thread, inst.args[1]);
        std::memcpy(on_stack(thread, inst), &value, static_cast<size_t>(ir::bytes(inst.type)));
        return;
      }
      case Op::Texture:
      case Op::Surface:
        return touch(thread, id, inst);
      case Op::ToGeneric:
        return set(thread, id, window(thread, inst.space) + get(thread, inst.args[0]));
      case Op::FromGeneric:
        return set(thread, id, get(thread, inst.args[0]) - window(thread, inst.space));
      case Op::IsSpace:
        return set(thread, id, is_space(thread, inst.space, get(thread, inst.args[0])));
      case Op::CountOn:
        return;
      case Op::CountOff:
        if (watcher_ && !get(thread, inst.args[0]))
          for (uint64_t k = 0; k < inst.imm; ++k) watcher_->guarded_off(thread.index);
        return;
      case Op::BarrierResult:
        return set(thread, id, thread.barrier_result);
      case Op::Fence:
      case Op::Prefetch:
        return;
      case Op::SystemCall:
        if (inst.imm == static_cast<uint64_t>(ir::SystemCall::CountCopy)) return;
        return stop(Stop::Kind::Unsupported, thread, "system calls are the engine's alone");
      case Op::Shuffle:
      case Op::Vote:
      case Op::Match:
      case Op::Redux:
      case Op::ActiveMask:
      case Op::WarpSync:
      case Op::Matrix:
        tell_guarded_off(thread);
        return;
      default:
        break;
    }
    std::vector<uint64_t> args;
    std::vector<Type> types;
    for (const ValueId arg : inst.args) {
      args.push_back(get(thread, arg));
      types.push_back(f_.insts[arg].type);
    }
    set(thread, id, compute(inst, args, types));
  }

  // All phis of a block take their values at once, from the edge that was taken.
  void enter_block(Thread& thread) {
    const ir::Block& block = f_.blocks[thread.block];
    const auto edge =
        static_cast<size_t>(std::find(block.preds.begin(), block.preds.end(), thread.previous) - block.preds.begin());
    std::vector<uint64_t> values;
    size_t count = 0;
    for (; f_.insts[block.insts[count]].op == Op::Phi; ++count)
      values.push_back(get(thread, f_.insts[block.insts[count]].args[edge]));
    for (size_t i = 0; i < count; ++i) set(thread, block.insts[i], values[i]);
    thread.next = count;
  }

  void go(Thread& thread, ir::BlockId to) {
    thread.previous = thread.block;
    thread.block = to;
    thread.next = 0;
    if (watcher_) watcher_->enter(thread.index, to);
  }

  void leave(Thread& thread, const ir::Inst& inst) {
    const auto& succs = f_.blocks[thread.block].succs;
    switch (inst.op) {
      case Op::Br:
        return go(thread, succs[0]);
      case Op::CondBr:
        return go(thread, succs[get(thread, inst.args[0]) ? 0 : 1]);
      case Op::Exit:
        thread.state = State::Done;
        return;
      case Op::Barrier:
        return arrive(thread, inst);
      default:
        break;
    }
    const auto kind = static_cast<ir::TrapKind>(inst.imm2);
    stop(kind == ir::TrapKind::Trap          ? Stop::Kind::Trap
         : kind == ir::TrapKind::Assert      ? Stop::Kind::Assert
         : kind == ir::TrapKind::Unsupported ? Stop::Kind::Unsupported
                                             : Stop::Kind::Calls,
         thread, f_.messages[inst.imm]);
  }

  // ---- barriers

  void arrive(Thread& thread, const ir::Inst& inst) {
    const auto mode = static_cast<ir::BarrierMode>(inst.imm);
    const bool reduces = mode >= ir::BarrierMode::RedPopc;
    Barrier& barrier = barriers_[static_cast<uint32_t>(get(thread, inst.args[0]))];
    const size_t plain = inst.args.size() - (reduces ? 1 : 0);
    if (plain > 1) barrier.expected = get(thread, inst.args[1]);
    if (reduces) barrier.yes += get(thread, inst.args.back()), ++barrier.asked;
    ++barrier.arrived;
    // A count of threads is a count of whole warps: the last one counts for 32 however many threads it has.
    const uint32_t rest = static_cast<uint32_t>(threads_.size()) % kWarpSize;
    if (plain > 1 && rest != 0 && thread.index == threads_.size() - rest) barrier.arrived += kWarpSize - rest;
    if (mode == ir::BarrierMode::Arrive) return go(thread, f_.blocks[thread.block].succs[0]);
    barrier.waiting.push_back(&thread);
    thread.state = State::AtBarrier;
  }

  bool resolve_barriers() {
    const auto alive = static_cast<uint64_t>(
        std::count_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state != State::Done; }));
    for (auto it = barriers_.begin(); it != barriers_.end(); ++it) {
      Barrier& barrier = it->second;
      const uint64_t expected = barrier.expected ? barrier.expected : alive;
      if (barrier.waiting.empty() || barrier.arrived < expected) continue;
      for (Thread* thread : barrier.waiting) {
        const ir::Inst& inst = f_.insts[f_.blocks[thread->block].insts.back()];
        const auto mode = static_cast<ir::BarrierMode>(inst.imm);
        thread->barrier_result = mode == ir::BarrierMode::RedPopc  ? barrier.yes
                                 : mode == ir::BarrierMode::RedAnd ? barrier.yes == barrier.asked
                                                                   : barrier.yes != 0;
        thread->state = State::Runs;
        go(*thread, f_.blocks[thread->block].succs[0]);
      }
      barriers_.erase(it);
      return true;
    }
    return false;
  }

  // ---- warp operations

  // Completes what can be: operations with a member mask once all its lanes are there, the others (`with_mask` false)
  // with whoever waits there once nothing else can move.
  bool resolve_warp_operations(bool with_mask) {
    bool progress = false;
    for (uint32_t first = 0; first < threads_.size(); first += kWarpSize) {
      uint32_t alive = 0;
      std::map<ValueId, uint32_t> groups;
      for (uint32_t lane = 0; lane < kWarpSize && first + lane < threads_.size(); ++lane) {
        const Thread& thread = threads_[first + lane];
        if (thread.state != State::Done) alive |= 1u << lane;
        if (thread.state == State::AtWarpOperation) groups[f_.blocks[thread.block].insts[thread.next]] |= 1u << lane;
      }
      for (const auto& [id, waiting] : groups) {
        const uint32_t lanes = ready(first, id, waiting, alive, with_mask);
        if (!lanes) continue;
        complete(first, id, lanes);
        progress = true;
        break;  // the others may have changed
      }
    }
    return progress;
  }

  uint32_t members_of(const Thread& thread, const ir::Inst& inst) const {
    return static_cast<uint32_t>(get(thread, inst.args.back()));
  }

  uint32_t ready(uint32_t first, ValueId id, uint32_t waiting, uint32_t alive, bool with_mask) const {
    const ir::Inst& inst = f_.insts[id];
    if (inst.op == Op::ActiveMask) return with_mask ? 0 : waiting;
    if (inst.op == Op::Matrix) return waiting;
    // Lanes that name another mask wait for others, though they wait at the same place: those of one mask go first.
    for (const bool same_mask : {true, false})
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        if (!(waiting >> lane & 1)) continue;
        const uint32_t members = members_of(threads_[first + lane], inst) & alive;
        bool complete = (members & ~waiting) == 0;
        for (uint32_t other = 0; other < kWarpSize && complete && same_mask; ++other)
          if (members >> other & 1) complete = (members_of(threads_[first + other], inst) & alive) == members;
        if (complete) return members | 1u << lane;
      }
    return 0;
  }

  void complete(uint32_t first, ValueId id, uint32_t lanes) {
    const ir::Inst& inst = f_.insts[id];
    if (inst.op == Op::Matrix && lanes != ~0u)
      return stop(Stop::Kind::Trap, threads_[first], f_.messages.at(inst.imm2) + " needs all 32 threads of the warp");
    WarpOperands w;
    w.lanes = lanes;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      if (lanes >> lane & 1)
        for (size_t i = 0; i < inst.args.size() && i < 16; ++i)
          w.args[lane][i] = get(threads_[first + lane], inst.args[i]);
    compute_warp(inst, inst.args.empty() ? Type::Void : f_.insts[inst.args[0]].type, w);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      Thread& thread = threads_[first + lane];
      if (watcher_ && ir::names_lanes(inst.op)) watcher_->names(first + lane, id, members_of(thread, inst));
      if (inst.type != Type::Void) set(thread, id, w.results[lane][0]);
      const uint32_t components = result_components(inst);
      for (uint32_t k = 1; k < components; ++k) set(thread, id, w.results[lane][k], k);
      instructions_ += inst.weight;
      ++thread.next;
      thread.state = State::Runs;
    }
  }

  // ---- memory

  static uint64_t read_bytes(const uint8_t* from, int bytes) {
    uint64_t value = 0;
    std::memcpy(&value, from, static_cast<size_t>(bytes));
    return value;
  }

  uint64_t window(Thread& thread, Space space) {
    if (space == Space::Shared) return reinterpret_cast<uint64_t>(shared_.data());
    if (space == Space::Local) return reinterpret_cast<uint64_t>(thread.local.data());
    return 0;
  }

  bool is_space(Thread& thread, Space space, uint64_t address) {
    const auto in = [&](Space s, uint64_t bytes) { return address - window(thread, s) < bytes; };
    const bool shared = in(Space::Shared, shared_.size()), local = in(Space::Local, thread.local.size());
    return space == Space::Shared  ? shared
           : space == Space::Local ? local
                                   : space == Space::Global && !shared && !local;
  }

  // Where the access lies in this process; nullptr where it is out of bounds.
  uint8_t* place(Thread& thread, const ir::Inst& inst, uint64_t bytes) {
    uint64_t address = get(thread, inst.args[0]) + inst.imm;
    if (inst.space == Space::Shared && f_.insts[inst.args[0]].type == Type::I32) address &= 0xffffffffu;
    if (inst.space == Space::Shared || inst.space == Space::Local) {
      const uint64_t size = inst.space == Space::Shared ? shared_.size() : thread.local.size();
      if (address > size || bytes > size - address) return nullptr;
      return (inst.space == Space::Shared ? shared_.data() : thread.local.data()) + address;
    }
    return reinterpret_cast<uint8_t*>(address);
  }

  uint8_t* on_stack(Thread& thread, const ir::Inst& inst) {
    const uint64_t at = get(thread, inst.args[0]) + inst.imm;
    if (thread.stack.size() < at + 8) thread.stack.resize(at + 8);
    return thread.stack.data() + at;
  }

  void access(Thread& thread, ValueId id, const ir::Inst& inst) {
    if (guarded_off(thread, inst)) {
      tell_guarded_off(thread);
      for (uint32_t i = 0; inst.op == Op::Load && i < inst.count; ++i) set(thread, id, 0, i);
      for (uint32_t i = 0; inst.op == Op::Atomic && i < inst.count; ++i) set(thread, id, 0, i);
      return;
    }
    const int bytes = ir::bytes(inst.type);
    uint8_t* at = place(thread, inst, static_cast<uint64_t>(bytes) * inst.count);
    if (!at)
      return stop(Stop::Kind::OutOfBounds, thread,
                  fmt::format("an access of {} memory out of bounds", ir::to_string(inst.space)));
    if (watcher_) report(thread, id, inst, at);
    if (inst.op == Op::Load) {
      for (uint32_t i = 0; i < inst.count; ++i)
        set(thread, id, read_bytes(at + i * static_cast<uint32_t>(bytes), bytes), i);
    } else if (inst.op == Op::Store) {
      for (uint32_t i = 0; i < inst.count; ++i) {
        const uint64_t value = get(thread, inst.args[i + 1]);
        std::memcpy(at + i * static_cast<uint32_t>(bytes), &value, static_cast<size_t>(bytes));
      }
    } else {
      const bool is_global = space_of(thread, inst, at) == Space::Global;
      for (uint32_t i = 0; i < inst.count; ++i, at += bytes) {
        const uint64_t old = read_bytes(at, bytes);
        const uint64_t second = inst.args.size() > i + 2 ? get(thread, inst.args[i + 2]) : 0;  // of a Cas
        const uint64_t operand = get(thread, inst.args[i + 1]);
        const uint64_t value = atomic_result(inst, is_global, old, operand, second) & mask_of(inst.type);
        std::memcpy(at, &value, static_cast<size_t>(bytes));
        if (inst.op == Op::Atomic) set(thread, id, old, i);
      }
    }
  }

  Space space_of(Thread& thread, const ir::Inst& inst, const uint8_t* at) {
    if (inst.space != Space::Generic) return inst.space;
    const auto address = reinterpret_cast<uint64_t>(at);
    return is_space(thread, Space::Shared, address)  ? Space::Shared
           : is_space(thread, Space::Local, address) ? Space::Local
                                                     : Space::Global;
  }

  void report(Thread& thread, ValueId id, const ir::Inst& inst, const uint8_t* at) {
    const auto address = reinterpret_cast<uint64_t>(at);
    const Space lies_in = space_of(thread, inst, at);
    const bool in_window = inst.space == Space::Shared || inst.space == Space::Local;
    watcher_->access(thread.index, id, lies_in, in_window ? address - window(thread, inst.space) : address);
  }

  // ---- textures and surfaces

  void touch(Thread& thread, ValueId id, const ir::Inst& inst) {
    const auto access = TextureAccess::unpack(static_cast<uint32_t>(inst.imm));
    const bool has_result = access.op != TextureOp::Store && access.op != TextureOp::Reduce;
    for (uint32_t i = 0; has_result && i < inst.count; ++i) set(thread, id, 0, i);
    if (guarded_off(thread, inst)) {
      tell_guarded_off(thread);
      return;
    }
    const auto found = launch_.textures.find(get(thread, inst.args[0]));
    if (found == launch_.textures.end()) return stop(Stop::Kind::OutOfBounds, thread, "no texture or surface");
    std::vector<uint64_t> arguments;
    for (size_t i = 1; i < inst.args.size(); ++i) arguments.push_back(get(thread, inst.args[i]));
    if (!is_surface(access.op)) {
      const std::vector<uint32_t> texel = fetch(found->second, access, arguments);
      for (uint32_t i = 0; i < inst.count; ++i) set(thread, id, texel[i], i);
      return;
    }
    const int bytes = ir::bytes(inst.type);
    std::string error;
    char* at = surface_element(found->second, access, arguments, int64_t{bytes} * inst.count, &error);
    if (!error.empty()) return stop(Stop::Kind::OutOfBounds, thread, error);
    if (!at) return;
    auto* place = reinterpret_cast<uint8_t*>(at);
    const size_t first = arguments.size() - (access.op == TextureOp::Reduce ? 1 : inst.count);
    for (uint32_t i = 0; i < inst.count; ++i, place += bytes) {
      uint64_t value = has_result ? 0 : arguments[first + i];
      if (has_result) {
        set(thread, id, read_bytes(place, bytes), i);
        continue;
      }
      if (access.op == TextureOp::Reduce) {
        ir::Inst atomic = inst;
        atomic.imm2 = SurfaceDetail::unpack(access.detail).reduction;
        value = atomic_result(atomic, true, read_bytes(place, bytes), value, 0) & mask_of(inst.type);
      }
      std::memcpy(place, &value, static_cast<size_t>(bytes));
    }
  }

  // ---- special registers

  uint64_t special(const Thread& thread, ir::SpecialRegister which) {
    using enum ir::SpecialRegister;
    const Dim3 &block = launch_.block, &grid = launch_.grid;
    const uint32_t lane = thread.index % kWarpSize;
    switch (which) {
      case TidX:
        return thread.index % block.x;
      case TidY:
        return thread.index / block.x % block.y;
      case TidZ:
        return thread.index / block.x / block.y;
      case NtidX:
        return block.x;
      case NtidY:
        return block.y;
      case NtidZ:
        return block.z;
      case CtaidX:
        return where_.x;
      case CtaidY:
        return where_.y;
      case CtaidZ:
        return where_.z;
      case NctaidX:
        return grid.x;
      case NctaidY:
        return grid.y;
      case NctaidZ:
        return grid.z;
      case LaneId:
        return lane;
      case WarpId:
        return thread.index / kWarpSize;
      case NwarpId:
        return (block.count() + kWarpSize - 1) / kWarpSize;
      case NsmId:
        return 1;
      case LanemaskEq:
        return 1u << lane;
      case LanemaskLt:
        return (1u << lane) - 1;
      case LanemaskLe:
        return (2u << lane) - 1;
      case LanemaskGt:
        return ~((2u << lane) - 1);
      case LanemaskGe:
        return ~((1u << lane) - 1);
      case Clock:
      case Clock64:
      case GlobalTimer:
      case GlobalTimerLo:
        return *steps_;
      case DynamicSharedSize:
        return launch_.dynamic_shared_bytes;
      case TotalSharedSize:
        return shared_.size();
      case StackLimit:
        return 1024;
      case StackRoom:
        return 3072;
      case ParamBase:
        return reinterpret_cast<uint64_t>(launch_.params.data());
      default:
        return 0;
    }
  }

  const ir::Function& f_;
  const Launch& launch_;
  const std::vector<uint32_t>& slots_;
  Dim3 where_;
  uint64_t* steps_;
  Watcher* watcher_;
  std::vector<uint8_t> shared_;
  std::vector<Thread> threads_;
  std::map<uint32_t, Barrier> barriers_;
  std::optional<Stop> stop_;
  uint64_t instructions_ = 0;
};

// Where each value's components lie in Thread::values.
std::vector<uint32_t> assign_slots(const ir::Function& function, uint32_t* count) {
  std::vector<uint32_t> slots;
  *count = 0;
  for (const ir::Inst& inst : function.insts) {
    slots.push_back(*count);
    const bool vector =
        inst.op == Op::Load || inst.op == Op::Atomic || inst.op == Op::Texture || inst.op == Op::Surface;
    *count += vector ? inst.count : result_components(inst);
  }
  return slots;
}

}  // namespace

Outcome run(const ir::Function& function, const Launch& launch, Watcher* watcher) {
  Outcome outcome;
  uint32_t slot_count = 0;
  const std::vector<uint32_t> slots = assign_slots(function, &slot_count);
  uint64_t steps = 0;
  for (uint32_t z = 0; z < launch.grid.z; ++z)
    for (uint32_t y = 0; y < launch.grid.y; ++y)
      for (uint32_t x = 0; x < launch.grid.x; ++x) {
        if (watcher) watcher->begin_block({x, y, z});
        BlockRun block(function, launch, slots, slot_count, {x, y, z}, &steps, watcher);
        outcome.stop = block.run();
        if (watcher) watcher->end_block();
        outcome.thread_instructions += block.instructions();
        if (outcome.stop) return outcome;
      }
  return outcome;
}

}  // namespace warplens::reference
