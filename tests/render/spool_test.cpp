#include "report/spool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "golden.h"
#include "report/json.h"
#include "report/terminal.h"

namespace warplens::report {
namespace {

class Spool : public testing::Test {
 protected:
  std::string path_ = (std::filesystem::temp_directory_path() /
                       ("warplens-spool-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                          .string();
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }
};

Kernel kernel(uint32_t id) {
  Kernel k;
  k.id = id;
  k.name = "_Z4pokePi";
  k.sites.resize(3);
  k.sites[1].kind = AccessKind::Store;
  k.sites[1].space = Space::Shared;
  k.sites[1].frames = {{"a.cu", 3, 4, "f"}, {"a.cu", 9, 1, "poke"}};
  return k;
}

Launch launch(uint64_t index, uint32_t kernel) {
  Launch l;
  l.index = index;
  l.kernel = kernel;
  l.grid = {2, 3, 4};
  l.block = {32, 1, 1};
  l.sites.resize(3);
  l.sites[1].requests = 5;
  l.sites[1].wavefronts = ~uint64_t{0};
  l.sites[1].patterns = {{"unit stride", 4}, {"irregular", 1}};
  return l;
}

TEST_F(Spool, RoundTrip) {
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    report::Run run;
    run.program = "p \xff\"\n";  // not UTF-8
    run.arguments = {"a", "b"};
    writer->run(run);
    writer->kernel(kernel(41));
    writer->launch(launch(0, 41));
    writer->kernel(kernel(40));
    writer->launch(launch(1, 40));
    Fault fault;
    fault.kind = "misaligned";
    fault.verdict = "program";
    fault.kernel = 40;
    fault.site = 1;
    fault.address = 0xffffffffffffull;
    writer->fault(fault);
    writer->not_observed({"cuBLAS", "cublasSgemm", 1});
    writer->not_observed({"cuBLAS", "cublasSdot", 1});
    writer->not_observed({"cuBLAS", "cublasSgemm", 2});
    writer->note({"refused", "x", "y", "", 0, 1});
    EXPECT_FALSE(writer->failed());
  }
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->run.arguments, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(report->kernels.size(), 2u);
  EXPECT_EQ(report->kernels[0].demangled, "poke(int*)");
  ASSERT_EQ(report->kernels[0].sites.size(), 3u);
  EXPECT_EQ(report->kernels[0].sites[1].kind, AccessKind::Store);
  EXPECT_EQ(report->kernels[0].sites[1].space, Space::Shared);
  ASSERT_EQ(report->kernels[0].sites[1].frames.size(), 2u);
  EXPECT_EQ(report->kernels[0].sites[1].frames[1].line, 9u);
  ASSERT_EQ(report->launches.size(), 2u);
  EXPECT_EQ(report->launches[1].kernel, 1u);
  EXPECT_EQ(report->launches[1].grid, (Dim3{2, 3, 4}));
  ASSERT_EQ(report->launches[1].sites.size(), 3u);
  EXPECT_EQ(report->launches[1].sites[1].wavefronts, ~uint64_t{0});
  EXPECT_EQ(report->launches[1].sites[1].patterns[0].words, "unit stride");
  EXPECT_FALSE(report->launches[1].metrics.empty());
  ASSERT_EQ(report->faults.size(), 1u);
  EXPECT_EQ(report->faults[0].kernel, 1u);
  EXPECT_EQ(report->faults[0].address, 0xffffffffffffull);
  EXPECT_EQ(report->notes.size(), 1u);
  ASSERT_EQ(report->not_observed.size(), 2u);
  EXPECT_EQ(report->not_observed[0].library, "cuBLAS");
  EXPECT_EQ(report->not_observed[0].function, "cublasSgemm");
  EXPECT_EQ(report->not_observed[0].calls, 3u);
  EXPECT_EQ(report->not_observed[1].calls, 1u);
}

TEST_F(Spool, MachineCodeRoundTrip) {
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    Kernel k = kernel(0);
    k.code = Code::Sass;
    k.target = "sm_90";
    k.spill_load_bytes = 16;
    k.spill_store_bytes = 0;
    k.sites[1].machine_offset = 0;
    k.sites[2].machine_offset = 0x110;
    k.instructions = {{0, "STS [R2], R3", {{"a.cu", 3, 4, "f"}}}, {0x110, "@P0 EXIT", {}}};
    writer->kernel(k);
    Launch l = launch(0, 0);
    l.sites[1].executed = 9;
    l.branch_targets = BranchTargets{7, 2};
    l.instruction_counts = {{5, 160, 160}, {5, 160, ~uint64_t{0}}};
    writer->launch(l);
    l.instruction_counts.pop_back();  // fewer than the kernel has instructions: not this kernel's
    writer->launch(l);
    writer->kernel(kernel(1));
    writer->launch(launch(2, 1));
  }
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->kernels.size(), 2u);
  const Kernel& k = report->kernels[0];
  EXPECT_EQ(k.code, Code::Sass);
  EXPECT_EQ(k.spill_load_bytes, 16u);
  EXPECT_EQ(k.spill_store_bytes, 0u);
  EXPECT_EQ(k.sites[0].machine_offset, std::nullopt);
  EXPECT_EQ(k.sites[1].machine_offset, 0u);
  EXPECT_EQ(k.sites[2].machine_offset, 0x110u);
  ASSERT_EQ(k.instructions.size(), 2u);
  EXPECT_EQ(k.instructions[0].frames[0].line, 3u);
  EXPECT_EQ(k.instructions[1].offset, 0x110u);
  EXPECT_EQ(k.instructions[1].text, "@P0 EXIT");
  ASSERT_EQ(report->launches.size(), 2u);
  const Launch& l = report->launches[0];
  EXPECT_EQ(l.sites[1].executed, 9u);
  ASSERT_TRUE(l.branch_targets);
  EXPECT_EQ(l.branch_targets->uniform, 7u);
  EXPECT_EQ(l.branch_targets->divergent, 2u);
  ASSERT_EQ(l.instruction_counts.size(), 2u);
  EXPECT_EQ(l.instruction_counts[0].threads, 160u);
  EXPECT_EQ(l.instruction_counts[1].threads_pred_on, ~uint64_t{0});
  EXPECT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->kernels[1].code, Code::Ptx);
  EXPECT_FALSE(report->kernels[1].spill_load_bytes);
  EXPECT_FALSE(report->launches[1].branch_targets);
  EXPECT_TRUE(report->launches[1].instruction_counts.empty());
}

// Appends a record as another process would have.
void append_as(const std::string& path, uint32_t pid, const std::string& record) {
  std::ofstream(path, std::ios::app) << record.substr(0, record.rfind("\"process\":")) << "\"process\":" << pid
                                     << "}\n";
}

// Each numbers its kernels and launches from 0; none is taken for another's.
TEST_F(Spool, ProcessesAreKeptApart) {
  std::vector<std::string> records;
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    report::Run run;
    run.program = "p";
    writer->run(run);
    writer->kernel(kernel(0));
    writer->launch(launch(0, 0));
    Fault fault;
    fault.kernel = 0;
    fault.launch = 0;
    writer->fault(fault);
  }
  std::istringstream lines(read_file(path_));
  for (std::string line; std::getline(lines, line);) records.push_back(line);
  ASSERT_EQ(records.size(), 4u);
  std::filesystem::remove(path_);
  const uint32_t pids[] = {100, 101, 102};
  for (const std::string& record : records)
    for (const uint32_t pid : pids) append_as(path_, pid, record);
  for (const std::string& record : records) append_as(path_, 101, record);  // exec: the same process, another program
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->notes.empty());
  ASSERT_EQ(report->processes.size(), 4u);
  EXPECT_EQ(report->processes[1].pid, 101u);
  EXPECT_EQ(report->processes[3].pid, 101u);
  ASSERT_EQ(report->launches.size(), 4u);
  ASSERT_EQ(report->faults.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report->launches[i].index, i);
    EXPECT_EQ(report->launches[i].kernel, i);
    EXPECT_EQ(report->kernels[i].process, i);
    EXPECT_EQ(report->faults[i].launch, i);
    EXPECT_EQ(report->faults[i].kernel, i);
  }
  EXPECT_NE(render_terminal(*report, {}).find("4 processes used CUDA"), std::string::npos);
}

// Killed in the middle of a record, with another process still writing: only the one record is lost, and that is said.
TEST_F(Spool, ACutRecordTakesNoOtherWithIt) {
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    writer->kernel(kernel(0));
    writer->launch(launch(0, 0));
  }
  const std::string whole = read_file(path_);
  const std::string last = whole.substr(whole.find('\n') + 1);
  for (size_t cut = 1; cut < last.size() - 1; ++cut) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << whole << last.substr(0, cut) << last;
    const auto report = read_spool(path_);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->launches.size(), 2u) << cut;
    EXPECT_EQ(report->notes.size(), 1u) << cut;
  }
}

// Cut anywhere, as a crash does: everything before the cut is there, and nothing is complained about.
TEST_F(Spool, ANoteSaidOverAndOverStaysSmall) {
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    for (int i = 0; i < 5; ++i) writer->note({"error", "few", "", "", 0, 1});
    for (int i = 0; i < 100000; ++i) writer->note({"error", "many", "", "", 0, 1});
  }
  EXPECT_LT(std::filesystem::file_size(path_), 10000u);
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->notes.size(), 2u);
  EXPECT_EQ(report->notes[0].count, 5u);
  EXPECT_GT(report->notes[1].count, 50000u);
  EXPECT_LE(report->notes[1].count, 100000u);
}

TEST_F(Spool, CutAtEveryByte) {
  {
    auto writer = SpoolWriter::open(path_);
    ASSERT_TRUE(writer);
    writer->kernel(kernel(0));
    writer->launch(launch(0, 0));
    writer->launch(launch(1, 0));
  }
  const std::string whole = read_file(path_);
  for (size_t length = 0; length <= whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << part;
    const auto report = read_spool(path_);
    ASSERT_TRUE(report);
    const auto lines = size_t(std::count(part.begin(), part.end(), '\n'));
    // A last record without its newline counts if it is whole.
    EXPECT_GE(report->kernels.size() + report->launches.size(), lines);
    EXPECT_LE(report->kernels.size() + report->launches.size(), lines + 1);
    EXPECT_TRUE(report->notes.empty()) << length;
  }
}

TEST_F(Spool, BrokenLinesBecomeNotes) {
  std::ofstream(path_) << "rubbish\n[1]\n{\"launch\":{\"kernel\":3}}\n{\"odd\":1}\n{\"kernel\":{\"id\":\"x\"}}\n\n";
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->launches.empty());
  EXPECT_EQ(report->notes.size(), 6u);
}

TEST_F(Spool, ManyThreadsAndWriters) {
  auto one = SpoolWriter::open(path_), two = SpoolWriter::open(path_);
  ASSERT_TRUE(one && two);
  one->kernel(kernel(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) (t % 2 ? *one : *two).launch(launch(uint64_t(t * 200 + i), 0));
    });
  for (auto& t : threads) t.join();
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->launches.size(), 800u);
  EXPECT_TRUE(report->notes.empty());
}

// The program closes what is not its own, and its own file gets the number.
TEST_F(Spool, DescriptorTakenByAnotherFile) {
  auto writer = SpoolWriter::open(path_);
  ASSERT_TRUE(writer);
  writer->kernel(kernel(1));
  const std::string other = path_ + ".other";
  const int stranger = open(other.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat is{}, spool{};
    if (fstat(fd, &is) == 0 && stat(path_.c_str(), &spool) == 0 && is.st_ino == spool.st_ino) dup2(stranger, fd);
  }
  writer->launch(launch(0, 1));
  EXPECT_FALSE(writer->failed());
  EXPECT_EQ(std::filesystem::file_size(other), 0u);
  auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->launches.size(), 1u);
  close(stranger);
  std::filesystem::remove(other);
}

TEST_F(Spool, Errors) {
  EXPECT_FALSE(read_spool(path_));
  EXPECT_FALSE(SpoolWriter::open("/no/such/folder/spool"));
  if (std::filesystem::exists("/dev/full")) {
    auto full = SpoolWriter::open("/dev/full");
    ASSERT_TRUE(full);
    full->kernel(kernel(0));
    EXPECT_TRUE(full->failed());
  }
}

// As on a full disk: the second record has no room. What was written before is still reported, and not as all there
// was.
TEST_F(Spool, AFullDiskIsKnownToTheReader) {
  auto writer = SpoolWriter::open(path_);
  ASSERT_TRUE(writer);
  writer->kernel(kernel(0));
  EXPECT_FALSE(read_spool(path_)->incomplete);
  rlimit before{}, full{};
  getrlimit(RLIMIT_FSIZE, &before);
  full = {std::filesystem::file_size(path_) + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  writer->launch(launch(0, 0));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(writer->failed());
  auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->incomplete);
  EXPECT_EQ(report->kernels.size(), 1u);
  const std::string text = render_terminal(*report, {});
  EXPECT_NE(text.find("incomplete"), std::string::npos) << text;
  EXPECT_NE(text.find("TMPDIR"), std::string::npos) << text;
  EXPECT_EQ(text.find("No kernel was launched"), std::string::npos) << text;
}

TEST_F(Spool, EmptyIsAnEmptyReport) {
  std::ofstream(path_).close();
  const auto report = read_spool(path_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->kernels.empty() && report->launches.empty() && report->notes.empty());
}

}  // namespace
}  // namespace warplens::report
