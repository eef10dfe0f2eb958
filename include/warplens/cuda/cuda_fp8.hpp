// Programs include this by name; all of it comes with cuda_fp8.h.
#pragma once
#include "cuda_fp8.h"
