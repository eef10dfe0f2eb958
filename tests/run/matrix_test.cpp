// mma wmma ldmatrix stmatrix movmatrix.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <random>

#include "run/kernel_case.h"
#include "run/table.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using ::testing::HasSubstr;

constexpr int kSlots = 20;  // of 8 bytes, a lane's registers: A, B, C one after the other

std::string list(const char* name, int count) {
  std::string text = "{";
  for (int k = 0; k < count; ++k) text += fmt::format("{}%{}{}", k ? ", " : "", name, k);
  return text + "}";
}

// ---- mma: registers from memory, the product, registers to memory

struct Product {
  std::string instruction;
  int a, b, c, bits;  // registers, and the bits of one
  int d = 0;          // registers, where they are not as many as those of C
  int selector = -1;  // of mma.sp, whose metadata come behind C
  int results() const { return d ? d : c; }
};

std::string kernel_of(const Product& p) {
  std::string text = fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b{0} %a<8>, %b<8>, %c<8>, %d<8>, %e<1>;
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd0, %r0, {1}, %rd0;
    mad.wide.u32 %rd1, %r0, {1}, %rd1;
)",
                                 p.bits, kSlots * 8);
  int slot = 0;
  const auto load = [&](const char* name, int count) {
    for (int k = 0; k < count; ++k)
      text += fmt::format("    ld.global.b{} %{}{}, [%rd0+{}];\n", p.bits, name, k, 8 * slot++);
  };
  load("a", p.a);
  load("b", p.b);
  load("c", p.c);
  load("e", p.selector < 0 ? 0 : 1);
  text += fmt::format("    {} {}, {}, {}, {}{};\n", p.instruction, list("d", p.results()), list("a", p.a),
                      list("b", p.b), list("c", p.c), p.selector < 0 ? "" : fmt::format(", %e0, {}", p.selector));
  for (int k = 0; k < p.results(); ++k) text += fmt::format("    st.global.b{} [%rd1+{}], %d{};\n", p.bits, 8 * k, k);
  return text + "    ret;\n}\n";
}

// What stands in the registers: any bits at all, or floats near each other, whose sums are cut in their last places.
std::vector<u64> registers(const Product& p, int round) {
  std::mt19937_64 random(static_cast<u64>(17 * round + p.a * 100 + p.bits));
  std::vector<u64> values(32 * kSlots);
  const bool half = p.instruction.find("f16") != std::string::npos;
  for (u64& v : values) {
    v = random();
    if (round == 0) continue;
    if (half)
      v = (v & 0x83ff83ff83ff83ff) | 0x3800380038003800 | (v >> 7 & 0x0400040004000400);
    else if (p.bits == 64)
      v = (v & 0x801fffffffffffff) | 0x3fe0000000000000;
    else
      v = (v & 0x81ff81ff81ff81ff) | 0x3e003e003e003e00;
  }
  if (round == 2)  // nothing, and numbers next to nothing
    for (u64& v : values) v &= 0x8003800380038003;
  return values;
}

// The reference, which is the meaning of these instructions in plain sums, and the engine agree. What an H200 gives
// stands in tests/gpu/.
void expect_agreement(const Product& p) {
  SCOPED_TRACE(p.instruction);
  for (int round = 0; round < 3; ++round) {
    Buffer<u64> in(registers(p, round)), out(32 * kSlots, 0);
    std::vector<std::vector<u64>> results;
    on_every_backend(
        kernel_of(p), {{1}, {32}}, Params().add(in).add(out), [&] { out.fill(std::vector<u64>(32 * kSlots)); },
        [&](const Program::Result& result) {
          EXPECT_EQ(result.error, "");
          results.push_back(out.values());
        });
    for (const auto& result : results) EXPECT_EQ(result, results[0]) << "round " << round;
  }
}

TEST(Matrix, ProductsOfFloats) {
  for (const char* cd : {"f16", "f32"}) {
    const int n = cd[1] == '1' ? 2 : 4;
    for (const char* type : {"f16", "bf16"}) {
      if (type[0] == 'b' && n == 2) continue;
      expect_agreement({fmt::format("mma.sync.aligned.m16n8k8.row.col.{1}.{0}.{0}.{1}", type, cd), 2, 1, n, 32});
      expect_agreement({fmt::format("mma.sync.aligned.m16n8k16.row.col.{1}.{0}.{0}.{1}", type, cd), 4, 2, n, 32});
    }
    for (const char* a : {"e4m3", "e5m2"})
      for (const char* b : {"e4m3", "e5m2"}) {
        expect_agreement({fmt::format("mma.sync.aligned.m16n8k16.row.col.{2}.{0}.{1}.{2}", a, b, cd), 2, 1, n, 32});
        expect_agreement({fmt::format("mma.sync.aligned.m16n8k32.row.col.{2}.{0}.{1}.{2}", a, b, cd), 4, 2, n, 32});
      }
  }
  expect_agreement({"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, 32});
  expect_agreement({"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 32});
}

TEST(Matrix, SparseProducts) {
  const auto sp = [](const std::string& rest, int a, int b, int c, int selectors) {
    for (int k = 0; k < selectors; ++k)
      for (const char* kind : {"mma.sp", "mma.sp::ordered_metadata"})
        expect_agreement({fmt::format("{}.sync.aligned.{}", kind, rest), a, b, c, 32, 0, k});
  };
  sp("m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, 4);
  sp("m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, 2);
  sp("m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, 4);
  sp("m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, 2);
  sp("m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2, 4, 4);
  sp("m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, 2);
  sp("m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, 4);
  sp("m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, 2);
  for (const char* types : {"e4m3.e4m3", "e4m3.e5m2", "e5m2.e5m2"})
    sp(fmt::format("m16n8k64.row.col.f32.{}.f32", types), 4, 4, 4, 1);
  for (const char* clamp : {"", ".satfinite"}) {
    for (const char* types : {"s8.s8", "s8.u8", "u8.s8", "u8.u8"}) {
      sp(fmt::format("m16n8k32.row.col{}.s32.{}.s32", clamp, types), 2, 2, 4, 2);
      sp(fmt::format("m16n8k64.row.col{}.s32.{}.s32", clamp, types), 4, 4, 4, 1);
    }
    for (const char* types : {"s4.s4", "s4.u4", "u4.s4", "u4.u4"}) {
      sp(fmt::format("m16n8k64.row.col{}.s32.{}.s32", clamp, types), 2, 2, 4, 2);
      sp(fmt::format("m16n8k128.row.col{}.s32.{}.s32", clamp, types), 4, 4, 4, 1);
    }
  }
}

TEST(Matrix, VoltasProducts) {
  for (const char* layouts : {"row.row", "row.col", "col.row", "col.col"}) {
    const auto product = [&](const char* d, const char* c) {
      return fmt::format("mma.sync.aligned.m8n8k4.{}.{}.f16.f16.{}", layouts, d, c);
    };
    expect_agreement({product("f16", "f16"), 2, 2, 4, 32});
    expect_agreement({product("f32", "f16"), 2, 2, 4, 32, 8});
    expect_agreement({product("f32", "f32"), 2, 2, 8, 32});
  }
}

TEST(Matrix, ProductsOfDoubles) {
  for (const char* rounding : {"", ".rn", ".rz", ".rm", ".rp"})
    expect_agreement({fmt::format("mma.sync.aligned.m8n8k4.row.col{}.f64.f64.f64.f64", rounding), 1, 1, 2, 64});
  expect_agreement({"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, 64});
  expect_agreement({"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, 64});
  expect_agreement({"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 64});
}

TEST(Matrix, ProductsOfIntegers) {
  for (const char* clamp : {"", ".satfinite"})
    for (const char* a : {"s", "u"})
      for (const char* b : {"s", "u"}) {
        const auto product = [&](const char* shape, int k, int bits) {
          return fmt::format("mma.sync.aligned.{}k{}.row.col{}.s32.{}{}.{}{}.s32", shape, k, clamp, a, bits, b, bits);
        };
        for (const int bits : {8, 4}) {
          const int k = 128 / bits;
          expect_agreement({product("m8n8", k, bits), 1, 1, 2, 32});
          expect_agreement({product("m16n8", k, bits), 2, 1, 4, 32});
          expect_agreement({product("m16n8", 2 * k, bits), 4, 2, 4, 32});
        }
      }
  for (const char* op : {"xor", "and"}) {
    expect_agreement({fmt::format("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{}.popc", op), 1, 1, 2, 32});
    expect_agreement({fmt::format("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.{}.popc", op), 2, 1, 4, 32});
    expect_agreement({fmt::format("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{}.popc", op), 4, 2, 4, 32});
  }
}

// ---- wmma: matrices in memory, which say by themselves what is right

struct Shape {
  int m, n, k;
};
struct Type {
  const char* name;
  int bits;
};
struct Layout {
  bool row;
  int lines, length;  // of the matrix as it lies: `lines` runs of `length` elements, `stride` apart
  int stride;
};
Layout layout(bool row, int rows, int columns, int more) {
  return {row, row ? rows : columns, row ? columns : rows, (row ? columns : rows) + more};
}

u64 encode(const Type& type, int value) {
  const std::string_view name = type.name;
  if (name == "f16") return half_from(value).bits;
  if (name == "bf16") return bfloat_from(value).bits;
  if (name == "tf32" || name == "f32") return std::bit_cast<u32>(static_cast<float>(value));
  if (name == "f64") return std::bit_cast<u64>(static_cast<double>(value));
  return static_cast<u64>(value) & (type.bits >= 32 ? 0xffffffff : (u64{1} << type.bits) - 1);
}
int decode(const Type& type, u64 bits) {
  const std::string_view name = type.name;
  if (name == "f16") return static_cast<int>(to_double(Half{static_cast<uint16_t>(bits)}));
  if (name == "f32") return static_cast<int>(std::bit_cast<float>(static_cast<u32>(bits)));
  if (name == "f64") return static_cast<int>(std::bit_cast<double>(bits));
  return static_cast<int>(bits);
}

using Numbers = std::vector<std::vector<int>>;  // by rows

size_t bit_of(const Layout& l, const Type& t, int row, int column) {
  return static_cast<size_t>((l.row ? row * l.stride + column : column * l.stride + row) * t.bits);
}
std::vector<uint8_t> in_memory(const Layout& l, const Type& t, const Numbers& numbers) {
  std::vector<uint8_t> bytes(static_cast<size_t>(l.lines * l.stride * t.bits / 8), 0);
  for (int r = 0; r < static_cast<int>(numbers.size()); ++r)
    for (int c = 0; c < static_cast<int>(numbers[0].size()); ++c) {
      const u64 x = encode(t, numbers[static_cast<size_t>(r)][static_cast<size_t>(c)]);
      const size_t bit = bit_of(l, t, r, c);
      for (size_t k = 0; k < static_cast<size_t>((t.bits + 7) / 8); ++k)
        bytes[bit / 8 + k] |= static_cast<uint8_t>(x >> (8 * k) << bit % 8);
    }
  return bytes;
}

struct Fragments {
  Shape shape;
  Type type, c, d;
  int a, b, of_c, of_d;  // registers
  bool row_a = true, row_b = false, row_c = true, row_d = true;
  const char* space = "global";
  const char* more = "";  // of wmma.mma's modifiers
  const char* operation = "";
};

// Copies A, B and C to shared memory where they are to be loaded from there.
std::string kernel_of(const Fragments& f, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const bool shared = std::string_view(f.space) == "shared";
  const auto reg = [](const Type& t) { return t.bits == 64 ? "b64" : "b32"; };
  const auto bytes = [](const Layout& l, const Type& t) { return l.lines * l.stride * t.bits / 8; };
  std::string text = fmt::format(R"(
.shared .align 128 .b8 sa[8192];
.shared .align 128 .b8 sb[8192];
.shared .align 128 .b8 sc[8192];
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)
{{
    .reg .{} %a<8>, %b<8>;
    .reg .{} %c<8>;
    .reg .{} %d<8>;
    .reg .b64 %p<4>, %x<4>;
    .reg .b32 %r<8>;
    .reg .pred %q;
    ld.param.u64 %p0, [pa];
    ld.param.u64 %p1, [pb];
    ld.param.u64 %p2, [pc];
    ld.param.u64 %p3, [pd];
)",
                                 reg(f.type), reg(f.c), reg(f.d));
  std::string from[] = {"%p0", "%p1", "%p2"};
  const auto copy = [&](int k, const char* to, int count) {
    text += fmt::format(R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, {1};
L{0}:
    cvt.u64.u32 %x0, %r0;
    add.u64 %x0, %x0, %p{0};
    ld.global.u8 %r2, [%x0];
    add.u32 %r3, %r1, %r0;
    st.shared.u8 [%r3], %r2;
    add.u32 %r0, %r0, 32;
    setp.lt.u32 %q, %r0, {2};
    @%q bra L{0};
    bar.warp.sync -1;
)",
                        k, to, count);
    from[k] = to;
  };
  if (shared) {
    copy(0, "sa", bytes(a, f.type));
    copy(1, "sb", bytes(b, f.type));
    copy(2, "sc", bytes(c, f.c));
  }
  const auto space = *f.space ? fmt::format(".{}", f.space) : std::string();
  const auto order = [](bool row) { return row ? "row" : "col"; };
  const std::string shape = fmt::format("m{}n{}k{}", f.shape.m, f.shape.n, f.shape.k);
  text += fmt::format("    wmma.load.a.sync.aligned.{}.{}{}.{} {}, [{}], {};\n", order(f.row_a), shape, space,
                      f.type.name, list("a", f.a), from[0], a.stride);
  text += fmt::format("    wmma.load.b.sync.aligned.{}.{}{}.{} {}, [{}], {};\n", order(f.row_b), shape, space,
                      f.type.name, list("b", f.b), from[1], b.stride);
  text += fmt::format("    wmma.load.c.sync.aligned.{}.{}{}.{} {}, [{}], {};\n", order(f.row_c), shape, space, f.c.name,
                      list("c", f.of_c), from[2], c.stride);
  const std::string types = std::string_view(f.type.name) == "f16"
                                ? fmt::format("{}.{}", f.d.name, f.c.name)
                                : fmt::format("{}.{}.{}.{}", f.d.name, f.type.name, f.type.name, f.c.name);
  text += fmt::format("    wmma.mma{}.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n", f.operation, order(f.row_a),
                      order(f.row_b), shape, types, f.more, list("d", f.of_d), list("a", f.a), list("b", f.b),
                      list("c", f.of_c));
  // Stores go to shared memory too, and from there on.
  text += fmt::format("    wmma.store.d.sync.aligned.{}.{}{}.{} [{}], {}, {};\n", order(f.row_d), shape, space,
                      f.d.name, shared ? "sa" : "%p3", list("d", f.of_d), d.stride);
  if (shared)
    text += fmt::format(R"(
    bar.warp.sync -1;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, sa;
OUT:
    add.u32 %r3, %r1, %r0;
    ld.shared.u8 %r2, [%r3];
    cvt.u64.u32 %x0, %r0;
    add.u64 %x0, %x0, %p3;
    st.global.u8 [%x0], %r2;
    add.u32 %r0, %r0, 32;
    setp.lt.u32 %q, %r0, {};
    @%q bra OUT;
)",
                        bytes(d, f.d));
  return text + "    ret;\n}\n";
}

void expect_product(const Fragments& f) {
  const Shape& s = f.shape;
  const bool bit = std::string_view(f.type.name) == "b1", is_signed = f.type.name[0] != 'u' && !bit;
  std::mt19937 random(5);
  const auto numbers = [&](int rows, int columns, int low, int high) {
    Numbers n(static_cast<size_t>(rows), std::vector<int>(static_cast<size_t>(columns)));
    for (auto& row : n)
      for (int& x : row) x = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    return n;
  };
  const Numbers a = numbers(s.m, s.k, is_signed ? -3 : 0, bit ? 1 : 3),
                b = numbers(s.k, s.n, is_signed ? -3 : 0, bit ? 1 : 3), c = numbers(s.m, s.n, -9, 9);
  const int more = 128 / f.type.bits;  // elements between lines: 16 bytes, which ldmatrix needs
  const Layout la = layout(f.row_a, s.m, s.k, more), lb = layout(f.row_b, s.k, s.n, more),
               lc = layout(f.row_c, s.m, s.n, 8), ld = layout(f.row_d, s.m, s.n, 4);
  Buffer<uint8_t> pa(in_memory(la, f.type, a)), pb(in_memory(lb, f.type, b)), pc(in_memory(lc, f.c, c));
  Buffer<uint8_t> pd(static_cast<size_t>(ld.lines * ld.stride * f.d.bits / 8), 0);
  const std::string text = kernel_of(f, la, lb, lc, ld);
  SCOPED_TRACE(text.substr(text.find("wmma.load.a")));
  on_every_backend(
      text, {{1}, {32}}, Params().add(pa).add(pb).add(pc).add(pd), [&] { pd.fill(std::vector<uint8_t>(pd.size())); },
      [&](const Program::Result& result) {
        EXPECT_EQ(result.error, "");
        int wrong = 0;
        for (int r = 0; r < s.m; ++r)
          for (int n = 0; n < s.n; ++n) {
            const auto at = [](const Numbers& x, int i, int j) {
              return x[static_cast<size_t>(i)][static_cast<size_t>(j)];
            };
            int sum = at(c, r, n);
            for (int k = 0; k < s.k; ++k)
              sum += !bit                                      ? at(a, r, k) * at(b, k, n)
                     : std::string_view(f.operation)[1] == 'x' ? at(a, r, k) ^ at(b, k, n)
                                                               : at(a, r, k) & at(b, k, n);
            u64 bits = 0;
            std::memcpy(&bits, pd.data() + bit_of(ld, f.d, r, n) / 8, static_cast<size_t>(f.d.bits / 8));
            wrong += decode(f.d, bits) != sum;
          }
        EXPECT_EQ(wrong, 0);
      });
}

const Shape kSixteen[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
constexpr Type kF16{"f16", 16}, kF32{"f32", 32}, kF64{"f64", 64}, kS32{"s32", 32};

TEST(Matrix, FragmentsOfSixteenBits) {
  for (const Shape& shape : kSixteen)
    for (const char* space : {"global", "shared"})
      for (const bool row : {true, false}) {
        expect_product({shape, kF16, kF32, kF32, 8, 8, 8, 8, row, row, true, row, space});
        expect_product({shape, kF16, kF16, kF16, 8, 8, 4, 4, row, !row, row, !row, space});
        expect_product({shape, kF16, kF16, kF32, 8, 8, 4, 8, row, row, row, true, space});
        expect_product({shape, kF16, kF32, kF16, 8, 8, 8, 4, !row, row, row, true, space});
        const int a = shape.m == 16 ? 4 : shape.m / 4, b = shape.n == 16 ? 4 : shape.n / 4;
        expect_product({shape, {"bf16", 16}, kF32, kF32, a, b, 8, 8, row, row, row, row, space});
      }
}

TEST(Matrix, FragmentsOfBytes) {
  for (const Shape& shape : kSixteen)
    for (const char* space : {"global", "shared"})
      for (const bool row : {true, false})
        expect_product({shape,
                        {row ? "s8" : "u8", 8},
                        kS32,
                        kS32,
                        shape.m / 8,
                        shape.n / 8,
                        8,
                        8,
                        row,
                        row,
                        row,
                        !row,
                        space,
                        row ? ".satfinite" : ""});
}

TEST(Matrix, OtherFragments) {
  for (const char* space : {"global", "shared", ""}) {
    for (const bool row : {true, false}) {
      expect_product({{16, 16, 8}, {"tf32", 32}, kF32, kF32, 4, 4, 8, 8, row, row, row, row, space});
      expect_product({{8, 8, 4}, kF64, kF64, kF64, 1, 1, 2, 2, row, row, row, row, space});
    }
    for (const char* type : {"s4", "u4"})
      expect_product({{8, 8, 32}, {type, 4}, kS32, kS32, 1, 1, 2, 2, true, false, true, false, space});
    for (const char* operation : {".xor.popc", ".and.popc"})
      expect_product({{8, 8, 128}, {"b1", 1}, kS32, kS32, 1, 1, 2, 2, true, false, false, true, space, "", operation});
  }
}

// Without a stride lines follow each other.
TEST(Matrix, LinesThatFollowEachOther) {
  std::vector<uint16_t> ones(256);
  for (size_t k = 0; k < 256; ++k) ones[k] = k % 17 == 0 ? 0x3c00 : 0;  // the unit matrix
  std::vector<uint16_t> numbers(256);
  for (size_t k = 0; k < 256; ++k) numbers[k] = half_from(static_cast<double>(k)).bits;
  Buffer<uint16_t> a(numbers), b(ones), d(256, 0);
  expect_output(R"(
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pd)
{
    .reg .b32 %a<8>, %b<8>, %c<4>, %d<4>;
    .reg .b64 %p<3>;
    ld.param.u64 %p0, [pa];
    ld.param.u64 %p1, [pb];
    ld.param.u64 %p2, [pd];
    mov.b32 %c0, 0;
    mov.b32 %c1, 0;
    mov.b32 %c2, 0;
    mov.b32 %c3, 0;
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%p0];
    wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%p1];
    wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%c0,%c1,%c2,%c3};
    wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%p2], {%d0,%d1,%d2,%d3};
    ret;
}
)",
                {{1}, {32}}, Params().add(a).add(b).add(d), d, numbers);
}

// ---- moves

std::string moving_kernel(const std::string& body) {
  return R"(
.shared .align 16 .b8 tile[2048];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 stride)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<16>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r8, [stride];
    mul.wide.u32 %rd2, %r0, 16;
    add.u64 %rd0, %rd0, %rd2;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];
    mov.u32 %r10, tile;
    mad.lo.u32 %r9, %r0, %r8, %r10;
    mad.lo.u32 %r10, %r0, 16, %r10;
)" + body +
         R"(
    st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
    ret;
}
)";
}

std::vector<u32> some_words() {
  std::vector<u32> words;
  for (u32 k = 0; k < 128; ++k) words.push_back((2 * k + 1) << 16 | 2 * k);
  return words;
}

// Element (row, column) of matrix j, of 16 bits, in words by rows of four, and in the registers of lanes.
u32 element(const std::vector<u32>& words, u32 at, u32 column) { return words[at] >> (column % 2 * 16) & 0xffff; }

void expect_loaded(u32 count, bool transposed) {
  const std::string registers = count == 1 ? "{%r1}" : count == 2 ? "{%r1, %r2}" : "{%r1, %r2, %r3, %r4}";
  const std::string shape = fmt::format("m8n8.x{}{}", count, transposed ? ".trans" : "");
  const std::vector<u32> words = some_words();
  std::vector<u32> loaded = words, stored(128, 0);
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 j = 0; j < count; ++j)
      for (u32 e = 0; e < 2; ++e) {
        // The lane's register holds elements (row, column) of matrix j, of its transpose if so wanted.
        const u32 row = transposed ? lane % 4 * 2 + e : lane / 4, column = transposed ? lane / 4 : lane % 4 * 2 + e;
        const u32 in_row = 4 * (8 * j + row) + column / 2;  // of rows of four words, one after the other
        u32& to = loaded[lane * 4 + j];
        if (e == 0) to = 0;
        to |= element(words, in_row, column) << (16 * e);
        stored[in_row] |= element(words, lane * 4 + j, e) << (column % 2 * 16);
      }
  Buffer<u32> in(words), out(128, 0);
  expect_output(moving_kernel("    st.shared.v4.u32 [%r10], {%r1, %r2, %r3, %r4};\n    bar.warp.sync -1;\n" +
                              fmt::format("    ldmatrix.sync.aligned.{}.shared.b16 {}, [%r9];\n", shape, registers)),
                {{1}, {32}}, Params().add(in).add(out).add(u32{16}), out, loaded);
  const std::string cleared =
      "    mov.u32 %r11, 0;\n    st.shared.v4.u32 [%r10], {%r11, %r11, %r11, %r11};\n    bar.warp.sync -1;\n";
  expect_output(
      moving_kernel(cleared + fmt::format("    stmatrix.sync.aligned.{}.shared.b16 [%r9], {};\n", shape, registers) +
                    "    bar.warp.sync -1;\n    ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r10];\n"),
      {{1}, {32}}, Params().add(in).add(out).add(u32{16}), out, stored);
}

TEST(Matrix, RowsOfSharedMemory) {
  for (const u32 count : {1u, 2u, 4u})
    for (const bool transposed : {false, true}) expect_loaded(count, transposed);
}

// Lanes whose row nobody asks for may point anywhere.
TEST(Matrix, OnlyAskedForRowsAreRead) {
  Buffer<u32> in(some_words()), out(128, 0);
  std::vector<u32> expected = some_words();
  for (u32 lane = 0; lane < 32; ++lane) expected[lane * 4] = 0;
  expect_output(moving_kernel(R"(
    .reg .pred %q;
    mov.u32 %r1, 0;
    st.shared.v4.u32 [%r10], {%r1, %r1, %r1, %r1};
    bar.warp.sync -1;
    setp.ge.u32 %q, %r0, 8;
    @%q mov.u32 %r9, 0x7ffffff3;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];
)"),
                {{1}, {32}}, Params().add(in).add(out).add(u32{64}), out, expected);
}

TEST(Matrix, Transposes) {
  const std::vector<u32> words = some_words();
  std::vector<u32> expected = words;
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 row = lane / 4, column = lane % 4 * 2;
    const auto at = [&](u32 r, u32 c) { return element(words, 4 * (r * 4 + c / 2), c); };
    expected[lane * 4] = at(column, row) | at(column + 1, row) << 16;
  }
  Buffer<u32> in(words), out(128, 0);
  expect_output(moving_kernel("    movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"), {{1}, {32}},
                Params().add(in).add(out).add(u32{16}), out, expected);
}

// ---- what cannot be

void expect_error(const std::string& text, u32 threads, const std::string& error) {
  Buffer<u32> in(some_words()), out(128, 0);
  on_every_backend(
      text, {{1}, {threads}}, Params().add(in).add(out).add(u32{16}), [] {},
      [&](const Program::Result& result) { EXPECT_THAT(result.error, HasSubstr(error)); });
}

TEST(Matrix, NeedsTheWholeWarp) {
  const std::string product =
      "    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4}, {%r1}, {%r1,%r2};\n";
  const std::string needs = " needs all 32 threads of the warp";
  const std::string error = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16" + needs;
  expect_error(moving_kernel(product), 16, error);
  expect_error(moving_kernel("    .reg .pred %q;\n    setp.eq.u32 %q, %r0, 7;\n    @%q exit;\n" + product), 32, error);
  expect_error(moving_kernel("    movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"), 8,
               "movmatrix.sync.aligned.m8n8.trans.b16" + needs);
}

TEST(Matrix, RefusedByName) {
  for (const char* instruction : {
           "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%r1,%r2}, {%r3,%r4}, {%r1,%r2}, {%r1,%r2}, %r1, 0x0",
           "mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {%r1}, {%r3}, {%r1}, {%r1}, %r1, 0",
           "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4}",
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%r1,%r2,%r3,%r4}, {%r3,%r4}, {%r1}, {%r1,%r2}",
           "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2}, [%r9]",
       }) {
    const std::string text = instruction;
    const Program program(ptx_header() + moving_kernel("    " + text + ";\n"));
    EXPECT_THAT(program.problems(), HasSubstr(text.substr(0, text.find(' ')) + " is not supported yet"));
  }
}

TEST(Matrix, WrongListsNameTheInstruction) {
  const std::string product = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
  const Program program(ptx_header() +
                        moving_kernel("    " + product + " {%r1,%r2}, {%r3,%r4,%r1}, {%r1}, {%r1,%r2};\n"));
  EXPECT_THAT(program.problems(), HasSubstr(product + " with a list of 3 registers, where 2 are needed"));
}

}  // namespace
}  // namespace warplens::run
