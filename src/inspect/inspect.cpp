#include "inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "elf/archive.h"
#include "elf/mapped_file.h"
#include "inspect/remarks.h"
#include "ptx/fatbin.h"
#include "ptx/instructions.h"
#include "ptx/line_info.h"
#include "ptx/parse.h"

namespace warplens::inspect {
namespace {

std::string_view text_of(elf::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void collect_refused(const ptx::Block& block, std::set<std::string>& refused) {
  for (const ptx::Statement& statement : block.statements) {
    if (auto* nested = std::get_if<std::shared_ptr<ptx::Block>>(&statement); nested && *nested)
      collect_refused(**nested, refused);
    auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (!instruction) continue;
    auto opcode = ptx::find_opcode(instruction->opcode);
    if (!opcode || ptx::info(*opcode).status == ptx::Status::Refused) refused.insert(instruction->opcode);
  }
}

Kernel kernel_of(const ptx::Function& function) {
  Kernel kernel;
  kernel.name = function.name;
  kernel.demangled = ptx::demangle(function.name);
  kernel.parameters = static_cast<uint32_t>(function.params.size());
  kernel.has_lines = !function.locs.empty();
  std::set<std::string> refused;
  collect_refused(function.body, refused);
  kernel.refused.assign(refused.begin(), refused.end());
  return kernel;
}

Ptx ptx_of(const ptx::Image& image) {
  Ptx out;
  out.source = image.name;
  out.version_major = image.version_major, out.version_minor = image.version_minor;
  out.target = fmt::format("sm_{}", image.sm);
  auto text = ptx::unpack(image);
  if (!text) {
    out.errors = 1, out.first_error = text.error().what;
    return out;
  }
  out.bytes = text->size();
  ptx::ParseResult parsed = ptx::parse(*text, "PTX");
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity != Severity::Error) continue;
    if (out.errors++ == 0) out.first_error = to_string(diagnostic);
  }
  if (!parsed.module.target.empty()) out.target = parsed.module.target;
  for (const ptx::Function& function : parsed.module.functions) {
    if (function.is_kernel)
      out.kernels.push_back(kernel_of(function));
    else
      out.functions += !function.declaration_only;
  }
  return out;
}

// A cubin is an ELF file with a section of code for each kernel and function. nvcc puts one without any into each
// program that it links.
std::vector<std::string> functions_of(const ptx::Image& cubin) {
  constexpr std::string_view kCode = ".text.";
  std::vector<std::string> names;
  auto bytes = ptx::unpack(cubin);
  if (!bytes) return names;
  std::vector<uint64_t> aligned((bytes->size() + 7) / 8);
  std::memcpy(aligned.data(), bytes->data(), bytes->size());
  auto view = elf::View::of(std::as_bytes(std::span(aligned)).first(bytes->size()));
  if (!view) return names;
  for (const Elf64_Shdr& section : view->sections())
    if (std::string_view name = view->name(section); name.starts_with(kCode))
      names.push_back(ptx::demangle(name.substr(kCode.size())));
  return names;
}

Unit unit_of(const ptx::Container& container) {
  Unit unit;
  unit.origin = container.origin;
  unit.relocatable = container.relocatable;
  const ptx::Image* newest = ptx::newest_ptx(container);
  for (const ptx::Image& image : container.images) {
    if (image.kind == ptx::ImageKind::Cubin)
      unit.machine_code.push_back(
          {image.sm, image.unpacked_size, newest ? std::vector<std::string>() : functions_of(image)});
    if (image.kind != ptx::ImageKind::Ptx) continue;
    if (&image == newest) unit.chosen = static_cast<int>(unit.ptx.size());
    unit.ptx.push_back(ptx_of(image));
  }
  return unit;
}

Status add_units(elf::Bytes bytes, const std::string& member, Inspection& out) {
  auto containers = ptx::read_file_image(bytes);
  if (!containers) return containers.error();
  for (const ptx::Container& container : *containers) {
    if (container.images.empty()) continue;
    out.units.push_back(unit_of(container));
    if (!member.empty()) out.units.back().origin += " of " + member;
  }
  return Ok{};
}

const char* kind_of(const Linkage& linkage) {
  if (!linkage.executable) return "object file";
  return linkage.has_interpreter || linkage.needed.empty() ? "program" : "library";
}

Status inspect_archive(elf::Bytes bytes, Inspection& out) {
  out.kind = "static library";
  for (const elf::ArchiveMember& member : elf::archive_members(bytes)) {
    std::vector<uint64_t> aligned((member.bytes.size() + 7) / 8);  // members lie at even addresses only
    elf::Bytes copy = std::as_bytes(std::span(aligned)).first(member.bytes.size());
    std::copy(member.bytes.begin(), member.bytes.end(), reinterpret_cast<std::byte*>(aligned.data()));
    if (!elf::View::of(copy)) continue;
    if (Status status = add_units(copy, std::string(member.name), out); !status) return status;
  }
  return Ok{};
}

}  // namespace

bool Inspection::runs() const {
  return std::none_of(remarks.begin(), remarks.end(), [](const Remark& remark) { return remark.prevents; });
}

Result<Inspection> inspect(elf::Bytes bytes, const std::string& path, std::span<const elf::RuntimeTable> tables) {
  constexpr Elf64_Half kMachineCuda = 190;
  Inspection out;
  out.path = path;
  Status status = Ok{};
  auto view = elf::View::of(bytes);
  if (view && view->header().e_machine != kMachineCuda) {
    out.is_elf = true;
    out.linkage = linkage_of(*view, tables);
    out.kind = kind_of(out.linkage);
    status = add_units(bytes, "", out);
  } else if (elf::is_archive(bytes)) {
    status = inspect_archive(bytes, out);
  } else if (text_of(bytes).starts_with("#!")) {
    out.kind = "script";
  } else {
    status = add_units(bytes, "", out);
    out.kind = view ? "cubin" : text_of(bytes).starts_with("\x50\xED\x55\xBA") ? "fat binary" : "PTX";
  }
  if (!status) return Error{"'" + path + "': " + status.error().what, status.error().hint};
  add_remarks(out);
  return out;
}

Result<Inspection> inspect(const std::filesystem::path& path, std::span<const elf::RuntimeTable> tables) {
  std::error_code ignored;
  const std::string name = "'" + path.string() + "'";
  if (std::filesystem::is_directory(path, ignored)) return Error{name + " is a folder", "name a file"};
  elf::MappedFile file(path.c_str());
  if (file.bytes().empty()) return Error{name + " is empty or cannot be read", "name a file"};
  Result<Inspection> found = inspect(file.bytes(), path.string(), tables);
  if (!found && path.extension() == ".cu")
    return Error{name + " is source, with nothing in it to look at yet",
                 "'warplens run " + path.string() + "' compiles and runs it"};
  return found;
}

}  // namespace warplens::inspect
