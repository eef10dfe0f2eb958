// Where the machine code of a run's kernels comes from: the program itself, or NVIDIA's assembler.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "ptx/fatbin.h"
#include "sass/compile.h"
#include "session/session.h"

namespace warplens::session {

class MachineCode {
 public:
  // `sm`: of the GPU, 90 for 9.0. `ptxas`: its path, or "" to look for one. `cache_dir`: "" keeps nothing.
  MachineCode(uint32_t sm, std::string ptxas, std::string cache_dir, Environment environment)
      : sm_(sm),
        ptxas_path_(std::move(ptxas)),
        cache_dir_(std::move(cache_dir)),
        environment_(std::move(environment)) {}

  // A cubin for the GPU: the one in a container that the GPU would take, else `texts` (PTX) assembled. Error: why there
  // is none.
  Result<std::string> cubin(const std::vector<ptx::Container>& containers, const std::vector<PtxText>& texts);

 private:
  uint32_t sm_;
  std::string ptxas_path_, cache_dir_;
  Environment environment_;
  std::optional<Result<sass::Ptxas>> ptxas_;  // looked for when first needed
};

}  // namespace warplens::session
