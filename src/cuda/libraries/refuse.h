// What the thin libraries ask of the core library.
#pragma once

// Says and records, once a function, that it is not supported; `returns`: the code that it gives back.
extern "C" void wl_library_refuse(const char* function, const char* returns);
