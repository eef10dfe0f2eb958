// Every rule fires at the line that pairs.cu marks, and nowhere else; what it says is what the program does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "cli/command.h"
#include "findings/findings.h"
#include "findings/pages.h"
#include "report/parameter_names.h"
#include "support/sanitizers.h"

namespace warplens::test {
namespace {

const std::string kPairs = std::string(WARPLENS_SOURCE_DIR) + "/tests/findings/pairs.cu";

struct Way {
  const char* compiler;
  const char* code;
};
class Findings : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const auto [compiler, code] = GetParam();
    if (std::string(compiler) == "nvcc" ? !has_nvcc() : !has_clang()) GTEST_SKIP() << "no " << compiler;
    run_ = run_program(kPairs, {}, {"--compiler", compiler, "--code", code});
    ASSERT_EQ(run_.out, "no error\n") << run_.err;
  }
  // The finding of a rule about a kernel whose name begins with this.
  nlohmann::ordered_json of(const std::string& rule, const std::string& kernel) const {
    for (const auto& f : run_.json.at("findings"))
      if (f.at("rule") == rule && f.at("name").get<std::string>().starts_with(kernel)) return f;
    ADD_FAILURE() << "no " << rule << " about " << kernel;
    return {};
  }
  std::string text(const std::string& rule, const std::string& kernel, const char* what) const {
    const auto f = of(rule, kernel);
    return f.is_null() ? "" : f.at(what).get<std::string>();
  }
  CommandResult run_;
};

TEST_P(Findings, StandWhereTheSourceSays) {
  std::map<uint32_t, std::set<std::string>> expected, found;
  std::ifstream source(kPairs);
  const std::regex mark("//.*(WL[0-9]{3})(\\?)?$");
  uint32_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    std::smatch m;
    if (std::regex_search(line, m, mark)) expected[number].insert(m[1].str() + m[2].str());
  }
  std::set<std::string> of_launches;
  for (const auto& f : run_.json.at("findings")) {
    const std::string rule = f.at("rule").get<std::string>() + (f.at("severity") == "note" ? "?" : "");
    const std::string kernel = f.at("name");
    EXPECT_FALSE(kernel.starts_with("good_")) << kernel << ": " << f.at("title");
    for (const char* part : {"title", "what", "change", "gain"})
      EXPECT_FALSE(f.at(part).get<std::string>().empty()) << f;
    if (f.at("line") == 0)
      of_launches.insert(kernel.substr(0, kernel.find('(')) + " " + rule);
    else
      found[f.at("line").get<uint32_t>()].insert(rule);
  }
  // bad_local_table also writes its table: which lines do is the compiler's choice.
  for (auto it = found.begin(); it != found.end();)
    it =
        it->second == std::set<std::string>{"WL601"} && !expected.contains(it->first) ? found.erase(it) : std::next(it);
  std::erase_if(expected, [](const auto& e) { return e.second.contains("WL601"); });
  std::erase_if(found, [](const auto& e) { return e.second.contains("WL601"); });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(of_launches, (std::set<std::string>{"copy WL401", "copy WL401?", "long_sum WL402"}));
  of("WL601", "bad_local_table");
}

TEST_P(Findings, NameTheGuiltyTermAndTheChange) {
  EXPECT_EQ(text("WL101", "bad_rows_by_x", "title"), "adjacent lanes are 4,096 bytes apart");
  EXPECT_NE(text("WL101", "bad_rows_by_x", "what").find("because `threadIdx.x` is multiplied by n (1024)"),
            std::string::npos)
      << text("WL101", "bad_rows_by_x", "what");
  EXPECT_NE(text("WL101", "bad_rows_by_x", "change").find("`threadIdx.y` moves by one element: swap the two"),
            std::string::npos);
  EXPECT_NE(text("WL101", "bad_tall_block", "change").find("Use a block of (256, 1)"), std::string::npos);
  EXPECT_NE(text("WL101", "bad_stride", "what").find("`threadIdx.x` is multiplied by stride (16)"), std::string::npos);
  EXPECT_NE(text("WL101", "bad_column_sums", "change").find("a loop's counter"), std::string::npos);
  EXPECT_NE(text("WL101", "bad_volume", "what").find("`threadIdx.x` is multiplied by ny * nz (8192)"),
            std::string::npos)
      << text("WL101", "bad_volume", "what");
  EXPECT_NE(text("WL104", "bad_struct_field", "what").find("The kernel uses 4 of each 16 bytes"), std::string::npos);
  EXPECT_NE(text("WL201", "bad_transpose", "change").find("`tile[32][33]`"), std::string::npos);
  EXPECT_NE(text("WL103", "bad_gather", "what").find("in + 4 * index[]"), std::string::npos)
      << text("WL103", "bad_gather", "what");
}

// What a change brings is what the program that was changed so counts.
TEST_P(Findings, PredictTheCountsOfTheGoodVariant) {
  const auto total = [&](const std::string& kernel, const char* metric) {
    for (const auto& launch : run_.json.at("launches"))
      if (launch.at("name").get<std::string>().starts_with(kernel))
        return launch.at("metrics").at(metric).at("value").get<uint64_t>();
    return uint64_t{0};
  };
  const auto then = [](const std::string& effect) {
    const std::string digits = effect.substr(effect.find("-> ") + 3);
    std::string plain;
    for (char c : digits.substr(0, digits.find(' ')))
      if (c != ',') plain += c;
    return std::stoull(plain);
  };
  const uint64_t good = total("good_rows_by_y", "memory_l2_theoretical_sectors_global");
  EXPECT_EQ(2 * then(text("WL101", "bad_rows_by_x", "effect")), good);
  EXPECT_EQ(then(text("WL201", "bad_transpose", "effect")) * 2, total("good_transpose", "memory_l1_wavefronts_shared"));
  EXPECT_EQ(then(text("WL104", "bad_struct_field", "effect")) * 2,
            total("good_array_of_field", "memory_l2_theoretical_sectors_global"));
}

INSTANTIATE_TEST_SUITE_P(Ways, Findings,
                         ::testing::Values(Way{"nvcc", "sass"}, Way{"nvcc", "ptx"}, Way{"clang", "ptx"}),
                         [](const auto& info) { return std::string(info.param.compiler) + "_" + info.param.code; });

TEST(Rules, HaveAPageEach) {
  std::set<std::string> pages, rules;
  for (const findings::Page& page : findings::pages()) {
    pages.insert(page.id);
    EXPECT_TRUE(std::string(page.text).starts_with(std::string("# ") + page.id + ": ")) << page.id;
    EXPECT_NE(std::string(page.text).find("**Limits.**"), std::string::npos) << page.id;
  }
  for (const findings::Rule& rule : findings::rules()) rules.insert(rule.id);
  EXPECT_EQ(pages, rules);
}

TEST(ParameterNames, AreReadFromTheSource) {
  using report::parameter_names;
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      parameter_names("__global__ void f(const float* in, float *out, int n) {}", "f(float const*, float*, int)", 3),
      (Names{"in", "out", "n"}));
  EXPECT_EQ(parameter_names(
                "template <typename T>\n__global__ void __launch_bounds__(256)\nns_f(T a[4], int n = f(1, 2))\n{}",
                "void ns::ns_f<int>(int*, int)", 2),
            (Names{"a", "n"}));
  // Comments, strings and other functions of that name are passed over; the one with as many parameters is taken.
  EXPECT_EQ(parameter_names("// __global__ void f(int no)\n/* f(int no) */ void f(int host) {}\n"
                            "const char* s = \"__global__ void f(int no)\";\n__global__ void f(int a) {}\n"
                            "__global__ void f(int a, int b);",
                            "f", 2),
            (Names{"a", "b"}));
  EXPECT_EQ(parameter_names("__global__ void f(std::pair<int, int> p, int n) {}", "f", 2), (Names{"p", "n"}));
  EXPECT_EQ(parameter_names("__global__ void f(int a", "f", 1), Names{});
  EXPECT_EQ(parameter_names("void f(int a) {}", "f", 1), Names{});
}

uint32_t line_with(const std::string& words) {
  std::ifstream source(kPairs);
  uint32_t number = 1;
  for (std::string line; std::getline(source, line); ++number)
    if (line.find(words) != std::string::npos) return number;
  return 0;
}

TEST(Map, DrawsSectorsAndBanks) {
  if (!has_clang()) GTEST_SKIP() << "no clang";
  const auto map = [](const std::string& words) {
    return warplens({"map", fmt::format("{}:{}", kPairs, line_with(words))});
  };
  const std::string conflict = map("v = tile[threadIdx.x][threadIdx.y];  // WL201").out;
  EXPECT_NE(conflict.find("     0   32  ################################  lanes 0-31\n   1-31    0\n  32 passes"),
            std::string::npos)
      << conflict;
  EXPECT_NE(conflict.find("with rows of one element more:\n  bank  different words\n   0-31    1  #\n  1 pass"),
            std::string::npos)
      << conflict;
  const std::string field = map("particles[i].mass;").out;
  EXPECT_NE(
      field.find(
          "           0  ............####............####  0-1\n          32  ............####............####  2-3\n"),
      std::string::npos)
      << field;
  EXPECT_NE(field.find("16 sectors [modelled]; the lanes' data would fit in 4"), std::string::npos) << field;
  const std::string shifted = map("in[i + offset];").out;
  EXPECT_NE(shifted.find("           0  ....############################  0-6\n"), std::string::npos) << shifted;
  EXPECT_NE(shifted.find("         128  ####............................  31\n"), std::string::npos) << shifted;
  const std::string gather = map("x = in[from];").out;
  EXPECT_NE(gather.find("depends on data or on what is no sum of products: in + 4 * index[]"), std::string::npos)
      << gather;
  const CommandResult nothing = map("#include <cstdio>");
  EXPECT_EQ(nothing.exit_code, 125);
  EXPECT_NE(nothing.err.find("lines that made one: 10, 11, "), std::string::npos) << nothing.err;
  EXPECT_EQ(warplens({"map"}).exit_code, 125);
  EXPECT_EQ(warplens({"map", "x.cu"}).exit_code, 125);
  EXPECT_EQ(warplens({"map", "/nowhere/x.cu:3"}).exit_code, 127);
}

TEST(Law, IsWrittenWithoutARun) {
  if (!has_clang()) GTEST_SKIP() << "no clang";
  const auto law = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"law", kPairs, "--kernel", "bad_rows_by_x", "--block", "32x32"});
    return warplens(options);
  };
  const std::string unknown = law({}).out;
  EXPECT_NE(
      unknown.find("address = in + 4 * n * (blockIdx.x * blockDim.x + threadIdx.x) + 4 * (blockIdx.y * blockDim.y + "
                   "threadIdx.y)\n  How far apart lanes are depends on n.\n"),
      std::string::npos)
      << unknown;
  EXPECT_NE(law({"--set", "n=1024"}).out.find("32 sectors [modelled]; the lanes' data would fit in 4"),
            std::string::npos);
  EXPECT_NE(law({"--set", "param3=1"}).out.find("4 sectors [modelled]; the lanes' data would fit in 4"),
            std::string::npos);
  EXPECT_NE(law({"--set", "m=1"}).err.find("no kernel has a parameter 'm'"), std::string::npos);
  EXPECT_NE(law({"--set", "n"}).err.find("is no NAME=VALUE"), std::string::npos);
  for (const char* shape : {"0", "32x", "2048", "x", "1x1x1x1", "-1"})
    EXPECT_EQ(warplens({"law", kPairs, "--block", shape}).exit_code, 125) << shape;
  EXPECT_EQ(warplens({"law", "/nowhere/x.ptx"}).exit_code, 127);
  EXPECT_EQ(warplens({"law", std::string(WARPLENS_SOURCE_DIR) + "/README.md"}).exit_code, 126);
}

TEST(Explain, PrintsAPageOrTheList) {
  EXPECT_NE(warplens({"explain"}).out.find("WL201  lanes of a warp meet in a bank"), std::string::npos);
  EXPECT_TRUE(warplens({"explain", "wl101"}).out.starts_with("# WL101: "));
  const CommandResult unknown = warplens({"explain", "WL999"});
  EXPECT_EQ(unknown.exit_code, 125);
  EXPECT_NE(unknown.err.find("there is no rule 'WL999'"), std::string::npos);
}

}  // namespace
}  // namespace warplens::test
