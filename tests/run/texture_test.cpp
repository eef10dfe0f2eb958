// Textures and surfaces: every instruction on them, on the engine and on the reference's own sampler. What a GPU gives
// is tests/nosdk/programs/textures.cu's matter.
#include <bit>
#include <cmath>

#include "run/kernel_case.h"

namespace warplens::run {
namespace {

using u32 = uint32_t;
using exec::AddressMode;
using exec::Texture;

// Results of 4 words a thread; handle and out are parameters, %r0 the thread, %f0..%f5 its six coordinates.
std::string kernel(const std::string& body) {
  return std::string(kNotForAGpu) + R"(
.visible .entry k(.param .u64 handle, .param .u64 in, .param .u64 out)
{
    .reg .b16 %h<8>;
    .reg .b32 %r<40>;
    .reg .f32 %f<12>;
    .reg .b64 %rd<12>;
    .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    ld.param.u64 %rd0, [handle];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mul.wide.u32 %rd3, %r0, 24;
    add.s64 %rd1, %rd1, %rd3;
    mul.wide.u32 %rd3, %r0, 16;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f0, [%rd1];
    ld.global.f32 %f1, [%rd1+4];
    ld.global.f32 %f2, [%rd1+8];
    ld.global.u32 %r10, [%rd1+12];
    ld.global.u32 %r11, [%rd1+16];
    ld.global.u32 %r12, [%rd1+20];
    mov.u32 %r1, 7;
    mov.u32 %r2, 7;
    mov.u32 %r3, 7;
    mov.u32 %r4, 7;
    and.b32 %r5, %r0, 3;
    setp.ne.u32 %p1, %r5, 3;
)" + body +
         R"(
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};
    ret;
}
)";
}

constexpr u32 kThreads = 192;

struct Lane {
  float x, y, z;
  int32_t i, j, layer;
};
std::vector<Lane> lanes() {
  const float special[] = {0,     -0.0f, 0.5f,  0.25f,     0.49999997f, 0.501953125f, 1,      0.99999994f,
                           -0.5f, -1,    1e30f, -INFINITY, NAN,         1e-40f,       -1e-9f, 0.3f};
  std::vector<Lane> all(kThreads);
  u32 seed = 7;
  const auto random = [&] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  const auto in = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() & 0xffff) / 65536;
  };
  for (u32 t = 0; t < kThreads; ++t) {
    Lane& lane = all[t];
    const auto coordinate = [&](float most) { return random() % 3 ? in(-2, most) : special[random() % 16]; };
    lane = {coordinate(9),
            coordinate(8),
            coordinate(5),
            static_cast<int32_t>(random() % 12) - 3,
            static_cast<int32_t>(random() % 11) - 3,
            static_cast<int32_t>(random() % 7) - 2};
  }
  return all;
}

struct Shape {
  u32 width, height, depth, layers;
};

// The object's texels, of a few magnitudes where they are floats.
struct Object {
  Texture texture;
  std::unique_ptr<Buffer<uint8_t>> texels;
  std::vector<uint8_t> fresh;
};
Object object(Shape s, exec::TexelFormat format) {
  Object o;
  const u32 planes = std::max({s.depth, s.layers, 1u});
  u32 seed = 3;
  o.fresh.resize(size_t{s.width} * s.height * planes * format.bytes());
  for (size_t i = 0; i < o.fresh.size(); i += format.bits / 8) {
    seed = seed * 1664525 + 1013904223;
    u32 v = seed ^ seed >> 15;
    if (format.kind == exec::TexelFormat::Kind::Float) v = (v & 0x807fffff) | (124 + (v >> 24) % 7) << 23;
    std::memcpy(&o.fresh[i], &v, format.bits / 8);
  }
  o.texels = std::make_unique<Buffer<uint8_t>>(o.fresh);
  o.texture.format = format;
  o.texture.dimensions = s.depth > 1 ? 3 : s.height > 1 ? 2 : 1;
  exec::TextureLevel level;
  level.base = o.texels->address();
  level.width = s.width, level.height = s.height, level.depth = s.depth, level.layers = s.layers;
  level.row_bytes = s.width * format.bytes();
  level.plane_bytes = level.row_bytes * s.height;
  o.texture.levels = {level};
  return o;
}

constexpr exec::TexelFormat kFloat4{exec::TexelFormat::Kind::Float, 32, 4},
    kByte4{exec::TexelFormat::Kind::Unsigned, 8, 4}, kShort2{exec::TexelFormat::Kind::Signed, 16, 2},
    kWord{exec::TexelFormat::Kind::Unsigned, 32, 1};

// The kernel on both, with the same results and the same texels afterwards.
std::vector<u32> expect_same(const std::string& text, Object& o) {
  SCOPED_TRACE(text);
  const std::string module = ptx_header() + kernel(text);
  Program program(module);
  EXPECT_EQ(program.problems(), "");
  Buffer<Lane> in(lanes());
  std::vector<u32> expected;
  std::vector<uint8_t> texels;
  const uint64_t handle = program.add_texture(o.texture);
  for (const Backend backend : kBackends) {
    o.texels->fill(o.fresh);
    Buffer<u32> out(4 * kThreads, 0xdeadbeef);
    const Program::Result result =
        program.launch(backend, "k", {{1}, {kThreads}}, Params().add(handle).add(in).add(out));
    EXPECT_EQ(result.error, "") << to_string(backend);
    if (backend == Backend::Reference) {
      expected = out.values(), texels = o.texels->values();
      continue;
    }
    const std::vector<u32> got = out.values();
    for (u32 t = 0; t < kThreads; ++t)
      EXPECT_TRUE(std::equal(&got[4 * t], &got[4 * t] + 4, &expected[4 * t]))
          << "thread " << t << " at " << in[t].x << ' ' << in[t].y << ' ' << in[t].z << std::hex << ": got "
          << got[4 * t] << ' ' << got[4 * t + 1] << ", reference " << expected[4 * t] << ' ' << expected[4 * t + 1];
    EXPECT_EQ(o.texels->values(), texels);
  }
  device_memory().textures().remove(handle);
  return expected;
}

void in_all_modes(const std::string& text, Object o) {
  for (const bool linear : {false, true})
    for (const bool normalized : {false, true})
      for (const AddressMode mode : {AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border}) {
        if (linear && o.texture.dimensions == 3 && mode != AddressMode::Clamp) continue;   // one ulp of an H200's
        if (linear && o.texture.dimensions == 1 && mode == AddressMode::Border) continue;  // half of it is border
        o.texture.filters = linear;
        o.texture.normalized_coords = normalized;
        for (AddressMode& axis : o.texture.address) axis = mode;
        if (o.texture.format.kind == exec::TexelFormat::Kind::Float)
          std::fill(o.texture.border, o.texture.border + 4, 0.375f);
        o.texture.reads_normalized = linear && o.texture.format.kind != exec::TexelFormat::Kind::Float;
        expect_same(text, o);
      }
}

TEST(Texture, OfEveryShape) {
  in_all_modes("tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0}];", object({7, 1, 1, 0}, kFloat4));
  in_all_modes("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", object({7, 5, 1, 0}, kFloat4));
  in_all_modes("tex.3d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1, %f2, %f2}];", object({7, 5, 3, 0}, kFloat4));
  in_all_modes("tex.a1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%r12, %f0}];", object({7, 1, 1, 4}, kFloat4));
  in_all_modes("tex.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%r12, %f0, %f1, %f1}];",
               object({7, 5, 1, 4}, kFloat4));
}

// Of tex the lowest four bits of an offset count.
TEST(Texture, WithOffsets) {
  in_all_modes("tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0}], 3;", object({7, 1, 1, 0}, kFloat4));
  in_all_modes("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], {%r10, -3};",
               object({7, 5, 1, 0}, kFloat4));
  in_all_modes("tex.3d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1, %f2, %f2}], {7, %r11, -8, 0};",
               object({7, 5, 3, 0}, kFloat4));
  in_all_modes("tex.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%r12, %f0, %f1, %f1}], {%r10, %r11};",
               object({7, 5, 1, 4}, kFloat4));
  Object o = object({7, 5, 1, 0}, kFloat4);
  const std::vector<u32> plain =
      expect_same("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], {9, -20};", o);
  EXPECT_EQ(expect_same("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], {-7, -4};", o), plain);
  EXPECT_EQ(expect_same("tex.level.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], %f2, {-7, -4};", o), plain);
}

// 32 bits, rounded.
TEST(Texture, OfSixteenBits) {
  Object o = object({7, 5, 1, 0}, kFloat4);
  const std::vector<u32> halves = expect_same(R"(tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%rd0, {%f0, %f1}];
    mov.b32 %r1, {%h1, %h2};
    mov.b32 %r2, {%h3, %h4};)",
                                              o);
  EXPECT_EQ(expect_same("tex.2d.v2.f16x2.f32 {%r1, %r2}, [%rd0, {%f0, %f1}];", o), halves);
  EXPECT_EQ(expect_same(R"(tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];
    cvt.rn.f16x2.f32 %r1, %r2, %r1;
    cvt.rn.f16x2.f32 %r2, %r4, %r3;
    mov.u32 %r3, 7;
    mov.u32 %r4, 7;)",
                        o),
            halves);
}

TEST(Texture, OfIntegers) {
  Object bytes = object({6, 5, 1, 0}, kByte4);
  for (AddressMode& axis : bytes.texture.address) axis = AddressMode::Clamp;
  expect_same("tex.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", bytes);
  bytes.texture.reads_normalized = true;
  for (const bool linear : {false, true}) {
    bytes.texture.filters = linear;
    expect_same("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", bytes);
  }
  Object shorts = object({6, 5, 1, 0}, kShort2);
  for (AddressMode& axis : shorts.texture.address) axis = AddressMode::Clamp;
  expect_same("tex.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", shorts);
  Object words = object({6, 1, 1, 0}, kWord);
  words.texture.source = Texture::Source::Linear;
  expect_same("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd0, {%r10}];", words);
}

TEST(Texture, UnderAGuardAndWhereLanesPart) {
  Object o = object({7, 5, 1, 0}, kFloat4);
  expect_same("@%p1 tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", o);
  expect_same("@!%p1 tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", o);
  expect_same(R"(@%p1 bra OTHER;
    tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];
OTHER:
    add.u32 %r1, %r1, 1;)",
              o);
}

TEST(Texture, AtALevelOfOne) {
  Object o = object({7, 5, 1, 0}, kFloat4);
  const std::vector<u32> plain = expect_same("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];", o);
  EXPECT_EQ(expect_same("tex.level.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], %f2;", o), plain);
  EXPECT_EQ(expect_same("tex.grad.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], {%f0, %f1}, {%f1, %f2};", o),
            plain);
}

// On the engine alone: the reference has no handles to ask.
std::vector<u32> on_the_engine(const std::string& text, const Texture& texture, std::string* error = nullptr) {
  Program program(ptx_header() + kernel(text));
  EXPECT_EQ(program.problems(), "");
  Buffer<Lane> in(lanes());
  Buffer<u32> out(4 * kThreads, 0);
  const uint64_t handle = program.add_texture(texture);
  const Program::Result result =
      program.launch(Backend::Engine, "k", {{1}, {kThreads}}, Params().add(handle).add(in).add(out));
  if (error)
    *error = result.error;
  else
    EXPECT_EQ(result.error, "");
  device_memory().textures().remove(handle);
  return out.values();
}

TEST(Texture, GathersWhatAFilterMixes) {
  Object o = object({7, 5, 1, 0}, kFloat4);
  for (AddressMode& axis : o.texture.address) axis = AddressMode::Clamp;
  const auto texel = [&](int x, int y) {
    u32 bits = 0;
    std::memcpy(&bits, &o.fresh[static_cast<size_t>((y * 7 + x) * 16 + 4)], 4);  // the second component
    return bits;
  };
  const std::vector<u32> got = on_the_engine(R"(mov.f32 %f0, 2.25;
    mov.f32 %f1, 1.75;
    tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];)",
                                             o.texture);
  EXPECT_EQ((std::vector<u32>{got.begin(), got.begin() + 4}),
            (std::vector<u32>{texel(1, 2), texel(2, 2), texel(2, 1), texel(1, 1)}));
}

TEST(Texture, SaysItsSize) {
  Object o = object({7, 5, 3, 0}, kFloat4);
  const std::vector<u32> got = on_the_engine(R"(txq.width.b32 %r1, [%rd0];
    txq.height.b32 %r2, [%rd0];
    txq.depth.b32 %r3, [%rd0];
    istypep.texref %p2, %rd0;
    selp.u32 %r4, 1, 0, %p2;)",
                                             o.texture);
  EXPECT_EQ((std::vector<u32>{got.begin(), got.begin() + 4}), (std::vector<u32>{7, 5, 3, 0}));
  o.texture.is_surface = true;
  EXPECT_EQ(on_the_engine("suq.width.b32 %r1, [%rd0];", o.texture)[0], 7u);
}

Object surface(Shape s, exec::TexelFormat format) {
  Object o = object(s, format);
  o.texture.is_surface = true;
  return o;
}

// x in bytes of an element of 16.
constexpr const char* kInBytes = "shl.b32 %r20, %r10, 4;\n";

TEST(Surface, ReadsInAndOutside) {
  for (const char* mode : {"zero", "clamp"}) {
    const auto load = [&](const std::string& rest) { return kInBytes + ("suld.b." + rest); };
    const std::string v4 = std::string(".v4.b32.") + mode + " {%r1, %r2, %r3, %r4}, ";
    Object flat = surface({7, 5, 1, 0}, kFloat4), deep = surface({7, 5, 3, 0}, kFloat4),
           row = surface({7, 1, 1, 0}, kFloat4);
    Object layers = surface({7, 5, 1, 4}, kFloat4), rows = surface({7, 1, 1, 4}, kFloat4);
    expect_same(load("1d" + v4 + "[%rd0, {%r20}];"), row);
    expect_same(load("2d" + v4 + "[%rd0, {%r20, %r11}];"), flat);
    expect_same(load("3d" + v4 + "[%rd0, {%r20, %r11, %r12, %r12}];"), deep);
    expect_same(load("a1d" + v4 + "[%rd0, {%r12, %r20}];"), rows);
    expect_same(load("a2d" + v4 + "[%rd0, {%r12, %r20, %r11, %r11}];"), layers);
    expect_same(load(std::string("2d.v2.b64.") + mode + " {%rd4, %rd5}, [%rd0, {%r20, %r11}];\n" +
                     "mov.b64 {%r1, %r2}, %rd4;\nmov.b64 {%r3, %r4}, %rd5;"),
                flat);
    expect_same(load(std::string("2d.b8.") + mode + " %h1, [%rd0, {%r10, %r11}];\ncvt.u32.u16 %r1, %h1;"), flat);
    expect_same(std::string("@%p1 suld.b.2d.b32.") + mode + " %r1, [%rd0, {%r20, %r11}];", flat);
  }
}

TEST(Surface, WritesAndReduces) {
  // Each thread has a place of its own, so that the order of lanes does not matter.
  const std::string place =
      "mov.u32 %r6, 12;\nrem.u32 %r20, %r0, %r6;\ndiv.u32 %r21, %r0, %r6;\nshl.b32 %r22, %r20, 4;\n";
  for (const char* mode : {"zero", "clamp", "trap"}) {
    Object flat = surface({12, 16, 1, 0}, kFloat4), words = surface({12, 16, 1, 0}, kWord);
    const std::string m = mode;
    expect_same(place + "sust.b.2d.v4.b32." + m + " [%rd0, {%r22, %r21}], {%r0, %r1, %r5, %r0};", flat);
    expect_same(place + "@%p1 sust.b.2d.v2.b32." + m + " [%rd0, {%r22, %r21}], {%r0, %r1};", flat);
    expect_same(place + "cvt.u16.u32 %h1, %r0;\nsust.b.2d.b8." + m + " [%rd0, {%r22, %r21}], %h1;", flat);
    expect_same(place + "shl.b32 %r22, %r20, 2;\nsured.b.2d.add.u32." + m + " [%rd0, {%r22, %r21}], %r0;", words);
    expect_same(place + "shl.b32 %r22, %r20, 2;\nsured.b.2d.min.s32." + m + " [%rd0, {%r22, %r21}], %r0;", words);
    expect_same(place + "sured.p.2d.or.b32." + m + " [%rd0, {%r20, %r21}], %r0;", words);
    expect_same(place + "sust.p.2d.b32." + m + " [%rd0, {%r20, %r21}], {%r0};", words);
  }
}

TEST(Surface, TrapsOutside) {
  Object o = surface({7, 5, 1, 0}, kFloat4);
  std::string error;
  on_the_engine(std::string(kInBytes) + "suld.b.2d.b32.trap %r1, [%rd0, {%r20, %r11}];", o.texture, &error);
  EXPECT_TRUE(error.starts_with("out of bounds: x = ")) << error;
  EXPECT_NE(error.find("is outside of the surface of 7 x 5 x 1 elements of 16 bytes"), error.npos) << error;
  on_the_engine("mov.u32 %r20, 6;\nsuld.b.2d.b32.zero %r1, [%rd0, {%r20, %r20}];", o.texture, &error);
  EXPECT_EQ(error, "misaligned: x = 6 bytes is no multiple of the element's 4");
}

TEST(Texture, BadHandlesAndFreedMemoryAreFaults) {
  Object o = object({7, 5, 1, 0}, kFloat4);
  const std::string text = "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}];";
  std::string error;
  on_the_engine("mov.u64 %rd0, 0;\n" + text, o.texture, &error);
  EXPECT_EQ(error, "out of bounds: 0x0 is no texture object, or one that was destroyed");
  on_the_engine("mov.u64 %rd0, 99999999;\n" + text, o.texture, &error);
  EXPECT_EQ(error, "out of bounds: 0x5f5e0ff is no texture object, or one that was destroyed");
  Object large = object({512, 64, 1, 0}, kFloat4);
  large.texels.reset();  // what is allocated next takes the start of it
  on_the_engine(text, large.texture, &error);
  EXPECT_TRUE(error.starts_with("out of bounds")) << error;
}

TEST(Texture, WhatIsNotThereIsRefused) {
  const auto refuses = [](const std::string& text) {
    Program program(ptx_header() + kernel(text));
    Buffer<Lane> in(lanes());
    Buffer<u32> out(4 * kThreads, 0);
    return program.launch(Backend::Engine, "k", {{1}, {kThreads}}, Params().add(uint64_t{0}).add(in).add(out)).error;
  };
  EXPECT_NE(refuses("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, %rd1, {%f0, %f1}];").find("a sampler of its own"),
            std::string::npos);
  EXPECT_NE(refuses("tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd0, {%f0, %f1}], %f2;").find("with a comparison"),
            std::string::npos);
  EXPECT_NE(refuses("tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd0, {%r1, %r2, %r3, %r4}];").find("is not supported"),
            std::string::npos);
  EXPECT_NE(refuses("txq.filter_mode.b32 %r1, [%rd0];").find("is not supported"), std::string::npos);
}

}  // namespace
}  // namespace warplens::run
