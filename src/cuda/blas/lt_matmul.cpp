// cublasLtMatmul: D = epilogue(alpha op(A) op(B) + beta C), in the arithmetic's type up to the last step.
//
// The epilogue works on the elements of D's column j and row i. With z = alpha op(A) op(B) + beta C:
//   BIAS        z += bias[i]
//   RELU, GELU  D = f(z); with AUX z is kept for the backward pass: GELU's as it is, RELU's as a bit, z > 0
//   DRELU       D = z where AUX's bit says so, else 0
//   DGELU       D = z * GELU'(aux)
//   BGRAD       bias[i] = sum of D over j;  BGRADA: of op(A) over k;  BGRADB: bias[j] = sum of op(B) over k
// GELU is the approximation with tanh: 0.5 z (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))).
#include <cstring>

#include "cuda/blas/lt.h"

namespace warplens::cuda::blas {
namespace {

constexpr const char* kName = "cublasLtMatmul";

template <typename T>
T gelu(T z) {
  const T inner = std::sqrt(T(M_2_PI)) * (z + T(0.044715) * z * z * z);
  return T(0.5) * z * (1 + std::tanh(inner));
}
template <typename T>
T gelu_gradient(T z) {
  const T scale = std::sqrt(T(M_2_PI)), t = std::tanh(scale * (z + T(0.044715) * z * z * z));
  return T(0.5) * (1 + t) + T(0.5) * z * (1 - t * t) * scale * (1 + 3 * T(0.044715) * z * z);
}

// A matrix of a batch: memory, and how the layout lays it out.
struct Placed {
  const void* data;
  LtLayout layout;

  bool by_row() const { return layout.order == Order::Row; }
  int64_t rows() const { return static_cast<int64_t>(layout.rows); }
  int64_t columns() const { return static_cast<int64_t>(layout.columns); }
  Operand operand(const char* name) const {
    const int64_t inner = by_row() ? columns() : rows(), outer = by_row() ? rows() : columns();
    return matrix_operand(name, data, inner, outer, layout.leading, bytes_of(layout.type));
  }
  int64_t at(int64_t i, int64_t j) const { return by_row() ? i * layout.leading + j : i + j * layout.leading; }
};

Placed in_batch(const void* data, const LtLayout& layout, int64_t i) {
  const int64_t bytes = i * layout.stride * static_cast<int64_t>(bytes_of(layout.type));
  return {data ? static_cast<const char*>(data) + bytes : nullptr, layout};
}

template <typename T>
std::vector<T> packed(const Placed& m) {
  if (!m.by_row()) return unpacked<T>(m.data, m.layout.type, m.rows(), m.columns(), m.layout.leading);
  const std::vector<T> transposed = unpacked<T>(m.data, m.layout.type, m.columns(), m.rows(), m.layout.leading);
  std::vector<T> out(transposed.size());
  for (int64_t i = 0; i < m.rows(); i++)
    for (int64_t j = 0; j < m.columns(); j++)
      out[static_cast<size_t>(i + j * m.rows())] = transposed[static_cast<size_t>(j + i * m.columns())];
  return out;
}

template <typename T>
void store(const std::vector<T>& values, const Placed& m) {
  with_type(m.layout.type, [&]<typename To>(To) {
    To* to = static_cast<To*>(const_cast<void*>(m.data));
    for (int64_t j = 0; j < m.columns(); j++)
      for (int64_t i = 0; i < m.rows(); i++)
        to[m.at(i, j)] = convert<To>(values[static_cast<size_t>(i + j * m.rows())]);
  });
}

template <typename T>
void store_vector(const std::vector<T>& values, void* data, DataType type) {
  with_type(type, [&]<typename To>(To) {
    for (size_t i = 0; i < values.size(); i++) static_cast<To*>(data)[i] = convert<To>(values[i]);
  });
}

template <typename T>
std::vector<T> sums(const std::vector<T>& matrix, int64_t rows, bool over_columns) {
  const int64_t columns = rows ? static_cast<int64_t>(matrix.size()) / rows : 0;
  std::vector<Wide<T>> wide_sums(static_cast<size_t>(over_columns ? rows : columns));
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      wide_sums[static_cast<size_t>(over_columns ? i : j)] += wide(matrix[static_cast<size_t>(i + j * rows)]);
  std::vector<T> out;
  for (const Wide<T>& sum : wide_sums) out.push_back(convert<T>(sum));
  return out;
}

// What surrounds one product of a batch: its epilogue's memory.
struct Surroundings {
  uint32_t epilogue;
  void* bias;
  DataType bias_type;
  void* aux;
  DataType aux_type;
  int64_t aux_leading;

  bool relu_bits() const { return epilogue & (kRelu | kReluGradient); }
  Operand bias_operand(int64_t rows, int64_t columns) const {
    const bool uses = epilogue & (kBias | kBiasGradient | kBiasGradientA | kBiasGradientB);
    const int64_t n = epilogue & kBiasGradientB ? columns : rows;
    return {"bias", bias, uses ? static_cast<uint64_t>(n) * bytes_of(bias_type) : 0};
  }
  Operand aux_operand(int64_t rows, int64_t columns) const {
    if (!(epilogue & kAux)) return {"aux", aux, 0};
    if (relu_bits()) return matrix_operand("aux", aux, (rows + 7) / 8, columns, aux_leading / 8, 1);
    return matrix_operand("aux", aux, rows, columns, aux_leading, bytes_of(aux_type));
  }
};

// One bit an element of RELU's auxiliary matrix.
uint8_t& bit_byte(void* aux, int64_t i, int64_t j, int64_t leading) {
  return static_cast<uint8_t*>(aux)[(i + j * leading) / 8];
}

template <typename T>
void finish(std::vector<T>& z, int64_t rows, const Surroundings& s) {
  const int64_t columns = rows ? static_cast<int64_t>(z.size()) / rows : 0;
  const auto each = [&](auto change) {
    for (int64_t j = 0; j < columns; j++)
      for (int64_t i = 0; i < rows; i++) change(z[static_cast<size_t>(i + j * rows)], i, j);
  };
  if (s.epilogue & kBias) {
    const std::vector<T> bias = unpacked<T>(s.bias, s.bias_type, rows, 1, rows);
    each([&](T& v, int64_t i, int64_t) { v += bias[static_cast<size_t>(i)]; });
  }
  if constexpr (!kIsComplex<T>) {
    if (s.epilogue & kRelu) {
      each([&](T& v, int64_t i, int64_t j) {
        if (s.epilogue & kAux) {
          uint8_t& bits = bit_byte(s.aux, i, j, s.aux_leading);
          bits = static_cast<uint8_t>((bits & ~(1 << i % 8)) | (v > 0) << i % 8);
        }
        v = v > 0 ? v : T{};
      });
    }
    if (s.epilogue & kReluGradient) {
      each([&](T& v, int64_t i, int64_t j) {
        if (!(bit_byte(s.aux, i, j, s.aux_leading) >> i % 8 & 1)) v = T{};
      });
    }
    if (s.epilogue & kGelu) {
      if (s.epilogue & kAux)
        store(z, {s.aux, {s.aux_type, Order::Column, uint64_t(rows), uint64_t(columns), s.aux_leading, 1, 0, 0, 0}});
      each([](T& v, int64_t, int64_t) { v = gelu(v); });
    }
    if (s.epilogue & kGeluGradient) {
      const std::vector<T> before = unpacked<T>(s.aux, s.aux_type, rows, columns, s.aux_leading);
      each([&](T& v, int64_t i, int64_t j) { v *= gelu_gradient(before[static_cast<size_t>(i + j * rows)]); });
    }
  }
  if (s.epilogue & kBiasGradient) store_vector(sums(z, rows, true), s.bias, s.bias_type);
}

template <typename T>
void multiply_one(const OpenBlas<T>& blas, const LtMatmul& matmul, T alpha, T beta, const Placed& a, const Placed& b,
                  const Placed& c, const Placed& d, const Surroundings& around) {
  const std::vector<T> left = packed<T>(a), right = packed<T>(b);
  std::vector<T> z(static_cast<size_t>(d.rows() * d.columns()));
  if (beta != T{}) z = packed<T>(c);
  const int64_t k = matmul.op_a == kN ? a.columns() : a.rows();
  const auto leading = [](int64_t rows) { return rows > 1 ? rows : 1; };
  multiply(blas, matmul.op_a, matmul.op_b, d.rows(), d.columns(), k, alpha, left.data(), leading(a.rows()),
           right.data(), leading(b.rows()), beta, z.data(), leading(d.rows()));
  if (around.epilogue & kBiasGradientA)
    store_vector(sums(left, a.rows(), matmul.op_a == kN), around.bias, around.bias_type);
  if (around.epilogue & kBiasGradientB)
    store_vector(sums(right, b.rows(), matmul.op_b != kN), around.bias, around.bias_type);
  finish(z, d.rows(), around);
  store(z, d);
}

Surroundings surroundings(const LtMatmul& m, DataType d_type, int64_t i) {
  const DataType bias_type = m.bias_type < 0 ? d_type : DataType{m.bias_type};
  const DataType aux_type = m.aux_type < 0 ? d_type : DataType{m.aux_type};
  Surroundings s{m.epilogue, m.bias, bias_type, m.aux, aux_type, m.aux_leading};
  const auto advance = [&](void* data, int64_t bytes) {
    return data ? static_cast<void*>(static_cast<char*>(data) + bytes) : nullptr;
  };
  s.bias = advance(m.bias, i * m.bias_stride * static_cast<int64_t>(bytes_of(bias_type)));
  s.aux = advance(m.aux,
                  s.relu_bits() ? i * m.aux_stride / 8 : i * m.aux_stride * static_cast<int64_t>(bytes_of(aux_type)));
  return s;
}

struct Layouts {
  LtLayout a, b, c, d;
};

template <typename T, typename S>
Status submit_as(const LtMatmul& matmul, const LtOperands& o, StreamHandle stream) {
  const OpenBlas<T>* blas = openblas<T>();
  if (!blas) return refuse_without_openblas(kName);
  Handle mode;
  mode.pointer_mode = matmul.pointer_mode;
  const Scalar<S> alpha(mode, "alpha", static_cast<const S*>(o.alpha)),
      beta(mode, "beta", static_cast<const S*>(o.beta));
  const Layouts l{*o.a_layout, *o.b_layout, *o.c_layout, *o.d_layout};
  return submit(
      stream, kName,
      [=](Device& device) {
        if (!device.reaches(alpha.operand(), beta.operand())) return;
        const T by = convert<T>(alpha.get()), keep = convert<T>(beta.get());
        for (int64_t i = 0; i < l.d.batches; i++) {
          const Placed a = in_batch(o.a, l.a, i), b = in_batch(o.b, l.b, i), c = in_batch(o.c, l.c, i),
                       d = in_batch(o.d, l.d, i);
          const Surroundings around = surroundings(matmul, l.d.type, i);
          if (!device.reaches(a.operand("A"), b.operand("B"), d.operand("D"),
                              around.bias_operand(d.rows(), d.columns()), around.aux_operand(d.rows(), d.columns())))
            return;
          if (keep != T{} && !device.reaches(c.operand("C"))) return;
          multiply_one<T>(*blas, matmul, by, keep, a, b, c, d, around);
        }
      },
      Library::CuBlasLt);
}

bool is_valid_layout(const LtLayout& l) {
  const uint64_t inner = l.order == Order::Row ? l.columns : l.rows;
  return l.batches >= 1 && l.leading >= static_cast<int64_t>(inner);
}

// C and D as cublasLtMatmul allows them beside A and B: those of the table of cublasGemmEx, and D may be 8-bit where
// products of 8-bit integers are added up in floats.
std::optional<DataType> scale_of(const LtMatmul& m, const LtLayout& a, const LtLayout& b, const LtLayout& c,
                                 const LtLayout& d) {
  if (a.type != b.type || c.type != d.type) return std::nullopt;
  const bool integers = a.type == DataType::R8I && (m.compute == Compute::I32 || static_cast<int>(m.compute) == 73);
  if (integers && d.type == DataType::R8I) return DataType::R32F;
  return scale_type(m.compute, a.type, d.type);
}

}  // namespace

Status check_matmul(const LtMatmul& m, const LtLayout& a, const LtLayout& b, const LtLayout& c, const LtLayout& d) {
  const auto unserved = [](const char* what) { return refuse(std::string(kName) + " with " + what); };
  for (const LtLayout* l : {&a, &b, &c, &d}) {
    if (l->order != Order::Column && l->order != Order::Row) return unserved("a tiled order of a matrix");
    if (l->batch_mode != 0) return unserved("arrays of pointers");
    if (l->plane_offset != 0) return unserved("complex numbers in two planes");
    if (!is_valid_layout(*l)) return kInvalidValue;
    if (!fit({static_cast<int64_t>(l->rows), static_cast<int64_t>(l->columns)})) {
      return unserved("sizes beyond 2^31");
    }
  }
  if (!is_valid_operation(m.op_a) || !is_valid_operation(m.op_b)) return kInvalidValue;
  const uint64_t k = m.op_a == kN ? a.columns : a.rows;
  if ((m.op_a == kN ? a.rows : a.columns) != d.rows || (m.op_b == kN ? b.columns : b.rows) != d.columns ||
      (m.op_b == kN ? b.rows : b.columns) != k || c.rows != d.rows || c.columns != d.columns)
    return kInvalidValue;
  if (a.batches != d.batches || b.batches != d.batches || c.batches != d.batches) return kInvalidValue;
  if (m.pointer_mode != kHostPointers && m.pointer_mode != kDevicePointers) return unserved("a vector of alphas");
  if (m.op_c != kN) return unserved("a transposed C");
  if (m.is_scaled) return unserved("scaled matrices");
  const auto scale = scale_of(m, a, b, c, d);
  if (!scale || *scale != m.scale) return unserved("these types");
  constexpr uint32_t kKnown = 1023;
  if (m.epilogue == 0 || (m.epilogue & ~kKnown)) return kInvalidValue;
  if (m.epilogue != kPlain && (d.order != Order::Column || m.scale == DataType::C32F || m.scale == DataType::C64F))
    return unserved("an epilogue on such a matrix");
  const bool has_aux = m.epilogue & kAux;
  return has_aux && m.aux_leading < static_cast<int64_t>(d.rows) ? kInvalidValue : kSuccess;
}

Status submit_matmul(const LtMatmul& matmul, const LtOperands& operands, StreamHandle stream) {
  const bool uses_bias = matmul.epilogue & (kBias | kBiasGradient | kBiasGradientA | kBiasGradientB);
  if ((uses_bias && !matmul.bias) || ((matmul.epilogue & kAux) && !matmul.aux)) return kInvalidValue;
  switch (matmul.scale) {
    case DataType::R16F:
      return submit_as<float, Half>(matmul, operands, stream);
    case DataType::R32I:
      return submit_as<double, int32_t>(matmul, operands, stream);
    case DataType::R64F:
      return submit_as<double, double>(matmul, operands, stream);
    case DataType::C32F:
      return submit_as<Complex, Complex>(matmul, operands, stream);
    case DataType::C64F:
      return submit_as<DoubleComplex, DoubleComplex>(matmul, operands, stream);
    default:
      return submit_as<float, float>(matmul, operands, stream);
  }
}

}  // namespace warplens::cuda::blas
