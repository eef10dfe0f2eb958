// data/cudart_static.txt, which is built in.
#pragma once
#include "elf/runtime_table.h"

namespace warplens::elf {

RuntimeTable known_runtimes();

}  // namespace warplens::elf
