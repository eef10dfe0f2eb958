// What compiled code and the rest of exec share: the state of one worker thread while it runs blocks, and the functions
// that compiled code calls when the short way is not enough. Compiled code reads and writes these structs by offset.
#pragma once
#include <cstddef>
#include <cstdint>

#include "event/event.h"

namespace warplens::exec {

// Per memory site: the allocation that held its last accesses. An access from `a` on is inside if a - low <= room,
// where room is the allocation's size less the bytes that this site touches from its lowest address on.
struct Bounds {
  uint64_t low = ~uint64_t{0};
  uint64_t room = 0;
};

// Per memory site: partial-warp accesses whose pattern is known, as long as mask and residue stay the same.
struct Recent {
  uint64_t key = 0;  // mask | index of the residue << 32; a mask of 0 counts nothing
  uint64_t count = 0;
};

// What a Recent counted until a request of another kind came: an entry of the worker's log.
struct KindCount {
  Recent counted;
  uint32_t inst = 0;  // ir::ValueId of the access
};

// Per warp of the block: where it stands. Only kernels with barriers, or loops that wait for other threads, use it.
struct WarpState {
  static constexpr int32_t kStart = 0, kDone = -1;  // other values: where to go on
  static constexpr uint8_t kWaits = 1, kWorks = 2;
  int32_t state = kStart;
  uint32_t barrier = 0;    // id it waits at
  uint32_t expected = 0;   // threads the barrier waits for; 0: all of the block
  uint32_t lanes = 0;      // mask of the lanes that wait
  uint32_t predicate = 0;  // mask of the lanes whose predicate is true (reducing barriers)
  uint32_t result = 0;     // what a reducing barrier gave; if it `yields`, mask of the lanes in the loop
  uint32_t site = 0;       // if it `yields`, of the access that the loop polls
  uint8_t mode = 0;        // ir::BarrierMode
  uint8_t released = 0;    // 1: may go on
  uint8_t yields = 0;  // it stopped in a loop that waits for other threads: kWaits, or kWorks if the loop also writes
};
static_assert(sizeof(WarpState) == 32, "none lies across two cache lines");

enum class SystemCall : uint32_t { Printf, Malloc, Free, Copy, CountCopy };  // as ir::SystemCall

struct WarpEnv {
  const uint8_t* params = nullptr;
  const uint64_t* symbols = nullptr;  // addresses of the module's variables
  uint8_t* shared = nullptr;          // this worker's block window
  uint8_t* local = nullptr;           // frame of thread t: local + t * local_bytes
  uint64_t* counters = nullptr;       // codegen::CountPlan says what each one means
  Bounds* bounds = nullptr;           // per site
  const uint8_t* stop = nullptr;      // becomes 1 when the launch must end
  uint8_t* saved = nullptr;           // per warp: values that live across a barrier
  WarpState* warps = nullptr;         // per warp
  event::Access* event = nullptr;  // where the next request is written; its addresses are what the functions below read
  event::Access* event_end = nullptr;  // the batch is full: wl_flush
  Recent* recent = nullptr;            // per site
  KindCount* kind = nullptr;           // where the log of ended kinds is continued
  KindCount* kind_end = nullptr;       // the log is full: wl_kinds
  uint8_t* values = nullptr;           // 2 * 32 * 32 bytes, scratch: lane values in, then lane values out
  uint64_t shared_bytes = 0;           // static and dynamic
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {0, 0, 0};  // blockIdx of the block that runs
  uint32_t warp = 0;              // warp of the block that runs
  uint32_t* pending = nullptr;  // of a large kernel: a mask a basic block of the lanes that are to run it, then a mask
                                // a basic block of those that let the others of their warp run first
  uint64_t block_number = 0;    // of the block that stopped half-way (3, below), x fastest
  uint32_t resume = 0;          // 1: the first block goes on where it stopped
  uint64_t workspace = 0;       // of a cooperative grid: 4 unused bytes and 4 of its barrier, 0 at first; else null
  uint8_t* stack = nullptr;     // what threads keep during calls: of thread t: stack + t * stack_stride
  uint64_t stack_stride = 0;
  uint32_t stack_room = 0;   // bytes of it that a thread may use
  uint32_t stack_limit = 0;  // bytes of local memory that the calls of a thread may take
  void* frame = nullptr;     // compiled code's own
  void* worker = nullptr;    // exec's own
};

inline constexpr uint32_t kTextureValues = 1024, kTextureResults = 1536;  // bytes

// All return 0, or 1 if the launch must end (the worker holds the fault).
extern "C" {
// Checks every active lane's address, reports the request to the watcher if `count`, and moves the data: element e of
// lane l at values[(e * 32 + l) * element bytes]. `inst` is the ir::ValueId of the access.
uint32_t wl_load(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count);
uint32_t wl_store(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count);
// Operand lane l at values[l * bytes], second operand (compare-and-swap's new value) at values[(32 + l) * bytes];
// old values come back at values[1024 + l * bytes].
uint32_t wl_atomic(WarpEnv* env, uint32_t inst, uint32_t mask, uint32_t count);
// A full warp is about to access base + pattern for `inst` and its followers, and some address may be bad: tests each
// lane of each. The event's addresses are those of `inst`.
uint32_t wl_test(WarpEnv* env, uint32_t inst);
// A full warp's access is not as planned: report its lane addresses.
void wl_report(WarpEnv* env, uint32_t inst);
// The batch of events is full.
void wl_flush(WarpEnv* env);
// The log of ended kinds is full.
void wl_kinds(WarpEnv* env);
uint32_t wl_trap(WarpEnv* env, uint32_t inst, uint32_t mask);
uint32_t wl_stopped(WarpEnv* env);
// The warp arrives at barrier `id`, which is for `expected` threads, and does not wait.
void wl_arrive(WarpEnv* env, uint32_t id, uint32_t expected);
// All warps of the block have run as far as they can. 0: go on; 1: end the launch; 2: the block is done; 3: some wait
// in loops: other blocks should run before this one goes on.
uint32_t wl_barrier(WarpEnv* env);
// ir::SystemCall `call`; argument k of lane l at values[(k * 32 + l) * 8], results at values[1024 + l * bytes].
// `location`: ir::Inst::location of the call; of CountCopy its site.
uint32_t wl_system_call(WarpEnv* env, uint32_t call, uint32_t location, uint32_t mask);
// TextureAccess `access`; `element`: bytes of one, components << 8, 1 << 16 if the request is to be counted. Operands
// in order from values[0] on: the handles (8 bytes a lane), then 4 bytes a lane each; values to store: component e of
// lane l at values[kTextureValues + (e * 32 + l) * bytes]. Results likewise from values[kTextureResults] on.
uint32_t wl_texture(WarpEnv* env, uint32_t access, uint32_t element, uint32_t site, uint32_t mask);
uint64_t wl_clock(WarpEnv* env, uint32_t special_register);
// Lanes in any of `count` masks.
uint32_t wl_any_of(const uint32_t* masks, uint32_t count);
}

}  // namespace warplens::exec
