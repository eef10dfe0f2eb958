// Programs include this by name; all of it comes with cuda_runtime_api.h.
#pragma once
#include "cuda_runtime_api.h"
