// Each rule fires on a bad sample and is silent on a good one.
#include <gtest/gtest.h>

#include "meta/code_text.h"
#include "meta/document_rules.h"
#include "meta/layering.h"
#include "meta/style_rules.h"

namespace warplens::meta {
namespace {

using Check = Violations (*)(std::span<const File>);

size_t count(Check check, const std::string& path, const std::string& text) {
  const std::vector<File> files = {{path, text}};
  return check(files).size();
}

constexpr const char* kTable =
    "# a comment: warplens_folder(ghost)\n"
    "warplens_folder(base LIBS fmt::fmt)\n"
    "warplens_folder(event DEPENDS base)\n"
    "warplens_folder(exec DEPENDS event LIBS Threads::Threads)\n"
    "warplens_folder(observe DEPENDS event)\n";

size_t count_includes(const std::string& path, const std::string& text) {
  const std::vector<File> files = {{path, text}};
  return check_includes(files, read_layers(kTable)).size();
}

TEST(CodeText, BlanksCommentsAndLiterals) {
  EXPECT_EQ(code_only("a // b\nc /* d\ne */ f"), "a     \nc     \n     f");
  EXPECT_EQ(code_only(R"(x = "a\"//b"; y)"), R"(x = "      "; y)");
  EXPECT_EQ(code_only("n = 1'000; c = 'x';"), "n = 1'000; c = ' ';");
  EXPECT_EQ(code_only("R\"(a\"b)\" c"), "         c");
  EXPECT_EQ(without_comments("\"a\" // b"), "\"a\"     ");
  EXPECT_EQ(literals_only("f(\"add\");\n// b"), "   add   \n    ");
}

TEST(Layers, AreReadWithWhatFollowsFromThem) {
  const Layers layers = read_layers(kTable);
  EXPECT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers.at("exec"), (std::set<std::string>{"base", "event"}));
  EXPECT_TRUE(layers.at("base").empty());
}

TEST(Layers, IncludesAcrossAreFound) {
  EXPECT_EQ(count_includes("src/exec/grid.cpp", "#include \"observe/observer.h\"\n"), 1u);
  EXPECT_EQ(count_includes("src/event/event.h", "#include \"exec/grid.h\"\n"), 1u);
  EXPECT_EQ(count_includes("src/exec/grid.cpp", "#include \"exec/a.h\"\n#include \"base/b.h\"\n#include <vector>\n"),
            0u);
  EXPECT_EQ(count_includes("src/exec/grid.cpp", "// #include \"observe/observer.h\"\n"), 0u);
  EXPECT_EQ(count_includes("src/exec/grid.cpp", "#include \"llvm/IR/Module.h\"\n"), 0u);  // see LlvmHeaders
  EXPECT_EQ(count_includes("src/unknown/a.cpp", ""), 1u);
  EXPECT_EQ(count_includes("tests/exec/a_test.cpp", "#include \"observe/observer.h\"\n"), 0u);
}

TEST(Layers, BrokenPromisesAreFound) {
  EXPECT_TRUE(check_layers(read_layers(kTable)).empty());
  const std::string table = kTable;
  EXPECT_EQ(check_layers(read_layers(table + "warplens_folder(model DEPENDS nowhere)")).size(), 1u);
  EXPECT_EQ(check_layers(read_layers("warplens_folder(a DEPENDS b)\nwarplens_folder(b DEPENDS a)")).size(), 2u);
  EXPECT_EQ(check_layers(read_layers("warplens_folder(exec DEPENDS observe)\nwarplens_folder(observe)")).size(), 1u);
  EXPECT_EQ(check_layers(read_layers("warplens_folder(report DEPENDS session)\nwarplens_folder(session)")).size(), 2u);
  EXPECT_TRUE(check_layers(read_layers("warplens_folder(cli DEPENDS session)\nwarplens_folder(session)")).empty());
}

TEST(LlvmHeaders, OutsideCodegenAndJitAreFound) {
  EXPECT_EQ(count(check_llvm_headers, "src/passes/ssa.cpp", "#include <llvm/IR/Module.h>\n"), 1u);
  EXPECT_EQ(count(check_llvm_headers, "src/ptx/elf.cpp", "#include \"llvm/Object/ELF.h\"\n"), 1u);
  EXPECT_EQ(count(check_llvm_headers, "src/jit/engine.cpp", "#include <llvm/IR/Module.h>\n"), 0u);
  EXPECT_EQ(count(check_llvm_headers, "src/passes/ssa.cpp", "// #include <llvm/IR/Module.h>\n"), 0u);
}

TEST(Environment, OutsideCliAndCudaIsFound) {
  EXPECT_EQ(count(check_environment, "src/jit/cache.cpp", "auto p = std::getenv(\"HOME\");\n"), 1u);
  EXPECT_EQ(count(check_environment, "src/session/run.cpp", "setenv(\"A\", \"b\", 1);\n"), 1u);
  EXPECT_EQ(count(check_environment, "src/cuda/start.cpp", "auto p = std::getenv(\"HOME\");\n"), 0u);
  EXPECT_EQ(count(check_environment, "src/audit/start.cpp", "auto p = std::getenv(\"HOME\");\n"), 0u);
  EXPECT_EQ(count(check_environment, "src/jit/cache.cpp", "// no getenv here\nauto s = \"getenv\";\n"), 0u);
}

TEST(Globals, AreFound) {
  for (const char* bad : {
           "int counter;\n",
           "namespace a {\nstd::atomic<int> counter{0};\n}\n",
           "std::vector<int> list = {1, 2};\n",
           "thread_local int depth = 0;\n",
           "static std::mutex lock;\n",
           "void f() {\n  static int calls = 0;\n}\n",
           "inline std::map<int, int> table;\n",
           "namespace {\nchar buffer[16];\n}\n",
           "Thing* instance = nullptr;\n",
           "struct A {\n  static int shared;\n};\n",
           "int f() { return 1; }\nint counter = f();\n",
       }) {
    EXPECT_EQ(count(check_globals, "src/exec/a.cpp", bad), 1u) << bad;
    EXPECT_EQ(count(check_globals, "src/cuda/a.cpp", bad), 0u) << bad;
  }
}

TEST(Globals, ConstantsFunctionsAndTypesAreNone) {
  for (const char* good : {
           "constexpr int kSize = 3;\n",
           "inline constexpr int kSizes[] = {1, 2};\n",
           "static const std::regex kWord(\"a\");\n",
           "const char* const kNames[] = {\"a\"};\n",
           "struct A {\n  int x = 0;\n};\n",
           "int f(int a, int b = 3);\n",
           "static int f(int a) {\n  int b = a;\n  return b;\n}\n",
           "using A = std::vector<int>;\n",
           "enum class E { A, B };\n",
           "class A;\n",
           "template <class T>\nstruct B {\n  T t;\n};\n",
           "const std::vector<int> kList = {1};\n",
           "#define X int y;\n",
           "std::string to_string(const A& a) { return a.name; }\n",
           "Session::~Session() = default;\n",
           "void f() {\n  static const int kTable[] = {1};\n}\n",
           "bool operator==(const A&, const A&) = default;\n",
           "static_assert(sizeof(int) == 4);\n",
           "extern \"C\" {\nvoid f();\n}\n",
       }) {
    EXPECT_EQ(count(check_globals, "src/exec/a.cpp", good), 0u) << good;
  }
}

TEST(Intrinsics, AreAllowedInOneFile) {
  const File one{"src/exec/vector.cpp", "#include <immintrin.h>\n"};
  const File two{"src/model/fast.cpp", "auto x = _mm256_setzero_ps();\n"};
  EXPECT_TRUE(check_intrinsics(std::vector<File>{one}).empty());
  EXPECT_EQ(check_intrinsics(std::vector<File>{one, two}).size(), 1u);
}

TEST(Links, ThatLeadNowhereAreFound) {
  const File source{"src/exec/grid.cpp", ""};
  const File guide{"docs/guide.md", "# The guide\n## One thing\n"};
  const auto bad = [&](const char* text) {
    return check_links(std::vector<File>{source, guide, {"README.md", text}}).size();
  };
  EXPECT_EQ(bad("[a](docs/guide.md) [b](docs/) [c](https://x.org/y) [d](docs/guide.md#one-thing)\n"), 0u);
  EXPECT_EQ(bad("[a](docs/gone.md)\n"), 1u);
  EXPECT_EQ(bad("[a](docs/guide.md#another-thing)\n"), 1u);
  EXPECT_EQ(bad("# Here\n[a](#here) [b](#there)\n"), 1u);
  EXPECT_EQ(bad("`src/exec/` and `src/exec/grid.cpp` and `src/<folder>/`\n"), 0u);
  EXPECT_EQ(bad("`src/gone/`\n"), 1u);
  EXPECT_EQ(bad("```\n[a](docs/gone.md)\n```\n"), 0u);
}

TEST(Wording, AboutTheWorkshopIsFound) {
  EXPECT_EQ(count(check_wording, "src/exec/a.cpp", "// see /work/main\n"), 1u);
  EXPECT_EQ(count(check_wording, "docs/a.md", "As the prompt says\n"), 1u);
  EXPECT_EQ(count(check_wording, "docs/a.md", "measured in shared/notes/engine.md\n"), 1u);
  EXPECT_EQ(count(check_wording, "docs/a.md", "LLVM works promptly on shared memory, in shared/probes too\n"), 0u);
}

TEST(InstructionTests, ThatAreMissingAreFound) {
  const File table{"src/ptx/instructions.def",
                   "//   WL_PTX(Enumerator, text, Family, Status, note)\n"
                   "WL_PTX(Add, \"add\", Arithmetic, Core, \"\")\n"
                   "WL_PTX(Bra, \"bra\", Control, Partly, \"\")\n"
                   "WL_PTX(Mma, \"mma\", Matrix, Refused, \"\")\n"};
  const auto bad = [&](const char* test) {
    return check_instruction_tests(std::vector<File>{table, {"tests/run/a.ptx", test}});
  };
  EXPECT_EQ(bad("").size(), 2u);
  EXPECT_EQ(bad("  add.s32 %r1, %r2, %r3;\n  // bra is not here\n").size(), 1u);
  const File cpp{"tests/run/a_test.cpp", "  add(1);\n  bra;\n  run(R\"(\n    add.s32 %d, %a, %b;\n  )\");\n"};
  EXPECT_EQ(check_instruction_tests(std::vector<File>{table, cpp}).size(), 1u);
  EXPECT_EQ(bad("  add.s32 %r1, %r2, %r3;\n$L: @!%p1 bra $L;\n").size(), 0u);
}

TEST(Coverage, IsMadeFromTheTables) {
  EXPECT_EQ(api_coverage("//   WL_REFUSED(releases, name)\nWL_IMPLEMENTED(ALL, __cudaInitModule, a)\n"
                         "WL_IMPLEMENTED(ALL, cudaMalloc, a)\nWL_IMPLEMENTED(ALL, cudaFree, a)\n"
                         "WL_IMPLEMENTED(ALL, cudaMemcpy_ptds, a)\nWL_REFUSED(V13, cudaGraphCreate)\n"),
            "Served (2): `cudaFree`, `cudaMalloc`.\n\nRefused (1): `cudaGraphCreate`.\n");
  EXPECT_EQ(
      instruction_coverage("WL_PTX(Add, \"add\", A, Core, \"\")\nWL_PTX(Sub, \"sub\", A, Core, \"\")\n"
                           "WL_PTX(Cvt, \"cvt\", A, Partly, \"no f16\")\nWL_PTX(Mma, \"mma\", A, Refused, \"x\")\n"),
      "Run: `add`, `sub`.\n\nRun in part:\n\n- `cvt`: no f16\n\nRefused: `mma`.\n");
  EXPECT_EQ(with_section("a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n", "x", "new\n"),
            "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n");
  EXPECT_EQ(with_section("a\n", "x", "new\n"), "a\n");
}

}  // namespace
}  // namespace warplens::meta
