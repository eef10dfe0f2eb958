// Work that needs more stack than the thread at hand may have.
#pragma once
#include <cstddef>
#include <functional>

namespace warplens {

// Runs `work` on a thread of its own with `bytes` of stack, and waits for it; what it throws is thrown here. Pages that
// are not reached cost nothing. Where no such thread can be had (a limit on address space), it runs on this one.
void on_deep_stack(size_t bytes, const std::function<void()>& work);

}  // namespace warplens
