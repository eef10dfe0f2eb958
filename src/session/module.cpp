#include "session/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lift/module.h"
#include "lower/lower.h"
#include "lower/unresolved.h"
#include "ptx/fatbin.h"
#include "ptx/parse.h"

namespace warplens::session {
namespace {

bool in_memory(const ir::Symbol& symbol) {
  return symbol.space == ir::Space::Global || symbol.space == ir::Space::Const || symbol.managed;
}

// The PTX to run: the newest image of the container, or of each where the program was compiled in pieces (-rdc).
Result<std::vector<PtxText>> newest_texts(const std::vector<ptx::Container>& containers, const std::string& origin) {
  bool in_pieces = std::any_of(containers.begin(), containers.end(), [](const auto& c) { return c.relocatable; });
  std::vector<PtxText> sources;
  for (const ptx::Container& container : containers) {
    const ptx::Image* image = ptx::newest_ptx(container);
    if (!image || container.relocatable != in_pieces) continue;
    auto text = ptx::unpack(*image);
    if (!text) return text.error();
    // Lines in diagnostics are the PTX's own.
    sources.push_back({std::move(*text), "PTX of " + (image->name.empty() ? origin : image->name)});
  }
  if (!sources.empty()) return sources;
  return Error{fmt::format("{} holds machine code alone, and Warplens runs PTX", origin),
               "rebuild it with -gencode arch=compute_80,code=[sm_80,compute_80]"};
}

template <typename List, typename Name>
uint32_t index_of(const List& list, std::string_view name, Name&& name_of) {
  for (uint32_t i = 0; i < list.size(); i++) {
    if (name_of(list[i]) == name) return i;
  }
  return ir::kNone;
}

}  // namespace

Module::Module(const void* fatbin, std::string origin, std::map<std::string, uint64_t> host_copies)
    : fatbin_(fatbin), host_copies_(std::move(host_copies)), origin_(std::move(origin)) {}

Module::Module(std::vector<PtxText> texts, std::string origin, unsigned device)
    : device_(device), texts_(std::move(texts)), origin_(std::move(origin)) {}

Module::Module(Module& original, unsigned device) : original_(&original), device_(device), origin_(original.origin_) {}

Module::~Module() {
  if (constants_) (void)memory_->free(constants_);
  for (size_t i = 0; i < addresses_.size(); i++) {
    if (!addresses_[i] || is_shared(i) || ir_->symbols[i].bank_offset != ir::kNone) continue;
    if (!memory_->free(addresses_[i])) memory_->forget(addresses_[i]);  // the program's own
  }
}

Status Module::load(exec::DeviceMemory& memory, MachineCode* machine_code) {
  if (!tried_) {
    tried_ = true;
    memory_ = &memory;
    Status status = read(machine_code);
    if (status) status = place_variables();
    if (!status) failure_ = status.error();
  }
  if (failure_) return *failure_;
  return Ok{};
}

// Text -> ptx::Module, joined where the program was compiled in several pieces -> IR.
Status Module::read(MachineCode* machine_code) {
  if (original_) {
    ir_ = original_->ir_;
    well_formed_ = original_->well_formed_;
    unresolved_ = original_->unresolved_;
    return Ok{};
  }
  std::vector<ptx::Container> containers;
  if (fatbin_) {
    auto registered = ptx::read_registered(fatbin_);
    if (!registered) return registered.error();
    containers = std::move(*registered);
  }
  Result<std::vector<PtxText>> sources = fatbin_ ? newest_texts(containers, origin_) : std::move(texts_);
  if (!sources) return sources.error();
  std::vector<ptx::Module> modules;
  for (const PtxText& source : *sources) {
    ptx::ParseResult parsed = ptx::parse(source.text, source.name);
    note(parsed.diagnostics);
    well_formed_ &= std::none_of(parsed.diagnostics.begin(), parsed.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
    modules.push_back(std::move(parsed.module));
  }
  if (modules.size() > 1) {
    lower::LinkResult linked = lower::link(std::move(modules));
    note(linked.diagnostics);
    modules.clear();
    modules.push_back(std::move(linked.module));
  }
  unresolved_ = lower::unresolved_functions(modules.front());
  lower::LowerResult lowered = lower::lower(modules.front(), sources->front().name);
  note(lowered.diagnostics);
  if (machine_code) use_machine_code(*machine_code, containers, *sources, lowered.module);
  ir_ = std::make_shared<const ir::Module>(std::move(lowered.module));
  return Ok{};
}

void Module::use_machine_code(MachineCode& machine_code, const std::vector<ptx::Container>& containers,
                              const std::vector<PtxText>& sources, ir::Module& module) {
  if (module.kernels.empty()) return;
  auto cubin = machine_code.cubin(containers, sources);
  Status used = cubin ? lift::use_machine_code(module, {reinterpret_cast<const uint8_t*>(cubin->data()), cubin->size()},
                                               diagnostics_)
                      : Status(cubin.error());
  if (!used) note({{Severity::Note, origin_, {}, "kernels run as PTX: " + used.error().what, used.error().hint}});
}

void Module::note(const Diagnostics& diagnostics) {
  diagnostics_.insert(diagnostics_.end(), diagnostics.begin(), diagnostics.end());
}

// Of the variables that lie together (ir::Symbol::bank_offset).
Result<uint64_t> Module::constants() {
  if (constants_) return constants_;
  uint64_t bytes = 1;
  for (const ir::Symbol& symbol : ir_->symbols)
    if (symbol.bank_offset != ir::kNone) bytes = std::max(bytes, symbol.bank_offset + symbol.bytes);
  auto room = memory_->allocate(bytes, exec::Allocation::Kind::Symbol);
  if (room) constants_ = *room;
  return room;
}

Result<uint64_t> Module::room_for(const ir::Symbol& symbol) {
  using Kind = exec::Allocation::Kind;
  if (symbol.bank_offset != ir::kNone) {
    auto base = constants();
    return base ? Result<uint64_t>(*base + symbol.bank_offset) : base;
  }
  const uint64_t bytes = std::max<uint64_t>(symbol.bytes, 1);
  const auto copy = host_copies_.find(symbol.name);
  if (!symbol.managed || copy == host_copies_.end())
    return memory_->allocate(bytes, symbol.managed ? Kind::Managed : Kind::Symbol);
  memory_->adopt(copy->second, bytes, Kind::Managed);
  return copy->second;
}

Status Module::place(size_t i) {
  const ir::Symbol& symbol = ir_->symbols[i];
  if (!in_memory(symbol)) return Ok{};
  if (symbol.external)
    return Error{fmt::format("variable {} is declared in {} and defined nowhere", symbol.name, origin_), ""};
  if (is_shared(i)) {
    addresses_[i] = original_->addresses_[i];
    return Ok{};
  }
  auto address = room_for(symbol);
  if (!address) return address.error();
  addresses_[i] = *address;
  // The memory may have been used before.
  auto* bytes = reinterpret_cast<uint8_t*>(*address);
  memset(bytes, 0, symbol.bytes);
  std::copy_n(symbol.initial.begin(), std::min<uint64_t>(symbol.initial.size(), symbol.bytes), bytes);
  return Ok{};
}

Status Module::place_variables() {
  addresses_.assign(ir_->symbols.size(), 0);
  for (size_t i = 0; i < ir_->symbols.size(); i++) {
    if (Status placed = place(i); !placed) return placed;
  }
  for (size_t i = 0; i < ir_->symbols.size(); i++) {
    if (!addresses_[i] || is_shared(i)) continue;
    for (const ir::Symbol::Relocation& relocation : ir_->symbols[i].relocations) {
      uint64_t value = addresses_[relocation.symbol] + static_cast<uint64_t>(relocation.addend);
      memcpy(reinterpret_cast<uint8_t*>(addresses_[i]) + relocation.offset, &value, sizeof value);
    }
  }
  return Ok{};
}

uint32_t Module::find_kernel(std::string_view name) const {
  return index_of(ir_->kernels, name, [](const ir::Kernel& k) -> std::string_view { return k.function.name; });
}

uint32_t Module::find_symbol(std::string_view name) const {
  return index_of(ir_->symbols, name, [](const ir::Symbol& s) -> std::string_view { return s.name; });
}

uint64_t Module::const_bytes() const {
  uint64_t bytes = 0;
  for (const ir::Symbol& symbol : ir_->symbols) bytes += symbol.space == ir::Space::Const ? symbol.bytes : 0;
  return bytes;
}

bool Module::has_variable_at(uint64_t address) const {
  for (size_t i = 0; i < addresses_.size(); i++) {
    if (addresses_[i] == address && !is_shared(i)) return true;
  }
  return false;
}

uint64_t Module::variable_bytes() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < addresses_.size(); i++) {
    if (addresses_[i] && !is_shared(i)) bytes += ir_->symbols[i].bytes;
  }
  return bytes;
}

Module::Loaded& Module::loaded(uint32_t kernel, jit::Engine& engine) {
  Loaded& loaded = loaded_[kernel];
  if (!loaded.handle) loaded.handle = engine.load(ir_, kernel, addresses_);
  return loaded;
}

}  // namespace warplens::session
