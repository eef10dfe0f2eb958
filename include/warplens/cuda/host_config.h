// Programs include this by name; all of it comes with crt/host_defines.h.
#pragma once
#include "crt/host_defines.h"
