// Copies by a whole group, mostly from global to shared memory. The threads share the work in the widest words that the
// addresses and the length allow, and the copy is done when the call returns: cp.async is not run yet (docs/coverage.md).
#pragma once
#pragma GCC system_header
#include "cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {
namespace __v1 {
namespace warplens {

template <typename Word>
WARPLENS_DEVICE void copy_words(void* target, const void* source, size_t bytes, size_t rank, size_t threads) {
  for (size_t i = rank; i < bytes / sizeof(Word); i += threads)
    static_cast<Word*>(target)[i] = static_cast<const Word*>(source)[i];
}
template <typename Group>
WARPLENS_DEVICE void copy(const Group& group, void* target, const void* source, size_t bytes) {
  const size_t rank = group.thread_rank(), threads = group.num_threads();
  const size_t shape = reinterpret_cast<size_t>(target) | reinterpret_cast<size_t>(source) | bytes;
  if (shape % 16 == 0)
    copy_words<uint4>(target, source, bytes, rank, threads);
  else if (shape % 8 == 0)
    copy_words<uint2>(target, source, bytes, rank, threads);
  else if (shape % 4 == 0)
    copy_words<unsigned int>(target, source, bytes, rank, threads);
  else
    copy_words<char>(target, source, bytes, rank, threads);
}

}  // namespace warplens

// bytes: a number, or cuda::aligned_size_t, which promises an alignment.
template <typename Group, typename T, typename Bytes>
WARPLENS_DEVICE_MEMBER void memcpy_async(const Group& group, T* target, const T* source, const Bytes& bytes) {
  warplens::copy(group, target, source, static_cast<size_t>(bytes));
}
template <typename Group, typename T, typename U, typename Bytes>
WARPLENS_DEVICE_MEMBER void memcpy_async(const Group& group, T* target, const U* source, const Bytes& bytes) {
  warplens::copy(group, target, source, static_cast<size_t>(bytes));
}
// Two numbers of elements: what fits the target of what the source has.
template <typename Group, typename T, typename TargetLayout, typename SourceLayout>
WARPLENS_DEVICE_MEMBER void memcpy_async(const Group& group, T* target, const TargetLayout& target_elements,
                                         const T* source, const SourceLayout& source_elements) {
  const size_t a = static_cast<size_t>(target_elements), b = static_cast<size_t>(source_elements);
  warplens::copy(group, target, source, (a < b ? a : b) * sizeof(T));
}

template <typename Group>
WARPLENS_DEVICE_MEMBER void wait(const Group& group) {
  group.sync();
}
template <unsigned int Stages, typename Group>
WARPLENS_DEVICE_MEMBER void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace __v1
}  // namespace cooperative_groups
#endif
