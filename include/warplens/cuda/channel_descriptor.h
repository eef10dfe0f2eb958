// cudaCreateChannelDesc<T>(): the format of a texel of type T.
#pragma once
#pragma GCC system_header
#include "cuda_runtime_api.h"

#if defined(__cplusplus)
template <typename T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define WARPLENS_CHANNEL(type, bits, channels, kind)                                                                \
  template <>                                                                                                       \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                                      \
    return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0,   \
                                 cudaChannelFormatKind##kind);                                                      \
  }
#define WARPLENS_CHANNELS(name, element, bits, kind)   \
  WARPLENS_CHANNEL(element, bits, 1, kind)             \
  WARPLENS_CHANNEL(name##1, bits, 1, kind)             \
  WARPLENS_CHANNEL(name##2, bits, 2, kind)             \
  WARPLENS_CHANNEL(name##4, bits, 4, kind)
WARPLENS_CHANNEL(char, 8, 1, Signed)
WARPLENS_CHANNELS(char, signed char, 8, Signed)
WARPLENS_CHANNELS(uchar, unsigned char, 8, Unsigned)
WARPLENS_CHANNELS(short, short, 16, Signed)
WARPLENS_CHANNELS(ushort, unsigned short, 16, Unsigned)
WARPLENS_CHANNELS(int, int, 32, Signed)
WARPLENS_CHANNELS(uint, unsigned int, 32, Unsigned)
WARPLENS_CHANNELS(float, float, 32, Float)
#undef WARPLENS_CHANNELS
#undef WARPLENS_CHANNEL

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif
