// Statements that are one instruction each, or a few that belong together, from tables of templates. In a template
//
//   <a|b|c>   one of these           #n   an integer of 0 to 31
//   #v #w #h #x #y #q   a variable of that file (generator.h)
//   #c        a word: constant, index, variable
//   #X #Y     a float whose sign and bits may be looked at
//   #0-#9     new registers of 32 bits, the same throughout the template; #d0-9 64 bits, #s 16, #f f32, #g f64, #p pred
//   #m        the lanes that are here
//   ;         ends an instruction
//
// What only approximates is tested for being a number, no more: the reference computes it in another way.
#include <map>

#include "engine/generator.h"

namespace warplens::engine_test {

namespace {

constexpr const char* kIntegers[] = {
    "add.cc.u32 #0, #v, #c; addc<|.cc>.<u32|s32> #v, #v, #c",
    "add.cc.u64 #d0, #w, #w; addc.u64 #w, #w, #w",
    "sub.cc.<u32|s32> #0, #v, #c; subc<|.cc>.u32 #v, #v, #c",
    "mad.lo.cc.u32 #0, #v, #v, #c; madc.<lo|hi>.u32 #v, #v, #c, #v",
    "mad.hi.cc.u32 #0, #v, #v, #c; addc.u32 #v, #v, 0",
    "mul24.<lo|hi>.<u32|s32> #v, #v, #c",
    "mad24.<lo|hi>.<u32|s32> #v, #v, #c, #v",
    "<add|sub>.sat.s32 #v, #v, #c",
    "mad.hi.<u32|s32> #v, #v, #c, #v",
    "mad.hi.sat.s32 #v, #v, #c, #v",
    "mad.<lo|hi>.<u64|s64> #w, #w, #w, #w",
    "mad.wide.<u32|s32> #w, #v, #c, #w",
    "mad.lo.<u16|s16> #h, #h, #h, #h",
    "mad.wide.<u16|s16> #v, #h, #h, #v",
    "<max|min>.relu.s32 #v, #v, #c",
    "add.<u16x2|s16x2> #v, #v, #v",
    "<min|max>.<u16x2|s16x2> #v, #v, #v",
    "sad.<u32|s32> #v, #v, #c, #v",
    "sad.<u64|s64> #w, #w, #w, #w",
    "sad.<u16|s16> #h, #h, #h, #h",
    "popc.b64 #v, #w",
    "clz.b64 #v, #w",
    "brev.b64 #w, #w",
    "bfind<|.shiftamt>.<u32|s32> #v, #v",
    "bfind<|.shiftamt>.<u64|s64> #v, #w",
    "fns.b32 #v, #v, #n, <0|1|2|-1|-3>",
    "bfe.<u64|s64> #w, #w, #n, <0|1|8|33|64>",
    "bfe.<u32|s32> #v, #v, #v, #v",
    "bfi.b32 #v, #v, #v, #n, #n",
    "bfi.b64 #w, #w, #w, #v, #n",
    "bmsk.<wrap|clamp>.b32 #v, #v, #c",
    "szext.<wrap|clamp>.<u32|s32> #v, #v, #c",
    "dp4a.<u32|s32>.<u32|s32> #v, #v, #v, #v",
    "dp2a.<lo|hi>.<u32|s32>.<u32|s32> #v, #v, #v, #v",
    "cnot.b32 #v, #v",
    "cnot.b64 #w, #w",
    "cnot.b16 #h, #h",
    "<not.b|neg.s>64 #w, #w",
    "<not.b|neg.s|abs.s>16 #h, #h",
    "shf.<l|r>.clamp.b32 #v, #v, #v, #c",
    "prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16> #v, #v, #v, #c",
    "prmt.b32 #v, #v, #v, #v",
    "<and|or|xor>.b16 #h, #h, #h",
};

constexpr const char* kCompares[] = {
    "slct.<b32|u32|s32>.s32 #v, #v, #v, #v",
    "slct.<b64|s64>.f32 #w, #w, #w, #x",
    "slct.ftz.b32.f32 #v, #v, #v, #x",
    "slct.f32.s32 #x, #x, #x, #v",
    "set.<lt|ge|eq|ne>.<u32|s32>.<u32|s32> #v, #v, #c",
    "set.<lt|gt|hs|lo>.u32.u32 #v, #v, #c",
    "set.<gt|leu|num|nan>.<u32|s32>.f32 #v, #x, #x",
    "set.<ltu|ge>.f32.f64 #x, #y, #y",
    "set.lt.f32.s32 #x, #v, #v",
    "set.eq.<and|or|xor>.u32.u32 #v, #v, #c, #q",
    "set.ne.s32.s64 #v, #w, #w",
    "set.gt.u32.u16 #v, #h, #h",
    "setp.<lt|ne|ge>.<and|or|xor>.<s32|u32> #q, #v, #c, <|!>#q",
    "setp.<gt|le>.u32 #q|#p0, #v, #c; @#p0 add.u32 #v, #v, 1",
    "setp.<equ|ltu|geu|num>.ftz.f32 #q, #x, #x",
    "setp.<eq|neu|gt|leu>.f64 #q, #y, #y",
    "setp.<lt|ge|eq>.<u16|s16> #q, #h, #h",
    "setp.<lt|equ|nan>.<f16|bf16> #q, #h, #h",
    "setp.<gt|neu>.<f16x2|bf16x2> #q|#p0, #v, #v; @#p0 xor.b32 #v, #v, 5",
    "set.<lt|equ>.<f16x2.f16x2|bf16x2.bf16x2> #v, #v, #v",
    "set.<gt|num>.u32.f16 #v, #h, #h",
    "selp.b64 #w, #w, #w, #q",
    "selp.b16 #h, #h, #h, #q",
    "selp.f32 #x, #x, #x, #q",
    "selp.f64 #y, #y, #y, #q",
    "testp.<finite|infinite|number|notanumber|normal|subnormal>.f32 #q, #x",
    "testp.<finite|infinite|number|notanumber|normal|subnormal>.f64 #q, #y",
    "not.pred #q, #q",
};

constexpr const char* kFloats[] = {
    "rcp.<rn|rz|rm|rp><|.ftz>.f32 #x, #x",
    "rcp.<rn|rz>.f64 #y, #y",
    "sqrt.<rn|rz|rm|rp><|.ftz>.f32 #x, #x",
    "sqrt.<rn|rp>.f64 #y, #y",
    "fma.<rz|rm|rp><|.ftz><|.sat>.f32 #x, #x, #x, #x",
    "fma.<rz|rp|rm>.f64 #y, #y, #y, #y",
    "mad.rn.f32 #x, #x, #x, #x",
    "<add|mul|sub>.<rz|rm|rp><|.ftz><|.sat>.f32 #x, #x, #x",
    "<add|mul|sub>.<rz|rm|rp>.f64 #y, #y, #y",
    "div.<rz|rm|rp><|.ftz>.f32 #x, #x, #x",
    "div.<rz|rp>.f64 #y, #y, #y",
    "copysign.f32 #x, #X, #x",
    "copysign.f64 #y, #Y, #y",
    "<min|max><|.ftz>.NaN.f32 #x, #x, #x",
    "<min|max>.xorsign.abs.f32 #x, #X, #X",
    "<abs|neg>.ftz.f32 #x, #x",
    "<abs|neg>.f64 #y, #y",
    "<sin|cos|lg2|ex2|rsqrt|rcp|sqrt>.approx<|.ftz>.f32 #f0, #x; testp.notanumber.f32 #q, #f0",
    "tanh.approx.f32 #f0, #x; testp.notanumber.f32 #q, #f0",
    "rsqrt.approx.f64 #g0, #y; testp.notanumber.f64 #q, #g0",
    "<tanh|ex2>.approx.f16 #s0, #h; setp.nan.f16 #q, #s0, #s0",
    "ex2.approx.f16x2 #0, #v; setp.nan.f16x2 #q|#p0, #0, #0",
    "<add|sub|mul><|.rn>.<f16|bf16> #h, #h, #h",
    "<add|sub|mul>.sat.f16 #h, #h, #h",
    "<add|sub|mul>.<f16x2|bf16x2> #v, #v, #v",
    "fma.rn<|.relu>.<f16|bf16> #h, #h, #h, #h",
    "fma.rn<|.relu>.<f16x2|bf16x2> #v, #v, #v, #v",
    "fma.rn.ftz.sat.f16x2 #v, #v, #v, #v",
    "<min|max><|.NaN>.<f16|bf16> #h, #h, #h",
    "<min|max><|.NaN>.<f16x2|bf16x2> #v, #v, #v",
    "<abs|neg>.<f16|bf16> #h, #h",
    "<abs|neg>.<f16x2|bf16x2> #v, #v",
};

constexpr const char* kConversions[] = {
    "cvt.<rn|rz>.<f16|bf16>.f32 #h, #x",
    "cvt.rn.relu.<f16|bf16>.f32 #h, #x",
    "cvt.f32.<f16|bf16> #x, #h",
    "cvt.f64.f16 #y, #h",
    "cvt.rn.f16.f64 #h, #y",
    "cvt.<rn|rz><|.relu>.<f16x2|bf16x2>.f32 #v, #x, #x",
    "cvt.rna.tf32.f32 #v, #x",
    "cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f32 #h, #x, #x",
    "cvt.rn.satfinite.<e4m3x2|e5m2x2>.f16x2 #h, #v",
    "cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2> #v, #h",
    "cvt.<rni|rzi|rmi|rpi><|.ftz>.f32.f32 #x, #x",
    "cvt.<rni|rzi|rmi|rpi>.f64.f64 #y, #y",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f32 #w, #x",
    "cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f64 #w, #y",
    "cvt.<rni|rmi>.<u32|s32>.f64 #v, #y",
    "cvt.<rni|rzi>.<u16|s16>.f32 #h, #x",
    "cvt.<rn|rz|rm|rp>.f32.<u64|s64> #x, #w",
    "cvt.<rn|rz|rm|rp>.f64.<u64|s64> #y, #w",
    "cvt.rn.f64.<u32|s32> #y, #v",
    "cvt.<rn|rz>.f16.<u32|s32> #h, #v",
    "cvt.rn.f32.<u16|s16> #x, #h",
    "cvt.<rni|rzi>.<u32|s32>.f16 #v, #h",
    "cvt.<rz|rm|rp>.f32.f64 #x, #y",
    "cvt.sat.f32.f32 #x, #x",
    "cvt.sat.<u8|s8>.<u32|s32> #v, #v",
    "cvt.sat.<u16|s16>.<u32|s32> #h, #v",
    "cvt.sat.<u32|s32>.<u64|s64> #v, #w",
    "cvt.<u32|s32>.<u64|s64> #v, #w",
    "cvt.<u64|s64>.<u16|s16> #w, #h",
    "cvt.pack.sat.<u8|s8>.s32.b32 #v, #v, #v, #v",
    "cvt.pack.sat.<u16|s16>.s32 #v, #v, #v",
    "mov.b32 {#s0, #s1}, #v; mov.b32 #v, {#s1, #h}",
    "mov.b64 #w, {#h, #h, #h, #h}",
    "mov.b64 #w, #Y",
    "mov.b64 #y, #w",
};

constexpr const char* kVideo[] = {
    "<vadd|vsub>.<u32|s32>.<u32|s32>.<u32|s32><|.add> #v, #v<|.b0|.b3|.h1>, #v<|.b2|.h0>, #v",
    "vabsdiff.<u32|s32>.<u32|s32>.<u32|s32> #v, #v<|.b1|.h0>, #v<|.b2|.h1>",
    "<vmin|vmax>.s32.s32.s32<|.min|.max|.add> #v, #v<|.b0>, #v<|.h1>, #v",
    "<vadd|vsub>.<u32|s32>.u32.u32<|.sat> #v, #v, #v",
    "<vshl|vshr>.u32.u32.u32.<clamp|wrap><|.add> #v, #v<|.h0>, #v<|.b1>, #v",
    "vshr.s32.s32.u32.<clamp|wrap> #v, #v, #v",
    "vmad.<u32.u32.u32|s32.s32.s32> #v, #v<|.b0|.h1>, #v<|.b2>, #v",
    "vmad.s32.s32.s32<|.sat><|.shr7|.shr15> #v, #v, #v.h0, #v",
    "vset.<u32|s32>.<u32|s32>.<lt|ge|ne><|.add> #v, #v<|.b0|.h1>, #v, #v",
    "<vadd|vsub|vabsdiff><2|4>.<u32|s32>.<u32|s32>.<u32|s32><|.sat|.add> #v, #v, #v, #v",
    "<vavrg|vmin|vmax><2|4>.<u32|s32>.<u32|s32>.<u32|s32><|.add> #v, #v, #v, #v",
    "vset<2|4>.<u32|s32>.<u32|s32>.<le|gt|eq><|.add> #v, #v, #v, #v",
};

// Hints, and what asks where something lies.
constexpr const char* kHints[] = {
    "prefetch.<global.L1|global.L2|L1|L2> [%own]",
    "prefetchu.L1 [%own]",
    "applypriority.global.L2::evict_normal [%atomics+3968], 128",
    "discard.global.L2 [%atomics+3968], 128",
    "createpolicy.fractional.L2::evict_last.b64 #d0, 0.5; ld.global.L2::cache_hint.u32 #v, [%in+<0|16>], #d0",
    "ldu.global.u32 #v, [%in+<0|4|64>]",
    "membar.<cta|gl|sys>",
    "fence<|.sc|.acq_rel>.<cta|gpu|sys>",
    "fence.proxy.<alias|async>",
    "nanosleep.u32 <1|40>",
    "pmevent <0|7>",
    "griddepcontrol.<wait|launch_dependents>",
    "cvt.u64.u32 #d0, %sh; cvta.shared.u64 #d0, #d0; isspacep.<global|shared|local> #q, #d0",
    "isspacep.<global|shared|local> #q, %own",
    "cvta.global.u64 #d0, %own; isspacep.<global|shared|local> #q, #d0",
    "mov.u64 #d0, lo; cvta.local.u64 #d0, #d0; isspacep.<global|local> #q, #d0; cvta.to.local.u64 #d1, #d0; "
    "ld.local.u32 #v, [#d1+<0|8|28>]",
    "mapa.shared::cluster.u32 #0, %dyn, 0; getctarank.shared::cluster.u32 #1, #0; add.u32 #v, #v, #1",
    "activemask.b32 #0; shr.u32 #0, #0, %lane; and.b32 #v, #0, 1",
    "mov.u32 #v, <%nwarpid|%lanemask_lt|%lanemask_ge|%lanemask_eq|%warpid|%dynamic_smem_size>",
    "stacksave.u64 #d0; alloca.u64 #d1, <16|32|40>, 16; st.local.v2.u32 [#d1+8], {#v, #v}; ld.local.u32 #v, [#d1+12]; "
    "stackrestore.u64 #d0",
};

// The thread's own places: what was there before is known.
constexpr const char* kAtomics[] = {
    "atom<|.relaxed|.acquire|.release|.acq_rel><|.gpu|.sys|.cta>.global.<add|min|max>.<u32|s32> #v, [%own+<0|4|12>], "
    "#v",
    "atom.global.<exch|and|or|xor>.b32 #v, [%own+<0|4>], #v",
    "atom.global.<inc|dec>.u32 #v, [%own+8], #c",
    "atom<|.global>.<add|min|max>.u64 #w, [%own+<0|8>], #w",
    "atom.global.<min|max>.s64 #w, [%own+8], #w",
    "atom.global.<exch|and|or|xor>.b64 #w, [%own], #w",
    "atom.global.cas.b64 #w, [%own+<0|8>], #w, #w",
    "atom.global.cas.b32 #v, [%own+<0|8>], #v, #v",
    "atom.global.cas.b16 #h, [%own+<0|2|14>], #h, #h",
    "st.global.f32 [%own], #X; atom.global.add.f32 #x, [%own], #X; st.global.u32 [%own], #v",
    "st.global.f32 [%own], #X; red.global.add.f32 [%own], #X; ld.global.f32 #x, [%own]; st.global.f32 [%own], #X",
    "st.global.f64 [%own], #Y; atom.global.add.f64 #y, [%own], #Y; st.global.u64 [%own], 7",
    "atom.global.add.noftz.<f16x2|bf16x2> #v, [%own+<0|4>], #v",
    "atom.global.add.noftz.<f16|bf16> #h, [%own+<0|2>], #h",
    "red.global.add.noftz.f16x2 [%own+12], #v",
    "red<|.relaxed|.release><|.gpu>.global.<add|min|max>.<u32|s32> [%own+<0|4>], #v",
    "red.global.<and|or|xor>.<b32> [%own+8], #v",
    "red.global.<inc|dec>.u32 [%own+8], #v",
    "red.global.<add|min|max>.u64 [%own+8], #w",
    "ld<|.weak|.relaxed.gpu|.acquire.sys|.volatile>.global.u32 #v, [%own+<0|4|8>]",
    "st<|.weak|.relaxed.gpu|.release.cta|.volatile>.global.u32 [%own+<0|4|8>], #v",
    "st.global<|.wb|.cg|.cs|.wt>.v2.u32 [%own+<0|8>], {#v, #v}",
    "ld.global<|.ca|.cg|.cs|.lu|.cv>.v2.u32 {%v1, %v6}, [%own+<0|8>]",
};

constexpr const char* kWarp[] = {
    "elect.sync #v|#q, #m",
    "match.any.sync.b64 #v, #w, #m",
    "match.all.sync.b64 #v|#q, #w, #m",
    "vote.sync.<all|any|uni>.pred #q, !#q, #m",
};

// Where the whole warp is together. Fragments may hold anything.
constexpr const char* kMatrices[] = {
    "mma.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 {#f0, #f1, #f2, #f3}, {#v, #v, #v, #v}, {#v, #v}, "
    "{#x, #x, #x, #x}; testp.notanumber.f32 #p0, #f0; selp.f32 #x, 0f40000000, #f0, #p0",
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {#v, #0}, {#v, #v}, {#v}, {#v, #v}",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {#f0, #f1, #f2, #f3}, {#v, #v, #v, #v}, {#v, #v}, "
    "{#x, #x, #x, #x}; testp.notanumber.f32 #p0, #f3; selp.f32 #x, 0f40000000, #f3, #p0",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {#g0, #g1}, {#y}, {#y}, {#y, #y}; testp.notanumber.f64 #p0, #g0; "
    "selp.f64 #y, 0d4000000000000000, #g0, #p0",
    "mma.sync.aligned.m16n8k32.row.col.s32.<s8|u8>.<s8|u8>.s32 {#v, #0, #1, #2}, {#v, #v, #v, #v}, {#v, #v}, "
    "{#v, #v, #v, #v}; xor.b32 #v, #1, #2",
    "mma.sync.aligned.m8n8k32.row.col.s32.<s4|u4>.<s4|u4>.s32 {#v, #0}, {#v}, {#v}, {#v, #v}",
    "movmatrix.sync.aligned.m8n8.trans.b16 #v, #v",
    "ldmatrix.sync.aligned.m8n8.x<1.shared.b16 {#v}|2.trans.shared.b16 {#v, #0}>, [%sh+16]",
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {#0, #1, #2, #3, #4, #5, #6, #7}, [%sh], 8; xor.b32 #v, #0, #7",
};

}  // namespace

// One of the alternatives of each <...>.
Text Generator::choose_alternatives(const Text& form) {
  Text out;
  for (size_t at = 0; at < form.size(); ++at) {
    if (form[at] != '<') {
      out += form[at];
      continue;
    }
    const size_t end = form.find('>', at);
    std::vector<Text> options(1);
    for (const char c : form.substr(at + 1, end - at - 1))
      if (c == '|')
        options.emplace_back();
      else
        options.back() += c;
    out += options[below(static_cast<uint32_t>(options.size()))];
    at = end;
  }
  return out;
}

// `switched`: some lanes may be switched off by a guard.
void Generator::form(const Text& pattern, const Text& mask, bool switched) {
  const Text chosen = choose_alternatives(pattern);
  std::map<Text, Text> named;
  const Text g = switched && chosen.find(';') == Text::npos ? guard() : "";
  Text out;
  const auto flush = [&] {
    const size_t first = out.find_first_not_of(' ');
    if (first != Text::npos) line("{}{};", out[first] == '@' ? "" : g, out.substr(first));
    out.clear();
  };
  for (size_t at = 0; at < chosen.size(); ++at) {
    const char c = chosen[at];
    if (c == ';') {
      flush();
      continue;
    }
    if (c != '#') {
      out += c;
      continue;
    }
    const char kind = chosen[++at];
    switch (kind) {
      case 'v':
      case 'w':
      case 'h':
      case 'x':
      case 'y':
      case 'q':
        out += variable(&kind);
        break;
      case 'c':
        out += word();
        break;
      case 'n':
        out += std::to_string(below(32));
        break;
      case 'm':
        out += mask;
        break;
      case 'X':
        out += clean(single(), "f32");
        break;
      case 'Y':
        out += clean(real(), "f64");
        break;
      default: {
        Text name(1, kind);
        if (kind < '0' || kind > '9') name += chosen[++at];
        Text& reg = named[name];
        if (reg.empty())
          reg = kind == 'd'   ? rd()
                : kind == 's' ? rs()
                : kind == 'p' ? p()
                : kind == 'f' ? fmt::format("%f{}", singles_++)
                : kind == 'g' ? fmt::format("%fd{}", reals_++)
                              : r();
        out += reg;
      }
    }
  }
  flush();
}

void Generator::compute_form() {
  switch (below(10)) {
    case 0:
    case 1:
      return form(any(kIntegers), "", true);
    case 2:
      return form(any(kCompares), "", true);
    case 3:
    case 4:
      return form(any(kFloats), "", true);
    case 5:
    case 6:
      return form(any(kConversions), "", true);
    case 7:
      return form(any(kVideo), "", true);
    case 8:
      return form(any(kAtomics), "", true);
    default:
      return form(any(kHints), "", false);
  }
}

void Generator::warp_form(const Place& at) {
  const bool whole = at.mask == "%m0" && at.depth == 0 && exits_ == 0 && threads_ % 32 == 0;
  if (whole && chance(50)) return form(any(kMatrices), at.mask, false);
  if (!at.mask.empty()) return form(any(kWarp), at.mask, false);
  compute_form();
}

}  // namespace warplens::engine_test
