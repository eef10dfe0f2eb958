#include "law/kernels.h"

#include "law/law.h"
#include "lower/lower.h"
#include "ptx/fatbin.h"
#include "ptx/parse.h"

namespace warplens::law {
namespace {

static_assert(static_cast<int>(report::AccessKind::Barrier) == static_cast<int>(ir::SiteKind::Barrier));
static_assert(static_cast<int>(report::Space::Surface) == static_cast<int>(ir::Space::Surface));

std::vector<report::Frame> frames(const ir::Module& module, const ir::Location& location) {
  std::vector<report::Frame> out;
  for (const ir::Frame& frame : location.frames) {
    bool known = frame.file < module.files.size();
    out.push_back({known ? module.files[frame.file] : "", frame.pos.line, frame.pos.column, frame.function});
  }
  return out;
}

}  // namespace

report::Site site_of(const ir::Module& module, const ir::Function& function, const ir::Site& site) {
  report::Site out;
  out.kind = static_cast<report::AccessKind>(site.kind);
  out.space = static_cast<report::Space>(site.space);
  out.bytes_per_lane = site.bytes_per_lane;
  out.components = site.components;
  out.opcode = site.opcode;
  out.operand = site.operand;
  if (site.location < function.locations.size()) {
    out.ptx_line = function.locations[site.location].ptx_line;
    out.frames = frames(module, function.locations[site.location]);
  }
  if (site.machine_offset != ir::kNone) out.machine_offset = site.machine_offset;
  return out;
}

Result<std::vector<report::Kernel>> kernels_of(elf::Bytes file, const std::string& name) {
  auto containers = ptx::read_file_image(file);
  if (!containers) return containers.error();
  std::vector<report::Kernel> out;
  bool any = false;
  for (const ptx::Container& container : *containers) {
    const ptx::Image* image = ptx::newest_ptx(container);
    if (!image) continue;
    auto text = ptx::unpack(*image);
    if (!text) return text.error();
    any = true;
    const ptx::ParseResult parsed = ptx::parse(*text, name);
    const lower::LowerResult lowered = lower::lower(parsed.module, name);
    for (const ir::Kernel& kernel : lowered.module.kernels) {
      report::Kernel& k = out.emplace_back();
      k.id = static_cast<uint32_t>(out.size() - 1);
      k.name = kernel.function.name;
      KernelLaws laws = laws_of(lowered.module, kernel);
      for (size_t i = 0; i < kernel.function.sites.size(); ++i) {
        k.sites.push_back(site_of(lowered.module, kernel.function, kernel.function.sites[i]));
        k.sites.back().law = std::move(laws.sites[i]);
      }
      k.parameters = parameters_of(kernel);
    }
  }
  if (!any)
    return Error{"there is no PTX in '" + name + "'", "laws are read from PTX: nvcc -arch=compute_80, or clang"};
  return out;
}

}  // namespace warplens::law
