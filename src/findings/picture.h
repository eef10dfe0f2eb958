// An access as a picture in text: which lane's bytes lie in which sector, or in which bank of shared memory.
#pragma once
#include <string>

#include "findings/access.h"

namespace warplens::findings {

// Of the block's first warp with all its lanes, by the law of the access; at most `width` columns, plain ASCII. Where
// the law is not known, a sentence that says so, with the patterns that were seen. Of shared memory also with rows of
// one element more, where that helps.
std::string picture(const Access& access, int width);

}  // namespace warplens::findings
