// What mma.sp computes, with every selector and with metadata in and out of order, and what mma.m8n8k4 of f16, which is
// Volta's: as tensor_cores.cu. sparse_tensor_cores.h200.txt is what an H200 prints.
#include "matrix_cases.cuh"

// Four bits a group: the two columns of four that hold something, or one of two for TF32.
enum Metadata { kOrdered, kOrderedTf32, kAny };
__global__ void fill_metadata(uint64_t* slots, int how) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t h = mix(mix(i) + 9000);
  const unsigned pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  uint32_t word = 0;
  for (int k = 0; k < 8; k++) {
    const unsigned r = h >> (8 * k) & 255;
    word |= (how == kOrdered ? pairs[r % 6] : how == kOrderedTf32 ? pairs[r % 2 * 5] : r % 16) << (4 * k);
  }
  slots[i] = word;
}

#define SPARSE(id, instruction, na, nb, nc)                                                                     \
  template <int kSelector>                                                                                      \
  struct id {                                                                                                   \
    static constexpr int kRegisters = nc;                                                                       \
    static __device__ void run(const uint64_t* a, const uint64_t* b, const uint64_t* c, uint64_t* d,           \
                               const uint64_t* e) {                                                             \
      asm volatile("{.reg .b32 a<8>, b<8>, c<8>, d<8>, e;" L##na("b32", "a", "%0") L##nb("b32", "b", "%1")      \
                       L##nc("b32", "c", "%2") "ld.global.b32 e,[%4];" instruction " " V##nc("d") "," V##na("a") \
                           "," V##nb("b") "," V##nc("c") ",e,%5;" S##nc("b32") "}" ::"l"(a),                    \
                   "l"(b), "l"(c), "l"(d), "l"(e), "n"(kSelector)                                               \
                   : "memory");                                                                                 \
    }                                                                                                           \
  };
#define SP(shape, types) "mma.sp::ordered_metadata.sync.aligned." shape ".row.col." types
SPARSE(F16K16F16, SP("m16n8k16", "f16.f16.f16.f16"), 2, 2, 2)
SPARSE(F16K16F32, SP("m16n8k16", "f32.f16.f16.f32"), 2, 2, 4)
SPARSE(F16K32F16, SP("m16n8k32", "f16.f16.f16.f16"), 4, 4, 2)
SPARSE(F16K32F32, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4)
SPARSE(Bf16K16, SP("m16n8k16", "f32.bf16.bf16.f32"), 2, 2, 4)
SPARSE(Bf16K32, SP("m16n8k32", "f32.bf16.bf16.f32"), 4, 4, 4)
SPARSE(Tf32K8, SP("m16n8k8", "f32.tf32.tf32.f32"), 2, 2, 4)
SPARSE(Tf32K16, SP("m16n8k16", "f32.tf32.tf32.f32"), 4, 4, 4)
SPARSE(E4m3E4m3, SP("m16n8k64", "f32.e4m3.e4m3.f32"), 4, 4, 4)
SPARSE(E4m3E5m2, SP("m16n8k64", "f32.e4m3.e5m2.f32"), 4, 4, 4)
SPARSE(E5m2E4m3, SP("m16n8k64", "f32.e5m2.e4m3.f32"), 4, 4, 4)
SPARSE(E5m2E5m2, SP("m16n8k64", "f32.e5m2.e5m2.f32"), 4, 4, 4)
#define INTEGERS(id, x, y, k, kk)                                 \
  SPARSE(id, SP("m16n8" k, "s32." x "." y ".s32"), 2, 2, 4)       \
  SPARSE(id##Long, SP("m16n8" kk, "s32." x "." y ".s32"), 4, 4, 4) \
  SPARSE(id##Sat, SP("m16n8" kk, "satfinite.s32." x "." y ".s32"), 4, 4, 4)
INTEGERS(S8S8, "s8", "s8", "k32", "k64")
INTEGERS(S8U8, "s8", "u8", "k32", "k64")
INTEGERS(U8S8, "u8", "s8", "k32", "k64")
INTEGERS(U8U8, "u8", "u8", "k32", "k64")
INTEGERS(S4S4, "s4", "s4", "k64", "k128")
INTEGERS(S4U4, "s4", "u4", "k64", "k128")
INTEGERS(U4S4, "u4", "s4", "k64", "k128")
INTEGERS(U4U4, "u4", "u4", "k64", "k128")

template <class Mma>
static void sparse(const char* name, int selector, Format fa, Format fb, Format fc, bool pairs = true) {
  char full[80];
  for (const bool any : {false, true}) {
    if (any && !pairs) continue;  // PTX does not say what other bits mean
    fill_metadata<<<kWords / 256, 256>>>(operands().e, any ? kAny : pairs ? kOrdered : kOrderedTf32);
    snprintf(full, sizeof full, "%s.%d%s", name, selector, any ? ".any" : "");
    mma<Mma>(full, fa, fb, fc, any ? 1 : kClasses);
  }
}
#define ONE(id, name, s, ...) sparse<id<s>>("mma.sp." name, s, __VA_ARGS__);
#define TWO(id, name, ...) ONE(id, name, 0, __VA_ARGS__) ONE(id, name, 1, __VA_ARGS__)
#define FOUR(id, name, ...) TWO(id, name, __VA_ARGS__) ONE(id, name, 2, __VA_ARGS__) ONE(id, name, 3, __VA_ARGS__)

static void all_sparse() {
  FOUR(F16K16F16, "m16n8k16.f16.f16", kF16, kF16, kF16)
  FOUR(F16K16F32, "m16n8k16.f32.f16", kF16, kF16, kF32)
  TWO(F16K32F16, "m16n8k32.f16.f16", kF16, kF16, kF16)
  TWO(F16K32F32, "m16n8k32.f32.f16", kF16, kF16, kF32)
  FOUR(Bf16K16, "m16n8k16.f32.bf16", kBf16, kBf16, kF32)
  TWO(Bf16K32, "m16n8k32.f32.bf16", kBf16, kBf16, kF32)
  FOUR(Tf32K8, "m16n8k8.f32.tf32", kF32, kF32, kF32, false)
  TWO(Tf32K16, "m16n8k16.f32.tf32", kF32, kF32, kF32, false)
  ONE(E4m3E4m3, "m16n8k64.f32.e4m3.e4m3", 0, kE4m3, kE4m3, kF32)
  ONE(E4m3E5m2, "m16n8k64.f32.e4m3.e5m2", 0, kE4m3, kE5m2, kF32)
  ONE(E5m2E4m3, "m16n8k64.f32.e5m2.e4m3", 0, kE5m2, kE4m3, kF32)
  ONE(E5m2E5m2, "m16n8k64.f32.e5m2.e5m2", 0, kE5m2, kE5m2, kF32)
#define RUN_INTEGERS(id, name)                            \
  TWO(id, "m16n8." name, kByte, kByte, kInt)              \
  ONE(id##Long, "m16n8.long." name, 0, kByte, kByte, kInt) \
  ONE(id##Sat, "m16n8.long.satfinite." name, 0, kByte, kByte, kInt)
  RUN_INTEGERS(S8S8, "s8.s8")
  RUN_INTEGERS(S8U8, "s8.u8")
  RUN_INTEGERS(U8S8, "u8.s8")
  RUN_INTEGERS(U8U8, "u8.u8")
  RUN_INTEGERS(S4S4, "s4.s4")
  RUN_INTEGERS(S4U4, "s4.u4")
  RUN_INTEGERS(U4S4, "u4.s4")
  RUN_INTEGERS(U4U4, "u4.u4")
}

// ---- Volta's: four products of 8x8x4 at a time

#define QUARTERS(id, layouts, d_type, c_type, nc, nd)                                                            \
  struct id {                                                                                                   \
    static constexpr int kRegisters = nd;                                                                       \
    static __device__ void run(const uint64_t* a, const uint64_t* b, const uint64_t* c, uint64_t* d,           \
                               const uint64_t*) {                                                               \
      asm volatile("{.reg .b32 a<8>, b<8>, c<8>, d<8>;" L2("b32", "a", "%0") L2("b32", "b", "%1")               \
                       L##nc("b32", "c", "%2") "mma.sync.aligned.m8n8k4." layouts "." d_type ".f16.f16." c_type  \
                           " " V##nd("d") "," V2("a") "," V2("b") "," V##nc("c") ";" S##nd("b32") "}" ::"l"(a), \
                   "l"(b), "l"(c), "l"(d)                                                                       \
                   : "memory");                                                                                 \
    }                                                                                                           \
  };
#define LAYOUTS(id, layouts)                         \
  QUARTERS(id##F16, layouts, "f16", "f16", 4, 4)     \
  QUARTERS(id##Mixed, layouts, "f32", "f16", 4, 8)   \
  QUARTERS(id##F32, layouts, "f32", "f32", 8, 8)
LAYOUTS(RowRow, "row.row")
LAYOUTS(RowCol, "row.col")
LAYOUTS(ColRow, "col.row")
LAYOUTS(ColCol, "col.col")

static void all_quarters() {
#define RUN_LAYOUTS(id, name)                                            \
  mma<id##F16>("mma.m8n8k4." name ".f16.f16", kF16, kF16, kF16);         \
  mma<id##Mixed>("mma.m8n8k4." name ".f32.f16", kF16, kF16, kF16);       \
  mma<id##F32>("mma.m8n8k4." name ".f32.f32", kF16, kF16, kF32);
  RUN_LAYOUTS(RowRow, "row.row")
  RUN_LAYOUTS(RowCol, "row.col")
  RUN_LAYOUTS(ColRow, "col.row")
  RUN_LAYOUTS(ColCol, "col.col")
}

int main(int argc, char** argv) {
  if (argc > 1) dump = fopen(argv[1], "wb");
  all_sparse();
  all_quarters();
  if (dump) fclose(dump);
  return 0;
}
