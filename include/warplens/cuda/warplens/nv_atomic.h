// nvcc's own atomic functions (__nv_atomic_...), with a memory order and a scope. Blocks, devices and the system see one order
// of all accesses here, so order and scope choose the fence and the instruction's scope, not the result.
#pragma once
#pragma GCC system_header

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

WARPLENS_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
  else
    __threadfence();
}

namespace warplens_atomic {

WARPLENS_DEVICE void before(int order, int scope) {
  if (order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL || order == __NV_ATOMIC_SEQ_CST)
    __nv_atomic_thread_fence(order, scope);
}
WARPLENS_DEVICE void after(int order, int scope) {
  if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
}

// The element type that atomicAdd and its kin have for a type of the same size and kind.
template <int kBytes, bool kSigned>
struct Element;
template <>
struct Element<4, true> {
  typedef int type;
};
template <>
struct Element<4, false> {
  typedef unsigned int type;
};
template <>
struct Element<8, true> {
  typedef long long type;
};
template <>
struct Element<8, false> {
  typedef unsigned long long type;
};
template <typename T>
constexpr bool kNegative = static_cast<T>(-1) < static_cast<T>(1);
template <typename T>
using SignedElement = typename Element<sizeof(T), kNegative<T>>::type;
template <typename T>
using Bits = typename Element<sizeof(T), false>::type;
// Integers are added as bits, floats as they are.
template <typename T, bool kFloat = static_cast<T>(0.5) != 0>
struct Addend {
  typedef Bits<T> type;
};
template <typename T>
struct Addend<T, true> {
  typedef T type;
};

// do_NAME(pointer, value, scope) of the element type E.
#define WARPLENS_SCOPED(name, atomic)                                          \
  template <typename E>                                                        \
  WARPLENS_DEVICE E do_##name(E* p, E v, int scope) {                          \
    if (scope <= __NV_THREAD_SCOPE_BLOCK) return atomic##_block(p, v);         \
    return scope == __NV_THREAD_SCOPE_SYSTEM ? atomic##_system(p, v) : atomic(p, v); \
  }
WARPLENS_SCOPED(add, atomicAdd)
WARPLENS_SCOPED(and, atomicAnd)
WARPLENS_SCOPED(or, atomicOr)
WARPLENS_SCOPED(xor, atomicXor)
WARPLENS_SCOPED(min, atomicMin)
WARPLENS_SCOPED(max, atomicMax)
WARPLENS_SCOPED(exchange, atomicExch)
#undef WARPLENS_SCOPED
template <typename E>
WARPLENS_DEVICE E do_cas(E* p, E expected, E v, int scope) {
  if (scope <= __NV_THREAD_SCOPE_BLOCK) return atomicCAS_block(p, expected, v);
  return scope == __NV_THREAD_SCOPE_SYSTEM ? atomicCAS_system(p, expected, v) : atomicCAS(p, expected, v);
}

}  // namespace warplens_atomic

#define WARPLENS_FETCH(name, element)                                                                              \
  template <typename T, typename V>                                                                                \
  WARPLENS_DEVICE T __nv_atomic_fetch_##name(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {         \
    typedef element E;                                                                                             \
    warplens_atomic::before(order, scope);                                                                         \
    const E old = warplens_atomic::do_##name(reinterpret_cast<E*>(p), static_cast<E>(static_cast<T>(v)), scope);   \
    warplens_atomic::after(order, scope);                                                                          \
    return static_cast<T>(old);                                                                                    \
  }                                                                                                                \
  template <typename T, typename V>                                                                                \
  WARPLENS_DEVICE void __nv_atomic_##name(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {            \
    __nv_atomic_fetch_##name(p, v, order, scope);                                                                  \
  }
WARPLENS_FETCH(add, typename warplens_atomic::Addend<T>::type)
WARPLENS_FETCH(and, warplens_atomic::Bits<T>)
WARPLENS_FETCH(or, warplens_atomic::Bits<T>)
WARPLENS_FETCH(xor, warplens_atomic::Bits<T>)
WARPLENS_FETCH(min, warplens_atomic::SignedElement<T>)
WARPLENS_FETCH(max, warplens_atomic::SignedElement<T>)
#undef WARPLENS_FETCH
template <typename T, typename V>
WARPLENS_DEVICE T __nv_atomic_fetch_sub(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_fetch_add(p, static_cast<T>(-static_cast<T>(v)), order, scope);
}
template <typename T, typename V>
WARPLENS_DEVICE void __nv_atomic_sub(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_fetch_sub(p, v, order, scope);
}

template <typename T>
WARPLENS_DEVICE T __nv_atomic_load_n(const T* p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order, scope);
  const T v = *const_cast<const volatile T*>(p);
  warplens_atomic::after(order, scope);
  return v;
}
template <typename T>
WARPLENS_DEVICE void __nv_atomic_load(const T* p, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(p, order, scope);
}
template <typename T, typename V>
WARPLENS_DEVICE void __nv_atomic_store_n(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  warplens_atomic::before(order, scope);
  *const_cast<volatile T*>(p) = static_cast<T>(v);
}
template <typename T>
WARPLENS_DEVICE void __nv_atomic_store(T* p, T* v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(p, *v, order, scope);
}
template <typename T, typename V>
WARPLENS_DEVICE T __nv_atomic_exchange_n(T* p, V v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef warplens_atomic::Bits<T> E;
  warplens_atomic::before(order, scope);
  const E old = warplens_atomic::do_exchange(reinterpret_cast<E*>(p), __builtin_bit_cast(E, static_cast<T>(v)), scope);
  warplens_atomic::after(order, scope);
  return __builtin_bit_cast(T, old);
}
template <typename T>
WARPLENS_DEVICE void __nv_atomic_exchange(T* p, T* v, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(p, *v, order, scope);
}
template <typename T, typename V>
WARPLENS_DEVICE bool __nv_atomic_compare_exchange_n(T* p, T* expected, V v, bool, int order, int,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  typedef warplens_atomic::Bits<T> E;
  const E want = __builtin_bit_cast(E, *expected);
  warplens_atomic::before(order, scope);
  const E old = warplens_atomic::do_cas(reinterpret_cast<E*>(p), want, __builtin_bit_cast(E, static_cast<T>(v)), scope);
  warplens_atomic::after(order, scope);
  *expected = __builtin_bit_cast(T, old);
  return old == want;
}
template <typename T>
WARPLENS_DEVICE bool __nv_atomic_compare_exchange(T* p, T* expected, T* v, bool weak, int order, int failure,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(p, expected, *v, weak, order, failure, scope);
}
