#include "lower/types.h"

#include <charconv>

namespace warplens::lower {

std::optional<ScalarType> parse_type(std::string_view text) {
  using Kind = ScalarType::Kind;
  if (text == "pred") return kPred;
  if (text == "tf32") return kB32;
  Kind kind;
  if (text.starts_with("bf")) {
    kind = Kind::BFloat;
    text.remove_prefix(2);
  } else if (!text.empty() && std::string_view("usbf").find(text[0]) != std::string_view::npos) {
    kind = text[0] == 'u' ? Kind::Unsigned : text[0] == 's' ? Kind::Signed : text[0] == 'b' ? Kind::Bits : Kind::Float;
    text.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  const bool packed = text.ends_with("x2");
  if (packed) text.remove_suffix(2);
  int bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const bool known = kind == Kind::BFloat  ? bits == 16
                     : kind == Kind::Float ? bits == 16 || bits == 32 || bits == 64
                                           : bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
  if (!known || (packed && bits > 32)) return std::nullopt;
  return ScalarType{kind, static_cast<uint8_t>(bits), packed};
}

ir::Type int_type(int bits) {
  switch (bits) {
    case 8:
      return ir::Type::I8;
    case 16:
      return ir::Type::I16;
    case 32:
      return ir::Type::I32;
    case 64:
      return ir::Type::I64;
    default:
      return ir::Type::Void;
  }
}

ir::Type ir_type(ScalarType type) {
  if (type.is_pred()) return ir::Type::Pred;
  if (!type.packed && type.kind == ScalarType::Kind::Float && type.bits == 32) return ir::Type::F32;
  if (!type.packed && type.kind == ScalarType::Kind::Float && type.bits == 64) return ir::Type::F64;
  return int_type(type.total_bits());
}

ir::Type register_type(ScalarType type) {
  const ir::Type result = ir_type(type);
  return result == ir::Type::I8 ? ir::Type::I16 : result;
}

}  // namespace warplens::lower
