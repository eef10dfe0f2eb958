#include "session/machine_code.h"

namespace warplens::session {

Result<std::string> MachineCode::cubin(const std::vector<ptx::Container>& containers,
                                       const std::vector<PtxText>& texts) {
  for (const ptx::Container& container : containers) {
    if (container.relocatable) continue;
    if (const ptx::Image* image = ptx::machine_code_for(container, sm_)) return ptx::unpack(*image);
  }
  if (!ptxas_) ptxas_ = sass::find_ptxas(ptxas_path_, environment_);
  if (!*ptxas_) return ptxas_->error();
  sass::AssembleRequest request;
  for (const PtxText& text : texts) request.texts.push_back(text.text);
  request.sm = sm_;
  request.cache_dir = cache_dir_;
  auto assembled = sass::assemble(**ptxas_, request, environment_);
  if (!assembled) return assembled.error();
  return std::move(assembled->cubin);
}

}  // namespace warplens::session
