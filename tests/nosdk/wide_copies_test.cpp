// The edit of LLVM IR that keeps 16-byte copies in one piece: what it changes, and what it must leave alone.
#include "frontend/wide_copies.h"

#include <gtest/gtest.h>

namespace warplens::frontend {
namespace {

TEST(WideCopies, CopyBecomesOneLoadAndOneStore) {
  EXPECT_EQ(
      widen_copies("  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %6, ptr "
                   "noundef nonnull align 16 dereferenceable(16) %5, i64 16, i1 false), !dbg !64, !tbaa.struct !65\n"),
      "  %warplens.0.0 = load <4 x i32>, ptr %5, align 16, !dbg !64\n"
      "  store <4 x i32> %warplens.0.0, ptr %6, align 16, !dbg !64\n");
}

TEST(WideCopies, LargerOnesTakeSeveralPiecesAllReadFirst) {
  EXPECT_EQ(
      widen_copies("  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 @tile, ptr addrspace(1) align 32 %in, "
                   "i64 32, i1 false)\n"),
      "  %warplens.0.0 = load <4 x i32>, ptr addrspace(1) %in, align 16\n"
      "  %warplens.0.1 = getelementptr inbounds i8, ptr addrspace(1) %in, i64 16\n"
      "  %warplens.0.2 = load <4 x i32>, ptr addrspace(1) %warplens.0.1, align 16\n"
      "  store <4 x i32> %warplens.0.0, ptr addrspace(3) @tile, align 16\n"
      "  %warplens.0.3 = getelementptr inbounds i8, ptr addrspace(3) @tile, i64 16\n"
      "  store <4 x i32> %warplens.0.2, ptr addrspace(3) %warplens.0.3, align 16\n");
}

TEST(WideCopies, ClearingBecomesOneStore) {
  EXPECT_EQ(widen_copies("  tail call void @llvm.memset.p0.i64(ptr align 16 %7, i8 0, i64 16, i1 false), !dbg !22\n"),
            "  store <4 x i32> zeroinitializer, ptr %7, align 16, !dbg !22\n");
}

TEST(WideCopies, NamesDifferFromCopyToCopy) {
  std::string copy = "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 false)\n";
  std::string twice = widen_copies(copy + copy);
  EXPECT_NE(twice.find("%warplens.0.0"), twice.npos);
  EXPECT_NE(twice.find("%warplens.1.0"), twice.npos);
}

class LeftAlone : public ::testing::TestWithParam<const char*> {};

TEST_P(LeftAlone, IsUnchanged) { EXPECT_EQ(widen_copies(GetParam()), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    WideCopies, LeftAlone,
    ::testing::Values("", "  %1 = add i32 %0, 1\n",
                      "declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture "
                      "readonly, i64, i1)\n",
                      // volatile
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 true)\n",
                      // one side not aligned, or not known to be
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 16 %b, i64 16, i1 false)\n",
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr %b, i64 16, i1 false)\n",
                      // sizes that are no whole pieces, too large, zero, or not constant
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 24, i1 false)\n",
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 4096, i1 false)\n",
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 0, i1 false)\n",
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 %n, i1 false)\n",
                      // a constant expression as address; a value that is not zero; a move; a damaged line
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 getelementptr inbounds (i8, ptr @g, i64 16), "
                      "ptr align 16 %b, i64 "
                      "16, i1 false)\n",
                      "  call void @llvm.memset.p0.i64(ptr align 16 %a, i8 1, i64 16, i1 false)\n",
                      "  call void @llvm.memmove.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 false)\n",
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16\n"));

}  // namespace
}  // namespace warplens::frontend
