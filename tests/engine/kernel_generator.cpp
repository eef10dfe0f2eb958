// The frame around the statements: block shape, parameters, variables, what becomes visible at the end.
#include "engine/generator.h"

namespace warplens::engine_test {

namespace {

struct Shape {
  uint32_t x, y, z;
};
constexpr Shape kShapes[] = {{1, 1, 1},   {7, 1, 1},   {31, 1, 1},   {32, 1, 1}, {33, 1, 1},  {64, 1, 1}, {100, 1, 1},
                             {256, 1, 1}, {16, 16, 1}, {8, 8, 1},    {8, 32, 1}, {24, 4, 1},  {5, 7, 3},  {1, 64, 1},
                             {2, 16, 4},  {32, 4, 1},  {1024, 1, 1}, {16, 4, 1}, {128, 1, 1}, {40, 2, 1}, {4, 8, 2}};

}  // namespace

void Generator::choose_shape() {
  const Shape s = kShapes[below(std::size(kShapes))];
  k_.block = {s.x, s.y, s.z};
  threads_ = s.x * s.y * s.z;
  const uint32_t most = std::clamp(1200u / threads_, 1u, 20u);
  const uint32_t blocks = 1 + below(most);
  const uint32_t x = 1 + below(blocks), y = chance(50) ? std::max(1u, blocks / x) : 1,
                 z = chance(30) ? std::max(1u, blocks / (x * y)) : 1;
  k_.grid = {x, y, z};
  blocks_ = x * y * z;
  limit_ = 250000.0 / (threads_ * blocks_);
  limit_ = std::clamp(limit_, 120.0, 800.0);
  k_.in_align = 4u << below(3);
  k_.out_align = 8u << below(2);
  shared_words_ = std::max(64u, std::bit_ceil(threads_ * 2));
  statements_ = static_cast<int>(below(10));  // so many fewer: small kernels cost less, and more of them can be tried
  few_ = chance(60);
  dynamic_ = chance(50);
  if (dynamic_) k_.dynamic_shared_bytes = shared_words_ * 4;
}

// A part of `out` for `bytes` of each block.
uint64_t Generator::take_out(uint64_t bytes) {
  const uint64_t at = out_bytes_;
  out_bytes_ += (bytes * blocks_ + 15) / 16 * 16;
  return at;
}

void Generator::prologue() {
  line("ld.param.u64 %in, [p_in];");
  line("ld.param.u64 %out, [p_out];");
  line("ld.param.u64 %atomics, [p_atomics];");
  line("ld.param.u64 %big, [p_big];");
  if (chance(70)) {
    line("cvta.to.global.u64 %in, %in;");
    line("cvta.to.global.u64 %out, %out;");
  }
  line("ld.param.u32 %s0, [p_s0];");
  line("ld.param.u32 %s1, [p_s1];");
  line("ld.param.u32 %small, [p_small];");
  line("ld.param.u32 %bound, [p_bound];");
  line("mov.u32 %tx, %tid.x;");
  line("mov.u32 %ty, %tid.y;");
  line("mov.u32 %tz, %tid.z;");
  line("mov.u32 %lane, %laneid;");
  line("mov.u32 %bx, %ctaid.x;");
  line("mov.u32 %by, %ctaid.y;");
  line("mov.u32 %bz, %ctaid.z;");
  const Text nx = r(), ny = r(), g = r(), gx = r(), gy = r();
  line("mov.u32 {}, %ntid.x;", nx);
  line("mov.u32 {}, %ntid.y;", ny);
  line("mov.u32 {}, %nctaid.x;", gx);
  line("mov.u32 {}, %nctaid.y;", gy);
  line("mad.lo.u32 {}, %tz, {}, %ty;", g, ny);
  line("mad.lo.u32 %linear, {}, {}, %tx;", g, nx);
  line("mad.lo.u32 {}, %bz, {}, %by;", g, gy);
  line("mad.lo.u32 %cta, {}, {}, %bx;", g, gx);
  line("mad.lo.u32 %gid, %cta, {}, %linear;", threads_);
  line("setp.eq.u32 %yes, 0, 0;");
  line("vote.sync.ballot.b32 %m0, %yes, -1;");
  init_variables();
  init_shared();
  // Places of the thread's own: `own` 16 bytes of global memory, 32 bytes of local memory.
  const uint64_t own = take_out(uint64_t{threads_} * 16);
  line("mul.wide.u32 %own, %gid, 16;");
  line("add.s64 %own, %own, %out;");
  line("add.s64 %own, %own, {};", own);
  line("st.local.v4.u32 [lo], {{%v{}, %v{}, %v{}, %v{}}};", below(8), below(8), below(8), below(8));
  line("st.local.v2.u64 [lo+16], {{%w{}, %w{}}};", below(4), below(4));
}

void Generator::init_variables() {
  for (int k = 0; k < kept(8); ++k) {
    switch (below(6)) {
      case 0:
        line("mov.u32 %v{}, {};", k, word_constant());
        break;
      case 1:
        line("mov.u32 %v{}, %linear;", k);
        break;
      case 2:
        line("mad.lo.u32 %v{}, %bx, {}, %tx;", k, k_.block.x);
        break;
      case 3:
        line("mov.u32 %v{}, {};", k, any({"%s0", "%s1", "%small", "%bound", "%cta"}));
        break;
      default: {
        const Text a = rd();
        line("mad.wide.u32 {}, %gid, 4, %in;", a);
        line("ld.global.u32 %v{}, [{}+{}];", k, a, 4 * below(64));
      }
    }
  }
  for (int k = 0; k < kept(4); ++k) {
    if (k == 0)
      line("ld.param.u64 %w0, [p_wide];");
    else
      line("mul.wide.{}32 %w{}, %v{}, %v{};", chance(50) ? "u" : "s", k, below(8), below(8));
    line("cvt.u16.u32 %h{}, %v{};", k, below(8));
    line("setp.lt.s32 %q{}, %v{}, %v{};", k, below(8), below(8));
  }
  for (int k = 0; k < kept(4); ++k) {
    line("cvt.rn.f32.s32 %x{}, %v{};", k, below(8));
    line("mul.f32 %x{}, %x{}, 0f{:08X};", k, k, 0x3a000000u + below(1 << 26));
  }
  for (int k = 0; k < kept(3); ++k) line("cvt.f64.f32 %y{}, %x{};", k, below(4));
}

void Generator::init_shared() {
  const Text i = r(), at = r(), value = r(), done = p(), head = new_label(), end = new_label();
  line("mov.u32 %sh, sh;");
  if (dynamic_)
    line("mov.u32 %dyn, dyn;");
  else
    line("mov.u32 %dyn, sh;");
  line("mov.u32 {}, %linear;", i);
  label(head);
  line("setp.ge.u32 {}, {}, {};", done, i, shared_words_ + 64);
  line("@{} bra {};", done, end);
  line("shl.b32 {}, {}, 2;", at, i);
  line("add.u32 {}, {}, %sh;", at, at);
  line("mul.lo.u32 {}, {}, 0x9E3779B9;", value, i);
  line("st.shared.u32 [{}], {};", at, value);
  if (dynamic_) {
    const Text in_range = p();
    line("setp.lt.u32 {}, {}, {};", in_range, i, shared_words_);
    line("sub.u32 {}, {}, %sh;", at, at);
    line("add.u32 {}, {}, %dyn;", at, at);
    line("@{} st.shared.u32 [{}], {};", in_range, at, i);
  }
  line("add.u32 {}, {}, {};", i, i, threads_);
  line("bra {};", head);
  label(end);
  line("bar.sync 0;");
}

void Generator::epilogue() {
  times_ = 1;
  label("END");
  const uint64_t region = take_out(uint64_t{threads_} * 128);
  const Text at = rd();
  line("mad.wide.u32 {}, %gid, 128, %out;", at);
  line("add.s64 {}, {}, {};", at, at, region);
  for (int k = 0; k < kept(8); k += 2) line("st.global.v2.u32 [{}+{}], {{%v{}, %v{}}};", at, 4 * k, k, k + 1);
  const Text bits = r();
  line("mov.u32 {}, 0;", bits);
  for (int k = 0; k < kept(4); ++k) {
    line("st.global.u64 [{}+{}], %w{};", at, 32 + 8 * k, k);
    const Text with = r();
    line("or.b32 {}, {}, {};", with, bits, 1 << k);
    line("selp.b32 {}, {}, {}, %q{};", bits, with, bits, k);
  }
  for (int k = 0; k < kept(4); k += 2)
    line("st.global.v2.f32 [{}+{}], {{{}, {}}};", at, 64 + 4 * k, clean(fmt::format("%x{}", k), "f32"),
         clean(fmt::format("%x{}", k + 1), "f32"));
  line("st.global.v4.u16 [{}+80], {{%h0, %h1, %h2, %h3}};", at);
  line("st.global.u8 [{}+88], {};", at, bits);
  for (int k = 0; k < kept(3); ++k)
    line("st.global.f64 [{}+{}], {};", at, 96 + 8 * k, clean(fmt::format("%y{}", k), "f64"));
  // Shared atomics.
  const uint64_t sums = take_out(256);
  const Text i = r(), value = r(), s = r(), done = p(), head = new_label(), end = new_label(), to = rd();
  line("bar.sync 0;");
  line("mov.u32 {}, %linear;", i);
  label(head);
  line("setp.ge.u32 {}, {}, 64;", done, i);
  line("@{} bra {};", done, end);
  line("mad.lo.u32 {}, {}, 4, %sh;", s, i);
  line("ld.shared.u32 {}, [{}+{}];", value, s, shared_words_ * 4);
  line("mad.lo.u32 {}, %cta, 64, {};", s, i);
  line("mad.wide.u32 {}, {}, 4, %out;", to, s);
  line("st.global.u32 [{}+{}], {};", to, sums, value);
  line("add.u32 {}, {}, {};", i, i, threads_);
  line("bra {};", head);
  label(end);
  line("ret;");
}

Text Generator::numbers(uint32_t factor) {
  Text list;
  for (uint32_t k = 0; k < 64; ++k) list += fmt::format("{}{}", k ? ", " : "", k * k * factor % 97);
  return list;
}

// The upper half of each file's variables becomes the lower half.
Text Generator::with_few(const Text& body) const {
  Text out = body;
  for (size_t at = 0; (at = out.find('%', at)) != Text::npos; ++at) {
    static constexpr std::pair<char, char> kFiles[] = {{'v', 4}, {'w', 2}, {'h', 2}, {'x', 2}, {'y', 2}, {'q', 2}};
    for (const auto& [file, kept] : kFiles)
      if (at + 2 < out.size() && out[at + 1] == file && out[at + 2] >= '0' + kept && out[at + 2] <= '7')
        out[at + 2] = static_cast<char>(out[at + 2] - kept);
  }
  return out;
}

Text Generator::assemble() const {
  Text t = ".version 8.7\n.target sm_90a\n.address_size 64\n\n.extern .shared .align 16 .b8 dyn[];\n";
  t += ".const .align 4 .u32 constants[64] = {" + numbers(3) + "};\n.global .align 4 .u32 numbers[64] = {" +
       numbers(5) + "};\n\n";
  t += ".func (.param .b32 c) helper0(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %r<5>;\n\t.reg .b64 "
       "%rd<3>;\n\t.reg .pred %p<2>;\n"
       "\tld.param.b32 %r1, [a];\n\tld.param.b64 %rd1, [b];\n\tcvt.u32.u64 %r2, %rd1;\n\tsetp.lt.s32 %p1, %r1, "
       "%r2;\n\t@%p1 bra LESS;\n"
       "\tsub.s32 %r3, %r1, %r2;\n\tst.param.b32 [c], %r3;\n\tret;\nLESS:\n\txor.b32 %r3, %r1, %r2;\n\tst.param.b32 "
       "[c], %r3;\n\tret;\n}\n\n";
  t += ".func (.param .b32 c) helper1(.param .b32 a, .param .b64 b)\n{\n\t.reg .b32 %r<6>;\n\t.reg .b64 "
       "%rd<3>;\n\t.reg .pred %p<2>;\n"
       "\tld.param.b32 %r1, [a];\n\tld.param.b64 %rd1, [b];\n\tcvt.u32.u64 %r2, %rd1;\n\tand.b32 %r4, %r1, "
       "3;\nAGAIN:\n"
       "\tmad.lo.u32 %r2, %r2, 1664525, %r1;\n\tsub.s32 %r4, %r4, 1;\n\tsetp.gt.s32 %p1, %r4, 0;\n\t@%p1 bra "
       "AGAIN;\n\tst.param.b32 [c], %r2;\n\tret;\n}\n\n";
  if (recursion_)  // n + 3 (n - 1 + 3 (...))
    t += ".func (.param .b32 c) recurs(.param .b32 n)\n{\n\t.reg .b32 %r<5>;\n\t.reg .pred %p<2>;\n"
         "\tld.param.b32 %r1, [n];\n\tmov.u32 %r3, 1;\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra LAST;\n"
         "\tsub.u32 %r2, %r1, 1;\n\t{\n\t.param .b32 m; .param .b32 got;\n\tst.param.b32 [m], %r2;\n"
         "\tcall (got), recurs, (m);\n\tld.param.b32 %r3, [got];\n\t}\n\tmad.lo.u32 %r3, %r3, 3, %r1;\nLAST:\n"
         "\tst.param.b32 [c], %r3;\n\tret;\n}\n\n";
  t += ".visible .entry generated(\n\t.param .u64 p_in,\n\t.param .u64 p_out,\n\t.param .u64 p_atomics,\n\t.param "
       ".u64 p_big,\n\t.param .u64 p_wide,\n"
       "\t.param .u32 p_s0,\n\t.param .u32 p_s1,\n\t.param .u32 p_small,\n\t.param .u32 p_bound,\n\t.param .align 4 "
       ".b8 p_table[64]\n)\n{\n";
  t += fmt::format(
      "\t.reg .b32 %r<{}>;\n\t.reg .b64 %rd<{}>;\n\t.reg .b16 %rs<{}>;\n\t.reg .pred %p<{}>;\n\t.reg .f32 "
      "%f<{}>;\n\t.reg .f64 %fd<{}>;\n",
      words_ + 1, longs_ + 1, shorts_ + 1, preds_ + 1, singles_ + 1, reals_ + 1);
  t += "\t.reg .b32 %v<8>;\n\t.reg .b64 %w<4>;\n\t.reg .b16 %h<4>;\n\t.reg .f32 %x<4>;\n\t.reg .f64 %y<3>;\n\t.reg "
       ".pred %q<4>;\n"
       "\t.reg .b32 %s0, %s1, %small, %bound, %tx, %ty, %tz, %lane, %bx, %by, %bz, %linear, %cta, %gid, %m0, %sh, "
       "%dyn;\n"
       "\t.reg .b64 %in, %out, %atomics, %big, %own;\n\t.reg .pred %yes;\n";
  t += fmt::format("\t.shared .align 16 .b8 sh[{}];\n\t.local .align 16 .b8 lo[32];\n\n",
                   (shared_words_ + 64) * 4 + 16);  // and an mbarrier
  return t + (few_ ? with_few(body_) : body_) + "}\n";
}

GeneratedKernel generate(uint64_t seed) { return Generator(seed).run(); }

}  // namespace warplens::engine_test
