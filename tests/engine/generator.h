// The generator behind kernel_generator.h. Registers that statements read and write: %v0-7 (32 bits), %w0-3 (64), %h0-3
// (16), %x0-3 (f32), %y0-2 (f64), %q0-3 (predicates); every other register is written once.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel_generator.h"

namespace warplens::engine_test {

using Text = std::string;

inline constexpr uint32_t kInterestingWords[] = {
    0,          1,          2,          3,          4,          5,          7,         8,
    15,         16,         31,         32,         33,         63,         64,        100,
    127,        128,        255,        256,        1000,       0xffff,     0x10000,   0x7fffffff,
    0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffffffe0, 0xfffffff0, 0x7ffffff0};

// An integer that provably lies in [low, high] in every thread of every launch.
struct Bounded {
  Text reg;
  int64_t low, high;
};

// Where statements stand.
struct Place {
  bool block_uniform = true;  // all threads of the block that still run are here
  Text mask;                  // register with the lanes of the warp that are here; "" if nobody knows
  int depth = 0;
  double times = 1;                          // how often this runs, at most
  bool may_leave = false;                    // break and continue are allowed
  std::vector<std::pair<Text, Text>> loops;  // exit label, code that goes on with the next iteration (innermost last)
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  GeneratedKernel run() {
    choose_shape();
    prologue();
    Place top;
    top.mask = "%m0";
    const int statements = 3 + below(9);
    for (int k = 0; k < statements && cost_ < limit_ && statements_ < kMostStatements; ++k) statement(top);
    epilogue();
    k_.text = assemble();
    k_.out_bytes = (out_bytes_ + 511) / 512 * 512;
    return std::move(k_);
  }

 private:
  // ---- choices
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool chance(int percent) { return below(100) < static_cast<uint32_t>(percent); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  template <size_t N>
  Text any(const char* const (&list)[N]) {
    return list[below(N)];
  }

  // ---- text
  template <typename... A>
  void line(fmt::format_string<A...> f, A&&... a) {
    body_ += "\t" + fmt::format(f, std::forward<A>(a)...) + "\n";
    cost_ += times_;
  }
  void label(const Text& l) { body_ += l + ":\n"; }
  Text new_label() { return fmt::format("L{}", labels_++); }
  Text r() { return fmt::format("%r{}", words_++); }
  Text rd() { return fmt::format("%rd{}", longs_++); }
  Text rs() { return fmt::format("%rs{}", shorts_++); }
  Text p() { return fmt::format("%p{}", preds_++); }

  // ---- kernel_generator.cpp: the frame around the statements
  void choose_shape();
  uint64_t take_out(uint64_t bytes);
  void prologue();
  void init_variables();
  void init_shared();
  void epilogue();
  static Text numbers(uint32_t factor);
  int kept(int n) const { return few_ ? (n + 1) / 2 : n; }
  Text with_few(const Text& body) const;
  Text assemble() const;

  // ---- generate_operands.cpp: values, bounded integers, addresses
  Text word_constant();
  Text uniform_word();
  Text table_entry(const Bounded& index);
  Text word();
  Text long_word();
  Text half();
  Text single();
  Text real();
  Text pred();
  Bounded leaf();
  Bounded affine(int depth);
  int64_t any_pitch();
  Bounded limited(const Text& reg, uint32_t size);
  Bounded index();
  Text address(const Text& base, const Bounded& i, uint32_t bytes);

  // ---- generate_compute.cpp: which statement comes next, and those that only compute
  void statement(const Place& at);
  void block(Place inner, int most);
  Text guard();
  void compute();
  void compute_word();
  void compute_long();
  void compute_short();
  void compute_float();
  void convert();
  void compute_pred();

  // ---- generate_control.cpp
  Text condition(bool uniform);
  Text ballot(const Text& mask, const Text& cond, bool value);
  void conditional(const Place& at);
  void loop(const Place& at);
  void leave(const Place& at);
  void early_exit(const Place& at);
  void jump_table(const Place& at);

  // ---- generate_memory.cpp
  struct Width {
    const char* type;
    uint32_t bytes;
    const char* reg;  // of one component
  };
  static constexpr Width kWidths[] = {{"u8", 1, "v"},  {"s8", 1, "v"},  {"u16", 2, "v"}, {"s16", 2, "h"},
                                      {"u32", 4, "v"}, {"u32", 4, "v"}, {"f32", 4, "x"}, {"b32", 4, "v"},
                                      {"u64", 8, "w"}, {"f64", 8, "y"}};
  // "v2.u32" and "{%v1, %v2}", or "u32" and "%v1": an access of at most `most` bytes.
  struct Access {
    Text type, values;
    uint32_t bytes;
  };
  Text variable(const char* file);
  Text clean(const Text& x, const char* type);
  Access access(uint32_t most, bool load);
  Text offset(uint32_t bytes);
  void load_in(const Place&);
  void load_big(const Place&);
  void own_access(const Place&);
  Bounded own_index();
  void store_out(const Place&);
  void uniform_store();
  void local_access();
  Text shared_address(const Text& base, const Bounded& i, uint32_t bytes);
  Bounded shared_index(uint32_t bytes);
  void shared_read(const Place&);
  void exchange(const Place& at);
  Text barrier_id();
  void count_arrivals();
  void counted_barrier();
  void block_reduction();
  void atomic(const Place&);
  void generic_access();

  // ---- generate_forms.cpp: instructions from tables
  Text choose_alternatives(const Text& form);
  void form(const Text& pattern, const Text& mask, bool switched);
  void compute_form();
  void warp_form(const Place& at);

  // ---- generate_warp.cpp: warps and calls
  void warp_operation(const Place& at);
  void shuffle(const Place& at);
  void call();
  void call_by_pointer();
  void call_itself();

  static constexpr int kMostStatements = 14;  // making code takes most of a trial's time

  std::mt19937_64 random_;
  GeneratedKernel k_;
  uint32_t threads_ = 1, blocks_ = 1, shared_words_ = 64;
  bool dynamic_ = false, recursion_ = false;
  bool few_ = false;  // half the variables: less lives everywhere, and making code takes half the time
  uint64_t out_bytes_ = 0;
  Text body_;
  int labels_ = 0, words_ = 0, longs_ = 0, shorts_ = 0, preds_ = 0, singles_ = 0, reals_ = 0, exits_ = 0,
      statements_ = 0;
  double cost_ = 0, limit_ = 0, times_ = 1;
  std::vector<Bounded> counters_;
};

}  // namespace warplens::engine_test
