// The edit of LLVM IR that marks __managed__ variables: what it changes, and what it must leave alone.
#include "frontend/managed_variables.h"

#include <gtest/gtest.h>

namespace warplens::frontend {
namespace {

TEST(ManagedVariables, TheSectionBecomesAMark) {
  EXPECT_EQ(
      mark_managed("@a = addrspace(1) externally_initialized global i32 5, section \"warplens_managed\", align 4\n"
                   "@b = addrspace(1) externally_initialized global i32 5, align 4\n"
                   "!nvvm.annotations = !{!0}\n"
                   "!0 = !{ptr @k, !\"kernel\", i32 1}\n"
                   "!17 = !{i32 1}\n"),
      "@a = addrspace(1) externally_initialized global i32 5, align 4\n"
      "@b = addrspace(1) externally_initialized global i32 5, align 4\n"
      "!nvvm.annotations = !{!18, !0}\n"
      "!0 = !{ptr @k, !\"kernel\", i32 1}\n"
      "!17 = !{i32 1}\n"
      "\n!18 = !{ptr addrspace(1) @a, !\"managed\", i32 1}\n");
}

TEST(ManagedVariables, WithoutAnyKernel) {
  EXPECT_EQ(mark_managed("@a = addrspace(1) global i32 5, section \"warplens_managed\", align 4\n"),
            "@a = addrspace(1) global i32 5, align 4\n"
            "\n!nvvm.annotations = !{!0}\n"
            "\n!0 = !{ptr addrspace(1) @a, !\"managed\", i32 1}\n");
}

TEST(ManagedVariables, OthersStayAsTheyAre) {
  const std::string text = "@a = addrspace(1) global i32 5, section \"mine\", align 4\n!0 = !{i32 1}\n";
  EXPECT_EQ(mark_managed(text), text);
}

}  // namespace
}  // namespace warplens::frontend
