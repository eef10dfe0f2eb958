#include "occupancy/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "elf/mapped_file.h"
#include "ptx/fatbin.h"
#include "ptx/line_info.h"
#include "sass/compile.h"
#include "sass/cubin.h"

namespace warplens::occupancy {
namespace {

Kernel kernel_of(const sass::Function& function) {
  Kernel kernel;
  kernel.name = std::string(function.name);
  kernel.demangled = ptx::demangle(function.name);
  kernel.registers = function.registers;
  kernel.static_shared_bytes = function.shared_bytes;
  kernel.barriers = function.barriers;
  const auto& most = function.required_threads ? function.required_threads : function.max_threads;
  if (most && most->count()) kernel.most_threads = std::min(kernel.most_threads, uint32_t(most->count()));
  kernel.exactly = function.required_threads.has_value();
  return kernel;
}

// Collects kernels from the containers of one file.
class Collector {
 public:
  Collector(const CodeOptions& options, const Environment& environment)
      : options_(options), environment_(environment) {}

  Status add(const ptx::Container& container) {
    if (const ptx::Image* image = ptx::machine_code_for(container, options_.sm); image && !container.relocatable) {
      auto bytes = ptx::unpack(*image);
      if (!bytes) return bytes.error();
      in_file_ = true;
      return add_cubin(*bytes);
    }
    const ptx::Image* image = ptx::ptx_for(container, options_.sm);
    if (!image) image = ptx::newest_ptx(container);
    if (!image) {
      for (const ptx::Image& other : container.images)
        if (other.kind == ptx::ImageKind::Cubin) others_.insert(other.sm);
      return Ok{};
    }
    auto text = ptx::unpack(*image);
    if (!text) return text.error();
    if (!container.relocatable) return assemble({std::move(*text)});
    parts_.push_back(std::move(*text));
    return Ok{};
  }

  // The parts of an -rdc program are one, unless it has been linked for this GPU already.
  Status finish() { return parts_.empty() || !list_.kernels.empty() ? Status(Ok{}) : assemble(std::move(parts_)); }

  Result<KernelList> list(const std::string& file) {
    if (list_.kernels.empty() && !others_.empty())
      return Error{fmt::format("'{}' has machine code for sm_{} and no PTX, so nothing for sm_{}", file,
                               fmt::format("{}", *others_.begin()), options_.sm),
                   fmt::format("ask for what it was built for, --gpu sm_{}, or build it with PTX", *others_.begin())};
    if (list_.kernels.empty()) return Error{"there is no kernel in '" + file + "'", "'warplens inspect' says more"};
    if (in_file_) list_.code = "machine code in it";
    if (ptxas_) list_.code += (in_file_ ? ", and " : "machine code ") + ("made by ptxas " + ptxas_->version);
    return std::move(list_);
  }

 private:
  Status assemble(std::vector<std::string> texts) {
    if (!ptxas_) {
      auto found = sass::find_ptxas(options_.ptxas, environment_);
      if (!found)
        return Error{"registers and shared memory are known from machine code alone: " + found.error().what,
                     found.error().hint + "; or give figures: --block N --regs N --smem BYTES"};
      ptxas_ = std::move(*found);
    }
    sass::AssembleRequest request;
    request.texts = std::move(texts);
    request.sm = options_.sm;
    request.cache_dir = options_.cache_dir;
    auto assembled = sass::assemble(*ptxas_, request, environment_);
    if (!assembled) return assembled.error();
    return add_cubin(assembled->cubin);
  }

  Status add_cubin(std::string_view bytes) {
    auto cubin = sass::read_cubin({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    if (!cubin) return cubin.error();
    for (const sass::Function& function : cubin->functions)
      if (function.kernel && seen_.insert(std::string(function.name)).second)
        list_.kernels.push_back(kernel_of(function));
    return Ok{};
  }

  const CodeOptions& options_;
  const Environment& environment_;
  KernelList list_;
  std::set<std::string> seen_;
  std::set<uint32_t> others_;       // architectures of machine code for other GPUs
  std::vector<std::string> parts_;  // PTX
  std::optional<sass::Ptxas> ptxas_;
  bool in_file_ = false;
};

}  // namespace

Result<KernelList> kernels_of(const std::filesystem::path& path, const CodeOptions& options,
                              const Environment& environment) {
  elf::MappedFile file(path.c_str());
  if (file.bytes().empty()) return Error{"'" + path.string() + "' is empty or cannot be read", "name a file"};
  const auto containers = ptx::read_file_image(file.bytes());
  if (!containers) return Error{"'" + path.string() + "': " + containers.error().what, containers.error().hint};
  Collector collector(options, environment);
  for (const ptx::Container& container : *containers)
    if (Status added = collector.add(container); !added) return added.error();
  if (Status finished = collector.finish(); !finished) return finished.error();
  return collector.list(path.string());
}

}  // namespace warplens::occupancy
