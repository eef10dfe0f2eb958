// golden.txt: "sm offset low high text" lines, the bits of machine instructions (without what is the scheduler's)
// beside what nvdisasm 13.2 makes of them.
#include "sass/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "sass/parse_text.h"

namespace warplens {
namespace {

struct Case {
  unsigned sm = 0;
  uint32_t offset = 0;
  uint64_t low = 0, high = 0;
  std::string text;
};

std::vector<Case> golden() {
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/sass/golden.txt");
  std::vector<Case> out;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    Case& c = out.emplace_back();
    in >> c.sm >> std::hex >> c.offset >> c.low >> c.high >> std::ws;
    std::getline(in, c.text);
  }
  return out;
}

TEST(Decode, SaysWhatTheDisassemblerSays) {
  const auto cases = golden();
  ASSERT_GT(cases.size(), 3000u);
  for (const Case& c : cases) {
    const auto wanted = test::parse_instruction(c.text, c.offset);
    ASSERT_TRUE(wanted) << wanted.error().what;
    const auto decoded = sass::decode(c.low, c.high, c.offset, c.sm);
    ASSERT_TRUE(decoded) << c.text << ": " << decoded.error().what;
    EXPECT_EQ(*decoded, *wanted) << "sm_" << c.sm << ": " << c.text << "\n decoded: " << print(*decoded)
                                 << "\n  wanted: " << print(*wanted);
  }
}

// Immediates apart, which print() writes as bits, and where |..| ends beside a suffix.
TEST(Decode, PrintsAsTheDisassemblerDoes) {
  size_t compared = 0;
  for (const Case& c : golden()) {
    const auto decoded = sass::decode(c.low, c.high, c.offset, c.sm);
    ASSERT_TRUE(decoded) << decoded.error().what;
    const bool has_immediate =
        std::any_of(decoded->operands.begin(), decoded->operands.end(), [](const sass::Operand& o) {
          return o.kind == sass::Operand::Kind::Immediate || (o.absolute && !o.suffixes.empty());
        });
    if (has_immediate) continue;
    compared++;
    EXPECT_EQ(print(*decoded), std::regex_replace(c.text, std::regex("\\] \\["), "]["));
  }
  EXPECT_GT(compared, 2000u);
}

TEST(Decode, LeavesOutWhatIsTheSchedulers) {
  for (const Case& c : golden()) {
    const auto plain = sass::decode(c.low, c.high, c.offset, c.sm);
    const auto other = sass::decode(c.low, c.high ^ (uint64_t{0x3fffff} << 41), c.offset, c.sm);
    ASSERT_TRUE(plain && other);
    EXPECT_EQ(*plain, *other);
  }
}

TEST(Decode, SaysWhichInstructionItDoesNotKnow) {
  const auto decoded = sass::decode(0xfff, 0, 0x120, 90);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().what,
            "an unknown machine instruction of sm_90 at offset 0x120: opcode 0xfff, bits 0x0000000000000fff "
            "0x0000000000000000");
}

// Any bits are an instruction or an error; what is an instruction can be printed.
TEST(Decode, TakesAnyBits) {
  std::mt19937_64 random(1);
  size_t known = 0;
  for (const Case& c : golden())
    for (int i = 0; i < 16; i++) {
      const uint64_t low =
          i < 8 ? c.low ^ (random() & random()) << 12 : (random() & ~uint64_t{0xfff}) | (c.low & 0xfff);
      const auto decoded = sass::decode(low, i < 8 ? c.high ^ (random() & random()) : random(), 0, i % 2 ? 90 : 75);
      if (!decoded) continue;
      known++;
      EXPECT_FALSE(print(*decoded).empty());
    }
  EXPECT_GT(known, 10000u);
}

}  // namespace
}  // namespace warplens
