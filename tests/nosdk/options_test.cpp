// nvcc's command line as warplens cc reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/command.h"
#include "frontend/nvcc_options.h"

namespace warplens::frontend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

NvccOptions parsed(const std::vector<std::string>& arguments) {
  Result<NvccOptions> options = parse_nvcc_options(arguments);
  EXPECT_TRUE(options) << options.error().what;
  return options ? *options : NvccOptions{};
}

TEST(NvccOptions, AllSpellingsOfAnOption) {
  for (const std::vector<std::string>& spelled :
       {std::vector<std::string>{"-o", "x"}, {"-o=x"}, {"--output-file", "x"}, {"--output-file=x"}, {"-output-file=x"}})
    EXPECT_EQ(parsed(spelled).output, "x") << spelled[0];
  for (const std::vector<std::string>& spelled :
       {std::vector<std::string>{"-I", "a"}, {"-Ia"}, {"-I=a"}, {"--include-path=a"}, {"--include-path", "a"}})
    EXPECT_THAT(parsed(spelled).common, ElementsAre("-Ia")) << spelled[0];
}

TEST(NvccOptions, StageAndInputs) {
  NvccOptions o = parsed({"-dc", "a.cu", "b.cpp", "c.o", "-x", "cu", "d.cpp", "lib.a"});
  EXPECT_EQ(o.stage, Stage::Object);
  EXPECT_TRUE(o.relocatable);
  ASSERT_EQ(o.inputs.size(), 5u);
  EXPECT_EQ(o.inputs[0].language, Language::Cuda);
  EXPECT_EQ(o.inputs[1].language, Language::Host);
  EXPECT_EQ(o.inputs[2].language, Language::Object);
  EXPECT_EQ(o.inputs[3].language, Language::Cuda) << "-x holds for what follows";
  EXPECT_EQ(parsed({"-ptx", "a.cu"}).stage, Stage::Ptx);
  EXPECT_EQ(parsed({"a.cu"}).stage, Stage::Link);
  EXPECT_THAT(parsed({"-MM", "a.cu"}).dependencies, ElementsAre("-MM"));
  EXPECT_THAT(parsed({"-MD", "-MF", "a.d"}).dependencies, ElementsAre("-MD", "-MF", "a.d"));
}

TEST(NvccOptions, TheNewestArchitectureCounts) {
  EXPECT_EQ(parsed({"-arch=sm_80"}).sm, 80);
  EXPECT_EQ(parsed({"-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_86,code=[sm_86,compute_86]"}).sm,
            86);
  EXPECT_EQ(parsed({"--gpu-architecture", "native"}).sm, 0);
}

TEST(NvccOptions, HostAndLinkerFlags) {
  NvccOptions o = parsed(
      {"-Xcompiler", "-Wall,-fPIC", "-Xcompiler=-fopenmp", "-Xlinker", "-z,now", "-lm", "-lcudart_static", "-L", "d"});
  EXPECT_THAT(o.host, ElementsAre("-Wall", "-fPIC", "-fopenmp"));
  EXPECT_THAT(o.link, ElementsAre("-fopenmp", "-Wl,-z", "-Wl,now", "-lm", "-Ld"));
}

TEST(NvccOptions, FastMathIsForDeviceCode) {
  NvccOptions o = parsed({"-use_fast_math"});
  EXPECT_THAT(o.device, Contains("-fgpu-flush-denormals-to-zero"));
  EXPECT_THAT(o.device_code, Contains("-nvptx-prec-divf32=0"));
  EXPECT_THAT(o.host, IsEmpty());
  EXPECT_THAT(parsed({"-fmad=false"}).device_code, Contains("-ffp-contract=off"));
  EXPECT_THAT(parsed({"-fmad=true"}).device_code, Not(Contains("-ffp-contract=off")));
}

TEST(NvccOptions, OfMachineCodeAreIgnoredWithTheirValues) {
  NvccOptions o =
      parsed({"-Xptxas", "-v", "-maxrregcount", "32", "-ccbin", "g++", "--threads", "4", "-lineinfo", "-rdc", "a.cu"});
  EXPECT_THAT(o.common, IsEmpty());
  ASSERT_EQ(o.inputs.size(), 1u);
  EXPECT_TRUE(o.relocatable) << "-rdc alone is true";
}

TEST(NvccOptions, OptionsFiles) {
  test::Folder folder;
  std::ofstream(folder / "more") << "-DA=\"b c\" 'd e.cu'\n-O1";
  for (const std::string& word : {"@" + (folder / "more").string(), "--options-file=" + (folder / "more").string()}) {
    NvccOptions o = parsed({word});
    EXPECT_THAT(o.common, ElementsAre("-DA=b c"));
    EXPECT_EQ(o.inputs.at(0).path, "d e.cu");
    EXPECT_EQ(o.host_optimise, "-O1");
  }
  std::ofstream(folder / "loop") << "@" + (folder / "loop").string();
  EXPECT_FALSE(parse_nvcc_options({"@" + (folder / "loop").string()}));
}

TEST(NvccOptions, Errors) {
  EXPECT_EQ(parse_nvcc_options({"-cubin", "a.cu"}).error().what,
            "'-cubin' asks for machine code, and Warplens runs PTX");
  EXPECT_EQ(parse_nvcc_options({"a.cu", "-o"}).error().what, "option '-o' needs a value");
  EXPECT_EQ(parse_nvcc_options({"-x", "fortran"}).error().what, "unknown language 'fortran' after -x");
  EXPECT_FALSE(parse_nvcc_options({"@nowhere"}));
}

}  // namespace
}  // namespace warplens::frontend
