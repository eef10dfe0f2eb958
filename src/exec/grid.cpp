#include "exec/grid.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

namespace warplens::exec {

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable start, done;
  const std::function<void(unsigned)>* work = nullptr;
  uint64_t generation = 0;
  unsigned wanted = 0, running = 0;
  bool quit = false;
  std::vector<std::thread> threads;

  void loop(unsigned worker) {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      start.wait(lock, [&] { return quit || (generation != seen && worker < wanted); });
      if (quit) return;
      seen = generation;
      const auto* mine = work;
      lock.unlock();
      (*mine)(worker);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : size_(std::max(1u, threads)), impl_(std::make_unique<Impl>()) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->quit = true;
  }
  impl_->start.notify_all();
  for (std::thread& t : impl_->threads) t.join();
}

void ThreadPool::run(unsigned workers, const std::function<void(unsigned)>& work) {
  workers = std::clamp(workers, 1u, size_);
  if (workers > 1) {
    std::unique_lock lock(impl_->mutex);
    while (impl_->threads.size() + 1 < workers) {
      const unsigned index = static_cast<unsigned>(impl_->threads.size() + 1);
      impl_->threads.emplace_back([this, index] { impl_->loop(index); });
    }
    impl_->work = &work;
    impl_->wanted = workers;
    impl_->running = workers - 1;
    ++impl_->generation;
    impl_->start.notify_all();
  }
  work(0);
  if (workers > 1) {
    std::unique_lock lock(impl_->mutex);
    impl_->done.wait(lock, [&] { return impl_->running == 0; });
    impl_->wanted = 0;
  }
}

namespace {

// Zeroed, aligned to 1024 as shared memory windows must be.
struct Buffer {
  uint8_t* data = nullptr;
  size_t bytes = 0;
  explicit Buffer(size_t wanted) : bytes((std::max<size_t>(wanted, 1) + 1023) / 1024 * 1024) {
    data = static_cast<uint8_t*>(std::aligned_alloc(1024, bytes));
    if (!data) throw std::bad_alloc();
    std::memset(data, 0, bytes);
  }
  ~Buffer() { std::free(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

constexpr uint64_t kMaxStep = 1024;

uint64_t position(const Fault& f, const Dim3& grid) {
  return (uint64_t{f.block.z} * grid.y + f.block.y) * grid.x + f.block.x;
}

}  // namespace

// One worker's memory, and the loop that takes blocks.
class Grid::GridWorker {
 public:
  GridWorker(const KernelTables& tables, const Shape& shape)
      : worker_(tables, shape.block),
        warps_((shape.block.count() + kWarpSize - 1) / kWarpSize),
        local_(warps_ * kWarpSize * tables.local_bytes),
        saved_(warps_ * shape.save_bytes),
        scratch_(2048),
        pending_(4 * (shape.code_blocks + 1)),
        counters_(shape.counters + 1),
        bounds_(tables.sites + 1),
        recent_(tables.sites + 1),
        states_(warps_) {
    WarpEnv& e = worker_.env;
    e.local = local_.data;
    e.counters = counters_.data();
    e.bounds = bounds_.data();
    e.recent = recent_.data();
    e.saved = saved_.data;
    e.warps = states_.data();
    e.values = scratch_.data;
    e.pending = reinterpret_cast<uint32_t*>(pending_.data);
  }

  void begin(const GridRequest& r, event::Sink* sink, const uint8_t* stop) {
    if (!shared_ || shared_size_ < r.shared_bytes) {
      shared_size_ = r.shared_bytes;
      shared_ = std::make_unique<Buffer>(shared_size_ + 64);
    }
    std::fill(counters_.begin(), counters_.end(), 0);
    std::fill(bounds_.begin(), bounds_.end(), Bounds{});  // allocations come and go between launches
    std::fill(recent_.begin(), recent_.end(), Recent{});
    std::fill(states_.begin(), states_.end(), WarpState{});
    std::memset(pending_.data, 0, pending_.bytes);
    worker_.begin(*r.memory, sink, r.params.size());
    WarpEnv& e = worker_.env;
    e.params = r.params.data();
    e.symbols = r.symbols.data();
    e.shared = shared_->data;
    e.shared_bytes = r.shared_bytes;
    e.stop = stop;
    e.grid[0] = r.config.grid.x, e.grid[1] = r.config.grid.y, e.grid[2] = r.config.grid.z;
  }

  void take_blocks(const GridRequest& r, std::atomic<uint64_t>& next, uint64_t step) {
    const uint64_t blocks = r.config.grid.count();
    for (;;) {
      const uint64_t first = next.fetch_add(step);
      if (first >= blocks) break;
      if (*static_cast<const volatile uint8_t*>(worker_.env.stop)) {
        worker_.stopped();
        break;
      }
      if (r.code(&worker_.env, first, std::min(blocks, first + step)) != 0) {
        next.store(blocks);  // nobody starts another block
        break;
      }
    }
    worker_.finish();
  }

  const std::vector<uint64_t>& counters() const { return counters_; }
  const std::optional<Fault>& fault() const { return worker_.fault; }

 private:
  Worker worker_;
  const uint64_t warps_;
  std::unique_ptr<Buffer> shared_;
  uint64_t shared_size_ = 0;
  Buffer local_, saved_, scratch_, pending_;
  std::vector<uint64_t> counters_;
  std::vector<Bounds> bounds_;
  std::vector<Recent> recent_;
  std::vector<WarpState> states_;
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
  std::atomic<uint64_t> next{0};
  while (workers_.size() < threads) workers_.push_back(std::make_unique<GridWorker>(tables_, shape_));
  for (unsigned w = 0; w < threads; ++w) workers_[w]->begin(request, make_sink(w), stop_byte);
  pool.run(threads, [&](unsigned w) { workers_[w]->take_blocks(request, next, step); });

  GridResult result;
  result.counters.assign(shape_.counters, 0);
  for (unsigned w = 0; w < threads; ++w) {
    for (uint32_t k = 0; k < shape_.counters; ++k) result.counters[k] += workers_[w]->counters()[k];
    const auto& f = workers_[w]->fault();
    // The fault of the lowest block, whichever worker met it.
    if (f && (!result.fault || position(*f, request.config.grid) < position(*result.fault, request.config.grid)))
      result.fault = f;
  }
  return result;
}

}  // namespace warplens::exec
