// An answer for people, in 80 columns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "occupancy/question.h"

namespace warplens::occupancy {
namespace {

using model::BlockNeeds;
using model::Occupancy;
using model::Refusal;
using model::Resource;

constexpr size_t kWidth = 80, kHalf = 38, kBar = 10;
constexpr size_t kLongCurve = 8;  // rows; a longer curve stands in two columns
constexpr size_t kLongList = 6;   // kernels; of more, only the best block size is shown

std::string grouped(uint64_t n) {
  std::string text = std::to_string(n);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(uint64_t n, const char* word) { return grouped(n) + " " + word + (n == 1 ? "" : "s"); }

// Names come from the file: nothing in them may move a terminal's cursor.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

std::string fit(std::string text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::string bar(double part) { return std::string(static_cast<size_t>(std::ceil(part * kBar)), '#'); }

// `words`, broken at spaces, each line behind two spaces.
std::string paragraph(const std::string& words) {
  std::string out, line = " ";
  size_t at = 0;
  while (at < words.size()) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (line.size() + 1 + end - at > kWidth) out += line + "\n", line = "   ";
    line += " " + words.substr(at, end - at);
    at = end + 1;
  }
  return out + line + "\n";
}

// In two columns where there are many.
std::string columns(const std::string& head, const std::vector<std::string>& rows) {
  const bool two = rows.size() > kLongCurve;
  const size_t lines = two ? (rows.size() + 1) / 2 : rows.size();
  std::string out = two ? fmt::format("  {:<{}}  {}\n", head, kHalf, head) : "  " + head + "\n";
  for (size_t i = 0; i < lines; ++i) {
    std::string line = "  " + rows[i];
    if (two && i + lines < rows.size()) line = fmt::format("{:<{}}  {}", line, kHalf + 2, rows[i + lines]);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::string gpu_words(const Question& q) {
  const std::string capability = fmt::format("compute capability {}.{}", q.sm.compute_major, q.sm.compute_minor);
  return q.gpu ? q.gpu->name + ", " + capability : "a GPU of " + capability;
}

std::string limiter_words(const Occupancy& o) {
  std::vector<std::string_view> names;
  for (Resource resource : model::kResources)
    if (o.limited_by(resource)) names.push_back(model::resource_name(resource));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string refusal_words(const Question& q, const BlockNeeds& needs, const Occupancy& o) {
  switch (o.refusal) {
    case Refusal::None:
      return "";
    case Refusal::Threads:
      return fmt::format("no launch: a block has 1 to {} threads", grouped(model::kMaxThreadsPerBlock));
    case Refusal::RegistersOfThread:
      return fmt::format("no launch: a thread has {} registers at most", q.sm.max_registers_per_thread);
    case Refusal::RegistersOfBlock:
      return fmt::format(
          "no launch (cudaErrorLaunchOutOfResources): {} warps of {} registers, the warps rounded up to a multiple of "
          "4, are more than the {} that a block can have",
          o.warps_per_block, grouped(o.registers_per_warp), grouped(q.sm.registers_per_block));
    case Refusal::SharedMemory:
      return fmt::format("no launch: {} B of shared memory, where a block can have {} B", grouped(needs.shared_bytes),
                         grouped(q.sm.shared_bytes_per_block_optin));
  }
  return "";
}

std::string step_words(const Question& q, const BlockNeeds& needs, const Occupancy& o) {
  const auto step = model::next_step(q.sm, needs);
  if (!step)
    return o.blocks == 0 || o.warps() == q.sm.max_warps_per_sm
               ? ""
               : "More blocks of this size do not fit whatever they take; another block size may do better.";
  Occupancy then = o;
  then.blocks = step->blocks;
  std::vector<std::string> needed;
  if (step->registers) needed.push_back(fmt::format("{} registers or fewer", *step->registers));
  if (step->shared_bytes) needed.push_back(fmt::format("{} B shared memory or less", grouped(*step->shared_bytes)));
  return fmt::format("{} ({}) with {}.", counted(step->blocks, "block"), percent(model::fraction(q.sm, then)),
                     fmt::join(needed, " and "));
}

// What may still be taken without losing a block.
std::string slack_words(const Question& q, const BlockNeeds& needs, const Occupancy& o) {
  const auto registers = model::registers_for(q.sm, needs, o.blocks);
  const auto shared = model::shared_bytes_for(q.sm, needs, o.blocks);
  if (o.blocks == 0 || !registers || !shared) return "";
  return fmt::format("Still {} with up to {} registers and up to {} B shared memory.", counted(o.blocks, "block"),
                     *registers, grouped(*shared));
}

std::string wave_words(const Question& q, const Occupancy& o) {
  if (!q.grid || !q.gpu || o.blocks == 0) return "";
  const uint64_t at_once = uint64_t{o.blocks} * q.gpu->sm_count;
  const double waves = model::waves(*q.gpu, o, *q.grid);
  std::string text = fmt::format("Grid of {}: {:.2f} waves of {} ({} SMs)", counted(*q.grid, "block"), waves,
                                 counted(at_once, "block"), q.gpu->sm_count);
  if (const uint64_t rest = *q.grid % at_once; rest && *q.grid > at_once)
    text += fmt::format("; the last fills {} of the GPU", percent(double(rest) / double(at_once)));
  return text + ".";
}

std::string opt_in_words(const Question& q, const BlockNeeds& needs) {
  if (needs.shared_bytes <= q.sm.shared_bytes_per_block || needs.shared_bytes > q.sm.shared_bytes_per_block_optin)
    return "";
  return fmt::format(
      "Over {} B must be dynamic shared memory, and allowed before the launch: "
      "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES).",
      grouped(q.sm.shared_bytes_per_block));
}

std::string row(const Occupancy& o, Resource resource, const std::string& taken, uint64_t all, const char* unit) {
  const auto limit = o.limit(resource);
  return fmt::format("  {:<14} {:>30} {:>14} {:>8}{}\n", model::resource_name(resource), taken, grouped(all) + unit,
                     limit ? grouped(*limit) : "-", o.limited_by(resource) ? "  <-" : "");
}

std::string table(const Question& q, const BlockNeeds& needs, const Occupancy& o) {
  const uint64_t registers = uint64_t{o.registers_per_warp} * o.warps_per_block;
  const uint32_t split = needs.shared_split ? needs.shared_split : q.sm.shared_bytes_per_sm;
  std::string out = fmt::format("  {:<14} {:>30} {:>14} {:>8}\n", "", "a block takes", "an SM has", "blocks");
  out += row(o, Resource::Warps, std::to_string(o.warps_per_block), q.sm.max_warps_per_sm, "");
  out += row(o, Resource::Blocks, "1", q.sm.max_blocks_per_sm, "");
  out += row(
      o, Resource::Registers,
      needs.registers ? fmt::format("{} ({} a warp)", grouped(registers), grouped(o.registers_per_warp)) : "not given",
      q.sm.registers_per_sm, "");
  out += row(o, Resource::SharedMemory, grouped(o.shared_bytes_per_block) + " B", split, " B");
  return out;
}

std::string sentences(const Question& q, const BlockNeeds& needs, const Occupancy& o) {
  std::string out;
  for (const std::string& words :
       {step_words(q, needs, o), slack_words(q, needs, o), wave_words(q, o), opt_in_words(q, needs)})
    if (!words.empty()) out += paragraph(words);
  return out;
}

std::string block_curve(const Question& q, const Kernel& kernel) {
  std::vector<std::string> rows;
  for (uint32_t threads = 32; threads <= kernel.most_threads; threads += 32) {
    const Occupancy o = model::occupancy(q.sm, needs_of(q, kernel, threads));
    const double part = model::fraction(q.sm, o);
    rows.push_back(fmt::format("{:>7} {:>6} {:>5} {:>5} {}", threads, o.blocks, o.warps(), percent(part), bar(part)));
  }
  return columns("threads blocks warps", rows);
}

std::string step_curve(const Question& q, const BlockNeeds& needs, const char* head, const std::vector<Step>& steps) {
  std::vector<std::string> rows;
  for (const Step& step : steps) {
    Occupancy o;
    o.warps_per_block = model::occupancy(q.sm, needs).warps_per_block, o.blocks = step.blocks;
    const double part = model::fraction(q.sm, o);
    rows.push_back(
        fmt::format("{:>7} {:>6} {:>5} {:>5} {}", grouped(step.to), o.blocks, o.warps(), percent(part), bar(part)));
  }
  return columns(fmt::format("{:>7} blocks warps", head), rows);
}

std::string curves(const Question& q, const Kernel& kernel, uint32_t threads) {
  const BlockNeeds needs = needs_of(q, kernel, threads);
  const std::string registers = needs.registers ? fmt::format("{} registers", needs.registers) : "few registers";
  const std::string shared = grouped(needs.shared_bytes) + " B shared memory";
  std::string out = fmt::format("\nBy block size ({}, {})\n", registers, shared) + block_curve(q, kernel);
  out += fmt::format("\nBy registers, up to ({} threads, {})\n", threads, shared) +
         step_curve(q, needs, "regs", by_registers(q, needs));
  out += fmt::format("\nBy shared memory, up to ({} threads, {})\n", threads, registers) +
         step_curve(q, needs, "bytes", by_shared_memory(q, needs));
  return out;
}

std::string summary(const Question& q, const Occupancy& o) {
  return fmt::format("{} an SM, {} of {} warps: occupancy {}  [modelled]", counted(o.blocks, "block"), o.warps(),
                     q.sm.max_warps_per_sm, percent(model::fraction(q.sm, o)));
}

std::string figures(const Question& q, const Kernel& kernel) {
  std::string out;
  for (uint32_t threads : q.blocks) {
    const BlockNeeds needs = needs_of(q, kernel, threads);
    const Occupancy o = model::occupancy(q.sm, needs);
    out += fmt::format("{}{}, {}, {} B shared memory\n\n", out.empty() ? "" : "\n", counted(threads, "thread"),
                       needs.registers ? counted(needs.registers, "register") : "registers not given",
                       grouped(needs.shared_bytes));
    out += o.refusal == Refusal::None ? "  " + summary(q, o) + "\n" : paragraph(refusal_words(q, needs, o));
    out += "\n" + table(q, needs, o) + "\n" + sentences(q, needs, o);
  }
  return out;
}

std::string kernel_words(const Question& q, const Kernel& kernel) {
  std::string text = fmt::format("{}, {} B static shared memory", counted(kernel.registers, "register"),
                                 grouped(kernel.static_shared_bytes));
  if (q.dynamic_shared_bytes) text += fmt::format(" and {} B dynamic", grouped(q.dynamic_shared_bytes));
  if (kernel.exactly)
    text += fmt::format(", blocks of {} threads alone", kernel.most_threads);
  else if (kernel.most_threads < model::kMaxThreadsPerBlock)
    text += fmt::format(", {} threads a block at most", kernel.most_threads);
  return text;
}

std::string block_row(const Question& q, const Kernel& kernel, uint32_t threads, bool best) {
  const BlockNeeds needs = needs_of(q, kernel, threads);
  const Occupancy o = model::occupancy(q.sm, needs);
  const double part = model::fraction(q.sm, o);
  std::string why = limiter_words(o);
  if (o.refusal == Refusal::RegistersOfBlock) why = "no launch: registers";
  if (o.refusal == Refusal::SharedMemory) why = "no launch: shared memory";
  if (threads > kernel.most_threads || (kernel.exactly && threads != kernel.most_threads))
    why = "no launch: not compiled for it";
  return fmt::format("  {:>7} {:>6} {:>5} {:>5} {:<{}}  {}{}\n", threads, o.blocks, o.warps(), percent(part), bar(part),
                     kBar, why, best ? "  (best)" : "");
}

std::string kernel_text(const Question& q, const Kernel& kernel) {
  std::string out = "\n" + fit(printable(kernel.demangled), kWidth) + "\n" + paragraph(kernel_words(q, kernel));
  const uint32_t best = best_block(q, kernel);
  std::vector<uint32_t> blocks = blocks_of(q, kernel);
  if (q.blocks.empty() && q.kernels.size() > kLongList && best) blocks = {best};
  out += fmt::format("  {:>7} {:>6} {:>5} {:>28}\n", "threads", "blocks", "warps", "limited by");
  for (uint32_t threads : blocks) out += block_row(q, kernel, threads, q.blocks.empty() && threads == best);
  const uint32_t at = q.blocks.empty() ? best : q.blocks.front();
  if (at == 0) return out + paragraph("No block size can be launched.");
  const BlockNeeds needs = needs_of(q, kernel, at);
  const std::string words = sentences(q, needs, model::occupancy(q.sm, needs));
  if (!words.empty()) out += fmt::format("  At {} threads:\n", at) + words;
  return q.curves ? out + curves(q, kernel, at) : out;
}

}  // namespace

std::string render_text(const Question& q) {
  std::string out = gpu_words(q) + "\n";
  if (q.input.empty()) {
    const Kernel& kernel = q.kernels.front();
    out += figures(q, kernel);
    if (q.curves) out += curves(q, kernel, q.blocks.front());
    return out;
  }
  out = fmt::format("{}: {}\n{}  [modelled]\n", printable(q.input), q.code, gpu_words(q));
  for (const Kernel& kernel : q.kernels) out += kernel_text(q, kernel);
  return out;
}

}  // namespace warplens::occupancy
