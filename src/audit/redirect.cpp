#include "audit/redirect.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "audit/libraries.h"
#include "audit/messages.h"

#if defined(__x86_64__)
extern "C" void wl_audit_enter();
#else
extern "C" void wl_audit_enter() {}
#endif

namespace warplens::audit {
namespace {

constexpr uintptr_t kReach = 0x7ff00000;  // of a jump, with some room
constexpr size_t kThunkBytes = 16;
constexpr size_t kHeadBytes = 32;  // before the first thunk: the way to wl_audit_enter

constexpr const char* kRebuild =
    "rebuild with '-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared); nothing has to be changed in a program then";

uintptr_t page_size() { return static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)); }

// Memory below the object if there is room: what is above a program's data is its heap's.
void* near_memory(uintptr_t lowest, uintptr_t highest, size_t bytes) {
  constexpr uintptr_t kStep = 1 << 20;
  auto take = [&](uintptr_t at) {
    void* memory = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != MAP_FAILED && memory != reinterpret_cast<void*>(at)) {  // a kernel before 4.17 took it as a hint
      munmap(memory, bytes);
      memory = MAP_FAILED;
    }
    return memory == MAP_FAILED ? nullptr : memory;
  };
  uintptr_t first = (lowest & ~(kStep - 1)) - kStep;
  for (uintptr_t at = first; at < lowest && highest - at < kReach && at > kStep; at -= kStep)
    if (void* memory = take(at)) return memory;
  for (uintptr_t at = lowest + kReach - kStep; at > highest + bytes; at -= kStep)
    if (void* memory = take(at & ~(kStep - 1))) return memory;
  return nullptr;
}

template <typename T>
void put(unsigned char*& at, T value) {
  std::memcpy(at, &value, sizeof value);
  at += sizeof value;
}
void put_bytes(unsigned char*& at, std::initializer_list<unsigned char> bytes) {
  for (unsigned char b : bytes) *at++ = b;
}
// The operand of an instruction that ends right after it and means `target`.
void put_relative(unsigned char*& at, const void* target) {
  put(at, static_cast<int32_t>(static_cast<const unsigned char*>(target) - (at + 4)));
}

// The code segment that holds the address, relocated; null if none does.
const Elf64_Phdr* code_segment(const elf::View& file, uint64_t address) {
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && address >= segment.p_vaddr &&
        address - segment.p_vaddr + 5 <= segment.p_filesz)
      return &segment;
  return nullptr;
}

int protection_of(const Elf64_Phdr& segment) {
  return (segment.p_flags & PF_R ? PROT_READ : 0) | (segment.p_flags & PF_W ? PROT_WRITE : 0) | PROT_EXEC;
}

bool protect(uintptr_t from, uintptr_t to, int protection) {
  uintptr_t page = page_size();
  from &= ~(page - 1);
  return mprotect(reinterpret_cast<void*>(from), (to - from + page - 1) & ~(page - 1), protection) == 0;
}

}  // namespace

Redirection* Redirection::install(const elf::View& file, uintptr_t base, const std::string& path,
                                  const elf::StaticRuntime& runtime) {
  auto refuse = [&](const std::string& why) {
    say_error("the CUDA runtime inside '" + path + "' cannot be replaced: " + why, kRebuild);
    return nullptr;
  };
#if !defined(__x86_64__)
  return refuse("Warplens does that on x86-64 only");
#else
  uint64_t lowest = ~uint64_t{0}, highest = 0;
  for (const elf::Entry& entry : runtime.entries)
    lowest = std::min(lowest, entry.address), highest = std::max(highest, entry.address);
  const Elf64_Phdr* segment = code_segment(file, lowest);
  if (!segment || code_segment(file, highest) != segment) return refuse("its functions lie in no code segment");

  auto* redirection = new Redirection;
  redirection->path_ = path;
  redirection->major_ = runtime.major;
  for (const elf::Entry& entry : runtime.entries)
    redirection->entries_.emplace_back(std::string(entry.name), base + entry.address);
  uintptr_t from = base + lowest, to = base + highest + 5;
  auto give_up = [&](const char* what) {
    std::string why = std::string(what) + ": " + std::strerror(errno);
    delete redirection;
    return refuse(why);
  };
  if (!redirection->make_thunks(from, to)) return give_up("no memory within reach of its code");
  if (!protect(from, to, PROT_READ | PROT_WRITE))
    return give_up("its code cannot be made writable (a security policy such as SELinux's execmod forbids it)");
  for (size_t i = 0; i < redirection->entries_.size(); ++i) {
    auto* at = reinterpret_cast<unsigned char*>(redirection->entries_[i].second);
    *at++ = 0xe9;  // jmp
    put_relative(at, redirection->thunks_ + kHeadBytes + i * kThunkBytes);
  }
  if (!protect(from, to, protection_of(*segment))) return give_up("its code cannot be made executable again");
  return redirection;
#endif
}

Redirection::~Redirection() {
  if (thunks_) munmap(thunks_, bytes_);
}

// A page of code and, after it, the slots: the code is never writable and executable at once.
bool Redirection::make_thunks(uintptr_t lowest, uintptr_t highest) {
  uintptr_t page = page_size();
  size_t code = (kHeadBytes + entries_.size() * kThunkBytes + page - 1) & ~(page - 1);
  size_t data = (entries_.size() + 2) * sizeof(void*);
  bytes_ = code + ((data + page - 1) & ~(page - 1));
  thunks_ = static_cast<unsigned char*>(near_memory(lowest, highest, bytes_));
  if (!thunks_) return false;
  auto** constants = reinterpret_cast<void**>(thunks_ + code);
  constants[0] = this;
  constants[1] = reinterpret_cast<void*>(&wl_audit_enter);
  slots_ = reinterpret_cast<std::atomic<void*>*>(constants + 2);
  unsigned char* at = thunks_;
  put_bytes(at, {0xff, 0x35});  // push qword [constants]
  put_relative(at, &constants[0]);
  put_bytes(at, {0xff, 0x25});  // jmp [constants + 1]
  put_relative(at, &constants[1]);
  for (size_t i = 0; i < entries_.size(); ++i) {
    at = thunks_ + kHeadBytes + i * kThunkBytes;
    put_bytes(at, {0xff, 0x25});  // jmp [slot]
    put_relative(at, &slots_[i]);
    slots_[i] = at;         // at first: go on here
    put_bytes(at, {0x68});  // push i
    put(at, static_cast<int32_t>(i));
    put_bytes(at, {0xe9});  // jmp head
    put_relative(at, thunks_);
  }
  return mprotect(thunks_, code, PROT_READ | PROT_EXEC) == 0;
}

Redirection::Target Redirection::resolve(size_t index) {
  const std::string& name = entries_[index].first;
  if (void* library = load_runtime(major_))
    if (void* function = dlsym(library, name.c_str())) {
      slots_[index].store(function, std::memory_order_release);
      return {function, nullptr};
    }
  return {refusal(), name.c_str()};
}

}  // namespace warplens::audit

extern "C" __attribute__((visibility("hidden"))) warplens::audit::Redirection::Target wl_audit_resolve(
    warplens::audit::Redirection* redirection, size_t index) {
  return redirection->resolve(index);
}
