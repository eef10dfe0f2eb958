#include <bit>

#include "base/check.h"
#include "ir/math.h"
#include "reference/values.h"

namespace warplens::reference {
namespace {

template <typename T>
T decode(uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else
    return std::bit_cast<T>(bits);
}
template <typename T>
uint64_t encode(T value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

template <typename R, typename... Args, size_t... I>
uint64_t call(void (*host)(), const std::vector<uint64_t>& args, std::index_sequence<I...>) {
  return encode(reinterpret_cast<R (*)(Args...)>(host)(decode<Args>(args[I])...));
}
template <typename R, typename... Args>
uint64_t call(void (*host)(), const std::vector<uint64_t>& args) {
  return call<R, Args...>(host, args, std::index_sequence_for<Args...>());
}

}  // namespace

uint64_t compute_math_call(const ir::Inst& inst, const std::vector<uint64_t>& args) {
  const ir::MathFunction& function = ir::math_function(static_cast<uint32_t>(inst.imm));
  const std::string_view shape = function.signature;
  if (shape == "ff") return call<float, float>(function.host, args);
  if (shape == "dd") return call<double, double>(function.host, args);
  if (shape == "fff") return call<float, float, float>(function.host, args);
  if (shape == "ddd") return call<double, double, double>(function.host, args);
  if (shape == "ffff") return call<float, float, float, float>(function.host, args);
  if (shape == "dddd") return call<double, double, double, double>(function.host, args);
  if (shape == "fffff") return call<float, float, float, float, float>(function.host, args);
  if (shape == "ddddd") return call<double, double, double, double, double>(function.host, args);
  if (shape == "iff") return call<int32_t, float, float>(function.host, args);
  if (shape == "idd") return call<int32_t, double, double>(function.host, args);
  if (shape == "fif") return call<float, int32_t, float>(function.host, args);
  if (shape == "did") return call<double, int32_t, double>(function.host, args);
  WL_CHECK(false, std::string("the reference has no call of the shape of ") + function.name);
}

}  // namespace warplens::reference
