// Programs include this by name; all of it comes with mma.h.
#pragma once
#include "mma.h"
