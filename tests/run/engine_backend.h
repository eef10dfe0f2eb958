// The engine as a backend of run_ptx.h.
#pragma once
#include "run/run_ptx.h"

namespace warplens::run {

Program::Result run_engine(std::shared_ptr<const ir::Module> module, size_t kernel,
                           const std::vector<uint64_t>& symbols, const Program::Shape& shape,
                           const std::vector<uint8_t>& params);

}  // namespace warplens::run
