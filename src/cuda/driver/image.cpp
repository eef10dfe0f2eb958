#include "cuda/driver/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "elf/archive.h"
#include "lower/lower.h"
#include "lower/unresolved.h"
#include "ptx/fatbin.h"
#include "ptx/parse.h"

namespace warplens::cuda::driver {
namespace {

constexpr unsigned kWrapperMagic = 0x466243B1;
// Marks the images that belong to one linked program, in the place of ptxas's options.
constexpr const char* kLinked = "--warplens-linked";

Image failed(CuResult result, const warplens::Error& error) {
  return {result, error.what + (error.hint.empty() ? "" : "; " + error.hint), {}};
}

Image no_ptx(const std::string& origin) {
  return failed(CuResult::CUDA_ERROR_NO_BINARY_FOR_GPU,
                {origin + " holds machine code alone, and Warplens runs PTX",
                 "load PTX instead: nvcc -ptx, nvrtcGetPTX, or a fat binary with code=compute_XX"});
}

// Later minor versions are read as well: instructions that only they have are refused where one is executed.
bool too_new(int major) { return major > 9; }
Image newer_ptx(const std::string& origin, int major, int minor) {
  return failed(CuResult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                {fmt::format("{} is PTX of version {}.{}; versions from 10 on are not read", origin, major, minor),
                 "make it with CUDA 13 or an older release"});
}

bool add(const ptx::Image& image, const std::string& origin, Image& out) {
  if (too_new(image.version_major)) {
    out = newer_ptx(origin, image.version_major, image.version_minor);
    return false;
  }
  auto text = ptx::unpack(image);
  if (!text) {
    out = failed(CuResult::CUDA_ERROR_INVALID_IMAGE, text.error());
    return false;
  }
  out.texts.push_back({std::move(*text), image.name.empty() ? origin : image.name});
  return true;
}

// The newest PTX of each container, or all that was linked together.
Image texts_of(const std::vector<ptx::Container>& containers, const std::string& origin) {
  Image out;
  for (const ptx::Container& container : containers) {
    const auto linked = [](const ptx::Image& image) { return image.options == kLinked; };
    if (std::any_of(container.images.begin(), container.images.end(), linked)) {
      for (const ptx::Image& image : container.images) {
        if (!add(image, origin, out)) return out;
      }
    } else if (const ptx::Image* image = ptx::newest_ptx(container)) {
      if (!add(*image, origin, out)) return out;
    }
  }
  return out.texts.empty() ? no_ptx(origin) : out;
}

std::set<std::string> functions_in(const session::PtxText& text) {
  std::set<std::string> out;
  for (const ptx::Function& function : ptx::parse(text.text, text.name).module.functions) {
    if (!function.declaration_only) out.insert(function.name);
  }
  return out;
}

}  // namespace

Image read_image(const void* image, const std::string& origin) {
  unsigned magic = 0;
  memcpy(&magic, image, 1);  // PTX may be shorter than a magic number
  if ((magic & 0xff) == (kWrapperMagic & 0xff)) memcpy(&magic, image, sizeof magic);
  if (magic == kWrapperMagic) {
    auto containers = ptx::read_registered(image);
    if (!containers) return failed(CuResult::CUDA_ERROR_INVALID_IMAGE, containers.error());
    return texts_of(*containers, origin);
  }
  auto container = ptx::read_module_image(image);
  if (!container) return failed(CuResult::CUDA_ERROR_INVALID_IMAGE, container.error());
  return texts_of({*container}, origin);
}

Image read_piece(std::span<const std::byte> bytes, const std::string& origin) {
  auto containers = ptx::read_file_image(bytes);
  if (!containers) return failed(CuResult::CUDA_ERROR_INVALID_IMAGE, containers.error());
  return texts_of(*containers, origin);
}

bool is_library(std::span<const std::byte> bytes) { return elf::is_archive(bytes); }

Image read_library(std::span<const std::byte> bytes, const std::string& origin, Library& out) {
  for (const elf::ArchiveMember& member : elf::archive_members(bytes)) {
    // Members lie at any even place, and what is read has to lie at one of its own.
    const std::vector<std::byte> contents(member.bytes.begin(), member.bytes.end());
    auto containers = ptx::read_file_image(contents);
    if (!containers || containers->empty()) continue;  // a text, or an object without device code
    Image image = texts_of(*containers, fmt::format("{}({})", origin, member.name));
    if (image.result == CuResult::CUDA_ERROR_NO_BINARY_FOR_GPU) {
      out.without_ptx = image.message;
    } else if (image.result != CuResult::CUDA_SUCCESS) {
      return image;
    }
    std::move(image.texts.begin(), image.texts.end(), std::back_inserter(out.texts));
  }
  return {};
}

void link_from(Library& library, std::vector<session::PtxText>& program) {
  ptx::Module all;  // only to see which of its functions are called and defined
  auto add = [&](const session::PtxText& text) {
    ptx::Module module = ptx::parse(text.text, text.name).module;
    std::move(module.functions.begin(), module.functions.end(), std::back_inserter(all.functions));
  };
  for (const session::PtxText& text : program) add(text);
  if (lower::unresolved_functions(all).empty()) return;
  std::vector<std::set<std::string>> defined;
  for (const session::PtxText& text : library.texts) defined.push_back(functions_in(text));
  for (bool progress = true; progress;) {
    progress = false;
    for (const std::string& name : lower::unresolved_functions(all)) {
      auto found =
          std::find_if(defined.begin(), defined.end(), [&](const auto& names) { return names.contains(name); });
      if (found == defined.end()) continue;
      auto text = library.texts.begin() + (found - defined.begin());
      add(*text);
      program.push_back(std::move(*text));
      library.texts.erase(text);
      defined.erase(found);
      progress = true;  // what was added may define the other names too
      break;
    }
  }
}

Image read_text(std::string_view text, const std::string& origin) {
  ptx::ParseResult parsed = ptx::parse(text, origin);
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == Severity::Error)
      return failed(CuResult::CUDA_ERROR_INVALID_PTX, {to_string(diagnostic), ""});
  }
  if (too_new(parsed.module.version_major)) {
    return newer_ptx(origin, parsed.module.version_major, parsed.module.version_minor);
  }
  return {CuResult::CUDA_SUCCESS, "", {{std::string(text), origin}}};
}

Image check_linked(const std::vector<session::PtxText>& texts) {
  std::vector<ptx::Module> modules;
  for (const session::PtxText& text : texts) modules.push_back(ptx::parse(text.text, text.name).module);
  lower::LinkResult linked = lower::link(std::move(modules));
  std::string problems;
  for (const Diagnostic& diagnostic : linked.diagnostics) {
    if (diagnostic.severity == Severity::Error) problems += to_string(diagnostic) + "\n";
  }
  for (const std::string& name : lower::unresolved_functions(linked.module)) {
    problems += "the function " + name + " is called, and no piece of the link has it\n";
  }
  if (problems.empty()) return {};
  problems.pop_back();
  return {CuResult::CUDA_ERROR_UNKNOWN, problems, {}};  // which is what an H200's driver says
}

std::string write_linked(const std::vector<session::PtxText>& texts) {
  std::vector<ptx::ImageSource> images;
  for (const session::PtxText& text : texts) {
    auto image = ptx::ptx_image(text.text);
    if (!image) continue;  // it was read before
    image->options = kLinked;
    image->name = text.name;
    images.push_back(std::move(*image));
  }
  return ptx::write_fatbin(images);
}

}  // namespace warplens::cuda::driver
