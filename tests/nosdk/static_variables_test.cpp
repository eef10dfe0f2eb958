// The edit of LLVM IR that joins the two names of a static variable: what it changes, and what it must leave alone.
#include "frontend/static_variables.h"

#include <gtest/gtest.h>

namespace warplens::frontend {
namespace {

TEST(StaticVariables, UsesByTheOldNameAreOfTheDefinition) {
  EXPECT_EQ(join_static_variables("; module\n"
                                  "@x = external addrspace(1) global i32, align 4\n"
                                  "@x2 = external addrspace(1) global i32, align 4\n"
                                  "@x__static__1f = addrspace(1) externally_initialized global i32 7, align 4\n"
                                  "  load i32, ptr addrspace(1) @x, align 4\n"
                                  "  load i32, ptr addrspace(1) @x2, align 4\n"),
            "; module\n"
            "@x2 = external addrspace(1) global i32, align 4\n"
            "@x__static__1f = addrspace(1) externally_initialized global i32 7, align 4\n"
            "  load i32, ptr addrspace(1) @x__static__1f, align 4\n"
            "  load i32, ptr addrspace(1) @x2, align 4\n");
}

TEST(StaticVariables, OthersStayAsTheyAre) {
  const std::string text = "@x__static__1f = addrspace(1) global i32 7\n  load i32, ptr addrspace(1) @x__static__1f\n";
  EXPECT_EQ(join_static_variables(text), text);
}

}  // namespace
}  // namespace warplens::frontend
