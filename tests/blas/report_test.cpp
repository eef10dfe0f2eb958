// What a user of a program that calls libraries of machine code sees: computed calls in the report, refused ones by
// name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cli/command.h"

namespace warplens::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The program of tests/blas/programs, linked as users link: `libraries` as -l options, found where `from` says.
CommandResult run_linked(const std::string& name, const std::string& libraries) {
  Folder folder;
  const std::string build = WARPLENS_BINARY_DIR, program = (folder / "program").string();
  const std::string compile = "c++ -I" + std::string(WARPLENS_SOURCE_DIR) + "/include/warplens/cuda " +
                              WARPLENS_SOURCE_DIR + "/tests/blas/programs/" + name + " -o " + program + " -L" + build +
                              "/lib " + libraries + " -lcudart -Wl,--allow-shlib-undefined";
  if (std::system(compile.c_str()) != 0) {
    ADD_FAILURE() << compile;
    return {};
  }
  const std::string json = (folder / "report.json").string();
  CommandResult result = warplens({"run", "--json", json, program});
  std::ifstream(json) >> result.json;
  return result;
}

TEST(LibraryReport, NamesCallsThatWereComputed) {
  CommandResult run = run_linked("cublas.cpp", "-lcublas");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  if (run.out == "no OpenBLAS\n") {
    EXPECT_THAT(run.err, HasSubstr("apt-get install libopenblas0"));
    GTEST_SKIP() << "libopenblas.so.0 is not installed";
  }
  EXPECT_EQ(run.out, "2 1 0\n");
  EXPECT_THAT(run.err, HasSubstr("cublasSgemm: not observed, 2 calls"));
  EXPECT_THAT(run.err, HasSubstr("cublasSasum: not observed, 1 call"));
  ASSERT_EQ(run.json["not_observed"].size(), 2u);
  EXPECT_EQ(run.json["not_observed"][0]["library"], "cuBLAS");
  EXPECT_EQ(run.json["not_observed"][0]["function"], "cublasSgemm");
  EXPECT_EQ(run.json["not_observed"][0]["calls"], 2);
}

TEST(LibraryReport, NamesCallsThatAreRefusedOnce) {
  CommandResult run = run_linked("refused.cpp", "-lcublas -lcufft -lcurand -lcusparse -lcusolver -lcudnn -lnccl");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "16 16 204 10 9 3000 1 15\n");  // each library's own code; then the rest of the program ran
  for (const char* words : {"cufftPlan1d is not supported; it returns CUFFT_NOT_SUPPORTED",
                            "curandCreateGenerator is not supported; it returns CURAND_STATUS_ARCH_MISMATCH",
                            "cusparseCreate is not supported; it returns CUSPARSE_STATUS_NOT_SUPPORTED",
                            "cusolverDnCreate is not supported; it returns CUSOLVER_STATUS_NOT_SUPPORTED",
                            "cudnnCreate is not supported; it returns CUDNN_STATUS_NOT_SUPPORTED",
                            "ncclCommInitAll is not supported; it returns ncclUnhandledCudaError",
                            "cublasXtCreate is not supported; it returns CUBLAS_STATUS_NOT_SUPPORTED"}) {
    const size_t found = run.err.find(words);
    EXPECT_NE(found, std::string::npos) << words << "\n" << run.err;
    EXPECT_EQ(run.err.find(words, found + 1), std::string::npos) << words;
  }
  EXPECT_THAT(run.json["notes"].dump(), HasSubstr("cufftPlan1d is not supported"));
  EXPECT_EQ(run.json["not_observed"].size(), 0u);
}

// Whoever asks for NVIDIA's library by its path gets ours.
TEST(LibraryReport, StandsInForALibraryThatIsOpenedByPath) {
  CommandResult run = run_linked("opened.cpp", "-ldl");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "12 1\n");
}

}  // namespace
}  // namespace warplens::test
