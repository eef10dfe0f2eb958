// One kernel, two spellings: Nsight Compute writes "void f<(int)4>(const T1 *, <unnamed>::S)", the demangler of the C++
// library "void f<4>(float const*, (anonymous namespace)::S)". Names are made alike here before they are compared.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compare {

// A kernel's name from the most to the least exact: with parameters; with their number (Nsight Compute leaves template
// parameters in them as they are, "T1 *"); without them; and the function alone, as --print-kernel-base function has
// it.
inline constexpr size_t kNameForms = 4;
struct KernelName {
  std::string form[kNameForms];
};

// Of a demangled or mangled name, as either program writes it. Any text will do.
KernelName kernel_name(std::string_view name);

// The index of the most exact form that is the same; kNameForms where none is.
size_t closeness(const KernelName& a, const KernelName& b);

}  // namespace warplens::compare
