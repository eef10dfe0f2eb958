#include "ir/ir.h"

namespace warplens::ir {

int bits(Type type) {
  switch (type) {
    case Type::Void: return 0;
    case Type::Pred: return 1;
    case Type::I8: return 8;
    case Type::I16: return 16;
    case Type::I32: case Type::F32: return 32;
    case Type::I64: case Type::F64: return 64;
  }
  return 0;
}

const OpInfo& info(Op op) {
  static constexpr OpInfo kInfo[] = {
#define WL_OP(name, text, arguments, effects) {text, arguments, Effect::effects},
#include "ir/opcodes.def"
  };
  return kInfo[static_cast<size_t>(op)];
}

ValueId Function::append(BlockId block, Inst inst) {
  inst.block = block;
  insts.push_back(std::move(inst));
  const ValueId id = static_cast<ValueId>(insts.size() - 1);
  blocks[block].insts.push_back(id);
  return id;
}

}  // namespace warplens::ir
