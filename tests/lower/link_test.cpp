// Several modules of one program.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ptx/parse.h"

namespace warplens {
namespace {

const char* const kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

lower::LinkResult link(std::vector<std::string> texts) {
  std::vector<ptx::Module> modules;
  for (const std::string& text : texts) {
    auto parsed = ptx::parse(kHeader + text, "");
    EXPECT_TRUE(parsed.diagnostics.empty()) << to_string(parsed.diagnostics[0]);
    modules.push_back(std::move(parsed.module));
  }
  return lower::link(std::move(modules));
}

const char* const kUser = R"(
.file 1 "user.cu"
.extern .func (.param .b32 r) helper(.param .b32 x);
.extern .global .align 4 .u32 counter;
.global .align 4 .u32 hidden = 1;
.visible .entry k()
{
  .reg .b32 %r<4>;
  .loc 1 5 1
  ld.global.u32 %r1, [hidden];
  {
  .param .b32 param0;
  st.param.b32 [param0], %r1;
  .param .b32 retval0;
  call.uni (retval0), helper, (param0);
  ld.param.b32 %r2, [retval0];
  }
  st.global.u32 [counter], %r2;
  ret;
}
)";
const char* const kLibrary = R"(
.file 1 "library.cu"
.visible .global .align 4 .u32 counter = 7;
.global .align 4 .u32 hidden = 2;
.visible .func (.param .b32 r) helper(.param .b32 x)
{
  .reg .b32 %r<4>;
  .loc 1 9 1
  ld.param.u32 %r1, [x];
  ld.global.u32 %r2, [hidden];
  add.u32 %r3, %r1, %r2;
  st.param.b32 [r], %r3;
  ret;
}
)";

TEST(Link, DefinitionsMeetTheirUses) {
  for (const bool user_first : {true, false}) {
    auto linked = user_first ? link({kUser, kLibrary}) : link({kLibrary, kUser});
    EXPECT_TRUE(linked.diagnostics.empty());
    const auto lowered = lower::lower(linked.module, "");
    EXPECT_TRUE(lowered.diagnostics.empty()) << to_string(lowered.diagnostics[0]);
    EXPECT_EQ(ir::verify(lowered.module), std::vector<std::string>());
    ASSERT_EQ(lowered.module.symbols.size(), 3u);
    ASSERT_EQ(lowered.module.kernels.size(), 1u);
    // Both modules' `hidden`, each its own.
    std::vector<uint8_t> firsts;
    for (const ir::Symbol& symbol : lowered.module.symbols) {
      EXPECT_FALSE(symbol.external) << symbol.name;
      firsts.push_back(symbol.initial.at(0));
    }
    std::sort(firsts.begin(), firsts.end());
    EXPECT_EQ(firsts, (std::vector<uint8_t>{1, 2, 7}));
  }
}

TEST(Link, FilesKeepTheirLines) {
  const auto lowered = lower::lower(link({kUser, kLibrary}).module, "");
  std::vector<std::string> places;
  for (const ir::Site& site : lowered.module.kernels.at(0).function.sites) {
    std::string place;
    for (const ir::Frame& frame : lowered.module.kernels[0].function.locations[site.location].frames)
      place += lowered.module.files[frame.file] + ":" + std::to_string(frame.pos.line) + " ";
    places.push_back(place);
  }
  EXPECT_EQ(places, (std::vector<std::string>{"user.cu:5 ", "library.cu:9 user.cu:5 ", "user.cu:5 "}));
}

TEST(Link, TwoDefinitionsAreReported) {
  const std::string one = ".visible .global .align 4 .u32 counter = 1;\n",
                    two = ".visible .global .align 4 .u32 counter = 2;\n";
  const auto clash = link({one, two});
  ASSERT_EQ(clash.diagnostics.size(), 1u);
  EXPECT_NE(clash.diagnostics[0].message.find("counter"), std::string::npos);
  const auto weak = link({".weak .global .align 4 .u32 counter = 1;\n", two});
  EXPECT_TRUE(weak.diagnostics.empty());
  EXPECT_EQ(weak.module.variables.at(0).initializer.at(0).value, 2u);
}

}  // namespace
}  // namespace warplens
