// clang's own intrinsics header asks for this file: the warp-wide matches and the rest that came with compute
// capability 7.0, over clang's wrappers.
#pragma once
#pragma GCC system_header

#define WARPLENS_MATCH(type, bits)                                                                      \
  WARPLENS_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {      \
    return __match##bits##_any_sync(mask, value);                                                       \
  }                                                                                                     \
  WARPLENS_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* all) { \
    return __match##bits##_all_sync(mask, value, all);                                                  \
  }
WARPLENS_MATCH(unsigned int, 32)
WARPLENS_MATCH(int, 32)
WARPLENS_MATCH(unsigned long, 64)
WARPLENS_MATCH(long, 64)
WARPLENS_MATCH(unsigned long long, 64)
WARPLENS_MATCH(long long, 64)
#undef WARPLENS_MATCH

WARPLENS_DEVICE unsigned int __match_any_sync(unsigned int mask, float value) {
  return __match32_any_sync(mask, __float_as_uint(value));
}
WARPLENS_DEVICE unsigned int __match_any_sync(unsigned int mask, double value) {
  return __match64_any_sync(mask, __double_as_longlong(value));
}
WARPLENS_DEVICE unsigned int __match_all_sync(unsigned int mask, float value, int* all) {
  return __match32_all_sync(mask, __float_as_uint(value), all);
}
WARPLENS_DEVICE unsigned int __match_all_sync(unsigned int mask, double value, int* all) {
  return __match64_all_sync(mask, __double_as_longlong(value), all);
}
WARPLENS_DEVICE void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
