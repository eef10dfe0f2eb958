// Programs include this by name; all of it comes with cuda_fp16.h.
#pragma once
#include "cuda_fp16.h"
