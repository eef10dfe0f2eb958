// The spool: what the running program leaves behind, one JSON record a line, written as things happen, so that a crash
// loses nothing that was finished. The parent process reads it into a Report.
//
// Records: {"run":{...}} {"kernel":{...}} {"launch":{...}} {"fault":{...}} {"not_observed":{...}} {"note":{...}}, each
// with a second key "process", the writer's pid: the processes of a run share one spool. A process begins with a "run";
// the report's own is the first. A last line cut short by a crash is left out without complaint; any other broken line
// becomes a note.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "report/report.h"

namespace warplens::report {

class SpoolWriter {
 public:
  // Opens for appending; the file is made if need be. Several writers may append to one file. The program around us may
  // close descriptors that are not its own, and use their numbers for files of its own: a writer notices, leaves the
  // stranger alone and opens the spool again.
  static Result<SpoolWriter> open(const std::string& path);
  SpoolWriter(SpoolWriter&&) noexcept;
  SpoolWriter& operator=(SpoolWriter&&) noexcept;
  ~SpoolWriter();

  // Each is one write() of one line: whole or absent to a reader of a finished file. Thread-safe. A kernel goes before
  // its first launch. After a failed write (disk full) the writer keeps quiet, failed() is true, and the file is
  // marked, so that its reader knows.
  void run(const Run& run);
  void kernel(const Kernel& kernel);
  void launch(const Launch& launch);  // Launch::metrics are not stored: the reader derives them
  void fault(const Fault& fault);
  void not_observed(const LibraryCalls& calls);
  void note(const Note& note);  // one that is repeated very often is written with its count, now and then
  bool failed() const;

 private:
  explicit SpoolWriter(std::string path) : path_(std::move(path)) {}
  bool reopen();
  bool still_ours() const;
  void append(const std::string& line);
  void fail();
  std::string path_;
  int fd_ = -1;
  uint64_t device_ = 0, inode_ = 0;  // of the open file
  bool failed_ = false;
  struct Repeats {
    uint64_t said = 0, written = 0;
  };
  std::unordered_map<std::string, Repeats> repeats_;  // of each note
  mutable std::mutex mutex_;
};

// An empty spool gives an empty Report, a marked one an incomplete Report with a note. Error: the file cannot be read.
Result<Report> read_spool(const std::string& path);

}  // namespace warplens::report
