// IR -> warp-wide LLVM IR, for one kernel and one specialization. The function made is
//     i32 kernel(ptr env, i64 first_block, i64 last_block)        0: done, 1: ended early (the worker holds the fault)
// and loops over blocks and warps itself. Every basic block exists in up to two versions:
//   full     all 32 lanes of the warp are active and nothing waits: plain control flow, no masks;
//   partial  some lanes are active. A mask of lanes waits for each block; the lowest-numbered block with waiting lanes
//   runs
//            next, which in canonical order is reconvergence at the immediate post-dominator. A block whose lanes turn
//            out to be all 32 goes back to the full version.
// A branch that splits a warp leads from full to partial. Values are shared by both versions: a uniform or affine value
// is one scalar a group, any other value `chunks` vectors of `width` lanes.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "codegen/plan.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace warplens::codegen {

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const ir::Function& f, const passes::Specialization& spec, const Plan& plan,
                bool counting);
  llvm::Function* run();

 private:
  using Value = llvm::Value;
  using BlockId = ir::BlockId;
  using ValueId = ir::ValueId;

  // ---- emit_control.cpp: the frame around the blocks, both versions, barriers
  void make_frame();
  void emit_block_loop();
  void emit_warp_start();
  void emit_body(BlockId b, bool full);
  void emit_end(BlockId b);
  void emit_jump(BlockId b);
  void emit_branch(BlockId b);
  void emit_split(BlockId b, Value* taken_mask, Value* active);
  void emit_barrier(BlockId b);
  void emit_waits();
  void emit_chain();
  void edge(BlockId from, BlockId to, Value* edge_mask);
  void edges(BlockId from, const std::vector<std::pair<BlockId, Value*>>& targets);
  void poll_stop();
  Value* warp_state(size_t offset);  // a field of exec::WarpState, of the warp that runs
  Value* save_area();                // of the warp that runs
  void save(const std::vector<ValueId>& values);
  void restore(const std::vector<ValueId>& values);
  llvm::BasicBlock* chain_from(BlockId b) const;
  Value* pending_slot(BlockId b);
  void add_pending(BlockId b, Value* mask);
  void clear_pending();

  // ---- emit_waits.cpp: loops in which a warp, or some of its lanes, wait for other threads
  void emit_wait(BlockId b);
  void emit_wait_resumes(llvm::SwitchInst* resume);
  void emit_stand_aside();
  void emit_parked();
  bool meets(BlockId b) const;
  void emit_meeting(BlockId b);
  Value* any_of(bool pending, bool parked);
  Value* parked_slot(BlockId b);
  int32_t full_wait_state(BlockId latch) const { return static_cast<int32_t>(f_.blocks.size() + 2 + latch); }
  int32_t stood_aside_state() const { return static_cast<int32_t>(2 * f_.blocks.size() + 2); }

  Value* wants_quick_test(const ir::Inst& end, bool* when_true);

  // ---- emit_values.cpp: reading and writing IR values in either form
  const passes::Lanes& lanes(ValueId v) const { return plan_.lanes.values[v]; }
  llvm::Type* type(ir::Type t);
  llvm::Type* vector_type(ir::Type t);
  Value* constant(ir::Type t, uint64_t bits);
  Value* scalar(ValueId v, uint32_t group, uint32_t groups);  // the value in the group's first lane
  Value* vec(ValueId v, uint32_t chunk);                      // the lanes of a chunk
  Value* bitmask(ValueId pred);                               // a Pred as 32 bits
  Value* vector_mask(Value* mask, uint32_t chunk);            // bits of a mask as a vector of i1
  Value* assumed_holds(const passes::Lanes& l);               // i1: all guards hold; nullptr if there are none
  Value* pattern_vector(const passes::Lanes& l, ir::Type t, uint32_t chunk);
  void define(ValueId v, std::vector<Value*> parts);
  void define_same(ValueId v, Value* x);  // x in every lane
  struct Slot {
    Value* at;
    llvm::Type* type;
  };
  std::vector<Slot>& slot(ValueId v);
  llvm::AllocaInst* guard_flag(ValueId widening);
  Value* active() { return mask_ ? mask_ : builder_.getInt32(~0u); }

  // ---- emit_ops.cpp: instructions that only compute
  void emit_inst(ValueId v);
  void emit_pure(ValueId v);
  void emit_special(ValueId v);
  void emit_guard(ValueId v);
  void emit_system_call(ValueId v);
  Value* compute(const ir::Inst& inst, const std::vector<Value*>& a);
  Value* compute_float(const ir::Inst& inst, const std::vector<Value*>& a);
  Value* compute_convert(const ir::Inst& inst, const std::vector<Value*>& a);
  Value* divide(ir::Op op, Value* a, Value* b);
  Value* is_in_space(ir::Space space, Value* address);
  Value* window_base(ir::Space space, llvm::Type* like);
  Value* directed(const ir::Inst& inst, const std::vector<Value*>& a);  // rounding other than to nearest
  Value* flush(Value* v);
  Value* canonical_nan(Value* v);
  Value* float_to_int(const ir::Inst& inst, Value* a);
  Value* round_integral(Value* a, ir::Rounding rounding);
  Value* call_math(llvm::StringRef name, llvm::ArrayRef<Value*> args, llvm::Type* element);
  Value* device_math(const ir::Inst& inst, const std::vector<Value*>& args);
  Value* narrow(Value* d, Value* tail, ir::Rounding rounding);
  Value* narrow_to_odd(Value* d);
  Value* approximate(const ir::Inst& inst, Value* x);  // emit_approx.cpp
  bool makes_nan(ValueId v, int depth = 0) const;
  bool bits_are_seen(const ir::Inst& inst);
  Value* observable(ValueId v,
                    Value* x);  // a float as a program may see its bits: NaNs made by arithmetic are canonical
  llvm::Type* same_shape(llvm::Type* element, llvm::Type* like);

  // ---- emit_memory.cpp
  void emit_access(ValueId v);
  bool maskable(ValueId v) const;
  void emit_short_way(ValueId v);
  void emit_tests(BlockId b);
  void test_full(ValueId v);
  void emit_either_way(ValueId v);
  void emit_lane_way(ValueId v, Value* mask);
  void emit_long_way(ValueId v, Value* mask, Value* count);
  void count_request(ValueId v);
  void store_addresses(const ir::Inst& inst);
  Value* lanes_in_bounds(ValueId v, Value* mask);
  std::vector<Value*> lane_piece(const ir::Inst& inst, Value* at);
  std::vector<Value*> lane_load(ValueId v, Value* mask);
  void lane_store(ValueId v);
  Value* window_pointer(const ir::Inst& inst, uint32_t chunk);
  std::vector<Value*> merge(const std::vector<Value*>& a, llvm::BasicBlock* from_a, const std::vector<Value*>& b,
                            llvm::BasicBlock* from_b);
  void define_access(ValueId v, std::vector<Value*> parts);
  void store_values(const ir::Inst& inst, size_t first_arg, uint32_t slot);
  std::vector<Value*> load_results(const ir::Inst& inst, uint32_t first_slot, Value* mask);
  std::vector<Value*> short_load(ValueId v);
  void short_store(ValueId v);
  Value* group_address(const ir::Inst& inst, uint32_t group, uint32_t groups, int64_t extra);
  Value* in_bounds(ValueId v);
  Value* is_disjoint(ValueId v);
  void count_residue(ValueId v);
  void count(uint32_t counter, Value* by);
  void count_at(uint32_t counter, Value* index, Value* by);
  void fault_unless_zero(Value* status);
  void emit_texture(ValueId v);

  // ---- emit_stack.cpp
  Value* stack_addresses(const ir::Inst& inst, uint32_t chunk);
  void emit_stack(ValueId v);

  // ---- emit_warp.cpp
  void emit_warp(ValueId v);
  void emit_shuffle(ValueId v);
  void emit_vote(ValueId v);
  void emit_match(ValueId v);
  void emit_redux(ValueId v);
  void emit_matrix(ValueId v);
  Value* lane_array(ValueId v);  // 32 lanes of a 32-bit value in memory
  std::vector<Value*> from_lane_array(llvm::Value* array, ir::Type t);
  void count_off(const ir::Inst& inst);
  void count_on(const ir::Inst& inst);
  Value* active_with_guard(const ir::Inst& inst);

  // ---- env access
  Value* env_field(size_t offset, llvm::Type* t, bool invariant = false);
  void set_env_field(size_t offset, Value* v);
  llvm::FunctionCallee runtime(const char* name, llvm::ArrayRef<llvm::Type*> args, llvm::Type* result = nullptr);
  llvm::BasicBlock* block(const llvm::Twine& name);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  const ir::Function& f_;
  const passes::Specialization& spec_;
  const Plan& plan_;
  std::vector<bool> bits_seen_;  // by value; filled when first asked
  const bool counting_;
  const uint32_t chunks_, width_;

  llvm::Function* function_ = nullptr;
  Value *env_ = nullptr, *params_ = nullptr, *symbols_ = nullptr, *shared_ = nullptr, *counters_ = nullptr,
        *bounds_ = nullptr, *stop_ = nullptr, *shared_bytes_ = nullptr, *values_ = nullptr, *pending_memory_ = nullptr,
        *warps_state_ = nullptr;
  Value* grid_[3] = {};
  Value* block_index_[3] = {};
  llvm::AllocaInst* warp_ = nullptr;         // index of the warp that runs
  llvm::AllocaInst* waiting_any_ = nullptr;  // some warp of the round waits at a barrier
  llvm::AllocaInst* spins_ = nullptr;        // iterations of waiting loops since the warp began to run
  llvm::BasicBlock* stand_aside_ = nullptr;  // the warp keeps what its lanes hold, and lets other warps run
  std::map<BlockId, Value*> parked_;         // per block: lanes that let the others of their warp run first
  llvm::BasicBlock *entry_ = nullptr, *fault_ = nullptr, *warp_done_ = nullptr, *warp_suspended_ = nullptr,
                   *warp_over_ = nullptr;
  std::vector<llvm::BasicBlock*> full_blocks_, partial_blocks_, chain_;
  std::vector<llvm::AllocaInst*> pending_, waiting_;
  std::vector<std::vector<Slot>> slots_;
  llvm::AllocaInst* frame_ = nullptr;  // where slots lie in memory for good
  uint64_t frame_bytes_ = 0;
  static constexpr uint64_t kFrameSlot = 8;  // bytes a lane
  std::map<ValueId, llvm::AllocaInst*> guard_flags_;
  std::map<std::pair<size_t, llvm::Type*>, llvm::AllocaInst*> math_slots_;  // by position: what device_math() hands on

  // Of the block version being emitted:
  BlockId current_ = 0;
  uint32_t current_chunk_ = 0;  // of the vector being computed
  Value* mask_ = nullptr;       // active lanes; nullptr in a full version
  std::map<ValueId, std::vector<Value*>> cache_;
  std::map<std::pair<Value*, uint32_t>, Value*> vector_masks_;
  std::map<uint32_t, bool> counted_residues_;
  std::set<ValueId> tested_;
  std::map<std::pair<Value*, uint32_t>, Value*> lane_arrays_;
  llvm::AllocaInst *matrix_in_ = nullptr, *matrix_out_ = nullptr;  // registers of a Matrix, by number and then by lane
};

}  // namespace warplens::codegen
