// Damaged PTX through parse, lower and verify: it may be refused, but nothing crashes and the IR stays valid.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ptx/parse.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

// PTX texts of the golden tests, and the kernels inside the instruction tests.
std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const char* folder : {"tests/lower/golden", "tests/run"})
    for (const auto& entry : fs::directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      const std::string all = text.str();
      if (entry.path().extension() == ".ptx") result.push_back(all);
      if (entry.path().extension() != ".cpp") continue;
      // Every raw string that holds instructions, as the body of a kernel.
      for (size_t at = all.find("R\"("); at != std::string::npos; at = all.find("R\"(", at + 1)) {
        const std::string body = all.substr(at + 3, all.find(")\"", at) - at - 3);
        if (body.find(';') == std::string::npos) continue;
        result.push_back(
            ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .u32 words[64];\n"
            ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n"
            ".reg .b64 %rd<16>;\n.reg .pred %p<8>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n.reg .b32 %a;\n"
            ".reg .b32 %b;\n.reg .b32 %c;\n.reg .b32 %d;\n" +
            body + "\nret;\n}\n");
      }
    }
  return result;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = seeds_[pick(seeds_.size())];
    for (size_t n = 1 + pick(6); n > 0; --n) mutate(text);
    return text;
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  std::pair<size_t, size_t> line_of(const std::string& text) {
    const size_t at = pick(text.size());
    const size_t from = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    return {from, std::min(text.find('\n', at), text.size())};
  }
  // A word of letters, digits, '.', '%', '_'.
  std::string word_of(const std::string& text) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '%' || c == '_';
    };
    const size_t at = pick(text.size());
    size_t from = at, to = at;
    while (from > 0 && is_word(text[from - 1])) --from;
    while (to < text.size() && is_word(text[to])) ++to;
    return text.substr(from, to - from);
  }

  void mutate(std::string& text) {
    if (text.size() < 2) return;
    const size_t at = pick(text.size());
    const auto [from, to] = line_of(text);
    const std::string& other = seeds_[pick(seeds_.size())];
    switch (pick(8)) {
      case 0:
        text.erase(from, to - from);
        break;
      case 1:
        text.insert(from, text.substr(from, to - from) + "\n");
        break;
      case 2: {  // a line of another text
        const auto [f, t] = line_of(other);
        text.insert(from, other.substr(f, t - f) + "\n");
        break;
      }
      case 3: {  // one word for another
        const std::string old = word_of(text), fresh = word_of(other);
        if (const size_t place = text.find(old, at); !old.empty() && place != std::string::npos)
          text.replace(place, old.size(), fresh);
        break;
      }
      case 4:
        text[at] = static_cast<char>(32 + pick(95));
        break;
      case 5:
        text.erase(at, 1 + pick(4));
        break;
      case 6:
        text.insert(at, std::string(1, "{}()[],;:@!%.-+|_"[pick(17)]));
        break;
      default: {
        static constexpr const char* kModifiers[] = {".u32", ".s64", ".f16x2",  ".bf16",  ".f64",  ".pred",
                                                     ".b8",  ".v4",  ".sat",    ".wide",  ".hi",   ".cc",
                                                     ".ftz", ".rz",  ".shared", ".param", ".sync", ".b128"};
        if (const size_t dot = text.find('.', at); dot != std::string::npos)
          text.insert(dot, kModifiers[pick(std::size(kModifiers))]);
      }
    }
  }

  std::vector<std::string> seeds_;
  // The same texts every time, unless asked for others: --gtest_shuffle --gtest_random_seed=N.
  std::mt19937_64 random_{20240607u + static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed())};
};

TEST(Mutation, DamagedTextNeverBreaksTheLowering) {
  const auto texts = seeds();
  ASSERT_GT(texts.size(), 100u);
  Mutator mutator(texts);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  int rounds = 0;
  for (; rounds < 20000 && std::chrono::steady_clock::now() < end; ++rounds) {
    const std::string text = mutator.next();
    const auto parsed = ptx::parse(text, "");
    const auto lowered = lower::lower(parsed.module, "");
    const auto violations = ir::verify(lowered.module);
    ASSERT_TRUE(violations.empty()) << violations[0] << "\n" << text;
    const std::string printed = ir::print(lowered.module);
    const auto again = ir::parse(printed);
    ASSERT_TRUE(again) << again.error().what << "\n" << text << printed;
  }
  RecordProperty("rounds", rounds);
}

}  // namespace
}  // namespace warplens
