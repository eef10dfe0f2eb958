// What .nv.info says. Each attribute:  u8 format  u8 attribute  u16 value
//
//   format 1  no value      2  u8       3  u16      4  the value is the size of what follows, in bytes
//
//   attribute (cuobjdump's EIATTR_...)                 what follows
//   0x05 MAX_THREADS, 0x10 REQNTID, 0x3d CTA_PER_CLUSTER   u32 x, y, z
//   0x0a PARAM_CBANK             u32 symbol of .nv.constant0.NAME, u16 offset, u16 size of the parameters
//   0x0f EXTERNS                 u32 symbols
//   0x11 FRAME_SIZE, 0x12 MIN_STACK_SIZE, 0x2f REGCOUNT    u32 symbol of the function, u32 value
//   0x17 KPARAM_INFO             u32 index, u16 ordinal, u16 offset, u32 with the size in bits 18-31
//   0x45 KPARAM_INFO_V2          the same, with the size in bits 0-15
//   0x1c EXIT_INSTR_OFFSETS      u32 offsets
//   0x34 INDIRECT_BRANCH_TARGETS  u32 offset, u32 0, u32 count, u32 targets; and so on
//   0x4c NUM_BARRIERS            u8
//   0x55 ANNOTATIONS             u32 1 (spill or refill), u32 offset; and so on. What follows other numbers is not
//   known.
#include "sass/attributes.h"

#include <algorithm>
#include <cstring>

namespace warplens::sass {
namespace {

enum Attribute : uint8_t {
  kMaxThreads = 0x05,
  kParamBank = 0x0a,
  kExterns = 0x0f,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParamInfo = 0x17,
  kExits = 0x1c,
  kRegisters = 0x2f,
  kIndirectBranches = 0x34,
  kCluster = 0x3d,
  kParamInfo2 = 0x45,
  kBarriers = 0x4c,
  kAnnotations = 0x55,
};

using Bytes = std::span<const uint8_t>;

template <typename T>
T number(Bytes bytes, size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// use(attribute, value, payload) for each.
template <typename Use>
bool for_each_attribute(Bytes bytes, Use use) {
  while (bytes.size() >= 4) {
    const uint8_t format = bytes[0];
    const auto value = number<uint16_t>(bytes, 2);
    const size_t size = format == 4 ? value : 0;
    if (size > bytes.size() - 4) return false;
    use(bytes[1], value, bytes.subspan(4, size));
    bytes = bytes.subspan(4 + size);
  }
  return bytes.empty();
}

std::vector<uint32_t> numbers(Bytes bytes) {
  std::vector<uint32_t> out;
  for (size_t at = 0; bytes.size() - at >= 4; at += 4) out.push_back(number<uint32_t>(bytes, at));
  return out;
}

Dim3 dimensions(Bytes bytes) {
  return {number<uint32_t>(bytes, 0), number<uint32_t>(bytes, 4), number<uint32_t>(bytes, 8)};
}

std::vector<IndirectBranch> indirect_branches(Bytes bytes) {
  std::vector<IndirectBranch> out;
  const std::vector<uint32_t> words = numbers(bytes);
  for (size_t at = 0; at + 3 <= words.size() && words[at + 2] <= words.size() - at - 3; at += 3 + words[at + 2]) {
    const auto first = words.begin() + static_cast<ptrdiff_t>(at) + 3;
    out.push_back({words[at], {first, first + words[at + 2]}});
  }
  return out;
}

std::vector<uint32_t> spills(Bytes bytes) {
  std::vector<uint32_t> out;
  for (size_t at = 0; bytes.size() - at >= 8 && number<uint32_t>(bytes, at) == 1; at += 8)
    out.push_back(number<uint32_t>(bytes, at + 4));
  return out;
}

struct NumberedParameter {
  uint16_t ordinal;
  Parameter parameter;
};

NumberedParameter parameter(uint8_t attribute, Bytes bytes) {
  const auto size = number<uint32_t>(bytes, 8);
  return {number<uint16_t>(bytes, 4),
          {number<uint16_t>(bytes, 6), attribute == kParamInfo ? size >> 18 : size & 0xFFFF}};
}

void set_attribute(Function& function, uint8_t attribute, uint16_t value, Bytes bytes) {
  switch (attribute) {
    case kMaxThreads:
      function.max_threads = dimensions(bytes);
      break;
    case kRequiredThreads:
      function.required_threads = dimensions(bytes);
      break;
    case kCluster:
      function.cluster = dimensions(bytes);
      break;
    case kParamBank:
      function.parameter_offset = number<uint16_t>(bytes, 4);
      function.parameter_bytes = number<uint16_t>(bytes, 6);
      break;
    case kExterns:
      function.externs = numbers(bytes);
      break;
    case kExits:
      function.exits = numbers(bytes);
      break;
    case kIndirectBranches:
      function.branches = indirect_branches(bytes);
      break;
    case kAnnotations:
      function.spills = spills(bytes);
      break;
    case kBarriers:
      function.barriers = value & 0xFF;
      break;
    default:
      break;
  }
}

}  // namespace

bool read_file_attributes(Bytes bytes, const std::vector<Function*>& by_symbol) {
  return for_each_attribute(bytes, [&](uint8_t attribute, uint16_t, Bytes payload) {
    const auto symbol = number<uint32_t>(payload, 0), value = number<uint32_t>(payload, 4);
    Function* function = payload.size() == 8 && symbol < by_symbol.size() ? by_symbol[symbol] : nullptr;
    if (function == nullptr) return;
    if (attribute == kRegisters) function->registers = value;
    if (attribute == kFrameSize) function->frame_bytes = value;
    if (attribute == kMinStackSize) function->stack_bytes = value;
  });
}

bool read_function_attributes(Bytes bytes, Function* function) {
  std::vector<NumberedParameter> parameters;
  const bool whole = for_each_attribute(bytes, [&](uint8_t attribute, uint16_t value, Bytes payload) {
    if (function == nullptr) return;
    if (attribute == kParamInfo || attribute == kParamInfo2)
      parameters.push_back(parameter(attribute, payload));
    else
      set_attribute(*function, attribute, value, payload);
  });
  std::stable_sort(parameters.begin(), parameters.end(), [](auto& a, auto& b) { return a.ordinal < b.ordinal; });
  for (const NumberedParameter& p : parameters) function->parameters.push_back(p.parameter);
  return whole;
}

}  // namespace warplens::sass
