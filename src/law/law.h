// Laws of addresses in words: from passes::address_laws to what a report holds.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "report/law.h"

namespace warplens::law {

// A parameter, or a part of one, that a law holds as a factor.
struct UsedParameter {
  std::string name;  // "$2", "$2+8"
  uint32_t offset = 0, bytes = 0;
  bool pointer = false;
};

struct KernelLaws {
  // Per site of the kernel: the law of its address, its terms in the order in which a reader needs them: what the whole
  // launch shares, data, blocks, threads, loops, constants. Empty: no access, or nothing is known.
  std::vector<report::Law> sites;
  std::vector<UsedParameter> parameters;
};
// `kernel` as it was lowered or lifted.
KernelLaws laws_of(const ir::Module& module, const ir::Kernel& kernel);
std::vector<report::Parameter> parameters_of(const ir::Kernel& kernel);
// What a launch gave them: numbers as they are, pointers modulo 256, as allocations begin at multiples of that.
std::vector<std::pair<std::string, int64_t>> values_of(const std::vector<UsedParameter>& parameters,
                                                       std::span<const uint8_t> buffer);

}  // namespace warplens::law
