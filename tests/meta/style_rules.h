// Rules about single source files: each keeps one kind of knowledge, or of state, in one place.
#pragma once
#include <span>

#include "meta/repository.h"

namespace warplens::meta {

// LLVM's headers stay in codegen and jit: everything else compiles and is tested without them.
Violations check_llvm_headers(std::span<const File> files);

// The environment is read where a user or a program starts us (cli, cuda, audit) and passed on as options.
Violations check_environment(std::span<const File> files);

// State of the process lives in cuda, since a CUDA program knows only one runtime, and in audit, which is one a process
// by its nature. Elsewhere two sessions in one process must not meet. Looks for variables at namespace scope, static
// and thread_local ones that are not constant.
Violations check_globals(std::span<const File> files);

// Processor intrinsics in one file at most, so that another processor needs one file.
Violations check_intrinsics(std::span<const File> files);

}  // namespace warplens::meta
