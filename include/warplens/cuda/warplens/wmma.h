// The functions of mma.h. PTX names a fragment's registers one by one and has the shape in its opcode: a line below for each
// fragment and for each product makes them.
//
// A pointer says by where it leads whether it is .shared; it is .global otherwise. Fragments of bfloat16, tf32 and double
// stay generic, as in NVIDIA's headers, which for bfloat16 in shared memory is another instruction of the GPU.
#pragma once

namespace nvcuda {
namespace wmma {
namespace warplens {

// Operands of an asm by name: {%[a0],%[a1]} and [a0] "r"(v[0]).
#define WARPLENS_WMMA_LIST_1(x) "{%[" #x "0]}"
#define WARPLENS_WMMA_LIST_2(x) "{%[" #x "0],%[" #x "1]}"
#define WARPLENS_WMMA_LIST_4(x) "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3]}"
#define WARPLENS_WMMA_LIST_8(x) \
  "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3],%[" #x "4],%[" #x "5],%[" #x "6],%[" #x "7]}"
#define WARPLENS_WMMA_PASS_1(x, c, v) [x##0] c((v)[0])
#define WARPLENS_WMMA_PASS_2(x, c, v) WARPLENS_WMMA_PASS_1(x, c, v), [x##1] c((v)[1])
#define WARPLENS_WMMA_PASS_4(x, c, v) WARPLENS_WMMA_PASS_2(x, c, v), [x##2] c((v)[2]), [x##3] c((v)[3])
#define WARPLENS_WMMA_PASS_8(x, c, v) \
  WARPLENS_WMMA_PASS_4(x, c, v), [x##4] c((v)[4]), [x##5] c((v)[5]), [x##6] c((v)[6]), [x##7] c((v)[7])

#define WARPLENS_WMMA_DEVICE static __device__ inline WARPLENS_NO_LINES

// The pointer goes by way of a register `at`: a cast in C++ to a space where it does not lie would not compile.
#define WARPLENS_WMMA_LOAD(which, layout, shape, find, space, type, n, c) \
  asm volatile("{.reg .b64 at;" find " at, %[p];wmma.load." which ".sync.aligned." layout "." shape space "." type " " \
               WARPLENS_WMMA_LIST_##n(d) ", [at], %[s];}" \
               : WARPLENS_WMMA_PASS_##n(d, "=" c, r) \
               : [p] "l"(p), [s] "r"(stride) \
               : "memory")
#define WARPLENS_WMMA_STORE(layout, shape, find, space, type, n, c) \
  asm volatile("{.reg .b64 at;" find " at, %[p];wmma.store.d.sync.aligned." layout "." shape space "." type \
               " [at], " WARPLENS_WMMA_LIST_##n(d) ", %[s];}" \
               : \
               : [p] "l"(p), [s] "r"(stride), WARPLENS_WMMA_PASS_##n(d, c, r) \
               : "memory")
#define WARPLENS_WMMA_BY_SPACE(statement, ...) \
  if (__isShared(p)) { \
    statement(__VA_ARGS__, "cvta.to.shared.u64", ".shared"); \
  } else { \
    statement(__VA_ARGS__, "cvta.to.global.u64", ".global"); \
  }

// Fragments of A and B. ANY: the space is left open.
#define WARPLENS_WMMA_LOAD_IN(which, layout, shape, type, n, c, find, space) \
  WARPLENS_WMMA_LOAD(which, layout, shape, find, space, type, n, c)
#define WARPLENS_WMMA_FIND(which, layout, shape, type, n, c) WARPLENS_WMMA_BY_SPACE(WARPLENS_WMMA_LOAD_IN, which, layout, shape, type, n, c)
#define WARPLENS_WMMA_ANY(which, layout, shape, type, n, c) \
  WARPLENS_WMMA_LOAD(which, layout, shape, "mov.b64", "", type, n, c)
#define WARPLENS_WMMA_OPERAND(use, which, M, N, K, T, type, n, c, find) \
  template <> \
  struct Operand<use, M, N, K, T> { \
    static constexpr int kRegisters = n; \
    typedef typename Element<T>::Register Register; \
    WARPLENS_WMMA_DEVICE void load(bool row, Register* r, const void* p, unsigned stride) { \
      if (row) { \
        find(which, "row", "m" #M "n" #N "k" #K, type, n, c); \
      } else { \
        find(which, "col", "m" #M "n" #N "k" #K, type, n, c); \
      } \
    } \
  };
// s4, u4, b1: A by rows, B by columns.
#define WARPLENS_WMMA_NARROW(use, which, layout, K, T, type) \
  template <> \
  struct Operand<use, 8, 8, K, T> { \
    static constexpr int kRegisters = 1; \
    typedef unsigned Register; \
    WARPLENS_WMMA_DEVICE void load(bool, Register* r, const void* p, unsigned stride) { \
      WARPLENS_WMMA_FIND(which, layout, "m8n8k" #K, type, 1, "r"); \
    } \
  };

#define WARPLENS_WMMA_STORE_IN(layout, shape, type, n, c, find, space) \
  WARPLENS_WMMA_STORE(layout, shape, find, space, type, n, c)
#define WARPLENS_WMMA_FIND_STORE(layout, shape, type, n, c) WARPLENS_WMMA_BY_SPACE(WARPLENS_WMMA_STORE_IN, layout, shape, type, n, c)
#define WARPLENS_WMMA_ANY_STORE(layout, shape, type, n, c) \
  WARPLENS_WMMA_STORE(layout, shape, "mov.b64", "", type, n, c)
#define WARPLENS_WMMA_ACCUMULATOR(M, N, K, T, type, n, c, find) \
  template <> \
  struct Operand<accumulator, M, N, K, T> { \
    static constexpr int kRegisters = n; \
    typedef typename Element<T>::Register Register; \
    WARPLENS_WMMA_DEVICE void load(bool row, Register* r, const void* p, unsigned stride) { \
      if (row) { \
        find("c", "row", "m" #M "n" #N "k" #K, type, n, c); \
      } else { \
        find("c", "col", "m" #M "n" #N "k" #K, type, n, c); \
      } \
    } \
    WARPLENS_WMMA_DEVICE void store(bool row, const Register* r, void* p, unsigned stride) { \
      if (row) { \
        find##_STORE("row", "m" #M "n" #N "k" #K, type, n, c); \
      } else { \
        find##_STORE("col", "m" #M "n" #N "k" #K, type, n, c); \
      } \
    } \
  };

#define WARPLENS_WMMA_FRAGMENTS(M, N, K, bf_a, bf_b, i_a, i_b) \
  WARPLENS_WMMA_OPERAND(matrix_a, "a", M, N, K, __half, "f16", 8, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_OPERAND(matrix_b, "b", M, N, K, __half, "f16", 8, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_OPERAND(matrix_a, "a", M, N, K, __nv_bfloat16, "bf16", bf_a, "r", WARPLENS_WMMA_ANY) \
  WARPLENS_WMMA_OPERAND(matrix_b, "b", M, N, K, __nv_bfloat16, "bf16", bf_b, "r", WARPLENS_WMMA_ANY) \
  WARPLENS_WMMA_OPERAND(matrix_a, "a", M, N, K, signed char, "s8", i_a, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_OPERAND(matrix_b, "b", M, N, K, signed char, "s8", i_b, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_OPERAND(matrix_a, "a", M, N, K, unsigned char, "u8", i_a, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_OPERAND(matrix_b, "b", M, N, K, unsigned char, "u8", i_b, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_ACCUMULATOR(M, N, K, __half, "f16", 4, "r", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_ACCUMULATOR(M, N, K, float, "f32", 8, "f", WARPLENS_WMMA_FIND) \
  WARPLENS_WMMA_ACCUMULATOR(M, N, K, int, "s32", 8, "r", WARPLENS_WMMA_FIND)
WARPLENS_WMMA_FRAGMENTS(16, 16, 16, 4, 4, 2, 2)
WARPLENS_WMMA_FRAGMENTS(32, 8, 16, 8, 2, 4, 1)
WARPLENS_WMMA_FRAGMENTS(8, 32, 16, 2, 8, 1, 4)
WARPLENS_WMMA_OPERAND(matrix_a, "a", 16, 16, 8, wmma::precision::tf32, "tf32", 4, "r", WARPLENS_WMMA_ANY)
WARPLENS_WMMA_OPERAND(matrix_b, "b", 16, 16, 8, wmma::precision::tf32, "tf32", 4, "r", WARPLENS_WMMA_ANY)
WARPLENS_WMMA_ACCUMULATOR(16, 16, 8, float, "f32", 8, "f", WARPLENS_WMMA_FIND)
WARPLENS_WMMA_OPERAND(matrix_a, "a", 8, 8, 4, double, "f64", 1, "d", WARPLENS_WMMA_ANY)
WARPLENS_WMMA_OPERAND(matrix_b, "b", 8, 8, 4, double, "f64", 1, "d", WARPLENS_WMMA_ANY)
WARPLENS_WMMA_ACCUMULATOR(8, 8, 4, double, "f64", 2, "d", WARPLENS_WMMA_ANY)
WARPLENS_WMMA_NARROW(matrix_a, "a", "row", 32, experimental::precision::s4, "s4")
WARPLENS_WMMA_NARROW(matrix_b, "b", "col", 32, experimental::precision::s4, "s4")
WARPLENS_WMMA_NARROW(matrix_a, "a", "row", 32, experimental::precision::u4, "u4")
WARPLENS_WMMA_NARROW(matrix_b, "b", "col", 32, experimental::precision::u4, "u4")
WARPLENS_WMMA_ACCUMULATOR(8, 8, 32, int, "s32", 2, "r", WARPLENS_WMMA_FIND)
WARPLENS_WMMA_NARROW(matrix_a, "a", "row", 128, experimental::precision::b1, "b1")
WARPLENS_WMMA_NARROW(matrix_b, "b", "col", 128, experimental::precision::b1, "b1")
WARPLENS_WMMA_ACCUMULATOR(8, 8, 128, int, "s32", 2, "r", WARPLENS_WMMA_FIND)

// ---- products

#define WARPLENS_WMMA_MMA(prefix, layouts, shape, types, nd, na, nb, nc, cd, ci, cc) \
  asm volatile("wmma.mma" prefix ".sync.aligned." layouts "." shape "." types " " WARPLENS_WMMA_LIST_##nd(d) "," WARPLENS_WMMA_LIST_##na(a) \
               "," WARPLENS_WMMA_LIST_##nb(b) "," WARPLENS_WMMA_LIST_##nc(c) ";" \
               : WARPLENS_WMMA_PASS_##nd(d, "=" cd, d) \
               : WARPLENS_WMMA_PASS_##na(a, ci, a), WARPLENS_WMMA_PASS_##nb(b, ci, b), WARPLENS_WMMA_PASS_##nc(c, cc, c))
#define WARPLENS_WMMA_ALL_LAYOUTS(shape, types, nd, na, nb, nc, cd, ci, cc) \
  if (row_a && row_b) { \
    WARPLENS_WMMA_MMA("", "row.row", shape, types, nd, na, nb, nc, cd, ci, cc); \
  } else if (row_a) { \
    WARPLENS_WMMA_MMA("", "row.col", shape, types, nd, na, nb, nc, cd, ci, cc); \
  } else if (row_b) { \
    WARPLENS_WMMA_MMA("", "col.row", shape, types, nd, na, nb, nc, cd, ci, cc); \
  } else { \
    WARPLENS_WMMA_MMA("", "col.col", shape, types, nd, na, nb, nc, cd, ci, cc); \
  }
#define WARPLENS_WMMA_PRODUCT_HEAD(M, N, K, A, C, D) \
  template <> \
  struct Product<M, N, K, A, C, D> { \
    template <bool row_a, bool row_b, bool saturate> \
    WARPLENS_WMMA_DEVICE void run(typename Element<D>::Register* d, const typename Element<A>::Register* a, \
                         const typename Element<A>::Register* b, const typename Element<C>::Register* c)
#define WARPLENS_WMMA_PRODUCT(M, N, K, A, C, D, types, nd, na, nb, nc, cd, ci, cc) \
  WARPLENS_WMMA_PRODUCT_HEAD(M, N, K, A, C, D) { \
    WARPLENS_WMMA_ALL_LAYOUTS("m" #M "n" #N "k" #K, types, nd, na, nb, nc, cd, ci, cc) \
  } \
  };
#define WARPLENS_WMMA_INTEGER_PRODUCT(M, N, K, A, type, nd, na, nb) \
  WARPLENS_WMMA_PRODUCT_HEAD(M, N, K, A, int, int) { \
    if constexpr (saturate) { \
      WARPLENS_WMMA_ALL_LAYOUTS("m" #M "n" #N "k" #K, "s32." type "." type ".s32.satfinite", nd, na, nb, nd, "r", "r", "r") \
    } else { \
      WARPLENS_WMMA_ALL_LAYOUTS("m" #M "n" #N "k" #K, "s32." type "." type ".s32", nd, na, nb, nd, "r", "r", "r") \
    } \
  } \
  };
#define WARPLENS_WMMA_NARROW_PRODUCT(A, type) \
  WARPLENS_WMMA_PRODUCT_HEAD(8, 8, 32, A, int, int) { \
    if constexpr (saturate) { \
      WARPLENS_WMMA_MMA("", "row.col", "m8n8k32", "s32." type "." type ".s32.satfinite", 2, 1, 1, 2, "r", "r", "r"); \
    } else { \
      WARPLENS_WMMA_MMA("", "row.col", "m8n8k32", "s32." type "." type ".s32", 2, 1, 1, 2, "r", "r", "r"); \
    } \
  } \
  };

#define WARPLENS_WMMA_PRODUCTS(M, N, K, bf_a, bf_b, i_a, i_b) \
  WARPLENS_WMMA_PRODUCT(M, N, K, __half, __half, __half, "f16.f16", 4, 8, 8, 4, "r", "r", "r") \
  WARPLENS_WMMA_PRODUCT(M, N, K, __half, float, float, "f32.f32", 8, 8, 8, 8, "f", "r", "f") \
  WARPLENS_WMMA_PRODUCT(M, N, K, __half, __half, float, "f32.f16", 8, 8, 8, 4, "f", "r", "r") \
  WARPLENS_WMMA_PRODUCT(M, N, K, __half, float, __half, "f16.f32", 4, 8, 8, 8, "r", "r", "f") \
  WARPLENS_WMMA_PRODUCT(M, N, K, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", 8, bf_a, bf_b, 8, "f", "r", "f") \
  WARPLENS_WMMA_INTEGER_PRODUCT(M, N, K, signed char, "s8", 8, i_a, i_b) \
  WARPLENS_WMMA_INTEGER_PRODUCT(M, N, K, unsigned char, "u8", 8, i_a, i_b)
WARPLENS_WMMA_PRODUCTS(16, 16, 16, 4, 4, 2, 2)
WARPLENS_WMMA_PRODUCTS(32, 8, 16, 8, 2, 4, 1)
WARPLENS_WMMA_PRODUCTS(8, 32, 16, 2, 8, 1, 4)
WARPLENS_WMMA_PRODUCT(16, 16, 8, wmma::precision::tf32, float, float, "f32.tf32.tf32.f32", 8, 4, 4, 8, "f", "r", "f")
WARPLENS_WMMA_PRODUCT(8, 8, 4, double, double, double, "f64.f64.f64.f64", 2, 1, 1, 2, "d", "d", "d")
WARPLENS_WMMA_NARROW_PRODUCT(experimental::precision::s4, "s4")
WARPLENS_WMMA_NARROW_PRODUCT(experimental::precision::u4, "u4")

WARPLENS_WMMA_DEVICE void multiply_bits(bool exclusive, unsigned* d, const unsigned* a, const unsigned* b, const unsigned* c) {
  if (exclusive) {
    WARPLENS_WMMA_MMA(".xor.popc", "row.col", "m8n8k128", "s32.b1.b1.s32", 2, 1, 1, 2, "r", "r", "r");
  } else {
    WARPLENS_WMMA_MMA(".and.popc", "row.col", "m8n8k128", "s32.b1.b1.s32", 2, 1, 1, 2, "r", "r", "r");
  }
}

// A fragment's registers.
template <typename Fragment, typename Register, int n>
struct Registers {
  Register r[n];
  WARPLENS_MEMBER Registers() = default;
  WARPLENS_MEMBER explicit Registers(const Fragment& f) { __builtin_memcpy(r, f.x, sizeof r); }
  WARPLENS_MEMBER void put(Fragment& f) const { __builtin_memcpy(f.x, r, sizeof r); }
};
template <typename Use, int M, int N, int K, typename T, typename Layout>
using RegistersOf = Registers<fragment<Use, M, N, K, T, Layout>, typename Element<T>::Register,
                              Operand<Use, M, N, K, T>::kRegisters>;

}  // namespace warplens

template <typename Use, int M, int N, int K, typename T, typename Layout>
__device__ inline WARPLENS_NO_LINES void fill_fragment(
    fragment<Use, M, N, K, T, Layout>& f, const typename fragment<Use, M, N, K, T, Layout>::storage_element_type& v) {
  for (int i = 0; i < f.num_storage_elements; ++i) f.x[i] = v;
}

template <typename Use, int M, int N, int K, typename T, typename Layout>
__device__ inline WARPLENS_NO_LINES void load_matrix_sync(
    fragment<Use, M, N, K, T, Layout>& f, const typename warplens::Element<T>::InMemory* p, unsigned stride) {
  warplens::RegistersOf<Use, M, N, K, T, Layout> r;
  warplens::Operand<Use, M, N, K, T>::load(warplens::IsRow<Layout>::value, r.r, p, stride);
  r.put(f);
}
template <int M, int N, int K, typename T>
__device__ inline WARPLENS_NO_LINES void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p,
                                                          unsigned stride, layout_t layout) {
  warplens::RegistersOf<accumulator, M, N, K, T, void> r;
  warplens::Operand<accumulator, M, N, K, T>::load(layout == mem_row_major, r.r, p, stride);
  r.put(f);
}
template <int M, int N, int K, typename T>
__device__ inline WARPLENS_NO_LINES void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f,
                                                           unsigned stride, layout_t layout) {
  const warplens::RegistersOf<accumulator, M, N, K, T, void> r(f);
  warplens::Operand<accumulator, M, N, K, T>::store(layout == mem_row_major, r.r, p, stride);
}

template <int M, int N, int K, typename A, typename LA, typename LB, typename C, typename D>
__device__ inline WARPLENS_NO_LINES void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                                  const fragment<matrix_a, M, N, K, A, LA>& a,
                                                  const fragment<matrix_b, M, N, K, A, LB>& b,
                                                  const fragment<accumulator, M, N, K, C>& c, bool satf = false) {
  const warplens::RegistersOf<matrix_a, M, N, K, A, LA> ra(a);
  const warplens::RegistersOf<matrix_b, M, N, K, A, LB> rb(b);
  const warplens::RegistersOf<accumulator, M, N, K, C, void> rc(c);
  warplens::RegistersOf<accumulator, M, N, K, D, void> rd;
  constexpr bool row_a = warplens::IsRow<LA>::value, row_b = warplens::IsRow<LB>::value;
  typedef warplens::Product<M, N, K, A, C, D> Product;
  if (satf)
    Product::template run<row_a, row_b, true>(rd.r, ra.r, rb.r, rc.r);
  else
    Product::template run<row_a, row_b, false>(rd.r, ra.r, rb.r, rc.r);
  rd.put(d);
}

template <typename LA, typename LB>
__device__ inline WARPLENS_NO_LINES void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, LA>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, LB>& b,
    const fragment<accumulator, 8, 8, 128, int>& c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  const warplens::RegistersOf<accumulator, 8, 8, 128, int, void> rc(c);
  warplens::RegistersOf<accumulator, 8, 8, 128, int, void> rd;
  warplens::multiply_bits(op == experimental::bmmaBitOpXOR, rd.r, a.x, b.x, rc.r);
  rd.put(d);
}
namespace experimental {
using wmma::bmma_sync;
}

__device__ inline WARPLENS_NO_LINES float __float_to_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

}  // namespace wmma
}  // namespace nvcuda
