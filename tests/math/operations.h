// The functions of libdevice that are exact, or round once in a direction that their name says: in C++.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warplens::accuracy {

// The result's bits for arguments' bits; what it stores through pointers comes behind it.
using Operation = std::function<std::vector<uint64_t>(const std::vector<uint64_t>&)>;
std::optional<Operation> operation(const std::string& name);

}  // namespace warplens::accuracy
