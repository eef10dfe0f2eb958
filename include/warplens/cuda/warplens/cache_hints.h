// Loads and stores with a cache operator: __ldca and its kin, of every arithmetic type and vector.
#pragma once
#pragma GCC system_header

// letter: the constraint; word: what the register holds.
#define WARPLENS_LOAD(type, name, op, ptx, letter, word)                                                         \
  WARPLENS_DEVICE type name(const type* p) {                                                                     \
    word v;                                                                                                      \
    asm volatile("ld.global." op "." ptx " %0, [%1];" : "=" letter(v) : "l"(__cvta_generic_to_global(p)) : "memory"); \
    return static_cast<type>(v);                                                                                 \
  }
#define WARPLENS_LOAD2(type, name, op, ptx, letter, word, element)                                               \
  WARPLENS_DEVICE type name(const type* p) {                                                                     \
    word x, y;                                                                                                   \
    asm volatile("ld.global." op ".v2." ptx " {%0, %1}, [%2];"                                                   \
                 : "=" letter(x), "=" letter(y) : "l"(__cvta_generic_to_global(p)) : "memory");                  \
    return type{static_cast<element>(x), static_cast<element>(y)};                                               \
  }
#define WARPLENS_LOAD4(type, name, op, ptx, letter, word, element)                                               \
  WARPLENS_DEVICE type name(const type* p) {                                                                     \
    word x, y, z, w;                                                                                             \
    asm volatile("ld.global." op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                           \
                 : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)                                    \
                 : "l"(__cvta_generic_to_global(p)) : "memory");                                                 \
    return type{static_cast<element>(x), static_cast<element>(y), static_cast<element>(z), static_cast<element>(w)}; \
  }
#define WARPLENS_STORE(type, name, op, ptx, letter, word)                                                        \
  WARPLENS_DEVICE void name(type* p, type v) {                                                                   \
    asm volatile("st.global." op "." ptx " [%0], %1;" ::"l"(__cvta_generic_to_global(p)),                        \
                 letter(static_cast<word>(v)) : "memory");                                                       \
  }
#define WARPLENS_STORE2(type, name, op, ptx, letter, word, element)                                              \
  WARPLENS_DEVICE void name(type* p, type v) {                                                                   \
    asm volatile("st.global." op ".v2." ptx " [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)),               \
                 letter(static_cast<word>(v.x)), letter(static_cast<word>(v.y)) : "memory");                     \
  }
#define WARPLENS_STORE4(type, name, op, ptx, letter, word, element)                                              \
  WARPLENS_DEVICE void name(type* p, type v) {                                                                   \
    asm volatile("st.global." op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)),       \
                 letter(static_cast<word>(v.x)), letter(static_cast<word>(v.y)), letter(static_cast<word>(v.z)), \
                 letter(static_cast<word>(v.w)) : "memory");                                                     \
  }

#define WARPLENS_EACH_TYPE(ONE, TWO, FOUR, name, op)                                    \
  ONE(char, name, op, "s8", "h", short)                                                 \
  ONE(signed char, name, op, "s8", "h", short)                                          \
  ONE(unsigned char, name, op, "u8", "h", unsigned short)                               \
  ONE(short, name, op, "s16", "h", short)                                               \
  ONE(unsigned short, name, op, "u16", "h", unsigned short)                             \
  ONE(int, name, op, "s32", "r", int)                                                   \
  ONE(unsigned int, name, op, "u32", "r", unsigned int)                                 \
  ONE(long, name, op, "s64", "l", long)                                                 \
  ONE(unsigned long, name, op, "u64", "l", unsigned long)                               \
  ONE(long long, name, op, "s64", "l", long long)                                       \
  ONE(unsigned long long, name, op, "u64", "l", unsigned long long)                     \
  ONE(float, name, op, "f32", "f", float)                                               \
  ONE(double, name, op, "f64", "d", double)                                             \
  TWO(char2, name, op, "s8", "h", short, signed char)                                   \
  TWO(uchar2, name, op, "u8", "h", unsigned short, unsigned char)                       \
  TWO(short2, name, op, "s16", "h", short, short)                                       \
  TWO(ushort2, name, op, "u16", "h", unsigned short, unsigned short)                    \
  TWO(int2, name, op, "s32", "r", int, int)                                             \
  TWO(uint2, name, op, "u32", "r", unsigned int, unsigned int)                          \
  TWO(longlong2, name, op, "s64", "l", long long, long long)                            \
  TWO(ulonglong2, name, op, "u64", "l", unsigned long long, unsigned long long)         \
  TWO(float2, name, op, "f32", "f", float, float)                                       \
  TWO(double2, name, op, "f64", "d", double, double)                                    \
  FOUR(char4, name, op, "s8", "h", short, signed char)                                  \
  FOUR(uchar4, name, op, "u8", "h", unsigned short, unsigned char)                      \
  FOUR(short4, name, op, "s16", "h", short, short)                                      \
  FOUR(ushort4, name, op, "u16", "h", unsigned short, unsigned short)                   \
  FOUR(int4, name, op, "s32", "r", int, int)                                            \
  FOUR(uint4, name, op, "u32", "r", unsigned int, unsigned int)                         \
  FOUR(float4, name, op, "f32", "f", float, float)

WARPLENS_EACH_TYPE(WARPLENS_LOAD, WARPLENS_LOAD2, WARPLENS_LOAD4, __ldcg, "cg")
WARPLENS_EACH_TYPE(WARPLENS_LOAD, WARPLENS_LOAD2, WARPLENS_LOAD4, __ldca, "ca")
WARPLENS_EACH_TYPE(WARPLENS_LOAD, WARPLENS_LOAD2, WARPLENS_LOAD4, __ldcs, "cs")
WARPLENS_EACH_TYPE(WARPLENS_LOAD, WARPLENS_LOAD2, WARPLENS_LOAD4, __ldlu, "lu")
WARPLENS_EACH_TYPE(WARPLENS_LOAD, WARPLENS_LOAD2, WARPLENS_LOAD4, __ldcv, "cv")
WARPLENS_EACH_TYPE(WARPLENS_STORE, WARPLENS_STORE2, WARPLENS_STORE4, __stwb, "wb")
WARPLENS_EACH_TYPE(WARPLENS_STORE, WARPLENS_STORE2, WARPLENS_STORE4, __stcg, "cg")
WARPLENS_EACH_TYPE(WARPLENS_STORE, WARPLENS_STORE2, WARPLENS_STORE4, __stcs, "cs")
WARPLENS_EACH_TYPE(WARPLENS_STORE, WARPLENS_STORE2, WARPLENS_STORE4, __stwt, "wt")
#undef WARPLENS_LOAD
#undef WARPLENS_LOAD2
#undef WARPLENS_LOAD4
#undef WARPLENS_STORE
#undef WARPLENS_STORE2
#undef WARPLENS_STORE4
#undef WARPLENS_EACH_TYPE
