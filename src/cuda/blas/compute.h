// The frame of a call whose arithmetic is OpenBLAS's.
#pragma once
#include <string>
#include <vector>

#include "cuda/blas/handle.h"
#include "cuda/blas/openblas.h"

namespace warplens::cuda::blas {

// work(const OpenBlas<T>&) in the stream's order, once all operands are known to be there.
template <typename T, typename Work>
Status compute(const Handle& handle, const char* name, std::initializer_list<int64_t> sizes,
               std::initializer_list<Operand> operands, Work work) {
  const OpenBlas<T>* blas = openblas<T>();
  if (!blas) return refuse_without_openblas(name);
  if (!fit(sizes)) return refuse(std::string(name) + " with sizes beyond 2^31");
  return submit(handle.stream, name, [blas, all = std::vector<Operand>(operands), work](Device& device) {
    for (const Operand& operand : all)
      if (!device.reaches(operand)) return;
    work(*blas);
  });
}

// Where beta is 0, what was there does not count, not even a NaN.
template <typename T>
void clear_if_unused(T beta, const Vector<T>& y) {
  if (beta != T{}) return;
  for (int64_t i = 0; i < y.size(); i++) y[i] = T{};
}

}  // namespace warplens::cuda::blas
