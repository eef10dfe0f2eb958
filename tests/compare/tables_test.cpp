// Tables as Nsight Compute 2025.3 exported them, and what people's tools make of such files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "compare/csv.h"
#include "compare/ncu.h"

namespace warplens::compare {
namespace {

std::string file(const std::string& name) {
  return read_file(std::string(WARPLENS_SOURCE_DIR) + "/tests/compare/" + name).value_or("");
}

NcuExport table(const std::string& text) {
  const auto read = read_ncu(text);
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return read ? *read : NcuExport{};
}

uint64_t exact(const NcuLaunch& launch, const std::string& metric) {
  const auto it = launch.metrics.find(metric);
  EXPECT_NE(it, launch.metrics.end()) << metric;
  return it == launch.metrics.end() ? 0 : it->second.exact.value_or(~uint64_t{0});
}

constexpr const char* kSectors = "memory_l2_theoretical_sectors_global";

TEST(Tables, Raw) {
  const NcuExport raw = table(file("kernels.raw.csv"));
  ASSERT_EQ(raw.launches.size(), 15u);
  EXPECT_TRUE(raw.warnings.empty());
  EXPECT_EQ(raw.launches[0].kernel, "void shapes::strided<float, 1>(const T1 *, T1 *, int)");
  EXPECT_EQ(raw.launches[0].grid, (Dim3{16, 1, 1}));
  EXPECT_EQ(raw.launches[11].block, (Dim3{32, 32, 1}));
  EXPECT_EQ(raw.launches[0].compute_capability, "9.0");
  EXPECT_EQ(exact(raw.launches[0], kSectors), 1024u);
  EXPECT_EQ(exact(raw.launches[14], kSectors), 4864u);
  const Printed ratio = raw.launches[5].metrics.at("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio");
  EXPECT_FALSE(ratio.exact);
  EXPECT_DOUBLE_EQ(ratio.value, 26.82);
  EXPECT_DOUBLE_EQ(ratio.error, 0.005);
}

TEST(Tables, OtherFormsSayTheSame) {
  const NcuExport details = table(file("vector_add.details.csv")), floating = table(file("vector_add.fp.csv")),
                  units = table(file("vector_add.units.csv"));
  for (const NcuExport* one : {&details, &floating, &units}) {
    ASSERT_EQ(one->launches.size(), 1u);
    EXPECT_EQ(one->launches[0].metrics.at(kSectors).value, 393216);
    EXPECT_EQ(one->launches[0].grid, (Dim3{4096, 1, 1}));
  }
  const NcuExport printed = table(file("kernels.printed.csv"));  // among lines of ncu and of the program
  ASSERT_EQ(printed.launches.size(), 15u);
  EXPECT_EQ(exact(printed.launches[14], kSectors), 4864u);
}

TEST(Tables, Source) {
  const NcuExport source = table(file("kernels.source.csv"));
  ASSERT_EQ(source.launches.size(), 6u);  // each of them is there twice
  EXPECT_EQ(source.launches[4].kernel, "columns");
  const NcuRow& first = source.launches[4].instructions[0];
  EXPECT_EQ(first.figures.at("Instructions Executed").exact, 128u);
  const NcuExport lines = table(file("kernels.lines.csv"));
  ASSERT_EQ(lines.launches.size(), 6u);  // histogram comes from two files
  for (const NcuRow& row : lines.launches[4].lines) EXPECT_EQ(row.file, "/src/kernels.cu");
  EXPECT_FALSE(lines.launches[4].lines.empty());
}

TEST(Tables, Excerpts) {
  const NcuExport counters =
      table("name,kernel,grid,block,memory_l1_tag_requests_global\na,\"f(int *)\",\"(2, 1, 1)\",\"(32, 1, 1)\",7\n");
  ASSERT_EQ(counters.launches.size(), 1u);
  EXPECT_EQ(counters.launches[0].name, "a");
  EXPECT_EQ(exact(counters.launches[0], "memory_l1_tag_requests_global"), 7u);
  const NcuExport code = table(
      "name,kernel,offset,Source,Instructions Executed\na,f(int *),0x110,LDG R1,5\na,f(int *),0x120,STG R1,6\nb,f(int "
      "*),0x110,LDG R1,5\n");
  ASSERT_EQ(code.launches.size(), 2u);
  EXPECT_EQ(code.launches[0].instructions[1].address, 0x120u);
}

TEST(Tables, AsToolsLeaveThem) {
  const std::string raw = file("kernels.raw.csv");
  const NcuExport plain = table(raw);
  std::string windows = "\xef\xbb\xbf";
  for (char c : raw) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string noisy = "A \"quote\n==PROF== Connected\n" + raw + "\n==PROF== Disconnected\n";
  for (const std::string& text : {windows, noisy, raw + raw.substr(0, 0)}) {
    const NcuExport other = table(text);
    ASSERT_EQ(other.launches.size(), plain.launches.size());
    for (size_t i = 0; i < other.launches.size(); ++i)
      EXPECT_EQ(exact(other.launches[i], kSectors), exact(plain.launches[i], kSectors));
  }
  const auto cut = read_ncu(std::string_view(raw).substr(0, raw.size() / 2));
  ASSERT_TRUE(cut);
  EXPECT_LT(cut->launches.size(), plain.launches.size());
}

TEST(Tables, Refused) {
  EXPECT_FALSE(read_ncu(""));
  EXPECT_FALSE(read_ncu("hello\n"));
  EXPECT_THAT(read_ncu(std::string_view("\xff\xfe\"\0I\0", 6)).error().what, testing::HasSubstr("UTF-16"));
  EXPECT_THAT(read_ncu("\"ID\",\"Kernel Name\",\"smsp__inst_executed.sum\"\n").error().what,
              testing::HasSubstr("no launch"));
  EXPECT_THAT(read_ncu("\"File Name\",\"a.cu\"\n\"Line No\",\"Source\"\n\"1\",\"x\"\n").error().what,
              testing::HasSubstr("no table"));  // --print-source cuda has no figures
}

TEST(Numbers, AsPrinted) {
  const auto value = [](const char* text, const char* unit = "", bool comma = false) {
    const auto number = printed_number(text, unit, comma);
    return number ? number->value : -1;
  };
  EXPECT_EQ(printed_number("1,048,576", "sector", false)->exact, 1048576u);
  EXPECT_EQ(printed_number("18446744073709551615", "", false)->exact, ~uint64_t{0});
  EXPECT_EQ(value("512 (32; 32; 448)"), 512);
  EXPECT_EQ(value("1.234,5", "", true), 1234.5);
  EXPECT_EQ(value("1 234"), 1234);
  EXPECT_EQ(value("1\xc2\xa0"
                  "234"),
            1234);
  EXPECT_DOUBLE_EQ(value("4.19", "Mbyte"), 4.19e6);
  EXPECT_DOUBLE_EQ(printed_number("4.19", "Mbyte", false)->error, 5000);
  EXPECT_FALSE(printed_number("4", "Kbyte", false)->exact);
  EXPECT_EQ(value("5.95", "us"), 5950);
  for (const char* text : {"", "n/a", "nan", "inf", "-", "1e999", "0x10", "PolicySpread"})
    EXPECT_EQ(value(text), -1) << text;
}

TEST(Csv, Quotes) {
  const auto rows = parse_csv("a,\"b,\"\"c\"\"\", \"d\" \n\n\"two\nlines\",\"open");
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (std::vector<CsvRow>{{"a", "b,\"c\"", "d"}, {"two\nlines", "open"}}));
  EXPECT_FALSE(parse_csv(std::string_view("a,\0b", 4)));
}

}  // namespace
}  // namespace warplens::compare
