// Programs include this by name; all of it comes with cuda_bf16.h.
#pragma once
#include "cuda_bf16.h"
