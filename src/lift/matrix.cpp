// Tensor cores: each instruction is one of PTX's ldmatrix, stmatrix, movmatrix or mma.sync.
#include <fmt/format.h>

#include "lift/families.h"

namespace warplens::lift {

using Kind = Operand::Kind;

namespace {

std::string registers(unsigned first, unsigned count, const char* kind = "%r") {
  std::string out = "{";
  for (unsigned k = 0; k < count; ++k) out += (k ? ", " : "") + std::string(kind) + std::to_string(first + k);
  return out + "}";
}

// Names must outlive the call that uses them.
struct Arguments {
  std::vector<std::string> names;
  std::vector<ValueId> values;
  void add(std::string name, ValueId value) {
    names.push_back(std::move(name));
    values.push_back(value);
  }
  std::vector<lower::Snippets::Argument> list() const {
    std::vector<lower::Snippets::Argument> out;
    for (size_t k = 0; k < names.size(); ++k) out.push_back({names[k].c_str(), values[k]});
    return out;
  }
};

unsigned matrices(Lifter& l) {
  const bool four = l.has("4"), two = l.has("2");
  return four ? 4 : two ? 2 : 1;
}

std::string address(Lifter& l, const Operand& o, Arguments& arguments) {
  arguments.add("%r31", l.address(o, ir::Space::Shared));
  return o.value ? fmt::format("[%r31+{}]", o.value) : "[%r31]";
}

}  // namespace

// LDSM.16.M88.4 d, [x]; MT88: transposed.
void lift_LoadMatrix(Lifter& l) {
  const bool plain = l.has("M88"), transposed = l.has("MT88");
  if (!l.has("16") || (!plain && !transposed)) l.refuse_form();
  const unsigned n = matrices(l);
  Arguments arguments;
  const std::string at = address(l, l.operand(1), arguments);
  l.ptx_access(fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, {};", n, l.has("MT88") ? ".trans" : "",
                           registers(0, n), at),
               arguments.list());
  for (unsigned k = 0; k < n; ++k) l.set(l.operand(0), l.ptx_result("%r" + std::to_string(k)), k);
}

void lift_StoreMatrix(Lifter& l) {
  const bool plain = l.has("M88"), transposed = l.has("MT88");
  if (!l.has("16") || (!plain && !transposed)) l.refuse_form();
  const unsigned n = matrices(l);
  Arguments arguments;
  const std::string at = address(l, l.operand(0), arguments);
  for (unsigned k = 0; k < n; ++k) arguments.add("%r" + std::to_string(k), l.raw(l.operand(1), k));
  l.ptx_access(fmt::format("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, {};", n, l.has("MT88") ? ".trans" : "", at,
                           registers(0, n)),
               arguments.list());
}

void lift_MoveMatrix(Lifter& l) {
  if (!l.has("16") || !l.has("MT88")) l.refuse_form();
  l.ptx_access("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", {{"%r1", l.raw(l.operand(1))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

namespace {

struct Shape {
  const char* word;  // of the modifier: 16816 is m16n8k16
  const char* ptx;
  unsigned a, b, c;  // registers of 32 bits that a lane has of A, B, and C and D (as 32-bit elements)
};

// HMMA.16816.F32[.BF16|.TF32] d, a, b, c
void floats(Lifter& l) {
  const bool tf32 = l.has("TF32"), bf16 = l.has("BF16"), wide = l.has("F32");
  if (!wide && !l.has("F16")) l.refuse_form();
  const auto shape = [&]() -> Shape {
    if (l.has("16816")) return {"16816", "m16n8k16", 4, 2, 4};
    if (l.has("1688") && tf32) return {"1688", "m16n8k8", 4, 2, 4};
    if (l.has("1684") && tf32) return {"1684", "m16n8k4", 2, 1, 4};
    if (l.has("1688")) return {"1688", "m16n8k8", 2, 1, 4};
    l.refuse_form();
  }();
  if (l.has("SP")) l.refuse_form();
  const char* element = tf32 ? "tf32" : bf16 ? "bf16" : "f16";
  const char* result = wide ? "f32" : "f16";
  const unsigned c = wide ? shape.c : shape.c / 2;
  const char* kind = wide ? "%f" : "%r";
  const unsigned first_c = wide ? 0 : 16, first_d = wide ? 8 : 24;
  Arguments arguments;
  for (unsigned k = 0; k < shape.a; ++k) arguments.add("%r" + std::to_string(k), l.raw(l.operand(1), k));
  for (unsigned k = 0; k < shape.b; ++k) arguments.add("%r" + std::to_string(4 + k), l.raw(l.operand(2), k));
  for (unsigned k = 0; k < c; ++k) {
    ValueId v = l.operand(3).number == sass::kRZ ? l.k32(0) : l.raw(l.operand(3), k);
    if (l.operand(3).negated) l.refuse_form();
    if (wide) v = l.b().cast(v, Type::F32);
    arguments.add(kind + std::to_string(first_c + k), v);
  }
  l.ptx_access(fmt::format("mma.sync.aligned.{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", shape.ptx, result, element,
                           element, result, registers(first_d, c, kind), registers(0, shape.a), registers(4, shape.b),
                           registers(first_c, c, kind)),
               arguments.list());
  for (unsigned k = 0; k < c; ++k) l.set(l.operand(0), l.ptx_result(kind + std::to_string(first_d + k)), k);
}

// IMMA.16832.S8.S8[.SAT] d, a, b, c
void integers(Lifter& l) {
  std::vector<std::string> types;
  for (const std::string& m : l.instruction().modifiers)
    if ((m == "S8" || m == "U8" || m == "S4" || m == "U4") && l.has(m))
      types.push_back(m == "S8" ? "s8" : m == "U8" ? "u8" : m == "S4" ? "s4" : "u4");
  if (types.size() != 2 || l.has("SP")) l.refuse_form();
  const auto shape = [&]() -> Shape {
    if (l.has("16832"))
      return {"", "m16n8k32", types[0].ends_with("8") ? 4u : 2u, types[0].ends_with("8") ? 2u : 1u, 4};
    if (l.has("16816")) return {"", "m16n8k16", 2, 1, 4};
    if (l.has("16864")) return {"", "m16n8k64", 4, 2, 4};
    if (l.has("8816")) return {"", "m8n8k16", 1, 1, 2};
    if (l.has("8832")) return {"", "m8n8k32", 1, 1, 2};
    l.refuse_form();
  }();
  Arguments arguments;
  for (unsigned k = 0; k < shape.a; ++k) arguments.add("%r" + std::to_string(k), l.raw(l.operand(1), k));
  for (unsigned k = 0; k < shape.b; ++k) arguments.add("%r" + std::to_string(4 + k), l.raw(l.operand(2), k));
  for (unsigned k = 0; k < shape.c; ++k)
    arguments.add("%r" + std::to_string(8 + k), l.operand(3).number == sass::kRZ ? l.k32(0) : l.raw(l.operand(3), k));
  l.ptx_access(fmt::format("mma.sync.aligned.{}.row.col{}.s32.{}.{}.s32 {}, {}, {}, {};", shape.ptx,
                           l.has("SAT") ? ".satfinite" : "", types[0], types[1], registers(16, shape.c),
                           registers(0, shape.a), registers(4, shape.b), registers(8, shape.c)),
               arguments.list());
  for (unsigned k = 0; k < shape.c; ++k) l.set(l.operand(0), l.ptx_result("%r" + std::to_string(16 + k)), k);
}

// DMMA.884 d, a, b, c
void doubles(Lifter& l) {
  if (!l.has("884")) l.refuse_form();
  Arguments arguments;
  arguments.add("%e0", l.f64(l.operand(1)));
  arguments.add("%e1", l.f64(l.operand(2)));
  for (unsigned k = 0; k < 2; ++k) {
    const Operand& c = l.operand(3);
    const ValueId bits = c.number == sass::kRZ ? l.k64(0) : l.join(l.raw(c, 2 * k), l.raw(c, 2 * k + 1));
    arguments.add("%e" + std::to_string(2 + k), l.b().cast(bits, Type::F64));
  }
  l.ptx_access("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e4, %e5}, {%e0}, {%e1}, {%e2, %e3};",
               arguments.list());
  for (unsigned k = 0; k < 2; ++k) {
    Operand to = l.operand(0);
    to.number = static_cast<uint8_t>(to.number + 2 * k);
    l.set_wide(to, l.ptx_result("%e" + std::to_string(4 + k)));
  }
}

}  // namespace

void lift_MultiplyMatrices(Lifter& l) {
  for (size_t k = 0; k < 4; ++k)
    if (l.operand(k).kind != Kind::Register) l.refuse_form();
  const std::string& opcode = l.instruction().opcode;
  if (opcode == "HMMA") return floats(l);
  if (opcode == "IMMA") return integers(l);
  if (opcode == "DMMA") return doubles(l);
  l.refuse_form();
}

}  // namespace warplens::lift
