// Programs include this by name; all of it comes with cuda_pipeline.h.
#pragma once
#include "cuda_pipeline.h"
