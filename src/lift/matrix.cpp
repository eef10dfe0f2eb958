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

using Arguments = std::vector<lower::Snippets::Argument>;

// .16.M88.4, .16.MT88.2, ...: how many matrices, and PTX's word for it all.
struct Rows {
  unsigned count;
  std::string form;  // "m8n8.x4.trans"
};

Rows rows_of(Lifter& l) {
  const bool plain = l.has("M88"), transposed = l.has("MT88"), four = l.has("4"), two = l.has("2");
  if (!l.has("16") || (!plain && !transposed)) l.refuse_form();
  const unsigned count = four ? 4 : two ? 2 : 1;
  return {count, fmt::format("m8n8.x{}{}", count, transposed ? ".trans" : "")};
}

// `count` registers of an operand, as %r<first> and on.
void take(Lifter& l, size_t operand, unsigned first, unsigned count, Arguments& arguments) {
  for (unsigned k = 0; k < count; ++k)
    arguments.push_back({"%r" + std::to_string(first + k), l.raw(l.operand(operand), k)});
}

std::string address(Lifter& l, const Operand& o, Arguments& arguments) {
  arguments.push_back({"%r31", l.address(o, ir::Space::Shared)});
  return o.value ? fmt::format("[%r31+{}]", o.value) : "[%r31]";
}

}  // namespace

// LDSM.16.M88.4 d, [x]; MT88: transposed.
void lift_LoadMatrix(Lifter& l) {
  const auto [n, form] = rows_of(l);
  Arguments arguments;
  const std::string at = address(l, l.operand(1), arguments);
  l.ptx_access(fmt::format("ldmatrix.sync.aligned.{}.shared.b16 {}, {};", form, registers(0, n), at), arguments);
  for (unsigned k = 0; k < n; ++k) l.set(l.operand(0), l.ptx_result("%r" + std::to_string(k)), k);
}

void lift_StoreMatrix(Lifter& l) {
  const auto [n, form] = rows_of(l);
  Arguments arguments;
  const std::string at = address(l, l.operand(0), arguments);
  take(l, 1, 0, n, arguments);
  l.ptx_access(fmt::format("stmatrix.sync.aligned.{}.shared.b16 {}, {};", form, at, registers(0, n)), arguments);
}

void lift_MoveMatrix(Lifter& l) {
  if (!l.has("16") || !l.has("MT88")) l.refuse_form();
  l.ptx_access("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", {{"%r1", l.raw(l.operand(1))}});
  l.set(l.operand(0), l.ptx_result("%r0"));
}

namespace {

struct Shape {
  const char* ptx;
  unsigned a, b, c;  // registers of 32 bits that a lane has of A, B, and C and D (as 32-bit elements)
};

// HMMA.16816.F32[.BF16|.TF32] d, a, b, c
void floats(Lifter& l) {
  const bool tf32 = l.has("TF32"), bf16 = l.has("BF16"), wide = l.has("F32");
  if (!wide && !l.has("F16")) l.refuse_form();
  const auto shape = [&]() -> Shape {
    if (l.has("16816")) return {"m16n8k16", 4, 2, 4};
    if (l.has("1688") && tf32) return {"m16n8k8", 4, 2, 4};
    if (l.has("1684") && tf32) return {"m16n8k4", 2, 1, 4};
    if (l.has("1688")) return {"m16n8k8", 2, 1, 4};
    l.refuse_form();
  }();
  const char* element = tf32 ? "tf32" : bf16 ? "bf16" : "f16";
  const char* result = wide ? "f32" : "f16";
  const unsigned c = wide ? shape.c : shape.c / 2;
  const char* kind = wide ? "%f" : "%r";
  const unsigned first_c = wide ? 0 : 16, first_d = wide ? 8 : 24;
  Arguments arguments;
  take(l, 1, 0, shape.a, arguments);
  take(l, 2, 4, shape.b, arguments);
  for (unsigned k = 0; k < c; ++k) {
    ValueId v = l.raw(l.operand(3), k);
    if (l.operand(3).negated) l.refuse_form();
    if (wide) v = l.b().cast(v, Type::F32);
    arguments.push_back({kind + std::to_string(first_c + k), v});
  }
  l.ptx_access(fmt::format("mma.sync.aligned.{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", shape.ptx, result, element,
                           element, result, registers(first_d, c, kind), registers(0, shape.a), registers(4, shape.b),
                           registers(first_c, c, kind)),
               arguments);
  for (unsigned k = 0; k < c; ++k) l.set(l.operand(0), l.ptx_result(kind + std::to_string(first_d + k)), k);
}

// IMMA.16832.S8.S8[.SAT] d, a, b, c
void integers(Lifter& l) {
  std::vector<std::string> types;
  for (const std::string& m : l.instruction().modifiers)
    if ((m == "S8" || m == "U8" || m == "S4" || m == "U4") && l.has(m))
      types.push_back(m == "S8" ? "s8" : m == "U8" ? "u8" : m == "S4" ? "s4" : "u4");
  if (types.size() != 2) l.refuse_form();
  const auto shape = [&]() -> Shape {
    if (l.has("16832")) return {"m16n8k32", types[0].ends_with("8") ? 4u : 2u, types[0].ends_with("8") ? 2u : 1u, 4};
    if (l.has("16816")) return {"m16n8k16", 2, 1, 4};
    if (l.has("16864")) return {"m16n8k64", 4, 2, 4};
    if (l.has("8816")) return {"m8n8k16", 1, 1, 2};
    if (l.has("8832")) return {"m8n8k32", 1, 1, 2};
    l.refuse_form();
  }();
  Arguments arguments;
  take(l, 1, 0, shape.a, arguments);
  take(l, 2, 4, shape.b, arguments);
  take(l, 3, 8, shape.c, arguments);
  l.ptx_access(fmt::format("mma.sync.aligned.{}.row.col{}.s32.{}.{}.s32 {}, {}, {}, {};", shape.ptx,
                           l.has("SAT") ? ".satfinite" : "", types[0], types[1], registers(16, shape.c),
                           registers(0, shape.a), registers(4, shape.b), registers(8, shape.c)),
               arguments);
  for (unsigned k = 0; k < shape.c; ++k) l.set(l.operand(0), l.ptx_result("%r" + std::to_string(16 + k)), k);
}

// DMMA.884 d, a, b, c
void doubles(Lifter& l) {
  if (!l.has("884")) l.refuse_form();
  Arguments arguments;
  arguments.push_back({"%e0", l.f64(l.operand(1))});
  arguments.push_back({"%e1", l.f64(l.operand(2))});
  for (unsigned k = 0; k < 2; ++k) {
    const ValueId bits = l.join(l.raw(l.operand(3), 2 * k), l.raw(l.operand(3), 2 * k + 1));
    arguments.push_back({"%e" + std::to_string(2 + k), l.b().cast(bits, Type::F64)});
  }
  l.ptx_access("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e4, %e5}, {%e0}, {%e1}, {%e2, %e3};", arguments);
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
