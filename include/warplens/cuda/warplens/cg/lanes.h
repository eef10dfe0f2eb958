// What the groups are made of: ranks in the block, sets of lanes, exchange of values of any type within a warp.
#pragma once
#pragma GCC system_header

// CCCL declares the groups under this name, too.
namespace cooperative_groups {
namespace __v1 {}
using namespace __v1;
namespace __v1 {
namespace warplens {

WARPLENS_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
WARPLENS_DEVICE unsigned int lanes_below() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
WARPLENS_DEVICE unsigned int block_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WARPLENS_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// The lane that holds rank `rank` among the lanes of `mask`, by halving; 32 if there are fewer.
WARPLENS_DEVICE unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  if (rank >= static_cast<unsigned int>(__popc(mask))) return 32;
  unsigned int at = 0;
#pragma unroll
  for (unsigned int width = 16; width; width /= 2) {
    const unsigned int low = __popc((mask >> at) & ((1u << width) - 1));
    if (rank >= low) rank -= low, at += width;
  }
  return at;
}

// Bit i of the result is the bit of the i-th lane of `mask`.
WARPLENS_DEVICE unsigned int packed(unsigned int bits, unsigned int mask) {
  if (mask == 0xffffffffu) return bits;
  unsigned int result = 0;
  for (unsigned int rank = 0; mask; mask &= mask - 1, ++rank)
    result |= ((bits >> (__ffs(mask) - 1)) & 1u) << rank;
  return result;
}

enum class Shuffle { From, Down, Up, Xor };

template <Shuffle kind>
WARPLENS_DEVICE unsigned int shuffle_word(unsigned int mask, unsigned int word, unsigned int lanes, int width) {
  if constexpr (kind == Shuffle::From) return __shfl_sync(mask, word, lanes, width);
  if constexpr (kind == Shuffle::Down) return __shfl_down_sync(mask, word, lanes, width);
  if constexpr (kind == Shuffle::Up) return __shfl_up_sync(mask, word, lanes, width);
  return __shfl_xor_sync(mask, word, lanes, width);
}

// A value of any plain type travels word by word.
template <Shuffle kind, typename T>
WARPLENS_DEVICE T shuffle(unsigned int mask, const T& value, unsigned int lanes, int width) {
  static_assert(sizeof(T) <= 32, "cooperative_groups: values of at most 32 bytes are exchanged");
  constexpr int kWords = (sizeof(T) + 3) / 4;
  union Words {
    unsigned int word[kWords];
    T value;
    WARPLENS_DEVICE_MEMBER Words() : word{} {}
    WARPLENS_DEVICE_MEMBER ~Words() {}
  } words;
  __builtin_memcpy(words.word, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words.word[i] = shuffle_word<kind>(mask, words.word[i], lanes, width);
  return words.value;
}

template <typename T>
struct Plain {
  typedef T type;
};
template <typename T>
struct Plain<T&> : Plain<T> {};
template <typename T>
struct Plain<T&&> : Plain<T> {};
template <typename T>
struct Plain<const T> : Plain<T> {};
template <typename T>
struct Plain<volatile T> : Plain<T> {};
template <typename T>
using plain = typename Plain<T>::type;

}  // namespace warplens
}  // namespace __v1
}  // namespace cooperative_groups
