// What a run found, as plain data: filled from the spool that the running program leaves behind (spool.h), stored as
// JSON (json.h), shown on a terminal (terminal.h). Nothing here knows how it was measured.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "report/law.h"

namespace warplens::report {

// How a figure was got. Counted: exactly what happened in this run. Modelled: a documented rule of the hardware applied
// to what happened. Estimated: depends on something that was not observed.
enum class Fidelity : uint8_t { Counted, Modelled, Estimated };
const char* to_string(Fidelity);

enum class AccessKind : uint8_t { Load, Store, Atomic, Reduction, Branch, Barrier };
enum class Space : uint8_t { Global, Shared, Local, Const, Generic, Texture, Surface };
// What of a kernel was executed: its PTX, or the machine code that ptxas made of that.
enum class Code : uint8_t { Ptx, Sass };
const char* to_string(AccessKind);  // "load"
const char* to_string(Space);       // "global"
const char* to_string(Code);        // "ptx"

struct Frame {
  std::string file;
  uint32_t line = 0, column = 0;  // from 1; 0: unknown
  std::string function;
};

// One access, branch or barrier in a kernel's text.
struct Site {
  AccessKind kind = AccessKind::Load;
  Space space = Space::Global;
  uint32_t bytes_per_lane = 0;  // of the whole access, all components
  uint32_t components = 1;
  std::string opcode;   // as PTX has it: "ld.global.nc.v4.f32"; of machine code the whole instruction
  std::string operand;  // what names the address, or ""
  uint32_t ptx_line = 0;
  std::optional<uint32_t> machine_offset;  // of machine code: bytes from the kernel's start
  std::vector<Frame> frames;               // innermost first; empty without line information
  Law law;                                 // of the byte address in its space; empty: none, or not known
};

struct PatternCount {
  std::string words;
  uint64_t count = 0;
};

// What one launch did at one site (the same index in Kernel::sites).
struct SiteCounts {
  uint64_t requests = 0;  // warp requests with an active lane
  uint64_t lanes = 0;     // active lanes, summed
  uint64_t sectors = 0, sectors_ideal = 0, tag_requests = 0;
  uint64_t wavefronts = 0, wavefronts_ideal = 0;
  uint64_t bytes_used = 0;  // distinct bytes touched, summed over requests
  uint64_t branch_executed = 0, branch_divergent = 0, branch_lanes = 0;
  // By warps, and their active lanes, whatever the guards said: at least `requests` and `lanes`; 0 of old reports.
  uint64_t executed = 0, executed_lanes = 0;
  std::vector<PatternCount> patterns;  // most frequent first
  bool empty() const { return requests == 0 && branch_executed == 0 && executed == 0; }
  uint64_t warps() const { return executed > requests ? executed : requests; }  // that executed it
  void add(const SiteCounts& other);
};

// A machine instruction.
struct Instruction {
  uint32_t offset = 0;        // bytes from the kernel's start
  std::string text;           // "@P0 LDG.E R2, desc[UR4][R2.64]"
  std::vector<Frame> frames;  // as Site's
};

// How often one was executed: by warps, by their active lanes, by those of them whose predicate was true.
struct InstructionCounts {
  uint64_t executed = 0, threads = 0, threads_pred_on = 0;
};

// Branch instructions that warps executed, as smsp__sass_branch_targets_threads_{uniform,divergent} count them.
struct BranchTargets {
  uint64_t uniform = 0, divergent = 0;
};

struct Kernel {
  uint32_t id = 0;        // the spool's, unlike others of its process; index in Report::kernels once read
  uint32_t process = 0;   // index in Report::processes
  std::string name;       // as PTX has it
  std::string demangled;  // filled by the reader where empty
  Code code = Code::Ptx;
  std::string target;  // "sm_80": what its PTX, or its machine code, was made for
  std::optional<uint32_t> registers;
  std::optional<uint32_t> spill_load_bytes, spill_store_bytes;  // a thread; known of machine code only
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
  std::vector<Parameter> parameters;
  std::vector<Site> sites;
  std::vector<Instruction> instructions;  // of machine code, in its order; only where they were asked for
};

struct Metric {
  std::string name;  // Nsight Compute's
  uint64_t value = 0;
  uint64_t per = 0;  // not 0: the figure is a ratio, value / per
  Fidelity fidelity = Fidelity::Counted;
  bool as_ptx = false;  // of the kernel's PTX, where the figure of its machine code may be another
};

// What became of a launch's requests behind the coalescer, as model/caches.h has it. Sectors of 32 bytes. Modelled.
struct Caches {
  uint64_t l1_sectors = 0, l1_hits = 0;              // of loads from global memory
  uint64_t l1_local_sectors = 0, l1_local_hits = 0;  // and from local memory
  uint64_t l2_reads = 0, l2_writes = 0;              // all that L2 is asked, between its partitions too
  uint64_t l2_tex_reads = 0;                         // by the SMs' loads
  uint64_t l2_hits = 0, l2_misses = 0;               // of what the SMs ask
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
};

struct Launch {
  uint64_t index = 0;   // 0, 1, ... in the process's order; once read, in the order of the whole run
  uint32_t kernel = 0;  // Kernel::id
  uint32_t device = 0;  // which of Run::gpus
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  // By the names that laws have for them ("$2"): whole numbers that laws hold, and what pointers are modulo 256 bytes.
  std::vector<std::pair<std::string, int64_t>> parameters;
  uint64_t warps = 0;
  uint64_t instructions = 0;  // executed by warps; of what Kernel::code says
  uint64_t thread_instructions = 0, thread_instructions_pred_on = 0;
  std::optional<BranchTargets> branch_targets;        // of machine code only
  std::vector<InstructionCounts> instruction_counts;  // as many as Kernel::instructions, or none
  double seconds = 0, compile_seconds = 0;
  bool from_cache = false;
  bool complete = true;           // false: ended by a fault, a timeout or Ctrl-C; counts are up to there
  std::vector<SiteCounts> sites;  // as many as the kernel has
  std::optional<Caches> caches;   // where it was asked for
  std::vector<Metric> metrics;    // filled by the reader (metrics.h), in a fixed order
};

// A kernel's run-time error.
struct Fault {
  std::string kind;     // "out of bounds", "misaligned", ...
  std::string verdict;  // "program": the program is wrong; "warplens": Warplens cannot run it; "stopped"
  uint32_t kernel = 0;
  uint64_t launch = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::optional<uint32_t> site;
  uint64_t address = 0;
  uint32_t bytes = 0;   // of the access, a lane; 0: no access
  std::string nearest;  // the allocation near the address, or ""
  std::string message;
};

// Up to so many equal notes of one process are written one by one (SpoolWriter::note).
inline constexpr uint64_t kNotesOneByOne = 16;

// Anything else a person should know: a function or instruction that was refused, a diagnostic, a limit that was met.
struct Note {
  std::string kind;  // "refused", "error", "warning", "note"
  std::string message;
  std::string hint;  // what to do, or ""
  std::string file;  // may be empty
  uint32_t line = 0;
  uint64_t count = 1;  // equal notes are joined; above kNotesOneByOne, of one process: at least so many
};

// Calls of a library that Warplens computes itself, on the CPU (cuBLAS): what its device code would have done to memory
// was not observed.
// What slows a kernel down, and what would change it (src/findings). Texts are whole sentences for a person.
struct Finding {
  std::string rule;      // "WL101"
  std::string severity;  // "warning", or "note": worth knowing, little or nothing to gain
  uint32_t kernel = 0;   // index in Report::kernels
  std::vector<uint64_t> launches;
  std::vector<uint32_t> sites;  // of the kernel; none: the launch as a whole
  std::string file;             // where the line is known
  uint32_t line = 0;
  std::string title;    // "adjacent lanes are 4096 bytes apart"
  std::string what;     // what lanes do, with the law of the access
  std::string change;   // what to do
  std::string effect;   // what that changes, in figures and how sure each is
  std::string gain;     // what it may bring in time, or why nothing is expected
  uint64_t weight = 0;  // worst first
};

struct LibraryCalls {
  std::string library;   // "cuBLAS"
  std::string function;  // "cublasSgemm"
  uint64_t calls = 0;    // equal functions are joined
};

struct Run {
  std::string program;
  std::vector<std::string> arguments;
  std::string gpu;  // "h200"
  std::string gpu_name;
  uint32_t gpus = 1;    // how many of it the program has
  std::string version;  // of Warplens
  std::string cpu;      // what code was made for
  uint32_t threads = 0;
  double wall_seconds = 0;  // of the program, filled by the parent
  // How the program ended; the parent knows.
  std::string outcome = "running";  // "exited", "signalled", "timed out", "interrupted", "running" (not known)
  int exit_code = 0;
  int signal = 0;
};

// One that used CUDA: the program itself, or one that it started.
struct Process {
  uint32_t pid = 0;
  std::vector<std::string> command;
};

struct Report {
  Run run;
  std::vector<Process> processes;  // in the order of their first use of CUDA
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;  // in order
  std::vector<Fault> faults;
  std::vector<LibraryCalls> not_observed;
  std::vector<Finding> findings;  // filled by findings::find, worst first
  std::vector<Note> notes;
  bool incomplete = false;  // a record could not be written: counts, launches or notes are missing
};

}  // namespace warplens::report
