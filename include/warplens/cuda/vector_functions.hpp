// Programs include this by name; all of it comes with vector_functions.h.
#pragma once
#include "vector_functions.h"
