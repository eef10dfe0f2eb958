// libwarplens_audit.so: what the dynamic linker calls in every process under `warplens run` (rtld-audit(7)), before any
// code of the program itself and again for each library that it opens later. It does two things:
//   - whoever asks for NVIDIA's libcudart, libcuda, libcublas and the like, by whatever path, gets ours;
//   - an object with a CUDA runtime linked into it has that runtime's functions redirected to ours (redirect.h).
// It lives in a namespace of its own with its own C library, so it meets none of the program's symbols. It must start
// fast, for it is in every compiler and shell of a build too.
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "audit/libraries.h"
#include "audit/messages.h"
#include "audit/redirect.h"
#include "elf/known_runtimes.h"
#include "elf/mapped_file.h"

namespace warplens::audit {
namespace {

struct Object {
  std::string path;
  uintptr_t base = 0;
  Redirection* redirection = nullptr;
};

struct State {
  std::vector<Object*> pending;  // opened, not yet looked at
  std::vector<Object*> closed;   // their thunks may be used until the process ends, if that is why they were closed
  std::vector<std::string*> stand_ins;
};
// The loader calls with its lock held, so there is one caller at a time.
State& state() {
  static State* s = new State;
  return *s;
}

// The file that is mapped where the address is. The program itself has no name in the loader's list, and
// /proc/self/exe is the loader where that was started by hand.
std::string file_at(uintptr_t address) {
  FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return "/proc/self/exe";
  std::string path;
  char line[4352];
  while (path.empty() && std::fgets(line, sizeof line, maps)) {
    unsigned long from = 0, to = 0;
    int at = 0;
    if (std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) < 2 || address < from || address >= to)
      continue;
    path.assign(line + at, std::strcspn(line + at, "\n"));
  }
  std::fclose(maps);
  return path.empty() || path[0] != '/' ? "/proc/self/exe" : path;
}

// Whether the file is still the one that was loaded: it may have been replaced since.
bool is_loaded(const elf::View& file, uintptr_t base) {
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_LOAD && segment.p_offset == 0)
      return segment.p_filesz >= sizeof(Elf64_Ehdr) &&
             std::memcmp(reinterpret_cast<void*>(base + segment.p_vaddr), &file.header(), sizeof(Elf64_Ehdr)) == 0;
  return false;
}

// What is built in, and what `warplens run` found out about the user's own toolkit (inspect/user_runtimes.h).
std::span<const elf::RuntimeTable> runtime_tables() {
  static const auto* tables = [] {
    auto* read = new std::vector<elf::RuntimeTable>{elf::known_runtimes()};
    if (std::string path = environment("WARPLENS_CUDART_TABLE"); !path.empty()) {
      elf::Bytes text = (new elf::MappedFile(path.c_str()))->bytes();  // the table refers to it
      elf::RuntimeTable table;
      if (elf::read_runtime_table({reinterpret_cast<const char*>(text.data()), text.size()}, table))
        read->push_back(std::move(table));
    }
    return read;
  }();
  return *tables;
}

void look_at(Object& object) {
  elf::MappedFile mapped(object.path.c_str());
  auto file = elf::View::of(mapped.bytes());
  if (!file || !elf::may_have_runtime(*file) || !is_loaded(*file, object.base)) return;
  elf::StaticRuntime runtime = elf::find_by_symbols(*file, runtime_tables());
  bool stripped = !file->section_of_type(SHT_SYMTAB);
  if (runtime.entries.empty() && stripped) {
    std::vector<elf::CodeRange> code;
    for (const Elf64_Phdr& segment : file->segments())
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
        code.push_back(
            {segment.p_vaddr, {reinterpret_cast<std::byte*>(object.base + segment.p_vaddr), segment.p_filesz}});
    runtime = elf::find_by_signature(code, runtime_tables());
  }
  if (!runtime.entries.empty())
    object.redirection = Redirection::install(*file, object.base, object.path, runtime);
  else if (stripped && file->section(".nv_fatbin") && elf::has_runtime_text(*file))
    say_error("'" + object.path + "' is stripped, and has a CUDA runtime inside that Warplens does not recognise",
              "leave its symbols in (no strip, no -s), or build it with '-cudart shared'");
}

}  // namespace
}  // namespace warplens::audit

#define WL_AUDIT extern "C" __attribute__((visibility("default")))
using namespace warplens::audit;

WL_AUDIT unsigned la_version(unsigned version) { return version; }

WL_AUDIT char* la_objsearch(const char* name, uintptr_t*, unsigned flag) {
  std::string ours = nvrtc_in_place_of(name);
  if (ours.empty() && flag == LA_SER_ORIG) ours = real_nvrtc(name);
  if (ours.empty() && flag == LA_SER_ORIG) ours = stand_in_for(name);
  if (ours.empty()) return const_cast<char*>(name);
  for (std::string* known : state().stand_ins)
    if (*known == ours) return known->data();
  state().stand_ins.push_back(new std::string(ours));
  return state().stand_ins.back()->data();
}

WL_AUDIT unsigned la_objopen(link_map* map, Lmid_t, uintptr_t* cookie) {
  *cookie = 0;
  std::string path = map->l_name ? map->l_name : "";
  if (path.empty()) path = file_at(reinterpret_cast<uintptr_t>(map->l_ld));
  for (Object* closed : state().closed) {
    delete closed->redirection;
    delete closed;
  }
  state().closed.clear();
  if (path.find('/') == path.npos || is_own(path)) return 0;  // the kernel's "linux-vdso.so.1" is no file
  auto* object = new Object{path, map->l_addr, nullptr};
  *cookie = reinterpret_cast<uintptr_t>(object);
  state().pending.push_back(object);
  return 0;
}

WL_AUDIT void la_activity(uintptr_t*, unsigned activity) {
  if (activity != LA_ACT_CONSISTENT) return;
  std::vector<Object*> pending;
  pending.swap(state().pending);
  for (Object* object : pending) look_at(*object);
}

WL_AUDIT unsigned la_objclose(uintptr_t* cookie) {
  auto* object = reinterpret_cast<Object*>(*cookie);
  if (!object) return 0;
  std::erase(state().pending, object);
  state().closed.push_back(object);
  *cookie = 0;
  return 0;
}
