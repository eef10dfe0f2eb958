// cublasLt's functions: handles, descriptors and their attributes, and the choice of an algorithm, of which there is
// one.
#include "cuda/blas/lt.h"

#include <cstring>

#include "cuda/driver/driver.h"

namespace warplens::cuda::blas {
namespace {

// One attribute: where in the descriptor it is.
struct Attribute {
  int number;
  size_t offset, bytes;
};

#define WL_FIELD(number, Struct, member) {number, offsetof(Struct, member), sizeof(Struct::member)}
constexpr Attribute kLayoutAttributes[] = {  // cublasLtMatrixLayoutAttribute_t
    WL_FIELD(0, LtLayout, type),    WL_FIELD(1, LtLayout, order),        WL_FIELD(2, LtLayout, rows),
    WL_FIELD(3, LtLayout, columns), WL_FIELD(4, LtLayout, leading),      WL_FIELD(5, LtLayout, batches),
    WL_FIELD(6, LtLayout, stride),  WL_FIELD(7, LtLayout, plane_offset), WL_FIELD(8, LtLayout, batch_mode)};
constexpr Attribute kMatmulAttributes[] = {  // cublasLtMatmulDescAttributes_t
    WL_FIELD(0, LtMatmul, compute),
    WL_FIELD(1, LtMatmul, scale),
    WL_FIELD(2, LtMatmul, pointer_mode),
    WL_FIELD(3, LtMatmul, op_a),
    WL_FIELD(4, LtMatmul, op_b),
    WL_FIELD(5, LtMatmul, op_c),
    WL_FIELD(6, LtMatmul, fill),
    WL_FIELD(7, LtMatmul, epilogue),
    WL_FIELD(8, LtMatmul, bias),
    WL_FIELD(10, LtMatmul, bias_stride),
    WL_FIELD(11, LtMatmul, aux),
    WL_FIELD(12, LtMatmul, aux_leading),
    WL_FIELD(13, LtMatmul, aux_stride),
    WL_FIELD(14, LtMatmul, alpha_stride),
    WL_FIELD(15, LtMatmul, sm_count_target),
    WL_FIELD(22, LtMatmul, aux_type),
    WL_FIELD(25, LtMatmul, fast_accumulate),
    WL_FIELD(26, LtMatmul, bias_type)};
#undef WL_FIELD

template <size_t N>
const Attribute* find(const Attribute (&attributes)[N], int number) {
  for (const Attribute& attribute : attributes)
    if (attribute.number == number) return &attribute;
  return nullptr;
}

Status set(void* descriptor, const Attribute* attribute, const void* value, size_t bytes) {
  if (!descriptor || !attribute || !value || bytes != attribute->bytes) return kInvalidValue;
  memcpy(static_cast<char*>(descriptor) + attribute->offset, value, bytes);
  return kSuccess;
}

// With `bytes` 0 it only says how many there are.
Status get(const void* descriptor, const Attribute* attribute, void* value, size_t bytes, size_t* written) {
  if (!descriptor || !attribute || (bytes == 0 && !written)) return kInvalidValue;
  if (bytes != 0 && (!value || bytes != attribute->bytes)) return kInvalidValue;
  if (bytes != 0) memcpy(value, static_cast<const char*>(descriptor) + attribute->offset, bytes);
  if (written) *written = attribute->bytes;
  return kSuccess;
}

template <typename T>
Status initialise(T* descriptor, size_t bytes, const T& value) {
  if (!descriptor) return kInvalidValue;
  if (bytes < sizeof(T)) return Status::CUBLAS_STATUS_ALLOC_FAILED;
  *descriptor = value;
  return kSuccess;
}
template <typename T>
Status create(T** out, const T& value) {
  if (!out) return kInvalidValue;
  *out = new T(value);
  return kSuccess;
}
template <typename T>
Status destroy(T* descriptor) {
  delete descriptor;
  return kSuccess;
}

LtLayout layout(DataType type, uint64_t rows, uint64_t columns, int64_t leading) {
  return {type, Order::Column, rows, columns, leading, 1, 0, 0, 0};
}

LtMatmul matmul(Compute compute, DataType scale) {
  LtMatmul m{};
  m.compute = compute;
  m.scale = scale;
  m.fill = 2;  // CUBLAS_FILL_MODE_FULL
  m.epilogue = kPlain;
  m.bias_type = m.aux_type = -1;
  return m;
}

// The pointers to the factors of 8-bit floats and what goes with them. None set is the default.
bool is_scale_attribute(int number) {
  constexpr int kAuxType = 22;
  return (number >= 17 && number <= 24 && number != kAuxType) || (number >= 31 && number <= 38);
}

Status set_scale(LtMatmul* m, const void* value, size_t bytes) {
  if (!m || !value || (bytes != 4 && bytes != 8)) return kInvalidValue;
  const char* at = static_cast<const char*>(value);
  for (size_t i = 0; i < bytes; i++) m->is_scaled |= at[i] != 0;
  return kSuccess;
}

Status check(const LtHandle* handle) { return handle && handle->mark == LtHandle::kAlive ? kSuccess : kNotInitialized; }

}  // namespace

WL_BLAS_API wl_cublasLtCreate(LtHandle** out) {
  if (!out) return kInvalidValue;
  driver::KeptLastError kept;
  const Error error = call(Needs::Context, [](Runtime&) { return Error::cudaSuccess; });
  if (error != Error::cudaSuccess) return kNotInitialized;
  *out = new LtHandle;
  return kSuccess;
}
WL_BLAS_API wl_cublasLtDestroy(LtHandle* handle) {
  if (Status status = check(handle); status != kSuccess) return status;
  handle->mark = 0;
  delete handle;
  return kSuccess;
}

WL_BLAS_API wl_cublasLtMatrixLayoutInit_internal(LtLayout* out, size_t bytes, DataType type, uint64_t rows,
                                                 uint64_t columns, int64_t leading) {
  return initialise(out, bytes, layout(type, rows, columns, leading));
}
WL_BLAS_API wl_cublasLtMatrixLayoutCreate(LtLayout** out, DataType type, uint64_t rows, uint64_t columns,
                                          int64_t leading) {
  return create(out, layout(type, rows, columns, leading));
}
WL_BLAS_API wl_cublasLtMatrixLayoutDestroy(LtLayout* descriptor) { return destroy(descriptor); }
WL_BLAS_API wl_cublasLtMatrixLayoutSetAttribute(LtLayout* descriptor, int number, const void* value, size_t bytes) {
  return set(descriptor, find(kLayoutAttributes, number), value, bytes);
}
WL_BLAS_API wl_cublasLtMatrixLayoutGetAttribute(const LtLayout* descriptor, int number, void* value, size_t bytes,
                                                size_t* written) {
  return get(descriptor, find(kLayoutAttributes, number), value, bytes, written);
}

WL_BLAS_API wl_cublasLtMatmulDescInit_internal(LtMatmul* out, size_t bytes, Compute compute, DataType scale) {
  return initialise(out, bytes, matmul(compute, scale));
}
WL_BLAS_API wl_cublasLtMatmulDescCreate(LtMatmul** out, Compute compute, DataType scale) {
  return create(out, matmul(compute, scale));
}
WL_BLAS_API wl_cublasLtMatmulDescDestroy(LtMatmul* descriptor) { return destroy(descriptor); }
WL_BLAS_API wl_cublasLtMatmulDescSetAttribute(LtMatmul* descriptor, int number, const void* value, size_t bytes) {
  if (is_scale_attribute(number)) return set_scale(descriptor, value, bytes);
  return set(descriptor, find(kMatmulAttributes, number), value, bytes);
}
WL_BLAS_API wl_cublasLtMatmulDescGetAttribute(const LtMatmul* descriptor, int number, void* value, size_t bytes,
                                              size_t* written) {
  return get(descriptor, find(kMatmulAttributes, number), value, bytes, written);
}

// Preferences among algorithms: taken, and of no effect, as there is one, which needs no workspace.
WL_BLAS_API wl_cublasLtMatmulPreferenceInit_internal(LtPreference* out, size_t bytes) {
  return initialise(out, bytes, LtPreference{});
}
WL_BLAS_API wl_cublasLtMatmulPreferenceCreate(LtPreference** out) { return create(out, LtPreference{}); }
WL_BLAS_API wl_cublasLtMatmulPreferenceDestroy(LtPreference* preference) { return destroy(preference); }
WL_BLAS_API wl_cublasLtMatmulPreferenceSetAttribute(LtPreference* preference, int number, const void* value,
                                                    size_t bytes) {
  if (!preference || !value || number < 0 || number > 12 || (bytes != 4 && bytes != 8)) return kInvalidValue;
  return kSuccess;
}

WL_BLAS_API wl_cublasLtMatmulAlgoGetHeuristic(LtHandle* handle, const LtMatmul* m, const LtLayout* a, const LtLayout* b,
                                              const LtLayout* c, const LtLayout* d, const LtPreference* preference,
                                              int wanted, LtHeuristic* results, int* count) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!m || !a || !b || !c || !d || !preference || wanted < 1 || !results || !count) return kInvalidValue;
  *count = 0;
  if (Status status = check_matmul(*m, *a, *b, *c, *d); status != kSuccess) return status;
  results[0] = LtHeuristic{{}, 0, kSuccess, 1, {}};
  *count = 1;
  return kSuccess;
}

WL_BLAS_API wl_cublasLtMatmul(LtHandle* handle, const LtMatmul* m, const void* alpha, const void* a, const LtLayout* al,
                              const void* b, const LtLayout* bl, const void* beta, const void* c, const LtLayout* cl,
                              void* d, const LtLayout* dl, const LtAlgorithm*, void*, size_t, StreamHandle stream) {
  if (Status status = check(handle); status != kSuccess) return status;
  if (!m || !alpha || !al || !bl || !beta || !cl || !dl) return kInvalidValue;
  if (Status status = check_matmul(*m, *al, *bl, *cl, *dl); status != kSuccess) return status;
  if (dl->rows == 0 || dl->columns == 0) return kSuccess;
  return submit_matmul(*m, {alpha, a, al, b, bl, beta, c, cl, d, dl}, stream);
}

}  // namespace warplens::cuda::blas
