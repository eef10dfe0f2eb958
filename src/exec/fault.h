// A kernel's run-time error: what the hardware would raise, with everything a person needs to find it.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "base/dim3.h"

namespace warplens::exec {

enum class FaultKind : uint8_t {
  OutOfBounds,        // cudaErrorIllegalAddress
  Misaligned,         // cudaErrorMisalignedAddress
  SharedOutOfBounds,  // cudaErrorIllegalAddress
  LocalOutOfBounds,   // cudaErrorIllegalAddress
  BadTexture,         // a handle that is no texture's or surface's
  Trap,               // cudaErrorLaunchFailure
  Assert,             // cudaErrorAssert
  StackOverflow,      // cudaErrorIllegalAddress (an H200)
  NoFunction,         // a call through a pointer to none: cudaErrorInvalidPc (an H200)
  Unsupported,        // Warplens cannot run an instruction (its verdict, not the program's fault)
  Deadlock,           // barriers that can never complete
  Stopped,            // --timeout or Ctrl-C
};

struct Fault {
  FaultKind kind = FaultKind::Trap;
  uint32_t site = ~0u;      // ir::SiteId, or kNone
  uint32_t location = ~0u;  // index into ir::Function::locations where there is no site (traps)
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};  // the lowest faulting lane
  uint64_t address = 0;
  uint32_t bytes = 0;   // of the access, a lane
  std::string nearest;  // "17 bytes past the 4096-byte allocation at 0x...", or ""
  std::string message;  // of Trap, Assert, StackOverflow, NoFunction, Unsupported, Deadlock
};

}  // namespace warplens::exec
