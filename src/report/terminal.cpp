#include "report/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "report/summary.h"
#include "report/text.h"
#include "report/words.h"

namespace warplens::report {
namespace {

enum class Style { Plain, Bold, Dim, Bad, Warn };

// From this share of what was moved on, an excess is marked; Nsight Compute's rules speak up at similar ones.
constexpr double kBad = 0.5, kWarn = 0.1;
constexpr int kNarrow = 100;      // columns below which a row of a table takes several lines
constexpr size_t kFindings = 10;  // that are shown
constexpr size_t kLabel = 28;
constexpr size_t kLongestMark = std::string_view("[estimated, as PTX]").size();

struct Column {
  const char* title;
  size_t width;
};
constexpr Column kGlobal[] = {{"requests", 9}, {"sectors", 10}, {"/req", 6},  {"ideal", 10},
                              {"excess", 7},   {"fetched", 10}, {"used", 10}, {"lanes", 6}};
constexpr Column kShared[] = {{"requests", 9}, {"wavefronts", 11}, {"/req", 6}, {"ideal", 10},
                              {"excess", 7},   {"used", 10},       {"lanes", 6}};
constexpr Column kConstant[] = {{"requests", 9}, {"lanes", 6}};
constexpr Column kBranches[] = {{"executed", 9}, {"divergent", 10}, {"share", 8}, {"lanes", 6}};

std::string shape(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

class Terminal {
 public:
  explicit Terminal(const RenderOptions& options)
      : options_(options), width_(size_t(std::max(options.width, 40))), source_(options.source_root) {}

  std::string render(const Report& report) {
    run(report);
    for (const Fault& f : report.faults) fault(report, f);
    const std::vector<KernelSummary> kernels = summarize(report);
    for (const KernelSummary& k : kernels) kernel(report, k);
    if (kernels.empty()) line(report.incomplete ? "No launch is recorded." : "No kernel was launched.");
    not_observed(report);
    notes(report, kernels);
    if (!kernels.empty()) legend(kernels);
    findings(report);
    return std::move(out_);
  }

 private:
  std::string paint(const std::string& text, Style style) const {
    if (!options_.color || text.empty()) return text;
    static constexpr const char* kCodes[] = {"", "1", "2", "31", "33"};
    return style == Style::Plain ? text : fmt::format("\x1b[{}m{}\x1b[0m", kCodes[int(style)], text);
  }
  void line(const std::string& text, Style style = Style::Plain) { out_ += paint(text, style) + "\n"; }
  void wrapped(const std::string& text, size_t indent, Style style = Style::Plain) {
    for (const std::string& part : wrap(text, width_ - indent)) line(std::string(indent, ' ') + part, style);
  }
  void rule() {
    const char* piece = options_.unicode ? "\u2500" : "-";
    std::string text;
    for (size_t i = 0; i < width_; ++i) text += piece;
    line(text, Style::Dim);
  }
  bool narrow() const { return width_ < kNarrow; }

  static Style style_of(uint64_t excess, uint64_t all) {
    const double share = all == 0 ? 0 : double(excess) / double(all);
    return share >= kBad ? Style::Bad : share >= kWarn ? Style::Warn : Style::Plain;
  }
  static const char* mark_of(Style style) { return style == Style::Bad ? "!!" : style == Style::Warn ? " !" : "  "; }

  void run(const Report& report) {
    const Run& r = report.run;
    gpus_ = r.gpus;
    std::string command = printable(r.program);
    for (const std::string& argument : r.arguments) command += " " + printable(argument);
    wrapped(fmt::format("Warplens {}: {}", r.version, command), 0, Style::Bold);
    std::string where =
        "as on " + (r.gpus > 1 ? fmt::format("{} x ", r.gpus) : "") + (r.gpu_name.empty() ? r.gpu : r.gpu_name);
    if (r.threads != 0) where += fmt::format(", run by {} thread{} ({})", r.threads, r.threads == 1 ? "" : "s", r.cpu);
    wrapped(where + "; " + outcome(r), 0);
    if (report.processes.size() > 1) processes(report);
    if (report.incomplete) wrapped("The report is incomplete; see its end.", 0, Style::Bad);
    if (options_.show_times) times(report);
    out_ += "\n";
  }

  static std::string process_words(const Process& process) {
    std::string text = fmt::format("process {}", process.pid);
    for (size_t i = 0; i < process.command.size(); ++i) text += (i == 0 ? ": " : " ") + printable(process.command[i]);
    return text;
  }

  void processes(const Report& report) {
    wrapped(fmt::format("{} processes used CUDA:", report.processes.size()), 0);
    for (const Process& process : report.processes) wrapped(process_words(process), 2);
  }

  static std::string outcome(const Run& r) {
    if (r.outcome == "exited") return fmt::format("exited with code {}", r.exit_code);
    if (r.outcome == "signalled") return fmt::format("ended by signal {} ({})", r.signal, ::strsignal(r.signal));
    if (r.outcome == "timed out") return "stopped by the time limit; counts are up to there";
    if (r.outcome == "interrupted") return "interrupted; counts are up to there";
    return r.outcome;
  }

  void times(const Report& report) {
    double kernels = 0, compile = 0;
    uint64_t instructions = 0;
    for (const Launch& launch : report.launches) {
      kernels += launch.seconds;
      compile += launch.compile_seconds;
      instructions += launch.instructions;
    }
    std::string text =
        fmt::format("{} in all, {} in kernels", glued(seconds(report.run.wall_seconds)), glued(seconds(kernels)));
    text += fmt::format(", {} compiling", glued(seconds(compile)));
    if (kernels > 0)
      text += fmt::format(", {} warp instructions/s", glued(short_number(uint64_t(double(instructions) / kernels))));
    wrapped(text, 0);
  }

  void fault(const Report& report, const Fault& f) {
    const char* who = f.verdict == "program"    ? "Your program is wrong: "
                      : f.verdict == "warplens" ? "Warplens cannot run this: "
                                                : "";
    const bool known = f.kernel < report.kernels.size();
    const Kernel* k = known ? &report.kernels[f.kernel] : nullptr;
    const std::string what_happened = *who ? who + f.kind : "Stopped";
    wrapped(fmt::format("{} in {}", what_happened, k ? printable(k->demangled) : "a kernel"), 0, Style::Bad);
    std::string what;
    if (f.bytes != 0) what = fmt::format("{} of {} bytes at {:#x}, ", fault_words(k, f), f.bytes, f.address);
    wrapped(
        fmt::format("{}block {}, thread {}, launch {}", what, glued(shape(f.block)), glued(shape(f.thread)), f.launch),
        2);
    if (k && f.site && *f.site < k->sites.size()) place(k->sites[*f.site]);
    if (!f.nearest.empty()) wrapped(printable(f.nearest), 2);
    if (!f.message.empty()) wrapped(printable(f.message), 2);
    out_ += "\n";
  }

  static std::string fault_words(const Kernel* k, const Fault& f) {
    if (!k || !f.site || *f.site >= k->sites.size()) return "access";
    const Site& site = k->sites[*f.site];
    return fmt::format("{} {}", to_string(site.space), to_string(site.kind));
  }

  void place(const Site& site) {
    if (site.frames.empty()) return wrapped(place_words(site.opcode, site.ptx_line, site.machine_offset), 2);
    const Frame& frame = site.frames[0];
    const std::string at = fmt::format("  {}:{}", printable(frame.file), frame.line),
                      text = source_.line(frame.file, frame.line);
    line(fit(text.empty() ? at : at + "  " + text, width_));
    for (size_t i = 1; i < site.frames.size(); ++i)
      line(fit(fmt::format("  inlined at {}:{}", printable(site.frames[i].file), site.frames[i].line), width_),
           Style::Dim);
  }

  void kernel(const Report& report, const KernelSummary& k) {
    if (!out_.ends_with("\n\n")) out_ += "\n";
    rule();
    wrapped(printable(k.kernel->demangled), 0, Style::Bold);
    if (report.processes.size() > 1) wrapped("in " + process_words(report.processes[k.kernel->process]), 2);
    wrapped(launch_words(k) + device_words(k), 2);
    if (std::any_of(k.totals.begin(), k.totals.end(), [](const Metric& m) { return m.value != 0 && shown(m.name); }))
      out_ += "\n";
    totals(k);
    caches(k);
    const auto sectors = [](const SiteCounts& c) { return std::pair(excess_sectors(c), c.sectors); };
    section("GLOBAL MEMORY by source line, worst first", k.global, kGlobal, sectors);
    section("SHARED MEMORY by source line, worst first (wavefronts [modelled])", k.shared, kShared,
            [](const SiteCounts& c) { return std::pair(excess_wavefronts(c), c.wavefronts); });
    section(k.kernel->code == Code::Sass ? "LOCAL MEMORY by source line, worst first"
                                         : "LOCAL MEMORY by source line, worst first (sectors [estimated])",
            k.local, kGlobal, sectors);
    section("CONSTANT MEMORY", k.constant, kConstant,
            [](const SiteCounts&) { return std::pair<uint64_t, uint64_t>(); });
    section("TEXTURES AND SURFACES (sectors are not modelled)", k.textures, kConstant,
            [](const SiteCounts&) { return std::pair<uint64_t, uint64_t>(); });
    section("DIVERGENT BRANCHES", k.branches, kBranches,
            [](const SiteCounts& c) { return std::pair(c.branch_divergent, c.branch_executed); });
  }

  static std::string launch_words(const KernelSummary& k) {
    const Launch& first = *k.launches.front();
    const size_t n = k.launches.size();
    const auto shape = [](const Dim3& d) { return glued(report::shape(d)); };
    std::string text = n == 1 ? "1 launch" : grouped(n) + " launches, summed";
    const auto same = [&](auto member) {
      return std::all_of(k.launches.begin(), k.launches.end(),
                         [&](const Launch* l) { return l->*member == first.*member; });
    };
    text += same(&Launch::grid) ? ", grid " + shape(first.grid) : ", grids " + shape(first.grid) + " and others";
    text += same(&Launch::block) ? ", block " + shape(first.block) : ", blocks " + shape(first.block) + " and others";
    if (k.kernel->registers) text += fmt::format(", {} registers", *k.kernel->registers);
    if (k.kernel->static_shared_bytes != 0) text += fmt::format(", {} B static shared", k.kernel->static_shared_bytes);
    if (!same(&Launch::dynamic_shared_bytes))
      text += ", varying dynamic shared";
    else if (first.dynamic_shared_bytes != 0)
      text += fmt::format(", {} B dynamic shared", first.dynamic_shared_bytes);
    if (k.kernel->local_bytes != 0) text += fmt::format(", {} B local", k.kernel->local_bytes);
    text += k.kernel->code == Code::Sass ? fmt::format(", machine code ({})", printable(k.kernel->target)) : ", as PTX";
    if (!k.launches.back()->complete) text += "; the last launch did not finish";
    return text;
  }

  // ", on devices 0, 1" where there are several to choose from.
  std::string device_words(const KernelSummary& k) const {
    if (gpus_ < 2) return "";
    std::set<uint32_t> devices;
    for (const Launch* launch : k.launches) devices.insert(launch->device);
    return fmt::format(", on device{} {}", devices.size() > 1 ? "s" : "", fmt::join(devices, ", "));
  }

  void totals(const KernelSummary& k) {
    const auto find = [&](std::string_view name) -> const Metric* {
      const auto it = std::find_if(k.totals.begin(), k.totals.end(), [&](const Metric& m) { return m.name == name; });
      return it == k.totals.end() ? nullptr : &*it;
    };
    for (const Metric& m : k.totals) {
      if (m.value == 0 || !shown(m.name)) continue;
      std::string remark;
      if (m.name == "smsp__inst_executed.sum")
        remark = fmt::format("{}{} lanes each", k.kernel->code == Code::Sass ? "" : "PTX instructions, ",
                             ratio(k.thread_instructions, k.instructions));
      if (const Metric* ideal = find(m.name + "_ideal")) {
        const uint64_t excess = m.value - std::min(m.value, ideal->value);
        remark = fmt::format("ideal {}, excess {}", grouped(ideal->value), percent(excess, m.value));
      }
      total_line(m, remark);
    }
  }

  // Summed over the launches for which it was asked.
  void caches(const KernelSummary& k) {
    Caches sum;
    bool any = false;
    for (const Launch* launch : k.launches) {
      if (!launch->caches) continue;
      any = true;
      const Caches& c = *launch->caches;
      sum.l1_sectors += c.l1_sectors + c.l1_local_sectors, sum.l1_hits += c.l1_hits + c.l1_local_hits;
      sum.l2_hits += c.l2_hits, sum.l2_misses += c.l2_misses;
      sum.l2_reads += c.l2_reads, sum.l2_writes += c.l2_writes;
      sum.dram_read_bytes += c.dram_read_bytes, sum.dram_write_bytes += c.dram_write_bytes;
    }
    if (!any) return;
    wrapped(
        fmt::format("caches [modelled]: L1 hit {}; L2 {} sectors read, {} written, hit {}; DRAM {} read, {} written",
                    percent(sum.l1_hits, sum.l1_sectors), grouped(sum.l2_reads), grouped(sum.l2_writes),
                    percent(sum.l2_hits, sum.l2_hits + sum.l2_misses), short_bytes(sum.dram_read_bytes),
                    short_bytes(sum.dram_write_bytes)),
        2);
  }

  static bool shown(std::string_view name) {
    for (std::string_view prefix : {"smsp__inst_executed.sum", "l1tex__t_requests", "memory_"})
      if (name.substr(0, prefix.size()) == prefix) return name.find("_ideal") == std::string_view::npos;
    return false;
  }

  void total_line(const Metric& m, const std::string& remark) {
    const std::string mark = fmt::format("[{}{}]", to_string(m.fidelity), m.as_ptx ? ", as PTX" : "");
    if (narrow()) {
      const std::string value = grouped(m.value) + " " + mark;
      const std::string both = "  " + m.name + "  " + value;
      if (columns(both) <= width_) {
        line(both);
      } else {
        line("  " + m.name);
        line("    " + value);
      }
      if (!remark.empty()) wrapped(remark, 4);
      return;
    }
    const std::string text = "  " + pad_right(m.name, 49) + pad_left(grouped(m.value), 16) + "  " + mark;
    const size_t after =
        columns(text) + kLongestMark - mark.size() + 2;  // the longest mark, so that remarks stand in one column
    if (remark.empty()) return line(text);
    if (after + columns(remark) <= width_) return line(pad_right(text, after) + remark);
    line(text);
    line("    " + remark);
  }

  template <size_t N, typename Weight>
  void section(const char* title, const std::vector<SourceLine>& lines, const Column (&columns)[N], Weight weight) {
    if (lines.empty()) return;
    out_ += "\n";
    if (narrow()) {
      wrapped(title, 2, Style::Bold);
    } else {
      std::string head = "  " + std::string(title);
      const size_t room = kLabel + 4;
      if (head.size() > room) {
        line(head, Style::Bold);
        head.clear();
      }
      head = pad_right(head, room);
      for (const Column& c : columns) head += pad_left(c.title, c.width);
      line(head, Style::Bold);
    }
    const size_t limit = options_.max_lines == 0 ? lines.size() : std::min(lines.size(), options_.max_lines);
    for (size_t i = 0; i < limit; ++i) {
      heading(lines[i]);
      for (const AccessRow& row : lines[i].rows) {
        const auto [excess, all] = weight(row.counts);
        if (narrow())
          narrow_row(row, style_of(excess, all));
        else
          wide_row(row, columns, style_of(excess, all));
      }
    }
    if (limit < lines.size()) line(fmt::format("  ... and {} more lines", lines.size() - limit), Style::Dim);
  }

  void heading(const SourceLine& l) {
    if (l.file.empty()) {
      line(fit("  " + place_words(l.opcode, l.line, l.machine_offset), width_));
      return;
    }
    const std::string at = fmt::format("  {}:{}", printable(base_name(l.file)), l.line);
    const std::string text = source_.line(l.file, l.line);
    const std::string shown = text.empty() ? "" : fit("  " + text, width_ - std::min(width_, columns(at)));
    out_ += paint(fit(at, width_), Style::Dim) + shown + "\n";
    for (const Frame& frame : l.callers.front().frames)
      line(fit(fmt::format("    inlined at {}:{}", printable(base_name(frame.file)), frame.line), width_), Style::Dim);
    if (l.callers.size() > 1)
      line(fit(fmt::format("    the worst of {} places it is inlined into", l.callers.size()), width_), Style::Dim);
  }

  static std::vector<std::string> cells(const AccessRow& row) {
    const SiteCounts& c = row.counts;
    if (row.kind == AccessKind::Branch)
      return {short_number(c.branch_executed), short_number(c.branch_divergent),
              percent(c.branch_divergent, c.branch_executed), ratio(c.branch_lanes, c.branch_executed)};
    const std::string requests = short_number(c.requests), lanes = ratio(c.lanes, c.requests);
    switch (row.space) {
      case Space::Shared:
        return {requests,
                short_number(c.wavefronts),
                ratio(c.wavefronts, c.requests),
                short_number(c.wavefronts_ideal),
                percent(excess_wavefronts(c), c.wavefronts),
                short_bytes(c.bytes_used),
                lanes};
      case Space::Global:
      case Space::Generic:
      case Space::Local: {
        // In local memory lanes share nothing, whatever the profiler's figure says.
        const uint64_t used = row.space == Space::Local ? c.lanes * row.bytes_per_lane : c.bytes_used;
        return {requests,
                short_number(c.sectors),
                ratio(c.sectors, c.requests),
                short_number(c.sectors_ideal),
                percent(excess_sectors(c), c.sectors),
                short_bytes(32 * c.sectors),
                short_bytes(used),
                lanes};
      }
      default:
        return {requests, lanes};
    }
  }

  template <size_t N>
  void wide_row(const AccessRow& row, const Column (&columns_of)[N], Style style) {
    // A name that has no room in its column leads the line below; there it is whole.
    const std::string whole = access_words(row), name = name_words(row);
    const bool named = columns(whole) <= kLabel;
    std::string text = "  " + pad_right(fit(named ? whole : kind_words(row), kLabel), kLabel);
    const std::vector<std::string> values = cells(row);
    for (size_t i = 0; i < N; ++i) text += pad_left(values[i], columns_of[i].width);
    std::string pattern = detail_words(row);
    if (!named && !name.empty()) pattern = name + (pattern.empty() ? "" : ": ") + pattern;
    std::string after;
    const bool fits = columns(text) + 4 + columns(pattern) <= width_;
    if (fits && !pattern.empty()) after = "  " + pattern;
    out_ += paint(mark_of(style) + text, style) + after + "\n";
    if (!fits) wrapped(pattern, 6);
  }

  // The same figures as sentences, so that any width will do.
  void narrow_row(const AccessRow& row, Style style) {
    std::vector<std::string> v = cells(row);
    for (std::string& value : v) value = glued(value);
    std::string text = access_words(row) + ": ";
    if (row.kind == AccessKind::Branch)
      text += fmt::format("{} executed, {} divergent ({}), {} lanes", v[0], v[1], v[2], v[3]);
    else
      text += fmt::format("{} requests, {} lanes", v[0], v.back());
    const std::vector<std::string> parts = wrap(text, width_ - 6);
    for (size_t i = 0; i < parts.size(); ++i)
      line((i == 0 ? mark_of(style) + std::string("  ") : std::string(6, ' ')) + parts[i], style);
    if (row.space == Space::Shared && row.kind != AccessKind::Branch)
      wrapped(fmt::format("{} wavefronts, {}/request, ideal {}, excess {}; {} used", v[1], v[2], v[3], v[4], v[5]), 6,
              style);
    const bool has_sectors = row.space == Space::Global || row.space == Space::Generic || row.space == Space::Local;
    if (has_sectors && row.kind != AccessKind::Branch)
      wrapped(fmt::format("{} sectors, {}/request, ideal {}, excess {}; {} fetched, {} used", v[1], v[2], v[3], v[4],
                          v[5], v[6]),
              6, style);
    const std::string pattern = detail_words(row);
    if (!pattern.empty()) wrapped(pattern, 6);
  }
  void not_observed(const Report& report) {
    if (report.not_observed.empty()) return;
    out_ += "\n";
    wrapped("Not observed: library calls, computed without a model of what they do to a GPU's memory", 0, Style::Bold);
    for (const LibraryCalls& c : report.not_observed)
      line(fit(fmt::format("  {}: not observed, {} call{}", printable(c.function), grouped(c.calls),
                           c.calls == 1 ? "" : "s"),
               width_));
  }

  void notes(const Report& report, const std::vector<KernelSummary>& kernels) {
    if (!report.notes.empty()) out_ += "\n";
    for (const Note& n : report.notes) {
      // Said above, with the kernel and the thread that it stopped.
      if (std::any_of(report.faults.begin(), report.faults.end(),
                      [&](const Fault& f) { return f.message == n.message; }))
        continue;
      std::string text = n.kind + ": " + printable(n.message);
      if (!n.file.empty()) text = printable(n.file) + (n.line ? ":" + std::to_string(n.line) : "") + ": " + text;
      if (n.count > 1)
        text += fmt::format(" ({}{} times)", n.count > kNotesOneByOne ? "at least " : "", grouped(n.count));
      wrapped(text, 0, n.kind == "note" ? Style::Plain : Style::Warn);
      if (!n.hint.empty()) wrapped(printable(n.hint), 2);
    }
    const bool blind = std::any_of(kernels.begin(), kernels.end(), [](const KernelSummary& k) {
      return !k.has_lines && !(k.global.empty() && k.shared.empty());
    });
    if (blind) {
      out_ += "\n";
      wrapped("hint: no line information; compile with nvcc -lineinfo (clang: -gline-tables-only) to see source lines",
              0);
    }
  }

  void findings(const Report& report) {
    if (report.findings.empty()) return;
    out_ += "\n";
    rule();
    wrapped("FINDINGS, worst first", 0, Style::Bold);
    const size_t shown = std::min(report.findings.size(), kFindings);
    for (size_t i = 0; i < shown; ++i) finding(report, report.findings[i], i + 1);
    out_ += "\n";
    if (shown < report.findings.size())
      wrapped(fmt::format("and {} more: --json FILE has all", report.findings.size() - shown), 0);
    wrapped("warplens explain " + report.findings[0].rule + " says more about a rule", 0, Style::Dim);
  }

  void finding(const Report& report, const Finding& f, size_t number) {
    out_ += "\n";
    const bool warns = f.severity == "warning";
    wrapped(fmt::format("{}. {} {}: {}", number, f.rule, f.severity, f.title), 0, warns ? Style::Warn : Style::Plain);
    const std::string kernel = f.kernel < report.kernels.size() ? printable(report.kernels[f.kernel].demangled) : "";
    if (f.line == 0) {
      wrapped(kernel, 3);
    } else {
      const std::string at = fmt::format("   {}:{}", printable(f.file), f.line), text = source_.line(f.file, f.line);
      line(fit(text.empty() ? at : at + "  " + text, width_));
      line(fit("   in " + kernel, width_), Style::Dim);
    }
    wrapped(printable(f.what), 3);
    wrapped("Change: " + printable(f.change), 3);
    if (!f.effect.empty()) wrapped("Effect: " + printable(f.effect), 3);
    if (!f.gain.empty()) wrapped("Gain: " + printable(f.gain), 3);
  }

  void legend(const std::vector<KernelSummary>& kernels) {
    const bool any_ptx =
        std::any_of(kernels.begin(), kernels.end(), [](const KernelSummary& k) { return k.kernel->code == Code::Ptx; });
    out_ += "\n";
    wrapped(
        "[counted] happened in this run; [modelled] a hardware rule applied to it; [estimated] depends on machine code "
        "that was not seen. Figures by source line are [counted] unless marked. excess: share above ideal; " +
            glued("!! from 50 %") + ", " + glued("! from 10 %.") +
            (any_ptx ? " as PTX: before ptxas, which may join, move or drop accesses." : ""),
        0, Style::Dim);
  }

  RenderOptions options_;
  uint32_t gpus_ = 1;  // of the run
  size_t width_;
  SourceText source_;
  std::string out_;
};

}  // namespace

std::string render_terminal(const Report& report, const RenderOptions& options) {
  return Terminal(options).render(report);
}

}  // namespace warplens::report
