#include "exec/grid.h"

#include <sys/mman.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "base/deep_stack.h"

namespace warplens::exec {

namespace {

constexpr size_t kPage = 4096;

struct Free {
  size_t mapped = 0;  // bytes, of what is large
  void operator()(uint8_t* p) const {
    if (mapped)
      munmap(p, mapped);
    else
      std::free(p);
  }
};

constexpr size_t kLarge = 1 << 20;  // what is larger is zeroed by the system, page by page as it is used

// Arrays one after the other in one zeroed piece of memory: first told, then placed.
class Arena {
 public:
  // Two workers never write to one cache line, nor to two that the processor fetches together.
  static constexpr size_t kApart = 128;
  size_t take(size_t bytes, size_t alignment = kApart) {
    const size_t at = (size_ + alignment - 1) / alignment * alignment;
    size_ = at + bytes;
    return at;
  }
  void allocate() {
    const size_t bytes = (size_ + kPage) / kPage * kPage;
    if (bytes > kLarge) {
      void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (data == MAP_FAILED) throw std::bad_alloc();
      data_ = {static_cast<uint8_t*>(data), Free{bytes}};
      return;
    }
    data_ = {static_cast<uint8_t*>(std::aligned_alloc(kPage, bytes)), Free{}};
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }
  template <typename T>
  T* at(size_t offset) const {
    return reinterpret_cast<T*>(data_.get() + offset);
  }

 private:
  size_t size_ = 0;
  std::unique_ptr<uint8_t, Free> data_{nullptr, Free{}};
};

constexpr uint64_t kMaxStep = 1024;
constexpr size_t kLargeFrame = 64 << 10;  // more than the thread that launches may have to spare
constexpr size_t kStackOfOurs = 8 << 20;  // a program's thread-local variables lie there too

// What the workers of a launch tell each other.
struct Progress {
  std::atomic<uint64_t> next{0};   // block that nobody has started
  std::atomic<uint64_t> moves{0};  // times that some block got further
  std::atomic<unsigned> working{0}, idle{0};
  std::atomic<bool> ended{false};  // by a fault
  std::atomic<bool> stuck{false};  // every worker says where its blocks stand
};

// A worker whose blocks all wait. Soon it lets other threads of this machine run. If no worker gets any further for
// kDeadlock, none ever will: what a kernel waits for only a kernel's threads can write, since launches come one after
// the other and end before the program goes on.
class Patience {
 public:
  // false: it has ended.
  bool with(Progress& progress, bool moved) {
    if (moved) {
      leave(progress);
      return true;
    }
    if (!idle_) idle_ = true, ++progress.idle, since_ = Clock::now(), seen_ = progress.moves.load();
    if (progress.moves.load() != seen_ || progress.idle.load() != progress.working.load())
      since_ = Clock::now(), seen_ = progress.moves.load();
    if (Clock::now() - since_ > kDeadlock) return false;
    if (++turns_ < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    return true;
  }
  void leave(Progress& progress) {
    if (idle_) --progress.idle;
    idle_ = false;
    turns_ = 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kDeadlock{2};
  bool idle_ = false;
  unsigned turns_ = 0;
  uint64_t seen_ = 0;
  Clock::time_point since_;
};

uint64_t position(const Fault& f, const Dim3& grid) {
  return (uint64_t{f.block.z} * grid.y + f.block.y) * grid.x + f.block.x;
}

}  // namespace

// One worker's memory, and the loop that takes blocks.
class alignas(Arena::kApart) Grid::GridWorker {
 public:
  GridWorker(const KernelTables& tables, const Shape& shape)
      : worker_(tables, shape.block), tables_(tables), shape_(shape) {}

  bool ran = false;  // in the launch that is going on

  void begin(const GridRequest& r, event::Sink* sink, const uint8_t* stop) {
    const uint32_t room = shape_.stack ? stack_room(r.config.stack_bytes) : 0;
    if (!laid_out_ || shared_size_ < r.shared_bytes || stack_room_ < room) lay_out(r.shared_bytes, room);
    WarpEnv& e = worker_.env;
    std::fill_n(e.counters, shape_.counters, 0);
    std::fill_n(e.bounds, tables_.sites, Bounds{});  // allocations come and go between launches
    std::fill_n(e.recent, tables_.sites, Recent{});
    std::fill_n(e.warps, warps(), WarpState{});
    std::fill_n(e.pending, 2 * shape_.code_blocks, 0);
    worker_.begin(*r.memory, sink, r.params.size());
    ran = true;
    e.params = r.params.data();
    e.symbols = r.symbols.data();
    e.shared_bytes = r.shared_bytes;
    e.workspace = r.workspace;
    e.stack_room = room;
    e.stack_limit = r.config.stack_bytes;
    e.stop = stop;
    e.grid[0] = r.config.grid.x, e.grid[1] = r.config.grid.y, e.grid[2] = r.config.grid.z;
  }

  void take_blocks(const GridRequest& r, Progress& progress, uint64_t step) {
    const uint64_t blocks = r.config.grid.count();
    for (;;) {
      const uint64_t first = progress.next.fetch_add(step);
      if (first >= blocks) break;
      if (__atomic_load_n(worker_.env.stop, __ATOMIC_RELAXED)) {
        worker_.stopped();
        break;
      }
      if (r.code(&worker_.env, first, std::min(blocks, first + step)) != 0) {
        progress.next.store(blocks);  // nobody starts another block
        break;
      }
    }
    worker_.finish();
  }

  // The same where a block may wait for others: then it is laid aside, and goes on when the others have had their turn.
  // New blocks start when none of those gets any further; more at a time the more wait, or looking at all of them for
  // each new one would take the square of their number. Turns go up and down, so that a chain of blocks that wait for
  // their neighbours is done in two of them whichever way it runs.
  void take_turns(const GridRequest& r, Progress& progress) {
    const uint64_t blocks = r.config.grid.count();
    bool ended = false, idle = false, up = true;
    Patience patience;
    while (!ended) {
      bool moved = false;
      if (aside_.empty() || idle) {
        for (size_t more = aside_.size() / 2 + 1; more-- != 0 && !ended;) {
          const uint64_t number = progress.next.load() < blocks ? progress.next.fetch_add(1) : blocks;
          if (number >= blocks) break;
          ended = start(r, number);
          moved = true;
        }
        if (!moved && aside_.empty()) break;
      }
      up = !up;
      for (size_t turns = aside_.size(); turns-- != 0 && !ended;) moved |= go_on(r, up, &ended);
      if (progress.ended.load()) ended = true;
      idle = !moved;
      if (moved) ++progress.moves;
      if (!ended && !patience.with(progress, moved)) progress.stuck.store(true);
      if (!ended && progress.stuck.load()) ended = aside_.empty() || give_up();
    }
    if (worker_.fault && !progress.stuck.load()) progress.ended.store(true);
    if (worker_.fault) progress.next.store(blocks);
    patience.leave(progress);
    for (auto& block : aside_) spare_.push_back(std::move(block));
    aside_.clear();
    worker_.finish();
  }

  const uint64_t* counters() const { return worker_.env.counters; }
  const Printed& printed() const { return worker_.printed; }
  const std::optional<Fault>& fault() const { return worker_.fault; }

 private:
  // A block that stopped half-way, and its memory.
  struct Aside {
    Arena arena;
    uint8_t *shared = nullptr, *saved = nullptr, *local = nullptr, *stack = nullptr;
    WarpState* warps = nullptr;
    uint64_t number = 0, standstill = 0;
    Worker::Arrivals arrivals;
  };

  // Runs a new block. true: the launch ends.
  bool start(const GridRequest& r, uint64_t number) {
    const int32_t how = r.code(&worker_.env, number, number + 1);
    if (how == 3) lay_aside();
    return how == 1;
  }

  // Its memory goes with the block; the worker gets other.
  void lay_aside() {
    std::unique_ptr<Aside> block;
    if (spare_.empty()) {
      block = std::make_unique<Aside>();
      lay_out(*block);
    } else {
      block = std::move(spare_.back());
      spare_.pop_back();
    }
    std::fill_n(block->warps, warps(), WarpState{});
    block->arrivals = {};
    block->number = worker_.env.block_number;
    block->standstill = worker_.standstill();
    exchange(*block);
    aside_.push_back(std::move(block));
  }

  void exchange(Aside& block) {
    WarpEnv& e = worker_.env;
    std::swap(e.shared, block.shared);
    std::swap(e.saved, block.saved);
    std::swap(e.local, block.local);
    std::swap(e.stack, block.stack);
    std::swap(e.warps, block.warps);
    std::swap(worker_.arrivals, block.arrivals);
  }

  // The first block, or the last, has its turn, and takes its place at the other end. true: it got further.
  bool go_on(const GridRequest& r, bool up, bool* ended) {
    std::unique_ptr<Aside> block = std::move(up ? aside_.front() : aside_.back());
    up ? aside_.pop_front() : aside_.pop_back();
    exchange(*block);
    worker_.env.resume = 1;
    const int32_t how = r.code(&worker_.env, block->number, block->number + 1);
    worker_.env.resume = 0;
    *ended = how == 1;
    const uint64_t before = block->standstill;
    block->standstill = how == 3 ? worker_.standstill() : 0;
    const bool moved = how != 3 || block->standstill == 0 || block->standstill != before;
    exchange(*block);
    if (how != 3)
      spare_.push_back(std::move(block));
    else if (up)
      aside_.push_back(std::move(block));
    else
      aside_.push_front(std::move(block));
    return moved;
  }

  // Nobody gets any further: the lowest of this worker's blocks says where it stands.
  bool give_up() {
    auto lowest =
        std::min_element(aside_.begin(), aside_.end(), [](auto& a, auto& b) { return a->number < b->number; });
    const uint64_t number = (*lowest)->number;
    WarpEnv& e = worker_.env;
    e.block[0] = static_cast<uint32_t>(number % e.grid[0]);
    e.block[1] = static_cast<uint32_t>(number / e.grid[0] % e.grid[1]);
    e.block[2] = static_cast<uint32_t>(number / e.grid[0] / e.grid[1]);
    exchange(**lowest);
    worker_.deadlock();
    exchange(**lowest);
    return true;
  }

  void lay_out(Aside& block) {
    const size_t shared = block.arena.take(shared_size_ + 64, kPage);
    const size_t states = block.arena.take(warps() * sizeof(WarpState));
    const size_t saved = block.arena.take(warps() * shape_.save_bytes);
    const size_t local = block.arena.take(warps() * kWarpSize * tables_.local_bytes, 1024);
    const size_t stack = block.arena.take(warps() * kWarpSize * worker_.env.stack_stride);
    block.arena.allocate();
    block.shared = block.arena.at<uint8_t>(shared);
    block.warps = block.arena.at<WarpState>(states);
    block.saved = block.arena.at<uint8_t>(saved);
    block.local = block.arena.at<uint8_t>(local);
    block.stack = block.arena.at<uint8_t>(stack);
  }

  uint64_t warps() const { return (shape_.block.count() + kWarpSize - 1) / kWarpSize; }

  // What a warp touches between barriers lies side by side, shared memory first: if it fits into 4 KB, no load waits
  // for a store to another place whose address has the same last 12 bits.
  void lay_out(uint64_t shared_bytes, uint32_t room) {
    arena_ = {};
    WarpEnv& e = worker_.env;
    // Threads' places lie in different sets of a cache.
    e.stack_stride = shape_.stack ? (room + 63) / 64 * 64 + 64 : 0;
    spare_.clear();  // the worker's own pointers may lead there
    const size_t shared = arena_.take(shared_bytes + 64, kPage);
    const size_t states = arena_.take(warps() * sizeof(WarpState));
    const size_t counters = arena_.take(shape_.counters * sizeof(uint64_t));
    const size_t saved = arena_.take(warps() * shape_.save_bytes);
    const size_t bounds = arena_.take(tables_.sites * sizeof(Bounds));
    const size_t recent = arena_.take(tables_.sites * sizeof(Recent));
    const size_t pending = arena_.take(2 * shape_.code_blocks * sizeof(uint32_t));
    const size_t values = arena_.take(2048);
    const size_t local = arena_.take(warps() * kWarpSize * tables_.local_bytes, 1024);
    const size_t stack = arena_.take(warps() * kWarpSize * e.stack_stride);
    arena_.allocate();
    e.shared = arena_.at<uint8_t>(shared);
    e.warps = arena_.at<WarpState>(states);
    e.counters = arena_.at<uint64_t>(counters);
    e.saved = arena_.at<uint8_t>(saved);
    e.bounds = arena_.at<Bounds>(bounds);
    e.recent = arena_.at<Recent>(recent);
    e.pending = arena_.at<uint32_t>(pending);
    e.values = arena_.at<uint8_t>(values);
    e.local = arena_.at<uint8_t>(local);
    e.stack = arena_.at<uint8_t>(stack);
    laid_out_ = true;
    shared_size_ = shared_bytes;
    stack_room_ = room;
  }

  // A GPU keeps less: what it computes again, and what stays in registers. No program that has room there lacks it
  // here.
  static uint32_t stack_room(uint32_t limit) { return 2 * limit + 1024; }

  Worker worker_;
  const KernelTables& tables_;
  const Shape& shape_;
  Arena arena_;
  std::deque<std::unique_ptr<Aside>> aside_;   // blocks that wait
  std::vector<std::unique_ptr<Aside>> spare_;  // memory for more
  bool laid_out_ = false;
  uint64_t shared_size_ = 0;
  uint32_t stack_room_ = 0;
};

Grid::Grid(const KernelTables& tables, const Shape& shape) : tables_(tables), shape_(shape) {}
Grid::~Grid() = default;

GridResult Grid::run(ThreadPool& pool, const GridRequest& request,
                     const std::function<event::Sink*(unsigned worker)>& make_sink, const std::atomic<bool>& stop) {
  static_assert(sizeof(std::atomic<bool>) == 1, "compiled code polls the flag as a byte");
  const auto* stop_byte = reinterpret_cast<const uint8_t*>(&stop);
  const uint64_t blocks = request.config.grid.count();
  const unsigned threads = static_cast<unsigned>(std::min<uint64_t>(std::min(request.threads, pool.size()), blocks));
  // Chunks small enough to share the load, large enough that taking one costs nothing; between two of them the launch
  // can be stopped.
  const uint64_t step =
      std::min(kMaxStep, threads == 1 ? blocks : std::max<uint64_t>(1, blocks / (uint64_t{threads} * 32)));
  Progress progress;
  while (workers_.size() < threads) workers_.push_back(std::make_unique<GridWorker>(tables_, shape_));
  for (unsigned w = 0; w < threads; ++w) workers_[w]->ran = false;
  std::mutex sinks;
  const auto work = [&](unsigned w) {
    if (w != 0 && progress.next.load() >= blocks) return;  // woke too late: nothing to prepare for
    event::Sink* sink = nullptr;
    {
      std::lock_guard one_at_a_time(sinks);
      sink = make_sink(w);
    }
    workers_[w]->begin(request, sink, stop_byte);
    if (shape_.waits) {
      ++progress.working;
      workers_[w]->take_turns(request, progress);
      --progress.working;
    } else {
      workers_[w]->take_blocks(request, progress, step);
    }
  };
  // Code of many thousand instructions, made in haste, keeps each value in its frame.
  if (request.frame_bytes > kLargeFrame)
    pool.run(threads, [&](unsigned w) { on_deep_stack(request.frame_bytes + kStackOfOurs, [&] { work(w); }); });
  else
    pool.run(threads, work);

  GridResult result;
  result.counters.assign(shape_.counters, 0);
  std::vector<const Printed*> printed;
  for (unsigned w = 0; w < threads; ++w) {
    if (!workers_[w]->ran) continue;
    if (!workers_[w]->printed().empty()) printed.push_back(&workers_[w]->printed());
    for (uint32_t k = 0; k < shape_.counters; ++k) result.counters[k] += workers_[w]->counters()[k];
    const auto& f = workers_[w]->fault();
    // The fault of the lowest block, whichever worker met it.
    if (f && (!result.fault || position(*f, request.config.grid) < position(*result.fault, request.config.grid)))
      result.fault = f;
  }
  if (!printed.empty()) result.printed = Printed::join(printed);
  return result;
}

}  // namespace warplens::exec
