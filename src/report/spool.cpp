#include "report/spool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "report/codec.h"
#include "report/metrics.h"
#include "report/parameter_names.h"
#include "report/text.h"

namespace warplens::report {
namespace {

constexpr mode_t kMarked = 0640;  // the mode of a spool in which a record is missing; other processes go on writing

// Names are the user's and may hold any bytes: what is not UTF-8 is replaced, never refused.
std::string line_of(const char* key, Json value) {
  Json record;
  record[key] = std::move(value);
  record["process"] = getpid();
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// A launch is written often, so its sites are arrays: [index, counters in SiteCounts' order, [[pattern, count], ...],
// executed where it is known], and sites where nothing happened are left out.
Json site_row(size_t index, const SiteCounts& c) {
  Json patterns = Json::array();
  for (const PatternCount& p : c.patterns) patterns.push_back(Json::array({p.words, p.count}));
  return Json::array({index, c.requests, c.lanes, c.sectors, c.sectors_ideal, c.tag_requests, c.wavefronts,
                      c.wavefronts_ideal, c.bytes_used, c.branch_executed, c.branch_divergent, c.branch_lanes, patterns,
                      c.executed, c.executed_lanes});
}

SiteCounts counts_from(const Json& row) {
  SiteCounts c;
  uint64_t* const fields[] = {
      &c.requests,         &c.lanes,      &c.sectors,         &c.sectors_ideal,    &c.tag_requests, &c.wavefronts,
      &c.wavefronts_ideal, &c.bytes_used, &c.branch_executed, &c.branch_divergent, &c.branch_lanes};
  size_t at = 1;
  for (uint64_t* field : fields) *field = row.at(at++).get<uint64_t>();
  if (row.size() > at + 2)
    c.executed = row.at(at + 1).get<uint64_t>(), c.executed_lanes = row.at(at + 2).get<uint64_t>();
  for (const Json& p : row.at(at)) c.patterns.push_back({p.at(0).get<std::string>(), p.at(1).get<uint64_t>()});
  return c;
}

Json launch_json(const Launch& launch) {
  Json sites = Json::array();
  for (size_t i = 0; i < launch.sites.size(); ++i)
    if (!launch.sites[i].empty()) sites.push_back(site_row(i, launch.sites[i]));
  Json json = {{"index", launch.index},
               {"kernel", launch.kernel},
               {"device", launch.device},
               {"grid", to_json(launch.grid)},
               {"block", to_json(launch.block)},
               {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
               {"warps", launch.warps},
               {"instructions", launch.instructions},
               {"thread_instructions", launch.thread_instructions},
               {"thread_instructions_pred_on", launch.thread_instructions_pred_on},
               {"seconds", launch.seconds},
               {"compile_seconds", launch.compile_seconds},
               {"from_cache", launch.from_cache},
               {"complete", launch.complete},
               {"sites", sites}};
  write_parameters(launch, json);
  if (launch.branch_targets) json["branch_targets"] = to_json(*launch.branch_targets);
  for (const InstructionCounts& counts : launch.instruction_counts)
    json["instruction_counts"].push_back(to_json(counts));
  if (launch.caches) json["caches"] = to_json(*launch.caches);
  return json;
}

Launch launch_from(const Json& json, const Kernel& kernel) {
  Launch launch;
  launch.index = json.at("index").get<uint64_t>();
  launch.kernel = json.at("kernel").get<uint32_t>();
  launch.device = json.value("device", 0u);
  launch.grid = dim_from(json.at("grid"));
  launch.block = dim_from(json.at("block"));
  launch.dynamic_shared_bytes = json.value("dynamic_shared_bytes", 0u);
  launch.warps = json.value("warps", uint64_t{0});
  launch.instructions = json.value("instructions", uint64_t{0});
  launch.thread_instructions = json.value("thread_instructions", uint64_t{0});
  launch.thread_instructions_pred_on = json.value("thread_instructions_pred_on", uint64_t{0});
  launch.seconds = json.value("seconds", 0.0);
  launch.compile_seconds = json.value("compile_seconds", 0.0);
  launch.from_cache = json.value("from_cache", false);
  launch.complete = json.value("complete", true);
  launch.sites.resize(kernel.sites.size());
  read_parameters(json, launch);
  if (json.contains("caches")) launch.caches = caches_from(json.at("caches"));
  for (const Json& row : json.at("sites")) launch.sites.at(row.at(0).get<size_t>()) = counts_from(row);
  if (const auto it = json.find("branch_targets"); it != json.end()) launch.branch_targets = branch_targets_from(*it);
  if (const auto it = json.find("instruction_counts"); it != json.end())
    for (const Json& counts : *it) launch.instruction_counts.push_back(instruction_counts_from(counts));
  if (!launch.instruction_counts.empty() && launch.instruction_counts.size() != kernel.instructions.size())
    throw std::runtime_error("counts of instructions that the kernel does not have");
  return launch;
}

// Builds the Report record by record; kernels and launches are numbered anew in the order in which they came, whatever
// their process numbered them.
class Builder {
 public:
  void add(const Json& record) {
    const std::string key = record.begin().key();
    const Json& value = record.begin().value();
    pid_ = record.value("process", 0u);
    if (key == "run")
      add_run(run_from(value));
    else if (key == "kernel")
      add_kernel(kernel_from(value));
    else if (key == "launch")
      add_launch(value);
    else if (key == "fault")
      add_fault(fault_from(value));
    else if (key == "not_observed")
      add_calls(library_calls_from(value));
    else if (key == "note")
      add_note(note_from(value));
    else
      throw std::runtime_error("unknown record '" + key + "'");
  }

  void add_note(Note note) {
    for (Note& known : report_.notes)
      if (known.kind == note.kind && known.message == note.message && known.file == note.file &&
          known.line == note.line) {
        known.count += note.count;
        return;
      }
    report_.notes.push_back(std::move(note));
  }

  Report finish() { return std::move(report_); }

 private:
  void add_kernel(Kernel kernel) {
    if (kernel.demangled.empty()) kernel.demangled = demangled(kernel.name);
    name_parameters(kernel, source_);  // where its source can be read now
    kernels_[{pid_, kernel.id}] = uint32_t(report_.kernels.size());
    kernel.id = uint32_t(report_.kernels.size());
    kernel.process = process();
    report_.kernels.push_back(std::move(kernel));
  }

  // A process is known by its number until it says again who it is: it has started another program in its place, or the
  // number has come to another process.
  void add_run(Run run) {
    std::vector<std::string> command = {run.program};
    command.insert(command.end(), run.arguments.begin(), run.arguments.end());
    processes_[pid_] = uint32_t(report_.processes.size());
    report_.processes.push_back({pid_, std::move(command)});
    if (report_.processes.size() == 1) report_.run = std::move(run);
  }

  uint32_t process() {
    const auto [it, is_new] = processes_.try_emplace(pid_, uint32_t(report_.processes.size()));
    if (is_new) report_.processes.push_back({pid_, {}});
    return it->second;
  }

  uint32_t index_of(uint32_t id) const {
    const auto it = kernels_.find({pid_, id});
    if (it == kernels_.end()) throw std::runtime_error("kernel " + std::to_string(id) + " is not there");
    return it->second;
  }

  void add_launch(const Json& value) {
    const uint32_t index = index_of(value.at("kernel").get<uint32_t>());
    const Kernel& kernel = report_.kernels[index];
    Launch launch = launch_from(value, kernel);
    launch.kernel = index;
    launches_[{pid_, launch.index}] = report_.launches.size();
    launch.index = report_.launches.size();
    launch.metrics = metrics(kernel, launch);
    report_.launches.push_back(std::move(launch));
  }

  void add_calls(LibraryCalls calls) {
    for (LibraryCalls& known : report_.not_observed)
      if (known.library == calls.library && known.function == calls.function) {
        known.calls += calls.calls;
        return;
      }
    report_.not_observed.push_back(std::move(calls));
  }

  void add_fault(Fault fault) {
    fault.kernel = index_of(fault.kernel);
    if (const auto it = launches_.find({pid_, fault.launch}); it != launches_.end()) fault.launch = it->second;
    report_.faults.push_back(std::move(fault));
  }

  SourceText source_{""};
  Report report_;
  uint32_t pid_ = 0;                                            // of the record at hand
  std::map<uint32_t, uint32_t> processes_;                      // pid -> index in report_.processes
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> kernels_;   // pid, id -> index in report_.kernels
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> launches_;  // pid, index -> index in report_.launches
};

// A process that was killed while it wrote leaves half a line, and the next record of another one stands behind it.
std::string_view last_record(std::string_view line) {
  size_t start = std::string_view::npos;
  for (const char* head : {"{\"run\":", "{\"kernel\":", "{\"launch\":", "{\"fault\":", "{\"note\":"})
    if (const size_t at = line.rfind(head); at != line.npos && at != 0 && (start == line.npos || at > start))
      start = at;
  return start == line.npos ? line : line.substr(start);
}

bool is_record(const Json& json) {
  return json.is_object() &&
         (json.size() == 1 || (json.size() == 2 && json.contains("process") && json["process"].is_number_unsigned()));
}

}  // namespace

namespace {

// Programs count on the low numbers: descriptors that they inherited, or the next one that is free.
constexpr int kHighDescriptor = 200;

int moved_up(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high < 0) return fd;  // RLIMIT_NOFILE is below it
  ::close(fd);
  return high;
}

// While one lives, a write past RLIMIT_FSIZE fails instead of ending the program by SIGXFSZ.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set_, &old_);
  }
  ~NoFileSizeSignal() {
    const int error = errno;
    const timespec now{};
    if (!sigismember(&old_, SIGXFSZ)) {
      sigtimedwait(&set_, nullptr, &now);
      pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    }
    errno = error;
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t set_, old_;
};

}  // namespace

bool SpoolWriter::reopen() {
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat is{};
  if (fd < 0 || fstat(fd, &is) != 0) return false;
  fd_ = moved_up(fd);
  device_ = is.st_dev, inode_ = is.st_ino;
  return true;
}

bool SpoolWriter::still_ours() const {
  struct stat is{};
  return fd_ >= 0 && fstat(fd_, &is) == 0 && is.st_dev == device_ && is.st_ino == inode_;
}

Result<SpoolWriter> SpoolWriter::open(const std::string& path) {
  SpoolWriter writer(path);
  if (!writer.reopen()) return Error{"cannot write " + path + ": " + std::strerror(errno), ""};
  return writer;
}

SpoolWriter::SpoolWriter(SpoolWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      device_(other.device_),
      inode_(other.inode_),
      failed_(other.failed_) {}
SpoolWriter& SpoolWriter::operator=(SpoolWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  std::swap(failed_, other.failed_);
  return *this;
}
SpoolWriter::~SpoolWriter() {
  if (still_ours()) ::close(fd_);
}

void SpoolWriter::run(const Run& run) { append(line_of("run", to_json(run))); }
void SpoolWriter::kernel(const Kernel& kernel) { append(line_of("kernel", to_json(kernel))); }
void SpoolWriter::launch(const Launch& launch) { append(line_of("launch", launch_json(launch))); }
void SpoolWriter::fault(const Fault& fault) { append(line_of("fault", to_json(fault))); }
void SpoolWriter::not_observed(const LibraryCalls& calls) { append(line_of("not_observed", to_json(calls))); }
// A program that fails in a loop says the same thing each time. After kNotesOneByOne it is written when it has been
// said twice as often as before, for all those times; what the last of them left unwritten is less than was written.
void SpoolWriter::note(const Note& note) {
  constexpr size_t kMostKept = 10000;
  Note joined = note;
  {
    const std::lock_guard lock(mutex_);
    const std::string key = note.kind + "\n" + note.message + "\n" + note.file + "\n" + std::to_string(note.line);
    if (repeats_.size() >= kMostKept && !repeats_.count(key)) repeats_.clear();
    Repeats& repeats = repeats_[key];
    repeats.said += note.count;
    if (repeats.said > kNotesOneByOne && repeats.said < 2 * repeats.written) return;
    joined.count = repeats.said - repeats.written;
    repeats.written = repeats.said;
  }
  append(line_of("note", to_json(joined)));
}

bool SpoolWriter::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void SpoolWriter::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!failed_ && !still_ours()) failed_ = !reopen();
  const NoFileSizeSignal guard;
  for (size_t done = 0; !failed_ && done < line.size();) {
    const ssize_t n = ::write(fd_, line.data() + done, line.size() - done);
    if (n > 0)
      done += size_t(n);
    else if (n == 0 || errno != EINTR)
      fail();
  }
}

// Where a record has no room, a mark may have none either; the file's mode always has.
void SpoolWriter::fail() {
  failed_ = true;
  struct stat facts;
  if (::fstat(fd_, &facts) == 0 && S_ISREG(facts.st_mode)) ::fchmod(fd_, kMarked);
}

namespace {

const Note kCutRecord = {
    "warning", "a process was ended while it wrote what it had counted; its last launch is missing", "", "", 0, 1};

bool is_marked(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0 && (facts.st_mode & 0777) == kMarked;
}

Note lost_records(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return {"error",
          "the report is incomplete: what was counted could not be written to " + folder,
          "make room there, or name another folder with the environment variable TMPDIR",
          "",
          0,
          1};
}

}  // namespace

Result<Report> read_spool(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"cannot read " + path + ": " + std::strerror(errno), ""};
  Builder builder;
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); ++number) {
    const bool cut = file.eof();  // no newline: the writer died in the middle
    const auto lost = [&](const std::string& why) {
      if (!cut) builder.add_note({"warning", "a record of the run could not be read: " + why, "", "", number, 1});
    };
    Json record = Json::parse(line, nullptr, false);
    if (!is_record(record)) {
      if (const std::string_view rest = last_record(line); rest.size() < line.size()) {
        record = Json::parse(rest, nullptr, false);
        if (is_record(record)) builder.add_note(kCutRecord);
      }
    }
    if (!is_record(record)) {
      lost("not a record");
      continue;
    }
    try {
      builder.add(record);
    } catch (const std::exception& e) {
      lost(e.what());
    }
  }
  Report report = builder.finish();
  report.incomplete = is_marked(path);
  if (report.incomplete) report.notes.push_back(lost_records(path));
  return report;
}

}  // namespace warplens::report
